"""Distances at which rays cross limits, in closed form.

Along a translation a leg's squared length and its projections are polynomials of the distance, so
strokes and the cones of joint limits are crossed where a quadratic is zero, and legs touch one
another where one is; det J times all leg lengths is a cubic [St-Onge, Gosselin 2000]. Along a
rotation a leg's squared length is a sine of the angle. Between two neighbouring crossings none of
these limits changes: one evaluation is enough. Crossings that do not exist are NaN; some are no
change, as on a cone's other half. All this is for hexapods: for mechanisms no crossing is known in
closed form.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.motion.reach import ways_to_touch
from gough.kinematics.singularity.singularity import determinant
from gough.kinematics.workspace.reach import Limits
from gough.kinematics.workspace.stated_limits import KEYS, known_limits, stated_limits
from gough.model import Kernels
from gough.poses import transform
from gough.poses.quaternions import conjugate, product, rotated, unit
from gough.robot import Leg, Robot

Crossings = Callable[[Array, Array], Array]
"""Directions (n, 3), maximum distances (n) -> distances (n, k), at least up to the maximum."""

_FLAT = 1e-14
"""Fraction of a polynomial's maximum coefficient below which the leading one is zero."""
_SHARES = np.array([0, 1, 2, 3]) / 3
_POWERS = np.linalg.inv(np.vander(_SHARES))
"""Matrix from a cubic's values at these shares to its coefficients of powers, highest first."""
_BERNSTEIN = np.array([[6, 0, 0, 0], [-5, 18, -9, 2], [2, -9, 18, -5], [0, 0, 0, 6]]) / 6
"""Matrix from these values to the Bernstein coefficients, between zero and one."""


def along_translations(robot: Robot, limits: Limits, centre: Array) -> tuple[Crossings, bool]:
    """Return the crossings of rays of positions; and whether they are those of all limits."""
    found = list(_of_limits(robot, limits, centre))

    def crossings(directions: Array, reaches: Array) -> Array:
        none = np.empty((len(directions), 0))
        return np.concatenate([none, *(of_limit(directions, reaches) for of_limit in found)], -1)

    return crossings, limits.max_condition is None


def along_rotations(
    robot: Robot, limits: Limits, centre: Array, pivot: Array
) -> tuple[Crossings, bool]:
    """Return the same of rays of rotations about a pivot, a point of the platform [m]."""
    known = known_limits(robot, limits.families)
    legs = [leg for leg in robot.extensible_legs if leg.stroke and "stroke" in known]

    def crossings(directions: Array, _: Array) -> Array:
        found = [_turned_to_length(leg, centre, pivot, directions) for leg in legs]
        return np.concatenate([np.empty((len(directions), 0)), *found], -1)

    return crossings, known == ["stroke"] and "singularity" not in limits.margin_families


def _of_limits(robot: Robot, limits: Limits, centre: Array) -> Iterator[Crossings]:
    """Yield the crossings of each kind of limit that is stated and counts."""
    known, legs = known_limits(robot, limits.families), robot.extensible_legs
    feet, wrists = (np.array([getattr(leg, end) for leg in legs]) for end in ("base", "platform"))
    spans, at_home = (transform(pose, wrists) - feet for pose in (centre, robot.home))
    if "stroke" in known:
        ends = [(u, l) for u, leg in zip(spans, legs, strict=True) for l in leg.stroke or ()]
        yield partial(_to_lengths, *map(np.array, zip(*ends, strict=True)))
    axes = at_home / np.linalg.norm(at_home, axis=-1, keepdims=True)
    turned = product(_attitude(centre), conjugate(_attitude(robot.home)))
    for family, own in (("base joint", axes), ("platform joint", rotated(turned, axes))):
        if family in known:
            limit = np.array([getattr(leg, KEYS[family]) for leg in legs], dtype=float)
            some = np.isfinite(limit)
            yield partial(_on_cones, spans[some], own[some], np.cos(limit[some]))
    names = [actuator.name for actuator in robot.actuators]
    gaps = stated_limits(robot, limits.families).gaps
    if gaps:
        first, second = np.array([list(map(names.index, gap.bodies)) for gap in gaps]).T[..., None]
        radii = np.array([leg.radius for leg in legs], dtype=float)
        each = (feet[first], spans[first], feet[second], spans[second])
        yield partial(_touching, (*each, radii[first] + radii[second]))
    if "singularity" in limits.families:
        yield partial(_of_determinant, Kernels(robot), centre)


def _attitude(pose: ArrayLike) -> Array:
    return unit(np.asarray(pose)[3:])


def _to_lengths(u: Array, l: Array, d: Array, _: Array) -> Array:
    """Distances (n, 2k) at which legs with spans u (k, 3) have lengths l (k): |u + d t|² = l²."""
    return _roots((d * d).sum(-1, keepdims=True), d @ u.T, (u * u).sum(-1) - l**2)


def _on_cones(u: Array, axis: Array, cosine: Array, d: Array, _: Array) -> Array:
    """Distances (n, 2k) of an angle to an axis: ((u + d t) · axis)² = cos² |u + d t|²."""
    c, along, start = cosine**2, d @ axis.T, (u * axis).sum(-1)
    dd = (d * d).sum(-1, keepdims=True)
    return _roots(along**2 - c * dd, start * along - c * (d @ u.T), start**2 - c * (u * u).sum(-1))


def _roots(a: Array, b: Array, c: Array) -> Array:
    """Roots t (n, 2k) of a t² + 2 b t + c = 0, without cancellation; NaN where there is none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        q = -(b + np.copysign(np.sqrt(b * b - a * c), b))
        return np.concatenate([q / a, c / q], -1)


def _touching(pairs: Sequence[Array], d: Array, reaches: Array) -> Array:
    """Distances (n, k) at which legs touch one another: k is the maximum number along a ray."""
    ways = _touching_kernel()(*pairs, d)
    along = np.flatnonzero((ways > 0) & (ways < reaches[:, None]))
    _, ray, _ = np.unravel_index(along, ways.shape)
    order = np.argsort(ray, kind="stable")
    counts = np.bincount(ray, minlength=len(d))
    places = np.arange(len(ray)) - np.repeat(np.cumsum(counts) - counts, counts)
    found = np.full((len(d), counts.max(initial=0)), np.nan)
    found[ray[order], places] = ways.flat[along[order]]
    return found


@compiled
def _touching_kernel() -> Kernel:
    inputs = []
    for which in ("first", "second"):
        inputs.append(Argument(f"{which}_base", (3,), "m", "a leg's base joint"))
        inputs.append(Argument(f"{which}_span", (3,), "m", "from there to its platform joint"))
    inputs.append(Argument("apart", (), "m", "the sum of the legs' radii"))
    inputs.append(Argument("direction", (3,), "", "of the platform's translation, base axes"))
    output = Argument("ways", (14,), "m", "distances of the platform at which legs touch")
    return Kernel.from_equation("ways_to_touch", ways_to_touch, inputs, [output])


def _of_determinant(model: Kernels, centre: Array, d: Array, reaches: Array) -> Array:
    """Distances (n, 3) of zeros of det J; the cubic is known by its values at four distances.

    A cubic is between its four Bernstein coefficients: where they have one sign, it has no zero.
    """
    poses = np.broadcast_to(centre, (len(d), 4, 7)).copy()
    poses[..., :3] += _SHARES[:, None] * (reaches[:, None] * d)[:, None, :]
    values = determinant(model.machines)(poses) * model.inverse_kinematics(poses).prod(-1)
    bernstein = values @ _BERNSTEIN.T
    some = np.flatnonzero((bernstein.min(-1) <= 0) & (bernstein.max(-1) >= 0) & values.any(-1))
    found = np.full((len(d), 3), np.nan)
    found[some] = reaches[some, None] * _real_roots(values[some] @ _POWERS.T)
    return found


def _real_roots(cubics: Array) -> Array:
    """Zeros (n, 3) of cubics (n, 4), the highest power first; NaN where they are not real."""
    least = _FLAT * np.abs(cubics).max(-1)
    lead = np.where(np.abs(cubics[:, 0]) < least, least, cubics[:, 0])
    companion = np.zeros((len(cubics), 3, 3))
    companion[:, 0, :] = -cubics[:, 1:] / lead[:, None]
    companion[:, 1, 0] = companion[:, 2, 1] = 1
    roots = np.linalg.eigvals(companion)
    return np.where(np.abs(roots.imag) <= 1e-6 * np.abs(roots), roots.real, np.nan)


def _turned_to_length(leg: Leg, centre: Array, pivot: Array, d: Array) -> Array:
    """Angles (n, 4) about d at the ends of a leg's stroke: l² = K + A cos t + B sin t."""
    q = _attitude(centre)
    w, b = transform(centre, pivot) - leg.base, rotated(q, np.array(leg.platform) - pivot)
    across = (d @ b) * (d @ w)
    A, B = 2 * (w @ b - across), 2 * np.cross(d, b) @ w
    K = w @ w + b @ b + 2 * across
    with np.errstate(invalid="ignore", divide="ignore"):
        swing = np.arccos((np.array(leg.stroke) ** 2 - K[:, None]) / np.hypot(A, B)[:, None])
    middle = np.arctan2(B, A)[:, None]
    return np.concatenate([middle - swing, middle + swing], -1) % (2 * np.pi)
