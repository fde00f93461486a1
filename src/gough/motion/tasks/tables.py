"""What a user may write in the [[tasks]] tables of a study: for each kind its keys, and its task.

To add a task: one class with its `kind`, its keys and `_task`, and its name in TaskTable.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator

from gough.errors import InputError
from gough.fields.quantities import (
    Angle,
    AngularSpeed,
    Direction,
    Force,
    Forces,
    Frequency,
    Inertia,
    Interval,
    Length,
    Mass,
    Moments,
    NotNegative,
    NotNegativeForce,
    NotNegativeLength,
    Point,
    PositiveLength,
    SpecificForce,
    Speed,
    Time,
)
from gough.fields.table import ByKind, Table
from gough.fields.units import FORCE, MOMENT
from gough.fields.values import Whole, as_list
from gough.motion.columns import read_columns
from gough.motion.motions.screws import Frame
from gough.motion.tasks.loads import ORIGIN, Constant, Place, Sinusoidal, Tabulated
from gough.motion.tasks.payload import Payload
from gough.motion.tasks.task import During, Task
from gough.motion.tasks.tools import FADE_SPEED, Contact, Form, Machining, Polishing


class _Task(Table):
    """What all tasks share: when they act."""

    kind: str
    active: Interval | None = None

    def task(self, folder: Path) -> Task:
        """The task, while it acts. Names of files count from the folder."""
        task = self._task(folder)
        return task if self.active is None else During(task, *self.active)

    @abstractmethod
    def _task(self, folder: Path) -> Task:
        """The task, as if it always acted."""


class _Load(_Task):
    """A load with a place."""

    frame: Frame = "base"
    point: Point = ORIGIN
    point_frame: Frame = "platform"

    def _place(self) -> Place:
        return Place(self.frame, self.point, self.point_frame)


class ConstantTable(_Load):
    """A constant force and moment."""

    kind: Literal["constant"]
    force: Forces = ORIGIN
    moment: Moments = ORIGIN

    def _task(self, _: Path) -> Task:
        return Constant(self.force, self.moment, self._place())


class PointForceTable(_Load):
    """A force at a point."""

    kind: Literal["point-force"]
    force: Forces
    point: Point

    def _task(self, _: Path) -> Task:
        return Constant(self.force, place=self._place())


class SinusoidalTable(_Load):
    """A force and moment that swing."""

    kind: Literal["sinusoidal"]
    frequency: Frequency
    force: Forces = ORIGIN
    moment: Moments = ORIGIN
    phase: Angle = 0.0

    def _task(self, _: Path) -> Task:
        return Sinusoidal(self.frequency, self.force, self.moment, self.phase, self._place())


def _rows(value: object) -> Any:
    rows = as_list(value)
    if rows is None:
        raise InputError("not a list", value=value, expected="a list, or a file")
    return rows


_ROWS = BeforeValidator(_rows)
_AXES = {"fx": FORCE, "fy": FORCE, "fz": FORCE, "mx": MOMENT, "my": MOMENT, "mz": MOMENT}


class TabulatedTable(_Load):
    """Forces and moments over time, in the table or in a CSV file."""

    kind: Literal["table"]
    times: Annotated[tuple[Time, ...], _ROWS] | None = None
    forces: Annotated[tuple[Forces, ...], _ROWS] | None = None
    moments: Annotated[tuple[Moments, ...], _ROWS] | None = None
    file: str | None = None

    def _task(self, folder: Path) -> Task:
        if self.file is not None:
            return self._from_file(folder / self.file)
        if self.times is None:
            raise InputError("not a list", key="times", expected="a list, or a file")
        none = (ORIGIN,) * len(self.times)
        forces = none if self.forces is None else self.forces
        moments = none if self.moments is None else self.moments
        return Tabulated(self.times, forces, moments, self._place())

    def _from_file(self, path: Path) -> Tabulated:
        columns = read_columns(path, _AXES)
        times = columns.values["t"]
        axes = [columns.values.get(axis, 0 * times) for axis in _AXES]
        rows = [tuple(row) for row in np.stack(axes, axis=-1).tolist()]
        forces, moments = (tuple(row[part] for row in rows) for part in (slice(3), slice(3, 6)))
        with columns.given_as("times", "forces", "moments"):
            return Tabulated(tuple(times.tolist()), forces, moments, self._place())


class PayloadTable(_Task):
    """A body on the platform."""

    kind: Literal["payload"]
    mass: Mass
    center_of_mass: Point = ORIGIN
    inertia: Inertia = (ORIGIN,) * 3

    def _task(self, _: Path) -> Task:
        return Payload(self.mass, self.center_of_mass, self.inertia)


class _Tool(_Task):
    """A contact with a tool."""

    lever: Length | None = None
    point: Point | None = None
    point_frame: Frame = "platform"
    normal: Direction = (0.0, 0.0, 1.0)
    direction: Direction | None = None
    direction_frame: Frame = "base"
    fade_speed: Speed = FADE_SPEED

    def _contact(self) -> Contact:
        if self.point is not None and self.lever is not None:
            raise InputError("given twice", key="lever", expected="either a lever or a point")
        if self.lever is not None and self.point_frame == "base":
            raise InputError("a lever is fixed in the platform", key="lever", expected="a point")
        return Contact(
            self.point or tuple((self.lever or 0.0) * x for x in self.normal),
            self.point_frame,
            self.normal,
            self.direction,
            self.direction_frame,
            self.fade_speed,
        )


class PolishingTable(_Tool):
    """Polishing."""

    kind: Literal["polishing"]
    normal_force: NotNegativeForce
    friction: NotNegative

    def _task(self, _: Path) -> Task:
        return Polishing(self.normal_force, self.friction, self._contact())


class MachiningTable(_Tool):
    """Milling of a full groove."""

    kind: Literal["machining"]
    force: Force | None = None
    specific_force: SpecificForce | None = None
    depth: PositiveLength | None = None
    feed_per_tooth: PositiveLength | None = None
    form: Form = "resultant"
    teeth: Annotated[int, Whole(1, 100)] = 4
    spindle_speed: AngularSpeed | None = None
    radial_ratio: NotNegative = 0.3
    cutter_radius: NotNegativeLength = 0.0

    def _task(self, _: Path) -> Task:
        numbers = self.model_dump(exclude=set(_Tool.model_fields))
        return Machining(**numbers, contact=self._contact())


TaskTable = Annotated[
    MachiningTable
    | PolishingTable
    | PayloadTable
    | ConstantTable
    | SinusoidalTable
    | TabulatedTable
    | PointForceTable,
    ByKind(),
]
