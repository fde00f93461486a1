"""The motions that actuators are chosen for, from studies: one each, or every point of a grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from gough.errors import GoughError, about_file
from gough.fields.user_files import read_table
from gough.robot import Robot, load
from gough.studies.run import as_study
from gough.studies.study import Study
from gough.studies.variations import point_words

AnyStudy = Study | Mapping[str, Any] | str | Path


class Motion(NamedTuple):
    """A study without variations, and what it is called beside others."""

    name: str
    study: Study


def motions_of(
    robot: Robot | str | Path | None, studies: AnyStudy | Iterable[AnyStudy]
) -> list[Motion]:
    """Every motion of some studies; a robot, if one is given, takes the place of theirs."""
    one = isinstance(studies, Study | Mapping | str | Path) or not isinstance(studies, Iterable)
    several: list[Any] = [studies] if one else list(studies)  # type: ignore[arg-type]
    if not several:
        raise GoughError("no studies; expected at least one, whose motion actuators are chosen for")
    given = robot if robot is None or isinstance(robot, Robot) else load(robot)
    read = [as_study(study) if given is None else _with_robot(given, study) for study in several]
    own = sorted({study.robot.name for study in read})
    if len(own) > 1:
        raise GoughError(
            f"the studies are of several robots: {', '.join(own)}; expected one, or a robot that "
            "takes their place"
        )
    return [motion for study in read for motion in _points(study)]


def _with_robot(robot: Robot, study: AnyStudy) -> Study:
    """A study of another robot than its own."""
    if isinstance(study, Study) and not study.written:
        return replace(study, robot=robot)
    own = {"robot": robot.written.in_full}
    if isinstance(study, Study | Mapping):
        return Study.from_dict({**(study.written if isinstance(study, Study) else study), **own})
    if not isinstance(study, str | Path):
        return as_study(study)
    path = Path(study)
    data = read_table(path, "a study file")
    with about_file(path):
        return Study.from_dict({**data, **own}, folder=path.parent)


def _points(study: Study) -> list[Motion]:
    """The motions of a study: itself, or all points of its grid."""
    if not study.variations:
        return [Motion(study.name, study)]
    return [
        Motion(f"{study.name}, {point_words(study.variations, k)}", study.variant(k))
        for k in range(prod(study.shape))
    ]
