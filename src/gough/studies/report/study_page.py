"""The page of one study: warnings first, then figures, the machine in motion, tables and charts."""

from __future__ import annotations

from html import escape
from typing import Any

from gough.studies.report.assembly import assembled, foot, head, inputs, warning_box
from gough.studies.report.charts import beside_the_machine, numbers_for, sections
from gough.studies.report.packing import pack
from gough.studies.report.scene import FINE, scene
from gough.studies.report.series import series_of
from gough.studies.report.tables import (
    figure_cards,
    leg_tables,
    machine_table,
    singularity_table,
)
from gough.studies.report.text import time_text
from gough.studies.report.thinning import thin_times
from gough.studies.results import Results

_STYLES = "theme.css layout.css tables.css charts.css machine.css".split()
_SCRIPTS = (
    "numbers.js series.js colours.js space.js state.js legend.js chart.js cards.js machine.js "
    "force_scale.js player.js start_study.js"
).split()


def study_page(results: Results, date: str = "") -> str:
    """The report as one HTML text."""
    times, duration = len(results), float(results.time[-1] - results.time[0])
    drawn = len(thin_times(results.time))
    facts = {
        "Robot": results.robot.name,
        "Duration": time_text(duration),
        "Samples": f"{times:,}".replace(",", "\u2009"),
        "Analysis": str(results.study.get("analysis", "")),
        "Charts": "" if drawn == times else f"least and greatest of {drawn // 2} stretches of time",
        "Date": date,
    }
    subtitle = str(results.study.get("notes") or results.study.get("reference") or "")
    return assembled(
        "study.html",
        _STYLES,
        _SCRIPTS,
        _data(results),
        title=escape(f"{results.name} · {results.robot.name}"),
        head=head(results.name, subtitle, facts),
        warnings=warning_box(results.warnings),
        figures=figure_cards(results.summary, len(results.singularities)),
        tables="\n".join(
            [
                singularity_table(results.singularities),
                leg_tables(results.summary, bool(results.singularities)),
                machine_table(results.summary),
            ]
        ),
        inputs=inputs(results.study),
        foot=foot(results.versions),
    )


def _data(results: Results) -> dict[str, Any]:
    series, singular = series_of(results), bool(results.singularities)
    beside = beside_the_machine(results.robot, series, singular)
    further = sections(results.robot, series, singular)
    charts = [*beside, *(chart for section in further for chart in section["charts"])]
    return {
        "time": pack(thin_times(results.time)[None], FINE),
        "quantities": numbers_for(charts, series),
        "beside": beside,
        "sections": further,
        "singular_times": [point.time for point in results.singularities],
        "machine": scene(results),
    }
