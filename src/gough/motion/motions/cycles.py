"""Pick-and-place cycles: up, across, down, and back along the same path, with rounded corners.

The cycle of 25 mm up, 305 mm across and 25 mm down (1, 12 and 1 inches) is the one by which
makers of pick-and-place robots compare cycle times, the "Adept cycle" [Nabat 2005]. The rounding of
its corners is not standardised; here the travel across begins before the lift has ended, each of
them with minimum jerk, so that speed and acceleration are continuous.

Nabat, de la O Rodriguez, Company, Krut, Pierrot: Par4: very high speed parallel robot for
pick-and-place, IROS 2005.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.equations.spatial.algebra import Value
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.profiles import ProfileSamples, Quintic
from gough.motion.samples import Motion, MotionSamples, with_warnings

HEIGHT, WIDTH, BLEND = 0.025, 0.305, 0.5
UP, ACROSS = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
SQUARE = 1e-9  # the cosine of the angle between up and across is at most this


@dataclass(frozen=True, repr=False)
class PickAndPlace(Motion):
    """One cycle, there and back along the same path, from rest to rest, at constant orientation.

    Lift and travel across take times in proportion to the roots of their lengths [m], so that both
    have the same maximum acceleration. `blend` is the fraction of the lift's time in which it
    already goes across.
    """

    start: tuple[float, ...]
    up: tuple[float, ...]
    across: tuple[float, ...]
    height: float
    width: float
    duration: float
    blend: float

    @property
    def corners(self) -> tuple[float, ...]:
        """When lift, way across and way down begin and end, there and back."""
        lift, across, begins, down = self._times
        there = (lift, begins, begins + across, down, self.duration / 2)
        return tuple(sorted({*there, *(self.duration - t for t in there)}))

    @property
    def _times(self) -> tuple[float, float, float, float]:
        """Durations [s] of lift and travel across, and the times at which across and down begin."""
        half = self.duration / 2
        ratio = sqrt(self.height / self.width)
        across = half / (1 + 2 * (1 - self.blend) * ratio)
        lift = ratio * across
        return lift, across, (1 - self.blend) * lift, half - lift

    def _at(self, t: Array) -> MotionSamples:
        there = t <= self.duration / 2
        lift_time, across_time, begins, down = self._times
        t_1 = np.where(there, t, self.duration - t)
        lifted, lowered = _stage(lift_time, t_1), _stage(lift_time, t_1 - down)
        gone = _stage(across_time, t_1 - begins)
        up, across = self.height * np.array(self.up), self.width * np.array(self.across)
        place, speed, acceleration = (
            np.multiply.outer(rise - fall, up) + np.multiply.outer(way, across)
            for rise, fall, way in zip(lifted, lowered, gone, strict=True)
        )
        pose = np.broadcast_to(self.start, (*t.shape, 7)).copy()
        pose[..., :3] += place
        still, way = np.zeros_like(place), np.where(there, 1.0, -1.0)[..., None]
        rates = (np.concatenate([x, still], axis=-1) for x in (way * speed, acceleration))
        return MotionSamples(pose, *rates)

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time: whole stages are at their ends."""
        lift_time, across_time, begins, down = self._times
        there = at <= self.duration / 2
        since, now = (t, at) if there else (self.duration - t, self.duration - at)

        def stage(duration: float, start: float) -> Value | float:
            x = now - start
            return Quintic(duration).law(since - start, x) if 0 < x < duration else float(x > 0)

        up, across = self.height * ca.DM(self.up), self.width * ca.DM(self.across)
        way = (stage(lift_time, 0.0) - stage(lift_time, down)) * up
        place = ca.DM(self.start[:3]) + way + stage(across_time, begins) * across
        return ca.vertcat(place, ca.DM(self.start[3:]))


@with_warnings
def adept_cycle(
    start: ArrayLike,
    duration: float | None = None,
    *,
    height: float = HEIGHT,
    width: float = WIDTH,
    across: ArrayLike = ACROSS,
    up: ArrayLike = UP,
    blend: float = BLEND,
    max_speed: float | None = None,
    max_acceleration: float | None = None,
) -> PickAndPlace:
    """A pick-and-place cycle from a start pose: up by a height [m], across by a width [m], down.

    And back, all in a duration [s], or as fast as speed [m/s] and acceleration [m/s²] of the
    platform may be.
    """
    directions = checked.direction(up, "up"), checked.direction(across, "direction")
    if abs(np.dot(*directions)) > SQUARE:
        expected = "a direction at right angles to it"
        raise MotionError("not square to up", key="direction", value=across, expected=expected)
    high = checked.number(height, "height", above=0.0)
    wide = checked.number(width, "width", above=0.0)
    most = min(1.0, sqrt(wide / high) / 2)
    expected = f"from 0 to {most:.4g}, so that it is lifted before it is lowered"
    share = checked.number(blend, "blend", least=0.0, most=most, expected=expected)
    shape = PickAndPlace(checked.pose(start, "start"), *directions, high, wide, 1.0, share)
    limits = {"max_speed": max_speed, "max_acceleration": max_acceleration}
    given = {k: checked.number(x, k, above=0.0) for k, x in limits.items() if x is not None}
    if (duration is None) == (not given):
        problem = "missing" if duration is None else "given with limits of speed or acceleration"
        raise MotionError(problem, key="duration", expected="a duration, or such limits")
    if duration is not None:
        return replace(shape, duration=checked.duration(duration))
    speed, acceleration = _peaks(shape)
    by_speed = speed / given.get("max_speed", np.inf)
    by_acceleration = sqrt(acceleration / given.get("max_acceleration", np.inf))
    return replace(shape, duration=checked.duration(max(by_speed, by_acceleration)))


def _stage(duration: float, t: Array) -> ProfileSamples:
    """Return a motion of minimum jerk, at rest before and after."""
    return Quintic(duration)(np.clip(t, 0.0, duration))


@lru_cache(maxsize=256)
def _peaks(shape: PickAndPlace) -> tuple[float, float]:
    """Return the maximum speed and acceleration on the way there."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415  (slow to import)

    t = np.linspace(0.0, shape.duration / 2, 1001)

    def size(field: int, time: ArrayLike) -> Array:
        return np.asarray(np.linalg.norm(shape(time)[field], axis=-1))

    def peak(field: int) -> float:
        k = int(np.argmax(size(field, t)))
        around = t[max(k - 1, 0)], t[min(k + 1, len(t) - 1)]
        how = {"bounds": around, "method": "bounded", "options": {"xatol": 1e-12}}
        found = minimize_scalar(lambda time: -float(size(field, time)), **how)
        return max(-float(found.fun), float(size(field, t).max()))

    return peak(1), peak(2)
