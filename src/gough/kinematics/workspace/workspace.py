"""Workspaces: where a robot can go with one attitude, and how it can turn at one place.

The boundary is found by rays from a centre, the volume by integrating over rays with refinement,
or, independently, by even sampling. The volume is that of everything reachable; the boundary is
what is seen from the centre.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.stats import qmc

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.kinematics.progress import progress_bar
from gough.kinematics.workspace.charts import Chart, Kind, centre_of, rotations, translations
from gough.kinematics.workspace.rays import Rays, walk
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, margin_kernel
from gough.kinematics.workspace.stated import FAMILIES
from gough.memory import require_memory
from gough.model.kernels import Kernels

AXES = np.concatenate([-np.eye(3), np.eye(3)])
_COARSEST, _FINEST, _SHOWN = 16, 128, 64
"""Polar angles of the grids of rays: for the volume from, to; for the boundary."""
_GRIDS, _CONFIDENCE = 8, 2.36
"""How many grids, and Student's factor for 95 % with seven degrees of freedom."""
_BEYOND = 1e-9
"""How far behind the boundary, relative to its distance, the limit that ends it is read."""
_BYTES = 256
"""What a sample takes while it is looked at: its place, pose and margins."""
_SEARCHED = 2**16
_LEADERS, _ROUNDS = 4, 14


@dataclass(frozen=True)
class Workspace:
    """What is reachable around a centre; lengths in `unit` (m, or rad for rotations)."""

    kind: Kind
    """Positions (a constant orientation), or orientations."""
    unit: str
    centre: Array
    """(7) the pose from which the rays start."""
    volume: float
    """Of everything reachable [unit³]; all rotations together have 8π² rad³."""
    volume_error: float
    """Half of its 95 % confidence interval, at least, from the spread of turned grids [unit³]."""
    directions: Array
    """(n, 2n, 3) of the rays: n polar angles, 2n azimuths."""
    distances: Array
    """(n, 2n) to the boundary along them."""
    active: AnyArray
    """(n, 2n) which limit ends each ray: an index of FAMILIES, or -1 for none."""
    travel: Array
    """(3, 2) from the centre along -x +x, -y +y, -z +z; for rotations about these axes."""
    travel_active: AnyArray
    """(3, 2) which limit ends it."""
    extent: Array
    """(3, 2) least and greatest reachable x, y, z; of the rotation vector, for rotations."""
    inscribed: float
    """Radius of the largest ball around the centre in which everything is reachable."""
    star_shaped: bool
    """Whether no ray meets anything reachable behind a gap."""

    @property
    def points(self) -> Array:
        """(n, 2n, 3) the boundary: positions [m], or rotation vectors from the centre [rad]."""
        start = self.centre[:3] if self.kind == "position" else np.zeros(3)
        return np.asarray(start + self.directions * self.distances[..., None])


@dataclass(frozen=True)
class SampledVolume:
    """A volume by even sampling, and its standard error from independent repetitions."""

    volume: float
    standard_error: float
    samples: int


def constant_orientation_workspace(
    model: Kernels,
    pose: Any = None,
    *,
    limits: Limits = ALL_LIMITS,
    tolerance: float = 1e-3,
    progress: bool = False,
) -> Workspace:
    """Every position that the platform's origin can take with the attitude of `pose`.

    Rays start at the position of `pose` (by default home) or, where that is not reachable, at the
    best of evenly drawn positions. Rays are added until the volume's estimated error is below
    `tolerance`, relative, or there are 262 144. Can be interrupted; there is no result then.
    """
    return _workspace(model, "position", pose, limits, tolerance, progress)


def orientation_workspace(
    model: Kernels,
    pose: Any = None,
    *,
    limits: Limits = ALL_LIMITS,
    tolerance: float = 1e-3,
    progress: bool = False,
) -> Workspace:
    """Every attitude that the platform can take at the position of `pose`.

    Rotations turn about axes fixed in the base, starting from the attitude of `pose` (by default
    home) or, where that is not reachable, from the best of evenly drawn attitudes.
    """
    return _workspace(model, "orientation", pose, limits, tolerance, progress)


def sampled_volume(
    model: Kernels,
    pose: Any = None,
    *,
    kind: Kind = "position",
    limits: Limits = ALL_LIMITS,
    samples: int = 2**20,
    repetitions: int = 16,
    seed: int = 0,
    progress: bool = False,
) -> SampledVolume:
    """The volume of a workspace from poses drawn evenly by scrambled Sobol sequences.

    It knows nothing of rays, holes or shapes. Each repetition is an unbiased estimate of its own.
    """
    if not (repetitions > 1 and samples >= repetitions):
        raise GoughError(
            f"got {samples} samples in {repetitions} repetitions; expected at least two "
            "repetitions, and as many samples"
        )
    require_memory(_BYTES * samples / repetitions, f"{samples:,} samples")
    chart = workspace_chart(model, kind, pose, limits)
    kernel = margin_kernel(model.robot, limits)
    each = max(int(np.log2(samples / repetitions)), 1)
    shares = []
    with progress_bar("samples", repetitions, progress) as advance:
        for generator in np.random.default_rng(seed).spawn(repetitions):
            cube = qmc.Sobol(3, rng=generator).random_base2(each)
            shares.append((kernel(chart.draw(cube)) >= 0).all(-1).mean())
            advance(1)
    error = np.std(shares, ddof=1) / np.sqrt(repetitions)
    return SampledVolume(
        float(chart.total * np.mean(shares)), float(chart.total * error), repetitions * 2**each
    )


def workspace_chart(model: Kernels, kind: Kind, centre: Any, limits: Limits) -> Chart:
    """The poses around a centre (by default home) that a kind of workspace is about."""
    robot = model.own_robot("a workspace")
    make = translations if kind == "position" else rotations
    return make(robot, limits, centre_of(robot, centre))


def _workspace(
    model: Kernels, kind: Kind, pose: Any, limits: Limits, tolerance: float, progress: bool
) -> Workspace:
    if not 0 < tolerance < 1:
        raise GoughError(f"tolerance is {tolerance}; expected a share between 0 and 1")
    chart = workspace_chart(model, kind, pose, limits)
    kernel = margin_kernel(model.robot, limits)
    if not (kernel(chart.centre) >= 0).all():
        chart = workspace_chart(model, kind, _best_drawn(model, chart, kernel), limits)
    volume, error, star_shaped = _integrate(chart, tolerance, progress)
    directions, _ = sphere(_SHOWN)
    flat, shape = directions.reshape(-1, 3), directions.shape[:-1]
    rays, axes = walk(chart, flat), walk(chart, AXES)
    reached = np.array([_sharpened(chart, flat, rays, _progress_along(axis)) for axis in AXES])
    farthest = np.maximum(reached, axes.farthest)
    start = chart.centre[:3] if chart.kind == "position" else np.zeros(3)
    return Workspace(
        kind=chart.kind,
        unit=chart.unit,
        centre=chart.centre,
        volume=volume,
        volume_error=error,
        directions=directions,
        distances=rays.exits.reshape(shape),
        active=_active(chart, kernel, flat, rays.exits).reshape(shape),
        travel=axes.exits.reshape(2, 3).T,
        travel_active=_active(chart, kernel, AXES, axes.exits).reshape(2, 3).T,
        extent=np.stack([start - farthest[:3], start + farthest[3:]], -1),
        inscribed=-_sharpened(chart, flat, rays, _nearness),
        star_shaped=star_shaped and bool((rays.parts <= 1).all()),
    )


def _best_drawn(model: Kernels, chart: Chart, kernel: Any) -> Array:
    """The pose with the largest smallest margin among evenly drawn ones."""
    poses = chart.draw(qmc.Sobol(3, rng=np.random.default_rng(0)).random(_SEARCHED))
    least = kernel(poses).min(-1)
    best = int(np.nanargmax(least))
    if not least[best] >= 0:
        family = FAMILIES[int(np.argmin(kernel(poses[best])))]
        raise GoughError(
            f"{model.robot.name}: nothing is reachable with this {_fixed(chart)} among "
            f"{_SEARCHED} poses; the best of them violates the limit of {family}"
        )
    return np.asarray(poses[best])


def _fixed(chart: Chart) -> str:
    if chart.kind == "position":
        return f"attitude {chart.centre[3:].tolist()}"
    return f"position {chart.centre[:3].tolist()}"


def _integrate(chart: Chart, tolerance: float, progress: bool) -> tuple[float, float, bool]:
    """The volume, its error, and whether no ray has gaps.

    Eight grids of rays, each turned at random, give eight independent and unbiased volumes; the
    grids are refined until their spread is small enough. (A single grid, judged by its refinement,
    can be wrong by more than it says where the boundary is steep along circles of that grid.)
    Halving the spacing makes errors about four times smaller: a spread that is small by chance is
    not believed if the coarser grids had more than that, in their spread or their mean.
    """
    coarse, coarse_error = math.nan, math.inf
    n = _COARSEST
    while True:
        directions, weights = sphere(n)
        turns = Rotation.random(_GRIDS, rng=np.random.default_rng(n)).as_matrix()
        turned = (directions.reshape(-1, 3) @ turns.swapaxes(1, 2)).reshape(-1, 3)
        title = f"{chart.kind} workspace, {len(turned)} rays"
        rays = walk(chart, turned, title=title, progress=progress)
        volumes = rays.volume.reshape(_GRIDS, -1) @ weights.ravel()
        volume, spread = float(volumes.mean()), float(np.std(volumes, ddof=1))
        own_error = _CONFIDENCE * spread / math.sqrt(_GRIDS)
        error = max(own_error, coarse_error / 4, abs(volume - coarse) / 4)
        if error <= tolerance * volume or n >= _FINEST:
            return volume, error, bool((rays.parts <= 1).all())
        coarse, coarse_error, n = volume, own_error, 2 * n


def sphere(n: int) -> tuple[Array, Array]:
    """Directions (n, 2n, 3) and weights (n, 2n), sum 4π: Gauss by height, even by azimuth."""
    heights, height_weights = np.polynomial.legendre.leggauss(n)
    azimuths = (np.arange(2 * n) + 0.5) * np.pi / n
    radius = np.sqrt(1 - heights**2)[:, None]
    directions = np.stack(
        np.broadcast_arrays(radius * np.cos(azimuths), radius * np.sin(azimuths), heights[:, None]),
        -1,
    )
    return directions, np.broadcast_to(height_weights[:, None] * np.pi / n, (n, 2 * n))


def _active(chart: Chart, kernel: Any, directions: Array, exits: Array) -> AnyArray:
    """The limit that is violated just behind the boundary, or -1 if none is."""
    found = kernel(chart.at(directions, exits * (1 + _BEYOND)))
    return np.where(found.min(-1) < 0, found.argmin(-1), -1)


Score = Callable[[Rays, Array], Array]


def _sharpened(chart: Chart, directions: Array, rays: Rays, score: Score) -> float:
    """The largest score(rays, directions) of any ray, by rays ever closer about the best."""
    scores = score(rays, directions)
    best = float(scores.max())
    leaders = directions[np.argsort(scores)[-_LEADERS:]]
    spread = 2 * np.sqrt(4 * np.pi / len(directions))
    pattern = qmc.Sobol(3, rng=np.random.default_rng(0)).random(32) * 2 - 1
    for _ in range(_ROUNDS):
        around = leaders[:, None, :] + spread * pattern
        around = (around / np.linalg.norm(around, axis=-1, keepdims=True)).reshape(-1, 3)
        tried = np.concatenate([leaders, around])
        found = score(walk(chart, tried), tried)
        leaders = tried[np.argsort(found)[-_LEADERS:]]
        best = max(best, float(found.max()))
        spread /= 2
    return best


def _nearness(rays: Rays, _: Array) -> Array:
    """Largest for the ray that ends first."""
    return -rays.exits


def _progress_along(axis: Array) -> Score:
    """How far rays come in the direction of an axis."""
    return lambda rays, directions: rays.farthest * (directions @ axis)
