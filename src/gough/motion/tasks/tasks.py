"""Tasks: what the world does to the platform along a motion, and how a study file says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gough.fields.quantities import Quantity, Vector
from gough.fields.units import FORCE
from gough.motion.columns import read_columns
from gough.motion.problems import MotionError
from gough.motion.reading import kind_of
from gough.motion.samples import Array, checked_times, checked_type
from gough.motion.tasks.loads import Constant, Place, Sinusoidal, Tabulated, point_force
from gough.motion.tasks.payload import Payload
from gough.motion.tasks.task import During, Task, checked_tasks, total_wrench
from gough.motion.tasks.tools import Contact, Machining, Polishing
from gough.motion.written import (
    MOMENT,
    TIME,
    ConstantTable,
    MachiningTable,
    PayloadTable,
    PointForceTable,
    PolishingTable,
    SinusoidalTable,
    TabulatedTable,
    read_quantity,
    read_table,
)
from gough.robot import Robot

__all__ = [
    "Constant",
    "Contact",
    "During",
    "Machining",
    "Payload",
    "Place",
    "Polishing",
    "Sinusoidal",
    "Tabulated",
    "Task",
    "carried_over",
    "carrying",
    "point_force",
    "tasks_from_list",
    "total_wrench",
]

Data = Mapping[str, Any]


def tasks_from_list(
    data: Sequence[Data], robot: Robot, *, folder: Path = Path()
) -> tuple[Task, ...]:
    """The tasks that the [[tasks]] tables describe; errors name the key.

    `folder` is where the names of files count from.
    """
    if isinstance(data, Mapping | str) or not isinstance(data, Sequence):
        raise MotionError("not a list", key="tasks", value=data, expected="[[tasks]] tables")
    tasks = []
    for k, item in enumerate(data):
        try:
            task = _KINDS[kind_of(item, _KINDS)](item, folder)
            for t in task.jumps or (0.0,):
                task.carried_by(robot, t)  # a payload that the platform cannot have is refused here
        except MotionError as error:
            raise error.inside(f"tasks[{k}]") from None
        tasks.append(task)
    return tuple(tasks)


def carrying(robot: Robot, tasks: Sequence[Task], t: float = 0.0) -> Robot:
    """The robot with all payloads of a time [s] joined to its platform."""
    checked_type(robot, Robot, "robot", "a gough.Robot")
    checked_type(t, float | int, "t", "a time in seconds")
    for task in checked_tasks(tasks):
        robot = task.carried_by(robot, t)
    return robot


def carried_over(robot: Robot, tasks: Sequence[Task], time: Array) -> list[tuple[slice, Robot]]:
    """The robot with its payloads along times [s] that increase: stretches, and what it is there.

    A payload is picked up at the first time that is not before its start, and let go of at the
    first that is not before its end.
    """
    time = checked_times(time, "time")
    jumps = sorted({t for task in checked_tasks(tasks) for t in task.jumps})
    rounding = 1e-9 * (time[-1] - time[0])
    at = np.searchsorted(time, np.array(jumps) - rounding)
    edges = [0, *(int(k) for k in np.unique(at) if 0 < k < len(time)), len(time)]
    stretches: list[tuple[slice, Robot]] = []
    for first, last in pairwise(edges):
        loaded = carrying(robot, tasks, float(time[first]) + rounding)
        same = bool(stretches) and stretches[-1][1] == loaded
        begin = stretches.pop()[0].start if same else first
        stretches.append((slice(begin, last), loaded))
    return stretches


def _constant(data: Data, _: Path) -> Task:
    table = read_table(ConstantTable, data)
    return _during(table, Constant(table.force, table.moment, _place(table)))


def _point_force(data: Data, _: Path) -> Task:
    table = read_table(PointForceTable, data)
    return _during(table, Constant(table.force, place=_place(table)))


def _sinusoidal(data: Data, _: Path) -> Task:
    table = read_table(SinusoidalTable, data)
    task = Sinusoidal(table.frequency, table.force, table.moment, table.phase, _place(table))
    return _during(table, task)


_AXES = {"fx": FORCE, "fy": FORCE, "fz": FORCE, "mx": MOMENT, "my": MOMENT, "mz": MOMENT}


def _tabulated(data: Data, folder: Path) -> Task:
    table = read_table(TabulatedTable, data)
    if table.file is not None:
        return _during(table, _from_file(folder / table.file, _place(table)))
    times = np.array(_items(table.times, Quantity(TIME), "times"))
    zero = [[0.0, 0.0, 0.0]] * len(times)
    force, moment = Vector(3, Quantity(FORCE)), Vector(3, Quantity(MOMENT))
    forces, moments = (
        np.array(zero if rows is None else _items(rows, item, key))
        for rows, item, key in (
            (table.forces, force, "forces"),
            (table.moments, moment, "moments"),
        )
    )
    return _during(
        table, Tabulated(tuple(times.tolist()), _rows(forces), _rows(moments), _place(table))
    )


def _from_file(path: Path, place: Place) -> Tabulated:
    columns = read_columns(path, _AXES)
    times = columns.values["t"]
    load = np.stack([columns.values.get(axis, 0 * times) for axis in _AXES], axis=-1)
    try:
        return Tabulated(tuple(times.tolist()), _rows(load[:, :3]), _rows(load[:, 3:]), place)
    except MotionError as error:
        raise columns.complaint(error) from None


def _payload(data: Data, _: Path) -> Task:
    table = read_table(PayloadTable, data)
    return _during(table, Payload(table.mass, table.center_of_mass, table.inertia))


def _polishing(data: Data, _: Path) -> Task:
    table = read_table(PolishingTable, data)
    return _during(table, Polishing(table.normal_force, table.friction, _contact(table)))


def _machining(data: Data, _: Path) -> Task:
    table = read_table(MachiningTable, data)
    numbers = table.model_dump(
        include={
            "force", "specific_force", "depth", "feed_per_tooth", "form", "teeth",
            "spindle_speed", "radial_ratio", "cutter_radius",
        }
    )  # fmt: skip
    return _during(table, Machining(**numbers, contact=_contact(table)))


_KINDS: dict[str, Callable[[Data, Path], Task]] = {
    "machining": _machining,
    "polishing": _polishing,
    "payload": _payload,
    "constant": _constant,
    "sinusoidal": _sinusoidal,
    "table": _tabulated,
    "point-force": _point_force,
}


def _place(table: Any) -> Place:
    return Place(table.frame, table.point, table.point_frame)


def _contact(table: Any) -> Contact:
    if table.point is not None and table.lever is not None:
        raise MotionError("given twice", key="lever", expected="either a lever or a point")
    point = table.point or tuple((table.lever or 0.0) * x for x in table.normal)
    if table.lever is not None and table.point_frame == "base":
        raise MotionError("a lever is fixed in the platform", key="lever", expected="a point")
    return Contact(
        point,
        table.point_frame,
        table.normal,
        table.direction,
        table.direction_frame,
        table.fade_speed,
    )


def _during(table: Any, task: Task) -> Task:
    return task if table.active is None else During(task, *table.active)


def _items(rows: Any, item: Quantity | Vector, key: str) -> list[Any]:
    if not isinstance(rows, list | tuple):
        raise MotionError("not a list", key=key, value=rows, expected="a list, or a file")
    return [read_quantity(item, row, f"{key}[{k}]") for k, row in enumerate(rows)]


def _rows(array: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in array.tolist())
