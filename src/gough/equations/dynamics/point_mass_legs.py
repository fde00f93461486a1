"""An approximation: every leg one point mass at the common mass centre of its two parts.

These are the leg energies that Bingul & Karahan 2012 print, (32)-(36): they leave out that the
parts move relative to each other, and their rotary inertias. The platform is treated exactly. For
comparison with the paper; the other formulations are exact.
"""

from __future__ import annotations

from gough.equations.dynamics import lagrange
from gough.equations.dynamics.lagrange import one_point_mass
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value


def inverse_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Actuator forces [N] for a motion; each leg is approximated by one point mass."""
    return lagrange.inverse_dynamics(
        machine, pose, twist, acceleration, wrench, legs=one_point_mass
    )


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Acceleration under forces; each leg is approximated by one point mass."""
    return lagrange.forward_dynamics(machine, pose, twist, force, wrench, legs=one_point_mass)


def mass_matrix(machine: Machine, pose: Value) -> Value:
    """M in twist coordinates; each leg is approximated by one point mass."""
    return lagrange.mass_matrix(machine, pose, legs=one_point_mass)


def coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
    """C in twist coordinates; each leg is approximated by one point mass."""
    return lagrange.coriolis_matrix(machine, pose, twist, legs=one_point_mass)


def gravity(machine: Machine, pose: Value) -> Value:
    """G in twist coordinates; each leg's point mass weighs what its parts weigh."""
    return lagrange.gravity(machine, pose, legs=one_point_mass)


def bias(machine: Machine, pose: Value, twist: Value) -> Value:
    """C · twist + G; each leg is approximated by one point mass."""
    return lagrange.bias(machine, pose, twist, legs=one_point_mass)
