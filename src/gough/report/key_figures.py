"""The figures that matter most, in large letters at the top of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from gough.analysis.figures import KEY_OF_RUNS, KEY_OF_STUDIES, figure_of, known_of
from gough.analysis.results import Results, Scalar, SingularPoint
from gough.analysis.simulation_facts import Simulation
from gough.report.parts import Card
from gough.report.tables import Figures, as_shown, is_alarming, known_time, title_of
from gough.report.text import number_text, time_text


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
