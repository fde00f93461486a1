"""Rays from a centre: their exits from the workspace, and the reachable volume along them.

Each ray is evaluated in the middle between neighbouring crossings of limits, if the chart has them
in closed form, and, if there are other limits (bounds of the condition number, joints and distances
between legs while the platform rotates), in equal steps from a random start. Where a pose becomes
unreachable, or reachable again, the step is narrowed to the precision of numbers. All rays are
followed together: libraries for meshes and level sets need a grid of the whole space, which takes
longer and has the boundary only to its cells.

A piece or a gap that is shorter than a step is met by chance only, with the probability of its
length by that of a step. Its weight is the inverse of that probability, so that the volume is
right on average.

Directions are those of grids for integration.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from gough.arrays import AnyArray, Array
from gough.executors import Executor, in_chunks
from gough.kinematics.workspace.charts import NO_POSE, Chart
from gough.poses.quaternions import rotation_matrix
from gough.progress import progress_bar

STEPS = 128
"""Number of equal steps along a ray."""
_TOGETHER = 4096
"""Number of rays that are followed at once: an interruption waits for them."""
_IN_A_ROW = 4
"""Number of places along each ray that are evaluated before the next, if there may be no others."""
_NOTHING = 1e-12
"""Part of a ray that counts as rounding error."""
_NEARER = 0.2
"""Shift of an evaluation from a chord's zero to the middle, over the square of the width."""


class Rays(NamedTuple):
    """Results along n rays; distances in the chart's unit."""

    exits: Array
    """(n) first distance that is not reachable; 0 if the centre is not."""
    farthest: Array
    """(n) last reachable distance."""
    volume: Array
    """(n) reachable volume per solid angle along the ray, all its parts together."""
    parts: Array
    """(n) number of separate reachable parts of the ray: more than one if there are gaps."""


def walk(
    chart: Chart, directions: Array, *, title: str = "rays", executor: Executor = None
) -> Rays:
    """Follow rays (n, 3) from the chart's centre."""
    starts = np.random.default_rng(0).random(len(directions))
    together = range(0, len(directions), _TOGETHER)
    bundles = [[some[k : k + _TOGETHER] for k in together] for some in (directions, starts)]
    found: dict[int, list[Rays]] = {}
    with progress_bar(title, len(directions)) as advance:
        for chunk in in_chunks(partial(_walks, chart), *bundles, executor=executor, here=1):
            found[chunk.items.start] = chunk.result
            advance(sum(len(rays.exits) for rays in chunk.result))
    pieces = [piece for first in sorted(found) for piece in found[first]]
    return Rays(*map(np.concatenate, zip(*pieces, strict=True)))


def _walks(chart: Chart, directions: list[Array], starts: list[Array]) -> list[Rays]:
    """Bundles of rays, one after another, so that results do not depend on other bundles."""
    return [_walk(chart, *bundle) for bundle in zip(directions, starts, strict=True)]


def _walk(chart: Chart, directions: Array, starts: Array) -> Rays:
    n, steps = len(directions), directions @ chart.basis
    reach = chart.reach(directions)
    rays, distances = _nodes(chart, directions, reach, starts)
    least = _least_along(chart, steps, rays, distances)
    inside = least >= 0
    last = np.cumsum(np.bincount(rays, minlength=n)) - 1
    change = np.flatnonzero((inside[1:] != inside[:-1]) & (rays[1:] == rays[:-1]))
    ray, leaves = rays[change], inside[change]
    along = steps[ray]
    ends, margins = ((x[change], x[change + 1]) for x in (distances, least))
    low, high = around_change(lambda some, at: chart.least(along[some], at), ends, margins)
    edges = (low + high) / 2

    def summed(values: AnyArray) -> Array:
        return np.bincount(ray, values, minlength=n).astype(float)  # also if there are none

    open_start, open_end = inside[np.append(0, last[:-1] + 1)], inside[last]
    up_to = chart.radial(edges)
    volume = summed(np.where(leaves, 1, -1) * up_to) + open_end * chart.radial(reach)
    met_once = (np.diff(ray) == 0) & (np.diff(change) == 1)
    ray_reach, ray_start, at = reach[ray[1:]], starts[ray[1:]], distances[change[1:]]
    nearest = np.rint(at * STEPS / ray_reach - ray_start)
    met_once &= at == _step(ray_reach, ray_start, nearest)  # of equal steps, as no others are
    steps_long = np.diff(edges) / ray_reach * STEPS
    others = 1 / np.clip(steps_long, _NOTHING, 1) - 1  # so many of its like were missed
    sign = np.where(leaves[1:], 1, -1)  # a piece ends there, or a gap
    np.add.at(volume, ray[1:], np.where(met_once, sign * others * np.diff(up_to), 0.0))
    exits, farthest = np.where(open_start, reach, 0.0), np.where(open_end, reach, 0.0)
    np.minimum.at(exits, ray[leaves], np.where(open_start[ray], edges, 0.0)[leaves])
    np.maximum.at(farthest, ray[leaves], edges[leaves])
    return Rays(exits, farthest, volume, summed(leaves) + open_end)


def _least_along(chart: Chart, steps: Array, rays: AnyArray, distances: Array) -> Array:
    """Return minimum margins at distances (m) along rays; those behind the end of poses need none.

    Where there is no pose a leg that iterates takes ten times as long to find that out.
    """
    if not chart.ends_once:
        return chart.least(steps[rays], distances)
    first = np.searchsorted(rays, np.arange(len(steps)))
    place, least = np.arange(len(rays)) - first[rays], np.full(len(rays), NO_POSE)
    going = np.ones(len(steps), dtype=bool)
    for start in range(0, int(place.max(initial=-1)) + 1, _IN_A_ROW):
        now = np.flatnonzero(going[rays] & (place >= start) & (place < start + _IN_A_ROW))
        least[now] = chart.least(steps[rays[now]], distances[now])
        going[rays[now[least[now] == NO_POSE]]] = False
    return least


def _nodes(chart: Chart, directions: Array, reach: Array, starts: Array) -> tuple[AnyArray, Array]:
    """Indices of rays, and distances at which they are evaluated: (m) each, in order."""
    n, reaches = len(reach), reach[:, None]
    known = chart.crossings(directions, reach)
    known = np.where((known > 0) & (known < reaches), known, np.inf)
    count = int(np.isfinite(known).sum(-1).max(initial=0))
    known = np.minimum(np.sort(known, -1)[:, :count], reaches)
    ends = np.concatenate([np.zeros((n, 1)), known, reaches], -1)
    low, high = ends[:, :-1], ends[:, 1:]
    between = np.where(high - low > _NOTHING * reaches, (low + high) / 2, low)
    stepped = _step(reaches, starts[:, None], np.arange(0 if chart.complete else STEPS))
    found = np.sort(np.concatenate([np.zeros((n, 1)), reaches, between, stepped], -1), -1)
    new = np.diff(found, axis=-1, prepend=-1.0) > 0
    return np.nonzero(new)[0], found[new]


def _step(reach: Array, start: Array, k: AnyArray) -> Array:
    """The distance of a step from a random start."""
    return reach * (start + k) / STEPS


def around_change(
    margin: Callable[[AnyArray, Array], Array],
    ends: tuple[Array, Array],
    margins: tuple[Array, Array],
    halvings: int = 40,
) -> tuple[Array, Array]:
    """Return distances (n) right before and behind a change of sign, to a number of halvings.

    `margin` returns it for some of the n at their distances; at the `ends` between which it
    changes, it has these `margins`. The next evaluation is at a chord's zero, and a margin that
    jumps or bends takes at most one evaluation more than halving [Oliveira, Takahashi 2021].
    """
    (start, end), (f_a, f_b) = ends, (np.array(f, dtype=float) for f in margins)
    as_start, narrow = f_a >= 0, 0.5**halvings
    a, b = np.zeros(len(start)), np.ones(len(start))  # shares of the way between the ends
    for look in range(halvings + 1):
        wide = np.flatnonzero(b - a > narrow)
        if not len(wide):
            break
        share = _next_look(a[wide], b[wide], f_a[wide], f_b[wide], 0.5**look)
        share = np.clip(share, a[wide] + narrow / 2, b[wide] - narrow / 2)  # also beside a zero
        f = margin(wide, start[wide] + share * (end[wide] - start[wide]))
        before = (f >= 0) == as_start[wide]
        k, m = wide[before], wide[~before]
        a[k], f_a[k], b[m], f_b[m] = share[before], f[before], share[~before], f[~before]
    return start + a * (end - start), start + b * (end - start)


def _next_look(a: Array, b: Array, f_a: Array, f_b: Array, halved: float) -> Array:
    """Zero of the chord from a to b, shifted a little to the middle, and not too far from it.

    Shifted, so that both ends close in; not so far from the middle that the wider remaining part
    would be wider than after halving one evaluation before.
    """
    width, middle = b - a, (a + b) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        chord = a + width * (f_a / (f_a - f_b))
    chord = np.where((chord >= a) & (chord <= b), chord, middle)
    aside, nearer = middle - chord, _NEARER * width**2
    aim = np.where(nearer <= np.abs(aside), chord + np.copysign(nearer, aside), middle)
    freedom = halved - width / 2
    return np.clip(aim, middle - freedom, middle + freedom)


_ROOTS = {2: 1.324717957244746, 3: 1.2207440846057596}
_AROUND = 8
"""Number of directions in a plane for each polar angle in space."""


def grid(d: int, n: int) -> tuple[Array, Array]:
    """Return directions (..., d) and weights (...) in a plane or in space, finer with n."""
    return sphere(n) if d == 3 else circle(n)


def sphere(n: int) -> tuple[Array, Array]:
    """Return directions (n, 2n, 3), weights (n, 2n), sum 4π: Gauss by height, even by azimuth."""
    heights, height_weights = np.polynomial.legendre.leggauss(n)
    azimuths = (np.arange(2 * n) + 0.5) * np.pi / n
    radius = np.sqrt(1 - heights**2)[:, None]
    x, y = radius * np.cos(azimuths), radius * np.sin(azimuths)
    directions = np.stack(np.broadcast_arrays(x, y, heights[:, None]), -1)
    return directions, np.broadcast_to(height_weights[:, None] * np.pi / n, (n, 2 * n))


def circle(n: int) -> tuple[Array, Array]:
    """Return directions (8n, 2) and weights (8n), sum 2π: even by azimuth."""
    count = _AROUND * n
    azimuths = (np.arange(count) + 0.5) * 2 * np.pi / count
    return np.stack([np.cos(azimuths), np.sin(azimuths)], -1), np.full(count, 2 * np.pi / count)


def random_turns(d: int, count: int, generator: np.random.Generator) -> Array:
    """Return rotations (count, d, d) of plane or space, evenly distributed."""
    if d == 3:
        drawn = generator.normal(size=(count, 4))
        unit = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
        return rotation_matrix(np.roll(unit, 1, axis=-1))
    angles = generator.uniform(0, 2 * np.pi, count)
    c, s = np.cos(angles), np.sin(angles)
    return np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)


def even_points(d: int, count: int) -> Array:
    """Return points (count, d) of the unit square or cube: multiples of 1/φ, 1/φ² … modulo 1.

    φ is the root of x^(d+1) = x + 1, of which these are evenly distributed [Roberts 2018].
    """
    steps = _ROOTS[d] ** -np.arange(1.0, d + 1)
    return np.asarray((0.5 + np.outer(np.arange(count), steps)) % 1)
