"""Motions made of motions: one after the other, stretched, with another profile, in frames."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.spatial.algebra import Value, position, quaternion, rotation
from gough.equations.spatial.attitude import quaternion_product
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.motions.screws import Screw, Straight
from gough.motion.profiles import Profile, WithProfile
from gough.motion.samples import Derived, Motion, MotionSamples, delegated, with_warnings
from gough.poses import Frames, difference, inverse

Times = tuple[float, ...]
SAME_PLACE = 1e-9  # maximum distance [m, rad] between the end of a motion and the start of the next
SAME_SPEED = 1e-9  # maximum jump of speed, relative to the faster of both motions
SAME_ACCELERATION = 1e-9  # maximum jump of acceleration that is rounding, by the larger one
ROUNDING = 1e-9  # share of a way by which a profile may leave it


@dataclass(frozen=True, repr=False)
class Sequence(Motion):
    """Motions one after the other. Each begins where the one before it ends, with its speed."""

    parts: tuple[Motion, ...]

    def __post_init__(self) -> None:
        checked.instance(self.parts, tuple, "parts", "a tuple of motions")
        if not self.parts:
            raise MotionError("empty", key="parts", expected="at least one motion")
        for k, part in enumerate(self.parts):
            checked.instance(part, Motion, f"parts[{k}]", "motions, as in sequence(first, second)")
        for k in range(1, len(self.parts)):
            self._check_joint(k)

    @cached_property
    def duration(self) -> float:  # type: ignore[override]
        """Total duration [s]."""
        return float(self._ends[-1])

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """The times [s] where the acceleration jumps, inside the parts and between them."""
        result: list[float] = []
        for k, part in enumerate(self.parts):
            first, last = k == 0, k == len(self.parts) - 1
            own = [t for t in part.breaks if (first or t > 0.0) and (last or t < part.duration)]
            result += [float(self._starts[k] + t) for t in own]
            if not last:
                after = self.parts[k + 1]
                change = part(part.duration).acceleration - after(0.0).acceleration
                if np.abs(change).max() > SAME_ACCELERATION * _largest(part, after, 2):
                    result.append(float(self._ends[k]))
        return tuple(result)

    @cached_property
    def corners(self) -> tuple[float, ...]:
        """The times [s] where a part begins, and those of the parts."""
        pairs = zip(self._starts, self.parts, strict=True)
        inside = [start + np.array(part.corners) for start, part in pairs]
        return tuple(np.unique(np.concatenate([self._starts, *inside])).tolist())

    @property
    def waypoint_times(self) -> tuple[float, ...] | None:
        """Those of the parts, if all have some."""
        each = [part.waypoint_times for part in self.parts]
        pairs = zip(self._starts.tolist(), each, strict=True)
        return None if None in each else tuple(s + t for s, times in pairs for t in times or ())

    @property
    def cautions(self) -> tuple[str, ...]:
        """Those of the parts, each with the part it is about."""
        named = [(k, words) for k, part in enumerate(self.parts) for words in part.cautions]
        return tuple(f"part {k + 1}: {words}" for k, words in named)

    @cached_property
    def _ends(self) -> Array:
        return np.cumsum([part.duration for part in self.parts])

    @cached_property
    def _starts(self) -> Array:
        return np.concatenate([[0.0], self._ends[:-1]])

    def _at(self, t: Array) -> MotionSamples:
        which = np.searchsorted(self._starts[1:], t, side="right")
        result = MotionSamples(*(np.empty((*t.shape, n)) for n in (7, 6, 6)))
        for k, part in enumerate(self.parts):
            mine = which == k
            if mine.any():
                inside = np.minimum(t[mine] - self._starts[k], part.duration)
                for values, piece in zip(result, part(inside), strict=True):
                    values[mine] = piece
        result.pose[np.isnan(t)] = np.nan
        return result

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time: that of a part."""
        k = int(np.searchsorted(self._starts[1:], at, side="right"))
        start = float(self._starts[k])
        return self.parts[k].law(t - start, at - start)

    def _check_joint(self, k: int) -> None:
        before, after = self.parts[k - 1], self.parts[k]
        end, start = before(before.duration), after(0.0)
        apart, turned = map(np.linalg.norm, np.split(difference(end.pose, start.pose), 2))
        if apart > SAME_PLACE or turned > SAME_PLACE:
            words = f"begins {apart:.3g} m and {turned:.3g} rad from where the part before it ends"
            raise MotionError(words, key=f"parts[{k}]", expected="the same pose")
        jump = float(np.abs(end.twist - start.twist).max())
        if jump > SAME_SPEED * _largest(before, after, 1):
            words = f"the speed jumps by {jump:.3g} (m/s, rad/s) at t = {self._starts[k]:.6g} s"
            expected = "a part that begins with the speed of the one before it"
            raise MotionError(words, key=f"parts[{k}]", expected=expected)


def _at_new_times(times: Times | None, stretched: Stretched) -> Times | None:
    """Times [s] of a motion, if there are any, in the one that it becomes."""
    return times and tuple(t * stretched.duration / stretched.motion.duration for t in times)


@dataclass(frozen=True, repr=False)
class Stretched(Motion):
    """A motion along its path in another duration."""

    motion: Motion
    duration: float
    breaks = delegated("motion.breaks", _at_new_times)
    corners = delegated("motion.corners", _at_new_times)
    waypoint_times = delegated("motion.waypoint_times", _at_new_times)
    cautions = delegated("motion.cautions")

    def __post_init__(self) -> None:
        checked.instance(self.motion, Motion, "motion", "a motion, such as a line")
        checked.duration(self.duration)

    def _at(self, t: Array) -> MotionSamples:
        rate = self.motion.duration / self.duration
        pose, twist, acceleration = self.motion(np.minimum(t * rate, self.motion.duration))
        return MotionSamples(pose, twist * rate, acceleration * rate**2)

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        rate = self.motion.duration / self.duration
        return self.motion.law(t * rate, at * rate)


@with_warnings
def sequence(*parts: Motion) -> Sequence:
    """These motions, one after the other."""
    return Sequence(parts)


@with_warnings
def stretched(motion: Motion, duration: float) -> Stretched:
    """Return a motion at another speed, so that it takes this duration [s]."""
    return Stretched(motion, duration)


def _largest(before: Motion, after: Motion, field: int) -> float:
    """Return the maximum speed or acceleration of both, sampled; never zero."""
    values = [np.abs(m(np.linspace(0.0, m.duration, 33))[field]).max() for m in (before, after)]
    return float(max(*values, 1e-6))


@dataclass(frozen=True, repr=False)
class InFrames(Derived):
    """The platform's motion, of a motion that was given of the tool in the work frame."""

    given: Motion
    frames: Frames

    def __post_init__(self) -> None:
        checked.instance(self.given, Motion, "motion", "a motion, such as a line")
        checked.instance(self.frames, Frames, "frames", "gough.Frames(work=…, tool=…)")

    def _at(self, t: Array) -> MotionSamples:
        tool, frames = self.given(t), self.frames
        return MotionSamples(
            frames.platform_pose(tool.pose),
            frames.platform_twist(tool.pose, tool.twist),
            frames.platform_acceleration(*tool),
        )

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        tool = ca.DM(inverse(self.frames.tool))
        return _composed(_composed(ca.DM(self.frames.work), self.given.law(t, at)), tool)


def _composed(a: Value, b: Value) -> Value:
    place = position(a) + rotation(a) @ position(b)
    return ca.vertcat(place, quaternion_product(quaternion(a), quaternion(b)))


@with_warnings
def in_frames(motion: Motion, frames: Frames) -> InFrames:
    """The motion of the platform by which its tool makes a motion in the work frame."""
    return InFrames(motion, frames)


@dataclass(frozen=True, repr=False)
class Retimed(WithProfile):
    """A motion that is as far through another one as a profile says: 1 is its end.

    Where the other one jumps it does so at times that are not known.
    """

    motion: Motion
    profile: Profile
    cautions = delegated("motion.cautions")

    def __post_init__(self) -> None:
        ways = self.profile(np.array([0.0, *self.profile.turns, self.duration])).s
        if ways.min() < -ROUNDING or ways.max() > 1 + ROUNDING:
            problem = f"the profile goes from {ways.min():.6g} to {ways.max():.6g}"
            raise MotionError(problem, key="profile", expected="one from 0 to 1: the motion's ends")

    def _at(self, t: Array) -> MotionSamples:
        duration = self.motion.duration
        s, speed, acceleration = (np.asarray(x) * duration for x in self.profile(t))
        pose, twist, second = self.motion(np.clip(s, 0.0, duration))
        rate = speed[..., None]
        return MotionSamples(pose, twist * rate, second * rate**2 + twist * acceleration[..., None])

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time; its form must be one along all of the way."""
        duration = self.motion.duration
        if any(0 < t < duration for t in self.motion.corners):
            return super().law(t, at)
        return self.motion.law(self.profile.law(t, at) * duration, duration / 2)


def with_profile(motion: Motion, profile: Profile) -> Motion:
    """The way of a motion with another profile: of a line, rotation or screw in place of its own.

    Of others the profile says how far through the motion it is, as a share of its duration.
    """
    checked.instance(motion, Motion, "motion", "a motion, such as a line")
    checked.instance(profile, Profile, "profile", "a profile, such as Quintic(2.0)")
    if isinstance(motion, Screw | Straight):
        return replace(motion, profile=profile)
    if isinstance(motion, Derived) and is_dataclass(motion):
        return replace(motion, given=with_profile(motion.given, profile))
    return Retimed(motion, profile)
