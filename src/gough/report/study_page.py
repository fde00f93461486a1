"""The page of one study: warnings first, then figures, the machine in motion, tables and charts."""

from __future__ import annotations

from typing import Any

from gough.analysis.included import forces_include
from gough.analysis.results import Results
from gough.analysis.simulation_facts import RUN
from gough.plots.names import actuator_names
from gough.report.assembly import assembled, inputs
from gough.report.charts import chart_plan
from gough.report.force_speed import force_speed_drawing
from gough.report.key_figures import figure_cards
from gough.report.mode_shapes import mode_shapes
from gough.report.noise import without_noise
from gough.report.packing import pack
from gough.report.scene import FINE, scene
from gough.report.simulated import simulation_figures
from gough.report.simulation_table import controller_name, sampling_text, simulation_table
from gough.report.tables import leg_tables, machine_table, singularity_table
from gough.report.text import time_text
from gough.report.thinning import stretch, thin_times
from gough.sizing.force_speed import of_results

_STYLES = "theme.css layout.css tables.css charts.css machine.css modes.css print.css".split()


def study_page(results: Results, date: str = "", workbench: str = "") -> str:
    """The report as one HTML text; with a workbench beside it, of that name, it leads there."""
    times, duration = len(results), float(results.time[-1] - results.time[0])
    together = stretch(times)
    figures = without_noise(simulation_figures(results) | results.summary)
    facts = {
        "Robot": results.robot.name,
        "Duration": time_text(duration),
        "Samples": f"{times:,}".replace(",", "\u2009"),
        "Analysis": results.analysis,
        **({} if RUN in results.study else forces_include(results.robot).texts(results.quantities)),
        "Controller": controller_name(results),
        "Sampling": sampling_text(results),
        "Charts show": f"the least and greatest of every {together} samples" * (together > 1),
        "Date": date,
    }
    return assembled(
        "study.html",
        _STYLES,
        "study",
        data=_data(results) | {"workbench": workbench},
        title=results.name,
        robot=results.robot.name,
        subtitle=results.notes,
        facts=facts,
        warnings=results.warnings,
        limits=results.limits,
        cards=figure_cards(results, figures),
        tables=[
            *simulation_table(results),
            *singularity_table(results.singularities),
            *leg_tables(figures, bool(results.singularities), actuator_names(results.robot)),
            *machine_table(figures),
        ],
        force_speeds=[force_speed_drawing(chart) for chart in of_results(results)],
        inputs=inputs(results.study),
        versions=results.versions,
    )


def _data(results: Results) -> dict[str, Any]:
    plan, machine = chart_plan(results), scene(results)
    return {
        "time": pack(thin_times(results.time)[None], FINE),
        "quantities": plan.numbers,
        "beside": plan.beside,
        "sections": plan.sections,
        "modes": mode_shapes(results, machine["swing"]),
        "singular_times": [point.time for point in results.singularities],
        "machine": machine,
    }
