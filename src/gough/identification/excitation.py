"""Excitation trajectories: maximum information about inertial parameters, within limits.

A Fourier series [Swevers 1997] that begins and ends at rest; its waves maximise log det of the
information about the base parameters. Limits are logarithmic barriers, so that each step stays
within them, and L-BFGS uses exact derivatives of compiled kernels. A fraction of every range is
left free, for tracking errors. Where limits are violated between the samples, on a finer grid, they
get the missing margin in addition.

Swevers, Ganseman, Tükel, De Schutter, Van Brussel: Optimal robot excitation and identification,
IEEE Transactions on Robotics and Automation 13 (1997).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from scipy import linalg, optimize

from gough.arrays import Array
from gough.checks import RandomSource, require_integer
from gough.disk.files import write_text
from gough.display import Displayable, Rows, Table
from gough.errors import GoughError
from gough.executors import Executor, in_chunks
from gough.fields.toml_text import toml_text
from gough.identification.base import base_parameters
from gough.identification.information import (
    Information,
    Places,
    barrier_kernel,
    free_shares,
    least_margins,
    limit_names,
    margins_of,
)
from gough.identification.legs import Sharing
from gough.kinematics.size import machine_size
from gough.model.kernels import Kernels
from gough.motion import checked
from gough.motion.motions.waves import COORDINATES, FourierMotion, fourier, fourier_basis
from gough.motion.samples import Derived, MotionSamples, delegated
from gough.one_thread import one_thread
from gough.progress import progress_bar, shows_progress
from gough.robot import Robot, library_names

DURATION, HARMONICS, STARTS = 10.0, 8, 4
MOST_HARMONICS, MOST_STARTS = 100, 1_000_000
MARGIN = 0.03
"""Default fraction of every range that motions leave free."""
SAMPLES = 12
"""In a period of the fastest wave."""
FINER = 10
"""Refinement factor of the grid on which limits must hold."""
STAGES = ((0.1, 0.01, 100), (0.02, 0.005, 300), (0.01, 0.002, 300))
"""Weight of the barriers, margin below which they are parabolas, steps at most."""
TIGHTENING = (0.01, 0.002, 100)
"""Weight, margin and maximum steps each time that margins were missing between samples."""
TIGHTENINGS = 8
SPARE = 1e-3
"""Margin that is asked for beyond what was missing between samples."""
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
        study = {
            "schema": "gough-study/1",
            "name": Path(path).stem,
            "robot": named,
            "rate": "1 kHz",
            "motion": self.table,
        }
        write_text(path, toml_text(study))


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
            raise GoughError(
                f"margin={margin!r}; expected a share of ranges, from 0 to less than 1"
            )
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
        barrier, reference = barrier_kernel(self.model), np.array(self.information.reference)

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
