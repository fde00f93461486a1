"""Several runs side by side: their figures in a table, their errors and forces in a plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.axes import POSE_ERROR
from gough.analysis.figures import known_of
from gough.analysis.results import Results
from gough.analysis.storage import unnamed
from gough.analysis.versions import versions
from gough.disk.tables import write_csv
from gough.disk.target import opened, staged
from gough.errors import GoughError, clipped
from gough.plots.style import line_colour, literal, with_grid, with_legend_beside
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

FILES = ("comparison.csv", "comparison.png")

_PARTS = (POSE_ERROR.part("linear"), POSE_ERROR.part("angular"))
_PANELS = ("position error [mm]", "attitude error [mrad]", "largest {} force [{}]")


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

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def table(self) -> dict[str, list[Any]]:
        """Columns by heading: the case, how it ended, and its figures with their units."""
        runs = list(self.runs.values())
        columns: dict[str, list[Any]] = {"case": list(self.runs)}
        columns["ended"] = [_ending(run) for run in runs]
        in_all = set.intersection(*(set(run.summary) for run in runs))
        for name in known_of(FIGURES, in_all):
            unit = runs[0].summary[name].unit
            columns[f"{name} [{unit}]"] = [run.summary[name].value for run in runs]
        return columns

    def plot(self) -> Figure:
        """Errors of position and attitude and the largest force over time, all cases."""
        from matplotlib.figure import Figure  # noqa: PLC0415  (slow to import)

        figure = Figure(figsize=(8, 8), layout="constrained")
        axes = figure.subplots(3, 1, sharex=True)
        for k, (case, run) in enumerate(self.runs.items()):
            error = run["pose_error"]
            ways, turns = (np.linalg.norm(error[:, part], axis=1) for part in _PARTS)
            for axis, values in zip(
                axes, (1e3 * ways, 1e3 * turns, np.abs(run["force"]).max(axis=1)), strict=True
            ):
                axis.plot(
                    run.time, values, label=literal(case), color=line_colour(k), linewidth=1.3
                )
        force = next(iter(self.runs.values())).quantity("force")
        for axis, words in zip(axes, _PANELS, strict=True):
            axis.set_ylabel(words.format(force.axes[0].name, force.unit))
            with_grid(axis)
            axis.margins(x=0)
        with_legend_beside(axes[0])
        axes[2].set_xlabel("time [s]")
        figure.suptitle(self.name, fontsize=11, parse_math=False)
        return figure

    def save(self, folder: str | Path) -> None:
        """Write comparison.csv and comparison.png into a folder."""
        known_by = unnamed(self.name, versions())
        with opened(Path(folder)) as target, staged(target, known_by) as part:
            self.write(part)

    def write(self, part: Path) -> None:
        """Write both into a folder that is there."""
        table, picture = FILES
        write_csv(self.table, part / table)
        self.plot().savefig(part / picture, dpi=150)
