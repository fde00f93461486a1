"""Which actuators of a catalogue suffice for some motions, with each of them in the machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.forward.status import Status
from gough.kinematics.model import Model
from gough.robot import Robot
from gough.sizing.catalogue import load_catalogue
from gough.sizing.criteria import Case, Conditions
from gough.sizing.envelope import envelope
from gough.sizing.fitting import remarks_on, studied_with, with_robot
from gough.sizing.loads import Load, check_linear, mount, ranges
from gough.sizing.motions import AnyStudy, Motion, motions_of
from gough.sizing.records import Catalogue, CatalogueActuator
from gough.sizing.selection import Candidate, Selection, judged
from gough.studies.run import run_one


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
    chosen, motions = load_catalogue(catalogue), motions_of(robot, studies)
    own = motions[0].study.robot
    check_linear(own)
    plain = [_studied(motion, motion.study.robot) for motion in motions]
    used = ranges([Load.of(results) for results in plain])
    candidates = [_candidate(actuator, motions, used, conditions) for actuator in chosen.actuators]
    candidates.sort(key=lambda c: (not c.suffices, -c.margin, c.actuator.peak_force))
    return Selection(
        own, chosen, conditions, tuple(candidates), envelope(plain), used, _middle_home(own, used)
    )


def _check(conditions: Conditions) -> None:
    """Refuse conditions that nothing can mean."""
    for name, least in (("life", 0.0), ("buckling_safety", 1.0)):
        value = getattr(conditions, name)
        if not (isfinite(value) and value >= least):
            raise GoughError(f"{name} is {value}; expected a number of at least {least:g}")
    if not 0 < conditions.critical_share <= 1:
        raise GoughError(
            f"critical_share is {conditions.critical_share}; expected above 0, at most 1"
        )


def _studied(motion: Motion, robot: Robot) -> Results:
    """What a motion comes to with another robot in the place of the study's, under its name."""
    results = run_one(with_robot(motion.study, robot))
    return replace(results, study={**results.study, "name": motion.name})


def _candidate(
    actuator: CatalogueActuator, motions: Sequence[Motion], used: Array, conditions: Conditions
) -> Candidate:
    """An actuator in the machine, in all motions."""
    cases = []
    for motion in motions:
        robot = motion.study.robot
        place = mount(robot, used, actuator.stroke, actuator.retracted_length)
        load = Load.of(_studied(motion, studied_with(robot, actuator, place)))
        cases.append(Case(actuator, place, load, used, conditions))
    return judged(cases, remarks_on(motions[0].study.robot, actuator, cases[0].mount))


def _middle_home(robot: Robot, used: Array) -> tuple[float, ...] | None:
    """The pose near home with all actuators in the middle of the positions used."""
    middle = np.full(used.shape[1], (used.max() + used.min()) / 2)
    found = Model(robot).forward_kinematics(middle, robot.home)
    return tuple(found.pose.tolist()) if found.status == Status.CONVERGED else None
