"""Distributions of the numbers of machines that are built alike, by names and patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.display.brief import brief
from gough.errors import GoughError, InputError, inside
from gough.fields.units import NUMBER_PATTERN, Dimension, to_si
from gough.robot import Robot
from gough.robot.numbers import dimension_of, layout, matching, numbers_of, parameters_of

_TEXT = re.compile(
    rf"\s*(?P<within>±|\+-)?\s*(?P<size>(?P<percent>{NUMBER_PATTERN})\s*%|[^%]*?)\s*"
)
_WIDTH = np.sqrt(3.0)
"""Half width of a uniform distribution with a standard deviation of 1."""
_FORM = 'a standard deviation such as "50 um", 5e-5 or "1 %", or "±0.1 mm" for a uniform error'


@dataclass(frozen=True, eq=False)
class StatedTolerances:
    """Numbers of a robot that have errors, and the standard deviations of these."""

    robot: Robot
    patterns: tuple[str, ...]
    """Distributions as they were given."""
    places: tuple[int, ...]
    """(k) places of the numbers in the vector of parameters."""
    pattern: tuple[int, ...]
    """(k) index of the pattern of each of them."""
    deviation: Array
    """(k) standard deviation of each error, in the number's SI unit."""
    even: AnyArray
    """(k) whether errors are uniformly distributed within a tolerance; otherwise normally."""

    __repr__ = brief

    @property
    def names(self) -> list[str]:
        """(k) names of the numbers."""
        known = layout(self.robot)
        return [known[place] for place in self.places]

    @property
    def joints(self) -> list[str]:
        """(k) vector or tensor of each number: `legs[2].base` of `legs[2].base.x`."""
        known = [name for name, numbers in numbers_of(self.robot).items() for _ in numbers]
        return [known[place] for place in self.places]

    @property
    def changes(self) -> Array:
        """(k, n) changes of the parameters, each by a standard deviation of one number."""
        found = np.zeros((len(self.places), len(parameters_of(self.robot))))
        found[np.arange(len(self.places)), self.places] = self.deviation
        return found

    def errors(self, samples: int, seed: int) -> Array:
        """Return random errors (samples, k) [SI]."""
        generator = np.random.default_rng(seed)
        found = generator.standard_normal((samples, len(self.places)))
        even = np.flatnonzero(self.even)
        found[:, even] = generator.uniform(-_WIDTH, _WIDTH, (samples, len(even)))
        found *= self.deviation
        return found


def stated_tolerances(
    robot: Robot, given: Mapping[str, Any] | StatedTolerances
) -> StatedTolerances:
    """Read tolerances: sizes of errors by names and patterns of parameters.

    A number in SI units, or text with a unit or in percent of the nominal value, is the standard
    deviation of normal errors; with ± before it ("±50 um") it is a tolerance with uniformly
    distributed errors. If several patterns match a number, the last one counts.
    """
    if isinstance(given, StatedTolerances):
        return given
    if not isinstance(given, Mapping) or not given:
        raise GoughError(
            f"tolerances are {given!r:.80}; expected a table from names or patterns of parameters, "
            f'such as "legs[*].base", to {_FORM}'
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
            problem = f"{written} of numbers that are all 0 is 0"
            raise InputError(problem, key=pattern, expected=_FORM)
    places = tuple(sorted(found))
    said, deviations, even = zip(*(found[place] for place in places), strict=True)
    return StatedTolerances(robot, tuple(given), places, said, np.array(deviations), np.array(even))


@dataclass(frozen=True)
class _Size:
    """A distribution of numbers, as it is written."""

    written: Any
    even: bool
    share: float | None
    """Fraction of the number itself; None: in its own unit."""

    @classmethod
    def read(cls, pattern: str, written: Any) -> _Size:
        if isinstance(written, str) and (text := _TEXT.fullmatch(written)):
            share = float(text["percent"]) / 100 if text["percent"] else None
            return cls(text["size"], bool(text["within"]), share)
        return cls(written, False, None)

    def deviation(self, number: float, dimension: Dimension) -> float:
        """Return the standard deviation of a number's error, in the SI unit of its dimension."""
        if not np.isfinite(number):
            raise InputError(
                "not stated in the robot file, so that it has no error", expected="a number"
            )
        size = to_si(self.written, dimension) if self.share is None else self.share * abs(number)
        if size < 0 or (size == 0 and self.share is None):
            raise InputError("not above 0", value=self.written, expected=_FORM)
        return size / _WIDTH if self.even else size
