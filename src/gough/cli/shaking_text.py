"""How a base that shakes and a wrench move a platform, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.option_checks import within
from gough.cli.output import console, table, wrong_usage
from gough.cli.pose_options import Three, length

if TYPE_CHECKING:
    from pathlib import Path

    from control import StateSpace

    from gough.kinematics import FrequencyResponse, Modes

ShakenOption = Annotated[
    float | None,
    typer.Option(
        "--shaken",
        metavar="HZ",
        help="Show what a base that shakes does at a frequency.",
        callback=within(1e-6, 1e6, "Hz"),
    ),
]
DampingOption = Annotated[
    float,
    typer.Option(
        help="Ratio that all modes have there.", show_default=False, callback=within(0, 0.99)
    ),
]
PointOfPlatformOption = Annotated[
    Three | None,
    typer.Option(
        "--tool",
        metavar="X Y Z",
        help="The platform's point there.",
    ),
]
PivotOption = Annotated[
    Three | None,
    typer.Option(
        "--pivot",
        metavar="X Y Z",
        help="About which the base turns.",
    ),
]

MODES_AROUND = 10.0
"""A picture goes from the lowest frequency over this to the highest one times this."""
_AXES = ("x", "y", "z", "about x", "about y", "about z")


def shaken_system(
    modes: Modes, actuators: Any, damping: float, tool: Three | None, pivot: Three | None
) -> StateSpace:
    """The linear machine that the options ask for, at the pose of its modes."""
    from gough.kinematics import elastic_state_space

    points = {
        name: [length(f"--{name}", x) for x in given]
        for name, given in (("tool", tool), ("pivot", pivot))
        if given is not None
    }
    options = {"actuators": actuators, "damping_ratio": damping, **points}
    return elastic_state_space(modes.robot, modes.pose, **options)


def refuse_unused(problem: str, **given: Any) -> None:
    """Refuse options that would have no effect; the problem says why."""
    for name, value in given.items():
        if value:
            raise wrong_usage(f"--{name}", problem)


def responses(system: StateSpace, hertz: Any) -> dict[str, FrequencyResponse]:
    """From the base's motion to the platform's, and from a wrench to its displacement."""
    from gough.kinematics import frequency_response

    return {
        "transmissibility": frequency_response(system, hertz, "acceleration", "base"),
        "compliance": frequency_response(system, hertz, "displacement", "wrench"),
    }


def print_responses(system: StateSpace, hertz: float) -> None:
    """Gains at one frequency, as two matrices."""
    found = responses(system, [hertz])
    titles = {
        "transmissibility": f"Motion of the platform by the base's at {hertz:g} Hz [1, m/rad]",
        "compliance": f"Displacement by wrench at {hertz:g} Hz [m/N, rad/N, rad/(N m)]",
    }
    for name, title in titles.items():
        rows = [
            (axis, *(float(f"{x:.3g}") for x in row))
            for axis, row in zip(_AXES, found[name].gain[0], strict=True)
        ]
        console.print(table(title, ("", *_AXES), rows))


def response_data(system: StateSpace, hertz: float) -> dict[str, Any]:
    """The same as plain data, with phases."""
    found = responses(system, [hertz])
    return {
        "frequency": hertz,
        **{n: {"gain": r.gain[0], "phase": r.phase[0]} for n, r in found.items()},
    }


def save_responses(system: StateSpace, modes: Modes, path: Path) -> None:
    """A picture over all frequencies around those of the modes."""
    import numpy as np

    from gough.kinematics import save_response

    known = np.abs(modes.frequencies[np.isfinite(modes.frequencies)])
    hertz = np.geomspace(known.min() / MODES_AROUND, known.max() * MODES_AROUND, 2000)
    found = responses(system, hertz)
    title = modes.robot.name
    save_response(found["transmissibility"], found["compliance"], path, title=title)
