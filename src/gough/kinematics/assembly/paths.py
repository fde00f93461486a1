"""Following many paths of solutions at once, each with its own steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.compiler.native.kernel import Kernel
from gough.equations.assembly.study_path import ARRIVED, GOING
from gough.kinematics.assembly.kernels import STEPS_PER_ROUND, numbers, pairs


@dataclass(frozen=True)
class Care:
    """The tolerance of predictions, and the number of steps after which a path is given up."""

    tolerance: float
    most_steps: int


ATTEMPTS = (Care(2e-3, 160), Care(1e-5, 320), Care(1e-7, 960))
"""The first, and those that follow where it was not enough."""


@dataclass(frozen=True)
class Paths:
    """Where paths have ended: points (n, 8), s, whether they arrived, and after how many steps."""

    points: AnyArray
    s: AnyArray
    arrived: AnyArray
    steps: AnyArray


def follow(kernel: Kernel, starts: AnyArray, moving: Sequence[AnyArray], care: Care) -> Paths:
    """Follow paths from their starts at s = 0 until they arrive at s = 1, or get stuck.

    `moving` are the kernel's parameters: what changes along the paths.
    """
    n, tolerance = len(starts), np.array(care.tolerance)
    points, s, status, steps = pairs(starts), np.zeros(n), np.full(n, float(GOING)), np.zeros(n)
    going, state = np.arange(n), [points, s, points, s, np.ones(n)]
    for _ in range(0, care.most_steps, STEPS_PER_ROUND):
        *state, taken, said = kernel(*state, *moving, tolerance, threads=1)
        points[going], s[going], status[going] = state[0], state[1], said
        steps[going] += taken
        on = np.flatnonzero(said == GOING)
        if not len(on):
            break
        on = on[state[1][on].argsort()]  # those that arrive together go side by side
        going, state = going[on], [part[on] for part in state]
    return Paths(numbers(points), s, status == ARRIVED, steps)
