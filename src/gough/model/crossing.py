"""Kernels about parallel singularities that a motion is to pass through, of every machine."""

from functools import partial

import casadi as ca
from casadi import dot

from gough.compiler.front.argument import Argument
from gough.equations.forces import capacity
from gough.equations.forces.capacity import RequiredForces
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.spatial.algebra import Value, norm
from gough.equations.spatial.pose import sign_of_largest
from gough.model.definition import MOTION, WRENCH, Definition, define, forces
from gough.model.singular_values import weakest_direction
from gough.model.structure import Structure

JERK = Argument("jerk", (6,), "m/s^3, rad/s^3", "time derivative of the acceleration", True)
WRENCH_RATE = Argument("wrench_rate", (6,), "N/s, N m/s", "time derivative of the wrench", True)


def of_crossings(structure: Structure, required_forces: RequiredForces) -> dict[str, Definition]:
    """The kernels by name, from what a derivation says that a motion takes."""
    force = forces(structure)
    return {
        "crossing_residual": define(partial(_residual, required_forces), (*MOTION, WRENCH),
            Argument("residual", (), "N", "power over the speed of the escaping motion")),
        "crossing_share": define(partial(_share, required_forces), (*MOTION, WRENCH),
            Argument("share", (), "1", "residual over all that is needed, without sign")),
        "crossing_forces": define(partial(_limit_forces, required_forces),
            (*MOTION, WRENCH, JERK, WRENCH_RATE),
            Argument("force", force.shape, force.unit, force.meaning), needs_inverse=True),
    }  # fmt: skip


def _escaping_move(machine: Machine, pose: Value) -> Value:
    """Return u_e (n): the unit motion, when scaled, with the minimum motion of the actuators.

    Rotations count by the arc at the characteristic length. It has no sign of its own: its scaled
    component of maximum magnitude is positive.
    """
    length = singularity_measures.arm(machine)
    share = weakest_direction(singularity_measures.scaled_jacobian(machine, pose, length))
    return sign_of_largest(share) * share / singularity_measures.freedom_units(machine, length)


def _residual(required_forces: RequiredForces, machine: Machine, *state: Value) -> Value:
    """Return the wrench that a motion lacks at a parallel singularity [N]: zero where it can pass.

    u_eᵀ (M u̇ + c - Tᵀ wrench): the power [W] that the motion needs along the escaping motion,
    which no actuator can supply, per m/s of that motion; rotations count by the arc at the
    characteristic length, the maximum distance of a platform joint from the platform's origin. It
    is the minimum wrench, moments over that length, that would have to be added. At regular poses
    it is the load of the weakest direction. The sign is that of a motion whose component of maximum
    magnitude, so scaled, is positive.
    """
    return dot(_escaping_move(machine, state[0]), capacity.needed(required_forces, machine, *state))


def _share(required_forces: RequiredForces, machine: Machine, *state: Value) -> Value:
    """Return the relative residual at a parallel singularity, from 0: it can be passed, to 1.

    The size of `crossing_residual` over the sum of the sizes of its parts by weights, velocity,
    acceleration and wrench, moments over the characteristic length.
    """
    parts = capacity.needed_parts(required_forces, machine, *state)
    unit = capacity.move_units(machine)
    lacking = ca.fabs(dot(_escaping_move(machine, state[0]), sum(parts[1:], parts[0])))
    return ca.if_else(lacking == 0, 0, lacking / sum(norm(part * unit) for part in parts))


def _limit_forces(required_forces: RequiredForces, machine: Machine, *given: Value) -> Value:
    """Forces at a singular pose that a motion passes, as those beside it lead to: the limit.

    They are those of a motion that can pass, whose `crossing_residual` is zero; of another one they
    leave out what no actuator can give. NaN where a motion stays in the singularity or only touches
    it. Beside the singular pose they are wrong by about as much as forces change on the way to it.
    """
    pose, twist, acceleration, wrench, jerk, wrench_rate = given
    escaping, state = _escaping_move(machine, pose), (pose, twist, acceleration, wrench)
    return capacity.limit_forces(required_forces, machine, escaping, state, (jerk, wrench_rate))
