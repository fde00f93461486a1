"""Simulating into a folder: the results of a run, or a comparison with a folder for each case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.analysis.results import Results
from gough.disk.files import writing
from gough.disk.manifest import MANIFEST, Manifest, write_manifest
from gough.disk.target import Target, opened, staged
from gough.executors import Executor
from gough.runs.identity import facts_of, identity
from gough.runs.study import (
    Pages,
    check_folder,
    check_outputs,
    finished,
    names_of,
    write_files,
    write_pages,
)
from gough.studies.comparison import Comparison, names_of_files
from gough.studies.file_names import REPORT
from gough.studies.simulation_study import SimulationStudy


def simulate_to_folder(
    study: SimulationStudy,
    folder: Path,
    *,
    overwrite: bool = False,
    report: bool = True,
    executor: Executor = None,
) -> Results | Comparison:
    """Simulate, and write everything about it into a folder, all of it or nothing.

    As `run_to_folder`: a simulation whose results are there already is not computed again, and a
    folder that holds something else is refused unless `overwrite` is set; then the new files come
    in the place of what Gough wrote before, and of nothing else. Cases are simulated where
    `executor` says; those that were done when a run was interrupted are not simulated again.
    """
    pages = (REPORT,) if report and study.study.outputs.report else ()
    known_by = _identity(study)
    with opened(folder) as target:
        check_folder(target, known_by, _names(study, pages), overwrite)
        found = _finished(study, target, pages)
        if found is None:
            check_outputs(study.study, pages)
            with writing(target.folder):
                found = study.run(record=target.grid(known_by), executor=executor)
            with staged(target, known_by) as part:
                if isinstance(found, Comparison):
                    _write_cases(found, study, part, pages)
                else:
                    write_files(found, part, study.study, pages)
        target.clear()
    return found


def _identity(study: SimulationStudy) -> dict[str, Any]:
    """What a simulation is known by: its inputs, also those made in Python, and its cases'."""
    run = (study.controller, study.plant, study.facts, study.start)
    cases = [(name, _identity(case)) for name, case in study.cases]
    return identity(study.study.name, facts_of(study.study), run, cases)


def _names(study: SimulationStudy, pages: Pages) -> list[str]:
    """The files that a simulation writes."""
    if not study.cases:
        return names_of(study.study, pages)
    inner = [(name, names_of(case.study, pages)) for name, case in study.cases]
    return [
        *names_of_files(study.study.outputs.formats),
        *pages,
        *(f"{case}/{file}" for case, files in inner for file in (*files, MANIFEST)),
    ]


def _finished(study: SimulationStudy, target: Target, pages: Pages) -> Results | Comparison | None:
    """What the same simulation found, if it is there and whole."""
    if not study.cases:
        found = finished(target, study.study, _identity(study), pages)
        return found if isinstance(found, Results) else None
    earlier, needed = Manifest.read(target.folder), names_of_files(study.study.outputs.formats)
    whole = earlier.known_by == _identity(study) and target.there(earlier) >= {*needed, *pages}
    if not whole or {*earlier.folders} != {name for name, _ in study.cases}:
        return None  # why a case has failed is not on disk
    runs = dict[str, Results]()
    for name, case in study.cases:
        with opened(target.folder / name) as inner:
            run = _finished(case, inner, pages)
        if not isinstance(run, Results):
            return None
        runs[name] = run
    return Comparison(study.study.name, runs)


def _write_cases(found: Comparison, study: SimulationStudy, part: Path, pages: Pages) -> None:
    """The comparison, and each case that has results in a folder with a record of its own."""
    found.write(part, study.study.outputs.formats)
    write_pages(found, part, study.study, pages)
    for name, case in study.cases:
        if name in found:
            (part / name).mkdir()
            write_files(found[name], part / name, case.study, pages)
            write_manifest(part / name, _identity(case))
