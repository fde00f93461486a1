"""The page of an identification: parameters before and after, and what forces are left."""

from collections.abc import Mapping

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.identification.identified import Identified
from gough.report.assembly import assembled
from gough.report.packing import charts_over_time
from gough.report.tables import Card
from gough.report.text import number_text, time_text


def identification_page(found: Identified, date: str = "") -> str:
    """The report as one HTML text."""
    facts = {
        "Robot": found.robot.name,
        "Recording": time_text(float(found.time[-1] - found.time[0])),
        "Filter": f"{number_text(found.cutoff)} Hz",
        "Lag of efforts": found.lag.text,
        "Date": date,
    }
    names = [actuator.name for actuator in found.robot.actuators]
    rows = names if len(names) == len(found.noise) else found.rows
    return assembled(
        "identification",
        data={"actuators": rows, "sections": _sections(found)},
        title=f"Identification of {found.robot.name}",
        robot=found.robot.name,
        facts=facts,
        warnings=found.warnings,
        cards=_cards(found),
        table=found.parameter_table(),
        notes=found.notes,
        not_separable=len(found.not_separable),
        validated=found.validation is not None,
    )


def _cards(found: Identified) -> list[Card]:
    parameters = found.parameters
    significant = sum(parameter.significant for parameter in parameters)
    rest = float(np.sqrt(np.mean(found.residuals**2)))
    cards = [
        Card("Not explained", number_text(rest), found.unit, "root mean square of the recording"),
        Card("Significant", str(significant), "", f"of {len(parameters)} parameters"),
        Card("Condition number", number_text(found.condition), "", "of the weighted columns"),
    ]
    if found.validation is not None:
        after, before = found.validation.rms, found.validation.rms_before
        below = f"before: {number_text(before)} {found.unit}"
        cards.insert(0, Card("Unseen motion, not explained", number_text(after), found.unit, below))
    return cards


def _sections(found: Identified) -> list[PlainData]:
    """Charts with a line for each actuator, over the times of each recording."""
    sections = [_section("recording", found.time, {"Not explained": found.residuals}, found.unit)]
    if (unseen := found.validation) is not None:
        left = {
            "Measured": unseen.measured,
            "Not explained": unseen.measured - unseen.predicted,
            "Not explained before": unseen.measured - unseen.before,
        }
        sections.insert(0, _section("validation", unseen.time, left, found.unit))
    return sections


def _section(place: str, time: Array, charts: Mapping[str, Array], unit: str) -> PlainData:
    steps = np.diff(time)
    gaps = np.flatnonzero(steps > 1.5 * np.median(steps)) + 1  # no line goes across
    within = np.insert(time, gaps, (time[gaps - 1] + time[gaps]) / 2)
    rows = {title: np.insert(values.T, gaps, np.nan, axis=1) for title, values in charts.items()}
    packed = charts_over_time(within, {title: (unit, those) for title, those in rows.items()})
    return {"place": place, **packed}
