"""How far poses, twists and accelerations leave a machine's freedoms, and in which component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.kinematics.freedoms.possible import possible_pose
from gough.kinematics.size import default_length
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.robot import Robot
from gough.robot.mechanism import MOVES
from gough.shown.brief import brief


class Worst(NamedTuple):
    """The largest deviation: how much, in which component and unit, and where in the batch."""

    deviation: float
    component: str
    """x, y, z, rx, ry or rz, base axes."""
    unit: str
    where: tuple[int, ...]


@dataclass(frozen=True)
class OffFreedoms:
    """What of a batch `(...)` of poses, twists or accelerations a machine cannot do."""

    parts: Array
    """(..., 6) in base axes: of poses a way [m] and a rotation vector [rad]. NaN where unknown."""
    units: tuple[str, str]
    """Of the first and of the last three."""
    length: float
    """What makes angles comparable with lengths [m]."""

    __repr__ = brief

    @property
    def size(self) -> Array:
        """(...) the largest part in the first unit, an angle counting as the way at the length."""
        return np.asarray(np.abs(self.parts * self._scales).max(-1))

    @property
    def worst(self) -> Worst:
        """The largest part of the batch; what is not known is larger than all that is."""
        sizes = np.nan_to_num(np.abs(self.parts * self._scales), nan=np.inf)
        *index, k = (int(i) for i in np.unravel_index(sizes.argmax(), sizes.shape))
        return Worst(float(self.parts[*index, k]), MOVES[k], self.units[k // 3], tuple(index))

    @property
    def _scales(self) -> Array:
        return np.repeat([1.0, self.length], 3)


def off_freedoms(robot: Robot, poses: Any) -> OffFreedoms:
    """How far poses (..., 7) are from those that the machine can take and that have the same u."""
    step = possible_pose(Kernels(robot), poses).step
    return OffFreedoms(step, ("m", "rad"), default_length(robot))


def twists_off_freedoms(robot: Robot, poses: Any, twists: Any) -> OffFreedoms:
    """What of twists (..., 6) a machine cannot do at poses (..., 7)."""
    parts = _twist_kernel(Machines(robot))(poses, twists)
    return OffFreedoms(np.asarray(parts), ("m/s", "rad/s"), default_length(robot))


def accelerations_off_freedoms(
    robot: Robot, poses: Any, twists: Any, accelerations: Any
) -> OffFreedoms:
    """What of accelerations (..., 6) a machine cannot do at poses (..., 7) and twists (..., 6)."""
    parts = _acceleration_kernel(Machines(robot))(poses, twists, accelerations)
    return OffFreedoms(np.asarray(parts), ("m/s^2", "rad/s^2"), default_length(robot))


@compiled
def _twist_kernel(machines: Machines) -> Kernel:
    def equation(machine: Any, pose: Any, twist: Any) -> Any:
        return twist - any_machine.admissible(machine, pose, twist)

    output = Argument("off", (6,), TWIST.unit, "what the machine cannot do of the twist")
    return machines.kernel("twist_off_freedoms", equation, [POSE, TWIST], [output])


@compiled
def _acceleration_kernel(machines: Machines) -> Kernel:
    def equation(machine: Any, pose: Any, twist: Any, acceleration: Any) -> Any:
        possible = any_machine.admissible(machine, pose, acceleration)
        return acceleration - possible - any_machine.coasting(machine, pose, twist)

    output = Argument("off", (6,), ACCELERATION.unit, "what the machine cannot do of it")
    inputs = [POSE, TWIST, ACCELERATION]
    return machines.kernel("acceleration_off_freedoms", equation, inputs, [output])
