"""`gough vibration`: at which frequencies a robot that yields vibrates, and what moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.elastic_options import ActuatorsOption, MapAxesOption, actuators_of
from gough.cli.option_checks import picture_option
from gough.cli.output import (
    JsonOption,
    RobotArgument,
    console,
    print_json,
    say,
    table,
)
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.cli.shaking_text import (
    DampingOption,
    PivotOption,
    PointOfPlatformOption,
    ShakenOption,
    print_responses,
    refuse_unused,
    response_data,
    save_responses,
    shaken_system,
)

if TYPE_CHECKING:
    from gough.kinematics.elastic.modes import Modes


def vibration(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    actuators: ActuatorsOption = "locked",
    connectors: Annotated[
        str | None,
        typer.Option(
            "--connectors",
            metavar="MODE",
            help="Which stages of the legs yield: rigid, simple, low-frequency, high-frequency or "
            "complete. Default: all that the robot has.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("Save the shapes of the lowest six modes.", "--plot")
    ] = None,
    map_file: Annotated[
        Path | None, picture_option("Save a map of the first frequency.", "--map")
    ] = None,
    axes: MapAxesOption = ("x", "y"),
    shaken: ShakenOption = None,
    response: Annotated[
        Path | None,
        picture_option("Draw that at all frequencies.", "--response"),
    ] = None,
    damping: DampingOption = 0.0,
    tool: PointOfPlatformOption = None,
    pivot: PivotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the natural frequencies of a robot that yields, and what moves at each of them.

    Example:  gough vibration demo-hexapod --connectors rigid --shaken 60
    """
    of_shaking = {"damping": damping, "tool": tool, "pivot": pivot}
    from gough.kinematics.elastic.modes import modes
    from gough.robot import load

    machine = load(robot)
    pose = pose_of(machine, position, rpy, degrees)
    options: dict[str, Any] = {"actuators": actuators_of(actuators), "connectors": connectors}
    found = modes(machine, pose, **options)
    _save_shapes(found, plot)
    if map_file is not None:
        from gough.kinematics.elastic.maps import frequency_map
        from gough.kinematics.maps import save_map

        save_map(frequency_map(machine, axes, pose, **options), map_file, title=machine.name)
    if shaken is None and response is None:
        refuse_unused("not used; expected --shaken or --response beside it", **of_shaking)
        system = None
    else:
        system = shaken_system(found, options["actuators"], damping, tool, pivot)
    if system is not None and response is not None:
        save_responses(system, found, response)
    if as_json:
        data = _data(found, actuators)
        print_json(data if shaken is None else data | {"shaken": response_data(system, shaken)})
        return
    console.print(_table(found))
    for words in found.warnings:
        say(words, "warning")
    if shaken is not None:
        print_responses(system, shaken)
    for file in (plot, map_file, response):
        if file is not None:
            say(f"picture saved in {file}")


def _save_shapes(found: Modes, file: Path | None) -> None:
    if file is not None:
        from gough.plots.saving import save_picture

        save_picture(found.plot(), file)


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
