"""`gough vibration`: at which frequencies a robot on yielding legs vibrates, and what moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.option_checks import picture_option
from gough.cli.output import (
    JsonOption,
    RobotArgument,
    console,
    print_json,
    say,
    table,
    wrong_usage,
)
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.kinematics.elastic.modes import Modes


def vibration(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    actuators: Annotated[
        str,
        typer.Option(
            "--actuators",
            metavar="HOW",
            help="locked, free (of constant force), or the stiffness of their position control, "
            "in N/m or with a unit (50 N/um).",
        ),
    ] = "locked",
    connectors: Annotated[
        str | None,
        typer.Option(
            "--connectors",
            metavar="MODE",
            help="Which stages of the legs yield: rigid, simple, low-frequency, high-frequency or "
            "complete. Default: all that the robot has.",
        ),
    ] = None,
    chart: Annotated[
        Path | None,
        picture_option("Save a map of the first frequency (.png, .svg, .pdf).", "--map"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the natural frequencies of a robot whose legs yield, and what moves at each of them.

    Example:  gough vibration demo-hexapod --connectors rigid --map frequencies.png
    """
    from gough.kinematics.elastic.modes import modes
    from gough.robot import load

    machine, how = load(robot), _actuators(actuators)
    pose = pose_of(machine, position, rpy, degrees)
    options: dict[str, Any] = {"actuators": how, "connectors": connectors}
    found = modes(machine, pose, **options)
    if chart is not None:
        from gough.kinematics.elastic.maps import frequency_maps
        from gough.kinematics.workspace.maps import save_maps

        save_maps(frequency_maps(machine, pose, **options), chart, title=machine.name)
    if as_json:
        print_json(_data(found, actuators))
        return
    console.print(_table(found))
    for words in found.warnings:
        say(words, "warning")
    if chart is not None:
        say(f"map saved in {chart}")


def _actuators(text: str) -> str | float:
    from gough.fields import units

    if text in ("locked", "free"):
        return text
    try:
        return units.to_si(_number(text), units.STIFFNESS)
    except InputError as error:
        raise wrong_usage("--actuators", f"{error}; or locked, or free") from None


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _table(found: Modes) -> Any:
    """Each mode: its frequency, what moves most, and the mass that it has in a base that shakes."""
    columns = ["", "frequency [Hz]", "what moves most", "share [%]", "mass in x [kg]", "y", "z"]
    told = zip(found.frequencies, found.most, found.effective_masses[:, :3], strict=True)
    rows = [
        [str(k), float(f), words, f"{100 * share:.0f}", *(f"{mass:.1f}" for mass in masses)]
        for k, (f, (words, share), masses) in enumerate(told, 1)
    ]
    return table(f"{found.robot.name}: modes of vibration", columns, rows)


def _data(found: Modes, actuators: str) -> dict[str, Any]:
    names = "pose coordinates frequencies shapes participation effective_masses stable"
    return {
        "robot": found.robot.name,
        "actuators": actuators,
        **{name: getattr(found, name) for name in names.split()},
        "most": [words for words, _ in found.most],
        "warnings": found.warnings,
    }
