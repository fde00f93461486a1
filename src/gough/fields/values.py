"""The types of what users write: numbers with units, vectors, inertias, counts, names.

Each type reads what a user may write (numbers, text with units, lists), gives floats and tuples of
floats in SI units, refuses the rest with an InputError, writes what it read, and describes itself
for the JSON Schema.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from gough.arrays import Array
from gough.errors import InputError, did_you_mean, inside
from gough.fields import units
from gough.fields.inertia import Rows
from gough.fields.units import QUANTITY_PATTERN, Dimension, to_si

JsonSchema = dict[str, Any]

OUT_OF_RANGE = "out of range"  # the problem of a number that is beyond its bounds
LONGEST_NAME = 200  # characters: a file can be called so

_UNIT_TOLERANCE = 1e-14  # rounding in the scaling itself; below it a vector has length one
_ROUNDING = 1e-14  # share by which a number in another unit may be above the bound that it means


class _Type(ABC):
    """A pydantic annotation that reads a value with `read` and describes it with `_schema`."""

    @abstractmethod
    def read(self, value: object) -> object:
        """Convert what a user wrote, or raise InputError."""

    @abstractmethod
    def _schema(self) -> JsonSchema:
        """Describe what a user may write."""

    def written(self, value: object) -> Any:
        """Give back what was read, as files say it in SI units."""
        return value

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(self.written, when_used="json")
        return core_schema.no_info_plain_validator_function(self.read, serialization=written)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchema:
        return self._schema()


@dataclass(frozen=True)
class QuantityWithUnit(_Type):
    """One number of a dimension, within bounds in SI units."""

    dimension: Dimension
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None

    def read(self, value: object) -> float:
        """Convert to SI and check the bounds."""
        number = to_si(value, self.dimension)
        if self._holds(number):
            return number
        if self.at_most is not None and math.isclose(number, self.at_most, rel_tol=_ROUNDING):
            return self.at_most  # as for "120 deg"
        expected = self._bounds() + self._other_unit(value)
        raise InputError(OUT_OF_RANGE, value=value, expected=expected)

    def _holds(self, number: float) -> bool:
        return not (
            (self.at_least is not None and number < self.at_least)
            or (self.above is not None and number <= self.above)
            or (self.at_most is not None and number > self.at_most)
        )

    def _other_unit(self, value: object) -> str:
        """Say how a number is written that makes sense in the unit that people think in."""
        unit = self.dimension.habit
        if not unit or not isinstance(value, int | float):
            return ""
        meant = f"{value} {unit}"
        return f'; or "{meant}"?' if self._holds(to_si(meant, self.dimension)) else ""

    def _stated(self) -> list[tuple[str, str, float]]:
        """Bounds with their words, and their keywords in a JSON Schema."""
        words = ("at least", "above", "at most")
        keywords = ("minimum", "exclusiveMinimum", "maximum")
        bounds = zip(words, keywords, (self.at_least, self.above, self.at_most), strict=True)
        return [(word, key, bound) for word, key, bound in bounds if bound is not None]

    def _bounds(self) -> str:
        bounds = [f"{words} {bound:g}" for words, _, bound in self._stated()]
        return f"{self.dimension.name}, {' and '.join(bounds)} {self.dimension.unit}".rstrip()

    def _schema(self) -> JsonSchema:
        number: JsonSchema = {"type": "number"}
        number |= {keyword: bound for _, keyword, bound in self._stated()}
        if self.dimension is units.NUMBER:
            return number
        text = {"type": "string", "pattern": QUANTITY_PATTERN}
        return {"anyOf": [number, text], "x-unit": self.dimension.unit}


@dataclass(frozen=True)
class Integer(_Type):
    """A whole number within bounds; neither true nor a text is one."""

    least: int
    most: int

    def read(self, value: object) -> int:
        """Check what was written."""
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputError("not a whole number", value=value, expected=self._bounds())
        if not self.least <= value <= self.most:
            raise InputError(OUT_OF_RANGE, value=value, expected=self._bounds())
        return value

    def _bounds(self) -> str:
        return f"a whole number from {self.least:,} to {self.most:,}"

    def _schema(self) -> JsonSchema:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class OneOf(_Type):
    """One of some names; where another is given, the nearest is offered."""

    known: tuple[str, ...]

    def read(self, value: object) -> str:
        """Check what was written."""
        if isinstance(value, str) and value in self.known:
            return value
        hint = did_you_mean(str(value), self.known)
        raise InputError(f"not known{hint}", value=value, expected=self.expectation)

    @property
    def expectation(self) -> str:
        """The words after "expected" in a message."""
        return f"one of {self.listed}" if len(self.known) > 2 else self.listed

    @property
    def listed(self) -> str:
        """All names, in quotes."""
        return (", " if len(self.known) > 2 else " or ").join(f'"{name}"' for name in self.known)

    def _schema(self) -> JsonSchema:
        return {"enum": list(self.known), "type": "string"}


@dataclass(frozen=True)
class Vector(_Type):
    """A list of a given number of quantities."""

    size: int
    item: QuantityWithUnit

    @property
    def dimension(self) -> Dimension:
        """Dimension of each of them."""
        return self.item.dimension

    def read(self, value: object) -> tuple[float, ...]:
        """Convert each item to SI; a complaint names the item."""
        items = as_list(value)
        if items is None or len(items) != self.size:
            problem = "not a list" if items is None else f"{len(items)} items"
            expected = f"a list of {self.size}, each {self.item.dimension.expectation}"
            raise InputError(problem, value=value, expected=expected)
        return tuple(read_items(self.item.read, items))

    def _schema(self) -> JsonSchema:
        return list_schema(self.item._schema(), self.size)


class NumberOrVector(Vector):
    """One quantity, or a list of a given number of them."""

    def read(self, value: object) -> Any:
        """Convert to SI."""
        return self.item.read(value) if as_list(value) is None else super().read(value)

    def _schema(self) -> JsonSchema:
        return {"anyOf": [self.item._schema(), super()._schema()]}


@dataclass(frozen=True)
class Symmetric(_Type):
    """A symmetric matrix that passes a check, or its diagonal; always stored as a matrix."""

    sizes: tuple[int, ...]
    dimension: Dimension
    checked: Callable[[Array, object], Rows]  # returns the matrix, or refuses what was written
    diagonal: str = "numbers"  # word for what is on its diagonal

    def read(self, value: object) -> Rows:
        """Convert to SI and check."""
        rows = as_list(value)
        if rows is None or len(rows) not in self.sizes:
            counts = " or ".join(map(str, self.sizes))
            squares = " or ".join(f"{n}x{n}" for n in self.sizes)
            expected = f"{counts} {self.diagonal}, or a {squares} list"
            raise InputError("not a matrix", value=value, expected=expected)
        read = self._row(len(rows)).read
        if as_list(rows[0]) is None:
            return self.checked(np.diag(read(rows)), value)
        return self.checked(np.array([*read_items(read, rows)]), value)

    def written(self, value: object) -> list[Any]:
        """Return the diagonal where there is nothing beside it."""
        matrix = np.array(value)
        diagonal = np.diag(matrix)
        shown: list[Any] = (diagonal if (matrix == np.diag(diagonal)).all() else matrix).tolist()
        return shown

    def _schema(self) -> JsonSchema:
        rows = [(self._row(n)._schema(), n) for n in self.sizes]
        return {"anyOf": [way for row, n in rows for way in (row, list_schema(row, n))]}

    def _row(self, size: int) -> Vector:
        return Vector(size, QuantityWithUnit(self.dimension))


def as_list(value: object) -> Sequence[Any] | None:
    """Return a list, tuple or array as a sequence, anything else as None."""
    to_list: Callable[[], object] | None = getattr(value, "tolist", None)
    items = value if to_list is None else to_list()
    return items if isinstance(items, list | tuple) else None


def as_texts(value: object) -> tuple[str, ...]:
    """Return a text, or a list of texts, as a tuple; anything else as an empty one."""
    items = [value] if isinstance(value, str) else as_list(value) or ()
    return tuple(items) if all(isinstance(item, str) for item in items) else ()


def one_line(name: str) -> str:
    """Return a name that can stand in a line of any text, or complain."""
    if not name.isprintable() or len(name) > LONGEST_NAME:
        expected = f"a line of at most {LONGEST_NAME} printable characters"
        raise InputError("not a name", value=name, expected=expected)
    return name


def not_empty(value: object) -> Sequence[Any]:
    """Return a list, or complain if it is none or has no items."""
    items = as_list(value)
    if not items:
        raise InputError("not a list", value=value, expected="a list, not empty")
    return items


def read_items(read: Callable[[object], object], items: Sequence[object]) -> Iterator[Any]:
    """Read each item of a list; its place goes into the key of a complaint."""
    for i, item in enumerate(items):
        with inside(f"[{i}]"):
            value = read(item)
        yield value


def list_schema(item: JsonSchema, size: int) -> JsonSchema:
    """Describe a list of `size` items, all alike."""
    return {"type": "array", "items": item, "minItems": size, "maxItems": size}


def normalized(vector: tuple[float, ...]) -> tuple[float, ...]:
    """Scale to length one. What has length one already stays as it is, to the last bit."""
    largest = max(map(abs, vector))
    if largest == 0.0:
        raise InputError("the zero vector has no direction", value=vector, expected="a direction")
    scaled = [x / largest for x in vector]
    length = math.hypot(*scaled)
    if abs(largest * length - 1.0) <= _UNIT_TOLERANCE:
        return vector
    return tuple(x / length for x in scaled)


def plain_name(name: str) -> str:
    """A name that is also good for a folder."""
    if "/" in name or "\\" in name or name in (".", "..") or not name.isprintable():
        expected = "a name without slashes, in letters that can be printed"
        raise InputError("not a plain name", value=name, expected=expected)
    if len(name.encode()) > LONGEST_NAME:
        expected = f"at most {LONGEST_NAME} bytes, for the name of a folder"
        raise InputError("too long", value=name, expected=expected)
    return name
