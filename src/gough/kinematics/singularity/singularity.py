"""Singular configurations: how near, of which type, and which motion gets out of control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.equations.legs import closure
from gough.equations.machine import Machine
from gough.equations.platform import singularity as equations
from gough.equations.solvers.singular_values import SWEEPS, sorted_columns, sweep
from gough.equations.spatial.algebra import position
from gough.equations.spatial.screw import screw_of_twist
from gough.errors import GoughError
from gough.kinematics.size import default_length
from gough.model.catalogue import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.robot import Robot

DETERMINANT = Argument("determinant", (), "m^3", "of the Jacobian")
CONDITION = Argument("condition", (), "1", "largest over smallest singular value")
LENGTH = Argument("length", (), "m", "what makes rotations comparable with translations")


@dataclass(frozen=True)
class Singularity:
    """How singular a robot is at each pose of a batch `(...)`.

    Singular values and condition are those of J with rotations measured by the way at the
    characteristic length from the axis, so that all entries of J are plain numbers. Where J does
    not exist (a leg without length, a pose that is not finite) everything of J is NaN.
    """

    characteristic_length: float
    """What makes rotations comparable with translations [m]."""
    determinant: Array
    """(...) det J [m³]; its sign changes where the platform passes a type 2 singularity."""
    sign: Array
    """(...) of the determinant: -1, 0 or 1."""
    singular_values: Array
    """(..., 6) of the scaled J, largest first."""
    condition: Array
    """(...) largest over smallest singular value; infinite at a type 2 singularity."""
    distance: Array
    """(...) to det J = 0, to first order [m]; a rotation by φ counts as the length times φ."""
    twist: Array
    """(..., 6) the platform's motion that changes the legs least, length one when scaled."""
    axis: Array
    """(..., 3) the twist as a screw: direction of its axis, base frame."""
    point: Array
    """(..., 3) the point of the axis nearest to the platform's origin, base frame [m]."""
    pitch: Array
    """(...) way along the axis per angle [m/rad]; infinite for a pure translation."""
    leg_lengths: Array
    """(..., legs) [m]; a type 1 singularity where one is zero."""
    universal_joint_sines: Array
    """(..., legs) of the angle between first axis and leg; type 1 where zero; NaN for SPS legs."""

    @property
    def parallel(self) -> Array:
        """The measure of type 2: the smallest singular value, zero where J loses rank."""
        return np.asarray(self.singular_values[..., -1])

    @property
    def serial(self) -> Array:
        """The measure of type 1: the smallest leg length over the characteristic length, or sine.

        Zero where a leg has no length or stands along its universal joint's first axis.
        """
        measures = (self.leg_lengths / self.characteristic_length, self.universal_joint_sines)
        return np.asarray(np.fmin.reduce(np.concatenate(measures, -1), axis=-1))

    @property
    def valid(self) -> Array:
        """(...) whether J exists there."""
        return np.isfinite(self.determinant)


def singularity(
    model: Kernels, pose: Any, *, characteristic_length: float | None = None
) -> Singularity:
    """How near each pose is to a singularity, of type 1 and of type 2.

    The characteristic length [m] is the largest distance of a platform joint from the platform's
    origin, unless one is given.
    """
    robot = model.own_robot("singularity")
    length = check_length(robot, characteristic_length)
    found = measures(model.machines, length)(pose)
    return Singularity(
        characteristic_length=length,
        determinant=found.determinant,
        sign=np.sign(found.determinant),
        singular_values=found.singular_values,
        condition=found.condition,
        distance=found.distance,
        twist=found.twist,
        axis=found.axis,
        point=found.point,
        pitch=found.pitch,
        leg_lengths=found.leg_lengths,
        universal_joint_sines=found.sines,
    )


def check_length(robot: Robot, given: float | None) -> float:
    """The characteristic length given, or the robot's own."""
    length = default_length(robot) if given is None else float(given)
    if not (np.isfinite(length) and length > 0):
        where = f"{robot.name}: all platform joints are at the origin; " if given is None else ""
        raise GoughError(f"{where}characteristic_length is {length:g}; expected a length above 0 m")
    return length


def singular_values(J: Any, *, vectors: bool = False) -> tuple[Any, Any]:
    """Singular values of a square SX matrix, largest first, and the right vectors as columns.

    NaN where the iteration does not end, which only happens to what is not a number.
    """
    n = J.shape[1]
    start = ca.vertcat(J, ca.DM.eye(n)) if vectors else J
    W = Argument("W", start.shape)
    step = Function.from_equation(f"sweep_{start.shape[0]}", sweep, [W], [W, Argument("done")])
    turned, _, done = iterate(step, SWEEPS)(start)
    values, right = sorted_columns(turned)
    return ca.if_else(done, values, ca.DM.nan(n)), right


def condition(machine: Machine, pose: Any, length: Any) -> Any:
    """Condition number of J, rotations scaled."""
    values, _ = singular_values(equations.scaled_jacobian(machine, pose, length))
    return values[0] / values[5]


@remembered
def determinant(machines: Machines) -> Kernel:
    """The kernel of det J: pose -> determinant."""
    return machines.kernel("determinant", equations.determinant, [POSE], [DETERMINANT])


@remembered
def condition_number(machines: Machines) -> Kernel:
    """The kernel of the condition number: pose, characteristic length -> condition."""
    return machines.kernel("condition", condition, [POSE, LENGTH], [CONDITION])


@remembered
def measures(machines: Machines, length: float) -> Kernel:
    """The kernel of everything that `Singularity` holds."""
    legs = len(machines.robot.legs)
    return machines.kernel(
        "singularity",
        lambda machine, pose: _measures(machine, pose, length),
        [POSE],
        [
            DETERMINANT,
            Argument("singular_values", (6,), "1", "of the scaled Jacobian, largest first"),
            CONDITION,
            Argument("distance", (), "m", "to a singular configuration, to first order"),
            Argument("twist", (6,), "m/s, rad/s", "that changes the legs least"),
            Argument("axis", (3,), "1", "direction of the screw"),
            Argument("point", (3,), "m", "of the screw's axis"),
            Argument("pitch", (), "m/rad", "of the screw"),
            Argument("leg_lengths", (legs,), "m", "distances between joint centres"),
            Argument("sines", (legs,), "1", "of the angle between first axis and leg"),
        ],
        "How singular the machine is at a pose.",
    )


def _measures(machine: Machine, pose: Any, length: float) -> tuple[Any, ...]:
    J = equations.scaled_jacobian(machine, pose, length)
    values, right = singular_values(J, vectors=True)
    weakest = ca.vertcat(right[0:3, 5], right[3:6, 5] / length)
    twist = ca.if_else(values[5] >= 0, weakest, ca.DM.nan(6))
    return (
        ca.det(J) * length**3,
        values,
        values[0] / values[5],
        equations.distance(machine, pose, length),
        twist,
        *screw_of_twist(twist, position(pose), length),
        closure.inverse_kinematics(machine, pose),
        equations.universal_joint_sines(machine, pose),
    )
