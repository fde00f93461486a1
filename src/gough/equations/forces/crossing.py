"""Passing through a parallel singularity: whether a motion can, and with which forces.

At such a pose J_u loses rank: the platform has an escaping move u_e that no actuator feels,
J_u u_e = 0. The equation of motion J_uᵀ force = r, with r = M u̇ + c - Tᵀ wrench what the motion
needs, has a solution there only if r does no work on that move, u_eᵀ r = 0
[Briot & Arakelian 2008, Int. J. Robotics Research 27(8)]. Which one of the solutions a motion
takes as it passes, its next derivative says: the limit along the motion.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from gough.equations.closure.assembled import count
from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.legs.closure import SINGULAR
from gough.equations.machine import Machine
from gough.equations.motion import kinematics, singularity_measures
from gough.equations.solvers.linear import solve_with_pivots
from gough.equations.spatial.algebra import Value, dot, norm
from gough.equations.spatial.pose import nudge

RequiredForces = Callable[[Machine, Value, Value, Value], tuple[Value, Value]]
"""(machine, pose, twist, acceleration) -> along the degrees of freedom (n), and motors."""


def needed(required_forces: RequiredForces, machine: Machine, *state: Value) -> Value:
    """r (n): what the actuators together must do along each move u, by a derivation's forces.

    The state is pose, twist, acceleration and wrench.
    """
    pose, twist, acceleration, wrench = state
    across, along = required_forces(machine, pose, twist, acceleration)
    J, T = kinematics.actuation_matrix(machine, pose), kinematics.twist_basis(machine, pose)
    return across + J.T @ along - T.T @ wrench


def needed_parts(required_forces: RequiredForces, machine: Machine, *state: Value) -> list[Value]:
    """Return the parts of r of weights, velocity, acceleration and wrench, each (n)."""
    pose, twist, acceleration, wrench = state
    at_constant_u = kinematics.bias_acceleration(machine, pose, twist)
    motions = ((AT_REST, AT_REST), (twist, at_constant_u), (twist, acceleration))
    rest, moving, all_of_it = (
        needed(required_forces, machine, pose, *motion, NO_WRENCH) for motion in motions
    )
    pushed = -kinematics.twist_basis(machine, pose).T @ wrench
    return [rest, moving - rest, all_of_it - moving, pushed]


def move_units(machine: Machine) -> Value:
    """The velocities u (n) that are 1 m each, turns by the way at the characteristic length."""
    length = singularity_measures.arm(machine)
    return singularity_measures.unscaled_velocities(machine, length, ca.DM.ones(count(machine)))


def limit_forces(
    required_forces: RequiredForces,
    machine: Machine,
    escaping: Value,
    state: tuple[Value, Value, Value, Value],
    rates: tuple[Value, Value],
) -> Value:
    """The forces (n) at a singular pose that those before and behind it lead to [N, N m].

    `state` is pose, twist, acceleration and wrench, `rates` are those of the last two. What the
    escaping move feels, u_eᵀ J_uᵀ force = u_eᵀ r, is 0 = 0 at the pose; its rate,
    u_eᵀ J̇_uᵀ force = u_eᵀ ṙ, stands in for it, and J_uᵀ force + λ u_e = r leaves it out. NaN where
    the motion does not pass through the singularity, but stays in it or only touches it.
    """
    pose, twist, acceleration, wrench = state
    jerk, wrench_rate = rates
    t = ca.SX.sym("t")
    later = nudge(pose, t * twist)
    moved = (later, twist + t * acceleration, acceleration + t * jerk, wrench + t * wrench_rate)
    unit = move_units(machine)
    J = kinematics.actuation_matrix(machine, pose)
    seen = _rate(kinematics.actuation_matrix(machine, later) @ escaping, t)  # J̇_u u_e
    work = _rate(dot(escaping, needed(required_forces, machine, *moved)), t)
    r = needed(required_forces, machine, *state) * unit
    by_size = ca.repmat(unit, 1, J.shape[0])
    bordered = ca.blockcat([[J.T * by_size, escaping / unit], [seen.T / norm(seen), 0]])
    right = ca.vertcat(r, work / norm(seen))
    found, least, greatest = solve_with_pivots(bordered, right)
    force = found[: J.shape[0], :]
    return ca.if_else(least > SINGULAR * greatest, force, ca.DM.nan(*force.shape))


def _rate(value: Value, t: Value) -> Value:
    """The derivative at t = 0."""
    return ca.substitute(ca.jtimes(value, t, ca.DM.ones(1)), t, 0)
