"""The algebra of poses: composition, displacement, comparison and interpolation.

A step is an array (..., 6): a translation [m] and a rotation vector [rad], both in base axes.
Returned quaternions have length one. A pose or step of NaN only, as forward kinematics returns
where it finds no pose, stays one; everything else that is no pose is a GoughError.
"""

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError, clipped
from gough.poses.given import array_of_numbers, check_batches, check_quaternions, finite_or_none
from gough.poses.quaternions import (
    conjugate,
    of_rotation_vector,
    product,
    rotated,
    rotation_vector,
    unit,
)

Parts = tuple[Array, Array]
"""Positions, and quaternions of length one."""


def compose(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the pose in the base frame of a pose b given in the frame of a: x ↦ a(b(x)).

    >>> compose([0, 0, 1, 1, 0, 0, 1], [2, 0, 0, 1, 0, 0, 0]).round(3).tolist()
    [0.0, 2.0, 1.0, 0.707, 0.0, 0.0, 0.707]
    """
    (p_a, q_a), (p_b, q_b) = _two(a, b)
    return joined(p_a + rotated(q_a, p_b), product(q_a, q_b))


def inverse(pose: ArrayLike) -> Array:
    """Return the base's pose in the platform's frame: composed with the pose it is the identity."""
    p, q = parts(pose, "pose")
    return joined(-rotated(conjugate(q), p), conjugate(q))


def relative(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the pose of b in the frame of a: `compose(a, relative(a, b))` is b."""
    (p_a, q_a), (p_b, q_b) = _two(a, b)
    back = conjugate(q_a)
    return joined(rotated(back, p_b - p_a), product(back, q_b))


def transform(pose: ArrayLike, points: ArrayLike) -> Array:
    """Transform points [m] of the platform to the base (..., 3): p + R x.

    Six joints (6, 3) at n poses are `transform(poses[:, None], joints)`, (n, 6, 3).
    """
    p, q = parts(pose, "pose")
    x = finite_or_none(points, "points", 3)
    check_batches(pose=p.shape[:-1], points=x.shape[:-1])
    return np.asarray(p + rotated(q, x))


def displace(pose: ArrayLike, step: ArrayLike) -> Array:
    """Return the pose after a step: p + translation, and a rotation about the origin, exp(θ) R."""
    start = parts(pose, "pose")
    numbers = finite_or_none(step, "step", 6)
    check_batches(pose=start[0].shape[:-1], step=numbers.shape[:-1])
    return _displaced(start, numbers)


def about(pivot: ArrayLike, pose: ArrayLike, step: ArrayLike) -> Array:
    """Return the step (..., 6) of the origin for a step of a pivot [m], a point of the platform."""
    _, q = parts(pose, "pose")
    arm, numbers = rotated(q, finite_or_none(pivot, "pivot", 3)), finite_or_none(step, "step", 6)
    turned = rotated(of_rotation_vector(numbers[..., 3:]), arm)
    return joined(numbers[..., :3] + arm - turned, numbers[..., 3:])


def difference(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the step (..., 6) from b to a, by the shorter rotation: displace(b, step) is a."""
    end, start = _two(a, b)
    return _step(start, end)


def distance(a: ArrayLike, b: ArrayLike, length: float = 1.0) -> Array:
    """Return the distance of two poses: the maximum of translation / length [m] and angle [rad].

    With the size of a machine as the length, one number covers both.
    """
    unit_of_ways = array_of_numbers(length, "length")
    if unit_of_ways.ndim or not 0.0 < unit_of_ways < np.inf:
        raise GoughError(f"length is {clipped(repr(length), 80)}; expected a number above 0")
    step = difference(a, b)
    way, angle = (np.linalg.norm(part, axis=-1) for part in (step[..., :3], step[..., 3:]))
    return np.asarray(np.maximum(way / unit_of_ways, angle))


def interpolate(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Array:
    """Return the pose at a share of the path from a (0) to b (1); a number or a batch of them.

    The origin moves straight and the orientation by the shorter rotation about one axis, both at
    constant speed: a displacement by this share of the difference. (On the screw from a to b the
    origin would leave that line: see `gough.motion.screw`.)
    """
    start, end = _two(a, b)
    step, shares = _step(start, end), array_of_numbers(share, "share")
    if not np.isfinite(shares).all():
        raise GoughError("share has entries that are not finite numbers")
    check_batches(poses=step.shape[:-1], share=shares.shape)
    return _displaced(start, shares[..., None] * step)


def twist_transfer(arm: ArrayLike) -> Array:
    """The twist (..., 6, 6) of a point at the end of an arm (..., 3) [m], by that of the other end.

    v + ω × arm, and ω. Its transpose takes a wrench the other way.
    """
    lever = np.asarray(arm, dtype=float)
    found = np.broadcast_to(np.eye(6), (*lever.shape[:-1], 6, 6)).copy()
    found[..., :3, 3:] = -np.cross(np.eye(3), lever[..., None, :])
    return found


def joined(first: Array, second: Array) -> Array:
    """Concatenate two arrays along the last axis, with batches broadcast."""
    batch = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
    return np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in (first, second)], -1)


def parts(pose: ArrayLike, name: str) -> Parts:
    """Return positions and orientations of a user's poses; errors use the name."""
    values = finite_or_none(pose, name, 7)
    check_quaternions(values[..., 3:])
    return values[..., :3], unit(values[..., 3:])


def _two(a: ArrayLike, b: ArrayLike) -> tuple[Parts, Parts]:
    """Two poses whose batches can be broadcast."""
    first, second = parts(a, "a"), parts(b, "b")
    check_batches(a=first[0].shape[:-1], b=second[0].shape[:-1])
    return first, second


def _displaced(start: Parts, step: Array) -> Array:
    (p, q), turn = start, of_rotation_vector(step[..., 3:])
    return joined(p + step[..., :3], product(turn, q))


def _step(start: Parts, end: Parts) -> Array:
    (p, q), (p_end, q_end) = start, end
    return joined(p_end - p, rotation_vector(product(q_end, conjugate(q))))
