"""The page of a selection: which actuators suffice, why others do not, and what was asked."""

from gough.analysis.limits import forces_include
from gough.disk.manifest import versions
from gough.display.table import Cell, Head, Table, TableRow
from gough.report.assembly import assembled
from gough.report.force_speed import force_speed_drawing
from gough.report.tables import Card
from gough.report.text import heading_text, number_text
from gough.robot import actuator_names
from gough.sizing.criteria import CRITERIA
from gough.sizing.force_speed import of_candidate
from gough.sizing.selection import Candidate, CriterionResult, Selection, percent_cell

_NAMED = 6  # maximum number of motions named above the page
_CARDS = ("peak force", "continuous force", "speed", "motor current")
"""Requirements of the chosen actuator at the top of the page."""


def selection_page(selection: Selection, date: str = "") -> str:
    """The report as one HTML text."""
    motions = selection.envelope.motions
    more, drive = len(motions) - _NAMED, selection.choice.actuator.drive
    facts = {
        "Robot": selection.robot.name,
        "Catalogue": selection.catalogue.name,
        "Motions": str(len(motions)),
        "Date": date,
        **forces_include(selection.robot, driven=drive is not None).texts(),
    }
    return assembled(
        "selection",
        title=f"Actuators for {selection.robot.name}",
        robot=selection.robot.name,
        subtitle=", ".join(motions[:_NAMED]) + (f" and {more} more" if more > 0 else ""),
        facts=facts,
        warnings=["no actuator of the catalogue suffices"] * (not selection.sufficient),
        cards=_cards(selection),
        overview=selection.overview(),
        margins=_margins(selection),
        remarks=selection.choice.remarks,
        details=[_details(selection, candidate) for candidate in selection.candidates],
        envelope=selection.envelope.tables()[0],
        versions=versions(),
    )


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


def _margins(selection: Selection) -> Table:
    """Return the margins: a row for each actuator, a column for each criterion."""
    heads = [Head("Actuator"), *(Head(heading_text(c.name), hint=c.meaning) for c in CRITERIA)]
    rows = []
    for candidate in selection.candidates:
        known = {r.name: r for r in candidate.requirements}
        cells = [_margin_cell(known.get(c.name), candidate) for c in CRITERIA]
        rows.append(TableRow(cells, candidate.name))
    note = (
        "Unused share of what is available, in %; below zero it does not suffice. A dash: the "
        "catalogue lacks a key that the criterion needs."
    )
    return Table("Margins", heads, rows, note)


def _margin_cell(requirement: CriterionResult | None, candidate: Candidate) -> Cell:
    if requirement is None:
        return Cell("–", kind="none")
    cell = percent_cell(requirement.margin)
    tightest = requirement.name == candidate.tightest.name
    return cell._replace(kind=f"{cell.kind} worst".strip() if tightest else cell.kind)


def _details(selection: Selection, candidate: Candidate) -> dict[str, object]:
    """Return the criteria of one actuator, and its samples in the plane of speed and force."""
    chart = of_candidate(selection.robot, candidate.actuator, candidate.loads)
    names = actuator_names(selection.robot)
    return {
        "name": candidate.name,
        "open": candidate is selection.choice,
        "suffices": candidate.suffices,
        "chart": force_speed_drawing(chart),
        "table": candidate.requirement_table(names)._replace(title="Checked against"),
        "lives": next(iter(candidate.life_table()), None),
    }
