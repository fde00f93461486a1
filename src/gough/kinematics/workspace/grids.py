"""Grids of directions for integration, and points evenly distributed over squares and cubes.

These are scrambled Sobol sequences by SciPy, whose import of statistics takes longer than thousands
of rays. So the few points that every workspace needs are stored in a file.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from gough.arrays import Array
from gough.poses.quaternions import rotation_matrix

FILE = Path(__file__).with_name("even_points.json")
BITS = 30
"""Number of bits of each coordinate."""
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
    directions = np.stack(
        np.broadcast_arrays(radius * np.cos(azimuths), radius * np.sin(azimuths), heights[:, None]),
        -1,
    )
    return directions, np.broadcast_to(height_weights[:, None] * np.pi / n, (n, 2 * n))


def circle(n: int) -> tuple[Array, Array]:
    """Return directions (8n, 2) and weights (8n), sum 2π: even by azimuth."""
    count = _AROUND * n
    azimuths = (np.arange(count) + 0.5) * 2 * np.pi / count
    return np.stack([np.cos(azimuths), np.sin(azimuths)], -1), np.full(count, 2 * np.pi / count)


def random_turns(d: int, count: int, generator: np.random.Generator) -> Array:
    """Return rotations (count, d, d) of plane or space, bit by bit those of SciPy's Rotation."""
    if d == 3:
        drawn = generator.normal(size=(count, 4))  # x y z w
        quaternions = np.roll(drawn / np.linalg.norm(drawn, axis=-1, keepdims=True), 1, axis=-1)
        return rotation_matrix(quaternions)
    angles = generator.uniform(0, 2 * np.pi, count)
    quaternions = np.zeros((count, 4))
    quaternions[:, 0] = np.cos(angles / 2)
    quaternions[:, 3] = np.sin(angles / 2) / angles * angles
    return rotation_matrix(quaternions)[:, :2, :2]


@cache
def few_points(d: int) -> Array:
    """Return the first points (32, d) of the seed 0 along two or three axes."""
    return np.array(json.loads(FILE.read_text(encoding="utf-8"))[str(d)]) / 2.0**BITS


def drawn_points(d: int, count: int, generator: np.random.Generator) -> Array:
    """Return new points (count, d); the count is a power of two."""
    from scipy.stats import qmc  # noqa: PLC0415  (slow to import)

    return np.asarray(qmc.Sobol(d, bits=BITS, rng=generator).random(count))
