"""Deviations of poses, twists and accelerations from a machine's degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.display.brief import brief
from gough.equations.machine import Machine
from gough.equations.mechanism import kinematics
from gough.equations.spatial.algebra import Value
from gough.kinematics.freedoms.nearest_pose import possible_pose
from gough.kinematics.size import default_length
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.robot.mechanism import MOVES

TOLERANCE = 1e-9
"""Deviation, relative to the machine's size, that counts as rounding."""


class Worst(NamedTuple):
    """The maximum deviation, its component and unit, and its place in the batch."""

    deviation: float
    component: str
    """x, y, z, rx, ry or rz, base axes."""
    unit: str
    where: tuple[int, ...]


@dataclass(frozen=True)
class ConstraintViolation:
    """Parts of poses, twists or accelerations `(...)` that violate a machine's constraints."""

    parts: Array
    """(..., 6) in base axes: of poses translation [m] and rotation vector [rad]; NaN: unknown."""
    units: tuple[str, str]
    """Units of the first and of the last three."""
    length: float
    """Length that makes angles comparable with lengths [m]."""

    __repr__ = brief

    @property
    def size(self) -> Array:
        """(...) maximum component in the first unit, angles multiplied by the length."""
        return np.asarray(np.abs(self.parts * self._scales).max(-1))

    @property
    def worst(self) -> Worst:
        """Maximum component of the batch; unknown ones count as infinite."""
        sizes = np.nan_to_num(np.abs(self.parts * self._scales), nan=np.inf)
        *index, k = (int(i) for i in np.unravel_index(sizes.argmax(), sizes.shape))
        return Worst(float(self.parts[*index, k]), MOVES[k], self.units[k // 3], tuple(index))

    @property
    def impossible(self) -> Worst | None:
        """Return the maximum part, if it is more than rounding; unknown ones are left out."""
        worst = ConstraintViolation(np.nan_to_num(self.parts), self.units, self.length).worst
        return worst if abs(worst.deviation) > TOLERANCE * self.length else None

    @property
    def _scales(self) -> Array:
        return np.repeat([1.0, self.length], 3)


def pose_violation(robot: Robot, poses: ArrayLike) -> ConstraintViolation:
    """Compute the distance of poses (..., 7) to those that the machine can take with the same u."""
    step = possible_pose(Kernels(robot), poses).step
    return ConstraintViolation(step, ("m", "rad"), default_length(robot))


def twist_violation(robot: Robot, poses: ArrayLike, twists: ArrayLike) -> ConstraintViolation:
    """Compute the part of twists (..., 6) that a machine cannot do at poses (..., 7)."""
    parts = _twist_kernel(Machines(robot))(poses, twists)
    return ConstraintViolation(np.asarray(parts), ("m/s", "rad/s"), default_length(robot))


def acceleration_violation(
    robot: Robot, poses: ArrayLike, twists: ArrayLike, accelerations: ArrayLike
) -> ConstraintViolation:
    """Compute the part of accelerations (..., 6) that a machine cannot do at poses and twists."""
    parts = _acceleration_kernel(Machines(robot))(poses, twists, accelerations)
    return ConstraintViolation(np.asarray(parts), ("m/s^2", "rad/s^2"), default_length(robot))


def what_it_cannot(robot: Robot, worst: Worst) -> str:
    """Return in words what a machine cannot do: "roll = 0.1 rad, which delta (x y z) cannot do"."""
    freedoms = " ".join(structure_of(robot).degrees_of_freedom)
    deviation = f"{worst.component} = {worst.deviation:.4g} {worst.unit}"
    return f"{deviation}, which {robot.name} ({freedoms}) cannot do"


@compiled
def _twist_kernel(machines: Machines) -> Kernel:
    def equation(machine: Machine, pose: Value, twist: Value) -> Value:
        return twist - kinematics.admissible(machine, pose, twist)

    output = Argument("violation", (6,), TWIST.unit, "what the machine cannot do of the twist")
    return machines.kernel("twist_violation", equation, [POSE, TWIST], [output])


@compiled
def _acceleration_kernel(machines: Machines) -> Kernel:
    def equation(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
        possible = kinematics.admissible(machine, pose, acceleration)
        return acceleration - possible - kinematics.bias_acceleration(machine, pose, twist)

    output = Argument("violation", (6,), ACCELERATION.unit, "impossible part of the acceleration")
    inputs = [POSE, TWIST, ACCELERATION]
    return machines.kernel("acceleration_violation", equation, inputs, [output])
