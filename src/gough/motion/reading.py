"""From the [motion] and [[tasks]] tables of a study to a motion and to tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import InputError, inside
from gough.fields.table import read
from gough.motion.checked import MotionError
from gough.motion.motions.sequences import InFrames
from gough.motion.samples import Motion, issue_warnings, quiet
from gough.motion.table_parts import ReadingContext
from gough.motion.tables import MotionTable
from gough.motion.tasks.tables import TaskTable
from gough.motion.tasks.task import Task
from gough.poses import Frames
from gough.robot import Robot

Data = Mapping[str, Any]


def motion_from_dict(
    data: Data, robot: Robot, *, folder: Path = Path(), frames: Frames | None = None
) -> Motion:
    """The platform's motion that a [motion] table describes; it starts at the robot's home pose.

    `folder` is where the names of files count from. With `frames` the table is about the tool in
    the work frame. Errors name the key; an acceleration that jumps is a MotionWarning.
    """
    return motion_from_home(data, robot.home, folder=folder, frames=frames)


def motion_from_home(
    data: Data,
    pose: tuple[float, ...],
    *,
    folder: Path = Path(),
    frames: Frames | None = None,
) -> Motion:
    """Return the motion of a [motion] table for a machine with this home pose."""
    home = np.array(pose)
    start = home if frames is None else frames.tool_pose(home)
    try:
        with inside("motion"), quiet():
            motion: Motion = read(MotionTable, data).motion(start, ReadingContext(folder, frames))
    except InputError as error:
        raise MotionError.of(error) from None
    issue_warnings(motion)
    return motion if frames is None else InFrames(motion, frames)


def tasks_from_list(
    data: Sequence[Data],
    robot: Robot,
    *,
    folder: Path = Path(),
    frames: Frames | None = None,
) -> tuple[Task, ...]:
    """The tasks that the [[tasks]] tables describe; errors name the key.

    `folder` is where the names of files count from; `frames` are those that tasks may refer to.
    """
    if isinstance(data, Mapping | str) or not isinstance(data, Sequence):
        raise MotionError("not a list", key="tasks", value=data, expected="[[tasks]] tables")
    try:
        with inside("tasks"):
            tables = read(list[TaskTable], list(data))
            setting = ReadingContext(folder, frames)
            return tuple(_task(table, k, robot, setting) for k, table in enumerate(tables))
    except InputError as error:
        raise MotionError.of(error) from None


def _task(table: Any, k: int, robot: Robot, setting: ReadingContext) -> Task:
    with inside(f"[{k}]"):
        task: Task = table.task(setting)
        for t in task.jumps or (0.0,):
            task.carried_by(robot, t)  # a payload that the platform cannot have is refused here
        return task
