"""Motions along a path through parallel singularities that the actuators can follow.

At each crossing s̈ follows from the criterion at the speed there [Briot & Arakelian 2008]. With
the path coordinate, its speed and its acceleration at the crossings and at both ends, at rest, the
law is a polynomial: of order 8 for one crossing. The times and speeds of the crossings are chosen
for minimum forces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.freedoms import possible_motion
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, vector
from gough.errors import GoughError
from gough.kinematics.capacity import largest_forces
from gough.kinematics.singularity.crossings import crossings
from gough.model.kernels import Kernels
from gough.model.structure import structure_of
from gough.motion import Motion, MotionSamples, Polynomial, Task, checked, total_wrench
from gough.motion.motions.sequences import with_profile
from gough.motion.tasks.task import carrying, checked_tasks
from gough.robot import Robot

SAMPLES = 401
"""Number of times at which forces, and of places at which the determinant, are computed."""
_TIMES, _SPEEDS = np.linspace(0.2, 0.8, 13), np.linspace(0.4, 3.0, 14)
"""Shares of the duration, and speeds as shares of the mean one, that are tried first."""
_ROUNDS, _FINEST = 400, 1e-6
"""Maximum number of iterations of the search, and its tolerance."""


@dataclass(frozen=True, eq=False)
class CrossingMotion(Displayable):
    """A motion through parallel singularities that actuators can follow.

    >>> import gough
    >>> start = gough.pose([0, 0.16, 0], rpy=[0, 0, -40], degrees=True)
    >>> path = gough.motion.line(start, [0, -0.12, 0], gough.motion.Quintic(0.25))
    >>> found = gough.crossing_motion(gough.load("five-bar"), path, 0.25)
    >>> float(found.times[0].round(2))  # [s]
    0.18
    """

    robot: Robot
    motion: Motion
    profile: Polynomial
    """Path coordinate over time."""
    times: Array
    """(k) times of the crossings [s]."""
    poses: Array
    """(k, 7) poses of the crossings."""
    force: Array
    """(n) maximum absolute force of each actuator [N, N m]."""
    usage: float
    """Maximum fraction of an actuator's force limit; NaN if none is stated."""

    @property
    def table(self) -> PlainData:
        """Profile for the [motion] table of a line, rotation or screw."""
        return {"kind": "polynomial", "coefficients": list(self.profile.coefficients)}

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        return self.robot.name, "motion across singularities"

    def tables(self) -> list[Table]:
        """When and where it crosses, the maximum forces, and the profile for a study."""
        crossed = zip(self.times, self.poses, strict=True)
        rows = [(float(time), vector(pose[:3])) for time, pose in crossed]
        driven = zip(structure_of(self.robot).driven, self.force, strict=True)
        forces = [(joint.name, float(force), joint.force_unit) for joint, force in driven]
        listed = ", ".join(map(repr, self.profile.coefficients))
        note = (
            f"duration = {self.motion.duration!r}\n"
            f'profile = {{ kind = "polynomial", coefficients = [{listed}] }}'
        )
        return [
            Table.of("Crossings", ("at [s]", "position [m]"), rows),
            Table.of("Maximum forces", ("actuator", "value", "unit"), forces, note),
        ]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        found = {name: getattr(self, name) for name in ("times", "poses", "force", "usage")}
        more = {"duration": self.motion.duration, "profile": self.table}
        return {"robot": self.robot.name, **found, **more}


def crossing_motion(
    robot: Robot,
    path: Motion,
    duration: float,
    *,
    tasks: Iterable[Task] = (),
    max_force: ArrayLike | None = None,
) -> CrossingMotion:
    """Return a motion through parallel singularities, from rest to rest in a duration [s].

    The path is a motion, whose own profile does not matter. `tasks` act meanwhile. `max_force`
    [N, N m], one for all actuators or one each, is that of the robot, if left out. Forces that are
    larger, or a law that would have to turn back, are a GoughError.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> start = gough.pose([0, 0.16, 0], rpy=[0, 0, -40], degrees=True)
    >>> path = line(start, [0, -0.12, 0], Quintic(0.25))
    >>> found = gough.crossing_motion(gough.load("five-bar"), path, 0.25)
    >>> float(found.times[0].round(2))  # [s]
    0.18
    """
    checked.instance(path, Motion, "path", "a motion, such as a line")
    search = _CrossingSearch(robot, path, checked.duration(duration), checked_tasks(tasks))
    stated = [actuator.max_force for actuator in robot.actuators]
    if max_force is None and None in stated:
        limit = np.array([force or np.inf for force in stated])
    else:
        limit = largest_forces(robot, max_force)
    law, worst = search.best(limit)
    if not np.isfinite(worst):
        raise GoughError(
            f"{robot.name}: no polynomial of order {law.order} passes the path in "
            f"{duration:g} s without turning back; expected another duration or another path"
        )
    motion = with_profile(search.possible, law.profile)
    force = search.forces(law)
    usage = float(np.nanmax(force / limit)) if np.isfinite(limit).any() else float("nan")
    if usage > 1:
        which = int(np.nanargmax(force / limit))
        raise GoughError(
            f"{robot.name}: the path takes {force[which]:.4g} of {robot.actuators[which].name} in "
            f"{duration:g} s, at best; expected at most {limit[which]:.4g}: another duration, or "
            "another path"
        )
    return CrossingMotion(robot, motion, law.profile, law.at, motion(law.at).pose, force, usage)


class _Law(NamedTuple):
    """A time law: when it crosses [s], how fast [1/s], and with which acceleration [1/s²]."""

    duration: float
    places: Array
    at: Array
    speed: Array
    acceleration: Array

    @property
    def order(self) -> int:
        """Order of the polynomial."""
        return 5 + 3 * len(self.places)

    @property
    def times(self) -> Array:
        """At which it is looked at [s]."""
        return np.linspace(0.0, self.duration, SAMPLES)

    @property
    def profile(self) -> Polynomial:
        """The polynomial with rest at both ends, and place, speed and acceleration at crossings."""
        T = self.duration
        x = np.append(self.at / T, 1.0)[:, None]
        wanted = [
            np.append(self.places, 1.0),
            np.append(self.speed * T, 0.0),
            np.append(self.acceleration * T * T, 0.0),
        ]
        k = np.arange(3, self.order + 1)  # the first three are zero: rest at the beginning
        rows = [x**k, k * x ** (k - 1), k * (k - 1) * x ** (k - 2)]
        found = np.linalg.solve(np.concatenate(rows), np.concatenate(wanted))
        return Polynomial(T, (0.0, 0.0, 0.0, *found.tolist()))

    @property
    def goes_on(self) -> bool:
        """Whether it never turns back: between its ends by its speed, at these by its jerk."""
        profile = self.profile
        jerk = np.polynomial.Polynomial(profile.coefficients).deriv(3)
        forwards = (profile(self.times[1:-1]).speed > 0).all()
        return bool(forwards and (jerk(np.array([0.0, 1.0])) >= 0).all())


@dataclass(frozen=True)
class _CrossingSearch:
    """A path, and what a time law along it takes."""

    robot: Robot
    path: Motion
    duration: float
    tasks: tuple[Task, ...]

    @cached_property
    def model(self) -> Kernels:
        return Kernels(carrying(self.robot, self.tasks))

    @cached_property
    def way(self) -> Motion:
        """The path at one unit of itself a second: twist and acceleration are its derivatives."""
        return with_profile(self.possible, Polynomial(1.0))

    @cached_property
    def possible(self) -> Motion:
        """The path, with what the machine must do besides."""
        return possible_motion(self.robot, self.path, np.linspace(0, self.path.duration, SAMPLES))

    @cached_property
    def places(self) -> Array:
        """(k) where the path crosses singularities, from 0 to 1."""
        way = self.way
        found = crossings(self.model, lambda s: way(s).pose, (0.0, 1.0), samples=SAMPLES)
        if len(found.touching_times):
            raise GoughError(
                f"{self.robot.name}: the path touches a singularity at "
                f"{found.touching_times[0]:.6g} of its way; expected one that crosses them"
            )
        if not len(found.crossing_times):
            raise GoughError(
                f"{self.robot.name}: the path crosses no parallel singularity; expected one that "
                "does: any profile will do for this one"
            )
        return found.crossing_times

    def best(self, limit: Array) -> tuple[_Law, float]:
        """Return the law of minimum peak force over its limit; infinite if all turn back."""
        from scipy.optimize import minimize  # noqa: PLC0415  (slow to import)

        def worst(x: Array) -> float:
            return self._worst(self._law(*np.split(x, 2)), limit)

        spread = self.places - self.places.mean()
        times = [at for at in (time + spread for time in _TIMES) if at.min() > 0 and at.max() < 1]
        starts = ([*at, *np.full(len(at), speed)] for at in times for speed in _SPEEDS)
        first = min(map(np.array, starts), key=worst)
        if not np.isfinite(worst(first)):
            return self._law(*np.split(first, 2)), np.inf
        options = {"maxfev": _ROUNDS, "xatol": _FINEST, "fatol": _FINEST * worst(first)}
        found = minimize(worst, first, method="Nelder-Mead", options=options)
        return self._law(*np.split(found.x, 2)), float(found.fun)

    def _law(self, times: Array, speeds: Array) -> _Law:
        """The law that passes the crossings so, by the criterion."""
        at, speed = times * self.duration, speeds / self.duration
        both = (self._along(self.places, speed, np.full_like(at, a)) for a in (0.0, 1.0))
        loaded = ((*moved, total_wrench(self.tasks, at, moved)) for moved in both)
        without, with_one = (self.model.crossing_residual(*state) for state in loaded)
        with np.errstate(divide="ignore", invalid="ignore"):
            acceleration = without / (without - with_one)
        return _Law(self.duration, self.places, at, speed, acceleration)

    def _along(self, s: Array, speed: Array, acceleration: Array) -> MotionSamples:
        pose, slope, bend = self.way(s)
        v = speed[:, None]
        return MotionSamples(pose, slope * v, bend * v**2 + slope * acceleration[:, None])

    def forces(self, law: _Law) -> Array:
        """Return (n) the maximum force of each actuator, without poses too near a singular one."""
        t = law.times
        moved = self._along(*law.profile(t))
        force = self.model.actuator_force(*moved, total_wrench(self.tasks, t, moved))
        return np.asarray(np.fmax.reduce(np.abs(force)))

    def _worst(self, law: _Law, limit: Array) -> float:
        possible = (
            np.isfinite(law.acceleration).all()
            and (np.diff(law.at, prepend=0.0, append=law.duration) > 0).all()
            and law.goes_on
        )
        if not possible:
            return float("inf")
        scale = limit if np.isfinite(limit).any() else 1.0
        return float(np.max(self.forces(law) / scale))
