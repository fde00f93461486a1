"""Running a study into a folder: results, resolved inputs, versions and a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import cast

from gough import exchange, executors, report, studies, workbench
from gough.analysis.results import Results
from gough.analysis.storage import RESULTS, SUMMARY
from gough.disk.files import writing
from gough.disk.manifest import MANIFEST, Manifest, write_manifest
from gough.disk.plain_data import PlainData
from gough.disk.target import Target, opened, results_of, staged, taken
from gough.errors import GoughError
from gough.runs.folder import identity_of
from gough.studies import GridResults, Study
from gough.studies import grid_storage as files
from gough.studies.grid_storage import GRID, PAGES, RECORDING, REPORT, SERIES, WORKBENCH
from gough.studies.run import check_memory, run_one


def study_to_folder(
    study: Study,
    folder: Path,
    *,
    overwrite: bool = False,
    report: bool | None = None,
    workbench: bool = False,
    executor: executors.Executor = None,
) -> Results | GridResults:
    """Run a study and write everything about it into a folder.

    Each case that is compared has its results in a folder of its own in there. A folder in which
    another run is at work, and a study that does not fit in memory, are refused.
    """
    recorded = study.outputs.mcap and not study.is_comparison
    for asked, what in ((workbench, "workbench"), (recorded, "recording")):
        if asked and study.variations:
            raise GoughError(f"{study.name}: a grid has no {what}; expected one of its points")
    wanted = {REPORT: study.outputs.report if report is None else report, WORKBENCH: workbench}
    run = _StudyFolder(study, tuple(name for name in PAGES if wanted[name]))
    check_memory(study)
    with taken(folder, run.known_by, run.names(), overwrite=overwrite) as target:
        results = run.finished(target)
        if results is None:
            run.check_outputs()
            results = run.computed(target, executor)
    return results


@contextmanager
def added(folder: Path, name: str) -> Iterator[Path]:
    """A place to write one more file to the results in a folder, or a new one of its name."""
    with opened(folder) as target:
        earlier = Manifest.read(folder)
        if not earlier.files:
            raise GoughError(f"{folder}: has no record of its files; give a place for {name}")
        target.refuse_others([name])
        with staged(target, earlier.known_by, keep=target.there(earlier) - {name}) as part:
            yield part / name


def load_folder(folder: str | Path) -> Results | GridResults:
    """The results in a folder, whichever they are."""
    with results_of(Path(folder)) as stored:
        return (GridResults if "variations" in stored.table(SUMMARY) else Results).load(folder)


@dataclass(frozen=True, eq=False)
class _StudyFolder:
    """A study, and those of PAGES that are wanted of it."""

    study: Study
    pages: tuple[str, ...]

    @cached_property
    def cases(self) -> dict[str, _StudyFolder]:
        """Runs of the cases that are compared, by name."""
        study = self.study
        return {c: _StudyFolder(study.variant(k), self.pages) for k, c in enumerate(study.cases)}

    @cached_property
    def known_by(self) -> PlainData:
        """The identity of the inputs."""
        return identity_of(self.study)

    def names(self) -> list[str]:
        """The files that are written."""
        study, formats = self.study, self.study.outputs.formats
        if self.cases:
            inner = ((name, (*case.names(), MANIFEST)) for name, case in self.cases.items())
            of_cases = (f"{name}/{file}" for name, own in inner for file in own)
            return [*files.files_of_comparison(formats), *self.pages, *of_cases]
        names = (GRID if study.variations else RESULTS).names(formats)
        if study.variations and study.outputs.series:
            points = range(prod(study.shape))
            names += [files.series_file(Path(SERIES), k).as_posix() for k in points]
        return [*names, *((RECORDING,) if study.outputs.mcap else ()), *self.pages]

    def finished(self, target: Target) -> Results | GridResults | None:
        """The results of the same inputs if they are there and whole, with the pages anew."""
        earlier = Manifest.read(target.folder)
        if earlier.known_by != self.known_by:
            return None
        if self.cases:
            return self._finished_cases(target, earlier)
        missing = earlier.files.keys() - target.there(earlier)  # pages and pictures may be
        added_later = (*PAGES, files.PRINTED, files.FILM)
        if not all(path in added_later or path.endswith(".png") for path in missing):
            return None
        results = load_folder(target.folder)
        with staged(target, self.known_by, keep=target.there(earlier) - {*PAGES}) as part:
            self._write_pages(results, part)
        return results

    def _finished_cases(self, target: Target, earlier: Manifest) -> studies.Comparison | None:
        """A comparison all of whose cases are there: why a case has failed is not on disk."""
        needed = {*files.files_of_comparison(self.study.outputs.formats), *self.pages}
        if not target.there(earlier) >= needed or {*earlier.folders} != {*self.cases}:
            return None
        runs = dict[str, Results]()
        for name, case in self.cases.items():
            with opened(target.folder / name) as inner:
                run = case.finished(inner)
            if not isinstance(run, Results):
                return None
            runs[name] = run
        return studies.Comparison.of(self.study.resolved(), runs)

    def check_outputs(self) -> None:
        """Refuse, before anything is computed, what cannot be recorded, or shown in pages."""
        robot = self.study.robot
        if self.study.outputs.mcap:
            exchange.machine_export(robot, "urdf")  # for its complaints: a recording has it
        if self.pages and robot.meshes and (self.cases or not self.study.variations):
            from gough.report.scene import read_meshes  # noqa: PLC0415  (only if wanted)

            read_meshes(robot)

    def computed(self, target: Target, executor: executors.Executor) -> Results | GridResults:
        """Results, written; points of a grid that are done outlast the end of the process."""
        study = self.study
        if not study.variations:
            return self._written(run_one(study), target)
        record, series = target.grid(self.known_by), study.outputs.series and not self.cases
        with writing(target.folder):
            grid = studies.run_grid(study, record=record, series=series, executor=executor)
        done = [k for k, why in enumerate(grid.errors) if series and not why]
        paths = [files.series_file(record, k) for k in done]
        return self._written(grid, target, {f"{SERIES}/{path.name}": path for path in paths})

    def _written(
        self, results: Results | GridResults, target: Target, more: Mapping[str, Path] | None = None
    ) -> Results | GridResults:
        with staged(target, self.known_by, more=more) as part:
            self._write(results, part)
        return results

    def _write(self, results: Results | GridResults, part: Path) -> None:
        """Write results and pages into a folder that is there."""
        formats = self.study.outputs.formats
        if self.cases:
            compared = cast("studies.Comparison", results)
            compared.write(part, formats)
            for name, run in compared.runs.items():
                (part / name).mkdir()
                self.cases[name]._write(run, part / name)
                write_manifest(part / name, self.cases[name].known_by)
        elif isinstance(results, GridResults):
            GRID.write(results, part, formats)
        else:
            RESULTS.write(results, part, formats)
            if self.study.outputs.mcap:
                exchange.export_mcap(results, part / RECORDING)
        self._write_pages(results, part)

    def _write_pages(self, results: Results | GridResults, part: Path) -> None:
        beside = WORKBENCH if WORKBENCH in self.pages else ""
        if REPORT in self.pages:
            page = report.report_page(results, workbench=beside)
            (part / REPORT).write_bytes(page.encode())
        if beside:
            page = workbench.workbench_page(self.study.robot, study=self.study)
            (part / WORKBENCH).write_bytes(page.encode())
