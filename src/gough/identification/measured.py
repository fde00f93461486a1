"""The motion of a recording: the platform's states from the positions of the actuators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.motion import kinematics
from gough.errors import GoughError
from gough.identification.filtering import Lowpass, derivatives
from gough.identification.recording import Recording
from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.status import Status
from gough.kinematics.samples import random_poses
from gough.kinematics.size import machine_size
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines

FREE_FALL = 9.81
"""By which speeds and accelerations of random states are chosen [m/s^2]."""


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """Motion of the platform and the actuators."""

    states: States
    speed: Array
    """(T, n) of the actuators [m/s, rad/s]."""
    acceleration: Array
    """(T, n) of the actuators [m/s^2, rad/s^2]."""

    @classmethod
    def of(cls, model: Kernels, states: States) -> MeasuredMotion:
        """Return the motion of known states."""
        speed = model.joint_velocity(states.pose, states.twist)
        return cls(states, np.asarray(speed), np.asarray(model.joint_acceleration(*states)))


def measured_motion(model: Kernels, recording: Recording, smooth: Lowpass) -> MeasuredMotion:
    """The motion of a recording; GoughError where the positions are those of no pose."""
    length = smooth(recording.length)
    parts = [_motion(model, recording.time[s], length[s]) for s in recording.segments]
    together = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return MeasuredMotion(States(*together[:3]), *together[3:])


def _motion(model: Kernels, time: Array, length: Array) -> tuple[Array, ...]:
    """Poses, twists, accelerations, and the actuators' speeds and accelerations, without gaps.

    q̇ = J T u and q̈ = J T u̇ + drift, where twist = T u by the platform's moves T.
    """
    speed, acceleration = derivatives(time, length)
    found = forward_kinematics(model, length, along=True)
    sound = np.isin(found.status, (Status.CONVERGED, Status.OUTSIDE_STROKE))
    if not sound.all():
        row = int(np.argmin(sound))
        called = ("positions of the actuators", "their ranges")
        if model.robot.has_extensible_legs:
            called = ("leg lengths", "their strokes")
        words = Status(int(found.status[row])).of(*called)
        raise GoughError(
            f"the recording at {time[row]:g} s: {words}; expected a motion that starts "
            "in home's assembly mode and stays away from singularities"
        )
    T = np.asarray(model.twist_basis(found.pose)) if "twist_basis" in dir(model) else np.eye(6)
    J = model.jacobian(found.pose) @ T
    twist = _moved(T, J, speed)
    coasting = coasting_kernel(model.machines)(found.pose, twist)
    drift = model.joint_acceleration(found.pose, twist, coasting)
    second = coasting + _moved(T, J, acceleration - drift)
    return found.pose, twist, second, speed, acceleration


def _moved(T: Array, J: Array, rates: Array) -> Array:
    """T u (T, 6) of rates J u."""
    return np.asarray((T @ np.linalg.solve(J, rates[..., None]))[..., 0])


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
    return machines.kernel("coasting", kinematics.bias_acceleration, (POSE, TWIST), (output,))


def _possible(model: Kernels, poses: Array, twists: Array) -> Array:
    """Return the part of twists that the machine can do."""
    return np.asarray(model.admissible(poses, twists)) if "admissible" in dir(model) else twists
