"""Motions along a path through parallel singularities that the actuators can follow.

At each crossing ü follows from the criterion at the pace u̇ there [Briot & Arakelian 2008]. With
z(u) = u̇² and ü = z'/2 forces and criterion are linear in z and z', but for damping: a spline z(u)
that crosses, takes the duration and has minimum peak forces is found as in time-optimal path
tracking [Verscheure et al. 2009, IEEE Trans. Automatic Control 54(10)]. As z may be large near a
crossing and small elsewhere, there is one for every duration.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
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
from gough.model import Kernels, structure_of
from gough.motion import Motion, MotionSamples, Paced, Quintic, Task, checked, total_wrench
from gough.motion.motions.sequences import with_profile
from gough.motion.tasks.task import carrying, checked_tasks
from gough.one_thread import one_thread
from gough.robot import Robot

SAMPLES = 401
"""Number of times at which forces, and of places at which the determinant, are computed."""
PIECES = 40
"""Number of pieces of the spline."""
_AT = np.linspace(0.0, 1.0, 401)
"""Values of u at which forces are made small."""
_POWER, _ROUGHNESS = 20, 0.03
"""The power whose mean stands for a maximum, and the weight of second differences of log z."""
_ITERATIONS, _FINEST, _FARTHEST = 1000, 1e-8, 25.0
"""Iterations of the search, its tolerance, and how far log z may go."""
_CORRECTIONS, _NODES, _LACKING = 6, 24, 1e-10
"""Newton steps to the conditions, points of an integral in a piece, what may be lacking."""
_EASY, _DOUBLINGS = 4.0, 12
"""Duration to begin with, in units of that of the motion at crossings; how often it is doubled."""
_SEARCHES, _ROUNDS = 8, 40
"""Profiles that are searched in turn, and that are searched or corrected."""


@dataclass(frozen=True, eq=False)
class CrossingMotion(Displayable):
    """A motion through parallel singularities that actuators can follow.

    >>> import gough
    >>> start = gough.pose([0, 0.16, 0], rpy=[0, 0, -40], degrees=True)
    >>> path = gough.motion.line(start, [0, -0.12, 0], gough.motion.Quintic(0.25))
    >>> found = gough.crossing_motion(gough.load("five-bar"), path, 0.25)
    >>> float(found.times[0].round(2))  # [s]
    0.14
    """

    robot: Robot
    motion: Motion
    profile: Paced
    """Path coordinate over time."""
    times: Array
    """(k) times of the crossings [s]."""
    poses: Array
    """(k, 7) poses of the crossings."""
    force: Array
    """(n) maximum absolute force of each actuator [N, N m]."""
    usage: float
    """Maximum fraction of an actuator's force limit; NaN if none is stated."""
    result_kind = "motion across singularities"
    listed = "robot times poses force usage duration=motion.duration profile=table"

    @property
    def table(self) -> PlainData:
        """Profile for the [motion] table of a line, rotation or screw."""
        return {"kind": "paced", "squares": list(self.profile.squares)}

    def tables(self) -> list[Table]:
        """When and where it crosses, the maximum forces, and the profile for a study."""
        crossed = zip(self.times, self.poses, strict=True)
        rows = [(float(time), vector(pose[:3])) for time, pose in crossed]
        driven = zip(structure_of(self.robot).driven, self.force, strict=True)
        forces = [(joint.name, float(force), joint.force_unit) for joint, force in driven]
        listed = ", ".join(map(repr, self.profile.squares))
        profile = f'{{ kind = "paced", squares = [{listed}] }}'
        note = f"duration = {self.motion.duration!r}\nprofile = {profile}"
        first = Table.of("Crossings", ("at [s]", "position [m]"), rows)
        return [first, Table.of("Maximum forces", ("actuator", "value", "unit"), forces, note)]


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
    [N, N m], one for all actuators or one each, is that of the robot, if left out. If forces are
    larger at best it is a GoughError.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> start = gough.pose([0, 0.16, 0], rpy=[0, 0, -40], degrees=True)
    >>> path = line(start, [0, -0.12, 0], Quintic(0.25))
    >>> found = gough.crossing_motion(gough.load("five-bar"), path, 0.25)
    >>> float(found.times[0].round(2))  # [s]
    0.14
    """
    checked.instance(path, Motion, "path", "a motion, such as a line")
    stated = [actuator.max_force for actuator in robot.actuators]
    own = None in stated and max_force is None
    given = [force or np.inf for force in stated] if own else max_force
    limit = largest_forces(robot, given)
    scale = limit if np.isfinite(limit).any() else np.ones_like(limit)
    search = _CrossingSearch(robot, path, checked.duration(duration), checked_tasks(tasks), scale)
    profile = search.best()
    motion = with_profile(search.possible, profile)
    force = search.forces(profile)
    usage = float(np.nanmax(force / limit)) if np.isfinite(limit).any() else float("nan")
    if usage > 1:
        which = int(np.nanargmax(force / limit))
        raise GoughError(
            f"{robot.name}: the path takes {force[which]:.4g} of {robot.actuators[which].name} in "
            f"{duration:g} s, at best; expected at most {limit[which]:.4g}: another duration, or "
            "another path"
        )
    times = profile.time_of(search.places)
    return CrossingMotion(robot, motion, profile, times, motion(times).pose, force, usage)


class _Terms(NamedTuple):
    """Coefficients (m, ...) of a number along the path: c + d u̇ + b u̇² + a ü."""

    c: Array
    d: Array
    b: Array
    a: Array

    def at(self, z: Array, slope: Array) -> Array:
        """The number, from the square of the pace and its slope dz/du = 2 ü."""
        z, slope = self._spread(z), self._spread(slope)
        return self.c + self.d * np.sqrt(z) + self.b * z + self.a * slope / 2

    def by_square(self, z: Array) -> Array:
        """Its derivative by the square of the pace."""
        return np.asarray(self.b + self.d / (2 * np.sqrt(self._spread(z))))

    def _spread(self, numbers: Array) -> Array:
        return numbers.reshape(-1, *[1] * (self.c.ndim - 1))


@dataclass(frozen=True)
class _CrossingSearch:
    """A path, and the pace along it of minimum peak force."""

    robot: Robot
    path: Motion
    duration: float
    tasks: tuple[Task, ...]
    limit: Array

    @cached_property
    def model(self) -> Kernels:
        return Kernels(carrying(self.robot, self.tasks))

    @cached_property
    def possible(self) -> Motion:
        """The path, with what the machine must do besides."""
        return possible_motion(self.robot, self.path, np.linspace(0, self.path.duration, SAMPLES))

    @cached_property
    def way(self) -> Motion:
        """The path over u, one unit a second: twist and acceleration are its derivatives."""
        return with_profile(self.possible, Quintic(1.0))

    @cached_property
    def places(self) -> Array:
        """(k) where the path crosses singularities, values of u."""
        way = self.way
        found = crossings(self.model, lambda u: way(u).pose, (0.0, 1.0), samples=SAMPLES)
        if len(found.touching_times):
            raise GoughError(
                f"{self.robot.name}: the path touches a singularity at "
                f"{Quintic(1.0)(found.touching_times).s[0]:.6g} of its way; expected one that "
                "crosses them"
            )
        if not len(found.crossing_times):
            problem = f"{self.robot.name}: the path crosses no parallel singularity"
            raise GoughError(f"{problem}; expected one that does: any profile will do for this one")
        return found.crossing_times

    @one_thread()
    def best(self) -> Paced:
        """Return the profile of minimum peak force over its limit.

        Forces are linear in ü and quadratic in u̇; what is not (some friction, tasks over time) is
        taken as it is along the profile before. Then the search goes half of the way each time, and
        at last only corrects what is lacking: forces are small, perhaps not minimal. The search
        begins with a short duration, at an even pace, and doubles it: so a long motion hurries only
        where it must.
        """
        *shorter, duration = self._durations
        profile = Paced(shorter[0] if shorter else duration)
        profile = replace(profile, squares=(profile.duration**-2,) * (PIECES + 2))
        for longer in (*shorter[1:], duration):
            profile = replace(self._better(profile, _ITERATIONS), duration=longer)
        for k in range(_ROUNDS):
            better = self._better(profile, _ITERATIONS if k < _SEARCHES else 0)
            if self.lacking(better) < _LACKING:
                return better
            share = 0.5 if 0 < k < _SEARCHES else 1.0
            squares = np.power(profile.squares, 1 - share) * np.power(better.squares, share)
            profile = Paced(duration, tuple(squares.tolist()))
        raise GoughError(
            f"{self.robot.name}: no profile was found that crosses the singularities of the path "
            f"in {self.duration:g} s; expected another duration or another path"
        )

    @property
    def _durations(self) -> list[float]:
        """Durations [s] up to that of the motion, from one in which nothing has to hurry."""
        residual = self._terms("crossing_residual", self.places, Paced(1.0, (1.0,) * (PIECES + 2)))
        with np.errstate(divide="ignore"):
            own = _EASY * float(np.sqrt(np.abs(residual.a / residual.c)).min())
        doublings = min(max(0, math.ceil(math.log2(self.duration / own))), _DOUBLINGS)
        return [self.duration / 2**k for k in range(doublings, -1, -1)]

    def lacking(self, profile: Paced) -> float:
        """Return the maximum share that is lacking at the crossings."""
        t = profile.time_of(self.places)
        moved = with_profile(self.possible, profile)(t)
        return float(np.max(self.model.crossing_share(*moved, total_wrench(self.tasks, t, moved))))

    def forces(self, profile: Paced) -> Array:
        """Return (n) the maximum force of each actuator, without poses too near a singular one."""
        t = np.linspace(0.0, self.duration, SAMPLES)
        t = np.union1d(t, profile.time_of(_AT))
        moved = with_profile(self.possible, profile)(t)
        force = self.model.actuator_force(*moved, total_wrench(self.tasks, t, moved))
        return np.asarray(np.fmax.reduce(np.abs(force)))

    def _better(self, profile: Paced, iterations: int) -> Paced:
        """The best profile, with forces as they depend on the pace near another."""
        from scipy.optimize import minimize  # noqa: PLC0415  (slow to import)

        force = self._terms("actuator_force", _AT, profile)
        finite = np.isfinite(force.c).all(axis=-1)
        force = _Terms(*(part[finite] / self.limit for part in force))
        spline, rates = (part[finite] for part in _spline(_AT))
        residual = self._terms("crossing_residual", self.places, profile)
        size = np.abs(residual.c) + np.abs(residual.b) / profile.duration**2
        residual = _Terms(*(part / size for part in residual))
        at, rate = _spline(self.places)
        nodes, weights = _gauss()
        lengths, _ = _spline(nodes)

        def cost(logs: Array) -> tuple[float, Array]:
            """Mean power of the forces, near their maximum, and a little of the roughness."""
            squares = np.exp(logs)
            z, slope = spline @ squares, rates @ squares
            f = force.at(z, slope)
            peak = np.abs(f).max()
            powers = (f / peak) ** _POWER
            by_force = (f / peak) ** (_POWER - 1) / (peak * powers.sum())
            by_square = (by_force * force.by_square(z)).sum(-1)
            by_slope = (by_force * force.a).sum(-1) / 2
            bend = np.diff(logs, 2)
            smooth = np.convolve(bend, [1.0, -2.0, 1.0])
            value = np.log(peak) + np.log(powers.mean()) / _POWER + _ROUGHNESS * bend @ bend / 2
            gradient = (by_square @ spline + by_slope @ rates) * squares + _ROUGHNESS * smooth
            return float(value), gradient

        def conditions(logs: Array) -> Array:
            """The residual at each crossing, and the logarithm of the duration over the wanted."""
            squares = np.exp(logs)
            took = weights @ (lengths @ squares) ** -0.5
            residuals = residual.at(at @ squares, rate @ squares)
            return np.append(residuals, np.log(took / profile.duration))

        def gradients(logs: Array) -> Array:
            squares = np.exp(logs)
            z, inner = at @ squares, lengths @ squares
            crossing = residual.by_square(z)[:, None] * at + residual.a[:, None] * rate / 2
            took = -(weights * inner**-1.5) @ lengths / (2 * weights @ inner**-0.5)
            return np.asarray(np.vstack([crossing, took]) * squares)

        found = np.log(profile.squares)
        if iterations:
            found = minimize(
                cost,
                found,
                jac=True,
                method="SLSQP",
                bounds=[(log - _FARTHEST, log + _FARTHEST) for log in found],
                constraints={"type": "eq", "fun": conditions, "jac": gradients},
                options={"maxiter": iterations, "ftol": _FINEST},
            ).x
        for _ in range(_CORRECTIONS):
            made, lacking = Paced(profile.duration, tuple(np.exp(found))), conditions(found)
            lacking[-1] = np.log(made.own_duration / profile.duration)  # exactly
            found = found - np.clip(np.linalg.lstsq(gradients(found), lacking)[0], -1.0, 1.0)
        return Paced(profile.duration, tuple(np.exp(found).tolist()))

    def _terms(self, kernel: str, u: Array, profile: Paced) -> _Terms:
        """Dependence of what a kernel gives on the pace at places, near a profile."""
        t = profile.time_of(u)
        spline, _ = _spline(u)
        pace = np.sqrt(spline @ np.array(profile.squares))
        pose, slope, bend = self.way(u)

        def value(v: Array, acceleration: Array) -> Array:
            speed, more = v[:, None], acceleration[:, None]
            moved = MotionSamples(pose, slope * speed, bend * speed**2 + slope * more)
            wrench = total_wrench(self.tasks, t, moved)
            return np.asarray(getattr(self.model, kernel)(*moved, wrench))

        slow, same, fast = (value(share * pace, np.zeros_like(pace)) for share in (0.5, 1.0, 1.5))
        more = value(pace, pace**2)
        pace = pace.reshape(-1, *[1] * (same.ndim - 1))
        b = 2 * (fast - 2 * same + slow) / pace**2
        d = (fast - slow) / pace - 2 * b * pace
        return _Terms(same - d * pace - b * pace**2, d, b, (more - same) / pace**2)


def _spline(u: Array) -> tuple[Array, Array]:
    """Return (m, n + 2) values of the basis of a profile's squares at values of u, and slopes."""
    from scipy.interpolate import BSpline  # noqa: PLC0415  (slow to import)

    knots = np.concatenate([[0.0, 0.0], np.linspace(0.0, 1.0, PIECES + 1), [1.0, 1.0]])
    spline = BSpline(knots, np.eye(PIECES + 2), 2)
    return spline(u), spline(u, 1)


def _gauss() -> tuple[Array, Array]:
    """Nodes and weights of an integral over u, by pieces."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    begins = np.arange(PIECES)[:, None]
    return ((begins + (nodes + 1) / 2) / PIECES).ravel(), np.tile(weights / (2 * PIECES), PIECES)
