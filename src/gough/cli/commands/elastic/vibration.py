"""`gough elastic vibration`: natural modes and the response to base excitation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.options import (
    ActuatorsOption,
    MapAxesOption,
    actuators_of,
    picture_option,
    quantity_option,
    within,
)
from gough.cli.output import JsonOption, RobotArgument, save_plot, show, wrong_usage
from gough.cli.pose_options import (
    DegreesOption,
    PositionOption,
    RpyOption,
    Three,
    length,
    pose_of,
)
from gough.fields import units


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
            help="Compliant stages of the legs: rigid, simple, low-frequency, high-frequency or "
            "complete. Default: all that the robot has.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("Save a figure of the lowest six natural modes.", "--plot")
    ] = None,
    map_file: Annotated[
        Path | None, picture_option("Save a map of the first frequency.", "--map")
    ] = None,
    axes: MapAxesOption = ("x", "y"),
    base_excitation: Annotated[
        float | None,
        quantity_option("Frequency of a base excitation", units.FREQUENCY, 1e-6, 1e6),
    ] = None,
    response: Annotated[
        Path | None,
        picture_option("Save the frequency response to base excitation.", "--response"),
    ] = None,
    modal_damping: Annotated[
        float,
        typer.Option(
            help="Damping ratio of all natural modes in that response.",
            show_default=False,
            callback=within(0, 0.99),
        ),
    ] = 0.0,
    response_point: Annotated[
        Three | None,
        typer.Option(metavar="X Y Z", help="Point of the platform in that response."),
    ] = None,
    pivot: Annotated[
        Three | None,
        typer.Option(metavar="X Y Z", help="Point about which the base rotates."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the natural frequencies of a compliant robot, and the motion at each of them.

    Example:  gough elastic vibration demo-hexapod --connectors rigid --base-excitation 60
    """
    from gough.elastic.natural_modes import natural_modes
    from gough.robot import load

    machine = load(robot)
    pose = pose_of(machine, position, rpy, degrees)
    options: dict[str, Any] = {"actuators": actuators_of(actuators), "connectors": connectors}
    found, excited = natural_modes(machine, pose, **options), None
    if plot is not None:
        save_plot(found.plot(), plot)
    if map_file is not None:
        from gough.elastic.natural_modes import frequency_map

        save_plot(frequency_map(machine, axes, pose, **options).plot(title=machine.name), map_file)
    points = {
        name: [length(option, x) for x in given]
        for name, option, given in (
            ("tool", "--response-point", response_point),
            ("pivot", "--pivot", pivot),
        )
        if given is not None
    }
    if base_excitation is None and response is None:
        idle = {
            "--modal-damping": modal_damping,
            "--response-point": response_point,
            "--pivot": pivot,
        }
        for option in (option for option, given in idle.items() if given):
            raise wrong_usage(
                option, "not used; expected --base-excitation or --response beside it"
            )
    else:
        from gough.elastic import elastic_state_space, plot_response
        from gough.elastic.response import BaseExcitation

        held = {"actuators": options["actuators"], "damping_ratio": modal_damping, **points}
        system = elastic_state_space(found.robot, found.pose, **held)
        if response is not None:
            drawn = BaseExcitation.of(system, found.surrounding_frequencies())
            both = (drawn.transmissibility, drawn.compliance)
            save_plot(plot_response(*both, title=machine.name), response)
        if base_excitation is not None:
            excited = BaseExcitation.of(system, [base_excitation], machine.name)
    show(
        found,
        as_json,
        tables=[*found.tables(), *(excited.tables() if excited else ())],
        files={"shapes": plot, "map": map_file, "responses": response},
        facts={"actuators": actuators}
        | ({"base_excitation": excited.to_dict()} if excited else {}),
    )
