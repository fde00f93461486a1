"""A study as the page takes it: its machine, way, load and frames, and in words what else it has.

A motion that waypoints make is given as waypoints, which can be changed there. Every other one is
given by its samples, with what acts at each of them, and nothing is made up in between.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gough.analysis.freedoms import possible_motion
from gough.arrays import Array
from gough.errors import GoughError
from gough.model.catalogue import chosen_formulation
from gough.motion import (
    Constant,
    Motion,
    MotionSamples,
    Payload,
    Place,
    Task,
    carried_over,
    carrying,
    total_wrench,
)
from gough.poses import Frames
from gough.report.thinning import frames as spread
from gough.robot import Robot
from gough.robot.numbers import UPPER
from gough.studies.run import with_balance
from gough.studies.study import DEFAULT_SAMPLES, Study
from gough.workbench.waypoints import waypoints_of

MOST_SAMPLES = 2001
"""Of longer studies so many samples are in the page."""


class Studied(NamedTuple):
    """What a page shows: a machine, how often it looks at ways, and what it is told of a study."""

    robot: Robot
    samples: int = DEFAULT_SAMPLES
    study: dict[str, Any] | None = None


def studied(robot: Robot, study: Study, point: int | None = None) -> Studied:
    """A study of a robot, or a point of its grid."""
    one = _one(study, point)
    if one.robot.name != robot.name:
        raise GoughError(
            f"{study.name}: a study of the robot {one.robot.name}, not of {robot.name}; "
            "expected a study of the robot that is viewed"
        )
    time = one.times()[spread(one.count, MOST_SAMPLES)]
    motion = possible_motion(one.robot, one.motion, time)
    samples = motion(time)
    machine = one.robot if one.balance is None else _balanced(one, motion)
    simple = [task for task in one.tasks if _is_simple(task)]
    others = [task for task in one.tasks if not _is_simple(task)]
    way = None if one.static or others else waypoints_of(one.motion, one.robot, time)
    frames = one.frames or Frames()
    told = {
        "name": one.name,
        "load": _load(machine, simple, samples),
        "frames": {"work": list(frames.work), "tool": list(frames.tool)},
        "way": way,
        "samples": None if way else _samples(one, others, time, samples),
        "remarks": list(_remarks(one, robot, len(time), way is None)),
    }
    return Studied(machine, len(time), told)


def _one(study: Study, point: int | None) -> Study:
    """The study itself, or one of its variations."""
    if point is not None:
        return study.variant(point)
    if study.variations:
        count = int(np.prod(study.shape))
        raise GoughError(
            f"{study.name}: a study with {count} variations; expected the number of one of them, "
            f"from 0 to {count - 1}, as --point or point="
        )
    return study


def _balanced(study: Study, motion: Motion) -> Robot:
    """The machine with its balancing masses, which may follow from all of the motion."""
    return with_balance(study, study.robot, motion(study.times()))


def _is_simple(task: Task) -> bool:
    """Whether it is a payload, or a force on the platform's origin, that never changes."""
    return isinstance(task, Payload) or (isinstance(task, Constant) and task.place == Place())


def _load(robot: Robot, tasks: Sequence[Task], samples: MotionSamples) -> dict[str, Any]:
    """What never changes: one body of all payloads, and one wrench of all forces."""
    first = MotionSamples(*(array[:1] for array in samples))
    wrench = total_wrench(tasks, np.zeros(1), first)[0]
    return _body(carrying(_without_mass(robot), tasks)) | {"wrench": wrench.tolist()}


def _without_mass(robot: Robot) -> Robot:
    """The robot with a platform of no mass: what it carries is then all that it has."""
    nothing = {"mass": 0.0, "center_of_mass": (0.0,) * 3, "inertia": ((0.0,) * 3,) * 3}
    platform = robot.platform.model_copy(update=nothing)
    return robot.model_copy(update={"platform": platform})


def _body(robot: Robot) -> dict[str, Any]:
    """Mass [kg], centre [m] and inertia [kg m^2] of a platform, as the page has them."""
    platform = robot.platform
    inertia = np.array(platform.inertia)[UPPER]
    centre = list(platform.center_of_mass)
    return {"mass": platform.mass, "centre": centre, "inertia": inertia.tolist()}


def _samples(
    study: Study, tasks: Sequence[Task], time: Array, samples: MotionSamples
) -> dict[str, Any]:
    """The motion at some times, with the wrench and the body of all that changes meanwhile."""
    moving = 0.0 if study.static else 1.0
    wrench = total_wrench(tasks, time, samples)
    carried = carried_over(_without_mass(study.robot), tasks, time)
    return {
        "time": _packed(time),
        "pose": _packed(samples.pose),
        "twist": _packed(moving * samples.twist),
        "acceleration": _packed(moving * samples.acceleration),
        "wrench": _packed(wrench) if wrench.any() else None,
        "bodies": [{"first": where.start, **_body(robot)} for where, robot in carried],
    }


def _packed(numbers: Array) -> str:
    """Numbers to the last bit, as text."""
    return b64encode(np.ascontiguousarray(numbers, dtype="<f8").tobytes()).decode()


def _remarks(study: Study, robot: Robot, count: int, sampled: bool) -> Iterator[str]:
    """What a reader has to know, in words."""
    if study.robot != robot:
        yield f"The machine is {robot.name} as the study has it, not as in the file that was named."
    if study.balance is not None:
        yield "The study's balancing masses are part of the machine."
    if sampled:
        which = f"its {count}" if count == study.count else f"{count} of its {study.count}"
        yield (
            f"The way of the study is that of {which} samples, with what acts at each of them; "
            "between two samples the nearer one is shown. It can be played, but not changed."
        )
    else:
        yield "The way of the study is given by waypoints, which can be changed."
    if not sampled and count < study.count:
        yield f"The study looks at its way {study.count} times, the page {count} times."
    if study.static:
        yield "The study is static: speeds and accelerations along its way count as zero."
    usual = chosen_formulation(study.robot, None)
    if study.formulation not in (None, usual):
        yield f"Forces are found by {usual} here, by {study.formulation} in the study."
