"""From a thing to a folder: what it comes to, with tables and pages, all or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from gough.errors import GoughError
from gough.studies.study import Study

if TYPE_CHECKING:
    from gough.analysis.results import Results
    from gough.design import Choices, Design, DesignResult, Front
    from gough.executors import Executor
    from gough.identification import Calibration, Identified
    from gough.sizing.selection import Selection
    from gough.studies.grid_results import GridResults

FOUND = TypeVar("FOUND", bound="Identified | Calibration | Selection")


@overload
def to_folder(
    thing: Study,
    folder: str | Path,
    *,
    overwrite: bool = False,
    report: bool | None = None,
    workbench: bool = False,
    executor: Executor = None,
) -> Results | GridResults: ...
@overload
def to_folder(
    thing: Design,
    folder: str | Path,
    *,
    overwrite: bool = False,
    catalogue: str | Path | None = None,
    **search: int,
) -> DesignResult | Front | Choices: ...
@overload
def to_folder(thing: FOUND, folder: str | Path, *, overwrite: bool = False) -> FOUND: ...
def to_folder(thing: Any, folder: str | Path, **options: Any) -> Any:
    """Write everything about a thing into a folder; a study or a design is computed there.

    A study is run, or simulated if it has a controller; the machines of a design are searched for,
    with a `catalogue` one for each of its actuators (`search` is what `Design.optimise` or `front`
    takes). What was identified, calibrated or selected is written as it is.

    A folder with results of other inputs is refused unless `overwrite` is set. What Gough did not
    write stays as it is, and is refused by name if it is in the way. Whatever goes wrong, results
    that were there before stay as they were.

    Of a study, `report` and `workbench` say which pages are written: the report leads to the
    workbench, in which the machine with the study's motion is moved by hand. Points of a grid are
    computed where `executor` says. A grid whose run was interrupted goes on where it was, and a
    study whose results are there already is not computed again.
    """
    if isinstance(thing, Study):
        from gough.runs.study import study_to_folder  # noqa: PLC0415  (only if wanted)

        return study_to_folder(thing, Path(folder), **options)
    from gough.design import Design  # noqa: PLC0415  (slow to import, as all of these)
    from gough.identification import Calibration, Identified  # noqa: PLC0415
    from gough.sizing.selection import Selection  # noqa: PLC0415

    if isinstance(thing, Design):
        from gough.runs.design import design_to_folder  # noqa: PLC0415

        return design_to_folder(thing, Path(folder), **options)
    if isinstance(thing, Identified | Calibration | Selection):
        from gough.runs.findings import findings_to_folder  # noqa: PLC0415

        return findings_to_folder(thing, Path(folder), **options)
    raise GoughError(
        f"{thing!r:.80} has no folder; expected a study, a design, or what was identified, "
        "calibrated or selected"
    )
