"""Variations of a study: lists or ranges of any parameter, and the full grid of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema

from gough.digits import short_decimal
from gough.disk.labelled import Labelled
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError
from gough.fields.changes import changed, number_and_unit, parts, scaled
from gough.fields.table import FileTable, entry, optional
from gough.fields.user_files import with_places
from gough.fields.values import Integer, as_list, as_texts

MOST = 1_000_000  # no grid has more points than this


@dataclass(frozen=True)
class Variation:
    """One axis of a grid: what it is called, where it acts, and the values that it takes."""

    name: str
    parameters: tuple[str, ...]
    values: tuple[Any, ...]  # values as they are written: numbers, text with units, lists
    as_factors: bool = False
    """Whether the values multiply what is there instead of taking its place."""
    labels: tuple[Any, ...] = ()
    """Names of the values in tables and plots, where they do not speak for themselves."""

    @cached_property
    def unit(self) -> str:
        """The unit of the values as written: empty for SI and plain numbers."""
        units = {pair[1] for pair in map(number_and_unit, self.labels or self.values) if pair}
        return units.pop() if len(units) == 1 else ""

    @cached_property
    def numbers(self) -> tuple[Any, ...]:
        """The values without their common unit; as they are if that is not possible."""
        shown = self.labels or self.values
        pairs = [number_and_unit(value) for value in shown]
        if any(pair is None or pair[1] != self.unit for pair in pairs):
            return tuple(str(value) for value in shown)
        return tuple(pair[0] for pair in pairs if pair)

    @property
    def heading(self) -> str:
        """The heading of a column with these values."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def labelled(self) -> Labelled:
        """The values with what they are, for files of arrays."""
        return Labelled(np.array(self.numbers), self.unit, ", ".join(self.parameters))

    def words(self, place: int) -> str:
        """One of its values with its name: "mass 100 kg"."""
        return f"{self.name} {number_words(self.numbers[place])} {self.unit}".rstrip()

    def changes(self, k: int) -> PlainMapping:
        """Other values, or factors, by the path at which they act, for the k-th value."""
        return dict.fromkeys(self.parameters, self.values[k])

    def at_keys(self) -> list[PlainData]:
        """Every value at the key that it is for, in which names of files are found."""
        all_changes = (self.changes(k).items() for k in range(len(self.values)))
        return [{str(parts(path)[-1]): v} for changes in all_changes for path, v in changes]

    def applied(self, data: PlainMapping, k: int) -> PlainData:
        """A study's data with the k-th value in its place."""
        change = scaled if self.as_factors else changed
        for path, value in self.changes(k).items():
            data = change(data, path, value)
        return dict(data)


@dataclass(frozen=True)
class Cases(Variation):
    """An axis of named cases: each value is a table of other values by path."""

    def changes(self, k: int) -> PlainMapping:
        """Other values of the k-th case by path."""
        changes: PlainMapping = self.values[k]
        return changes


def _paths(value: object) -> tuple[str, ...]:
    paths = as_texts(value)
    if not paths:
        expected = 'a path like "motion.duration", or a list'
        raise InputError("not a parameter", value=value, expected=expected)
    return paths


def _values(value: object) -> tuple[Any, ...]:
    items = as_list(value)
    if not items:
        raise InputError("not a list", value=value, expected="a list of at least one value")
    return tuple(items)


def _factors(value: object) -> tuple[Any, ...]:
    items = _values(value)
    for i, item in enumerate(items):
        pair = number_and_unit(item)
        if pair is None or pair[1]:
            raise InputError("not a number", key=f"[{i}]", value=item, expected="a factor, like 3")
    return items


Paths = Annotated[
    tuple[str, ...],
    BeforeValidator(_paths),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Values = Annotated[tuple[Any, ...], BeforeValidator(_values)]
Factors = Annotated[tuple[Any, ...], BeforeValidator(_factors)]


class WrittenRange(FileTable):
    """Equally spaced values, both ends included."""

    start: Any = entry("The first value: a number, or one with a unit.", alias="from")
    end: Any = entry("The last value, in the same unit.", alias="to")
    count: Annotated[int, Integer(2, MOST)] = entry("How many values there are.")

    def _check(self) -> None:
        start, end = number_and_unit(self.start), number_and_unit(self.end)
        if start is None or end is None or start[1] != end[1]:
            ends, expected = [self.start, self.end], "two numbers, or two with the same unit"
            raise InputError("not a range", value=ends, expected=expected)

    def values(self) -> tuple[Any, ...]:
        """The values as they would be written one by one."""
        (start, unit), (end, _) = (number_and_unit(x) or (0.0, "") for x in (self.start, self.end))
        numbers = np.linspace(start, end, self.count).tolist()
        return tuple(f"{x!r} {unit}" if unit else x for x in numbers)


class WrittenVariation(FileTable):
    """An axis of the grid: values, factors or a range, for a path or several paths."""

    name: str | None = optional(
        "What it is called in tables and plots. Left out: as its parameter."
    )
    parameter: Paths = entry(
        'What is varied, as a path: "motion.duration", "robot.platform.mass"; or a '
        "list of paths that vary together."
    )
    values: Values | None = optional("The values that it takes, as they are written.")
    factors: Factors | None = optional("Instead of values: factors of what the study says.")
    range: WrittenRange | None = optional(
        "Instead of values: equally spaced ones, both ends included."
    )
    labels: Values | None = optional(
        "What the values are called in tables and plots, one for each."
    )

    def _check(self) -> None:
        given = [key for key in ("values", "factors", "range") if getattr(self, key) is not None]
        if len(given) != 1:
            problem = "given twice: " + ", ".join(given) if given else "no values"
            raise InputError(problem, expected="one of values, factors, range")
        count = self.range.count if self.range else len(self.values or self.factors or ())
        if self.labels and len(self.labels) != count:
            problem, expected = f"{len(self.labels)} labels", f"{count}, one for each value"
            raise InputError(problem, key="labels", expected=expected)

    def variation(self) -> Variation:
        """The axis that this table describes."""
        values = self.range.values() if self.range else self.values or self.factors or ()
        name = self.name or self.parameter[0]
        return Variation(name, self.parameter, values, self.factors is not None, self.labels or ())


class WrittenCase(FileTable):
    """One of the [[cases]]: the study with other values, to be compared with the others."""

    name: str = entry("What it is called, and its folder.", pattern=r"^\w[\w ,.+()-]*$")
    changes: PlainData = entry('Other values at some paths: "plant.legs" = "simple".')


def cases_of(written: Sequence[WrittenCase], study: str, folder: Path) -> Cases:
    """The axis of a study's cases, each a study of its own name; files count from the folder."""
    values: list[PlainData] = []
    for case in written:
        keys = {path: str(parts(path)[-1]) for path in case.changes}
        full = {p: with_places({keys[p]: x}, folder)[keys[p]] for p, x in case.changes.items()}
        values.append({"name": f"{study}-{case.name}", **full})
    paths = dict.fromkeys(path for changes in values for path in changes)
    return Cases("case", tuple(paths), tuple(values), labels=tuple(case.name for case in written))


def with_full_names(table: PlainMapping, folder: Path) -> PlainData:
    """An axis as written with the names of files in its values in full, called as before."""
    written = _values(table["values"]) if table.get("values") else ()
    key = next((str(parts(path)[-1]) for path in _paths(table["parameter"])), "")
    values = [with_places({key: value}, folder)[key] for value in written]
    if values == list(written):
        return dict(table)
    return {"labels": list(written), **table, "values": values}


def are_cases(variations: tuple[Variation, ...]) -> bool:
    """Whether nothing but cases is varied."""
    return [type(axis) for axis in variations] == [Cases]


def shape_of(variations: tuple[Variation, ...]) -> tuple[int, ...]:
    """Number of values of each axis."""
    return tuple(len(variation.values) for variation in variations)


def point(data: PlainMapping, variations: tuple[Variation, ...], index: int) -> PlainData:
    """The data of one point of the grid; the last axis runs fastest."""
    for variation, k in zip(variations, np.unravel_index(index, shape_of(variations)), strict=True):
        data = variation.applied(data, int(k))
    none: PlainData = {"variations": []} if "variations" in data else {}
    return {key: value for key, value in data.items() if key != "cases"} | none


def all_point_words(variations: tuple[Variation, ...]) -> list[str]:
    """All points of the grid in words, such as "height 2 ft, period 5 s"."""
    axes = [[v.words(k) for k in range(len(v.values))] for v in variations]
    return [", ".join(words) for words in product(*axes)]


def number_words(number: object) -> str:
    """One of a variation's numbers as people read it."""
    return short_decimal(number, 6) if isinstance(number, float) else str(number)
