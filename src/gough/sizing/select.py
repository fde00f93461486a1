"""Selection of actuators of a catalogue for some motions, with each of them in the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gough.analysis import Results
from gough.arrays import Array
from gough.disk.plain_data import PlainMapping
from gough.errors import GoughError, about_file
from gough.executors import Executor, for_each
from gough.fields import read_table
from gough.kinematics import Model, Status
from gough.progress import shows_progress
from gough.robot import Robot, load
from gough.sizing import mounting
from gough.sizing.criteria import Case, OperatingConditions
from gough.sizing.envelope import envelope
from gough.sizing.mounting import ActuatorLoad
from gough.sizing.records import Catalogue, CatalogueActuator, load_catalogue
from gough.sizing.selection import Candidate, Selection, checked
from gough.studies import Outputs, Study, run_one
from gough.studies.run import as_study
from gough.studies.variations import all_point_words

AnyStudy = Study | PlainMapping | str | Path
OUTPUTS = Outputs(quantities=("legs", "forces", "drives"), csv=False, report=False)
"""Outputs of the study of an actuator."""


@shows_progress
def select(
    robot: Robot | str | Path | None,
    studies: AnyStudy | Iterable[AnyStudy],
    catalogue: Catalogue | PlainMapping | str | Path | None = None,
    *,
    life: float = 0.0,
    buckling_safety: float = 2.0,
    critical_share: float = 0.8,
    repeated: bool = True,
    executor: Executor = None,
    progress: bool = False,
) -> Selection:
    """Select actuators of a catalogue that suffice for all motions of some studies, by margin.

    `robot` takes the place of the studies' own; None leaves these, which must be one robot.
    Every point of a study with variations is a motion. Left out, the catalogue is Gough's own.
    Each actuator is studied in the machine, with its masses and its drive where the catalogue gives
    them, and checked against its ratings: see `gough.sizing.CRITERIA`. `life` [h] is what nine of
    ten screws and bearings must last; motions are `repeated` for ever, or made once from cold.
    Actuators are shared out as `executor` says (see `gough.executors`); `progress` shows a bar.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> robot = gough.load("demo-hexapod")
    >>> study = gough.Study(robot, line(robot.home, [0.1, 0, 0], Quintic(1.0)))
    >>> len(gough.select(None, study).sufficient) > 0
    True
    """
    conditions = OperatingConditions(life, buckling_safety, critical_share, repeated)
    for name, least in (("life", 0.0), ("buckling_safety", 1.0)):
        value = getattr(conditions, name)
        if not (isfinite(value) and value >= least):
            raise GoughError(f"{name} is {value}; expected a number of at least {least:g}")
    if not 0 < critical_share <= 1:
        raise GoughError(f"critical_share is {critical_share}; expected above 0, at most 1")
    chosen, motions = load_catalogue(catalogue), motions_of(robot, studies)
    own = motions[0].study.robot
    mounting.check_linear(own)
    plain = [_studied(motion, motion.study.robot) for motion in motions]
    used = mounting.ranges([ActuatorLoad.of(results) for results in plain])
    job = partial(_candidate, motions, used, conditions)
    candidates = for_each(job, chosen.actuators, title="Actuators", executor=executor)
    candidates.sort(key=lambda c: (not c.suffices, -c.margin, c.actuator.peak_force))
    middle = np.full(used.shape[1], (used.max() + used.min()) / 2)
    at = Model(own).forward_kinematics(middle, own.home)
    home = tuple(at.pose.tolist()) if at.status == Status.CONVERGED else None
    return Selection(own, chosen, conditions, tuple(candidates), envelope(plain), used, home)


def _studied(motion: NamedStudy, robot: Robot) -> Results:
    """Return the results of a motion with another robot in place of the study's, under its name."""
    study = motion.study
    written = study.written and {**study.written, "robot": robot.to_dict()}
    results = run_one(replace(study, robot=robot, outputs=OUTPUTS, written=written))
    return replace(results, study={**results.study, "name": motion.name})


def _candidate(
    motions: Sequence[NamedStudy],
    used: Array,
    conditions: OperatingConditions,
    actuator: CatalogueActuator,
) -> Candidate:
    cases = []
    for motion in motions:
        robot = motion.study.robot
        place = mounting.mount(robot, used, actuator.stroke, actuator.retracted_length)
        load = ActuatorLoad.of(_studied(motion, mounting.studied_with(robot, actuator, place)))
        cases.append(Case(actuator, place, load, used, conditions))
    return checked(cases, mounting.remarks_on(motions[0].study.robot, actuator, cases[0].mount))


class NamedStudy(NamedTuple):
    """A study without variations, and what it is called beside others."""

    name: str
    study: Study


def motions_of(
    robot: Robot | str | Path | None, studies: AnyStudy | Iterable[AnyStudy]
) -> list[NamedStudy]:
    """Every motion of some studies; a robot, if one is given, takes the place of theirs."""
    one = isinstance(studies, Study | Mapping | str | Path) or not isinstance(studies, Iterable)
    several: list[Any] = [studies] if one else list(studies)  # type: ignore[arg-type]
    if not several:
        raise GoughError("no studies; expected at least one, whose motion actuators are chosen for")
    given = robot if robot is None or isinstance(robot, Robot) else load(robot)
    read = [as_study(study) if given is None else _with_robot(given, study) for study in several]
    own = sorted({study.robot.name for study in read})
    if len(own) > 1:
        problem = f"the studies are of several robots: {', '.join(own)}"
        raise GoughError(f"{problem}; expected one, or a robot that takes their place")
    motions = []
    for study in read:
        if not study.variations:
            motions.append(NamedStudy(study.name, study))
            continue
        for k, words in enumerate(all_point_words(study.variations)):
            motions.append(NamedStudy(f"{study.name}, {words}", study.variant(k)))
    return motions


def _with_robot(robot: Robot, study: AnyStudy) -> Study:
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
