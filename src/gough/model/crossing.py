"""Kernels about parallel singularities that a motion is to pass through, of every machine."""

from __future__ import annotations

from functools import partial
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations import any_machine, crossing
from gough.equations.any_machine import AnyMachine
from gough.equations.crossing import RequiredForces
from gough.equations.spatial.algebra import dot, norm
from gough.equations.spatial.screw import sign_of_largest
from gough.model.definition import MOTION, WRENCH, Definition, define, forces
from gough.model.singular_values import weakest_direction
from gough.model.structure import Structure

JERK = Argument("jerk", (6,), "m/s^3, rad/s^3", "time derivative of the acceleration", True)
WRENCH_RATE = Argument("wrench_rate", (6,), "N/s, N m/s", "time derivative of the wrench", True)


def of_crossings(structure: Structure, required_forces: RequiredForces) -> dict[str, Definition]:
    """The kernels by name, from what a derivation says that a motion takes."""
    force = forces(structure)
    return {
        "crossing_residual": define(
            partial(_residual, required_forces),
            (*MOTION, WRENCH),
            Argument("residual", (), "N", "power over the speed of the escaping motion"),
            doc=_residual.__doc__ or "",
        ),
        "crossing_share": define(
            partial(_share, required_forces),
            (*MOTION, WRENCH),
            Argument("share", (), "1", "residual over all that is needed, without sign"),
            doc=_share.__doc__ or "",
        ),
        "crossing_forces": define(
            partial(_limit_forces, required_forces),
            (*MOTION, WRENCH, JERK, WRENCH_RATE),
            Argument("force", force.shape, force.unit, force.meaning),
            doc=_limit_forces.__doc__ or "",
            needs_inverse=True,
        ),
    }


def _escaping_move(machine: AnyMachine, pose: Any) -> Any:
    """u_e (n): the motion that moves the actuators least, of length one when scaled.

    Rotations count by the way at the characteristic length. It has no sign of its own: the largest
    of its scaled components is positive.
    """
    length = any_machine.characteristic_length(machine)
    share = weakest_direction(any_machine.scaled_jacobian(machine, pose, length))
    return any_machine.unscaled_moves(machine, length, sign_of_largest(share) * share)


def _residual(required_forces: RequiredForces, machine: AnyMachine, *state: Any) -> Any:
    """The wrench that a motion lacks at a parallel singularity [N]: zero where it can pass.

    u_eᵀ (M u̇ + c - Tᵀ wrench): the power [W] that the motion needs along the escaping motion,
    which no actuator can give, for each m/s of that; a turn counts by the way at the characteristic
    length, the largest distance of a platform joint from the platform's origin. It is the least
    wrench, moments over that length, which would have to help. Elsewhere than at a singular pose it
    is what the weakest direction has to bear. The sign is that of a motion whose largest component,
    so scaled, is positive.
    """
    r = crossing.needed(required_forces, machine, *state)
    return dot(_escaping_move(machine, state[0]), r)


def _share(required_forces: RequiredForces, machine: AnyMachine, *state: Any) -> Any:
    """How far a motion is from one that can pass a parallel singularity: 0 can, 1 not at all.

    The size of `crossing_residual` over those of what weights, velocity, acceleration and wrench
    need, added, moments over the characteristic length.
    """
    parts, unit = (
        crossing.needed_parts(required_forces, machine, *state),
        crossing.move_units(machine),
    )
    lacking = ca.fabs(dot(_escaping_move(machine, state[0]), sum(parts[1:], parts[0])))
    return ca.if_else(lacking == 0, 0, lacking / sum(norm(part * unit) for part in parts))


def _limit_forces(required_forces: RequiredForces, machine: AnyMachine, *given: Any) -> Any:
    """Forces at a singular pose that a motion passes, as those beside it lead to: the limit.

    They are those of a motion that can pass, whose `crossing_residual` is zero; of another one they
    leave out what no actuator can give. NaN where a motion stays in the singularity or only touches
    it. Beside the singular pose they are wrong by about as much as forces change on the way to it.
    """
    *state, jerk, wrench_rate = given
    escaping = _escaping_move(machine, state[0])
    return crossing.limit_forces(
        required_forces, machine, escaping, tuple(state), (jerk, wrench_rate)
    )
