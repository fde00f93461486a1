"""The [motion] table of a study: for each kind its keys, and its motion.

To add a motion: one class with its `kind`, its keys and `_motion`, and its name in MotionTable.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Generic, Literal

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema

from gough.arrays import Array
from gough.errors import InputError, inside
from gough.fields import quantities as q
from gough.fields.table import ByKind, FileTable, entry, optional, read
from gough.fields.units import ANGLE, ANGULAR_SPEED, FREQUENCY, LENGTH, NUMBER, PITCH, SPEED, TIME
from gough.fields.values import Integer, QuantityWithUnit, Vector, not_empty
from gough.motion.checked import MotionError
from gough.motion.columns import POSE, QUATERNION, RPY, Columns, read_columns
from gough.motion.motions import cycles, expressions, screws, sequences, splines, waves
from gough.motion.samples import Motion, issue_warnings, quiet
from gough.motion.table_parts import (
    Angular,
    Coordinates,
    FrameName,
    Linear,
    PoseTable,
    ReadingContext,
    WrittenProfile,
    all_angles,
)
from gough.poses import Frames, transform
from gough.poses import pose as make_pose
from gough.poses.quaternions import rotated
from gough.robot import Robot

MOST_REPEATS = 10_000
NotEmpty = (Field(min_length=1), BeforeValidator(not_empty))  # of lists with some item
Took = Annotated[q.Duration, Field(description="How long it takes [s].")]


def motion_from_dict(
    data: Mapping[str, object],
    robot: Robot | tuple[float, ...],
    *,
    folder: Path = Path(),
    frames: Frames | None = None,
    key: str = "motion",
) -> Motion:
    """The platform's motion that a [motion] table describes; it starts at the robot's home pose.

    In place of the robot this pose may be given. `folder` is where the names of files count from,
    `key` what the table is called. With `frames` the table is about the tool in the work frame.
    Errors name the key; an acceleration that jumps is a MotionWarning.
    """
    home = np.array(robot.home if isinstance(robot, Robot) else robot)
    start = home if frames is None else frames.tool_pose(home)
    try:
        with inside(key), quiet():
            motion: Motion = read(MotionTable, data).motion(start, ReadingContext(folder, frames))
    except InputError as error:
        raise MotionError.of(error) from None
    issue_warnings(motion)
    return motion if frames is None else sequences.InFrames(motion, frames)


class _MotionTable(FileTable):
    """A motion by its kind."""

    kind: str

    def motion(self, start: Array, setting: ReadingContext) -> Motion:
        """The motion from a start pose, if it does not say where it begins itself."""
        own: PoseTable | None = getattr(self, "start", None)
        return self._motion(start if own is None else own.pose(start), setting)

    @abstractmethod
    def _motion(self, start: Array, setting: ReadingContext) -> Motion: ...


class _FromStart(_MotionTable):
    """A motion that may say where it begins."""

    start: PoseTable | None = optional(
        "Where it begins. What is left out is as in the robot's home or, in a sequence, as the "
        "part before ended."
    )


class _WithProfile(_FromStart):
    """A motion along a way, as a profile says."""

    profile: WrittenProfile = entry(
        "How it goes from its beginning to its end in that time: a name, or a table.",
        "quintic",
        validate_default=True,
    )
    duration: q.Duration | None = optional(
        "How long it takes [s]. Left out: as long as the limits of its profile say."
    )


class HoldTable(_FromStart):
    """Rest at a pose."""

    kind: Literal["hold"]
    duration: Took

    def _motion(self, start: Array, _: ReadingContext) -> Motion:
        return screws.hold(start, self.duration)


class LineTable(_WithProfile):
    """A straight line: a displacement, or a direction and how far."""

    kind: Literal["line"]
    displacement: q.Point | None = optional("Where it ends, seen from the start [m], base axes.")
    direction: q.Direction | None = optional(
        "Instead of a displacement: which way it goes, base axes."
    )
    travel: q.Travel | None = optional(
        "How far along the direction [m], or [from, to] as seen from the start."
    )

    def _motion(self, start: Array, _: ReadingContext) -> Motion:
        direction, travel = self._way()
        profile = self.profile.profile(self.duration, travel, LENGTH)
        return screws.travelling(start, direction, travel, profile)

    def _way(self) -> tuple[tuple[float, ...], tuple[float, float]]:
        """A direction, and from where to where [m]."""
        if self.displacement is not None and self.direction is None:
            if not any(self.displacement):
                raise InputError("zero", key="displacement", expected="some way to go")
            return self.displacement, (0.0, float(np.linalg.norm(self.displacement)))
        if self.displacement is not None or self.direction is None:
            problem = "missing" if self.direction is None else "given twice"
            expected = "either a displacement, or a direction and a travel"
            raise InputError(problem, key="displacement", expected=expected)
        if self.travel is None:
            raise InputError("missing", key="travel", expected=LENGTH.expectation)
        return self.direction, self.travel


class _Turning(_WithProfile):
    """Common keys of rotations and screws: an axis, a point on it, and an angle."""

    axis: q.Direction = entry("Direction of the axis.")
    point: q.Point | None = optional(
        "A point of the axis [m]. Left out: the origin of the platform, with [frames] of the tool, "
        "at the start."
    )
    angle: q.Turn = entry("How far it turns [rad], or [from, to] as seen from the start.")
    frame: FrameName | None = optional(
        "Whose frame axis and point are given in, as it is at the start. Left out: the base, with "
        "[frames] the work frame."
    )

    def _motion(self, start: Array, setting: ReadingContext) -> Motion:
        with inside("frame"):
            frame, there = setting.on_tool(self.frame)
        origin = (0.0, 0.0, 0.0) if frame == "platform" else start[:3]
        point = origin if self.point is None else transform(there, self.point)
        axis = rotated(there[3:], np.array(self.axis))
        profile = self.profile.profile(self.duration, self.angle, ANGLE)
        pitch = getattr(self, "pitch", 0.0)  # a rotation has none
        return screws.screw(start, axis, point, self.angle, pitch, profile, frame=frame)


class RotationTable(_Turning):
    """A turn about an axis through a point."""

    kind: Literal["rotation"]


class ScrewTable(_Turning):
    """A turn about an axis with a travel along it."""

    kind: Literal["screw"]
    pitch: q.Pitch = entry("Travel along the axis [m/rad].")


class WaypointTable(PoseTable):
    """A pose and its time; what is left out stays as it was."""

    time: q.Time = entry("When the platform is there [s]; of the first waypoint 0.")
    stop: q.YesOrNo | None = optional(
        "Whether the platform stops there. Left out: as `stops` says."
    )


class WaypointsTable(_MotionTable):
    """A way through poses."""

    kind: Literal["waypoints"]
    waypoints: Annotated[list[WaypointTable], *NotEmpty] = entry(
        "Poses with their times; what is left out of one is as in the one before."
    )
    stops: q.YesOrNo = entry(
        "Whether it stops at every waypoint that does not say otherwise.", False
    )
    profile: WrittenProfile | None = optional(
        "With stops at all waypoints: how the ways between them are gone."
    )

    def _motion(self, start: Array, _: ReadingContext) -> Motion:
        poses, points, written = [start], self.waypoints, self.profile
        for point in points:
            poses.append(point.pose(poses[-1]))
        times = [point.time for point in points]
        stops = [self.stops if point.stop is None else point.stop for point in points]
        made = partial(written.profile, way=(0.0, 1.0), dimension=NUMBER) if written else None
        try:
            return splines.waypoints(times, np.array(poses[1:]), stops=stops, profile=made)
        except MotionError as error:
            key = error.key.replace("times", "waypoints").replace("poses", "waypoints")
            raise MotionError.of(error, key=key) from None


class AdeptCycleTable(_FromStart):
    """A pick-and-place cycle: up, across, down, and back, with rounded corners."""

    kind: Literal["adept-cycle"]
    height: q.PositiveLength = entry("How far up [m].", cycles.HEIGHT)
    width: q.PositiveLength = entry("How far across [m].", cycles.WIDTH)
    direction: q.Direction = entry("Which way is across, base axes.", cycles.ACROSS)
    up: q.Direction = entry(
        "Which way is up, base axes, at right angles to the direction.", cycles.UP
    )
    blend: q.NotNegative = entry(
        "Share of the lift's time in which it already goes across: it rounds corners.", cycles.BLEND
    )
    duration: q.Duration | None = optional("How long the whole cycle takes, there and back [s].")
    max_speed: q.Speed | None = optional(
        "Instead of a duration: the platform's maximum speed [m/s]; the shortest cycle within the "
        "limits follows."
    )
    max_acceleration: q.LargestAcceleration | None = optional(
        "Instead of a duration: the platform's maximum acceleration [m/s^2]."
    )

    def _motion(self, start: Array, _: ReadingContext) -> Motion:
        given = self.model_dump(exclude={"kind", "start", "direction"})
        return cycles.adept_cycle(start, across=self.direction, **given)


def _constant(value: object) -> float:
    """A number, or text with any unit of lengths, angles, times and their rates."""
    if not isinstance(value, str):
        return QuantityWithUnit(NUMBER).read(value)
    for dimension in (LENGTH, ANGLE, TIME, FREQUENCY, SPEED, ANGULAR_SPEED, PITCH):
        try:
            return QuantityWithUnit(dimension).read(value)
        except InputError:
            continue
    expected = 'a number, or one with a unit, like "10 mm" or "30 deg"'
    raise InputError("not a number with a known unit", value=value, expected=expected)


_TEXT = WithJsonSchema({"type": ["string", "number"]})
Formula = Annotated[Any, _TEXT]
NamedNumber = Annotated[float, BeforeValidator(_constant), _TEXT]


class ExpressionTable(Coordinates[Formula, Formula], _MotionTable):
    """Coordinates as expressions of time t [s]: m and rad, or texts such as "0.1*sin(2*t)"."""

    kind: Literal["expression"]
    duration: Took
    euler: str | None = optional(
        'Instead of roll, pitch and yaw: a sequence of axes, such as "XYZ" (axes that turn with '
        'the platform) or "zxz" (fixed axes).'
    )
    angles: Annotated[list[Formula], *NotEmpty] | None = optional(
        "Three expressions [rad] for the axes of `euler`."
    )
    constants: dict[str, NamedNumber] | None = optional(
        "More names for the expressions: numbers, or texts with a unit."
    )

    def _check(self) -> None:
        if self.angles is not None and self.euler is None:
            raise InputError("missing", key="euler", expected='a sequence of axes, such as "XYZ"')
        if self.euler is not None and self.angles is None:
            raise InputError("missing", key="angles", expected="three expressions")

    def _motion(self, start: Array, _: ReadingContext) -> Motion:
        place, turns = zip("xyz", self._place(start[:3]), strict=True), self._given(RPY)
        try:
            return expressions.expression(
                self.duration,
                **dict(place),
                rpy=all_angles(turns, start) if turns else None,
                euler=None if self.euler is None else (self.euler, self.angles or ()),
                quaternion=start[3:],
                constants=self.constants or {},
            )
        except MotionError as error:
            named = {f"angles[{k}]": name for k, name in enumerate(RPY) if turns}
            raise MotionError.of(error, key=named.get(error.key, error.key)) from None


class _OscillationTable(_FromStart, Generic[Linear, Angular]):
    """Oscillations of coordinates about the start."""

    x: Linear | None = optional("Oscillation along x [m]. Left out: none.")
    y: Linear | None = optional("Oscillation along y [m].")
    z: Linear | None = optional("Oscillation along z [m].")
    about_x: Angular | None = optional(
        "Oscillation of the rotation vector [rad], on the platform's axes at the start, x."
    )
    about_y: Angular | None = optional("Oscillation of the rotation vector [rad], y.")
    about_z: Angular | None = optional("Oscillation of the rotation vector [rad], z.")


LengthPair = Annotated[tuple[float, float], Vector(2, QuantityWithUnit(LENGTH))]
AnglePair = Annotated[tuple[float, float], Vector(2, QuantityWithUnit(ANGLE))]
LengthWaves = Annotated[list[LengthPair], *NotEmpty]
AngleWaves = Annotated[list[AnglePair], *NotEmpty]


class FourierTable(_OscillationTable[LengthWaves, AngleWaves]):
    """A periodic motion about its start: pairs [a, b] for k = 1, 2, … of each coordinate.

    They are sums of waves a (cos kωt - 1) + b sin kωt.
    """

    kind: Literal["fourier"]
    duration: Annotated[q.Duration, Field(description="Its period 2π/ω [s].")]

    def _motion(self, start: Array, _: ReadingContext) -> Motion:
        given = self.model_dump(include=set(waves.COORDINATES), exclude_none=True)
        return waves.fourier(start, self.duration, **given)


class LengthWaveTable(FileTable):
    """An oscillation along an axis: amplitude · sin(2π frequency t + phase)."""

    amplitude: q.Length = entry("Amplitude [m].")
    frequency: q.Frequency = entry("Frequency [Hz].")
    phase: q.Angle = entry("Phase at t = 0 [rad].", 0.0)


class AngleWaveTable(LengthWaveTable):
    """An oscillation about an axis: amplitude · sin(2π frequency t + phase)."""

    amplitude: q.Angle = entry("Amplitude [rad].")


class SinusoidTable(_OscillationTable[LengthWaveTable, AngleWaveTable]):
    """Oscillations about the start, faded in from rest and out to rest: one sinusoid an axis."""

    kind: Literal["sinusoid"]
    duration: Took
    fade_in: q.Duration | None = optional(
        "Duration of the fade-in from rest [s]. Left out: one period of the lowest frequency."
    )
    fade_out: q.Duration | None = optional(
        "Duration of the fade-out to rest [s]. Left out: one period of the lowest frequency."
    )

    def _motion(self, start: Array, _: ReadingContext) -> Motion:
        written = self.model_dump(include=set(waves.COORDINATES), exclude_none=True)
        given: dict[str, Any] = {name: waves.Wave(**wave) for name, wave in written.items()}
        given |= {"fade_in": self.fade_in, "fade_out": self.fade_out}
        return waves.sinusoid(start, self.duration, **given)


class RecordedTable(_MotionTable):
    """A record in a CSV file."""

    kind: Literal["recorded"]
    file: str = entry("Name of the file, as seen from the study file.")
    position_noise: q.NotNegativeLength = entry(
        "Standard deviation of the noise of each coordinate [m]; 0 goes through every sample."
    )
    angle_noise: q.NotNegativeAngle = entry(
        "Standard deviation of the noise of the attitude, about each axis [rad]."
    )

    def _motion(self, start: Array, setting: ReadingContext) -> Motion:
        columns = read_columns(setting.folder / self.file, POSE)
        noise = self.model_dump(include={"position_noise", "angle_noise"})
        with columns.given_as("times", "poses"):
            return splines.recorded(columns.values["t"], _recorded_poses(columns, start), **noise)


def _recorded_poses(columns: Columns, start: Array) -> Array:
    """Poses (n, 7), the quaternions of any length; what has no column stays as at the start."""
    values = columns.values
    still = np.broadcast_to(start, (len(values["t"]), 7))
    place = np.stack([values.get(k, still[:, i]) for i, k in enumerate("xyz")], axis=-1)
    turns = {name: values[name] for name in RPY if name in values}
    parts = [values[name] for name in QUATERNION if name in values]
    if (turns and parts) or len(parts) not in (0, 4):
        raise MotionError("the attitude is not clear", key="poses", expected="angles or four q")
    if turns:
        with inside("poses"):
            angles = all_angles(turns, start)
        return make_pose(place, rpy=np.stack(np.broadcast_arrays(*angles), axis=-1))
    attitude = np.stack(parts, axis=-1) if parts else still[:, 3:]
    return np.concatenate([place, attitude], axis=-1)


class SequenceTable(_MotionTable):
    """Motions one after the other."""

    kind: Literal["sequence"]
    parts: Annotated[list[MotionTable], *NotEmpty] = entry(
        "Motions; each begins where, and as fast as, the one before it ends."
    )
    repeat: Annotated[int, Integer(1, MOST_REPEATS)] = entry(
        "How many times all of them are made.", 1
    )

    def _motion(self, start: Array, setting: ReadingContext) -> Motion:
        parts: list[Motion] = []
        for k, table in enumerate(self.parts):
            with inside(f"parts[{k}]"):
                parts.append(table.motion(start, setting))
            start = parts[-1](parts[-1].duration).pose
        try:
            return sequences.sequence(*parts * self.repeat)
        except MotionError as error:
            raise self._misfit(error, parts) from None

    def _misfit(self, error: MotionError, parts: list[Motion]) -> MotionError:
        """Return the error of parts that do not join, with their index; for records a remedy."""
        place = int(error.key.removeprefix("parts[").removesuffix("]"))
        times, k = divmod(place, len(parts))
        again = f"at its repetition {times + 1}, " if times else ""
        expected, begin = error.expected or "", parts[k](0.0)
        if self.parts[k].kind == "recorded" and np.abs(begin.twist).max() < sequences.SAME_SPEED:
            pose = [round(x, 12) for x in begin.pose.tolist()]  # so exactly that others end there
            written = f"position = {pose[:3]}, quaternion = {pose[3:]}"
            expected += f"; a line or waypoints can lead to it: {written}"
        elif "recorded" in (self.parts[k].kind, self.parts[k - 1].kind):
            expected += "; a record seldom begins and ends at rest: waypoints through its poses do"
        return MotionError(again + error.problem, key=f"parts[{k}]", expected=expected)


_Paths = HoldTable | LineTable | RotationTable | ScrewTable | WaypointsTable | AdeptCycleTable
_OverTime = ExpressionTable | FourierTable | SinusoidTable | RecordedTable | SequenceTable
MotionTable = Annotated[_Paths | _OverTime, ByKind()]
