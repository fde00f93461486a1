"""Running a study into a folder: results, resolved inputs, versions and a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

from gough.analysis.results import Results
from gough.analysis.storage import RESULTS, SUMMARY
from gough.disk.files import writing
from gough.disk.manifest import Manifest
from gough.disk.stored import results_of
from gough.disk.target import Target, opened, staged
from gough.errors import GoughError
from gough.executors import Executor
from gough.runs.identity import facts_of, identity
from gough.studies.comparison import Comparison
from gough.studies.file_names import PAGES, RECORDING, REPORT, SERIES, WORKBENCH
from gough.studies.grid import run_grid, series_file
from gough.studies.grid_results import GridResults
from gough.studies.grid_storage import GRID
from gough.studies.run import check_memory, run_one
from gough.studies.study import Study

Pages = tuple[str, ...]
"""Those of PAGES that are wanted."""


def run_to_folder(
    study: Study,
    folder: str | Path,
    *,
    overwrite: bool = False,
    report: bool | None = None,
    workbench: bool = False,
    progress: bool = False,
    executor: Executor = None,
) -> Results | GridResults:
    """Run a study and write everything about it into a folder.

    A folder with results of another study is refused unless `overwrite` is set. A grid whose run
    was interrupted goes on where it was; the outcome is the same as without the interruption. A
    study whose results are there already is not computed again.
    Whatever goes wrong, results that were there before stay as they were; afterwards nothing of
    them is left. What Gough did not write stays as it is, and is refused by name if it is in the
    way. A folder in which another run is at work, and a study that does not fit in memory, are
    refused. With `workbench` the machine with the study's motion is written, too, as a page in
    which it is moved by hand, and the report leads there. The points of a grid are computed where
    `executor` says.
    """
    for asked, what in ((workbench, "workbench"), (study.outputs.mcap, "recording")):
        if asked and study.variations:
            raise GoughError(f"{study.name}: a grid has no {what}; expected one of its points")
    wanted = {REPORT: study.outputs.report if report is None else report, WORKBENCH: workbench}
    pages = tuple(name for name in PAGES if wanted[name])
    check_memory(study)
    with opened(Path(folder)) as target:
        known_by = identity(study.name, facts_of(study))
        check_folder(target, known_by, names_of(study, pages), overwrite)
        results = finished(target, study, known_by, pages)
        if results is None:
            check_outputs(study, pages)
        if results is None and study.variations:
            results = _grid_to_folder(study, target, known_by, pages, progress, executor)
        elif results is None:
            results = run_one(study)
            with staged(target, known_by) as part:
                write_files(results, part, study, pages)
        target.clear()
        return results


def check_folder(
    target: Target, known_by: Mapping[str, Any], names: Iterable[str], overwrite: bool
) -> None:
    """Refuse a folder that holds something else, or results of other inputs, unless `overwrite`.

    What of the user's is in the way of files of these names is refused in any case.
    """
    if target.is_used() and not overwrite:
        _refuse_other_results(target, known_by)
    target.refuse_others(names)


def finished(
    target: Target, study: Study, known_by: Mapping[str, Any], pages: Pages
) -> Results | GridResults | None:
    """The results of the same inputs if they are there and whole, with the pages anew."""
    earlier = Manifest.read(target.folder)
    if earlier.known_by != known_by or not _is_whole(target, earlier):
        return None
    results = load_folder(target.folder)
    with staged(target, known_by, keep=target.there(earlier) - {*PAGES}) as part:
        write_pages(results, part, study, pages)
    return results


def write_files(results: Results | GridResults, part: Path, study: Study, pages: Pages) -> None:
    """Write results and pages into a folder that is there."""
    if isinstance(results, Results):
        RESULTS.write(results, part, study.outputs.formats)
        if study.outputs.mcap:
            from gough.exchange import write_mcap  # noqa: PLC0415  (only if wanted)

            write_mcap(results, part / RECORDING)
    else:
        GRID.write(results, part, study.outputs.formats)
    write_pages(results, part, study, pages)


def names_of(study: Study, pages: Pages) -> list[str]:
    """The files that a run of a study writes."""
    names = (GRID if study.variations else RESULTS).names(study.outputs.formats)
    if study.variations and study.outputs.series:
        names += [series_file(Path(SERIES), k).as_posix() for k in range(prod(study.shape))]
    return [*names, *((RECORDING,) if study.outputs.mcap else ()), *pages]


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
        facts = stored.table(SUMMARY)
        return (GridResults if "variations" in facts else Results).load(folder)


def _is_whole(target: Target, earlier: Manifest) -> bool:
    """Whether all results are there; pages and pictures may be missing."""
    missing = earlier.files.keys() - target.there(earlier)
    return all(path in PAGES or path.endswith(".png") for path in missing)


def _grid_to_folder(
    study: Study,
    target: Target,
    known_by: dict[str, Any],
    pages: Pages,
    progress: bool,
    executor: Executor,
) -> GridResults:
    """Every point of a grid; those that are done outlast the end of the process."""
    record, series = target.grid(known_by), study.outputs.series
    with writing(target.folder):
        grid = run_grid(study, record=record, series=series, progress=progress, executor=executor)
    kept = [series_file(record, k) for k, error in enumerate(grid.errors) if series and not error]
    more = {f"{SERIES}/{path.name}": path for path in kept}
    with staged(target, known_by, more=more) as part:
        write_files(grid, part, study, pages)
    return grid


def _refuse_other_results(target: Target, known_by: Mapping[str, Any]) -> None:
    """Refuse a folder that holds something else, or results of another study."""
    earlier = Manifest.read(target.folder)
    folder, grids = target.folder, target.grids()
    if not earlier.files and not grids:
        raise GoughError(f"{folder}: not empty, and no results of Gough; give another folder")
    if grids - {target.grid(known_by)} or (earlier.files and earlier.known_by != known_by):
        raise GoughError(
            f"{folder}: has results of another study, of other inputs or of another version; "
            "give another folder, or overwrite them (--overwrite, in Python overwrite=True)"
        )


def check_outputs(study: Study, pages: Pages) -> None:
    """Refuse, before anything is computed, what cannot be recorded, or shown in pages."""
    if study.outputs.mcap:
        from gough.exchange import urdf_text  # noqa: PLC0415  (only if wanted)

        urdf_text(study.robot)  # for its complaints: a recording has it
    if pages and study.robot.meshes and not study.variations:
        from gough.report.surfaces import read_meshes  # noqa: PLC0415  (only if wanted)

        read_meshes(study.robot)


def write_pages(
    results: Results | GridResults | Comparison, part: Path, study: Study, pages: Pages
) -> None:
    """Write the report and the workbench into a folder that is there, those that are wanted."""
    if REPORT in pages:
        from gough.report import report_page  # noqa: PLC0415  (only if wanted)

        beside = WORKBENCH if WORKBENCH in pages else ""
        (part / REPORT).write_text(report_page(results, workbench=beside), encoding="utf-8")
    if WORKBENCH in pages:
        from gough.workbench import workbench_page  # noqa: PLC0415  (only if wanted)

        page = workbench_page(study.robot, study=study)
        (part / WORKBENCH).write_text(page, encoding="utf-8")
