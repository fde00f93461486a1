"""The [[tasks]] tables of a study: for each kind its keys, and its task.

To add a task: one class with its `kind`, its keys and `_task`, and its name in TaskTable.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator

from gough.errors import InputError, inside
from gough.fields import quantities as q
from gough.fields.table import ByKind, FileTable, entry, optional, read
from gough.fields.units import FORCE, MOMENT
from gough.fields.values import as_list
from gough.motion.checked import MotionError
from gough.motion.columns import read_columns
from gough.motion.table_parts import FrameName, ReadingContext
from gough.motion.tasks import loads
from gough.motion.tasks.task import During, Payload, Task
from gough.poses import Frames, transform
from gough.poses.quaternions import rotated
from gough.robot import Robot

Turned = Callable[[ArrayLike], tuple[loads.Numbers, ...]]  # from vectors on some axes to others


def tasks_from_list(
    data: Sequence[Mapping[str, object]],
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
    setting, tasks = ReadingContext(folder, frames), list[Task]()
    try:
        with inside("tasks"):
            for k, table in enumerate(read(list[TaskTable], list(data))):
                with inside(f"[{k}]"):
                    tasks.append(table.task(setting))
                    for t in tasks[-1].jumps or (0.0,):  # refuse what the platform cannot carry
                        tasks[-1].carried_by(robot, t)
    except InputError as error:
        raise MotionError.of(error) from None
    return tuple(tasks)


class _Task(FileTable):
    """Common keys of all tasks: the interval in which they act."""

    kind: str
    active: q.Interval | None = optional("From when to when it acts [s]. Left out: always.")

    def task(self, setting: ReadingContext) -> Task:
        """The task, while it acts, with names of files and frames as in a setting."""
        task = self._task(setting)
        return task if self.active is None else During(task, *self.active)

    @abstractmethod
    def _task(self, setting: ReadingContext) -> Task:
        """The task, as if it always acted."""


class _LoadTable(_Task):
    """A load with a place."""

    frame: FrameName = entry(
        "Whose axes it is given in: those of platform and tool turn with them.", "base"
    )
    point: q.Point = entry("Where the force acts [m].", loads.ORIGIN)
    point_frame: FrameName | None = optional(
        "In whose frame the point is given, and stays. Left out: the platform's; of a load on axes "
        "of the work frame or the tool, the tool's."
    )

    def _placed(self, setting: ReadingContext) -> tuple[loads.Place, Turned]:
        """Where it acts on the machine, and what turns its vectors to the axes there."""
        usual: FrameName = "tool" if self.frame in ("work", "tool") else "platform"
        with inside("frame"):
            frame, axes = setting.on_machine(self.frame)
        with inside("point_frame"):
            point_frame, there = setting.on_machine(self.point_frame or usual)
        point = tuple(transform(there, self.point).tolist())

        def turned(vectors: ArrayLike) -> tuple[loads.Numbers, ...]:
            return tuple(map(tuple, rotated(axes[3:], np.array(vectors).reshape(-1, 3)).tolist()))

        return loads.Place(frame, point, point_frame), turned


class ConstantTable(_LoadTable):
    """A constant force and moment."""

    kind: Literal["constant"]
    force: q.Forces = entry("Force on the platform [N].", loads.ORIGIN)
    moment: q.Moments = entry("Moment on the platform [N m].", loads.ORIGIN)

    def _task(self, setting: ReadingContext) -> Task:
        place, turned = self._placed(setting)
        force, moment = turned([self.force, self.moment])
        return loads.Constant(force, moment, place)


class SinusoidalTable(_LoadTable):
    """A force and moment that swing."""

    kind: Literal["sinusoidal"]
    frequency: q.Frequency = entry("Oscillations a second [Hz].")
    force: q.Forces = entry("Amplitude of the force on the platform [N].", loads.ORIGIN)
    moment: q.Moments = entry("Amplitude of the moment on the platform [N m].", loads.ORIGIN)
    phase: q.Angle = entry("Phase at t = 0 [rad]: sin(2π frequency t + phase).", 0.0)

    def _task(self, setting: ReadingContext) -> Task:
        place, turned = self._placed(setting)
        force, moment = turned([self.force, self.moment])
        return loads.Sinusoidal(self.frequency, force, moment, self.phase, place)


def _rows(value: object) -> Any:
    rows = as_list(value)
    if rows is None:
        raise InputError("not a list", value=value, expected="a list, or a file")
    return rows


_ROWS = BeforeValidator(_rows)
_AXES = {"fx": FORCE, "fy": FORCE, "fz": FORCE, "mx": MOMENT, "my": MOMENT, "mz": MOMENT}


class TabulatedTable(_LoadTable):
    """Forces and moments over time, in the table or in a CSV file."""

    kind: Literal["table"]
    times: Annotated[tuple[q.Time, ...], _ROWS] | None = optional(
        "Times that increase [s]; straight lines in between, nothing before and after."
    )
    forces: Annotated[tuple[q.Forces, ...], _ROWS] | None = optional(
        "Forces on the platform at these times [N]."
    )
    moments: Annotated[tuple[q.Moments, ...], _ROWS] | None = optional(
        "Moments on the platform at these times [N m]."
    )
    file: str | None = optional(
        "Instead: a CSV file with columns t [s], fx [N], fy, fz, mx [N m], my, mz."
    )

    def _task(self, setting: ReadingContext) -> Task:
        if self.file is not None:
            columns = read_columns(setting.folder / self.file, _AXES)
            times = columns.values["t"]
            axes = np.stack([columns.values.get(axis, 0 * times) for axis in _AXES], axis=-1)
            with columns.given_as("times", "forces", "moments"):
                return self._tabulated(tuple(times.tolist()), axes[:, :3], axes[:, 3:], setting)
        if self.times is None:
            raise InputError("not a list", key="times", expected="a list, or a file")
        none = (loads.ORIGIN,) * len(self.times)
        forces, moments = (none if x is None else x for x in (self.forces, self.moments))
        return self._tabulated(self.times, forces, moments, setting)

    def _tabulated(
        self, times: loads.Numbers, forces: ArrayLike, moments: ArrayLike, setting: ReadingContext
    ) -> loads.Tabulated:
        place, turned = self._placed(setting)
        return loads.Tabulated(times, turned(forces), turned(moments), place)


class PayloadTable(_Task):
    """A body on the platform."""

    kind: Literal["payload"]
    mass: q.Mass = entry("Mass [kg].")
    center_of_mass: q.Point = entry("Mass centre [m], platform frame.", loads.ORIGIN)
    inertia: q.Inertia = entry(
        "Inertia about its own mass centre, platform axes [kg m^2]: three principal moments or a "
        "3x3.",
        (loads.ORIGIN,) * 3,
    )

    def _task(self, setting: ReadingContext) -> Task:
        return Payload(self.mass, self.center_of_mass, self.inertia)


class _Tool(_Task):
    """A contact with a tool."""

    lever: q.Length | None = optional(
        "Distance of the contact from the platform's origin along the normal [m]."
    )
    point: q.Point | None = optional("Instead of a lever: the contact point [m].")
    point_frame: FrameName = entry(
        "In whose frame the contact point is given, and stays.", "platform"
    )
    normal: q.Direction = entry("From the workpiece to the tool, platform axes.", (0.0, 0.0, 1.0))
    direction: q.Direction | None = optional(
        "Which way the workpiece travels. Left out: as the motion does."
    )
    direction_frame: FrameName = entry("Whose axes the direction of travel is given in.", "base")
    fade_speed: q.Speed = entry(
        "At rest there is no direction of travel: forces along it fade below this speed [m/s].",
        loads.FADE_SPEED,
    )

    def _contact(self, setting: ReadingContext) -> loads.Contact:
        if self.point is not None and self.lever is not None:
            raise InputError("given twice", key="lever", expected="either a lever or a point")
        if self.lever is not None and self.point_frame != "platform":
            raise InputError("a lever is fixed in the platform", key="lever", expected="a point")
        with inside("point_frame"):
            point_frame, there = setting.on_machine(self.point_frame)
        with inside("direction_frame"):
            direction_frame, axes = setting.on_machine(self.direction_frame)
        point = self.point or tuple((self.lever or 0.0) * x for x in self.normal)
        at = tuple(transform(there, point).tolist())
        along = self.direction and tuple(rotated(axes[3:], np.array(self.direction)).tolist())
        return loads.Contact(at, point_frame, self.normal, along, direction_frame, self.fade_speed)


class PolishingTable(_Tool):
    """Polishing: a tool presses on the workpiece and rubs."""

    kind: Literal["polishing"]
    normal_force: q.NotNegativeForce = entry("Force of the tool on the workpiece [N].")
    friction: q.NotNegative = entry("Coefficient of friction against the travel.")

    def _task(self, setting: ReadingContext) -> Task:
        return loads.Polishing(self.normal_force, self.friction, self._contact(setting))


class MachiningTable(loads.Cut, _Tool):
    """Milling of a groove or a shoulder."""

    kind: Literal["machining"]

    def _task(self, setting: ReadingContext) -> Task:
        numbers = self.model_dump(exclude=set(_Tool.model_fields))
        return loads.Machining(**numbers, contact=self._contact(setting))


_Contacts = MachiningTable | PolishingTable
_Loads = PayloadTable | ConstantTable | SinusoidalTable | TabulatedTable
TaskTable = Annotated[_Contacts | _Loads, ByKind()]
