"""The figures that matter most, in large letters at the top of the page."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from gough.analysis.results import Results, Scalar
from gough.report.parts import Card
from gough.report.simulated import ended_early, simulation_of
from gough.report.tables import Figures, as_shown, is_alarming, known_time
from gough.report.text import number_text, time_text

_OF_STUDIES = {
    "peak_force": "Peak force",
    "rms_force": "Largest RMS force",
    "peak_power": "Peak power",
    "energy_spent": "Energy spent",
    "least_force_index": "Least force index",
    "saturated_time": "Force above its limit",
    "least_stroke_margin": "Least stroke margin",
    "least_speed_margin": "Least speed margin",
    "largest_condition": "Worst condition",
}
_OF_SIMULATIONS = {
    "peak_position_error": "Peak position error",
    "rms_position_error": "RMS position error",
    "peak_attitude_error": "Peak attitude error",
    "rms_attitude_error": "RMS attitude error",
    "peak_leg_length_error": "Peak leg length error",
    "peak_command": "Peak command",
    "command_at_limit": "Commands at their limit",
    "peak_power": "Peak power",
    "least_force_index": "Least force index",
    "saturated_time": "Force above its limit",
    "least_stroke_margin": "Least stroke margin",
    "least_speed_margin": "Least speed margin",
    "largest_condition": "Worst condition",
}


def figure_cards(results: Results, figures: Figures) -> list[Card]:
    """A card for each key figure, and one that says how the run or the way went."""
    if simulation_of(results) is None:
        return [*_cards(figures, _OF_STUDIES), _singularities(len(results.singularities))]
    return [_ending(results), *_cards(figures, _OF_SIMULATIONS)]


def _cards(figures: Figures, titles: dict[str, str]) -> Iterator[Card]:
    for name, title in titles.items():
        if name in figures and (isfinite(figures[name].value) or name == "peak_force"):
            yield _figure_card(title, as_shown(figures[name]))


def _figure_card(title: str, figure: Scalar) -> Card:
    if not isfinite(figure.value):
        below = "not given: singular on the way"
        return Card(title, "–", below=below, hint=figure.meaning, alarming=True)
    return Card(
        title,
        number_text(figure.value),
        figure.unit,
        below=f"leg {figure.leg}" if figure.leg else "",
        time=known_time(figure.time),
        hint=figure.meaning,
        alarming=is_alarming(figure),
    )


def _singularities(count: int) -> Card:
    word = "forces without bound" if count else "none on the way"
    return Card("Singular configurations", str(count), below=word, alarming=bool(count))


def _ending(results: Results) -> Card:
    """How the run ended, and when."""
    ended = (simulation_of(results) or {}).get("ended", {})
    time = float(ended.get("time", results.time[-1]))
    return Card(
        "Run",
        str(ended.get("kind", "completed")),
        below=f"at {time_text(time)}",
        hint=ended.get("text", ""),
        alarming=ended_early(results),
    )
