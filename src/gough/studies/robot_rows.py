"""All that a study takes of a robot as one row of numbers, so that many robots are a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from gough.analysis.evaluation import Numbers
from gough.analysis.limits import Ends, Limit, limits_of
from gough.arrays import AnyArray, Array
from gough.model.parameters import parameters_of
from gough.poses import transform
from gough.robot import Platform, Robot
from gough.robot.numbers import places_of, walk

CLEAR = 1e-6
"""Of the machine's size: what is farther apart is in different places by any reckoning."""
_ACROSS = 1e-3
"""Sine of an angle that is clearly not zero."""


@lru_cache(maxsize=1024)
def row_of(robot: Robot) -> Array:
    """Its numbers for the kernel and the ends of all its limits, one after the other; read-only."""
    row = np.concatenate([np.ravel(part) for part in _parts(robot)])
    row.setflags(write=False)
    return row


def row_with(robot: Robot, platform: Platform) -> Array:
    """The row of a robot with another platform, as when it carries something."""
    row, places = row_of(robot).copy(), places_of(robot)
    for name, numbers in walk(platform, "platform"):
        row[places[name]] = numbers
    return row


class Change(NamedTuple):
    """Which numbers of a row are others, and what they are."""

    where: AnyArray
    values: Array

    @classmethod
    def between(cls, row: Array, other: Array) -> Change:
        """From one row to another; NaN, for what is not stated, is the same as NaN."""
        where = np.flatnonzero((row != other) & ~(np.isnan(row) & np.isnan(other)))
        return cls(where, other[where])


def changed_rows(
    row: Array, strands: Sequence[tuple[Sequence[Change], AnyArray]]
) -> tuple[Array, AnyArray]:
    """Rows (N, k) with a change of each strand, and (N,) whether no two change the same number.

    A strand has some changes, and (N,) which of them each row has.
    """
    count = len(strands[0][1])
    rows, changes_of = np.tile(row, (count, 1)), np.zeros((count, len(row)), dtype=np.int8)
    for changes, which in strands:
        where = np.unique(np.concatenate([change.where for change in changes]))
        values = np.tile(row[where], (len(changes), 1))
        changed = np.zeros(values.shape, dtype=bool)
        for k, change in enumerate(changes):
            at = np.searchsorted(where, change.where)
            values[k, at], changed[k, at] = change.values, True
        rows[:, where] = np.where(changed[which], values[which], rows[:, where])
        changes_of[:, where] += changed[which]
    return rows, np.asarray((changes_of <= 1).all(axis=1))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows (N, k) of robots that state the same as one of them."""

    robot: Robot
    values: Array

    def numbers(self) -> Numbers:
        """Those for the kernel, with an axis (N, 1) for points and samples."""
        return Numbers(*(part[:, None] for part in self._split[: len(Numbers._fields)]))

    def ends(self) -> dict[Limit, Ends]:
        """The least and the greatest values allowed (N, holders) by each limit."""
        ends = iter(self._split[len(Numbers._fields) :])
        return dict(zip(limits_of(self.robot), zip(ends, ends, strict=True), strict=True))

    def clearly_possible(self) -> AnyArray:
        """(N,) whether hexapods can be assembled at home, by far; others the checks must judge."""
        base, platform, stroke = map(self._of_legs, ("base", "platform", "stroke"))
        home = self.values[:, None, self._places["home"]]
        legs = transform(home, platform) - base
        length, size = np.linalg.norm(legs, axis=-1), np.abs(np.stack([base, platform])).max()
        near = CLEAR * max(size, np.abs(home).max())
        fits = (length > near) & (length > stroke[..., 0] + near) & (length < stroke[..., 1] - near)
        for k, place in self._first_axes():
            across = np.cross(self.values[:, place], legs[:, k])
            fits[:, k] &= np.linalg.norm(across, axis=-1) > _ACROSS * length[:, k]
        first, second = np.triu_indices(base.shape[1], 1)
        between = [
            np.abs(ends[:, first] - ends[:, second]).max(axis=-1) for ends in (base, platform)
        ]
        return np.asarray(fits.all(axis=1) & (np.maximum(*between) > near).all(axis=1))

    def _first_axes(self) -> Iterator[tuple[int, slice]]:
        """The legs that have a first axis, counted from 0, and where it is."""
        for k in range(len(self.robot.actuators)):
            if place := self._places.get(f"legs[{k}].first_axis"):
                yield k, place

    def _of_legs(self, key: str) -> Array:
        """(N, legs, n) parameters of the legs."""
        names = (f"legs[{k}].{key}" for k in range(len(self.robot.actuators)))
        return np.stack([self.values[:, self._places[name]] for name in names], axis=1)

    @cached_property
    def _places(self) -> dict[str, slice]:
        """Where the parameters of each name are."""
        return places_of(self.robot)

    @cached_property
    def _split(self) -> list[Array]:
        shapes = _shapes(self.robot)
        cuts = np.cumsum([prod(shape) for shape in shapes])[:-1]
        parts = np.split(self.values, cuts, axis=1)
        return [
            np.ascontiguousarray(part).reshape(-1, *shape)
            for part, shape in zip(parts, shapes, strict=True)
        ]


@lru_cache(maxsize=64)  # asked for by every batch of a grid
def _shapes(robot: Robot) -> list[tuple[int, ...]]:
    return [np.shape(part) for part in _parts(robot)]


def _parts(robot: Robot) -> list[Array]:
    ends = [end for limit in limits_of(robot) for end in limit.ends(robot)]
    return [*Numbers.of(robot, parameters_of(robot)), *ends]
