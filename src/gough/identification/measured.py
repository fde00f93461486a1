"""The motion of a recording: the platform's states from the lengths of the legs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.filtering import Lowpass, derivatives
from gough.identification.recording import Recording
from gough.identification.states import States
from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.status import Status
from gough.model.kernels import Kernels


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """How the platform and the legs moved."""

    states: States
    speed: Array
    """(T, n) of the legs [m/s]."""
    acceleration: Array
    """(T, n) of the legs [m/s^2]."""


def measured_motion(model: Kernels, recording: Recording, smooth: Lowpass) -> MeasuredMotion:
    """The motion of a recording; GoughError where the lengths are those of no pose."""
    length = smooth(recording.length)
    parts = [_motion(model, recording.time[s], length[s]) for s in recording.segments]
    together = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return MeasuredMotion(States(*together[:3]), *together[3:])


def _motion(model: Kernels, time: Array, length: Array) -> tuple[Array, ...]:
    """Poses, twists, accelerations, and speeds and accelerations of the legs, without gaps."""
    speed, acceleration = derivatives(time, length)
    found = forward_kinematics(model, length, along=True)
    sound = np.isin(found.status, (Status.CONVERGED, Status.OUTSIDE_STROKE))
    if not sound.all():
        row = int(np.argmin(sound))
        words = Status(int(found.status[row])).of("leg lengths", "their strokes")
        raise GoughError(
            f"the recording at {time[row]:g} s: {words}; expected a motion that starts "
            "in home's assembly mode and stays away from singularities"
        )
    J = model.jacobian(found.pose)
    twist = _solved(J, speed)
    drift = model.jacobian_rate(found.pose, twist) @ twist[..., None]
    second = _solved(J, acceleration - drift[..., 0])
    return found.pose, twist, second, speed, acceleration


def _solved(J: Array, rates: Array) -> Array:
    return np.asarray(np.linalg.solve(J, rates[..., None])[..., 0])
