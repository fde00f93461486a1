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


ATTEMPTS = (Care(1e-3, 160), Care(1e-5, 320), Care(1e-7, 960))
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
    n = len(starts)
    points = pairs(starts)
    state = [points, np.zeros(n), points.copy(), np.zeros(n), np.ones(n)]
    status, steps = np.full(n, float(GOING)), np.zeros(n)
    going = np.arange(n)
    for _ in range(0, care.most_steps, STEPS_PER_ROUND):
        here = (part[going] for part in state)
        *new, taken, said = kernel(*here, *moving, care.tolerance, threads=1)
        for part, values in zip(state, new, strict=True):
            part[going] = values
        status[going], steps[going] = said, steps[going] + taken
        going = going[said == GOING]
        if len(going) == 0:
            break
    return Paths(numbers(state[0]), state[1], status == ARRIVED, steps)
