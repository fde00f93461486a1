"""Which actuators of a catalogue suffice for some motions, with each of them in the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError, about_file
from gough.fields.user_files import read_table
from gough.kinematics.forward.status import Status
from gough.kinematics.model import Model
from gough.robot import Robot, load
from gough.sizing.catalogue import load_catalogue
from gough.sizing.criteria import Case, Conditions
from gough.sizing.envelope import envelope
from gough.sizing.fitting import left_out, studied_with, with_robot
from gough.sizing.loads import Load, Mount, check_linear, mount, ranges
from gough.sizing.records import Catalogue, CatalogueActuator
from gough.sizing.selection import Candidate, Selection, judged
from gough.studies.run import run_one
from gough.studies.study import Study
from gough.studies.variations import point_words

AnyStudy = Study | Mapping[str, Any] | str | Path


def select(
    robot: Robot | str | Path | None,
    studies: AnyStudy | Iterable[AnyStudy],
    catalogue: Catalogue | Mapping[str, Any] | str | Path | None = None,
    *,
    life: float = 0.0,
    buckling_safety: float = 2.0,
    critical_share: float = 0.8,
    repeated: bool = True,
) -> Selection:
    """Which actuators of a catalogue suffice for all motions of some studies, by their margins.

    `robot` takes the place of the studies' own; None leaves these, which must be one robot.
    Every point of a study with variations is a motion. Left out, the catalogue is Gough's own.
    Each actuator is studied in the machine, with its masses and its drive where the catalogue gives
    them, and held against what it gives: see `gough.sizing.CRITERIA`. `life` [h] is what nine of
    ten screws and bearings must last; motions are `repeated` for ever, or made once from cold.
    """
    conditions = Conditions(life, buckling_safety, critical_share, repeated)
    _check(conditions)
    chosen = load_catalogue(catalogue)
    motions = _motions(robot, studies)
    first = motions[0][1].robot
    check_linear(first)
    plain = [_results(study, study.robot, name) for name, study in motions]
    used = ranges([load for _, load in plain])
    candidates = [_candidate(actuator, motions, used, conditions) for actuator in chosen.actuators]
    candidates.sort(key=lambda c: (not c.suffices, -c.margin))
    named = [replace(results, study={**results.study, "name": load.motion}) for results, load in plain]
    return Selection(
        first,
        chosen,
        conditions,
        tuple(candidates),
        envelope(named),
        used,
        _middle_home(first, used),
    )


def _check(conditions: Conditions) -> None:
    """Refuse conditions that nothing can mean."""
    bounds = {
        "life": (conditions.life, 0.0, "at least 0 h"),
        "buckling_safety": (conditions.buckling_safety, 1.0, "at least 1"),
    }
    for name, (value, least, expected) in bounds.items():
        if not (isfinite(value) and value >= least):
            raise GoughError(f"{name} is {value}; expected a number, {expected}")
    if not 0 < conditions.critical_share <= 1:
        raise GoughError(f"critical_share is {conditions.critical_share}; expected above 0, to 1")


def _motions(
    robot: Robot | str | Path | None, studies: AnyStudy | Iterable[AnyStudy]
) -> list[tuple[str, Study]]:
    """Every motion of some studies with its name."""
    single = isinstance(studies, Study | Mapping | str | Path)
    several = [_study(robot, study) for study in ([studies] if single else studies)]  # type: ignore[list-item]
    if not several:
        raise GoughError("no studies; expected at least one, whose motion actuators are chosen for")
    motions = [motion for study in several for motion in _points(study)]
    own = {study.robot.name for study in several}
    if len(own) > 1:
        raise GoughError(
            f"the studies are of several robots: {', '.join(sorted(own))}; expected one, or a robot "
            "that takes their place"
        )
    return motions


def _study(robot: Robot | str | Path | None, study: AnyStudy) -> Study:
    """A study, with another robot in the place of its own if one is given."""
    if robot is None:
        from gough.studies.run import as_study  # noqa: PLC0415

        return as_study(study)
    given = robot if isinstance(robot, Robot) else load(robot)
    if isinstance(study, Study):
        if not study.written:
            return replace(study, robot=given)
        return Study.from_dict({**study.written, "robot": given.written.in_full})
    folder = None
    if not isinstance(study, Mapping):
        path = Path(study)
        folder, study = path.parent, read_table(path, "a study file")
        with about_file(path):
            return Study.from_dict({**study, "robot": given.written.in_full}, folder=folder)
    return Study.from_dict({**study, "robot": given.written.in_full})


def _points(study: Study) -> list[tuple[str, Study]]:
    """The motions of a study: itself, or all points of its grid."""
    if not study.variations:
        return [(study.name, study)]
    count = prod(study.shape)
    return [
        (f"{study.name}, {point_words(study.variations, k)}", study.variant(k))
        for k in range(count)
    ]


def _results(study: Study, robot: Robot, name: str) -> tuple[Any, Load]:
    results = run_one(with_robot(study, robot))
    return results, Load.of(results, name)


def _candidate(
    actuator: CatalogueActuator,
    motions: list[tuple[str, Study]],
    used: Array,
    conditions: Conditions,
) -> Candidate:
    """An actuator in the machine, in all motions."""
    cases = []
    for name, study in motions:
        place: Mount = mount(study.robot, used, actuator.stroke, actuator.retracted_length)
        machine = studied_with(study.robot, actuator, place)
        _, load = _results(study, machine, name)
        cases.append(Case(actuator, place, load, used, conditions))
    return judged(cases, left_out(motions[0][1].robot, actuator))


def _middle_home(robot: Robot, used: Array) -> tuple[float, ...] | None:
    """The pose near home with all actuators in the middle of the positions used."""
    middle = np.full(used.shape[1], (used.max() + used.min()) / 2)
    found = Model(robot).forward_kinematics(middle, robot.home)
    return tuple(found.pose.tolist()) if found.status == Status.CONVERGED else None
