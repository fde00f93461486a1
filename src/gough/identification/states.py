"""States of a machine's motions: random ones that it can do, and the forces by what it weighs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.kinematics.samples import random_poses
from gough.kinematics.size import machine_size
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines

FREE_FALL = 9.81
"""By which speeds and accelerations of random states are chosen [m/s^2]."""


class States(NamedTuple):
    """States of the platform: poses (T, 7), twists (T, 6) and accelerations (T, 6)."""

    pose: Array
    twist: Array
    acceleration: Array


def random_states(model: Kernels, count: int, generator: np.random.Generator) -> States:
    """States in which weights and inertial forces are of one size, within the travel."""
    size = machine_size(model.robot)
    scale = np.repeat([FREE_FALL, FREE_FALL / size], 3)
    poses = random_poses(model, count, generator)
    first, second = generator.standard_normal((2, count, 6))
    twist = _possible(model, poses, first * scale * np.sqrt(size / FREE_FALL))
    coasting = coasting_kernel(model.machines)(poses, twist)
    return States(poses, twist, coasting + _possible(model, poses, second * scale))


@compiled
def coasting_kernel(machines: Machines) -> Kernel:
    """(pose, twist) -> the acceleration that a machine has while the rates of its moves stay."""
    output = Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning)
    return machines.kernel("coasting", any_machine.coasting, (POSE, TWIST), (output,))


def _possible(model: Kernels, poses: Array, twists: Array) -> Array:
    """What the machine can do of twists."""
    return np.asarray(model.admissible(poses, twists)) if "admissible" in dir(model) else twists
