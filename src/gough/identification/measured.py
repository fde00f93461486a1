"""The motion of a recording: the platform's states from the positions of the actuators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.filtering import Lowpass, derivatives
from gough.identification.recording import Recording
from gough.identification.states import States, coasting_kernel
from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.status import Status
from gough.model.kernels import Kernels
from gough.robot import Hexapod


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """How the platform and the actuators moved."""

    states: States
    speed: Array
    """(T, n) of the actuators [m/s, rad/s]."""
    acceleration: Array
    """(T, n) of the actuators [m/s^2, rad/s^2]."""

    @classmethod
    def of(cls, model: Kernels, states: States) -> MeasuredMotion:
        """Of states that are known."""
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
        words = Status(int(found.status[row])).of(*_in_words(model))
        raise GoughError(
            f"the recording at {time[row]:g} s: {words}; expected a motion that starts "
            "in home's assembly mode and stays away from singularities"
        )
    T = np.asarray(model.moves(found.pose)) if "moves" in dir(model) else np.eye(6)
    J = model.jacobian(found.pose) @ T
    twist = _moved(T, J, speed)
    coasting = coasting_kernel(model.machines)(found.pose, twist)
    drift = model.joint_acceleration(found.pose, twist, coasting)
    second = coasting + _moved(T, J, acceleration - drift)
    return found.pose, twist, second, speed, acceleration


def _moved(T: Array, J: Array, rates: Array) -> Array:
    """T u (T, 6) of rates J u."""
    return np.asarray((T @ np.linalg.solve(J, rates[..., None]))[..., 0])


def _in_words(model: Kernels) -> tuple[str, str]:
    """What the actuators' positions are called, and their travel."""
    if isinstance(model.robot, Hexapod):
        return "leg lengths", "their strokes"
    return "positions of the actuators", "their ranges"
