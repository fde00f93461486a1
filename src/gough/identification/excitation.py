"""Excitation trajectories: maximum information about inertial parameters, within limits.

A Fourier series [Swevers 1997] that begins and ends at rest; its waves maximise log det of the
information about the base parameters. Limits are logarithmic barriers, so that each step stays
within them, and L-BFGS uses exact derivatives of compiled kernels. A fraction of every range is
left free, for tracking errors. Where limits are violated between the samples, on a finer grid, they
get the missing margin in addition. A motion is given by places, positions [m] and rotation vectors
[rad] from a reference attitude, with their two rates, at some times.

Swevers, Ganseman, Tükel, De Schutter, Van Brussel: Optimal robot excitation and identification,
IEEE Transactions on Robotics and Automation 13 (1997).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import ClassVar, Self

import casadi as ca
import numpy as np
from scipy import linalg, optimize

from gough.arrays import Array
from gough.checks import RandomSource, require_integer
from gough.compiler import Argument, Kernel, compiled
from gough.disk.files import write_text
from gough.display import Displayable, Rows, Table
from gough.equations.forces import dynamics
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import turned_by
from gough.errors import GoughError
from gough.executors import Executor, in_chunks
from gough.fields.toml_text import toml_text
from gough.identification.base import BaseParameters, base_parameters
from gough.identification.legs import Sharing
from gough.kinematics import ALL_LIMITS, margins
from gough.kinematics.size import machine_size
from gough.kinematics.workspace.reach import each_margin
from gough.kinematics.workspace.stated_limits import FAMILIES, Stated, ends_of, stated_limits
from gough.model import Kernels, Machines, definitions
from gough.model.catalogue import chosen_formulation
from gough.model.standard import standard_names
from gough.motion import checked
from gough.motion.motions.screws import PLACES, motion_of_places
from gough.motion.motions.waves import COORDINATES, FourierMotion, fourier, fourier_basis
from gough.motion.samples import Derived, MotionSamples, delegated
from gough.one_thread import one_thread
from gough.progress import progress_bar, shows_progress
from gough.robot import Robot, library_names

LIMITS = (*FAMILIES, "speed", "force")  # kinds of limits, in the order of margins
SQUARED = ("base joint", "platform joint", "speed", "force")
"""Those whose margins are 1 - share² of the limit: below it by a share, they are twice that."""
SLOPE = Argument("slope", (18,), "SI", "derivatives by place, place_1 and place_2")
ASKED = Argument("asked", (len(LIMITS),), "1", "the margins that are asked for")
END = Argument("end", (), "1", "the margin below which a barrier is a parabola")
Places = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Information:
    """The information of a motion about base parameters: log det YᵀY, where all forces are Y x."""

    model: Kernels
    base: BaseParameters
    reference: tuple[float, ...]  # the attitude that rotation vectors count from

    def columns(self, places: Places) -> Array:
        """Y (T, n, b)."""
        states = motion_of_places(self.reference, *places)
        return np.asarray(self.model.regressor(*states) @ self._own)

    def __call__(self, places: Places) -> tuple[float, Array]:
        """log det YᵀY and its derivatives by places and rates (T, 18); -inf where there is none.

        d log det YᵀY = 2 tr((YᵀY)⁻¹ Yᵀ dY). Products are of one sample at a time: larger ones would
        be shared among threads, which wait for each other where others are at work.
        """
        Y = self.columns(places)
        normal = (np.swapaxes(Y, 1, 2) @ Y).sum(axis=0)
        lengths = np.sqrt(np.diag(normal))
        none = -np.inf, np.zeros((len(Y), SLOPE.size))
        if not (np.isfinite(lengths).all() and lengths.all()):
            return none
        unit = normal / np.outer(lengths, lengths)
        sign, value = np.linalg.slogdet(unit)
        if sign <= 0:
            return none
        inverse = np.linalg.inv(unit) / np.outer(lengths, lengths)
        weights = 2 * (Y @ inverse) @ self._own.T
        kernel = columns_slope_kernel(self.model.machines)
        slope = kernel(np.array(self.reference), *places, weights)
        return float(value + 2 * np.log(lengths).sum()), np.asarray(slope)

    def condition(self, places: Places) -> float:
        """Return the condition number of Y, with all columns of length one."""
        rows = self.columns(places).reshape(-1, len(self.base.names))
        return float(np.linalg.cond(rows / np.linalg.norm(rows, axis=0)))

    @property
    def _own(self) -> Array:
        """(standard x base) which columns of the regressor count, summed over identical legs."""
        return np.asarray(self.base.ties[:, self.base.pivots])


@compiled
def columns_slope_kernel(machines: Machines) -> Kernel:
    """(reference, places, weights) -> derivatives of the regressor's sum, by these weights."""
    structure, formulation = machines.structure, chosen_formulation(machines.robot, None)
    regressor = definitions(structure, formulation)["regressor"].equation
    shape = structure.actuators, len(standard_names(structure))
    weights = Argument("weights", shape, "1", "of the regressor's entries")

    def equation(machine: Machine, reference: Value, *given: Value) -> Value:
        *places, factors = given
        columns = regressor(machine, *turned_by(reference, *places))
        assert not isinstance(columns, tuple)
        return ca.gradient(ca.dot(factors, columns), ca.vertcat(*places))

    return machines.kernel("excitation_slope", equation, (*PLACES, weights), (SLOPE,))


def least_margins(model: Kernels, reference: tuple[float, ...], places: Places) -> Array:
    """(T, 7) how far each kind of limit is kept, in the order of LIMITS; infinite where none is."""
    pose, twist, acceleration = motion_of_places(reference, *places)
    speed = model.joint_velocity(pose, twist)
    force, own = model.actuator_force(pose, twist, acceleration), []
    for values, limit in ((speed, "max_speed"), (force, "max_force")):
        shares = [np.abs(values[:, k]) / most for k, most in _stating(model.machines, limit)]
        own.append(1 - np.max(shares, axis=0) ** 2 if shares else np.full(len(values), np.inf))
    return np.column_stack([margins(model, pose), *own])


def margins_of(free: float) -> Array:
    """(7) the margins that leave this share of every range free, in the order of LIMITS."""
    return np.array([1 - (1 - free) ** 2 if kind in SQUARED else free for kind in LIMITS])


def limit_names(robot: Robot) -> tuple[str, ...]:
    """Return LIMITS as they are called for a robot: motors that turn have a range."""
    return (*ends_of(robot)[: len(FAMILIES)], *LIMITS[len(FAMILIES) :])


def free_shares(margins: Array) -> Array:
    """(7) the shares of ranges that margins leave free: all of one that is not limited."""
    squared = [kind in SQUARED for kind in LIMITS]
    return np.where(squared, 1 - np.sqrt(np.maximum(1 - margins, 0.0)), margins)


@compiled
def barrier_kernel(machines: Machines, stated: Stated) -> Kernel:
    """(reference, places, asked, δ) -> the sum of -log of all margins, and its derivatives.

    They are margins beyond those asked for. Below a small one, δ, it goes on as a parabola
    [Hauser & Saccon 2006], so that a motion that breaks limits is led back.
    """
    of_pose = each_margin(machines, stated, ALL_LIMITS, possible=True)
    fast, strong = _stating(machines, "max_speed"), _stating(machines, "max_force")

    def equation(machine: Machine, reference: Value, *given: Value) -> tuple[Value, Value]:
        *places, asked, delta = given
        pose, twist, acceleration = turned_by(reference, *places)
        _, families = of_pose(machine, pose)
        speed = kinematics.joint_velocity(machine, pose, twist)
        force = dynamics.actuator_force(machine, pose, twist, acceleration, ca.DM.zeros(6))
        each = [
            *families,
            [1 - (speed[k] / most) ** 2 for k, most in fast],
            [1 - (force[k] / most) ** 2 for k, most in strong],
        ]
        kinds = zip(each, ca.vertsplit(asked), strict=True)
        z = ca.vertcat(*(margin - least for margins, least in kinds for margin in margins))
        beyond = (((z - 2 * delta) / delta) ** 2 - 1) / 2 - ca.log(delta)
        total = ca.sum1(ca.if_else(z > delta, -ca.log(ca.fmax(z, delta)), beyond))
        return total, ca.gradient(total, ca.vertcat(*places))

    outputs = (Argument("total", (), "1", "of all margins"), SLOPE)
    return machines.kernel("excitation_barrier", equation, (*PLACES, ASKED, END), outputs)


def _stating(machines: Machines, limit: str) -> list[tuple[int, float]]:
    """Which actuators state a limit, and what it is."""
    stated = ((k, getattr(a, limit)) for k, a in enumerate(machines.robot.actuators))
    return [(k, most) for k, most in stated if most is not None]


DURATION, HARMONICS, STARTS = 10.0, 8, 4
MOST_HARMONICS, MOST_STARTS = 100, 1_000_000
MARGIN = 0.03  # default fraction of every range that motions leave free
SAMPLES = 12  # in a period of the fastest wave
FINER = 10  # refinement factor of the grid on which limits must hold
STAGES = ((0.1, 0.01, 100), (0.02, 0.005, 300), (0.01, 0.002, 300))
"""Weight of the barriers, margin below which they are parabolas, steps at most."""
TIGHTENING = (0.01, 0.002, 100)
"""Weight, margin and maximum steps each time that margins were missing between samples."""
TIGHTENINGS = 8
SPARE = 1e-3  # margin that is asked for beyond what was missing between samples
_HALVINGS = 40
_MOVABLE = 1e-9


@dataclass(frozen=True)
class Excitation(Derived, Displayable):
    """An excitation trajectory: a Fourier series, periodic, from rest to rest.

    >>> import gough
    >>> gough.excitation(gough.load("delta"), duration=2.0, harmonics=3, starts=1).duration
    2.0
    """

    given: FourierMotion
    condition: float
    """Condition number of the base parameters' regressor along it, with columns of length one."""
    information: float
    """log det of the mean of YᵀY over its samples, where all forces are Y x; larger is better."""
    margin: float
    """Minimum fraction of a range that it leaves free, on the finer grid: of the way from the
    middle of a stroke to its end, of the maximum speed, force or joint angle, of the legs' radii,
    and of the determinant at home."""
    limit: str
    """The limit that it comes nearest to."""

    table = delegated("given.table")
    """The [motion] table of a study."""
    result_kind: ClassVar = "excitation trajectory"
    listed: ClassVar = "condition information margin limit table"

    def _at(self, t: Array) -> MotionSamples:
        return self.given(t)

    def tables(self) -> list[Table]:
        """Return its information, and its margins to the limits."""
        share = f"of the {self.limit}: a share of its range"
        rows: Rows = [
            ("duration", self.duration, "s"),
            ("condition number", f"{self.condition:.0f}", ""),
            ("log det of the mean information of a sample", f"{self.information:.1f}", ""),
            ("minimum margin", self.margin, share),
        ]
        return [Table.properties("", rows)]

    def to_study(self, robot: str, path: str | Path) -> None:
        """Write the study of the motion, along which to record a machine, to a .toml file.

        `robot` is a library name or a robot file.
        """
        named = robot if robot in library_names() else str(Path(robot).resolve())
        study = {"schema": "gough-study/1", "name": Path(path).stem, "robot": named}
        write_text(path, toml_text(study | {"rate": "1 kHz", "motion": self.table}))


@shows_progress
def excitation(
    robot: Robot,
    *,
    duration: float = DURATION,
    harmonics: int = HARMONICS,
    legs: Sharing = "independent",
    margin: float = MARGIN,
    starts: int = STARTS,
    rng: RandomSource = 0,
    executor: Executor = None,
    progress: bool = False,
) -> Excitation:
    """Return the excitation trajectory about a robot's home for its base parameters, within limits.

    It has `harmonics` waves of its `duration` [s], and is the best of searches from
    random `starts`. With `legs="identical"` the legs share their numbers. Limits of stroke, speed,
    force, joint angles, clearance of legs and singularities hold as far as the robot states them,
    between the samples of the search too, and with a `margin`, a fraction of every range, left
    free: a machine does not follow exactly. Searches are done where `executor` says, see
    `gough.executors`. When interrupted, it is the best so far, if there is one.

    >>> import gough
    >>> found = gough.excitation(gough.load("delta"), duration=2.0, harmonics=3, starts=1)
    >>> bool(found.condition < 1000)
    True
    """
    search, best = ExcitationSearch.of(robot, duration, harmonics, legs, margin), None
    try:
        for found in search.best_so_far(starts, rng, executor):
            best = found
    except KeyboardInterrupt:
        if best is None:
            raise
    assert best is not None
    return best


@dataclass(frozen=True, eq=False)
class ExcitationSearch:
    """Motions of a robot by their free numbers: the waves of what it can move, at rest at ends."""

    model: Kernels
    information: Information
    duration: float
    harmonics: int
    margin: float

    @classmethod
    def of(
        cls, robot: Robot, duration: float, harmonics: int, legs: Sharing, margin: float
    ) -> Self:
        """Return the search of a robot; GoughError where there is no exciting motion."""
        require_integer("harmonics", harmonics, least=2, most=MOST_HARMONICS)
        if not (isinstance(margin, Real) and 0.0 <= margin < 1.0):
            expected = "a share of ranges, from 0 to less than 1"
            raise GoughError(f"margin={margin!r}; expected {expected}")
        model = Kernels(robot)
        if all(actuator.travel is None for actuator in robot.actuators):
            raise GoughError(
                f"{robot.name} states no travel of its actuators; an exciting motion needs limits: "
                "expected strokes, and better speeds and forces, too"
            )
        information = Information(model, base_parameters(robot, legs=legs), robot.home[3:])
        search = cls(model, information, checked.duration(duration), harmonics, float(margin))
        spare = search._spare(np.zeros(search._count), search._bases)
        if not (spare > 0.0).all():
            name = limit_names(robot)[int(np.argmin(spare))]
            raise GoughError(
                f"{robot.name}: at its home, where exciting motions begin, the limit of its {name} "
                f"is not kept with {100 * margin:.3g} % of its range to spare; expected a home "
                "within all limits, or a smaller margin"
            )
        return search

    def best_so_far(
        self, starts: int, rng: RandomSource, executor: Executor = None
    ) -> Iterator[Excitation]:
        """The best motion so far, as starts are done; of equal ones that of the first start."""
        require_integer("starts", starts, most=MOST_STARTS)
        best = dict[int, Excitation]()
        numbers = np.random.default_rng(rng).standard_normal((starts, self._count))
        with progress_bar("Exciting motions", starts) as tell:
            for chunk in in_chunks(self.optimal, numbers, executor=executor, here=1):
                best |= dict(zip(chunk.items, chunk.result, strict=True))
                first = max(best, key=lambda k: (best[k].information, -k))
                best = {first: best[first]}
                tell(len(chunk.items))
                yield best[first]

    @one_thread()
    def optimal(self, starts: Array) -> list[Excitation]:
        """The best motions that are found from starts, random numbers (n, free)."""
        return [self._optimal(self.within(x)) for x in starts]

    def _optimal(self, x: Array) -> Excitation:
        asked = margins_of(self.margin)
        for weight, end, steps in STAGES:
            x = self._improved(x, weight, end, steps, asked)
        for _ in range(TIGHTENINGS):
            missing = -self._spare(x, self._finer)
            if (missing <= 0.0).all():
                break
            asked = asked + np.where(missing > 0.0, missing + SPARE, 0.0)
            x = self._improved(x, *TIGHTENING, asked)
        return self.made(self.within(x))

    def made(self, x: Array) -> Excitation:
        """Return the motion of free numbers, with its information."""
        waves = (self._waves @ self._free(x)).T.reshape(len(self._movable), -1, 2)
        named = {COORDINATES[k]: own for k, own in zip(self._movable, waves, strict=True)}
        motion = fourier(self.model.robot.home, self.duration, **named)
        places = self._places(x, self._bases)
        value, _ = self.information(places)
        count = len(self.information.base.names)
        least = free_shares(self._margins(x, self._finer).min(axis=0))
        return Excitation(
            motion,
            self.information.condition(places),
            value - count * float(np.log(len(self._times))),
            float(least.min()),
            limit_names(self.model.robot)[int(least.argmin())],
        )

    def _improved(self, x: Array, weight: float, end: float, steps: int, asked: Array) -> Array:
        stated = stated_limits(self.model.robot, ALL_LIMITS.families)
        barrier = barrier_kernel(self.model.machines, stated)
        reference = np.array(self.information.reference)

        def cost(x: Array) -> tuple[float, Array]:
            places = self._places(x, self._bases)
            value, slope = self.information(places)
            total, against = barrier(reference, *places, asked, end)
            return weight * float(total.sum()) - value, self._pulled(weight * against - slope)

        options = {"maxiter": steps, "maxcor": 30}
        found = optimize.minimize(cost, x, jac=True, method="L-BFGS-B", options=options)
        return np.asarray(found.x)

    def within(self, x: Array) -> Array:
        """Return the motion scaled so that it keeps all limits on the finer grid."""
        if self._spare(x, self._finer).min() >= 0.0:
            return x
        small, large = 0.0, 1.0
        for _ in range(_HALVINGS):
            share = (small + large) / 2
            admissible = self._spare(share * x, self._finer).min() >= 0.0
            small, large = (share, large) if admissible else (small, share)
        return small * x

    def _places(self, x: Array, bases: Places) -> Places:
        free = self._free(x)
        place, first, second = (np.zeros((len(basis), 6)) for basis in bases)
        place[:, :3] = self.model.robot.home[:3]
        for rows, basis in zip((place, first, second), bases, strict=True):
            rows[:, self._movable] += basis @ free
        return place, first, second

    def _pulled(self, slope: Array) -> Array:
        """Derivatives by free numbers, from those by places and rates (T, 18)."""
        by_rate = slope.reshape(len(slope), 3, 6)[..., self._movable]
        total = sum(basis.T @ by_rate[:, k] for k, basis in enumerate(self._bases))
        return np.asarray(total * self._scale).ravel()

    def _free(self, x: Array) -> Array:
        return x.reshape(-1, len(self._movable)) * self._scale

    def _spare(self, x: Array, bases: Places) -> Array:
        """Return the minimum margin of each kind of limit, beyond the fraction to be left free."""
        return np.asarray(self._margins(x, bases).min(axis=0) - margins_of(self.margin))

    def _margins(self, x: Array, bases: Places) -> Array:
        return least_margins(self.model, self.information.reference, self._places(x, bases))

    @property
    def _count(self) -> int:
        """Number of free numbers."""
        return int(self._waves.shape[1]) * len(self._movable)

    @cached_property
    def _times(self) -> Array:
        return np.arange(SAMPLES * self.harmonics) * self.duration / (SAMPLES * self.harmonics)

    @cached_property
    def _bases(self) -> Places:
        return self._at(self._times)

    @cached_property
    def _finer(self) -> Places:
        return self._at(np.arange(FINER * len(self._times)) * (self._times[1] / FINER))

    def _at(self, t: Array) -> Places:
        place, first, second = fourier_basis(self.harmonics, self.duration, t)
        return place @ self._waves, first @ self._waves, second @ self._waves

    @cached_property
    def _waves(self) -> Array:
        """(2 harmonics, free) waves without speed and acceleration at the ends: Σ k b = Σ k² a = 0.

        Faster ones count less, as they are as fast at smaller sizes.
        """
        k = np.arange(1.0, self.harmonics + 1)
        at_ends = np.zeros((2, 2 * self.harmonics))
        at_ends[0, 1::2], at_ends[1, 0::2] = k, k**2
        size = 1.0 / np.repeat(k, 2)
        return np.asarray(size[:, None] * linalg.null_space(at_ends * size))

    @cached_property
    def _scale(self) -> Array:
        """Return the scale of each coordinate: machine size for lengths, radians for angles."""
        size = np.repeat([machine_size(self.model.robot), 1.0], 3)
        return np.asarray(size[self._movable])

    @cached_property
    def _movable(self) -> list[int]:
        """The coordinates that the machine can move, each for itself."""
        moved = self.model.admissible(np.array(self.model.robot.home), np.eye(6))
        found = [k for k in range(6) if np.abs(moved[k] - np.eye(6)[k]).max() < _MOVABLE]
        if len(found) < self.model.structure.dof:
            raise GoughError(
                f"{self.model.robot.name} moves along no axes of its own: exciting motions are for "
                "machines that move along and about fixed axes"
            )
        return found
