"""The machine with its drives: from currents and voltages to motion.

Currents are the drives' states; a drive without inductance has none, and its entry is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import casadi as ca

from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.drive import (
    DriveLaw,
    current_rate,
    driving_force,
    load_factor,
    reflected_mass,
    steady_current,
)
from gough.equations.spatial.algebra import Value, vector

SIGN_ROUNDS = 2
"""Number of iterations for the sign of the forces, on which the drives' friction depends."""

Motion = TypeVar("Motion", bound=Any)
"""Motion of a machine: a record that has, among others, the actuators' `force` (n)."""


def currents(drives: Sequence[DriveLaw], current: Value, voltage: Value, speed: Value) -> Value:
    """Currents (n) [A]: the states, or where there is no inductance those of the voltages."""
    return vector(
        *(
            steady_current(d, voltage[k], speed[k]) if d.inductance is None else current[k]
            for k, d in enumerate(drives)
        )
    )


def current_rates(
    drives: Sequence[DriveLaw], current: Value, voltage: Value, speed: Value
) -> Value:
    """Rates of the currents (n) [A/s] under commanded voltages."""
    return vector(
        *(current_rate(d, current[k], voltage[k], speed[k]) for k, d in enumerate(drives))
    )


def forward_dynamics(
    under: Callable[[Actuation], Motion],
    drives: Sequence[DriveLaw],
    speed: Value,
    current: Value,
    beside: Value,
) -> Motion:
    """The motion of a machine under currents (n) [A] [Bingul 2012 (59)].

    `under` gives the motion under actuators' laws, with their `force`, and `speed` (n) [m/s, rad/s]
    is that of the actuators. `beside` (n) [N, N m] are forces that do not pass through the drives:
    end stops. The friction of drives depends on the sign of the forces it causes, at first that of
    the forces without friction. With the right sign the motion is exact; only forces near zero,
    whose friction is nearly zero, can still have the wrong one.
    """
    f = vector(*(driving_force(d, current[k], speed[k]) for k, d in enumerate(drives)))
    m = vector(*(reflected_mass(d) for d in drives))

    def without_beside(laws: Actuation) -> Motion:
        moved = under(laws)
        return replace(moved, force=moved.force - beside)

    motion = without_beside(Actuation(f + beside, m))
    if all(d.efficiency is None for d in drives):
        return motion
    for _ in range(SIGN_ROUNDS):
        sense = ca.sign(motion.force)
        alpha = vector(*(load_factor(d, speed[k], sense[k]) for k, d in enumerate(drives)))
        motion = without_beside(Actuation(f + alpha * beside, m, alpha))
    return motion
