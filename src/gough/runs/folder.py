"""From a thing to a folder: what it comes to, with tables and pages, all or nothing.

Results are known by the content of everything that they are computed from: what is written, the
files that it names, and the objects as they are; a study may have been read from a file and changed
since.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload
from uuid import uuid4

from gough import design, identification, plots, report, sizing, studies
from gough.compiler.identity import UnidentifiedError, fingerprint
from gough.disk.manifest import versions
from gough.disk.plain_data import PlainData, write_json
from gough.disk.target import staged, taken
from gough.errors import GoughError
from gough.fields.user_files import contents
from gough.motion import carried_over, total_wrench
from gough.robot import save
from gough.studies.study import Study

if TYPE_CHECKING:
    from gough.analysis.results import Results
    from gough.executors import Executor

FOUND = TypeVar(
    "FOUND",
    bound="identification.Identified | identification.Calibration | sizing.Selection"
    " | design.Development",
)
PICTURE = "calibration.png"
_BY_NUMBERS = ("motion", "base", "tasks")
"""Parts of a study that may be anybody's functions: known by what they come to."""


@overload
def to_folder(
    thing: Study,
    folder: str | Path,
    *,
    overwrite: bool = False,
    report: bool | None = None,
    workbench: bool = False,
    executor: Executor = None,
) -> Results | studies.GridResults: ...
@overload
def to_folder(
    thing: design.Design,
    folder: str | Path,
    *,
    overwrite: bool = False,
    catalogue: str | Path | None = None,
    executor: Executor = None,
    **search: int,
) -> design.DesignResult | design.Front | design.Choices: ...
@overload
def to_folder(thing: FOUND, folder: str | Path, *, overwrite: bool = False) -> FOUND: ...
def to_folder(thing: Any, folder: str | Path, **options: Any) -> Any:
    """Write everything about a thing into a folder; a study or a design is computed there.

    A study is run, or simulated if it has a controller; the machines of a design are searched for,
    with a `catalogue` one for each of its actuators (`search` is what `Design.optimise` or `front`
    takes). What was identified, calibrated, selected or developed is written as it is.

    A folder with results of other inputs is refused unless `overwrite` is set. What Gough did not
    write stays as it is, and is refused by name if it is in the way. Whatever goes wrong, results
    that were there before stay as they were.

    Of a study, `report` and `workbench` say which pages are written: the report leads to the
    workbench, in which the machine with the study's motion is moved by hand. Points of a grid, and
    the starts of a design, are computed where `executor` says. A grid whose run was interrupted
    goes on where it was, and a study whose results are there already is not computed again.
    """
    if isinstance(thing, Study):
        from gough.runs.study import study_to_folder  # noqa: PLC0415  (only if wanted)

        return study_to_folder(thing, Path(folder), **options)
    if isinstance(thing, design.Design):
        from gough.runs.design import design_to_folder  # noqa: PLC0415

        return design_to_folder(thing, Path(folder), **options)
    found = identification.Identified | identification.Calibration
    if isinstance(thing, found | sizing.Selection | design.Development):
        return _written(thing, Path(folder), **options)
    problem = f"{thing!r:.80} has no folder"
    expected = "a study, a design, or what was identified, calibrated, selected or developed"
    raise GoughError(f"{problem}; expected {expected}")


def _written(found: FOUND, folder: Path, *, overwrite: bool = False) -> FOUND:
    """Write the robot as it was found, all numbers as plain data, and a page or a picture."""
    from gough.analysis.storage import ROBOT, STUDY, SUMMARY  # noqa: PLC0415  (slow to import)
    from gough.studies.grid_storage import REPORT  # noqa: PLC0415

    robot = found.robot
    if isinstance(found, sizing.Selection):
        robot = found.robot_with(found.choice.name)
    files: dict[str, Callable[[Path], None]] = {
        ROBOT: lambda path: save(robot, path),
        SUMMARY: lambda path: write_json(path, found.to_dict()),
    }
    if isinstance(found, design.Development):
        if (run := found.results) is not None:
            files[STUDY] = lambda path: write_json(path, run.study)
            told = replace(run, warnings=(*found.warnings, *run.warnings))
            files[REPORT] = lambda path: report.write_report(told, path)
    elif isinstance(found, identification.Calibration):
        plot = found.plot
        files[PICTURE] = lambda path: plots.save_plot(plot(), path)
    else:
        files[REPORT] = lambda path: report.write_report(found, path)
    known_by = identity(found.robot.name, found)
    with (
        taken(folder, known_by, files, overwrite=overwrite) as target,
        staged(target, known_by) as part,
    ):
        for name, write in files.items():
            write(part / name)
    return found


def identity(name: str, *inputs: object) -> PlainData:
    """Return what a run of inputs is known by: its name, a SHA-256 of them, and the versions.

    Inputs that cannot be identified, such as a function that is not Gough's, give an identity
    that no other run has: nothing is found in its place.
    """
    try:
        known = fingerprint((*inputs, versions()))
    except UnidentifiedError:
        known = uuid4().hex * 2
    return {"name": name, "inputs": known, "versions": versions()}


def identity_of(study: Study) -> PlainData:
    """Return what a run of a study is known by, with the cases that it compares."""
    cases = [identity_of(study.variant(k)) for k in range(len(study.cases))]
    return identity(study.name, facts_of(study), cases)


def facts_of(study: Study) -> list[Any]:
    """Return everything that the results of a study depend on."""
    said = {key: value for key, value in study.resolved().items() if key != "executor"}
    others = *_BY_NUMBERS, "written", "executor"  # whoever computes, results are the same
    parts = [getattr(study, part.name) for part in fields(study) if part.name not in others]
    time = study.times()
    samples = study.motion(time)
    carried = [robot for _, robot in carried_over(study.robot, study.tasks, time)]
    base = () if study.base is None else study.base(time)
    numbers = [time, *samples, *base, total_wrench(study.tasks, time, samples)]
    named = contents([said, *(table for axis in study.variations for table in axis.at_keys())])
    return [said, study.robot.to_dict(), named, parts, numbers, carried]
