"""Several runs side by side: their figures in a table, their errors and forces in a plot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.analysis.axes import POSE_ERROR
from gough.analysis.figures import known_of
from gough.analysis.results import Results, Scalar
from gough.analysis.storage import FORMATS, unnamed, write_formats
from gough.analysis.versions import versions
from gough.arrays import Array
from gough.disk.labelled import Group
from gough.disk.tables import write_csv
from gough.disk.target import opened, staged
from gough.errors import GoughError, clipped
from gough.plots.style import axis_label, line_look, literal, titled, with_grid, with_legend_below
from gough.shown import card, grid, number
from gough.shown.brief import LONGEST

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FIGURES = (
    "peak_position_error",
    "rms_position_error",
    "peak_attitude_error",
    "mean_leg_error",
    "mean_actuator_error",
    "peak_force",
    "rms_force",
    "energy_spent",
    "peak_motor_current",
    "peak_motor_voltage",
    "peak_contact_force",
    "final_contact_force",
)
"""What the table shows of each run, where all runs have it."""

TABLE = "comparison"
FILES = (f"{TABLE}.csv", f"{TABLE}.png")

_ERRORS = {"position error": ("linear", "mm"), "attitude error": ("angular", "mrad")}
"""What is shown of the pose error over time: its parts, in thousandths."""
_NOTHING = 1e-9
"""An error [mm, mrad] that is only rounding: a Delta's platform never turns."""


class History(NamedTuple):
    """One number over time, of all cases."""

    title: str
    unit: str
    values: dict[str, Array]
    """By case, at the times of its run."""


def _size_of(run: Results, part: str) -> Array:
    """The size of a part of the pose error, in thousandths of its unit."""
    return np.asarray(1e3 * np.linalg.norm(run["pose_error"][:, POSE_ERROR.part(part)], axis=1))


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else number(value)


def _ending(run: Results) -> str:
    """How a run ended; nothing of a study without a controller."""
    return "" if run.simulation is None else run.simulation.ended.kind


@dataclass(frozen=True, eq=False)
class Comparison(Mapping[str, Results]):
    """Runs by the names of their cases."""

    name: str
    runs: dict[str, Results]
    failures: dict[str, str] = field(default_factory=dict)
    """Why a case gave no results at all, by name."""

    def __repr__(self) -> str:
        failed = f"; failed: {', '.join(self.failures)}" if self.failures else ""
        return clipped(f"<gough comparison {self.name}: {', '.join(self.runs)}{failed}>", LONGEST)

    def _repr_html_(self) -> str:
        columns = self.table
        headings = [name.replace("_", " ") for name in columns]
        rows = [[_cell(value) for value in row] for row in zip(*columns.values(), strict=True)]
        table = grid(headings, rows, range(2, len(headings)))
        failed = [f"{case}: {words}" for case, words in self.failures.items()]
        return card(self.name, "comparison", table, warnings=failed)

    def __getitem__(self, case: str) -> Results:
        if case not in self.runs:
            raise GoughError(f"no case {case!r}; expected one of {', '.join(self.runs)}")
        return self.runs[case]

    def __contains__(self, case: object) -> bool:
        return case in self.runs

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def table(self) -> dict[str, list[Any]]:
        """Columns by heading: the case, how it ended, and its figures with their units."""
        columns: dict[str, list[Any]] = {"case": list(self.runs)}
        columns["ended"] = [_ending(run) for run in self.runs.values()]
        return columns | {f"{f.name} [{f.unit}]": list(f.per_leg) for f in self.figures()}

    def figures(self) -> list[Scalar]:
        """Figures that all runs have: the largest, and per_leg that of each case."""
        runs = list(self.runs.values())
        in_all = set.intersection(*(set(run.summary) for run in runs))
        found = []
        for name in known_of(FIGURES, in_all):
            own = [run.summary[name] for run in runs]
            values = tuple(figure.value for figure in own)
            found.append(Scalar(name, own[0].unit, own[0].meaning, max(values), values))
        return found

    def histories(self) -> list[History]:
        """Errors of position and attitude, where there are any, and the largest force over time."""
        errors = [
            History(title, unit, {case: _size_of(run, part) for case, run in self.runs.items()})
            for title, (part, unit) in _ERRORS.items()
        ]
        force = next(iter(self.runs.values())).quantity("force")
        largest = {case: np.abs(run["force"]).max(axis=1) for case, run in self.runs.items()}
        felt = [e for e in errors if any((v > _NOTHING).any() for v in e.values.values())]
        return [*felt, History(f"largest {force.axes[0].name} force", force.unit, largest)]

    def plot(self) -> Figure:
        """Errors of position and attitude and the largest force over time, all cases."""
        from matplotlib.figure import Figure  # noqa: PLC0415  (slow to import)

        histories = self.histories()
        figure = Figure(figsize=(8, 1.4 + 2.2 * len(histories)), layout="constrained")
        axes = figure.subplots(len(histories), 1, sharex=True, squeeze=False)[:, 0]
        for axis, history in zip(axes, histories, strict=True):
            for k, (case, values) in enumerate(history.values.items()):
                look = {"label": literal(case), "linewidth": 1.3, **line_look(k)}
                axis.plot(self.runs[case].time, values, **look)
            axis.set_ylabel(axis_label(history.title, history.unit))
            with_grid(axis)
            axis.margins(x=0)
        axes[-1].set_xlabel("time [s]")
        with_legend_below(figure, axes[0])
        titled(figure, self.name)
        return figure

    def save(self, folder: str | Path) -> None:
        """Write comparison.csv and comparison.png into a folder."""
        known_by = unnamed(self.name, versions())
        with opened(Path(folder)) as target, staged(target, known_by) as part:
            self.write(part)

    def write(self, part: Path, formats: Iterable[str] = ()) -> None:
        """Write both into a folder that is there, and all runs in those formats that hold them."""
        table, picture = FILES
        write_csv(self.table, part / table)
        self.plot().savefig(part / picture, dpi=150)
        write_formats(self, part / TABLE, _of_several(formats))

    def arrays(self) -> Group:
        """Everything of all runs, in a group for each case."""
        groups = {case: run.arrays() for case, run in self.runs.items()}
        return Group(groups=groups, about={"study": self.name})


def names_of_files(formats: Iterable[str]) -> list[str]:
    """The files that `Comparison.write` writes."""
    return [*FILES, *(f"{TABLE}{FORMATS[name].ending}" for name in _of_several(formats))]


def _of_several(formats: Iterable[str]) -> list[str]:
    return [name for name in formats if FORMATS[name].several]
