"""`gough select`: which actuators of a catalogue suffice for some motions, by their margins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import (
    CatalogueOption,
    ReportOption,
    picture_option,
    robot_file_option,
    within,
)
from gough.cli.output import JsonOption, RobotArgument, save_plot, show
from gough.cli.pose_options import quantity
from gough.errors import GoughError
from gough.fields import units

_HOUR = 3600.0

StudiesArgument = Annotated[
    list[Path],
    typer.Argument(metavar="STUDY...", help="Study files (.toml); every variation is a motion."),
]


def _hours(given: str | float) -> float | None:
    """Return a time in hours: a bare number of them, or a quantity with a unit."""
    check = within(0.0, 1e9, "h")
    try:
        return check(float(given))
    except ValueError:
        return check(quantity("--life", str(given), units.TIME) / _HOUR)


def select(
    robot: RobotArgument,
    studies: StudiesArgument,
    catalogue: CatalogueOption = None,
    life: Annotated[
        float,
        typer.Option(
            metavar="HOURS",
            help="Required life L10 of screws and bearings, in hours or with a unit.",
            parser=_hours,
        ),
    ] = 0.0,
    buckling_safety: Annotated[
        float,
        typer.Option(
            metavar="FACTOR",
            help="Safety factor against buckling of a screw.",
            callback=within(1.0, 100.0),
        ),
    ] = 2.0,
    critical_share: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Maximum share of a screw's critical speed.",
            callback=within(0.01, 1.0),
        ),
    ] = 0.8,
    once: Annotated[
        bool, typer.Option("--once", help="Motions are made once from cold, not repeated.")
    ] = False,
    actuator: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Actuator to show in full. Default: the first."),
    ] = None,
    output: Annotated[
        Path | None,
        robot_file_option("Robot with that actuator (.toml, .json)."),
    ] = None,
    report: ReportOption = None,
    plot: Annotated[
        Path | None, picture_option("Save a figure of its force over speed.", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Select actuators of a catalogue that suffice for motions.

    Each is put into the machine, with its masses and its drive where the catalogue gives them, and
    checked against stroke, forces, speeds, currents, thermal load, buckling, critical speed and
    life.

    Example:  gough select demo-hexapod studies/demo-machining.toml
    """
    from gough.robot import save
    from gough.sizing.select import select as find

    found = find(
        robot,
        studies,
        catalogue,
        life=life,
        buckling_safety=buckling_safety,
        critical_share=critical_share,
        repeated=not once,
    )
    found = found if actuator is None else found.choosing(actuator)
    chosen = found.choice
    if output is not None:
        if actuator is None and not chosen.suffices:
            raise GoughError(
                f"no actuator of {found.catalogue.name} suffices, so {output} is not written; name "
                "one with --actuator to have it all the same"
            )
        save(found.robot_with(chosen.name), output)
    if report is not None:
        from gough.report import write_report

        write_report(found, report)
    if plot is not None:
        save_plot(found.plot(chosen.name), plot)
    files = {f"robot with {chosen.name}": output, "page": report, "figure": plot}
    show(found, as_json, files=files)
