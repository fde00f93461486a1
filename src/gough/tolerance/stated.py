"""Distributions of the numbers of machines that are built alike, by names and patterns."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray, Array
from gough.display.brief import Brief
from gough.errors import GoughError, InputError, inside
from gough.fields.units import NUMBER_PATTERN, Dimension, to_si
from gough.model.machines import Machines, machines_with
from gough.robot import Robot, matching
from gough.robot.numbers import vector_of

_TEXT = re.compile(
    rf"\s*(?P<within>±|\+-)?\s*(?P<size>(?P<percent>{NUMBER_PATTERN})\s*%|[^%]*?)\s*"
)
_WIDTH = np.sqrt(3.0)
"""Half width of a uniform distribution with a standard deviation of 1."""
_FORM = 'a standard deviation such as "50 um", 5e-5 or "1 %", or "±0.1 mm" for a uniform error'


@dataclass(frozen=True, eq=False, repr=False)
class StatedTolerances(Brief):
    """Numbers of a robot that have errors, and the standard deviations of these."""

    machines: Machines
    """The robot, with its numbers that may have errors."""
    patterns: tuple[str, ...]
    """Distributions as they were given."""
    places: tuple[int, ...]
    """(k) places of the numbers among those of the machines."""
    pattern: tuple[int, ...]
    """(k) index of the pattern of each of them."""
    deviation: Array
    """(k) standard deviation of each error, in the number's SI unit."""
    even: AnyArray
    """(k) whether errors are uniformly distributed within a tolerance; otherwise normally."""

    @property
    def names(self) -> list[str]:
        """(k) names of the numbers."""
        return [self.machines.names[place] for place in self.places]

    @property
    def joints(self) -> list[str]:
        """(k) vector or tensor of each number: `legs[2].base` of `legs[2].base.x`."""
        return [vector_of(name) for name in self.names]

    @property
    def changes(self) -> Array:
        """(k, n) changes of all numbers, each by a standard deviation of one of them."""
        found = np.zeros((len(self.places), len(self.machines.names)))
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
    robot: Robot, given: Mapping[str, object] | StatedTolerances, also: tuple[str, ...] = ()
) -> StatedTolerances:
    """Read tolerances: sizes of errors by names and patterns of numbers, see `machines_with`.

    A number in SI units, or text with a unit or in percent of the nominal value, is the standard
    deviation of normal errors; with ± before it ("±50 um") it is a tolerance with uniformly
    distributed errors. If several patterns match a number, the last one counts. Numbers that are
    `also` among those of the machines change along a motion.
    """
    if isinstance(given, StatedTolerances):
        return given
    if not isinstance(given, Mapping) or not given:
        raise GoughError(
            f"tolerances are {given!r:.80}; expected a table from names or patterns of parameters, "
            f'such as "legs[*].base", to {_FORM}'
        )
    machines = machines_with(robot, [*map(str, given)], also)
    known, numbers = machines.names, machines.values
    found: dict[int, tuple[int, float, bool]] = {}
    for k, (pattern, written) in enumerate(given.items()):
        for name in matching(known, [pattern]):
            place = known.index(name)
            with inside(name):
                number, dimension = float(numbers[place]), machines.dimension(name)
                deviation, even = _distribution(written, number, dimension)
            found.pop(place, None)
            if deviation:
                found[place] = (k, deviation, even)
        if not any(number == k for number, *_ in found.values()):
            problem = f"{written} of numbers that are all 0 is 0"
            raise InputError(problem, key=pattern, expected=_FORM)
    places = tuple(sorted(found))
    pattern_of, *errors = zip(*(found[place] for place in places), strict=True)
    return StatedTolerances(machines, tuple(given), places, pattern_of, *map(np.array, errors))


def _distribution(written: object, number: float, dimension: Dimension) -> tuple[float, bool]:
    """Standard deviation of a number's error [SI], as written, and whether errors are uniform."""
    if not np.isfinite(number):
        problem = "not stated in the robot file, so that it has no error"
        raise InputError(problem, expected="a number")
    text = _TEXT.fullmatch(written) if isinstance(written, str) else None
    if text and text["percent"]:
        size, least = float(text["percent"]) / 100 * abs(number), 0.0
    else:
        size, least = to_si(text["size"] if text else written, dimension), np.finfo(float).tiny
    if size < least:
        raise InputError("not above 0", value=text["size"] if text else written, expected=_FORM)
    even = bool(text and text["within"])
    return (size / _WIDTH if even else size), even
