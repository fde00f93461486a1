"""Singular configurations: how near, of which type, and which motion gets out of control."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.mechanism import nearness
from gough.equations.spatial.algebra import position
from gough.equations.spatial.screw import screw_of_twist
from gough.errors import GoughError
from gough.kinematics.size import default_length
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.singular_values import singular_values
from gough.model.structure import MechanismStructure
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.mechanism import MOVES
from gough.shown.brief import brief

DETERMINANT = Argument("determinant", (), "SI", "of the Jacobian; of a hexapod m^3")
CONDITION = Argument("condition", (), "1", "largest over smallest singular value")
LENGTH = Argument("length", (), "m", "what makes rotations comparable with translations")


_VANISHES = 1e-9
"""A measure of passive joints that is as small is zero."""


@dataclass(frozen=True)
class Singularity(ABC):
    """How singular a robot is at each pose of a batch `(...)`.

    Singular values and condition are those of J with rotations measured by the way at the
    characteristic length from the axis, so that all entries of J are plain numbers. Where J does
    not exist (a leg without length, a pose that is not finite, or that no leg can reach)
    everything of J is NaN. Of machines with n < 6 freedoms J is that from u to the motors' rates.
    """

    characteristic_length: float | Array
    """What makes rotations comparable with translations [m]; (...) of several robots."""
    determinant: Array
    """(...) det J, of a hexapod [m³]; its sign changes where the platform passes a type 2
    singularity. More motors than freedoms: the root of det JᵀJ, which has no sign."""
    singular_values: Array
    """(..., n) of the scaled J, largest first."""
    distance: Array
    """(...) to det J = 0, to first order [m]; a rotation by φ counts as the length times φ."""
    twist: Array
    """(..., 6) the platform's motion that moves the actuators least, length one when scaled."""
    axis: Array
    """(..., 3) the twist as a screw: direction of its axis, base frame."""
    point: Array
    """(..., 3) the point of the axis nearest to the platform's origin, base frame [m]."""
    pitch: Array
    """(...) way along the axis per angle [m/rad]; infinite for a pure translation."""

    __repr__ = brief

    @property
    def sign(self) -> Array:
        """(...) of the determinant: -1, 0 or 1."""
        return np.sign(self.determinant)

    @property
    def condition(self) -> Array:
        """(...) largest over smallest singular value; infinite at a type 2 singularity."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.singular_values[..., 0] / self.singular_values[..., -1])

    @property
    def parallel(self) -> Array:
        """The measure of type 2: the smallest singular value, zero where J loses rank."""
        return np.asarray(self.singular_values[..., -1])

    @property
    @abstractmethod
    def serial(self) -> Array:
        """The measure of type 1: zero where a motor cannot move the platform."""

    @property
    @abstractmethod
    def passive(self) -> Array:
        """Zero where passive joints cannot follow the platform; infinite where there are none."""

    @property
    @abstractmethod
    def constraint(self) -> Array:
        """Zero where the platform can move beside its freedoms; infinite where all are free."""

    @property
    def valid(self) -> Array:
        """(...) whether J exists there."""
        return np.isfinite(self.determinant)


@dataclass(frozen=True)
class HexapodSingularity(Singularity):
    """That of a hexapod."""

    leg_lengths: Array
    """(..., legs) [m]; a type 1 singularity where one is zero."""
    universal_joint_sines: Array
    """(..., legs) of the angle between first axis and leg; type 1 where zero; NaN for SPS legs."""

    __repr__ = brief

    @property
    def serial(self) -> Array:
        """The measure of type 1: the smallest leg length over the characteristic length, or sine.

        Zero where a leg has no length or stands along its universal joint's first axis.
        """
        length = np.asarray(self.characteristic_length)[..., None]
        measures = (self.leg_lengths / length, self.universal_joint_sines)
        return np.asarray(np.fmin.reduce(np.concatenate(measures, -1), axis=-1))

    @property
    def passive(self) -> Array:
        """The smallest sine of the angle between a leg and its universal joint's first axis."""
        least = np.fmin.reduce(self.universal_joint_sines, axis=-1, initial=np.inf)
        return np.where(self.valid, least, np.nan)

    @property
    def constraint(self) -> Array:
        """Infinite: nothing is constrained."""
        return np.full_like(self.determinant, np.inf)


@dataclass(frozen=True)
class MechanismSingularity(Singularity):
    """That of a machine of any kind, of each leg and of each group of passive joints by itself."""

    motors: tuple[str, ...]
    """Names of the motors of each leg that has some."""
    serial_by_leg: Array
    """(..., legs) zero where a leg with motors is stretched out or folded."""
    joints: tuple[str, ...]
    """Names of the joints of each group of passive joints."""
    passive_by_group: Array
    """(..., groups) zero where these joints cannot follow the platform."""
    constraint_values: Array
    """(..., 6 - n) singular values of what the rows left over see of what the moves leave out."""

    __repr__ = brief

    @property
    def serial(self) -> Array:
        """The smallest measure of all legs."""
        return np.asarray(np.abs(self.serial_by_leg).min(-1))

    @property
    def passive(self) -> Array:
        """The smallest measure of all groups of passive joints; infinite if there is none.

        NaN where one is not known, unless another vanishes: beside that it is undefined.
        """
        sizes = np.abs(self.passive_by_group)
        known = np.fmin.reduce(sizes, axis=-1, initial=np.inf)
        return np.asarray(np.where(known < _VANISHES, known, sizes.min(-1, initial=np.inf)))

    @property
    def constraint(self) -> Array:
        """The smallest singular value of the constraints; infinite if all is free."""
        return np.asarray(self.constraint_values.min(-1, initial=np.inf))


def singularity(
    model: Kernels,
    pose: Any,
    *,
    characteristic_length: float | None = None,
    parameters: Any = None,
) -> Singularity:
    """How near each pose is to a singularity: serial (type 1), parallel (type 2), and others.

    The characteristic length [m] is the largest distance of a platform joint from the platform's
    origin, unless one is given. A parametric model takes the robot's numbers as `parameters`,
    (..., p): its own if left out.
    """
    numbers, structure = model.numbers(parameters), model.structure
    length: Any
    if numbers and characteristic_length is None:
        length = _own_length(model.machines)(*numbers)
        common = measures(model.machines, None)(*numbers, pose)._asdict()
    else:
        length = check_length(model.robot, characteristic_length)
        common = measures(model.machines, length)(*numbers, pose)._asdict()
    if not isinstance(structure, MechanismStructure):
        return HexapodSingularity(
            **common,
            characteristic_length=length,
            leg_lengths=model.inverse_kinematics(*numbers, pose),
            universal_joint_sines=model.universal_joint_sines(*numbers, pose),
        )
    none = np.empty((*np.shape(common["determinant"]), 0))
    held = len(structure.freedoms) < len(MOVES)
    return MechanismSingularity(
        **common,
        characteristic_length=length,
        motors=structure.motor_legs,
        serial_by_leg=model.serial_pivots(*numbers, pose),
        joints=structure.passive_groups,
        passive_by_group=model.passive_pivots(*numbers, pose) if structure.passive_groups else none,
        constraint_values=_held(model, characteristic_length, [*numbers, pose]) if held else none,
    )


def check_length(robot: Robot, given: float | None) -> float:
    """The characteristic length given, or the robot's own."""
    length = default_length(robot) if given is None else float(given)
    if not (np.isfinite(length) and length > 0):
        where = f"{robot.name}: all platform joints are at the origin; " if given is None else ""
        raise GoughError(f"{where}characteristic_length is {length:g}; expected a length above 0 m")
    return length


def condition(machine: AnyMachine, pose: Any, length: Any) -> Any:
    """Condition number of J, rotations scaled."""
    values, _ = singular_values(any_machine.scaled_jacobian(machine, pose, length))
    return values[0] / values[-1]


@compiled
def determinant(machines: Machines) -> Kernel:
    """The kernel of det J: pose -> determinant."""
    return machines.kernel("determinant", any_machine.determinant, [POSE], [DETERMINANT])


def determinant_unit(robot: Robot, length: float) -> float:
    """What det J is of a machine whose scaled J has the determinant 1: [m³] of a hexapod."""
    if isinstance(robot, Hexapod):
        return length**3
    assert isinstance(robot, Mechanism)
    seen = np.array(robot.platform.rows) / np.repeat([1.0, length], 3)
    freedoms = np.prod(1 / np.linalg.norm(seen, axis=1))
    turning = np.mean([a.turns for a in robot.actuators])  # the share of motors that turn
    return float(freedoms / length ** (turning * len(seen)))


@compiled
def condition_number(machines: Machines) -> Kernel:
    """The kernel of the condition number: pose, characteristic length -> condition."""
    return machines.kernel("condition", condition, [POSE, LENGTH], [CONDITION])


@compiled
def _own_length(machines: Machines) -> Kernel:
    return machines.kernel("characteristic_length", any_machine.characteristic_length, [], [LENGTH])


def _held(model: Kernels, length: float | None, state: list[Any]) -> Array:
    """What holds a machine of any kind to its freedoms; its length is constant but in a family."""
    own = model.machines.family and length is None
    known = None if own else check_length(model.robot, length)
    return np.asarray(constraint_values(model.machines, known)(*state))


@compiled
def measures(machines: Machines, length: float | None) -> Kernel:
    """The kernel of what `Singularity` holds for all machines."""
    return Kernel(measure_function(machines, length))


def measure_function(machines: Machines, length: float | None = None) -> Function:
    """The symbolic function of the same; by default with the length of the machine's own."""
    n = len(machines.structure.freedoms)

    def equation(machine: AnyMachine, pose: Any) -> tuple[Any, ...]:
        own = any_machine.characteristic_length(machine) if length is None else length
        return _measures(machine, pose, own)

    return machines.function(
        "singularity",
        equation,
        [POSE],
        [
            DETERMINANT,
            Argument("singular_values", (n,), "1", "of the scaled Jacobian, largest first"),
            Argument("distance", (), "m", "to a singular configuration, to first order"),
            Argument("twist", (6,), "m/s, rad/s", "that changes the legs least"),
            Argument("axis", (3,), "1", "direction of the screw"),
            Argument("point", (3,), "m", "of the screw's axis"),
            Argument("pitch", (), "m/rad", "of the screw"),
        ],
        "How singular the machine is at a pose.",
    )


@compiled
def constraint_values(machines: Machines, length: float | None) -> Kernel:
    """The kernel of what holds a machine of any kind to its freedoms: pose -> singular values."""

    def equation(machine: Any, pose: Any) -> Any:
        own = any_machine.characteristic_length(machine) if length is None else length
        return singular_values(nearness.constraint_matrix(machine, pose, own))[0]

    count = len(MOVES) - len(machines.structure.freedoms)
    output = Argument("values", (count,), "1", "singular values of the constraints")
    return machines.kernel("constraint_values", equation, [POSE], [output])


def _measures(machine: AnyMachine, pose: Any, length: Any) -> tuple[Any, ...]:
    values, right = singular_values(
        any_machine.scaled_jacobian(machine, pose, length), vectors=True
    )
    weakest = any_machine.unscaled_moves(machine, length, right[:, -1])
    twist = ca.if_else(values[-1] >= 0, any_machine.moves(machine, pose) @ weakest, ca.DM.nan(6))
    return (
        any_machine.determinant(machine, pose),
        values,
        any_machine.singular_distance(machine, pose, length),
        twist,
        *screw_of_twist(twist, position(pose), length),
    )
