"""`gough export plant`: the plant as an FMU, alone or under a controller."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.exporting import (
    DirectoryOption,
    FmiOption,
    PlacedController,
    PlatformsOption,
    plant_of,
    platforms_of,
    show_files,
)
from gough.cli.options import (
    CONTROLLER,
    DAMPING,
    DRIVES,
    FREQUENCY,
    INTEGRAL_RATE,
    PERIOD,
    USUAL,
    OverwriteOption,
)
from gough.cli.output import JsonOption, RobotArgument, wrong_usage


def plant(
    robot: RobotArgument,
    output: DirectoryOption = Path(),
    drives: Annotated[bool, DRIVES] = False,
    joint_friction: Annotated[
        bool, typer.Option("--joint-friction", help="Include the friction of joints.")
    ] = False,
    stops: Annotated[bool, typer.Option("--stops", help="Include end stops.")] = False,
    controller: Annotated[str | None, CONTROLLER] = None,
    frequency: Annotated[float | None, FREQUENCY] = None,
    damping: Annotated[float | None, DAMPING] = None,
    integral_rate: Annotated[float | None, INTEGRAL_RATE] = None,
    period: Annotated[float | None, PERIOD] = None,
    fmi: FmiOption = 3,
    platforms: PlatformsOption = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the plant as an FMU for simulators; with --controller, in a closed loop.

    Example:  gough export plant bingul-2012 --drives -o generated
    """
    from gough.exchange.fmu.export import export_fmu
    from gough.robot import load

    given: dict[str, Any] = {
        "frequency": frequency,
        "damping": damping,
        "integral_rate": integral_rate,
        "period": period,
    }
    stated = {name: value for name, value in given.items() if value is not None}
    if controller is None and stated:
        option = f"--{next(iter(stated)).replace('_', '-')}"
        raise wrong_usage(option, "for a closed loop; expected --controller beside it")
    machine, law, remarks = load(robot), None, list[str]()
    made = plant_of(
        machine,
        drives=drives,
        controlled=controller is not None,
        joint_friction=joint_friction,
        stops=stops,
    )
    settings = USUAL._replace(**stated)
    if controller is not None:
        settings = settings._replace(controller=controller)
        law, remarks = PlacedController(
            machine, *settings, drives=drives, joint_friction=joint_friction
        ).made()
    path = export_fmu(
        made,
        output,
        controller=law,
        robot=machine,
        fmi=fmi,
        period=settings.period,
        platforms=platforms_of(platforms),
        overwrite=overwrite,
    )
    show_files([path], as_json, remarks)
