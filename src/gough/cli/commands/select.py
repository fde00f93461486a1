"""`gough select`: which actuators of a catalogue suffice for some motions, by their margins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.option_checks import picture_option, robot_file_option, saved_as, within
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table
from gough.errors import GoughError

if TYPE_CHECKING:
    from gough.sizing import Candidate, Selection

_FAILING = 2
"""So many reasons against an actuator are shown; all are in --json and in the page."""

StudiesArgument = Annotated[
    list[Path],
    typer.Argument(metavar="STUDY...", help="Study files (.toml); every variation is a motion."),
]
CatalogueOption = Annotated[
    Path | None,
    typer.Option(
        "--catalogue", "-c", metavar="FILE", help="A catalogue (.toml). Left out: Gough's own."
    ),
]


def select(
    robot: RobotArgument,
    studies: StudiesArgument,
    catalogue: CatalogueOption = None,
    life: Annotated[
        float,
        typer.Option(
            metavar="HOURS",
            help="How long nine of ten screws and bearings must last.",
            callback=within(0.0, 1e9, "h"),
        ),
    ] = 0.0,
    buckling_safety: Annotated[
        float,
        typer.Option(
            metavar="FACTOR",
            help="By how much a screw must bear more than its load.",
            callback=within(1.0, 100.0),
        ),
    ] = 2.0,
    critical_share: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Up to which share of its critical speed a screw may turn.",
            callback=within(0.01, 1.0),
        ),
    ] = 0.8,
    once: Annotated[
        bool, typer.Option("--once", help="Motions are made once from cold, not repeated for ever.")
    ] = False,
    actuator: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Show this one in full. Left out: the first."),
    ] = None,
    output: Annotated[
        Path | None,
        robot_file_option("Write the robot with that actuator in its legs, .toml or .json."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page, .html.", callback=saved_as(".html")),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("Save its force over speed, with every sample.", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which actuators of a catalogue suffice for motions.

    Each is put into the machine, with its masses and its drive where the catalogue gives them, and
    held against stroke, forces, speeds, currents, warming, buckling, critical speed and life.

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
        from gough.plots.saving import save_picture

        save_picture(found.plot(chosen.name), plot)
    if as_json:
        print_json(found.to_dict())
        return
    _show(found, chosen)
    for file, what in ((output, "the robot with it"), (report, "a page"), (plot, "a picture")):
        if file is not None:
            say(f"{what} is in {file}")


def _show(found: Selection, chosen: Candidate) -> None:
    rows = [
        (
            candidate.name,
            "yes" if candidate.suffices else "no",
            _percent(candidate.margin),
            candidate.tightest.name if candidate.suffices else _why_not(candidate),
        )
        for candidate in found.candidates
    ]
    count = len(found.envelope.motions)
    motions = "1 motion" if count == 1 else f"{count} motions"
    title = f"{found.robot.name}, {motions}: actuators of {found.catalogue.name}"
    console.print(table(title, ("actuator", "suffices", "margin [%]", "of, or why not"), rows))
    say(
        f"stroke needed: {found.stroke:.4g} m, mid-stroke at {found.middle:.4g} m"
        + ("" if found.home is None else f", with the platform at z = {found.home[2]:.4g} m")
    )
    console.print(_in_full(found, chosen))
    for life in chosen.lives:
        say(
            f"{life.part} L10: {life.turns / 1e6:.4g} million turns, {life.kilometres:.4g} km, "
            f"{life.hours:.4g} h, mean load {life.load:.4g} N"
        )
    if chosen.mount.piece:
        say(f"a piece of {chosen.mount.piece:.4g} m lengthens each rod to the middle of its stroke")
    for words in (*chosen.remarks, *(f"not judged: {n}" for n in chosen.not_judged)):
        say(words, "note")


def _why_not(candidate: Candidate) -> str:
    """The worst of what fails, and how many more there are."""
    more = len(candidate.failing) - _FAILING
    words = "; ".join(requirement.words for requirement in candidate.failing[:_FAILING])
    return f"{words}; and {more} more" if more > 0 else words


def _in_full(found: Selection, chosen: Candidate) -> object:
    from gough.plots.names import actuator_names

    names = actuator_names(found.robot)
    rows = [
        (
            r.name,
            r.needed,
            r.available,
            "" if r.unit == "1" else r.unit,
            _percent(r.margin),
            names.short[r.leg - 1],
            r.motion or "all",
        )
        for r in chosen.requirements
    ]
    columns = ("", "needed", "available", "unit", "margin [%]", names.word, "motion")
    return table(chosen.name, columns, rows)


def _percent(share: float) -> str:
    from gough.digits import short_decimal

    return short_decimal(100 * share, 3)
