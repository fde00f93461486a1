"""A study in figures: peaks with their leg and time, RMS values, energies, least margins."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gough.analysis.extremes import place, reduced
from gough.analysis.limits import LIMITS, Limit
from gough.analysis.quantities import QUANTITIES
from gough.analysis.results import Scalar, SingularPoint
from gough.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]
Arrays = Mapping[str, Array]

_OF_FORCES = (
    "peak_force rms_force least_force_index saturated_time peak_power peak_total_power "
    "energy_spent energy_returned energy_net peak_base_force peak_base_moment "
    "peak_platform_force peak_slide_force peak_slide_moment peak_gravity_share "
    "peak_inertia_share peak_velocity_share peak_external_share peak_platform_share "
    "peak_leg_gravity_share peak_tangential_share peak_coriolis_share peak_centrifugal_share "
    "peak_gravity_only_error peak_motor_torque peak_motor_current rms_motor_current "
    "peak_motor_voltage peak_motor_power least_current_margin least_voltage_margin"
).split()

_WITHOUT_DETERMINANT = ("crossed", "touched")
"""Kinds of singular points at which det J is zero."""
_SIZE = "largest size of"
_ROWS = 2048
_ROUNDING = 1e-12
"""Of a limit: what is nearer to it is at the limit, on neither side."""
_PEAKS = (
    "leg_speed leg_acceleration force power gravity_share inertia_share velocity_share "
    "external_share platform_share leg_gravity_share tangential_share coriolis_share "
    "centrifugal_share gravity_only_error motor_speed motor_torque motor_current motor_voltage "
    "motor_power"
).split()
_RMS = "force motor_current".split()
_LARGEST_ANGLES = "spherical_joint_tilt base_joint_tilt".split()
_MAGNITUDES = "base_force base_moment platform_force slide_force slide_moment".split()


def summarize(
    robot: Robot,
    time: Array,
    found: Arrays,
    asked: Container[str],
    *,
    singular: Sequence[SingularPoint] = (),
) -> dict[str, Scalar]:
    """The figures of the quantities that were asked for, and of all limits that can be judged.

    With singular configurations on the way, forces have no bound: figures made of them are NaN.
    """
    shown = {name: values for name, values in found.items() if name in asked}
    figures = [*_lengths(time, found), *_of_quantities(time, shown), *_of_power(time, found)]
    figures += _of_limits(robot, time, found)
    figures += _of_configuration(time, shown, singular)
    figures.append(_without_forces(time, found["force"]))
    if singular:
        figures = [_without_number(f) if f.name in _OF_FORCES else f for f in figures]
    return {figure.name: figure for figure in figures}


def negative_time(time: Array, values: Array) -> Array:
    """How long each column is negative [s], with straight lines between the samples."""
    if not (values < 0).any():
        return np.zeros(values.shape[1:])
    below, size = np.maximum(-values, 0.0), np.abs(values)
    total = size[1:] + size[:-1]
    share = (below[1:] + below[:-1]) / np.where(total > 0, total, 1.0)
    return np.asarray(np.diff(time) @ np.nan_to_num(share))


def integral(time: Array, values: Array, of: Callable[[Array], Array] = np.positive) -> Array:
    """Integral over time, along the first axis, of a function of values (trapezoidal rule).

    It is summed up from a few rows at a time, which stay near.
    """
    weights = np.empty(len(time))
    weights[0], weights[-1] = (time[1] - time[0]) / 2, (time[-1] - time[-2]) / 2
    weights[1:-1] = (time[2:] - time[:-2]) / 2
    parts = [slice(k, k + _ROWS) for k in range(0, len(time), _ROWS)]
    return np.asarray(sum(weights[part] @ of(values[part]) for part in parts))


def _of_quantities(time: Array, found: Arrays) -> list[Scalar]:
    figures = []
    for name in _PEAKS:
        if name in found:
            figures.append(_peak(name, time, found[name]))
    for name in _LARGEST_ANGLES:
        if name in found:
            figures.append(_extreme(f"largest_{name}", name, "largest", time, found[name]))
    for name in _MAGNITUDES:
        if name in found:
            figures.append(_longest(name, time, found[name]))
    return figures + [_rms(name, time, found[name]) for name in _RMS if name in found]


def _lengths(time: Array, found: Arrays) -> list[Scalar]:
    length = found["leg_length"]
    shortest = _extreme("shortest_leg_length", "leg_length", "shortest", time, length, least=True)
    longest = _extreme("longest_leg_length", "leg_length", "longest", time, length)
    used = np.subtract(longest.per_leg, shortest.per_leg)
    return [
        shortest,
        longest,
        _per_leg("stroke_used", "m", "longest minus shortest length of a leg", used, max(used)),
    ]


def _rms(of: str, time: Array, values: Array) -> Scalar:
    duration = time[-1] - time[0]
    square = integral(time, values, np.square) / duration if duration > 0 else values[0] ** 2
    rms = np.sqrt(square)
    meaning = f"root of the mean square of {of.replace('_', ' ')} over time, of the leg with most"
    leg, unit = place(rms), QUANTITIES[of].unit
    return Scalar(f"rms_{of}", unit, meaning, float(rms[leg]), tuple(rms.tolist()), leg + 1)


def _of_power(time: Array, found: Arrays) -> list[Scalar]:
    power = found["power"]
    spent = integral(time, power, lambda p: np.maximum(p, 0.0))
    returned = integral(time, power, lambda p: np.maximum(-p, 0.0))
    total = power @ np.ones(power.shape[1])
    at = place(np.abs(total))
    return [
        _per_leg("energy_spent", "J", "what the actuators put in, none regained", spent),
        _per_leg("energy_returned", "J", "what the actuators take up while braking", returned),
        _per_leg("energy_net", "J", "spent minus returned: all of it regained", spent - returned),
        Scalar(
            "peak_total_power",
            "W",
            "largest size of the power of all actuators together",
            float(np.abs(total[at])),
            time=float(time[at]),
        ),
    ]


def _of_limits(robot: Robot, time: Array, found: Arrays) -> list[Scalar]:
    figures = []
    for limit in LIMITS:
        if limit.quantity in found and limit.stated(robot).any():
            figures.append(_margin(limit, robot, time, found[limit.quantity]))
            if limit.figure == "least_force_index":
                figures.append(_saturated_time(limit, robot, time, found, figures[-1]))
    return figures


def _margin(limit: Limit, robot: Robot, time: Array, values: Array) -> Scalar:
    """How far (T, 6) values stay within a limit at least; of legs that do not state it, NaN."""
    least, greatest = limit.ends(robot)
    below, above = reduced(values, np.minimum) - least, greatest - reduced(values, np.maximum)
    margin = np.fmin(below, above)
    margin = np.where(np.abs(margin) < _ROUNDING * greatest, 0.0, margin)
    per_leg = margin / greatest if limit.as_share else margin
    leg = place(per_leg, least=True)
    k = place(values[:, leg], least=bool(below[leg] < above[leg]))
    unit = "1" if limit.as_share else QUANTITIES[limit.quantity].unit
    return Scalar(
        limit.figure,
        unit,
        limit.kept,
        float(per_leg[leg]),
        tuple(per_leg.tolist()),
        leg + 1,
        float(time[k]),
    )


def _saturated_time(
    limit: Limit, robot: Robot, time: Array, found: Arrays, margin: Scalar
) -> Scalar:
    """How long each leg, and any leg, exceeds its force."""
    each, any_leg = np.zeros(6), 0.0
    if margin.value < 0:
        index = 1 - np.abs(found["force"]) / limit.ends(robot)[1]
        each, any_leg = negative_time(time, index), float(negative_time(time, _least_of_row(index)))
    return _per_leg(
        "saturated_time",
        "s",
        "how long the force of a leg is above its limit, whatever was commanded",
        each,
        any_leg,
    )


def _of_configuration(
    time: Array, found: Arrays, singular: Sequence[SingularPoint]
) -> list[Scalar]:
    figures = []
    if "condition" in found:
        figures.append(_single("largest_condition", "condition", time, found["condition"]))
    size = np.abs(found["determinant"])
    least = _single("least_determinant", "determinant", time, size, least=True)
    zeros = [point.time for point in singular if point.kind in _WITHOUT_DETERMINANT]
    figures.append(replace(least, value=0.0, time=zeros[0]) if zeros else least)
    if "universal_joint_sine" in found:
        of = "universal_joint_sine"
        figures.append(_extreme(f"least_{of}", of, "least", time, found[of], least=True))
    if "energy" in found:
        kinetic = found["energy"][:, 0]
        k = place(kinetic)
        figures.append(
            Scalar(
                "peak_kinetic_energy",
                "J",
                "largest kinetic energy of the machine",
                float(kinetic[k]),
                time=float(time[k]),
            )
        )
    return figures


def _without_forces(time: Array, force: Array) -> Scalar:
    """How many samples have no forces, and when this is so first."""
    missing = ~np.isfinite(force @ np.ones(force.shape[1]))
    count = int(np.count_nonzero(missing))
    first = float(time[missing.argmax()]) if count else None
    meaning = "how many samples have no forces, as these are no numbers there"
    return Scalar("samples_without_forces", "1", meaning, float(count), time=first)


def _least_of_row(values: Array) -> Array:
    """(T,) the least of each row that is a number; 0 where none is."""
    known = np.where(np.isfinite(values), values, np.inf).min(axis=1)
    return np.where(np.isfinite(known), known, 0.0)


def _extreme(
    name: str, of: str, words: str, time: Array, values: Array, least: bool = False
) -> Scalar:
    """The extreme of (T, 6) values with its leg and time, and those of each leg."""
    per_leg = reduced(values, np.minimum if least else np.maximum)
    leg = place(per_leg, least)
    k = place(values[:, leg], least)
    return _with_place(name, of, words, per_leg, leg, time[k])


def _peak(of: str, time: Array, values: Array) -> Scalar:
    """The largest size of (T, 6) values: the larger of the two extremes, leg by leg."""
    high, low = reduced(values, np.maximum), reduced(values, np.minimum)
    per_leg = np.maximum(high, -low)
    leg = place(per_leg)
    k = place(values[:, leg], least=bool(-low[leg] > high[leg]))
    return _with_place(f"peak_{of}", of, _SIZE, per_leg, leg, time[k])


def _longest(of: str, time: Array, vectors: Array) -> Scalar:
    """The largest length of (T, 6, 3) vectors, from a few rows at a time, which stay near."""
    starts = range(0, len(vectors), _ROWS)
    largest = np.array([reduced(_squares(vectors, k), np.maximum) for k in starts])
    per_leg = np.sqrt(reduced(largest, np.maximum))
    leg = place(per_leg)
    start = starts[place(largest[:, leg])]
    k = start + place(_squares(vectors, start)[:, leg])
    return _with_place(f"peak_{of}", of, _SIZE, per_leg, leg, time[k])


def _squares(vectors: Array, start: int) -> Array:
    """(_ROWS, 6) squared lengths of some of (T, 6, 3) vectors."""
    square = np.square(vectors[start : start + _ROWS])
    return np.asarray(square[..., 0] + square[..., 1] + square[..., 2])


def _with_place(
    name: str, of: str, words: str, per_leg: Array, leg: int, time: np.float64
) -> Scalar:
    return Scalar(
        name,
        QUANTITIES[of].unit,
        f"{words} {of.replace('_', ' ')}",
        float(per_leg[leg]),
        tuple(per_leg.tolist()),
        leg + 1,
        float(time),
    )


def _single(name: str, of: str, time: Array, values: Array, least: bool = False) -> Scalar:
    k = place(values, least)
    meaning = QUANTITIES[of].meaning
    return Scalar(name, QUANTITIES[of].unit, meaning, float(values[k]), time=float(time[k]))


def _per_leg(
    name: str, unit: str, meaning: str, values: Array, value: float | None = None
) -> Scalar:
    total = float(np.sum(values)) if value is None else float(value)
    return Scalar(name, unit, meaning, total, tuple(values.tolist()))


def _without_number(figure: Scalar) -> Scalar:
    nothing = tuple(float("nan") for _ in figure.per_leg)
    return replace(figure, value=float("nan"), per_leg=nothing, leg=None, time=None)
