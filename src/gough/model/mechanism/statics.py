"""Which reactions are known: overconstrained machines have many for the same efforts.

What no body feels is the null space of all bodies' equations of balance. Components that it does
not touch, in a joint's own axes and on all samples, are the same in all solutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.motions import frames_of
from gough.equations.mechanism.newton import posture_at
from gough.equations.mechanism.reactions import bearing_places
from gough.equations.mechanism.rows import Platform
from gough.model.mechanism.bearings import Loads
from gough.model.mechanism.samples import Sample, null_space

SAME = 1e-7
"""A component that differs by less between solutions, beside all others, is the same in all."""
ENOUGH = 2
"""Samples: what is known at random states is known at nearly all."""


def with_known(loads: Loads, legs: Sequence[Leg], samples: Sequence[Sample], size: float) -> Loads:
    """The same for an overconstrained machine: each joint knows what of its reaction is known."""
    places = _places_function(loads, legs)
    unsure = np.zeros((len(loads.bearings), 6))
    for sample in samples[:ENOUGH]:
        found = places(np.concatenate(sample.q), sample.position, sample.rotation)
        unfelt = unfelt_reactions(loads, size, *map(np.array, found))
        unsure = np.maximum(unsure, np.abs(unfelt).max(axis=2, initial=0.0))
    bearings = tuple(
        replace(b, known=tuple(bool(known) for known in row) if b.passed else (False,) * 6)
        for b, row in zip(loads.bearings, unsure < SAME, strict=True)
    )
    return replace(loads, bearings=bearings)


def unfelt_reactions(
    loads: Loads, size: float, centers: Array, axes: Array, second_axes: Array
) -> Array:
    """Reactions that no body feels, orthonormal: (joints, 6, solutions), moments over the size."""
    rows = 6 * (len(loads.members) + len(loads.rods))
    blocks, directions = [], []
    for k, (first, second) in enumerate(loads.sides):
        E, lever = axes[3 * k : 3 * k + 3], _skew(centers[k] / size)
        carried = _carried(loads, k, E, second_axes[k])
        wrench = np.block([[E, np.zeros((3, 3))], [lever @ E, E]]) @ carried
        block = np.zeros((rows, carried.shape[1]))
        if first != second:
            block[6 * first : 6 * first + 6] = -wrench
            block[6 * second : 6 * second + 6] = wrench
        blocks.append(block[6:])  # the base needs no balance
        directions.append(carried)
    N = null_space(np.hstack(blocks))
    parts = np.split(N, np.cumsum([carried.shape[1] for carried in directions])[:-1])
    return np.array([carried @ part for carried, part in zip(directions, parts, strict=True)])


def _carried(loads: Loads, joint: int, E: Array, second_axis: Array) -> Array:
    """What a joint itself can carry, as columns of force and moment in its axes."""
    bearing = loads.bearings[joint]
    columns = np.eye(6)[:, list(bearing.carried)]
    if bearing.second_axis is None:
        return columns
    n = E.T @ np.cross(E[:, 0], second_axis)
    return np.column_stack([columns, [0, 0, 0, *(n / np.linalg.norm(n))]])


def _skew(a: Array) -> Array:
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _places_function(loads: Loads, legs: Sequence[Leg]) -> ca.Function:
    """Places of the joints from all legs' joint positions, and the platform's place."""
    counts = np.cumsum([0, *(len(leg.joints) for leg in legs)])
    q, p, R = ca.SX.sym("q", int(counts[-1])), ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    at = [
        posture_at(leg, q[int(start) : int(end)], p, R)
        for leg, start, end in zip(legs, counts[:-1], counts[1:], strict=True)
    ]
    places = bearing_places(frames_of(Platform(p, R), at), loads.bearings)
    return ca.Function("places", [q, p, R], [ca.densify(ca.SX(place)) for place in places])
