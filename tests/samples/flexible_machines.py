"""Machines that move with all legs fixed, and an oracle that moves them, from definitions alone.

Each maker gives joint centres (6, 3) of base and platform, in one frame: the platform is at home at
the identity.
"""

from __future__ import annotations

import numpy as np
from assembly_machines import lengths
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation


def octahedron(base, platform):
    """Legs between all vertices of two triangles, but those of the same number."""
    A, B, C = base
    a, b, c = platform
    return np.array([A, A, B, B, C, C]), np.array([b, c, a, c, a, b])


def line_symmetric(rng):
    """Bricard's first kind: opposite vertices are half a turn apart."""
    base = rng.uniform(-1, 1, (3, 3))
    return octahedron(base, base * [-1, -1, 1])


def plane_symmetric(rng):
    """Bricard's second kind: two pairs of vertices are mirror images, the third is in the plane."""
    A, B, C, c = rng.uniform(-5, 5, (4, 3))
    C[2] = c[2] = 0
    mirror = np.array([1, 1, -1])
    return octahedron((A, B, C), (A * mirror, B * mirror, c))


def doubly_collapsible(rng):
    """Bricard's third kind, when flat: edges from A and a are tangent to two concentric circles."""
    while True:
        A, a = rng.uniform(-2, 2, (2, 2))
        size = min(np.linalg.norm(A), np.linalg.norm(a))
        B, b = _tangents_meet(A, a, size * rng.uniform(0.1, 0.9), crossed=rng.random() < 0.5)
        C, c = _tangents_meet(A, a, size * rng.uniform(0.1, 0.9), crossed=rng.random() < 0.5)
        flat = np.array([[A, B, C], [a, b, c]])
        if np.abs(flat).max() < 6:
            return octahedron(*np.concatenate([flat, np.zeros((2, 3, 1))], -1))


def line_symmetric_hexapod(rng):
    """Pairs of legs exchange their joints in half a turn, in which they stay [Krames 1937]."""
    base = rng.uniform(-1, 1, (6, 3))
    return base, (base * [-1, -1, 1])[[1, 0, 3, 2, 5, 4]]


def butterfly(rng):
    """Three legs end on a line, about which the platform turns, and the others begin on it."""
    base, platform = rng.uniform(-1, 1, (2, 6, 3))
    point, direction = rng.uniform(-1, 1, (2, 3))
    on_line = point + rng.uniform(-1, 1, (6, 1)) * direction
    return np.vstack([base[:3], on_line[3:]]), np.vstack([on_line[:3], platform[3:]])


def congruent(rng):
    """Parallel legs of one length: the platform may go anywhere on a sphere without turning."""
    base = rng.uniform(-1, 1, (6, 3))
    return base, base + [0.2, 0.4, 1.1]


def jacobian(base, platform, position, rotation):
    """Rates of the lengths, for a velocity and an angular velocity."""
    arms = rotation.apply(platform)
    legs = position + arms - base
    directions = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    return np.hstack([directions, np.cross(arms, directions)])


def drift(base, platform, position, rotation, steps=30):
    """The largest change of a length on a walk of 0.01 a step along the motion that is free.

    Joint centres should be of size one.
    """
    q, last = lengths(base, platform, position, rotation), None
    worst = 0.0
    for _ in range(steps):
        free = np.linalg.svd(jacobian(base, platform, position, rotation))[2][-1]
        last = free if last is None or free @ last > 0 else -free
        position, rotation = _moved(position, rotation, 0.01 * last)
        for _ in range(8):
            missing = q - lengths(base, platform, position, rotation)
            J = jacobian(base, platform, position, rotation)
            change = np.linalg.lstsq(J, missing, rcond=1e-6)[0]
            position, rotation = _moved(position, rotation, change)
        worst = max(worst, np.abs(lengths(base, platform, position, rotation) - q).max())
    return worst


def opened(base, platform, rng):
    """Another pose with the lengths at home, from which exactly one motion is free."""
    q = lengths(base, platform, np.zeros(3), Rotation.identity())

    def errors(x):
        return lengths(base, platform, x[:3], Rotation.from_rotvec(x[3:])) - q

    while True:
        x = least_squares(errors, 2 * rng.normal(size=6), xtol=1e-15, ftol=1e-15, gtol=1e-15).x
        position, rotation = x[:3], Rotation.from_rotvec(x[3:])
        *_, second, least = np.linalg.svd(jacobian(base, platform, position, rotation))[1]
        if np.abs(errors(x)).max() < 1e-12 and least < 1e-6 and second > 1e-4:
            return position, rotation


def _moved(position, rotation, twist):
    return position + twist[:3], Rotation.from_rotvec(twist[3:]) * rotation


def _tangents_meet(A, a, radius, *, crossed):
    """Where tangents from A and a to a circle about the origin meet, for two pairs of them."""
    first, second = _normals(A, radius), _normals(a, radius)[:: -1 if crossed else 1]
    return [np.linalg.solve(pair, [radius, radius]) for pair in zip(first, second, strict=True)]


def _normals(point, radius):
    angle = np.arctan2(point[1], point[0])
    half = np.arccos(radius / np.linalg.norm(point))
    return [np.array([np.cos(angle + s * half), np.sin(angle + s * half)]) for s in (1, -1)]
