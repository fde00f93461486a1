"""The page of one study: warnings first, then figures, the machine in motion, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from gough.analysis.figures import KEY_OF_RUNS, KEY_OF_STUDIES, figure_of, known_of
from gough.analysis.included import forces_include
from gough.analysis.results import Results, Scalar, SingularPoint
from gough.analysis.simulation_facts import RUN, Simulation
from gough.plots.names import actuator_names
from gough.report.assembly import assembled, inputs
from gough.report.charts import chart_plan
from gough.report.force_speed import force_speed_drawing
from gough.report.mode_shapes import mode_shapes
from gough.report.noise import without_noise
from gough.report.packing import pack
from gough.report.parts import Card
from gough.report.scene import FINE, scene
from gough.report.simulated import simulation_figures
from gough.report.simulation_table import controller_name, sampling_text, simulation_table
from gough.report.tables import (
    Figures,
    as_shown,
    is_alarming,
    known_time,
    leg_tables,
    machine_table,
    singularity_table,
    title_of,
)
from gough.report.text import number_text, time_text
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


def figure_cards(results: Results, figures: Figures) -> list[Card]:
    """A card for each key figure, and one that says how the run or the way went."""
    if results.simulation is None:
        return [*_cards(figures, KEY_OF_STUDIES), _singularities(results.singularities)]
    return [_ending(results, results.simulation), *_cards(figures, KEY_OF_RUNS)]


def _cards(figures: Figures, names: Sequence[str]) -> Iterator[Card]:
    for name in known_of(names, figures):
        if isfinite(figures[name].value) or figure_of(name).name == "peak_force":
            yield _figure_card(title_of(name), as_shown(figures[name]))


def _figure_card(title: str, figure: Scalar) -> Card:
    if not isfinite(figure.value):
        below = "not given: singular on the way"
        return Card(title, "–", below=below, hint=figure.meaning, alarming=True)
    return Card(
        title,
        number_text(figure.value),
        figure.unit,
        below=figure.place,
        time=known_time(figure.time),
        hint=figure.meaning,
        alarming=is_alarming(figure),
    )


def _singularities(points: Sequence[SingularPoint]) -> Card:
    unbounded = any(not point.bounded for point in points)
    words = "forces without bound" if unbounded else "crossed with bounded forces"
    below = words if points else "none on the way"
    return Card("Singular configurations", str(len(points)), below=below, alarming=unbounded)


def _ending(results: Results, run: Simulation) -> Card:
    """How the run ended, and when."""
    time = float(results.time[-1]) if run.ended.time is None else run.ended.time
    return Card(
        "Run",
        run.ended.kind,
        below=f"at {time_text(time)}",
        hint=run.ended.text,
        alarming=run.ended_early,
    )
