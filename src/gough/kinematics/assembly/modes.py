"""All assembly modes: every pose of the platform at given leg lengths, with proofs in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table
from gough.errors import GoughError
from gough.kinematics.actuator_positions import position_facts
from gough.kinematics.assembly.few_modes import nearest_first, planar_modes, translating_modes
from gough.kinematics.assembly.geometry import DEGREE, Geometry, checked_lengths, geometry_of
from gough.kinematics.assembly.held_motors import held_distances
from gough.kinematics.assembly.kernels import LEGS, poses_of_points
from gough.kinematics.assembly.real_solutions import (
    check_architecture,
    real_solutions,
    special_solutions,
    study_points,
)
from gough.kinematics.assembly.solutions import Endpoints
from gough.kinematics.workspace.reach import Limits, margins
from gough.kinematics.workspace.stated_limits import known_limits
from gough.model.kernels import Kernels, kernels_of
from gough.model.parameters import machine_of
from gough.poses import euler, rotation, transform
from gough.poses.given import array_of_numbers
from gough.robot import Mechanism, Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALL_POSES, TRANSLATIONS = "all poses", "poses in the attitude of home"
_FITS = 1e-9
"""Maximum residual, relative to the longest leg, of a pose without certificate."""
_SAME_MODE = 1e-6
"""Difference of motors from inverse kinematics [rad, m] that counts as zero."""
_LIMITS = Limits(families=("stroke", "base joint", "platform joint"))
_AT_A_LIMIT = 1e-9
"""Accepted negative margin: lengths at the end of a stroke are within it."""

LARGEST = 1e6
"""Maximum position of a motor [m, rad]."""
_WORDS = {2: "two", 6: "six", 40: "forty"}


@dataclass(frozen=True)
class AssemblyModes(Displayable):
    """All poses with the given positions of the motors, the nearest to home first.

    Of a hexapod these are its leg lengths. Locked motors of a 6-RSS, 6-RUS, 6-PSS, 6-PUS or 6-UPS
    machine leave six distances between base and platform, which are leg lengths of a hexapod: the
    following is about these. Translating and planar machines have two or six solutions, roots of a
    polynomial; their certificates are by Kantorovich's theorem (see `few_modes`).

    A certificate proves: for lengths and joint centres of exactly the given floating-point numbers
    there is a real pose within `position_error` and `angle_error` of the listed one, it is regular,
    and no two certificates are for the same pose. It is Krawczyk's test in Study coordinates, with
    bounds for all rounding errors but underflow (see `equations.assembly.study.proof`).
    `complete` proves that no pose of the `scope` is missing: forty different complex solutions are
    certified, which is all there can be (or all of a smaller `degree`), and all but as many as
    there are poses are proved not to be real.

    >>> import gough
    >>> model = gough.Model(gough.load("delta"))
    >>> found = model.assembly_modes(model.inverse_kinematics(model.robot.home))
    >>> found.complete, len(found.poses)
    (True, 2)
    """

    robot: Robot
    q: AnyArray
    """(n,) positions of the motors: of a hexapod its six leg lengths [m]."""
    poses: AnyArray
    """(n, 7) x y z [m] and quaternion w x y z of length one, w >= 0."""
    residual: AnyArray
    """(n,) maximum error of a leg's length [m]."""
    certified: AnyArray
    """(n,) whether a certificate was found; not at singular poses."""
    position_error: AnyArray
    """(n,) certified bound [m] of the distance to the exact pose; infinite without certificate."""
    angle_error: AnyArray
    """(n,) certified bound [rad] of the angle to the exact pose; infinite without certificate."""
    multiplicity: AnyArray
    """(n,) number of solutions that coincide there: above one at a singular pose.

    Zero for samples of self-motions, and for poses that only a search has found.
    """
    self_motion: AnyArray
    """(n,) whether the pose is only a sample of a curve or surface of poses with these lengths."""
    n_complex: int
    """Number of finite complex solutions found, the real ones included, with multiplicity."""
    n_proved: int
    """Number of complex solutions that are certified, the real ones included."""
    n_on_curves: int
    """Number of complex solutions found that are not isolated, but on curves of solutions."""
    n_infinite: int
    """Number of paths that went to infinity: the machine can have forty minus this solutions."""
    n_lost: int
    """Number of lost paths: 0 unless something is very ill-conditioned.

    For each pose that only a search has found, one of those to infinity counts as lost.
    """
    complete: bool
    """Whether it is proved that no pose of the `scope` is missing; `caveats` say why not."""
    degree: int = DEGREE
    """Maximum number of complex solutions."""
    scope: str = ALL_POSES
    """Poses of the search: of a translating machine, those in the orientation of home.

    Its rods may close in other orientations too, which it does not reach from home by translation.
    """

    result_kind: ClassVar = "assembly modes"
    listed: ClassVar = (
        "robot q poses residual certified position_error angle_error multiplicity self_motion "
        "n_complex n_proved n_on_curves n_infinite n_lost complete scope caveats"
    )

    def __repr__(self) -> str:
        proved = f"{'' if self.complete else 'not '}proved complete among {self.scope}"
        poses = f"{len(self)} poses, {int(self.certified.sum())} certified"
        return f"<gough assembly modes of {self.robot.name}: {poses}, {proved}>"

    def __len__(self) -> int:
        return len(self.poses)

    def __str__(self) -> str:
        """Return the number of poses, the account of all solutions, and whether none is missing."""
        return "\n".join((self._counts(), self._account(), self._completeness()))

    def tables(self) -> list[Table]:
        """A row for each pose: coordinates and certified error bounds."""
        angles = euler(self.poses, "xyz", degrees=True).reshape(-1, 3)
        heads = ["", "x [m]", "y [m]", "z [m]", "roll [deg]", "pitch [deg]", "yaw [deg]"]
        heads += ["error [m]", *(["within limits"] if self.has_limits else [])]
        rows = []
        for k, (pose, turns) in enumerate(zip(self.poses, angles, strict=True)):
            place = *(f"{x:z.4f}" for x in pose[:3]), *(f"{x:z.2f}" for x in turns)
            error = f"{self.position_error[k]:.0e}" if self.certified[k] else self.remark(k)
            within = [bool(self.within_limits[k])] if self.has_limits else []
            rows.append((k + 1, *place, error, *within))
        return [Table.of("Poses", heads, rows, str(self))]

    def remark(self, k: int) -> str:
        """Return what is to be known of a pose; empty of most."""
        if self.self_motion[k]:
            return "self-motion"
        if not self.certified[k]:
            fold = self.multiplicity[k]
            return f"singular, {fold}-fold" if fold > 1 else "not proved"
        return "" if self.within_limits[k] else "beyond limits"

    def plot(self, *, ax: Sequence[Axes] | None = None, sheets: bool = False) -> list[Axes]:
        """Plot the machine once per pose, all at one scale; return the axes.

        With `sheets` new axes are on figures of sixteen each, the pages of a .pdf.
        """
        from gough.kinematics.assembly.drawing import plot_modes  # noqa: PLC0415  (of these)

        return plot_modes(self, ax, sheets=sheets)

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        within = {"within_limits": self.within_limits if self.has_limits else None}
        return super().to_dict() | position_facts(self.robot, self.q) | within

    @property
    def caveats(self) -> list[str]:
        """Reasons why the list is not proved complete; empty if it is."""
        return list(self._caveats())

    def _caveats(self) -> Iterator[str]:
        if self.complete:
            return
        if len(self.q) > len(self.robot.freedom_rows):
            yield "the fit of more motors than degrees of freedom is computed, not proved"
            return
        if self.self_motion.any():
            yield (
                "the platform can move with these legs fixed, and the poses marked self-motion are "
                "samples of its path"
            )
        elif self.n_on_curves:
            yield "there are curves of complex solutions, on which no real pose was found"
        if self.n_lost:
            yield f"{_counted(self.n_lost, 'path was', 'paths were')} lost, so poses may be missing"
        searched = int(((self.multiplicity == 0) & ~self.self_motion).sum())
        if searched:
            found = _counted(searched, "pose was", "poses were")
            yield f"{found} found that no path had reached: others may be missing"
        if without := self._n_uncertified:
            solutions = _counted(without, "solution is", "solutions are")
            yield f"{solutions} singular, nearly so, or far away"
        if self.n_infinite:
            yield "which solutions are at infinity is computed, not proved"
        if self.n_proved == self.n_complex and not self.n_infinite:
            yield "of solutions near each other it is not proved which are real"

    @property
    def _n_uncertified(self) -> int:
        return self.n_complex - self.n_proved - self.n_on_curves

    def _counts(self) -> str:
        free = int(self.self_motion.sum())
        counts = f"{len(self) - free} real of {self.n_complex} complex solutions"
        counts += f"; {int(self.certified.sum())} certified"
        if free:
            counts += f"; {_counted(free, 'sample', 'samples')} of self-motions"
        if self.has_limits:
            counts += f"; {int(self.within_limits.sum())} within limits"
        return counts

    def _account(self) -> str:
        known = {
            "certified": self.n_proved,
            "without certificate": self._n_uncertified,
            "on curves of solutions": self.n_on_curves,
            "at infinity": self.n_infinite,
        }
        count = _WORDS[self.degree]
        how_many = f"only {sum(known.values())} of {count}" if self.n_lost else f"all {count}"
        kinds = ", ".join(f"{n} {where}" for where, n in known.items() if n)
        return f"{how_many} complex solutions accounted for: {kinds}"

    def _completeness(self) -> str:
        if self.complete:
            proof = f"{_WORDS[self.degree]} solutions are certified, and there are no more"
            return f"proved complete among {self.scope}: {proof}"
        return f"not proved complete among {self.scope}: " + "; ".join(self.caveats)

    @property
    def has_limits(self) -> bool:
        """Whether the robot states any strokes or joint limits."""
        return bool(known_limits(self.robot, _LIMITS.families))

    @cached_property
    def within_limits(self) -> AnyArray:
        """(n,) whether a pose respects the strokes and joint limits that the robot states."""
        if len(self) == 0:
            return np.zeros(0, dtype=bool)
        return np.asarray((margins(self.robot, self.poses, _LIMITS) >= -_AT_A_LIMIT).all(-1))

    @cached_property
    def in_working_mode(self) -> AnyArray:
        """(n,) whether all legs are in the working mode of home: inverse kinematics give q."""
        if len(self) == 0:
            return np.zeros(0, dtype=bool)
        gap = Kernels(self.robot).inverse_kinematics(self.poses) - self.q
        turns = np.array([actuator.turns for actuator in self.robot.actuators])
        gap = np.where(turns, np.angle(np.exp(1j * gap)), gap)
        return np.asarray((np.abs(gap) < _SAME_MODE).all(-1))


def assembly_modes(robot: Robot | Kernels, q: ArrayLike) -> AssemblyModes:
    """Find all poses of the platform at positions q of the motors: leg lengths (6,) of a hexapod.

    The forty stored complex solutions of a generic problem are followed to the machine (once per
    geometry, which is cached) and from there to the lengths. Raises SelfMotion for architecturally
    singular machines, and GoughError for lengths that contradict each other.

    Mechanisms: those that six distances hold when their motors are locked are hexapods then; those
    that translate between rods have two poses in the orientation of home, to which the search is
    limited, planar ones with hinges six, or two. GoughError where the platform is held by other
    constraints than distances.
    """
    model = kernels_of(robot)
    robot = model.own_robot("assembly_modes")
    if legs := robot.extensible_legs:
        geometry = geometry_of([leg.base for leg in legs], [leg.platform for leg in legs])
        return _of_six_lengths(robot, q, geometry, q)
    assert isinstance(robot, Mechanism)
    positions, count = array_of_numbers(q, "q"), model.structure.actuators
    if positions.shape != (count,) or not (np.abs(positions) <= LARGEST).all():
        expected = f"{count} numbers, one for each motor, of at most {LARGEST:g}"
        raise GoughError(f"assembly_modes: q is {positions.tolist()}; expected {expected}")
    held = held_distances(robot, positions)
    if held.normal is not None:
        return AssemblyModes(robot, positions, **planar_modes(robot, held))
    if machine_of(robot).frame_convention.turning == "none":
        found = translating_modes(robot, held)
        return AssemblyModes(robot, positions, **found, scope=TRANSLATIONS)
    if len(held.lengths) != LEGS:
        raise GoughError(
            f"assembly_modes: {robot.name} has {len(held.lengths)} distances between base and "
            f"platform; expected {LEGS}, or a machine that translates or is planar. "
            "forward_kinematics finds the pose near a guess"
        )
    geometry = geometry_of(held.base, rotation(robot.home).inv().apply(held.platform))
    return _of_six_lengths(robot, positions, geometry, held.lengths)


def _of_six_lengths(
    robot: Robot, q: ArrayLike, geometry: Geometry, given: ArrayLike
) -> AssemblyModes:
    """All poses at six lengths [m]."""
    lengths = checked_lengths(given, geometry)
    coefficients, bounds = conditions = geometry.conditions((lengths / geometry.unit) ** 2)
    found, n_before = _ends(geometry, conditions)
    home, special = np.array(robot.home), None
    if n_before or not found.all_proved:
        check_architecture(geometry, robot.name)
    if not found.all_proved:
        base, platform = geometry.centers
        t = (transform(home, platform) - base) / geometry.unit
        goal = study_points(t[None], home[None, 3:])[0]
        special = special_solutions(found, geometry, lengths, coefficients, goal)
    real = real_solutions(found.regular, special, coefficients, bounds)
    unit, centres = np.array(geometry.unit), (geometry.centers, geometry.base, geometry.platform)
    poses, residual, position_error, angle_error = poses_of_points()(
        real.points, real.radius, unit, *centres, lengths
    )
    certified, n_proved = np.isfinite(real.radius), int(found.regular.proved.sum())
    fits = certified | (residual < _FITS * lengths.max())
    order = nearest_first(poses, home, geometry.unit)
    order = order[fits[order]]
    n_infinite = n_before + found.n_infinite
    n_missed = min(n_infinite, int(real.unreached[order].sum()))
    return AssemblyModes(
        robot=robot,
        q=np.array(q, dtype=float),
        poses=poses[order],
        residual=residual[order],
        certified=certified[order],
        position_error=position_error[order],
        angle_error=angle_error[order],
        multiplicity=real.multiplicity[order],
        self_motion=real.sample[order],
        n_complex=len(found.regular) + len(found.singular),
        n_proved=n_proved,
        n_on_curves=special.n_on_curves if special else 0,
        n_infinite=n_infinite - n_missed,
        n_lost=found.n_lost + n_missed,
        complete=n_proved == DEGREE and bool((certified & (real.multiplicity == 1)).all()),
    )


def _ends(geometry: Geometry, conditions: tuple[AnyArray, AnyArray]) -> tuple[Endpoints, int]:
    """Ends of paths to conditions, and the number of others that end at infinity.

    Near a special geometry, solutions that are finite at these lengths may be too far away at
    generic ones: then paths lead from the stored problem straight to the lengths.
    """
    start = geometry.start
    if not start.sure:
        return geometry.straight_endpoints(*conditions), 0
    return geometry.endpoints(*conditions), start.n_infinite


def _counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
