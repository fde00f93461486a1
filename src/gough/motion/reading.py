"""From the [motion] and [[tasks]] tables of a study to a motion and to tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import InputError, inside
from gough.fields.table import read
from gough.motion.problems import MotionError
from gough.motion.samples import Motion, announce
from gough.motion.tables import MotionTable
from gough.motion.tasks.tables import TaskTable
from gough.motion.tasks.task import Task
from gough.robot import Robot

Data = Mapping[str, Any]


def motion_from_dict(data: Data, robot: Robot, *, folder: Path = Path()) -> Motion:
    """The motion that a [motion] table describes; it starts at the robot's home pose.

    `folder` is where the names of files count from. Errors name the key; an acceleration that
    jumps is a MotionWarning.
    """
    try:
        with inside("motion"):
            motion: Motion = read(MotionTable, data).motion(np.array(robot.home), folder)
    except InputError as error:
        raise MotionError.of(error) from None
    announce(motion)
    return motion


def tasks_from_list(
    data: Sequence[Data], robot: Robot, *, folder: Path = Path()
) -> tuple[Task, ...]:
    """The tasks that the [[tasks]] tables describe; errors name the key.

    `folder` is where the names of files count from.
    """
    if isinstance(data, Mapping | str) or not isinstance(data, Sequence):
        raise MotionError("not a list", key="tasks", value=data, expected="[[tasks]] tables")
    try:
        with inside("tasks"):
            tables = read(list[TaskTable], list(data))
            return tuple(_task(table, k, robot, folder) for k, table in enumerate(tables))
    except InputError as error:
        raise MotionError.of(error) from None


def _task(table: Any, k: int, robot: Robot, folder: Path) -> Task:
    with inside(f"[{k}]"):
        task: Task = table.task(folder)
        for t in task.jumps or (0.0,):
            task.carried_by(robot, t)  # a payload that the platform cannot have is refused here
        return task
