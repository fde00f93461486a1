"""Workspaces: reachable positions at one orientation, and reachable orientations at one position.

The boundary is found by rays from a centre, the volume by integration over rays with refinement.
The volume is that of all reachable poses; the boundary is the part that is visible from the centre.
Planar machines have rays in the plane, and an area.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.executors import Executor, Workers, opened
from gough.kinematics.workspace.charts import Chart, Kind, centre_of, rotations, translations
from gough.kinematics.workspace.grids import drawn_points, few_points, grid, random_turns
from gough.kinematics.workspace.rays import Rays, walk
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, limited_by, margin_kernel
from gough.kinematics.workspace.stated_limits import ENDS, ends_of
from gough.kinematics.workspace.travels import Travel, along_axes, axes_of, behind
from gough.model.kernels import Kernels, kernels_of
from gough.progress import shows_progress
from gough.robot import Robot

_COARSEST, _FINEST, _SHOWN = 16, 128, 64
"""Numbers of polar angles of the grids of rays: for the volume from, to; for the boundary."""
_GRIDS, _CONFIDENCE = 8, 2.36
"""Number of grids, and Student's factor for 95 % with seven degrees of freedom."""
_SEARCHED = 2**16
_LEADERS, _ROUNDS = 4, 14


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
    travel: Array
    """(d, 2) from the centre along -x +x, -y +y, -z +z; for rotations about these axes."""
    travel_active: AnyArray
    """(d, 2) active limits of the travel."""
    extent: Array
    """(d, 2) minimum and maximum reachable x, y, z; of the rotation vector, for rotations."""
    inscribed: float
    """Radius of the inscribed ball (or disc) around the centre; all poses in it are reachable."""
    star_shaped: bool
    """Whether no ray has reachable poses behind a gap."""
    ends: tuple[str, ...] = ENDS
    """Names of the ENDS."""

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
    def travels(self) -> Travel:
        """The travel from the centre along each degree of freedom alone."""
        found = (self.travel, self.travel_active, self.ends)
        return Travel(self.degrees_of_freedom, self.unit, self.centre, *found)

    @property
    def points(self) -> Array:
        """(..., 3) the boundary: positions [m], or rotation vectors from the centre [rad]."""
        start, part = (
            (self.centre[:3], slice(3)) if self.kind == "position" else (0.0, slice(3, None))
        )
        return np.asarray(start + self.directions @ self.basis[:, part] * self.distances[..., None])


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
    model = kernels_of(robot)
    return _workspace(model, "position", pose, limits, tolerance, executor)


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
    model = kernels_of(robot)
    return _workspace(model, "orientation", pose, limits, tolerance, executor)


def workspace_chart(model: Kernels, kind: Kind, centre: ArrayLike | None, limits: Limits) -> Chart:
    """Return the poses around a centre (by default home) of a kind of workspace."""
    robot = model.own_robot("a workspace")
    make = translations if kind == "position" else rotations
    return make(robot, limits, centre_of(robot, centre))


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
    rays, (travel, axes) = walk(chart, flat), along_axes(chart, kernel)
    reached = [_sharpened(chart, flat, rays, _extent_along(axis)) for axis in axes_of(d)]
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
        travel=travel.distances,
        travel_active=travel.active,
        extent=np.stack([chart.start - farthest[:d], chart.start + farthest[d:]], -1),
        inscribed=-_sharpened(chart, flat, rays, lambda rays, _: -rays.exits),
        star_shaped=star_shaped and bool((rays.parts <= 1).all()),
        ends=ends_of(model.robot),
    )


def _best_drawn(model: Kernels, chart: Chart, kernel: Kernel) -> Array:
    """Return the pose with the maximum of the minimum margin among evenly spread samples."""
    cube = drawn_points(len(chart.degrees_of_freedom), _SEARCHED, np.random.default_rng(0))
    poses = chart.draw(cube)
    margins = kernel(poses)
    best = int(np.argmax(np.nan_to_num(margins.min(-1), nan=-np.inf)))
    if not margins[best].min() >= 0:
        position, orientation = chart.centre[:3].tolist(), chart.centre[3:].tolist()
        of_orientation = chart.kind == "orientation"
        fixed = f"position {position}" if of_orientation else f"orientation {orientation}"
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


def _sharpened(chart: Chart, directions: Array, rays: Rays, score: Score) -> float:
    """The maximum score(rays, directions) of any ray, by rays ever closer about the best."""
    scores = score(rays, directions)
    best = float(scores.max())
    leaders = directions[np.argsort(scores)[-_LEADERS:]]
    d = directions.shape[-1]
    spread = 2 * (2 * (d - 1) * np.pi / len(directions)) ** (1 / (d - 1))
    pattern = few_points(d) * 2 - 1
    for _ in range(_ROUNDS):
        around = leaders[:, None, :] + spread * pattern
        around = (around / np.linalg.norm(around, axis=-1, keepdims=True)).reshape(-1, d)
        tried = np.concatenate([leaders, around])
        found = score(walk(chart, tried), tried)
        leaders = tried[np.argsort(found)[-_LEADERS:]]
        best = max(best, float(found.max()))
        spread /= 2
    return best


def _extent_along(axis: Array) -> Score:
    """Score of the farthest distance in the direction of an axis."""
    return lambda rays, directions: rays.farthest * (directions @ axis)
