"""The figures that matter most, in large letters at the top of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import isfinite

from gough.analysis.results import Results, Scalar
from gough.analysis.simulation_facts import Simulation
from gough.report.tables import Figures, as_shown, is_alarming, title_of
from gough.report.text import number_text, time_button, time_text, unit_after

_OF_BOTH = (
    *("peak_power", "least_force_index", "saturated_time"),
    *("least_stroke_margin", "least_speed_margin", "largest_condition"),
)
_OF_STUDIES = ("peak_force", "rms_force", "peak_power", "energy_spent", *_OF_BOTH[1:])
_OF_SIMULATIONS = (
    *("peak_position_error", "rms_position_error", "peak_attitude_error", "rms_attitude_error"),
    *("peak_leg_length_error", "peak_command", "command_at_limit", *_OF_BOTH),
)


def figure_cards(results: Results, figures: Figures) -> str:
    """A card for each key figure, and one that says how the run or the way went."""
    if results.simulation is None:
        cards = [*_cards(figures, _OF_STUDIES), _singularities(len(results.singularities))]
    else:
        cards = [_ending(results, results.simulation), *_cards(figures, _OF_SIMULATIONS)]
    return card_list(cards)


def card_list(cards: Sequence[str]) -> str:
    """Cards side by side, in two rows if they are many."""
    columns = -(-len(cards) // 2) if len(cards) > 6 else len(cards)
    return f'<dl class="figures" style="--columns: {columns}">{"".join(cards)}</dl>'


def card(title: str, value: str, below: str, *, meaning: str = "", alarming: bool = False) -> str:
    """One card: HTML of a value in large letters, and of a line below it."""
    alarm = ' class="alert"' if alarming else ""
    words = f' title="{escape(meaning)}"' if meaning else ""
    return (
        f'<div class="card figure"{words}><dt>{escape(title)}</dt>'
        f"<dd{alarm}>{value}</dd><dd{alarm}>{below}</dd></div>"
    )


def _cards(figures: Figures, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if name in figures and (isfinite(figures[name].value) or name == "peak_force"):
            yield _figure_card(title_of(name), as_shown(figures[name]))


def _figure_card(title: str, figure: Scalar) -> str:
    if not isfinite(figure.value):
        below = "not given: singular on the way"
        return card(title, "–", below, meaning=figure.meaning, alarming=True)
    value = f"{number_text(figure.value)} {unit_after(figure.unit)}"
    leg = f"leg {figure.leg}" if figure.leg else ""
    time = f"at {time_button(figure.time)}" if figure.time is not None else ""
    alarming = is_alarming(figure)
    return card(title, value, f"{leg} {time}", meaning=figure.meaning, alarming=alarming)


def _singularities(count: int) -> str:
    word = "forces without bound" if count else "none on the way"
    return card("Singular configurations", str(count), word, alarming=bool(count))


def _ending(results: Results, run: Simulation) -> str:
    """How the run ended, and when."""
    time = float(results.time[-1]) if run.ended.time is None else run.ended.time
    below, kind = f"at {time_text(time)}", escape(run.ended.kind)
    return card("Run", kind, below, meaning=run.ended.text, alarming=run.ended_early)
