"""All figures that sum up a study or a simulation, from the tables of quantities and limits."""

from __future__ import annotations

from collections.abc import Container, Iterable

from gough.analysis.axes import SUFFIXES
from gough.analysis.definition import Definition, Figure
from gough.analysis.limits import Limit, limit_of
from gough.analysis.quantities import DEFINITIONS
from gough.analysis.ways import OF_LEGS, OF_MACHINE

SATURATED_TIME = Figure(
    None,
    "Force above its limit",
    "Force above its limit",
    alarming="above zero",
    name="saturated_time",
    unit="s",
    meaning="how long the force of a leg is above its limit, whatever was commanded",
)
COMMAND_AT_LIMIT = Figure(
    None,
    "Command at its limit",
    "Commands at their limit",
    alarming="above zero",
    only_shown=True,
    name="command_at_limit",
    unit="%",
    meaning="share of the run in which a command, not the force, is at its limit, and when first",
)
SAMPLES_WITHOUT_FORCES = Figure(
    is_count=True,
    name="samples_without_forces",
    unit="1",
    meaning="how many samples have no forces, as these are no numbers there",
)
_TIMES_AT_LIMITS = {"force": SATURATED_TIME, "command": COMMAND_AT_LIMIT}


def _margin(limit: Limit) -> Figure:
    return Figure(
        None,
        limit.heading,
        worst="min",
        alarming="below zero",
        name=limit.figure,
        unit="1" if limit.as_share else "",
        meaning=limit.kept,
    )


def _of(quantity: Definition) -> list[Figure]:
    """What a quantity is summed up in, how it keeps its limit, and how long it does not."""
    figures, limit = list(quantity.figures), limit_of(quantity.name)
    if limit:
        figures.append(_margin(limit))
    if quantity.name in _TIMES_AT_LIMITS:
        figures.append(_TIMES_AT_LIMITS[quantity.name])
    return [figure.of(quantity) for figure in figures]


_OF_QUANTITIES = {name: _of(quantity) for name, quantity in DEFINITIONS.items()}

FIGURES = dict[str, Figure]()
"""All figures by name, in the order of the quantities."""
for _figures in _OF_QUANTITIES.values():
    for _figure in _figures:
        FIGURES.setdefault(_figure.name, _figure)
FIGURES[SAMPLES_WITHOUT_FORCES.name] = SAMPLES_WITHOUT_FORCES
MADE_BY = {
    way: {
        name: figure
        for name, figures in _OF_QUANTITIES.items()
        for figure in figures
        if figure.way is way
    }
    for way in (*OF_LEGS, *OF_MACHINE)
}
"""The figures that each way makes, by quantity."""


_KEY_OF_BOTH = (
    *("peak_power", "least_force_index", "saturated_time"),
    *("least_stroke_margin", "least_travel_margin", "least_speed_margin", "largest_condition"),
)
KEY_OF_STUDIES = ("peak_force", "rms_force", "peak_power", "energy_spent", *_KEY_OF_BOTH[1:])
KEY_OF_RUNS = (
    *("peak_position_error", "rms_position_error", "peak_attitude_error", "rms_attitude_error"),
    *("peak_leg_length_error", "peak_actuator_position_error"),
    *("peak_command", "command_at_limit", *_KEY_OF_BOTH),
)
"""The figures that matter most, of studies and of simulations."""


def figure_of(name: str) -> Figure:
    """A figure by its name; of one that the tables do not have nothing else is known.

    Where joints that turn and joints that slide have figures of their own, it is that of both.
    """
    of_one_kind = (FIGURES.get(name.removesuffix(suffix)) for suffix in SUFFIXES)
    return next(filter(None, of_one_kind), None) or Figure(name=name, worst="")


def known_of(names: Iterable[str], known: Container[str]) -> list[str]:
    """Those of the figures that are known, each as it is, or of joints that turn and that slide."""
    both = (name + suffix for name in names for suffix in SUFFIXES)
    return [name for name in both if name in known]
