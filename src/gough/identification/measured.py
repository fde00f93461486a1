"""Recordings as motions of the platform and forces at the legs, and models that explain these.

Currents alone identify masses only as accurately as the motors' constants are known: all of them
could be larger by the same factor. A recording with a known payload separates them. The noise is
that of the currents i, beside which the regressor has little. Least squares for the constants
in K i = W x + (forces of the payload) would take that noise for a part of the current, and find
K too small. Total least squares do not [Gautier & Briot 2014]: they move the measurements, each
current by as little as its noise allows. With one noisy number a row, that is the minimum sum of
(i - (W x + …) / K)², which a Gauss-Newton iteration finds with all other numbers.

With more actuators than degrees of freedom, a motion does not determine their forces: internal
forces, which do no work, may be added. What does work, Jᵀ · forces, is determined [Briot & Khalil
2021, §5.2]. All rows are projected, Qᵀ · forces = Qᵀ W x, on an orthonormal basis Q of the columns
of J, which keeps equal noise of the actuators equal and independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from gough.arrays import AnyArray, Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.motion import kinematics
from gough.errors import GoughError
from gough.identification.filtering import Lowpass, derivatives
from gough.identification.recording import Recording
from gough.kinematics import Status, forward_kinematics, random_poses
from gough.kinematics.forward.status import DOUBLE
from gough.kinematics.size import machine_size
from gough.model import Kernels, Machines
from gough.model.actuators import drives_of
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.motion import MotionSamples
from gough.poses import displace
from gough.robot import Robot

FREE_FALL = 9.81  # by which speeds and accelerations of random states are chosen [m/s^2]
CONTRADICTION = 1e-3  # maximum contradiction of redundant positions [rad, machine sizes]
POLISHED = 3  # steps of Gauss and Newton, to the pose that fits such positions best


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """Motion of the platform and the actuators."""

    states: MotionSamples
    speed: Array  # (T, n) of the actuators [m/s, rad/s]
    acceleration: Array  # (T, n) of the actuators [m/s^2, rad/s^2]

    @classmethod
    def of(cls, model: Kernels, states: MotionSamples) -> MeasuredMotion:
        """Return the motion of known states."""
        speed = model.joint_velocity(states.pose, states.twist)
        return cls(states, np.asarray(speed), np.asarray(model.joint_acceleration(*states)))


def measured_motion(model: Kernels, recording: Recording, smooth: Lowpass) -> MeasuredMotion:
    """The motion of a recording; GoughError where the positions are those of no pose."""
    length = smooth(recording.length)
    parts = [_motion(model, recording.time[s], length[s]) for s in recording.segments]
    together = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return MeasuredMotion(MotionSamples(*together[:3]), *together[3:])


def _motion(model: Kernels, time: Array, length: Array) -> tuple[Array, ...]:
    """Poses, twists, accelerations, and the actuators' speeds and accelerations, without gaps.

    q̇ = J T u and q̈ = J T u̇ + drift, where twist = T u by the twist basis T.
    """
    speed, acceleration = derivatives(time, length)
    redundant = not model.structure.determined
    tolerance = CONTRADICTION if redundant else DOUBLE.tolerance
    found = forward_kinematics(model, length, along=True, tolerance=tolerance)
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
    pose = found.pose
    for _ in range(POLISHED * redundant):
        pose = displace(pose, _moved(model, pose, length - model.inverse_kinematics(pose)))
    twist = _moved(model, pose, speed)
    bias = bias_kernel(model.machines)(pose, twist)
    drift = model.joint_acceleration(pose, twist, bias)
    return pose, twist, bias + _moved(model, pose, acceleration - drift), speed, acceleration


def _moved(model: Kernels, pose: Array, rates: Array) -> Array:
    """T u (T, 6) of rates J u; of redundant actuators that of the nearest J u."""
    T = np.asarray(model.twist_basis(pose))
    J = model.jacobian(pose) @ T
    if not model.structure.determined:
        return np.asarray((T @ np.linalg.pinv(J) @ rates[..., None])[..., 0])
    return np.asarray((T @ np.linalg.solve(J, rates[..., None]))[..., 0])


def working_basis(model: Kernels, pose: Array) -> Array | None:
    """Q (T, n, d): what does work of forces is Q Qᵀ · forces; None where all does.

    It is the polar factor of J with columns of one size: the basis nearest to these.
    """
    if model.structure.determined:
        return None
    J = np.asarray(model.actuation_matrix(pose))
    U, _, V = np.linalg.svd(J / np.linalg.norm(J, axis=(0, 1)), full_matrices=False)
    return np.asarray(U @ V)


def working_part(Q: Array | None, rows: Array) -> Array:
    """Qᵀ · rows (T, d, ...) of rows (T, n, ...): without internal forces."""
    return rows if Q is None else np.einsum("tnd,tn...->td...", Q, rows)


def random_states(model: Kernels, count: int, generator: np.random.Generator) -> MotionSamples:
    """States in which weights and inertial forces are of one size, within the travel."""
    size = machine_size(model.robot)
    scale = np.repeat([FREE_FALL, FREE_FALL / size], 3)
    poses = random_poses(model, count, generator)
    first, second = generator.standard_normal((2, count, 6))
    twist = model.admissible(poses, first * scale * np.sqrt(size / FREE_FALL))
    bias = bias_kernel(model.machines)(poses, twist)
    return MotionSamples(poses, twist, bias + model.admissible(poses, second * scale))


@compiled
def bias_kernel(machines: Machines) -> Kernel:
    """(pose, twist) -> acceleration of a machine at constant independent velocities."""
    output = Argument("acceleration", (6,), ACCELERATION.unit, ACCELERATION.meaning)
    return machines.kernel("bias", kinematics.bias_acceleration, (POSE, TWIST), (output,))


@dataclass(frozen=True, eq=False)
class Explained:
    """Model of the efforts of recordings, by named numbers."""

    names: list[str]
    priors: Array  # the numbers by the robot file
    linear: bool  # whether derivatives are the same everywhere
    efforts: Efforts
    linearised: Callable[[Array, float], tuple[Array, Array]]
    """From values and, for constants of redundant motors, the lag to derivatives (T, n, k) of what
    they predict, and the prediction (T, n)."""
    by_lag: Callable[[Array, float], Array] | None = None
    """From the same to derivatives (T, n) by the lag of efforts less prediction [N/s]; None where
    they are those of the efforts."""


@dataclass(frozen=True)
class Efforts:
    """Filtered efforts at the legs [N], also between samples; at the samples that are kept."""

    smooth: Lowpass
    splines: list[BSpline]  # splines of the segments; of redundant actuators not filtered yet
    times: list[Array]  # times of the kept samples, of each segment [s]
    least: Array  # (n) what quantised efforts have of noise, filtered [N]
    noise: Array  # (n) what neighbouring samples have of noise, filtered [N]
    Q: Array | None = None  # (samples, n, d) basis for redundant efforts, projected, then filtered
    every: tuple[Array, ...] = ()  # times of all their samples, of each segment [s]
    parts: tuple[Efforts, ...] = ()  # those of each of several recordings

    @classmethod
    def of(cls, recording: Recording, smooth: Lowpass, factor: Array, Q: Array | None) -> Efforts:
        """Those of a recording, with the force per effort of each actuator; along a basis Q."""
        time, segments, forces = recording.time, recording.segments, recording.effort * factor
        filtered = smooth(forces) if Q is None else forces
        rows = smooth.rows(len(time))
        ends = np.searchsorted(rows, [segment.stop for segment in segments[:-1]])
        quantised = np.abs(recording.effort_step * factor) / np.sqrt(12.0)
        noise = np.maximum(recording.neighbour_noise() * factor, quantised)
        left = np.sqrt(2.0 * smooth.cutoff / smooth.rate)
        if Q is not None:
            shares = (Q**2).mean(axis=0)
            quantised, noise = (np.sqrt(size**2 @ shares) for size in (quantised, noise))
        splines = [make_interp_spline(time[s], filtered[s], 3) for s in segments]
        times, every = np.split(time[rows], ends), tuple(time[s] for s in segments)
        return cls(smooth, splines, times, quantised * left, noise * left, Q, every)

    def at(self, lag: float, derivative: int = 0) -> Array:
        """(T, n) so much later; or their first derivative by time [N/s]."""
        if self.parts:
            return np.concatenate([part.at(lag, derivative) for part in self.parts])
        if self.Q is not None:
            return np.asarray(self.by_actuator(lag, derivative).sum(axis=-1))
        pairs = zip(self.splines, self.times, strict=True)
        return np.concatenate([spline(time + lag, derivative) for spline, time in pairs])

    def reaching(self, lag: float) -> AnyArray:
        """(T) whether there are efforts so much earlier and later."""
        if self.parts:
            return np.concatenate([part.reaching(lag) for part in self.parts])
        ends = [(spline.t[0] + lag, spline.t[-1] - lag) for spline in self.splines]
        pairs = zip(self.times, ends, strict=True)
        return np.concatenate([(time >= a) & (time <= b) for time, (a, b) in pairs])

    def by_actuator(self, lag: float, derivative: int = 0) -> Array:
        """(T, d, n) what each redundant actuator does along each vector of the basis."""
        if self.parts:
            return np.concatenate([part.by_actuator(lag, derivative) for part in self.parts])
        pairs = zip(self.splines, self.every, strict=True)
        forces = np.concatenate([spline(time + lag, derivative) for spline, time in pairs])
        each = forces[..., None] * (1.0 if self.Q is None else self.Q)
        return self.smooth.decimated(np.swapaxes(each, 1, 2))

    @property
    def basis(self) -> Array | None:
        """(T, n, d) Q at the samples that are kept."""
        each = [(part.Q, part.smooth) for part in self.parts or (self,)]
        bases = [Q[smooth.rows(len(Q))] for Q, smooth in each if Q is not None]
        return np.concatenate(bases) if bases else None


def explained_together(parts: Sequence[Explained]) -> Explained:
    """Model of the efforts of several recordings with common numbers, of the same filter."""
    each = [part.efforts for part in parts]
    least, noise = (np.max([getattr(x, k) for x in each], axis=0) for k in ("least", "noise"))
    efforts = replace(each[0], least=least, noise=noise, parts=tuple(each))

    def linearised(values: Array, lag: float) -> tuple[Array, Array]:
        found = [part.linearised(values, lag) for part in parts]
        columns, forces = map(np.concatenate, zip(*found, strict=True))
        return columns, forces

    return replace(parts[0], efforts=efforts, linearised=linearised)


def with_gains(explained: Explained, robot: Robot) -> Explained:
    """Model of the efforts of recordings with different payloads, with torque constants.

    Forces are those of the robot file's constants, so that the noise stays unchanged.
    """
    by_file = np.array([float(drive.torque_constant) for drive in drives_of(robot)])
    count, efforts = len(by_file), explained.efforts
    Q = efforts.basis

    def linearised(values: Array, lag: float) -> tuple[Array, Array]:
        gain = values[-count:] / by_file
        columns, forces = explained.linearised(values[:-count], lag)
        if Q is not None:
            return _redundant_gains(efforts.by_actuator(lag), Q, gain, by_file, columns, forces)
        by_gain = -(forces / gain / values[-count:])[..., None] * np.eye(count)
        return np.concatenate([columns / gain[:, None], by_gain], -1), forces / gain

    names, priors = [*explained.names, *gain_names(robot)], np.append(explained.priors, by_file)
    if Q is None:
        return Explained(names, priors, False, efforts, linearised)

    def by_lag(values: Array, lag: float) -> Array:
        gain = values[-count:] / by_file
        rate = efforts.by_actuator(lag, 1) @ gain
        return np.asarray((_inverse_root(Q, gain) @ rate[..., None])[..., 0])

    return Explained(names, priors, False, efforts, linearised, by_lag)


def _redundant_gains(
    measured: Array, Q: Array, gain: Array, by_file: Array, columns: Array, forces: Array
) -> tuple[Array, Array]:
    """Return derivatives and prediction of forces that do work, with torque constants.

    Of currents whose forces by the file are f, the working part is off by r = Qᵀ G f - W x. The
    smallest change of f that explains it is G Q S⁻¹ r with S = Qᵀ G² Q, of length |S⁻½ r|: that
    counts, and derivatives are those at f so changed, without its noise.
    """
    root = _inverse_root(Q, gain)
    off = measured @ gain - forces
    change = gain * np.einsum("tnd,tde,tef,tf->tn", Q, root, root, off)
    by_gain = (np.swapaxes(Q * change[..., None], 1, 2) - measured) / by_file
    both = root @ np.concatenate([columns, by_gain], -1)
    return both, measured.sum(axis=-1) - (root @ off[..., None])[..., 0]


def _inverse_root(Q: Array, gain: Array) -> Array:
    """(T, d, d) S⁻½ of S = Qᵀ G² Q."""
    S, V = np.linalg.eigh(np.swapaxes(Q, 1, 2) @ (gain[:, None] ** 2 * Q))
    return np.asarray(V / np.sqrt(S)[:, None, :] @ np.swapaxes(V, 1, 2))


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
