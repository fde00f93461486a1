"""Recordings as motions of the platform and forces at the legs, and models that explain these.

Currents alone identify masses only as accurately as the motors' constants are known: all of them
could be larger by the same factor. A recording with a known payload separates them. The noise is
that of the currents i, beside which the regressor has little. Least squares for the constants
in K i = W x + (forces of the payload) would take that noise for a part of the current, and find
K too small. Total least squares do not [Gautier & Briot 2014]: they move the measurements, each
current by as little as its noise allows. With one noisy number a row, that is the minimum sum of
(i - (W x + …) / K)², which a Gauss-Newton iteration finds with all other numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from gough.arrays import AnyArray, Array
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
from gough.model.actuators import drives_of
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.robot import Robot

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

    q̇ = J T u and q̈ = J T u̇ + drift, where twist = T u by the twist basis T.
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
    bias = bias_kernel(model.machines)(found.pose, twist)
    drift = model.joint_acceleration(found.pose, twist, bias)
    second = bias + _moved(T, J, acceleration - drift)
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
    bias = bias_kernel(model.machines)(poses, twist)
    return States(poses, twist, bias + _possible(model, poses, second * scale))


@compiled
def bias_kernel(machines: Machines) -> Kernel:
    """(pose, twist) -> acceleration of a machine at constant independent velocities."""
    output = Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning)
    return machines.kernel("bias", kinematics.bias_acceleration, (POSE, TWIST), (output,))


def _possible(model: Kernels, poses: Array, twists: Array) -> Array:
    """Return the part of twists that the machine can do."""
    return np.asarray(model.admissible(poses, twists)) if "admissible" in dir(model) else twists


@dataclass(frozen=True, eq=False)
class Explained:
    """Model of the efforts of recordings, by named numbers."""

    names: list[str]
    priors: Array
    """The numbers by the robot file."""
    linear: bool
    """Whether derivatives are the same everywhere."""
    efforts: Efforts
    linearised: Callable[[Array], tuple[Array, Array]]
    """From values to derivatives (T, n, k) of what they predict, and the prediction (T, n)."""


@dataclass(frozen=True)
class Efforts:
    """Filtered efforts at the legs [N], also between samples; at the samples that are kept."""

    smooth: Lowpass
    splines: list[BSpline]
    """Splines of the segments."""
    times: list[Array]
    """Times of the kept samples, of each segment [s]."""
    least: Array
    """(n) what quantised efforts have of noise, filtered [N]."""
    noise: Array
    """(n) what neighbouring samples have of noise, filtered [N]."""

    @classmethod
    def of(cls, recording: Recording, smooth: Lowpass, factor: Array) -> Efforts:
        """Those of a recording, with the force per effort of each actuator."""
        time, segments, forces = recording.time, recording.segments, recording.effort * factor
        filtered = smooth(forces)
        rows = smooth.rows(len(time))
        ends = np.searchsorted(rows, [segment.stop for segment in segments[:-1]])
        quantised = np.abs(recording.effort_step * factor) / np.sqrt(12.0)
        noise = np.maximum(recording.neighbour_noise() * factor, quantised)
        left = np.sqrt(2.0 * smooth.cutoff / smooth.rate)
        return cls(
            smooth,
            [make_interp_spline(time[s], filtered[s], 3) for s in segments],
            np.split(time[rows], ends),
            quantised * left,
            noise * left,
        )

    def at(self, lag: float, derivative: int = 0) -> Array:
        """(T, n) so much later; or their first derivative by time [N/s]."""
        pairs = zip(self.splines, self.times, strict=True)
        return np.concatenate([spline(time + lag, derivative) for spline, time in pairs])

    def reaching(self, lag: float) -> AnyArray:
        """(T) whether there are efforts so much earlier and later."""
        ends = [(spline.t[0] + lag, spline.t[-1] - lag) for spline in self.splines]
        pairs = zip(self.times, ends, strict=True)
        return np.concatenate([(time >= a) & (time <= b) for time, (a, b) in pairs])


def explained_together(parts: Sequence[Explained]) -> Explained:
    """Model of the efforts of several recordings with common numbers, of the same filter."""
    each = [part.efforts for part in parts]
    efforts = Efforts(
        each[0].smooth,
        [spline for one in each for spline in one.splines],
        [time for one in each for time in one.times],
        np.max([one.least for one in each], axis=0),
        np.max([one.noise for one in each], axis=0),
    )

    def linearised(values: Array) -> tuple[Array, Array]:
        found = [part.linearised(values) for part in parts]
        columns, forces = map(np.concatenate, zip(*found, strict=True))
        return columns, forces

    return replace(parts[0], efforts=efforts, linearised=linearised)


def with_gains(explained: Explained, robot: Robot) -> Explained:
    """Model of the efforts of recordings with different payloads, with torque constants.

    Forces are those of the robot file's constants, so that the noise stays unchanged.
    """
    by_file = np.array([float(drive.torque_constant) for drive in drives_of(robot)])
    count = len(by_file)

    def linearised(values: Array) -> tuple[Array, Array]:
        gain = values[-count:] / by_file
        columns, forces = explained.linearised(values[:-count])
        by_gain = -(forces / gain / values[-count:])[..., None] * np.eye(count)
        return np.concatenate([columns / gain[:, None], by_gain], -1), forces / gain

    names, priors = [*explained.names, *gain_names(robot)], np.append(explained.priors, by_file)
    return Explained(names, priors, False, explained.efforts, linearised)


def gain_names(robot: Robot) -> list[str]:
    """Return names of the torque constants [N m/A]: one per actuator, also of identical legs."""
    return [f"actuators[{k}].torque_constant" for k in range(len(robot.actuators))]


def check_gains(unloaded: Recording, loaded: Recording) -> None:
    """GoughError where recordings do not tell drive gains."""
    for recording in (unloaded, loaded):
        if recording.measured != "motor_current":
            raise GoughError(
                f"a loaded recording identifies torque constants, but {recording.measured} "
                "was measured; expected motor_current columns without and with the payload"
            )
    check_rates(unloaded, loaded)


def check_efforts(first: Recording, other: Recording, called: str) -> None:
    """GoughError where another recording has other efforts than the first."""
    if first.measured != other.measured:
        raise GoughError(
            f"{other.measured} was measured in the {called} recording and {first.measured} in the "
            "first; expected the same in both"
        )


def check_rates(unloaded: Recording, loaded: Recording) -> None:
    """GoughError where recordings do not go through the same filter."""
    if not np.isclose(unloaded.rate, loaded.rate, rtol=0.01):
        raise GoughError(
            f"recordings at {unloaded.rate:.4g} Hz without and {loaded.rate:.4g} Hz with the "
            "payload; expected the same rate"
        )
