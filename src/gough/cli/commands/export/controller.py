"""`gough export controller`: a controller as C99, or as an FMU."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.exporting import (
    DirectoryOption,
    Float32Option,
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


class Format(StrEnum):
    """Formats of a controller."""

    C = "c"
    FMU = "fmu"


def controller(
    robot: RobotArgument,
    to: Annotated[
        Format, typer.Option("--to", metavar="FORMAT", help="Format: c or fmu.")
    ] = Format.C,
    output: DirectoryOption = Path(),
    controller: Annotated[str, CONTROLLER] = USUAL.controller,
    frequency: Annotated[float, FREQUENCY] = USUAL.frequency,
    damping: Annotated[float, DAMPING] = USUAL.damping,
    integral_rate: Annotated[float, INTEGRAL_RATE] = USUAL.integral_rate,
    period: Annotated[float, PERIOD] = USUAL.period,
    drives: Annotated[bool, DRIVES] = False,
    float32: Float32Option = False,
    fmi: FmiOption = 3,
    platforms: PlatformsOption = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a controller by pole placement as C99, or as an FMU.

    Example:  gough export controller demo-hexapod --frequency 8 -o generated
    """
    from gough.exchange import export_controller
    from gough.exchange.fmu.export import export_fmu
    from gough.robot import load

    if float32 and to is Format.FMU:
        raise wrong_usage("--float32", "not for --to fmu; for c")
    for option, given in (("--platforms", platforms), ("--fmi", fmi != 3)):
        if given and to is Format.C:
            raise wrong_usage(option, "not for --to c; for fmu")
    machine = load(robot)
    law, remarks = PlacedController(
        machine, controller, frequency, damping, integral_rate, period, drives
    ).made()
    limit = plant_of(machine, drives=drives, controlled=True).limit
    if to is Format.C:
        paths = export_controller(
            law,
            output,
            robot=machine,
            period=period,
            limit=limit,
            dtype="float32" if float32 else "float64",
            overwrite=overwrite,
        )
    else:
        listed = platforms_of(platforms)
        path = export_fmu(
            law,
            output,
            robot=machine,
            limit=limit,
            fmi=fmi,
            period=period,
            platforms=listed,
            overwrite=overwrite,
        )
        paths = [path]
    show_files(paths, as_json, remarks)
