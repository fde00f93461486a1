"""Quaternions (w, x, y, z) as arrays (..., 4): products, rotations, conversions.

The equations have the same for symbols in `gough.equations.spatial.attitude`.
"""

import numpy as np

from gough.arrays import Array

_PARALLEL = 1e-7
"""Below this angle [rad] two axes of Euler angles are parallel: only their sum is known."""


def unit(q: Array) -> Array:
    """Return the normalised quaternion or vector, without overflow or underflow of squares."""
    scaled = q / np.abs(q).max(axis=-1, keepdims=True)
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def continuous(q: Array) -> Array:
    """Return rows of quaternions (T, ..., 4), each on the side of the one before it."""
    signs = np.where((q[1:] * q[:-1]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return np.concatenate([q[:1], q[1:] * np.cumprod(signs, axis=0)])


def conjugate(q: Array) -> Array:
    """Return the quaternion of the inverse rotation."""
    return np.asarray(q * [1.0, -1.0, -1.0, -1.0])


def product(p: Array, q: Array) -> Array:
    """Return the quaternion of a rotation first by q, then by p."""
    p_0, p_v, q_0, q_v = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    scalar = p_0 * q_0 - (p_v * q_v).sum(axis=-1, keepdims=True)
    return np.concatenate([scalar, p_0 * q_v + q_0 * p_v + np.cross(p_v, q_v)], axis=-1)


def rotated(q: Array, vectors: Array) -> Array:
    """Return vectors (..., 3) rotated by unit quaternions: v + 2 w (u × v) + 2 u × (u × v)."""
    once = np.cross(q[..., 1:], vectors)
    return np.asarray(vectors + 2.0 * (q[..., :1] * once + np.cross(q[..., 1:], once)))


def rotation_matrix(q: Array) -> Array:
    """Return rotation matrices (..., 3, 3) of unit quaternions."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), -x * x - y * y + z * z + w * w],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def of_rotation_vector(theta: Array) -> Array:
    """Return the unit quaternion of a rotation by |θ| [rad] about θ (..., 3)."""
    largest = np.abs(theta).max(axis=-1, keepdims=True)  # the square of none overflows
    scaled = np.divide(theta, largest, out=np.zeros_like(theta), where=largest > 0.0)
    half = largest / 2.0 * np.linalg.norm(scaled, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) * theta / 2.0], axis=-1)


def rotation_vector(q: Array) -> Array:
    """Return rotation vectors (..., 3) [rad], at most π long, of unit quaternions."""
    w, v = q[..., :1], q[..., 1:]
    sine = np.linalg.norm(v, axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, np.abs(w))
    ratio = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine != 0.0)
    return np.asarray(np.where(w < 0.0, -ratio, ratio) * v)  # q and -q are the same attitude


def of_euler(sequence: str, angles: Array) -> Array:
    """Return the unit quaternion of three Euler angles (..., 3) [rad], sequences as in SciPy."""
    halves = angles / 2.0
    total = np.array([1.0, 0.0, 0.0, 0.0])
    for k, letter in enumerate(sequence.lower()):
        turn = np.zeros((*angles.shape[:-1], 4))
        turn[..., 0] = np.cos(halves[..., k])
        turn[..., 1 + "xyz".index(letter)] = np.sin(halves[..., k])
        total = product(total, turn) if sequence.isupper() else product(turn, total)
    return total


def euler_angles(sequence: str, q: Array) -> Array:
    """Return three Euler angles (..., 3) [rad] of unit quaternions [Bernardes, Viollet 2022].

    Where the first and the last axis are parallel the last angle is zero, as in SciPy.
    """
    fixed = sequence.islower()
    i, j, last = ("xyz".index(letter) for letter in sequence.lower()[:: 1 if fixed else -1])
    k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) // 2
    a, b, c, d = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + k]
    if last != i:
        a, b, c, d = a - c, b + d, c + a, d - b
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    ends = half_sum - half_difference, half_sum + half_difference
    first, third = ends if fixed else ends[::-1]
    untilted, overturned = middle <= _PARALLEL, middle >= np.pi - _PARALLEL
    first = np.where(untilted, 2.0 * half_sum, first)
    first = np.where(overturned, (-2.0 if fixed else 2.0) * half_difference, first)
    third = np.where(untilted | overturned, 0.0, third)
    if last != i:
        middle -= np.pi / 2.0
        first, third = (first, sign * third) if fixed else (sign * first, third)
    angles = np.stack([first, middle, third], -1)
    return np.where(np.abs(angles) > np.pi, angles - np.copysign(2.0 * np.pi, angles), angles)


def of_matrix(R: Array) -> Array:
    """Return the quaternion (4) of a rotation matrix, from its maximum component."""
    sizes = np.array([1 + np.trace(R), *(1 + 2 * np.diag(R) - np.trace(R))])  # 4 q²
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    products = np.array([[0, x, y, z], [x, 0, xy, xz], [y, xy, 0, yz], [z, xz, yz, 0]])
    products += np.diag(sizes)  # 4 q qᵀ
    row = products[int(np.argmax(sizes))]
    row = row / np.linalg.norm(row)
    return np.asarray(row if row[0] >= 0 else -row)
