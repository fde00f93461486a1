"""Classical washout filter of motion simulators: from a vehicle's motion to a platform's.

Quick accelerations pass a high-pass and become travel; lasting ones become tilt, at rates below the
threshold of perception; rotations pass a high-pass. The platform always returns to its neutral
position. After the scheme of Reid and Nahon's flight simulators, with the filters in such an order
that the platform's position has two derivatives.
"""

from dataclasses import dataclass
from typing import Self

import casadi as ca

from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import rotation_of_rotation_vector

SIZE = 19  # numbers of the filter's state


@dataclass(frozen=True)
class WashoutSettings:
    """Settings of the filter; all rates are in rad/s."""

    gravity: Value  # [m/s^2]
    travel_cutoff: Value  # accelerations slower than this are washed out of the travel
    travel_damping: Value
    travel_return: Value  # rate at which the platform returns under a lasting acceleration
    tilt_cutoff: Value  # accelerations slower than this become tilt
    tilt_rate: Value  # the fastest tilting [rad/s]
    rotation_cutoff: Value  # rotations slower than this are washed out
    smoothing: Value  # time constant of what the filter sees of the vehicle's rate [s]


@dataclass(frozen=True)
class _State:
    """Travel and its rate (3), lasting acceleration (3), tilt and its rate (2), rate, turn (3)."""

    x: Value
    x_1: Value
    lasting: Value
    tilt: Value
    tilt_1: Value
    rate: Value
    turn: Value

    @classmethod
    def of(cls, numbers: Value) -> Self:
        sizes = (3, 3, 3, 2, 2, 3, 3)
        return cls(*ca.vertsplit(numbers, [sum(sizes[:k]) for k in range(len(sizes) + 1)]))


def washout_rates(
    settings: WashoutSettings, numbers: Value, specific_force: Value, rate: Value
) -> Value:
    """The state's time derivative (19) at a specific force [m/s^2] and a rate [rad/s].

    Both are the vehicle's, on its own axes (x ahead, y to the left, z up), already scaled; at rest
    the specific force is (0, 0, g).
    """
    at = _State.of(numbers)
    x_2, tilt_2, rate_1, turn_1 = _second_rates(settings, at, specific_force, rate)
    wanted = _travel_acceleration(settings, at, specific_force)
    lasting_1 = settings.travel_return * (wanted - at.lasting)
    return ca.vertcat(at.x_1, x_2, lasting_1, at.tilt_1, tilt_2, rate_1, turn_1)


def washout_place(
    settings: WashoutSettings, numbers: Value, specific_force: Value, rate: Value
) -> tuple[Value, Value, Value]:
    """The platform's travel [m] and rotation vector [rad] (6) from neutral, and two derivatives."""
    at = _State.of(numbers)
    x_2, tilt_2, rate_1, turn_1 = _second_rates(settings, at, specific_force, rate)
    turn_2 = rate_1 - settings.rotation_cutoff * turn_1
    place = ca.vertcat(at.x, ca.vertcat(at.tilt, 0) + at.turn)
    place_1 = ca.vertcat(at.x_1, ca.vertcat(at.tilt_1, 0) + turn_1)
    place_2 = ca.vertcat(x_2, ca.vertcat(tilt_2, 0) + turn_2)
    return place, place_1, place_2


def _second_rates(
    settings: WashoutSettings, at: _State, specific_force: Value, rate: Value
) -> tuple[Value, Value, Value, Value]:
    w, zeta = settings.travel_cutoff, settings.travel_damping
    transient = _travel_acceleration(settings, at, specific_force) - at.lasting
    x_2 = transient - 2 * zeta * w * at.x_1 - w * w * at.x
    share = ca.fmax(ca.fmin(specific_force[0:2] / settings.gravity, 0.5), -0.5)
    wanted = ca.vertcat(ca.asin(share[1]), -ca.asin(share[0]))  # tilt of that share of gravity
    speed = settings.tilt_cutoff / 2 * (wanted - at.tilt)
    limited = ca.fmax(ca.fmin(speed, settings.tilt_rate), -settings.tilt_rate)
    tilt_2 = 2 * settings.tilt_cutoff * (limited - at.tilt_1)  # critically damped below the limit
    rate_1 = (rate - at.rate) / settings.smoothing
    turn_1 = at.rate - settings.rotation_cutoff * at.turn
    return x_2, tilt_2, rate_1, turn_1


def _travel_acceleration(settings: WashoutSettings, at: _State, specific_force: Value) -> Value:
    """Return the acceleration of the travel, base axes: without the part that tilt provides."""
    R = rotation_of_rotation_vector(ca.vertcat(at.tilt, 0))
    return R @ specific_force - ca.vertcat(0, 0, settings.gravity)
