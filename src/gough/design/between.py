"""Boxes between their lattice points: worst states found by search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import qmc

from gough.arrays import AnyArray, Array
from gough.design.demands import Demand
from gough.design.problem import Problem
from gough.kinematics.workspace.box import lowest_apart, pattern_search

SPREAD = 2 * qmc.Sobol(6, rng=0).random(256) - 1
"""Places in boxes, evenly spread, at which every side is evaluated before it is followed."""
NEAR = 0.2
"""Sides are followed from places with less slack than this share of their bound, or margin."""
OF_STATES = ("pose", "twist", "acceleration", "wrench")
WORSE = 1e-9
"""A state joins those of a problem if it is worse by this share, or by this margin."""


def worst_between(problem: Problem, x: Array) -> list[Demand]:
    """Search the boxes of a design (d) for states that are worse than all states of the problem.

    Each side is followed to the worst nearby, from the worst of its states and of places that are
    spread over its box.
    """
    middle, half = problem.boxes
    in_boxes = np.flatnonzero(half.any(axis=1))
    if not len(in_boxes):
        return []
    known = _worst_first(problem.sizes(problem.at(x)))
    before = known.max(axis=0)
    bound, unit = before.copy(), np.abs(before)  # of extremes, their worst value is the bound
    of, required = problem.sides.of, problem.sides.of < len(problem.requirements)
    bound[required], unit[required] = problem.bounds[of[required]], problem.units[of[required]]
    worst = in_boxes[known[in_boxes].argmax(axis=0)]
    spread = {k: _sizes(problem, x, np.array([k]), SPREAD[None])[0] for k in np.unique(worst)}
    away = problem.states[1][in_boxes] - middle[in_boxes]
    own = np.divide(away, half[in_boxes], out=np.zeros_like(away), where=half[in_boxes] > 0)
    starts = []
    for k, at in enumerate(worst):
        states = np.append(in_boxes, np.full(len(SPREAD), at))
        shares = np.concatenate([own, SPREAD])
        slack = bound[k] - np.append(known[in_boxes, k], spread[at][:, k])
        starts += [(k, states[j], shares[j]) for j in lowest_apart(shares, slack, NEAR * unit[k])]
    if not starts:
        return []
    side, state, places = (np.array(column) for column in zip(*starts, strict=True))
    row = np.arange(len(side))

    def value(shares: Array) -> Array:
        return np.asarray(-_sizes(problem, x, state, shares)[row, :, side])

    reached, lowest, _ = pattern_search(value, places, half[state] > 0)
    worse = -lowest > before[side] + WORSE * unit[side]
    return joining(problem, state[worse], (middle[state] + half[state] * reached)[worse])


def _worst_first(sizes: Array) -> Array:
    """Sizes of sides, infinite where a machine cannot take a pose."""
    return np.where(np.isnan(sizes), np.inf, sizes)


def _sizes(problem: Problem, x: Array, states: AnyArray, shares: Array) -> Array:
    """Sizes (k, m, s) of all sides, of k states at other places (k, m, 6) of their boxes."""
    middle, half = (part[states, None] for part in problem.boxes)
    pose, _, *others = (part[states, None] for part in problem.states)
    placed = (pose, middle + half * shares, *others)
    return _worst_first(problem.sizes(problem.of_states(x, placed)))


def joining(problem: Problem, states: AnyArray, offset: Array) -> list[Demand]:
    """States at other offsets, as demands that take no time and count in no mean."""
    counts = [len(demand) for demand in problem.demands]
    owner = np.repeat(np.arange(len(counts)), counts)[states]
    first = np.cumsum([0, *counts])
    return [
        replace(
            demand,
            **{key: getattr(demand, key)[states[mine] - first[k]] for key in OF_STATES},
            offset=offset[mine],
            seconds=np.zeros(int(mine.sum())),
            in_means=False,
        )
        for k, demand in enumerate(problem.demands)
        for mine in [owner == k]
        if mine.any()
    ]
