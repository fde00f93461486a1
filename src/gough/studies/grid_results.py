"""What a study with variations found: every figure over the grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.figures import KEY_OF_STUDIES, SAMPLES_WITHOUT_FORCES, figure_of, known_of
from gough.analysis.limits import Judged, judged_limits
from gough.analysis.quantities import unknown
from gough.analysis.results import Studied
from gough.arrays import AnyArray, Array
from gough.disk.labelled import Group, Labelled
from gough.errors import GoughError
from gough.shown import Fact, card, facts, grid, number, shown_unit
from gough.studies.variations import Variation

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from gough.studies.variations import Variation


_ALARMS = {"below zero": np.less, "above zero": np.greater}


@dataclass(frozen=True, eq=False)
class GridFigure:
    """A figure such as the peak force at every point of the grid; NaN where there is none."""

    name: str
    unit: str
    meaning: str
    values: Array
    """(grid)"""
    per_leg: Array | None = None
    """(grid, legs), or actuators or joints."""
    labels: tuple[str, ...] = ()
    """The names of actuators or joints; none where they are legs, which are counted."""

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.values.shape))
        return f"<gough figure {self.name} [{self.unit}]: {size} points>"

    def over(self, shape: tuple[int, ...]) -> GridFigure:
        """The same values, which are a row for each point, over a grid of that shape."""
        per_leg = None if self.per_leg is None else self.per_leg.reshape(*shape, -1)
        return replace(self, values=self.values.reshape(shape), per_leg=per_leg)

    def columns(self) -> dict[str, Array]:
        """Its values with units in the headings: of the machine, then of each leg or joint."""
        columns = {f"{self.name} [{self.unit}]": self.values}
        if self.per_leg is not None:
            names = self.labels or range(1, self.per_leg.shape[-1] + 1)
            for name, values in zip(names, np.moveaxis(self.per_leg, -1, 0), strict=True):
                columns[f"{self.name}_{name} [{self.unit}]"] = values
        return columns

    def labelled(self, over: tuple[tuple[str, ...], ...]) -> dict[str, Labelled]:
        """Its values, and those of each leg or joint, with what they are, for files of arrays."""
        found = {self.name: Labelled(self.values, self.unit, self.meaning, over)}
        if self.per_leg is not None:
            labels = np.array(list(self.columns())[1:], object)
            each = Labelled(self.per_leg, self.unit, self.meaning, over, labels)
            found[f"{self.name}_each"] = each
        return found


@dataclass(frozen=True, eq=False, repr=False)
class GridResults(Studied):
    """The figures of all points of a grid: `results["peak_force"]` has an axis per variation."""

    variations: tuple[Variation, ...]
    """The axes of the grid."""
    figures: dict[str, GridFigure]
    singularities: Array
    """(grid) how many singular configurations each motion meets."""
    warnings: tuple[tuple[str, ...], ...] = ()
    """Of each point, the last axis running fastest."""
    errors: tuple[str, ...] = ()
    """Of each point: why it could not be computed, or nothing."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each variation has."""
        return tuple(len(variation.values) for variation in self.variations)

    def __repr__(self) -> str:
        points = " x ".join(map(str, self.shape))
        return (
            f"<gough results of {self.name}: {self.robot.name}, {points} points of "
            f"{len(self.figures)} figures>"
        )

    def _repr_html_(self) -> str:

        return grid_card(self)

    def __getitem__(self, name: str) -> Array:
        return self.figure(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(self.figures)

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    @property
    def limits(self) -> Judged:
        """Which of the robot's limits the motions were held against, and which not."""
        known = {name for name in self.figures if np.isfinite(self[name]).any()}
        return judged_limits(self.robot, known)

    def figure(self, name: str) -> GridFigure:
        """A figure by its name; GoughError if there is none of that name."""
        if name not in self.figures:
            raise unknown("figure", name, self.figures)
        return self.figures[name]

    def per_leg(self, name: str) -> Array:
        """(grid, legs) a figure of each leg, or of each actuator or joint."""
        values = self.figure(name).per_leg
        if values is None:
            raise GoughError(f"{name} is a figure of the whole machine, not of each leg")
        return values

    @property
    def feasible(self) -> AnyArray:
        """(grid) whether a point was computed, passes no limit and has forces all along."""
        feasible = np.array([not error for error in self.errors]).reshape(self.shape)
        for name, figure in self.figures.items():
            alarm = figure_of(name).alarming
            if alarm:
                feasible &= ~_ALARMS[alarm](figure.values, 0)
        without = SAMPLES_WITHOUT_FORCES.name
        return feasible & (self[without] == 0) if without in self else feasible

    def best(self, name: str) -> tuple[int, ...] | None:
        """The place of the feasible point where a figure is best; None if no point is feasible.

        Best is the least, or of a margin the greatest. A figure of which neither is better is
        refused.
        """
        return best_place(name, self[name], self.feasible)

    def columns(self) -> dict[str, Any]:
        """A row for each point: the variations' values, all figures with units, warnings."""
        places = np.indices(self.shape).reshape(len(self.shape), -1)
        columns: dict[str, Any] = {}
        for variation, place in zip(self.variations, places, strict=True):
            columns[variation.heading] = np.array(variation.numbers)[place]
        for figure in self.figures.values():
            columns |= {heading: values.reshape(-1) for heading, values in figure.columns().items()}
        columns["singularities"] = self.singularities.reshape(-1)
        columns["warnings"] = ["; ".join(words) for words in self.warnings]
        columns["error"] = list(self.errors)
        return columns

    def arrays(self) -> Group:
        """Every figure over the grid, and the values of its axes as the group `variations`."""
        axes = {v.name: v.labelled() for v in self.variations}
        over = tuple(("variations", name) for name in axes)
        arrays: dict[str, Labelled] = {}
        for figure in self.figures.values():
            arrays |= figure.labelled(over)
        others: dict[str, tuple[Any, str]] = {
            "singularities": (self.singularities, "Singular configurations that a motion meets."),
            "warnings": (["; ".join(words) for words in self.warnings], "What must be known."),
            "error": (self.errors, "Why a point could not be computed, or nothing."),
        }
        for name, (values, meaning) in others.items():
            arrays[name] = Labelled(np.reshape(values, self.shape), "", meaning, over)
        return Group(arrays, {"variations": Group(axes)}, self.about)

    def to_dataframe(self) -> pd.DataFrame:
        """A table with a row for each point of the grid."""
        import pandas as pd  # noqa: PLC0415  (slow to import)

        return pd.DataFrame(self.columns()).copy()  # in one piece

    def plot(self, name: str, at: Mapping[str, Any] | None = None) -> Figure:
        """One figure over the first variation, a line or bar for each value of the next.

        Further ones stay at their first values, or at those that `at` gives by name.
        """
        from gough.studies.grid_plot import plot_figure  # noqa: PLC0415  (matplotlib is slow)

        return plot_figure(self, name, at)

    def map(self, name: str, at: Mapping[str, Any] | None = None) -> Figure:
        """One figure over the first two variations in colours, unfeasible points crossed.

        The best feasible point is ringed. Further variations stay as in `plot`.
        """
        from gough.studies.grid_map import map_figure  # noqa: PLC0415  (matplotlib is slow)

        return map_figure(self, name, at)

    def save(
        self, folder: str | Path, *, csv: bool = True, mat: bool = False, hdf5: bool = False
    ) -> None:
        """Write variations.parquet and .csv, robot.toml, summary.json, study.json, as `Results`."""
        from gough.analysis.storage import wanted_formats  # noqa: PLC0415  (pyarrow is slow)
        from gough.studies.grid_storage import GRID  # noqa: PLC0415

        GRID.save(self, Path(folder), wanted_formats(csv=csv, mat=mat, hdf5=hdf5))

    @classmethod
    def load(cls, folder: str | Path) -> GridResults:
        """Read what `save` wrote."""
        from gough.studies.grid_storage import GRID  # noqa: PLC0415

        return GRID.load(Path(folder))


def grid_card(results: GridResults) -> str:
    """The variations, then the least and the greatest value of each key figure."""
    failed = sum(map(bool, results.errors))
    return card(
        results.name,
        f"grid · {results.robot.name}",
        facts([_varied(variation) for variation in results.variations]),
        grid(("figure", "least", "greatest", "unit"), _rows(results), (1, 2)),
        warnings=[f"{failed} of {len(results.errors)} points have no results"] if failed else [],
    )


def _varied(variation: Variation) -> Fact:
    first, last = variation.numbers[0], variation.numbers[-1]
    ends = f"{_text(first)} to {_text(last)}" if len(variation.values) > 1 else _text(first)
    count = f"{len(variation.values)} values"
    return Fact(variation.name, f"{ends} {variation.unit}".rstrip() + f", {count}")


def _text(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _rows(results: GridResults) -> Iterator[tuple[str, str, str, str]]:
    for name in known_of(KEY_OF_STUDIES, results):
        values = results[name][np.isfinite(results[name])]
        if values.size:
            ends = number(float(values.min())), number(float(values.max()))
            yield name.replace("_", " "), *ends, shown_unit(results.figure(name).unit)


def best_place(name: str, values: Array, feasible: AnyArray) -> tuple[int, ...] | None:
    """Where a figure is best among feasible points; None if it has a number at none of them."""
    worst = figure_of(name).worst
    if not worst:
        raise GoughError(
            f"{name}: neither more nor less of it is better; expected a figure such as peak_force"
        )
    known = feasible & np.isfinite(values)
    if not known.any():
        return None
    sign = -1.0 if worst == "min" else 1.0
    best = np.argmin(np.where(known, sign * values, np.inf))
    return tuple(int(k) for k in np.unravel_index(best, values.shape))
