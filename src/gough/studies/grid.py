"""Running a study at every point of its grid of variations, somewhere, with a record on disk.

Of cases side by side a grid has all results of each: errors and forces over time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.analysis import Results, Scalar
from gough.analysis.axes import POSE_ERROR
from gough.analysis.figures import known_of
from gough.analysis.storage import RESULTS, unnamed, wanted_formats, write_formats
from gough.arrays import Array
from gough.checks import unknown
from gough.disk import opened, staged, versions
from gough.disk.labelled import Group
from gough.disk.plain_data import PlainData, PlainMapping
from gough.disk.tables import read_table, table_content, write_csv
from gough.display import Table
from gough.display.brief import LONGEST
from gough.errors import GoughError, clipped
from gough.executors import ChunkRecord, Executor, sweep
from gough.motion import quiet
from gough.plots import style
from gough.progress import bars_shown, progress_bar
from gough.robot import Robot, parameters_of
from gough.robot.numbers import layout
from gough.studies.batched import BatchedGrid
from gough.studies.grid_results import (
    SERIES_COLUMN,
    Columns,
    GridPoint,
    GridResults,
    of_rows,
    point_of,
    rows_of,
)
from gough.studies.grid_storage import COMPARISON, files_of_comparison, of_several, series_file
from gough.studies.run import run_one, run_together
from gough.studies.study import GridStudies, Study
from gough.studies.variations import Cases, Variation, shape_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURES = (  # figures that the table shows of each run, where all runs have them
    *("peak_position_error", "rms_position_error", "peak_orientation_error", "mean_leg_error"),
    *("mean_actuator_error", "peak_force", "rms_force", "energy_spent", "peak_motor_current"),
    *("peak_motor_voltage", "peak_contact_force", "final_contact_force"),
    "minimum_contact_force_margin",
)

_ERRORS = {"position error": ("linear", "mm"), "orientation error": ("angular", "mrad")}
"""Parts of the pose error that are shown over time, in thousandths or in the units stated."""
ON_GPU, SAMPLES_HELD = 1024, 400_000
"""Maximum number of points that go to a GPU together, and of their samples: about 1 GB."""
SHARED = re.compile(  # numbers of robots that may differ between plants of one compiled function
    r"gravity|platform\.|(legs|bodies)\[\d+\]\."
    r"(base|platform|first_axis|cylinder|piston|mass|center_of_mass|inertia)\b"
)
_NOTHING = 1e-9  # an error [mm, mrad] that is only rounding: a Delta's platform never turns


def run_grid(
    study: Study, *, record: Path | None = None, series: bool = False, executor: Executor = None
) -> GridResults:
    """Every point of the grid. With a folder for a `record`, points are written as they come.

    Points that the record has are not computed again. If `series` are wanted, every point's
    quantities over time are kept in the folder as well: see `series_file`. Of cases all results are
    kept, in a Comparison; this process computes one after the other. A point that cannot be
    computed has NaN and its error; if none can be, an error is raised. Without an executor this
    thread does the work.
    """
    count, compared = prod(study.shape), study.is_comparison
    stored = ChunkRecord(record, "a grid")  # its folder has the name of what it is known by
    content = content_of if compared else series_of if series else None
    simulated = study.controller is not None
    rows = GridRows(study.points, study.variations, study.robot, content, simulated)
    executor = study.executor.executor(executor)
    with progress_bar(study.name, count) as advance:
        here = 1 if compared else None
        if study.executor.device == "gpu":
            every = study.simulation.every if study.simulation else 1
            here = max(1, min(ON_GPU, SAMPLES_HELD // (study.count * every)))
        sweep(rows, count, stored, executor=executor, here=here, advance=advance)
    tables, contents = [], list[bytes]()
    for items, table in stored:
        columns = dict(read_table(table, record or Path()))
        found = columns.pop(SERIES_COLUMN, ())
        if compared:
            contents.extend(found)
        elif series and record is not None:
            for index, content in zip(items, found, strict=True):
                if content:
                    series_file(record, index).write_bytes(content)
        tables.append(columns)
    try:
        return _collected(study, tables, contents)
    except GoughError:
        for path in stored.files:
            path.unlink()  # there is nothing to go on from
        raise


def _collected(study: Study, tables: Sequence[Columns], contents: Sequence[bytes]) -> GridResults:
    """The points, which are rows of tables, as arrays over the grid; of cases their results."""
    found, known = of_rows(tables, study.shape), study.resolved()
    if study.is_comparison:
        runs = {c: results_in(one) for c, one in zip(study.cases, contents, strict=True) if one}
        errors = dict(zip(study.cases, found["errors"], strict=True))
        failures = {case: words for case, words in errors.items() if words}
        return Comparison.of(known, runs, failures, study.variations[0])
    if found["errors"] and all(found["errors"]):
        first = found["errors"][0]
        raise GoughError(f"{study.name}: no point of the grid can be computed: {first}")
    return GridResults(study.robot, known, study.variations, versions=versions(), **found)


def series_of(results: Results) -> bytes:
    """Quantities over time, as the content of a Parquet file."""
    return table_content(results.columns())


@dataclass(frozen=True)
class GridRows:
    """The rows of some points of a study's grid: what a worker computes."""

    points: GridStudies
    variations: tuple[Variation, ...]
    robot: Robot  # that of a point: what kind of machine it is
    series: Callable[[Results], bytes] | None = None
    """Gives what is kept of a point besides its figures: quantities over time, or all results."""
    simulated: bool = False  # whether points have a controller

    def __call__(self, indices: range) -> Columns:
        """A row for each; a point that cannot be computed has its error and no figures."""
        with quiet(), bars_shown(False):  # there is one for all points
            found = self._simulated(indices) if self.simulated else {}
            found |= {} if self.series or self.simulated else self._batched(indices)
            for index in (index for index in indices if index not in found):
                try:
                    found[index] = point_of(run_one(self.points(index)), self.series)
                except GoughError as error:
                    found[index] = GridPoint(error=str(error))
            return rows_of([found[k] for k in indices], series=self.series is not None)

    def _simulated(self, indices: range) -> dict[int, GridPoint]:
        """Return simulated points, computed together; those that cannot be made are left out."""
        places = list[int]()

        def studies() -> Iterator[Study]:
            for index in indices:
                with suppress(GoughError):
                    if (study := self.points(index)).recording is None:
                        places.append(index)
                        yield study

        device, found = self.points.first().executor.device, dict[int, GridPoint]()
        for place, one in run_together(studies(), self._kind, device=device):
            if isinstance(one, GoughError):
                found[places[place]] = GridPoint(error=str(one))
                continue
            runs, k = one.run
            kept = self.series(one.results) if self.series else b""
            found[places[place]] = GridPoint(runs.named, runs.numbers[k], one.warnings, series=kept)
        return found

    @cached_property
    def _kind(self) -> tuple[Robot, tuple[str, ...]]:
        """A robot, and the numbers in which other points differ from it, seen along each axis."""
        base, names = self.points.first().robot, layout(self.robot)
        differ, shape = np.zeros(len(names), dtype=bool), shape_of(self.variations)
        for axis, length in enumerate(shape):
            for k in range(1, length):
                with suppress(GoughError):
                    other = self.points(k * prod(shape[axis + 1 :])).robot
                    if layout(other) == names:
                        differ |= parameters_of(other) != parameters_of(base)
        varied = (name for name, differs in zip(names, differ, strict=True) if differs)
        return base, tuple(name for name in varied if SHARED.match(name))

    @cached_property
    def _batched(self) -> BatchedGrid:
        return BatchedGrid(self.points, self.variations, self.robot)

    def __getstate__(self) -> PlainData:
        """Without what was kept: each process keeps its own."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


class History(NamedTuple):
    """One number over time, of all cases."""

    title: str
    unit: str
    values: dict[str, Array]  # by case, at the times of its run


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(GridResults):
    """A grid whose only axis are cases, with the results of each by its name.

    >>> import gough
    >>> cases = [{"name": f"{m} kg", "changes": {"robot.platform.mass": m}} for m in (1, 3)]
    >>> hold = {"kind": "hold", "duration": 1}
    >>> study = {"schema": "gough-study/1", "name": "load", "robot": "kalani-2016", "motion": hold}
    >>> found = gough.run({**study, "samples": 3, "cases": cases})
    >>> bool(found.runs["3 kg"]["force"].max() > found.runs["1 kg"]["force"].max())
    True
    """

    runs: Mapping[str, Results] = field(default_factory=dict)
    """Results of the cases that have some; `failures` says why others have none."""

    @classmethod
    def of(
        cls,
        study: PlainMapping,
        runs: Mapping[str, Results],
        failures: Mapping[str, str] = MappingProxyType({}),
        cases: Variation | None = None,
    ) -> Comparison:
        """Compare runs, by the names of their cases; `study`, as plain data, has a name."""
        axis = cases or Cases("case", (), ({},) * len(runs), labels=(*runs, *failures))
        if not runs:
            words = "; ".join(f"{case}: {why}" for case, why in failures.items())
            raise GoughError(words or f"{study['name']}: there are no cases to compare")
        points = [
            point_of(runs[case]) if case in runs else GridPoint(error=failures[case])
            for case in axis.labels
        ]
        over = of_rows([rows_of(points)], (len(points),))
        robot = next(runs[case].robot for case in axis.labels if case in runs)
        return cls(robot, dict(study), (axis,), versions=versions(), runs=runs, **over)

    @property
    def failures(self) -> dict[str, str]:
        """Why a case gave no results at all, by name."""
        pairs = zip(self.variations[0].labels, self.errors, strict=True)
        return {case: words for case, words in pairs if words}

    def run(self, case: str) -> Results:
        """The results of a case; GoughError if it has none."""
        if case not in self.runs:
            raise unknown(f"no case {case!r}", case, self.runs)
        return self.runs[case]

    def __repr__(self) -> str:
        failed = f"; failed: {', '.join(self.failures)}" if self.failures else ""
        return clipped(f"<gough comparison {self.name}: {', '.join(self.runs)}{failed}>", LONGEST)

    @property
    def heading(self) -> tuple[str, str]:
        """The study, and what this is."""
        return self.name, f"comparison of {len(self.runs)} cases"

    def tables(self) -> list[Table]:
        """A row for each figure, a column for each case."""
        rows = [(heading.replace("_", " "), *cells) for heading, cells in self.table.items()]
        return [Table.of("", ("figure", *rows[0][1:]), rows[1:])]

    def remarks(self) -> list[str]:
        """Why cases failed, and warnings of the others."""
        failed = [f"{case} failed: {words}" for case, words in self.failures.items()]
        return failed + [f"{case}: {w}" for case, run in self.runs.items() for w in run.warnings]

    def to_dict(self) -> PlainData:
        """The figures of all cases as plain data."""
        runs = {case: run.to_dict() for case, run in self.runs.items()}
        return {"name": self.name, "cases": runs, "failures": self.failures}

    @property
    def table(self) -> dict[str, list[Any]]:
        """Columns by heading: the case, how it ended, and its figures with their units."""
        columns: dict[str, list[Any]] = {"case": list(self.runs)}
        simulated = [run.simulation for run in self.runs.values()]
        if any(simulated):
            columns["ended"] = [one.ended.kind if one else "" for one in simulated]
        shown = (figure.in_units(self.units) for figure in self.compared())
        return columns | {f"{f.name} [{f.unit}]": list(f.per_leg) for f in shown}

    def compared(self) -> list[Scalar]:
        """Return figures that all runs have: the maximum, and per_leg that of each case."""
        runs = [run.summary for run in self.runs.values()]
        found = []
        for name in known_of(FIGURES, set.intersection(*map(set, runs))):
            own, values = runs[0][name], tuple(run[name].value for run in runs)
            found.append(Scalar(name, own.unit, own.meaning, max(values), values))
        return found

    def histories(self) -> list[History]:
        """Return pose errors, if there are any, and the maximum force over time, as displayed."""
        found, runs, units = [], self.runs, self.units
        in_all = set.intersection(*(set(run) for run in runs.values()))
        for title, (part, unit) in _ERRORS.items() if "pose_error" in in_all else ():
            errors = {c: run["pose_error"][:, POSE_ERROR.part(part)] for c, run in runs.items()}
            sizes = {c: 1e3 * np.linalg.norm(values, axis=1) for c, values in errors.items()}
            if any((values > _NOTHING).any() for values in sizes.values()):
                size, called = units.of(unit)
                shown = {c: values / size for c, values in sizes.items()}
                found.append(History(title, called, shown))
        if "force" in in_all:
            force = next(iter(runs.values())).quantity("force")
            for unit in dict.fromkeys(force.units):
                size, called = units.of(unit)
                own = [k for k, each in enumerate(force.units) if each == unit]
                largest = {c: np.abs(run["force"][:, own]).max(axis=1) for c, run in runs.items()}
                title = f"maximum {force.axes[0].name} {'torque' if unit == 'N m' else 'force'}"
                found.append(History(title, called, {c: x / size for c, x in largest.items()}))
        return found

    def plot_histories(self, *, ax: Axes | Sequence[Axes] | None = None) -> list[Axes]:
        """Plot position and orientation errors and the maximum force over time, all cases."""
        from gough.plots.pictures import several_axes, stacked_axes  # noqa: PLC0415  (slow)

        histories = self.histories()
        count = len(histories)
        axes = several_axes(ax, count, lambda: stacked_axes(count, 8, 2.2, 1.4))
        for axis, history in zip(axes, histories, strict=True):
            for k, (case, values) in enumerate(history.values.items()):
                look = {"label": style.literal(case), "linewidth": 1.3, **style.line_look(k)}
                axis.plot(self.runs[case].time, values, **look)
            axis.set_ylabel(style.axis_label(history.title, history.unit))
            style.with_grid(axis)
            axis.margins(x=0)
        axes[-1].set_xlabel("time [s]")
        if ax is None:
            style.with_legend_below(axes)
            style.titled(axes, self.name)
        return axes

    def save(
        self, folder: str | Path, *, csv: bool = True, mat: bool = False, hdf5: bool = False
    ) -> None:
        """Write comparison.csv, comparison.png and what else is wanted into a folder."""
        with opened(Path(folder)) as target, staged(target, unnamed(self.name, versions())) as part:
            self.write(part, wanted_formats(csv=False, mat=mat, hdf5=hdf5))

    def write(self, part: Path, formats: Iterable[str] = ()) -> None:
        """Write both into a folder that is there, and all runs in those formats that hold them."""
        table, picture, *_ = files_of_comparison(())
        write_csv(self.table, part / table)
        style.root_figure(self.plot_histories()).savefig(part / picture, dpi=150)
        write_formats(self, part / COMPARISON, of_several(formats))

    def arrays(self) -> Group:
        """Everything of all runs, in a group for each case."""
        groups = {case: run.arrays() for case, run in self.runs.items()}
        return Group(groups=groups, about={"study": self.name})


def content_of(results: Results) -> bytes:
    """All files of results as the content of one Parquet file."""
    with TemporaryDirectory(prefix="gough-case-") as folder:
        RESULTS.write(results, Path(folder))
        files = {name: [(Path(folder) / name).read_bytes()] for name in RESULTS.names()}
    return table_content(files)


def results_in(content: bytes) -> Results:
    """Read what `content_of` wrote."""
    with TemporaryDirectory(prefix="gough-case-") as folder:
        for name, (stored,) in read_table(content, Path()).items():
            (Path(folder) / name).write_bytes(stored)
        return RESULTS.load(Path(folder))
