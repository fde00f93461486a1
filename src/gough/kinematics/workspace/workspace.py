"""Workspaces: reachable positions at one orientation, and reachable orientations at one position.

The boundary is found by rays from a centre, the volume by integration over rays with refinement.
The volume is that of all reachable poses; the boundary is the part that is visible from the centre.
Planar machines have rays in the plane, and an area.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.compiler.native.kernel import Kernel
from gough.digits import with_error
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, data_of, vector
from gough.errors import GoughError
from gough.executors import Executor, Workers, opened
from gough.kinematics.workspace import charts
from gough.kinematics.workspace.charts import Chart, Kind
from gough.kinematics.workspace.rays import Rays, even_points, grid, random_turns, walk
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, limited_by, margin_kernel
from gough.kinematics.workspace.stated_limits import ends_of, keys_of, known_limits
from gough.kinematics.workspace.travels import SHOWN, Travel, axes_of, behind, travel
from gough.model.kernels import Kernels, kernels_of
from gough.poses.rows import pose_rows
from gough.progress import bars_shown, shows_progress
from gough.robot import MOVES, Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COARSEST, _FINEST, _SHOWN = 16, 128, 64
"""Numbers of polar angles of the grids of rays: for the volume from, to; for the boundary."""
_GRIDS, _CONFIDENCE = 8, 2.36
"""Number of grids, and Student's factor for 95 % with seven degrees of freedom."""
_SEARCHED = 2**16
_LEADERS, _AROUND, _ROUNDS = 4, 32, 14


@dataclass(frozen=True)
class Workspace:
    """Workspace around a centre along d degrees of freedom; lengths in `unit` (m, or rad)."""

    degrees_of_freedom: tuple[str, ...]
    """Their names: a volume along three, an area along two."""
    measure: float
    """Volume or area of all reachable poses [unit³, unit²], in m or rad."""
    kind: Kind
    """Positions (a constant orientation), or orientations."""
    unit: str
    centre: Array
    """(7) the pose from which the rays start."""
    measure_error: float
    """Half of its 95 % confidence interval, at least, from the deviation of rotated grids."""
    basis: Array
    """(d, 6) translation and rotation for one unit of each degree of freedom, in base axes."""
    directions: Array
    """(n, 2n, 3) of the rays: n polar angles, 2n azimuths; in a plane (n, 2)."""
    distances: Array
    """(n, 2n) to the boundary along them; in a plane (n)."""
    active: AnyArray
    """Active limit of each ray, of the same shape: an index of ENDS, or -1 for none."""
    extent: Array
    """(d, 2) minimum and maximum reachable x, y, z; of the rotation vector, for rotations."""
    inscribed: float
    """Radius of the inscribed ball (or disc) around the centre; all poses in it are reachable."""
    star_shaped: bool
    """Whether no ray has reachable poses behind a gap."""

    def __repr__(self) -> str:
        free = self.degrees_of_freedom
        size = f"{self.measure:.4g} ± {self.measure_error:.1g} {self.unit}^{len(free)}"
        ball = f"{self.inscribed:.4g} {self.unit} around the centre"
        return f"<gough workspace along {' '.join(free)}: {size}, all within {ball}>"

    @property
    def volume(self) -> float:
        """The volume [unit³]; all rotations together have 8π² rad³."""
        return self._along(3, self.measure)

    @property
    def area(self) -> float:
        """The area [unit²]."""
        return self._along(2, self.measure)

    @property
    def volume_error(self) -> float:
        """Error of the volume [unit³]."""
        return self._along(3, self.measure_error)

    @property
    def area_error(self) -> float:
        """Error of the area [unit²]."""
        return self._along(2, self.measure_error)

    def _along(self, count: int, value: float) -> float:
        """Return a value that is defined for this number of degrees of freedom only."""
        if len(self.degrees_of_freedom) != count:
            lacks, has = ("volume", "area")[:: 1 if count == 3 else -1]
            free = ", ".join(self.degrees_of_freedom)
            raise GoughError(f"a workspace along {free} has no {lacks}; it has {has}")
        return value

    @property
    def points(self) -> Array:
        """(..., 3) the boundary: positions [m], or rotation vectors from the centre [rad]."""
        steps = self.directions @ self.basis * self.distances[..., None]
        if self.kind == "position":
            return np.asarray(self.centre[:3] + steps[..., :3])
        return np.asarray(steps[..., 3:])


@shows_progress
def constant_orientation_workspace(
    robot: Robot | Kernels,
    pose: ArrayLike | None = None,
    *,
    limits: Limits = ALL_LIMITS,
    tolerance: float = 1e-3,
    progress: bool = False,
    executor: Executor = None,
) -> Workspace:
    """Compute all reachable positions of the platform's origin with the orientation of `pose`.

    A machine that moves in two of x, y, z has an area in that plane; dependent coordinates (the
    orientation of a five-bar) follow.

    Rays start at the position of `pose` (by default home) or, where that is not reachable, at the
    best of evenly distributed positions. Rays are added until the volume's estimated error is below
    `tolerance`, relative, or there are 262 144 (8192 in a plane). They are computed on an
    `executor`, see `gough.executors`. Can be interrupted; there is no result then.
    """
    return _workspace(kernels_of(robot), "position", pose, limits, tolerance, executor)


@shows_progress
def orientation_workspace(
    robot: Robot | Kernels,
    pose: ArrayLike | None = None,
    *,
    limits: Limits = ALL_LIMITS,
    tolerance: float = 1e-3,
    progress: bool = False,
    executor: Executor = None,
) -> Workspace:
    """Compute all reachable orientations of the platform at the position of `pose`.

    Rotations are about axes fixed in the base, from the orientation of `pose` (by default home)
    or, where that is not reachable, from the best of evenly distributed orientations.
    """
    return _workspace(kernels_of(robot), "orientation", pose, limits, tolerance, executor)


def workspace_chart(model: Kernels, kind: Kind, centre: ArrayLike | None, limits: Limits) -> Chart:
    """Return all positions with the orientation of a centre (by default home), or the reverse."""
    robot, of_positions = model.own_robot("a workspace"), kind == "position"
    group = charts.translating(robot) if of_positions else charts.turning(robot)
    if len(group) < (2 if of_positions else 3):
        raise GoughError(
            f"{robot.name} moves in {', '.join(model.structure.degrees_of_freedom)}; expected "
            f"{'two or three of x, y, z' if of_positions else 'rx, ry, rz'} for a workspace of "
            f"{kind}s. `travel` computes the range of each degree of freedom, and workspace_slice "
            "shows two of them"
        )
    if of_positions and not charts.is_bounded(robot, limits):
        of_legs = "`stroke = [shortest, longest]` in [leg] or [[legs]]"
        of_joints = "a `range` or `stroke` of sliding joints"
        keys = of_legs if robot.has_extensible_legs else of_joints
        raise GoughError(
            f"{robot.name}: no leg has a stroke that counts, so its positions have no bounds; "
            f"expected {keys} of the robot file"
        )
    if not of_positions and robot.has_extensible_legs and not known_limits(robot, limits.families):
        raise GoughError(
            f"{robot.name}: no leg has a limit that counts; expected some of "
            f"{', '.join(keys_of(robot).values())} in [leg] or [[legs]] of the robot file"
        )
    return Chart(robot, limits, charts.centre_of(robot, centre), *charts.own_axes(robot, group))


def _workspace(
    model: Kernels,
    kind: Kind,
    pose: ArrayLike | None,
    limits: Limits,
    tolerance: float,
    executor: Executor,
) -> Workspace:
    if not 0 < tolerance < 1:
        raise GoughError(f"tolerance is {tolerance}; expected a number between 0 and 1")
    chart = workspace_chart(model, kind, pose, limits)
    kernel = margin_kernel(model.robot, limits)
    if not (kernel(chart.centre) >= 0).all():
        chart = workspace_chart(model, kind, _best_drawn(model, chart, kernel), limits)
    with opened(executor) as workers:
        measure, error, star_shaped = _integrate(chart, tolerance, workers)
    d = len(chart.degrees_of_freedom)
    directions, _ = grid(d, _SHOWN)
    flat, shape = directions.reshape(-1, d), directions.shape[:-1]
    with bars_shown(False):  # these are short
        rays, axes = walk(chart, flat), walk(chart, axes_of(d))
        scores = [lambda rays, _: -rays.exits, *map(_extent_along, axes_of(d))]
        nearest, *reached = _sharpened(chart, flat, rays, scores)
    farthest = np.maximum(reached, axes.farthest)
    return Workspace(
        degrees_of_freedom=chart.degrees_of_freedom,
        measure=measure,
        kind=chart.kind,
        unit=chart.unit,
        centre=chart.centre,
        measure_error=error,
        basis=chart.basis,
        directions=directions,
        distances=rays.exits.reshape(shape),
        active=behind(chart, kernel, flat, rays.exits).reshape(shape),
        extent=np.stack([chart.start - farthest[:d], chart.start + farthest[d:]], -1),
        inscribed=-nearest,
        star_shaped=star_shaped and bool((rays.parts <= 1).all()),
    )


def _best_drawn(model: Kernels, chart: Chart, kernel: Kernel) -> Array:
    """Return the pose with the maximum of the minimum margin among evenly spread samples."""
    poses = chart.draw(even_points(len(chart.degrees_of_freedom), _SEARCHED))
    margins = kernel(poses)
    best = int(np.argmax(np.nan_to_num(margins.min(-1), nan=-np.inf)))
    if not margins[best].min() >= 0:
        place, attitude = chart.centre[:3].tolist(), chart.centre[3:].tolist()
        fixed = f"orientation {attitude}" if chart.kind == "position" else f"position {place}"
        raise GoughError(
            f"{model.robot.name}: no pose is reachable with this {fixed} among "
            f"{_SEARCHED} poses; the best of them violates the limit of "
            f"{ends_of(model.robot)[limited_by(margins[best])]}"
        )
    return np.asarray(poses[best])


def _integrate(chart: Chart, tolerance: float, workers: Workers) -> tuple[float, float, bool]:
    """The volume, its error, and whether no ray has gaps.

    Eight grids of rays, each turned at random, give eight independent and unbiased volumes; the
    grids are refined until their standard deviation is small enough. (The error of a single grid,
    estimated by refinement, can be too small where the boundary is steep along circles of that
    grid.) Halving the spacing makes errors about four times smaller: a deviation that is small by
    chance is not accepted if the coarser grids had a larger one, in their deviation or their mean.
    """
    coarse, coarse_error = math.nan, math.inf
    n, d = _COARSEST, len(chart.degrees_of_freedom)
    while True:
        directions, weights = grid(d, n)
        turns = random_turns(d, _GRIDS, np.random.default_rng(n))
        turned = (directions.reshape(-1, d) @ turns.swapaxes(1, 2)).reshape(-1, d)
        title = f"{chart.kind} workspace, {len(turned)} rays"
        rays = walk(chart, turned, title=title, executor=workers)
        volumes = rays.volume.reshape(_GRIDS, -1) @ weights.ravel()
        volume, spread = float(volumes.mean()), float(np.std(volumes, ddof=1))
        own_error = _CONFIDENCE * spread / math.sqrt(_GRIDS)
        error = max(own_error, coarse_error / 4, abs(volume - coarse) / 4)
        if error <= tolerance * volume or n >= _FINEST:
            return volume, error, bool((rays.parts <= 1).all())
        coarse, coarse_error, n = volume, own_error, 2 * n


Score = Callable[[Rays, Array], Array]


def _sharpened(chart: Chart, directions: Array, rays: Rays, scores: Sequence[Score]) -> list[float]:
    """The maximum of each score(rays, directions) of any ray, by rays ever closer about the best.

    Rays about the best of all scores are followed together: hundreds take as long as a few.
    """
    found = np.stack([score(rays, directions) for score in scores])
    best, n, d = found.max(axis=-1), len(scores), directions.shape[-1]
    leaders = directions[np.argsort(found)[:, -_LEADERS:]]
    spread = 2 * (2 * (d - 1) * np.pi / len(directions)) ** (1 / (d - 1))
    for pattern in np.split(even_points(d, _ROUNDS * _AROUND) * 2 - 1, _ROUNDS):
        around = leaders[:, :, None, :] + spread * pattern
        around = (around / np.linalg.norm(around, axis=-1, keepdims=True)).reshape(n, -1, d)
        tried = np.concatenate([leaders, around], axis=1)
        walked = [some.reshape(n, -1) for some in walk(chart, tried.reshape(-1, d))]
        each = zip(scores, map(Rays._make, zip(*walked, strict=True)), tried, strict=True)
        found = np.stack([score(rays, some) for score, rays, some in each])
        leaders = np.take_along_axis(tried, np.argsort(found)[:, -_LEADERS:, None], axis=1)
        best = np.maximum(best, found.max(axis=-1))
        spread /= 2
    return [float(one) for one in best]


def _extent_along(axis: Array) -> Score:
    """Score of the farthest distance in the direction of an axis."""
    return lambda rays, directions: rays.farthest * (directions @ axis)


@dataclass(frozen=True)
class WorkspaceOverview(Displayable):
    """A machine's workspace around a pose, if it has a volume or an area, and its travel."""

    model: Kernels
    asked: Array
    """(7) the requested centre."""
    limits: Limits
    space: Workspace | None
    """Volume or area; None where positions have no bounds, or with one degree of freedom only."""
    travels: tuple[Travel, ...]
    """Travel from the centre along each degree of freedom alone."""

    @property
    def centre(self) -> Array:
        """(7) the centre."""
        return self.asked if self.space is None else self.space.centre

    @property
    def warnings(self) -> list[str]:
        """Notes on a machine without all degrees of freedom: what is shown, what is left out."""
        robot, free = self.model.robot, self.model.structure.degrees_of_freedom
        found = []
        if len(free) < len(MOVES):
            measure = "" if self.space is None else f"the {self._word} of its workspace and "
            found.append(
                f"{robot.name} moves in {' '.join(free)}: this is {measure}its travel along each"
            )
        translates = self.space is None and charts.translating(robot)
        if translates and not charts.is_bounded(robot, self.limits):
            found.append(
                "no leg has a maximum length, so positions have no bounds and no volume: unlimited "
                "travel ends at the edge of the search"
            )
        if not np.allclose(self.centre, self.asked):
            found.append("the pose is not reachable: results are about the centre stated above")
        return found

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        name, space = self.model.robot.name, self.space
        if space is None:
            return name, "workspace"
        if self._word == "area":
            return name, f"workspace in {', '.join(space.degrees_of_freedom)}"
        return name, f"{'constant-' * (space.kind == 'position')}orientation workspace"

    @property
    def _word(self) -> str:
        assert self.space is not None
        return "volume" if len(self.space.degrees_of_freedom) == 3 else "area"

    def tables(self) -> list[Table]:
        """The volume or area and the travels."""
        space, of_travel = self.space, [table for part in self.travels for table in part.tables()]
        rows = [(f"centre: {name}", value, unit) for name, value, unit in pose_rows(self.centre)]
        if space is not None:
            unit, scale = SHOWN[space.unit]
            power, shape = ("³", "ball") if self._word == "volume" else ("²", "disc")
            size = with_error(space.measure, space.measure_error)
            rows.append((self._word, size, f"{space.unit}{power}"))
            if space.kind == "orientation":
                rows.append(("share of all rotations", 100 * space.volume / (8 * math.pi**2), "%"))
            else:
                ends = zip(space.degrees_of_freedom, map(vector, space.extent), strict=True)
                rows += [(f"{axis} from, to", words, "m") for axis, words in ends]
            rows.append((f"inscribed {shape} around the centre", space.inscribed * scale, unit))
            gaps = "no" if space.star_shaped else "yes"
            rows.append(("gaps along rays from the centre", gaps, ""))
        return [Table.properties("", rows), *of_travel]

    def to_dict(self) -> PlainData:
        """Everything as plain data; the first of the travels is that of the workspace."""
        first, *others = self.travels
        facts: PlainData = {"kind": "position" if first.unit == "m" else "orientation"}
        if self.space is not None:
            measure = f"{self._word}=measure {self._word}_error=measure_error"
            facts |= data_of(self.space, f"{measure} extent inscribed star_shaped")
        facts |= {"centre": first.centre, **first.to_dict()}
        for part in others:
            facts["rotation" if part.unit == "rad" else part.degrees_of_freedom[0]] = part.to_dict()
        return facts | {"warnings": self.warnings}

    def plot(self, *, ax: Sequence[Axes] | None = None) -> list[Axes]:
        """Plot the boundary and slices, or slices only, through the centre; return the axes."""
        from gough.kinematics.workspace import plots  # noqa: PLC0415  (matplotlib is slow)

        given: Any = {"limits": self.limits, "title": ": ".join(self.heading), "ax": ax}
        if self.space is None:
            return plots.plot_slices(self.model, self.centre, **given)
        return plots.plot_workspace(self.model, self.space, **given)


def workspace_overview(
    robot: Robot | Kernels,
    pose: ArrayLike | None = None,
    *,
    orientation: bool = False,
    limits: Limits = ALL_LIMITS,
    **options: Any,
) -> WorkspaceOverview:
    """Compute the workspace and travel of a machine around a pose (7), by default home.

    Positions at the pose's orientation, where the machine moves in two or three directions and has
    bounds; else, or with `orientation`, rotations at its position. Options are those of
    `constant_orientation_workspace`.
    """
    model = kernels_of(robot)
    robot = model.own_robot("a workspace")
    asked, space = charts.centre_of(robot, pose), None
    ways, turns = len(charts.translating(robot)), len(charts.turning(robot))
    bounded = charts.is_bounded(robot, limits) or robot.has_extensible_legs
    if not orientation and ways >= 2 and bounded:
        space = constant_orientation_workspace(model, asked, limits=limits, **options)
    elif orientation or (turns == 3 and not ways):
        space = orientation_workspace(model, asked, limits=limits, **options)
    travels = travel(model, asked if space is None else space.centre, limits=limits)
    shown = tuple(part for part in travels if part.unit == "rad" or not orientation)
    return WorkspaceOverview(model, asked, limits, space, shown)
