"""Simulating into a folder: the results of a run, or a comparison with a folder for each case."""

from __future__ import annotations

from pathlib import Path

from gough.errors import GoughError
from gough.simulation.comparison import FILES, Comparison
from gough.simulation.reading import SimulationStudy
from gough.studies.folder import identity, names_of, write_files
from gough.studies.manifest import MANIFEST, write_manifest
from gough.studies.results import Results
from gough.studies.target import opened, staged


def simulate_to_folder(
    study: SimulationStudy, folder: Path, *, overwrite: bool = False, report: bool = True
) -> Results | Comparison:
    """Simulate, and write everything about it into a folder, all of it or nothing.

    A folder that holds something is refused unless `overwrite` is set; then the new files come in
    the place of what Gough wrote before, and of nothing else.
    """
    wanted = report and study.study.outputs.report
    known_by = identity(study.study, simulated=True)
    with opened(folder) as target:
        if target.is_used() and not overwrite:
            raise GoughError(f"{folder}: not empty; give another folder, or --overwrite")
        target.refuse_others(_names(study, wanted))
        found = study.run()
        with staged(target, known_by) as part:
            if isinstance(found, Comparison):
                _write_cases(found, study, part, wanted)
            else:
                write_files(found, part, study.study, wanted)
        target.clear()
    return found


def _names(study: SimulationStudy, report: bool) -> list[str]:
    """The files that a simulation writes."""
    if not study.cases:
        return names_of(study.study, report)
    inner = [(name, names_of(case.study, report)) for name, case in study.cases]
    return [*FILES, *(f"{case}/{file}" for case, files in inner for file in (*files, MANIFEST))]


def _write_cases(found: Comparison, study: SimulationStudy, part: Path, report: bool) -> None:
    """The comparison, and each case that has results in a folder with a record of its own."""
    found.write(part)
    for name, case in study.cases:
        if name in found:
            (part / name).mkdir()
            write_files(found[name], part / name, case.study, report)
            write_manifest(part / name, identity(case.study, simulated=True))
