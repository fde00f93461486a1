"""The page of a selection: which actuators suffice, why others do not, and what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from gough.analysis.included import forces_include
from gough.analysis.versions import versions
from gough.plots.names import actuator_names
from gough.report.assembly import assembled
from gough.report.envelope_table import envelope_table
from gough.report.force_speed import force_speed_drawing
from gough.report.parts import Card, Cell, Head, Row, Table
from gough.report.text import heading_text, number_text, sentence, short_text
from gough.sizing.criteria import CRITERIA
from gough.sizing.force_speed import of_candidate
from gough.sizing.selection import Candidate, Requirement, Selection

_STYLES = (
    *"theme.css layout.css tables.css charts.css grid.css selection.css".split(),
    *("print.css", "landscape.css"),
)
_NAMED = 6
"""So many motions are named above the page."""
_CARDS = ("peak force", "continuous force", "speed", "motor current")
"""Requirements of the chosen actuator at the top of the page."""


def selection_page(selection: Selection, date: str = "") -> str:
    """The report as one HTML text."""
    facts = {
        "Robot": selection.robot.name,
        "Catalogue": selection.catalogue.name,
        "Motions": str(len(selection.envelope.motions)),
        "Date": date,
        **forces_include(selection.robot).texts(),
    }
    warnings = [] if selection.sufficient else ["no actuator of the catalogue suffices"]
    return assembled(
        "selection.html",
        _STYLES,
        "",
        data={},
        title=f"Actuators for {selection.robot.name}",
        robot=selection.robot.name,
        subtitle=_motions(selection.envelope.motions),
        facts=facts,
        warnings=warnings,
        limits=None,
        cards=_cards(selection),
        overview=_overview(selection),
        margins=_margins(selection),
        remarks=selection.choice.remarks,
        details=[_details(selection, candidate) for candidate in selection.candidates],
        envelope=envelope_table(selection.envelope),
        inputs={},
        versions=versions(),
    )


def _motions(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _cards(selection: Selection) -> list[Card]:
    count, total = len(selection.sufficient), len(selection.candidates)
    best, chosen = selection.candidates[0], selection.choice
    below = f"most is left of {best.name}" if count else f"nearest: {best.name}"
    suffice = f"{count} of {total}"
    cards = [Card("Actuators that suffice", suffice, below=below, alarming=not count)]
    middle = number_text(selection.middle)
    cards.append(Card("Stroke needed", number_text(selection.stroke), "m", f"middle at {middle} m"))
    names = actuator_names(selection.robot)
    for needed in chosen.requirements:
        if needed.name in _CARDS:
            below = f"{chosen.name}: {names.word} {names.short[needed.leg - 1]}, {needed.motion}"
            title = f"{heading_text(needed.name)} needed"
            value, alarming = number_text(needed.needed), not needed.holds
            cards.append(Card(title, value, needed.unit, below, alarming=alarming))
    return cards


def _overview(selection: Selection) -> Table:
    heads = [
        Head("Actuator"),
        Head("Suffices"),
        Head("Margin", "%", hint="the least share that is left"),
        Head("Of", kind="words", hint="what the margin is of"),
        Head("Retracted at", "m", hint="position with the rod retracted"),
        Head("Piece", "m", hint="fixed length between rod and joint"),
        Head("Screw life", "h"),
        Head("Bearing life", "h"),
        Head("Why not", kind="words"),
    ]
    return Table("Best margin first", heads, [_overview_row(c) for c in selection.candidates])


def _overview_row(candidate: Candidate) -> Row:
    lives = {life.part: life.hours for life in candidate.lives}
    piece = candidate.mount.piece
    return Row(
        [
            Cell("yes" if candidate.suffices else "no", kind="" if candidate.suffices else "alert"),
            percent_cell(candidate.margin),
            Cell(candidate.tightest.name, kind="words"),
            Cell(number_text(candidate.mount.start)),
            Cell("–" if piece is None else number_text(piece)),
            *(Cell(number_text(lives.get(part, float("nan")))) for part in _LIVES),
            _why_not(candidate),
        ],
        candidate.name,
    )


def _why_not(candidate: Candidate) -> Cell:
    """The worst of what fails; how much more does, and on paper all of it."""
    reasons = [sentence(requirement.words) for requirement in candidate.failing]
    return Cell(" ".join(reasons[:_FAILING]), kind="words", more=tuple(reasons[_FAILING:]))


_FAILING = 2
_LIVES = ("screw life", "bearing life")


def _margins(selection: Selection) -> Table:
    """A row for each actuator, a column for each thing it is held against."""
    heads = [Head("Actuator"), *(Head(heading_text(c.name), hint=c.meaning) for c in CRITERIA)]
    rows = []
    for candidate in selection.candidates:
        known = {r.name: r for r in candidate.requirements}
        cells = [_margin_cell(known.get(c.name), candidate) for c in CRITERIA]
        rows.append(Row(cells, candidate.name))
    note = (
        "What is left of what is available, in %; below zero it does not suffice. A dash: the "
        "catalogue does not give what is needed to judge."
    )
    return Table("Margins", heads, rows, note)


def _margin_cell(requirement: Requirement | None, candidate: Candidate) -> Cell:
    if requirement is None:
        return Cell("–", kind="none")
    cell = percent_cell(requirement.margin)
    tightest = requirement.name == candidate.tightest.name
    return cell._replace(kind=f"{cell.kind} worst".strip() if tightest else cell.kind)


def percent_cell(share: float) -> Cell:
    """A margin in percent; below zero it is marked."""
    if not isfinite(share):
        return Cell("⚠ none", kind="alert", order="")
    text = short_text(100 * share, 3)
    return Cell(f"⚠ {text}" if share < 0 else text, kind="alert" * (share < 0), order=repr(share))


def _details(selection: Selection, candidate: Candidate) -> dict[str, object]:
    """What one actuator is held against, and its samples in the plane of speed and force."""
    chart = of_candidate(selection.robot, candidate.actuator, candidate.loads)
    names = actuator_names(selection.robot)
    heads = [
        Head("Requirement"),
        Head("Needed"),
        Head("Available"),
        Head("Margin", "%"),
        Head(heading_text(names.word)),
        Head("At", "s"),
        Head("Motion", kind="words"),
        Head("What these are", kind="words"),
    ]
    rows = [_requirement_row(r, names.short) for r in candidate.requirements]
    note = "Not judged: " + "; ".join(candidate.not_judged) if candidate.not_judged else ""
    return {
        "name": candidate.name,
        "open": candidate is selection.choice,
        "suffices": candidate.suffices,
        "chart": force_speed_drawing(chart),
        "table": Table("Held against", heads, rows, note),
        "lives": _lives_table(candidate),
    }


def _requirement_row(requirement: Requirement, names: Sequence[str]) -> Row:
    time = requirement.time
    return Row(
        [
            Cell(number_text(requirement.needed), unit=requirement.unit),
            Cell(number_text(requirement.available), unit=requirement.unit),
            percent_cell(requirement.margin),
            Cell(names[requirement.leg - 1]),
            Cell("" if time is None else short_text(time)),
            Cell(requirement.motion or "all", kind="words"),
            Cell(requirement.meaning, kind="words"),
        ],
        heading_text(requirement.name),
    )


def _lives_table(candidate: Candidate) -> Table | None:
    heads = [
        Head("L10"), Head("Mean load", "N"), Head("Turns", "10⁶"), Head("Way", "km"),
        Head("Time", "h"), Head("Motion", kind="words"),
    ]  # fmt: skip
    rows = [
        Row(
            [
                *(Cell(number_text(x)) for x in (life.load, life.turns / 1e6)),
                *(Cell(number_text(x)) for x in (life.kilometres, life.hours)),
                Cell(life.motion, kind="words"),
            ],
            heading_text(life.part),
        )
        for life in candidate.lives
    ]
    note = (
        "Nine of ten reach that while the motion is repeated. Screw: ISO 3408-5, bearing: ISO 281."
    )
    return Table("Life", heads, rows, note) if rows else None
