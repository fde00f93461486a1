"""All that a study takes of a robot as one row of numbers, so that many robots are a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from gough.analysis.evaluation import Numbers
from gough.analysis.limits import Ends, Limit, limits_of
from gough.arrays import AnyArray, Array
from gough.model.parameters import parameters_of
from gough.robot import Robot


@lru_cache(maxsize=1024)
def row_of(robot: Robot) -> Array:
    """Its numbers for the kernel and the ends of all its limits, one after the other."""
    row = np.concatenate([np.ravel(part) for part in _parts(robot)])
    row.setflags(write=False)
    return row


def differing(row: Array, other: Array) -> AnyArray:
    """Where two rows are not the same; NaN, for what is not stated, is the same as NaN."""
    return np.asarray((row != other) & ~(np.isnan(row) & np.isnan(other)))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows (N, k) of robots that state the same as one of them."""

    robot: Robot
    values: Array

    def numbers(self) -> Numbers:
        """Those for the kernel, with an axis (N, 1) for points and samples."""
        return Numbers(*(part[:, None] for part in self._split()[: len(Numbers._fields)]))

    def ends(self) -> dict[Limit, Ends]:
        """The least and the greatest values allowed (N, holders) by each limit."""
        ends = iter(self._split()[len(Numbers._fields) :])
        return dict(zip(limits_of(self.robot), zip(ends, ends, strict=True), strict=True))

    def _split(self) -> list[Array]:
        shapes = [np.shape(part) for part in _parts(self.robot)]
        cuts = np.cumsum([prod(shape) for shape in shapes])[:-1]
        parts = np.split(self.values, cuts, axis=1)
        return [
            np.ascontiguousarray(part).reshape(-1, *shape)
            for part, shape in zip(parts, shapes, strict=True)
        ]


def _parts(robot: Robot) -> list[Array]:
    ends = [end for limit in limits_of(robot) for end in limit.ends(robot)]
    return [*Numbers.of(robot, parameters_of(robot)), *ends]
