"""Internal reactions: overconstrained machines have many solutions for the same efforts.

They are the null space of all bodies' equations of balance. Components that it does
not touch, in a joint's own axes and on all samples, are the same in all solutions.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.equations.closure.assembled import LegPosture
from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.forces.reactions import bearing_places
from gough.equations.machine import Leg
from gough.equations.motion.motions import frames_of
from gough.equations.spatial.algebra import Value
from gough.equations.tree.description import Bearing
from gough.model.mechanism.decisions.samples import Sample, at_samples, null_space

SAME = 1e-7  # a component that differs by less, beside all others, is the same in all
ENOUGH = 2  # samples: what is known at random states is known at nearly all

Bearings = tuple[Bearing, ...]


def with_known(
    bearings: Bearings, legs: Sequence[Leg], samples: Sequence[Sample], size: float
) -> Bearings:
    """The joints of an overconstrained machine, each with what is known of its reaction."""
    unsure = np.zeros((len(bearings), 6))

    def places(postures: list[LegPosture], place: PlatformPlacement) -> Sequence[Value]:
        return bearing_places(frames_of(place, postures), bearings)

    for centers, axes, second_axes in at_samples(legs, places, samples[:ENOUGH]):
        internal = internal_reactions(bearings, size, centers, axes.reshape(-1, 3, 3), second_axes)
        unsure = np.maximum(unsure, np.abs(internal).max(axis=2, initial=0.0))
    pairs = zip(bearings, (unsure < SAME).tolist(), strict=True)
    return tuple(replace(b, known=tuple(row) if b.passed else (False,) * 6) for b, row in pairs)


def minimum_norm_reactions(
    bearings: Bearings,
    size: float,
    reactions: tuple[Array, Array],
    places: tuple[Array, Array, Array],
) -> tuple[Array, Array]:
    """Return the solution with the minimum sum of squares, moments over the machine's size [m].

    From one solution, force and moment (..., k, 3) of `all_reactions`, and the joints' places, as
    `reaction_axes` gives them. It is the one of joints of equal compliance.
    """
    force, moment = (np.array(half, dtype=float) for half in reactions)
    for at in np.ndindex(force.shape[:-2]):
        N = internal_reactions(bearings, size, *(place[at] for place in places))
        N = N.reshape(-1, N.shape[2])
        stacked = np.hstack([force[at], moment[at] / size]).ravel()
        least = (stacked - N @ (N.T @ stacked)).reshape(-1, 6)
        force[at], moment[at] = least[:, :3], least[:, 3:] * size
    return force, moment


def internal_reactions(
    bearings: Bearings, size: float, centers: Array, axes: Array, second_axes: Array
) -> Array:
    """Self-equilibrated reactions, orthonormal: (joints, 6, solutions), moments over the size."""
    bodies = 1 + max(max(bearing.sides) for bearing in bearings)
    couplings = 1 + max((n for bearing in bearings for n, _, _ in bearing.coupled), default=-1)
    blocks, directions = [], []
    coupled = np.zeros((bodies, 6, couplings))  # each exerts an effort on each of its joints
    for bearing, center, R, axis in zip(bearings, centers, axes, second_axes, strict=True):
        first, second = bearing.sides
        carried = _carried(bearing, R, axis) if first != second else np.zeros((6, 0))
        efforts = np.zeros((6, couplings))
        for number, component, coefficient in bearing.coupled:
            efforts[component, number] = float(coefficient) / (1.0 if component < 3 else size)
        arm = np.cross(np.eye(3), center / size)  # times a vector it is the cross product
        transfer = np.block([[R.T, np.zeros((3, 3))], [arm @ R.T, R.T]])
        wrench = transfer @ carried
        block = np.zeros((bodies, *carried.shape))
        block[first], block[second] = -wrench, wrench
        coupled[first] -= transfer @ efforts
        coupled[second] += transfer @ efforts
        blocks.append(np.vstack(list(block[1:])))  # the base needs no balance
        directions.append(np.hstack([carried, efforts]))
    N = null_space(np.hstack([*blocks, np.vstack(list(coupled[1:]))]))
    *parts, by_couplings = np.split(N, np.cumsum([block.shape[1] for block in blocks]))
    pairs = zip(directions, parts, strict=True)
    return np.array([carried @ np.vstack([part, by_couplings]) for carried, part in pairs])


def _carried(bearing: Bearing, R: Array, second_axis: Array) -> Array:
    """Return a basis of the reactions that a joint can carry, columns in its axes."""
    columns = np.eye(6)[:, list(bearing.carried)]
    if bearing.second_axis is None:
        return columns
    n = R @ np.cross(R[0], second_axis)
    return np.column_stack([columns, [0, 0, 0, *(n / np.linalg.norm(n))]])
