"""The table of the worst of several motions: of each leg, of all, and in which motion."""

from __future__ import annotations

from collections.abc import Sequence

from gough.plots.names import actuator_names
from gough.report.parts import Cell, Head, Row, Table
from gough.report.text import heading_text, number_text
from gough.sizing.envelope import Envelope, Worst


def envelope_table(envelope: Envelope) -> Table:
    """The worst of all motions, of each leg and of all."""
    names = actuator_names(envelope.robot)
    shown = [figure for figure in envelope.figures.values() if figure.per_leg]
    heads = [
        Head("Worst of all motions"),
        Head("", kind=""),
        *(Head(f"{heading_text(names.word)} {n}" if n.isdigit() else n) for n in names.short),
        Head("All"),
        Head("In", kind="words"),
    ]
    rows = [
        Row(
            [
                Cell(unit=figure.unit),
                *_leg_cells(figure, names.short),
                Cell(number_text(figure.value)),
                Cell(figure.motion or "several", kind="words"),
            ],
            heading_text(figure.name),
        )
        for figure in shown
    ]
    return Table("Envelope", heads, rows)


def _leg_cells(figure: Worst, names: Sequence[str]) -> list[Cell]:
    """The worst of each actuator, in the machine's order; a dash for those without one."""
    motions = figure.motions or ("",) * len(figure.per_leg)
    known = dict(
        zip(figure.labels or names, zip(figure.per_leg, motions, strict=True), strict=True)
    )
    worst = (figure.labels or names)[figure.leg - 1] if figure.leg else ""
    return [
        Cell(number_text(known[n][0]), kind="worst" if n == worst else "", hint=known[n][1])
        if n in known
        else Cell("–", kind="none")
        for n in names
    ]
