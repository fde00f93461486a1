"""Ways to sum up a quantity over time: extremes with their leg and time, RMS values, integrals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.analysis.axes import ENERGY, POSE_ERROR, STORED_ENERGY, Axis
from gough.analysis.extremes import place, reduced
from gough.arrays import Array

_ROWS = 2048


class Found(NamedTuple):
    """What one way of summing up comes to: of the machine, of each leg, and where it is."""

    value: float
    per_leg: tuple[float, ...] = ()
    leg: int | None = None
    """Counted from 1."""
    time: float | None = None


@dataclass(frozen=True, eq=False)
class Way:
    """How a figure is made of a quantity, what it is called, and what it means."""

    name: str
    """With a place for the quantity's name."""
    meaning: str
    """With places for the quantity's name in `words` and for its `meaning`."""
    find: Callable[[Array, Array], Found]
    """(time (T,), values (T, ...)) -> what it comes to."""
    unit: str = ""
    """Where it is not the quantity's."""


def integral(time: Array, values: Array, of: Callable[[Array], Array] = np.positive) -> Array:
    """Integral over time, along the first axis, of a function of values (trapezoidal rule).

    It is summed up from a few rows at a time, which stay near.
    """
    return np.asarray(sum(weights @ of(values[part]) for part, weights in weighted(time)))


def weighted(time: Array) -> Iterator[tuple[slice, Array]]:
    """Some samples after others, each with its weight in an integral (trapezoidal rule)."""
    weights = np.empty(len(time))
    weights[0], weights[-1] = (time[1] - time[0]) / 2, (time[-1] - time[-2]) / 2
    weights[1:-1] = (time[2:] - time[:-2]) / 2
    for k in range(0, len(time), _ROWS):
        yield slice(k, k + _ROWS), weights[k : k + _ROWS]


def at_leg(per_leg: Array, leg: int, time: float | None = None) -> Found:
    """The value of one of the legs, counted from 0, for the machine."""
    legs = tuple(per_leg.tolist())
    return Found(legs[leg], legs, leg + 1, None if time is None else float(time))


def together(per_leg: Array, value: float | None = None) -> Found:
    """The legs' sum, or another value, for the machine."""
    total = np.sum(per_leg) if value is None else value
    return Found(float(total), tuple(per_leg.tolist()))


def _at(time: Array, values: Array, k: int) -> Found:
    return Found(float(values[k]), time=float(time[k]))


def _greatest(time: Array, values: Array, least: bool = False) -> Found:
    """The extreme of (T, legs) values with its leg and time, or of (T,) values."""
    if values.ndim == 1:
        return _at(time, values, place(values, least))
    per_leg = reduced(values, np.minimum if least else np.maximum)
    leg = place(per_leg, least)
    return at_leg(per_leg, leg, time[place(values[:, leg], least)])


def _least(time: Array, values: Array) -> Found:
    return _greatest(time, values, least=True)


def _largest_size(time: Array, values: Array) -> Found:
    """Of (T, legs) values: the larger of the two extremes, leg by leg; of equals the greatest.

    Of (T,) values the first.
    """
    if values.ndim == 1:
        return _greatest(time, np.abs(values))
    high, low = reduced(values, np.maximum), reduced(values, np.minimum)
    per_leg = np.maximum(high, -low)
    leg = place(per_leg)
    k = place(values[:, leg], least=bool(-low[leg] > high[leg]))
    return at_leg(per_leg, leg, time[k])


def _longest_vector(time: Array, vectors: Array) -> Found:
    """The largest length of (T, legs, 3) vectors, from a few rows at a time, which stay near."""
    starts = range(0, len(vectors), _ROWS)
    largest = np.array([reduced(_squares(vectors, k), np.maximum) for k in starts])
    per_leg = np.sqrt(reduced(largest, np.maximum))
    leg = place(per_leg)
    start = starts[place(largest[:, leg])]
    return at_leg(per_leg, leg, time[start + place(_squares(vectors, start)[:, leg])])


def _squares(vectors: Array, start: int) -> Array:
    """(_ROWS, legs) squared lengths of some of (T, legs, 3) vectors."""
    square = np.square(vectors[start : start + _ROWS])
    return np.asarray(square[..., 0] + square[..., 1] + square[..., 2])


def _root_mean_square(time: Array, values: Array) -> Found:
    duration = time[-1] - time[0]
    square = integral(time, values, np.square) / duration if duration > 0 else values[0] ** 2
    rms = np.sqrt(square)
    return at_leg(rms, place(rms))


def _stroke_used(time: Array, lengths: Array) -> Found:
    used = reduced(lengths, np.maximum) - reduced(lengths, np.minimum)
    return together(used, max(used))


def _spent(time: Array, power: Array) -> Found:
    return together(integral(time, power, lambda p: np.maximum(p, 0.0)))


def _returned(time: Array, power: Array) -> Found:
    return together(integral(time, power, lambda p: np.maximum(-p, 0.0)))


def _net(time: Array, power: Array) -> Found:
    return together(np.subtract(_spent(time, power).per_leg, _returned(time, power).per_leg))


def _of_all_legs(time: Array, power: Array) -> Found:
    return _greatest(time, np.abs(power @ np.ones(power.shape[1])))


def _least_size(time: Array, values: Array) -> Found:
    return _least(time, np.abs(values))


def _least_of_first(time: Array, values: Array) -> Found:
    """The least of the first of the numbers along an axis."""
    return _least(time, values[:, 0])


def _most_of(axis: Axis, *labels: str) -> Callable[[Array, Array], Found]:
    """The largest sum of some of the numbers along an axis."""
    places = [axis.labels.index(label) for label in labels]
    return lambda time, values: _greatest(time, values[:, places].sum(axis=1))


def _last(time: Array, values: Array) -> Found:
    return _at(time, values, -1)


def _mean_size(time: Array, values: Array) -> Found:
    per_leg = _mean(time, np.abs(values))
    return together(per_leg, per_leg.mean())


def _mean(time: Array, values: Array) -> Array:
    """The mean over time along the first axis."""
    return np.asarray(integral(time, values) / (time[-1] - time[0]))


def _longest_part(part: str) -> Callable[[Array, Array], Found]:
    """The largest length of a part of a step: of its way, or of its turn."""
    places = POSE_ERROR.part(part)
    return lambda time, steps: _greatest(time, np.linalg.norm(steps[:, places], axis=1))


def _of_errors(word: str, part: str, unit: str) -> tuple[Way, Way]:
    """Peak and RMS of the length of a part of the pose error."""
    places, peak = POSE_ERROR.part(part), _longest_part(part)

    def rms(time: Array, errors: Array) -> Found:
        size = np.linalg.norm(errors[:, places], axis=1)
        return Found(float(np.sqrt(_mean(time, size**2))))

    over_time = f"root of the mean square of the {word} error over time"
    return (
        Way(f"peak_{word}_error", f"largest error of the platform's {word}", peak, unit),
        Way(f"rms_{word}_error", over_time, rms, unit),
    )


SHORTEST = Way("shortest_{}", "shortest {words}", _least)
LONGEST = Way("longest_{}", "longest {words}", _greatest)
STROKE_USED = Way("stroke_used", "longest minus shortest length of a leg", _stroke_used)
LOWEST = Way("lowest_{}", "lowest {words}", _least)
HIGHEST = Way("highest_{}", "highest {words}", _greatest)
TRAVEL_USED = Way("travel_used", "highest minus lowest position of an actuator", _stroke_used)
PEAK = Way("peak_{}", "largest size of {words}", _largest_size)
LARGEST = Way("largest_{}", "largest {words}", _greatest)
PEAK_LENGTH = Way("peak_{}", "largest size of {words}", _longest_vector)
RMS = Way(
    "rms_{}",
    "root of the mean square of {words} over time, of the actuator with most",
    _root_mean_square,
)
SPENT = Way("energy_spent", "what the actuators put in, none regained", _spent, "J")
RETURNED = Way("energy_returned", "what the actuators take up while braking", _returned, "J")
NET = Way("energy_net", "spent minus returned: all of it regained", _net, "J")
PEAK_TOTAL = Way(
    "peak_total_{}", "largest size of the {words} of all actuators together", _of_all_legs
)
WORST = Way("largest_{}", "{meaning}", _greatest)
LEAST_SIZE = Way("least_{}", "{meaning}", _least_size)
LEAST = Way("least_{}", "least {words}", _least)
PEAK_KINETIC = Way(
    "peak_kinetic_energy",
    "largest kinetic energy of the machine",
    _most_of(ENERGY, "kinetic"),
)
PEAK_KINETIC_WITH_DRIVES = Way(
    "peak_kinetic_energy",
    "largest kinetic energy of platform, legs and drives",
    _most_of(STORED_ENERGY, "kinetic", "rotors"),
)
PEAK_POSITION, RMS_POSITION = _of_errors("position", "linear", "m")
PEAK_ATTITUDE, RMS_ATTITUDE = _of_errors("attitude", "angular", "rad")
PEAK_WAY = Way(
    "peak_{}", "largest way of the platform's origin under the tasks", _longest_part("linear"), "m"
)
PEAK_TURN = Way(
    "peak_{}_angle", "largest turn of the platform under the tasks", _longest_part("angular"), "rad"
)
FIRST = Way("first_{}", "lowest {words} on the way", _least_of_first)
SPREAD_WAY = Way("largest_{}", "largest rms way from the pose", _longest_part("linear"), "m")
SPREAD_TURN = Way(
    "largest_{}_angle",
    "largest rms turn from the pose",
    _longest_part("angular"),
    "rad",
)
SOFTEST = Way("{}", "{meaning}", _least)
MEAN_ERROR = Way(
    "mean_leg_error",
    "mean size of the legs' length errors, over time and over the legs",
    _mean_size,
)
MEAN_ACTUATOR_ERROR = Way(
    "mean_actuator_error",
    "mean size of the actuators' position errors, over time and over the actuators",
    _mean_size,
)
FINAL = Way("final_{}", "at the end: {meaning}", _last)

OF_LEGS = (
    *(SHORTEST, LONGEST, STROKE_USED, LOWEST, HIGHEST, TRAVEL_USED),
    *(PEAK, LARGEST, PEAK_LENGTH, RMS),
    *(SPENT, RETURNED, NET, PEAK_TOTAL),
)
OF_MACHINE = (
    *(WORST, LEAST_SIZE, LEAST, PEAK_KINETIC, PEAK_POSITION, RMS_POSITION),
    *(SOFTEST, FIRST, PEAK_WAY, PEAK_TURN, SPREAD_WAY, SPREAD_TURN),
    *(PEAK_ATTITUDE, RMS_ATTITUDE, MEAN_ERROR, MEAN_ACTUATOR_ERROR, PEAK_KINETIC_WITH_DRIVES),
    FINAL,
)
"""All ways, as their figures follow each other: first those of the legs and their actuators."""
