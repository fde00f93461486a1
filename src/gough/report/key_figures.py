"""The figures that matter most, in large letters at the top of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from gough.analysis.figures import figure_of, known_of
from gough.analysis.results import Results, Scalar
from gough.analysis.simulation_facts import Simulation
from gough.report.parts import Card
from gough.report.tables import Figures, as_shown, is_alarming, known_time, title_of
from gough.report.text import number_text, time_text

_OF_BOTH = (
    *("peak_power", "least_force_index", "saturated_time"),
    *("least_stroke_margin", "least_travel_margin", "least_speed_margin", "largest_condition"),
)
_OF_STUDIES = ("peak_force", "rms_force", "peak_power", "energy_spent", *_OF_BOTH[1:])
_OF_SIMULATIONS = (
    *("peak_position_error", "rms_position_error", "peak_attitude_error", "rms_attitude_error"),
    *("peak_leg_length_error", "peak_actuator_position_error"),
    *("peak_command", "command_at_limit", *_OF_BOTH),
)


def figure_cards(results: Results, figures: Figures) -> list[Card]:
    """A card for each key figure, and one that says how the run or the way went."""
    if results.simulation is None:
        return [*_cards(figures, _OF_STUDIES), _singularities(len(results.singularities))]
    return [_ending(results, results.simulation), *_cards(figures, _OF_SIMULATIONS)]


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


def _singularities(count: int) -> Card:
    word = "forces without bound" if count else "none on the way"
    return Card("Singular configurations", str(count), below=word, alarming=bool(count))


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
