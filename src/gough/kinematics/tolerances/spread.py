"""How far the numbers of machines that are built alike lie apart: spreads by names and patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError, InputError, inside
from gough.fields.units import NUMBER_PATTERN, Dimension, to_si
from gough.robot import Robot
from gough.robot.dimensions import dimension_of
from gough.robot.numbers import layout, matching, numbers_of, parameters_of
from gough.shown.brief import brief

_TEXT = re.compile(
    rf"\s*(?P<within>±|\+-)?\s*(?P<size>(?P<percent>{NUMBER_PATTERN})\s*%|[^%]*?)\s*"
)
_WIDTH = np.sqrt(3.0)
"""Half of an interval whose numbers, all alike probable, have a standard deviation of 1."""
_FORM = 'a standard deviation such as "50 um", 5e-5 or "1 %", or "±0.1 mm" for anywhere within'


@dataclass(frozen=True, eq=False)
class Spread:
    """Which of a robot's numbers have errors, and how large these are."""

    robot: Robot
    patterns: tuple[str, ...]
    """As they were given."""
    places: tuple[int, ...]
    """(k) of the numbers in the vector of parameters."""
    pattern: tuple[int, ...]
    """(k) the pattern that counts for each of them."""
    deviation: Array
    """(k) standard deviation of each error [SI]."""
    even: AnyArray
    """(k) whether all errors within a tolerance are alike probable; otherwise they are normal."""

    __repr__ = brief

    @property
    def names(self) -> list[str]:
        """(k) of the numbers."""
        known = layout(self.robot)
        return [known[place] for place in self.places]

    @property
    def joints(self) -> list[str]:
        """(k) what each of them is a number of: `legs[2].base` of `legs[2].base.x`."""
        known = [name for name, numbers in numbers_of(self.robot).items() for _ in numbers]
        return [known[place] for place in self.places]

    @property
    def changes(self) -> Array:
        """(k, n) of the vector of parameters, each by a standard deviation of one number [SI]."""
        found = np.zeros((len(self.places), len(parameters_of(self.robot))))
        found[np.arange(len(self.places)), self.places] = self.deviation
        return found

    def errors(self, robots: int, seed: int) -> Array:
        """(robots, k) errors of machines drawn at random [SI]."""
        drawn = np.random.default_rng(seed)
        found = drawn.standard_normal((robots, len(self.places)))
        even = np.flatnonzero(self.even)
        found[:, even] = drawn.uniform(-_WIDTH, _WIDTH, (robots, len(even)))
        found *= self.deviation
        return found


def spread_of(robot: Robot, given: Mapping[str, Any]) -> Spread:
    """The spread that names and patterns say, each with how far the numbers lie apart.

    A number [SI], or text with a unit or in percent of what the robot has, is the standard
    deviation of normal errors; with ± before it ("±50 um") it is a tolerance, and all errors within
    are alike probable. Of several patterns that mean a number the last one counts.
    """
    if not isinstance(given, Mapping) or not given:
        raise GoughError(
            f"spread is {given!r:.80}; expected a table from names or patterns of parameters, such "
            f'as "legs[*].base", to {_FORM}'
        )
    known, numbers = layout(robot), parameters_of(robot)
    found: dict[int, tuple[int, float, bool]] = {}
    for k, (pattern, written) in enumerate(given.items()):
        size = _Size.read(pattern, written)
        for name in matching(known, [pattern]):
            place = known.index(name)
            with inside(name):
                deviation = size.deviation(float(numbers[place]), dimension_of(robot, name))
            found.pop(place, None)
            if deviation:
                found[place] = (k, deviation, size.even)
        if not any(number == k for number, *_ in found.values()):
            problem = f"{written} of numbers that are all 0 is nothing"
            raise InputError(problem, key=pattern, expected=_FORM)
    places = tuple(sorted(found))
    said, deviations, even = zip(*(found[place] for place in places), strict=True)
    return Spread(robot, tuple(given), places, said, np.array(deviations), np.array(even))


@dataclass(frozen=True)
class _Size:
    """How far numbers lie apart, as it is written."""

    written: Any
    even: bool
    share: float | None
    """Of the number itself; None: in its own unit."""

    @classmethod
    def read(cls, pattern: str, written: Any) -> _Size:
        if isinstance(written, str) and (text := _TEXT.fullmatch(written)):
            share = float(text["percent"]) / 100 if text["percent"] else None
            return cls(text["size"], bool(text["within"]), share)
        return cls(written, False, None)

    def deviation(self, number: float, dimension: Dimension) -> float:
        """The standard deviation [SI] of the error of a number of a dimension."""
        if not np.isfinite(number):
            raise InputError("not stated, so that it has no error", expected="a number")
        size = to_si(self.written, dimension) if self.share is None else self.share * abs(number)
        if size < 0 or (size == 0 and self.share is None):
            raise InputError("not above 0", value=self.written, expected=_FORM)
        return size / _WIDTH if self.even else size
