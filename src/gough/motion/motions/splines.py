"""Motions along a spline: through waypoints, or along a record, smoothed as much as is stated.

Positions and rotation vectors are splines of degree five: speed, acceleration, jerk and its rate
are continuous. The rotation vector is that of the turn from the first attitude, so a motion that
turns about one axis is a spline of its angle; the turn from the first attitude may be up to one
revolution. Twist and acceleration follow exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import factorial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.equations.spatial.algebra import Value
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.motions import screws
from gough.motion.motions.sequences import Sequence, sequence
from gough.motion.piecewise import PiecewisePolynomial, smoothest
from gough.motion.profiles import Profile
from gough.motion.samples import Motion, MotionSamples, as_tuple, delegated, with_warnings

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

DEGREE = 5
SHORTEST_STEP = 1e-9  # minimum time between poses by the duration: speeds stay finite
GAP = 10.0  # multiple of the usual step [s] of a record that counts as a gap
WIDE_TURN = np.pi / 2


@dataclass(frozen=True, eq=False, repr=False)
class SplineMotion(Motion):
    """A spline: `place` is position [m] and rotation vector [rad] from a reference attitude.

    `deviation` [m, rad] is the root-mean-square distance of position and attitude from the data.
    """

    duration: float
    reference: tuple[float, ...]
    place: PiecewisePolynomial
    deviation: tuple[float, float] = (0.0, 0.0)
    cautions: tuple[str, ...] = ()
    waypoint_times: tuple[float, ...] | None = None
    corners = delegated("place.corners", as_tuple)

    def _at(self, t: Array) -> MotionSamples:
        rate = self.place.derivative
        return screws.motion_of_places(self.reference, self.place(t), rate(t), rate.derivative(t))

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        return screws.law_of_places(self.reference, self.place.law(t, at))


@with_warnings
def waypoints(
    times: ArrayLike,
    poses: ArrayLike,
    *,
    stops: ArrayLike = False,
    profile: Callable[[float], Profile] | None = None,
) -> SplineMotion | screws.Straight | Sequence:
    """Return a motion through poses (n, 7) at increasing times [s], of which the first is 0.

    It rests at its ends. `stops` says whether it also rests in between: at all waypoints (True),
    at none (False), or at those marked in a list of n. Between two neighbouring stops it is the
    straight line of minimum jerk; or, with stops at all waypoints, that of a profile made
    from a duration, such as `Cycloidal`.
    """
    t = _checked_steps(checked.times(times, "times"))
    if t[0] != 0.0:
        raise MotionError("does not begin at 0", key="times[0]", value=float(t[0]), expected="0 s")
    p = checked.array(poses, "poses", (len(t), 7))
    count = len(t)
    try:
        marks = np.asarray(stops)
    except ValueError:  # lists of different lengths
        marks = np.asarray(None)
    if marks.dtype != bool or marks.shape not in ((), (count,)):
        expected = f"true, false, or a list of {count}"
        raise MotionError("not clear", key="stops", value=stops, expected=expected)
    resting = np.array(np.broadcast_to(marks, count))
    resting[[0, -1]] = True
    ends = np.flatnonzero(resting)
    pieces: list[SplineMotion | screws.Straight]
    if profile is None:
        pieces = [_through(t[i : j + 1] - t[i], p[i : j + 1]) for i, j in pairwise(ends)]
    else:
        if not resting.all():  # a profile goes from stop to stop
            problem = f"waypoints[{np.argmin(resting)}] is passed without a stop"
            raise MotionError(problem, key="profile", expected="stops at all of them")
        ways = ((p[k : k + 2], profile(t[k + 1] - t[k])) for k in range(count - 1))
        pieces = [screws.straight(*way) for way in ways]
    return pieces[0] if len(pieces) == 1 else sequence(*pieces)


@with_warnings
def recorded(
    times: ArrayLike, poses: ArrayLike, *, position_noise: float = 0.0, angle_noise: float = 0.0
) -> SplineMotion:
    """A motion along measured poses (n, 7) at increasing times [s]; the first becomes 0.

    The smoothing is stated as the noise of the record, a standard deviation of each coordinate,
    [m] and [rad]: the spline has the fewest knots that keep it that near to the data, in the mean
    of squares. No noise means that it goes through every sample.
    """
    t = _checked_steps(checked.times(times, "times", DEGREE + 1))
    t = t - t[0]
    p = checked.array(poses, "poses", (len(t), 7))
    given = {"position_noise": position_noise, "angle_noise": angle_noise}
    noise = np.repeat([checked.number(value, key, least=0.0) for key, value in given.items()], 3)
    reference, place = screws.places_of(p)
    smoothed = [_smooth(t, x, s) for x, s in zip(place.T, noise, strict=True)]
    spline = _joined([spline for spline, _ in smoothed], t)
    error = spline(t) - place
    deviation = [float(np.sqrt((e**2).sum(-1).mean())) for e in (error[:, :3], error[:, 3:])]
    unsettled = {words: None for _, words in smoothed if words}
    cautions = (*unsettled, *_cautions(t, place[:, 3:]))
    return SplineMotion(float(t[-1]), reference, spline, (deviation[0], deviation[1]), cautions)


def _checked_steps(times: Array) -> Array:
    """Times that take a duration, with none too near to the one before it for a spline."""
    duration = checked.duration(float(times[-1] - times[0]), "times")
    steps, least = np.diff(times), SHORTEST_STEP * duration
    k = int(np.argmin(steps))
    if steps[k] < least:
        problem, key = f"only {steps[k]:.3g} s after the time before it", f"times[{k + 1}]"
        expected = f"at least {least:.3g} s, {SHORTEST_STEP:g} of the duration"
        raise MotionError(problem, key=key, value=float(times[k + 1]), expected=expected)
    return times


def _smooth(times: Array, values: Array, noise: float) -> tuple[BSpline, str]:
    """The smoothest spline as far from the values as the noise, in mean squares; a caution."""
    from scipy.interpolate import BSpline, splrep  # noqa: PLC0415  (slow to import)

    goal = len(times) * noise**2
    spline, _, status, _ = splrep(times, values, k=DEGREE, s=goal, full_output=1, quiet=1)
    unsettled = (
        f"the smoothing of the record for a noise of {noise:.3g} did not settle: "
        "look at the motion's deviation from it"
    )
    return BSpline(*spline), unsettled if status > 0 else ""


def _cautions(times: Array, vectors: Array) -> Iterator[str]:
    """Warn of the longest stretch without samples, and of neighbours far turned, if there are."""
    steps, turns = np.diff(times), np.linalg.norm(np.diff(vectors, axis=0), axis=-1)
    k, usual = int(np.argmax(steps)), np.median(steps)
    if steps[k] > GAP * usual:
        yield (
            f"the record has no samples from {times[k]:.6g} s to {times[k + 1]:.6g} s, otherwise "
            f"every {usual:.3g} s: the motion in between is a guess"
        )
    k = int(np.argmax(turns))
    if turns[k] > WIDE_TURN:
        yield (
            f"the record turns by {np.degrees(turns[k]):.4g} deg from one sample to the next at "
            f"{times[k]:.6g} s: the shorter way round is taken"
        )


def _through(times: Array, poses: Array) -> SplineMotion:
    """The spline through poses, at rest at its ends."""
    reference, place = screws.places_of(poses)
    spline, at = smoothest(times, place), tuple(times.tolist())
    return SplineMotion(float(times[-1]), reference, spline, waypoint_times=at)


def _joined(splines: list[BSpline], times: Array) -> PiecewisePolynomial:
    """One spline of six columns from six with knots of their own: it has the knots of all."""
    from scipy.interpolate import make_interp_spline  # noqa: PLC0415  (slow to import)

    inner = np.unique(np.concatenate([s.t[DEGREE + 1 : -DEGREE - 1] for s in splines]))
    clear = inner[(inner > times[0]) & (inner < times[-1])]
    ends = np.ones(DEGREE + 1)
    knots = np.concatenate([times[0] * ends, clear, times[-1] * ends])
    sites = np.array([knots[k + 1 : k + DEGREE + 1].mean() for k in range(len(clear) + DEGREE + 1)])
    sites = np.clip(sites, times[0], times[-1])  # the mean of equal knots may be beyond them
    values = np.stack([s(sites) for s in splines], axis=-1)
    spline = make_interp_spline(sites, values, k=DEGREE, t=knots)
    corners, powers = np.unique(knots), range(DEGREE, -1, -1)
    terms = [spline(corners[:-1], power) / factorial(power) for power in powers]
    return PiecewisePolynomial(corners, np.stack(terms))
