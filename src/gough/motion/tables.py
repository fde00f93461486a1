"""The [motion] table of a study: for each kind its keys, and its motion.

To add a motion: one class with its `kind`, its keys and `motion`, and its name in MotionTable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema

from gough.arrays import Array
from gough.errors import InputError, inside
from gough.fields import quantities as q
from gough.fields.table import ByKind, FileTable, entry, optional
from gough.fields.units import ANGLE, ANGULAR_SPEED, FREQUENCY, LENGTH, NUMBER, PITCH, SPEED, TIME
from gough.fields.values import Integer, QuantityWithUnit, Vector, not_empty
from gough.motion.checked import MotionError
from gough.motion.motions import cycles, expressions, screws, sequences, splines, waves
from gough.motion.motions.records import ANGLES, RecordedTable, all_angles
from gough.motion.profiles import Profile
from gough.motion.samples import Motion
from gough.motion.table_parts import FrameName, ReadingContext, WrittenProfile
from gough.poses import pose as make_pose
from gough.poses import transform
from gough.poses.quaternions import rotated

MOST_REPEATS = 10_000
NotEmpty = (Field(min_length=1), BeforeValidator(not_empty))
"""Annotates a list that has at least one item."""


class PoseTable(FileTable):
    """A pose, if not said otherwise of the platform in the base frame.

    What is left out stays as it is at the start: of a machine, what cannot move.
    """

    position: q.Point | None = optional("Where its origin is [m].")
    rpy: q.Angles | None = optional(
        "Roll, pitch and yaw [rad] about the fixed x, y and z axes: R = Rz(yaw) Ry(pitch) Rx(roll)."
    )
    quaternion: q.UnitQuaternion | None = optional(
        "Rotation as a quaternion w, x, y, z, instead of rpy."
    )
    x: q.Length | None = optional("x of its origin alone [m].")
    y: q.Length | None = optional("y of its origin alone [m].")
    z: q.Length | None = optional("z of its origin alone [m].")
    roll: q.Angle | None = optional("Roll alone [rad].")
    pitch: q.Angle | None = optional("Pitch alone [rad].")
    yaw: q.Angle | None = optional("Yaw alone [rad].")

    def _check(self) -> None:
        if self.rpy is not None and self.quaternion is not None:
            raise InputError("rotation given twice", key="rpy", expected="either rpy or quaternion")
        if self.position is not None and self._given("xyz"):
            expected = "either position, or some of x, y, z"
            raise InputError("position given twice", key="position", expected=expected)
        if (self.rpy or self.quaternion) is not None and self._given(ANGLES):
            key = "quaternion" if self.rpy is None else "rpy"
            expected = f"either {key}, or some of roll, pitch, yaw"
            raise InputError("rotation given twice", key=key, expected=expected)

    def pose(self, start: Array) -> Array:
        """The pose; what it does not say is as at the start."""
        alone, turns = self._given("xyz"), self._given(ANGLES)
        known = start[:3] if self.position is None else self.position
        place = [alone.get(key, at) for key, at in zip("xyz", known, strict=True)]
        if self.rpy is not None or turns:
            return make_pose(place, rpy=self.rpy or all_angles(turns, start))
        return make_pose(
            place, quaternion=start[3:] if self.quaternion is None else self.quaternion
        )

    def _given(self, keys: Iterable[str]) -> dict[str, float]:
        """Those of some coordinates that are given one by one."""
        return {key: value for key in keys if (value := getattr(self, key)) is not None}


def _first(table: PoseTable | None, start: Array) -> Array:
    """Where a motion begins: at the start, if it does not say."""
    return start if table is None else table.pose(start)


Start = Annotated[
    PoseTable | None,
    Field(
        description="Where it begins. What is left out is as in the robot's home or, in a "
        "sequence, as the part before ended."
    ),
]
Took = Annotated[q.Duration, Field(description="How long it takes [s].")]
MayTake = Annotated[
    q.Duration | None,
    Field(description="How long it takes [s]. Left out: as long as the limits of its profile say."),
]
_QUINTIC: Any = Field(
    "quintic",
    description="How it goes from its beginning to its end in that time: a name, or a table.",
    validate_default=True,
)


class HoldTable(FileTable):
    """Rest at a pose."""

    kind: Literal["hold"]
    duration: Took
    start: Start = None

    def motion(self, start: Array, _: ReadingContext) -> Motion:
        """Rest at the start."""
        return screws.hold(_first(self.start, start), self.duration)


class LineTable(FileTable):
    """A straight line: a displacement, or a direction and how far."""

    kind: Literal["line"]
    start: Start = None
    displacement: q.Point | None = optional("Where it ends, seen from the start [m], base axes.")
    direction: q.Direction | None = optional(
        "Instead of a displacement: which way it goes, base axes."
    )
    travel: q.Travel | None = optional(
        "How far along the direction [m], or [from, to] as seen from the start."
    )
    profile: WrittenProfile = _QUINTIC
    duration: MayTake = None

    def motion(self, start: Array, _: ReadingContext) -> Motion:
        """From the start, along the line."""
        direction, travel = self._way()
        profile = self.profile.profile(self.duration, travel, LENGTH)
        return screws.travelling(_first(self.start, start), direction, travel, profile)

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


class _Turning(FileTable):
    """Common keys of rotations and screws: an axis, a point on it, and an angle."""

    kind: str
    start: Start = None
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
    profile: WrittenProfile = _QUINTIC
    duration: MayTake = None

    def _screw(self, start: Array, pitch: float, setting: ReadingContext) -> Motion:
        pose = _first(self.start, start)
        with inside("frame"):
            frame, there = setting.on_tool(self.frame)
        origin = (0.0, 0.0, 0.0) if frame == "platform" else pose[:3]
        point = origin if self.point is None else transform(there, self.point)
        axis = rotated(there[3:], np.array(self.axis))
        profile = self.profile.profile(self.duration, self.angle, ANGLE)
        return screws.screw(pose, axis, point, self.angle, pitch, profile, frame=frame)


class RotationTable(_Turning):
    """A turn about an axis through a point."""

    kind: Literal["rotation"]

    def motion(self, start: Array, setting: ReadingContext) -> Motion:
        """A screw without a pitch."""
        return self._screw(start, 0.0, setting)


class ScrewTable(_Turning):
    """A turn about an axis with a travel along it."""

    kind: Literal["screw"]
    pitch: q.Pitch = entry("Travel along the axis [m/rad].")

    def motion(self, start: Array, setting: ReadingContext) -> Motion:
        """A screw."""
        return self._screw(start, self.pitch, setting)


class WaypointTable(PoseTable):
    """A pose and its time; what is left out stays as it was."""

    time: q.Time = entry("When the platform is there [s]; of the first waypoint 0.")
    stop: q.YesOrNo | None = optional(
        "Whether the platform stops there. Left out: as `stops` says."
    )


class WaypointsTable(FileTable):
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

    def motion(self, start: Array, _: ReadingContext) -> Motion:
        """A spline through the poses."""
        poses = [start]
        for point in self.waypoints:
            poses.append(point.pose(poses[-1]))
        try:
            points = self.waypoints
            times = [point.time for point in points]
            stops = [self.stops if point.stop is None else point.stop for point in points]
            path, profiles = np.array(poses[1:]), self._profiles()
            return splines.waypoints(times, path, stops=stops, profile=profiles)
        except MotionError as error:
            key = error.key.replace("times", "waypoints").replace("poses", "waypoints")
            raise MotionError.of(error, key=key) from None

    def _profiles(self) -> Callable[[float], Profile] | None:
        written = self.profile
        if written is None:
            return None
        return lambda duration: written.profile(duration, (0.0, 1.0), NUMBER)


class AdeptCycleTable(FileTable):
    """A pick-and-place cycle: up, across, down, and back, with rounded corners."""

    kind: Literal["adept-cycle"]
    start: Start = None
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

    def motion(self, start: Array, _: ReadingContext) -> Motion:
        """The cycle from the start, once there and back."""
        given = self.model_dump(exclude={"kind", "start", "direction"})
        return cycles.adept_cycle(_first(self.start, start), across=self.direction, **given)


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


class ExpressionTable(FileTable):
    """Coordinates as expressions of time t [s]: m and rad, or texts such as "0.1*sin(2*t)"."""

    kind: Literal["expression"]
    duration: Took
    x: Formula = optional("x of the platform's origin [m]. Left out: as at start.")
    y: Formula = optional("y of the platform's origin [m]. Left out: as at start.")
    z: Formula = optional("z of the platform's origin [m]. Left out: as at start.")
    roll: Formula = optional("Angle about the fixed x axis [rad], the first turn.")
    pitch: Formula = optional("Angle about the fixed y axis [rad], the second.")
    yaw: Formula = optional("Angle about the fixed z axis [rad], the third.")
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

    def motion(self, start: Array, _: ReadingContext) -> Motion:
        """The motion of the expressions; what is left out stays as at the start."""
        x, y, z = (
            float(home) if formula is None else formula
            for formula, home in zip((self.x, self.y, self.z), start[:3], strict=True)
        )
        turns = {name: getattr(self, name) for name in ANGLES if getattr(self, name) is not None}
        try:
            return expressions.expression(
                self.duration,
                x=x,
                y=y,
                z=z,
                rpy=all_angles(turns, start) if turns else None,
                euler=None if self.euler is None else (self.euler, self.angles or ()),
                quaternion=start[3:],
                constants=self.constants or {},
            )
        except MotionError as error:
            key = _RPY.get(error.key, error.key) if turns else error.key
            raise MotionError.of(error, key=key) from None


_RPY = {f"angles[{k}]": name for k, name in enumerate(ANGLES)}


LengthPair = Annotated[tuple[float, float], Vector(2, QuantityWithUnit(LENGTH))]
AnglePair = Annotated[tuple[float, float], Vector(2, QuantityWithUnit(ANGLE))]
LengthWaves = Annotated[list[LengthPair], *NotEmpty]
AngleWaves = Annotated[list[AnglePair], *NotEmpty]


class FourierTable(FileTable):
    """A periodic motion about its start: sums of waves a (cos kωt - 1) + b sin kωt."""

    kind: Literal["fourier"]
    duration: Annotated[q.Duration, Field(description="Its period 2π/ω [s].")]
    start: Start = None
    x: LengthWaves | None = optional("Pairs [a, b] [m] for k = 1, 2, …, along x. Left out: none.")
    y: LengthWaves | None = optional("Along y [m].")
    z: LengthWaves | None = optional("Along z [m].")
    about_x: AngleWaves | None = optional(
        "Of the rotation vector [rad] on the platform's axes at the start, x."
    )
    about_y: AngleWaves | None = optional("Of the rotation vector [rad], y.")
    about_z: AngleWaves | None = optional("Of the rotation vector [rad], z.")

    def motion(self, start: Array, _: ReadingContext) -> Motion:
        """The waves about the start."""
        given = self.model_dump(include=set(waves.COORDINATES), exclude_none=True)
        return waves.fourier(_first(self.start, start), self.duration, **given)


class _WaveTable(FileTable):
    """An oscillation of one coordinate: amplitude · sin(2π frequency t + phase)."""

    frequency: q.Frequency = entry("Frequency [Hz].")
    phase: q.Angle = entry("Phase at t = 0 [rad].", 0.0)


class LengthWaveTable(_WaveTable):
    """An oscillation along an axis: amplitude · sin(2π frequency t + phase)."""

    amplitude: q.Length = entry("Amplitude [m].")


class AngleWaveTable(_WaveTable):
    """An oscillation about an axis: amplitude · sin(2π frequency t + phase)."""

    amplitude: q.Angle = entry("Amplitude [rad].")


class SinusoidTable(FileTable):
    """Oscillations about the start, faded in from rest and out to rest: one sinusoid an axis."""

    kind: Literal["sinusoid"]
    duration: Took
    start: Start = None
    fade_in: q.Duration | None = optional(
        "Duration of the fade-in from rest [s]. Left out: one period of the lowest frequency."
    )
    fade_out: q.Duration | None = optional(
        "Duration of the fade-out to rest [s]. Left out: one period of the lowest frequency."
    )
    x: LengthWaveTable | None = optional("Oscillation along x. Left out: none.")
    y: LengthWaveTable | None = optional("Oscillation along y.")
    z: LengthWaveTable | None = optional("Oscillation along z.")
    about_x: AngleWaveTable | None = optional(
        "Oscillation of the rotation vector, on the platform's axes at the start, x."
    )
    about_y: AngleWaveTable | None = optional("Oscillation of the rotation vector, y.")
    about_z: AngleWaveTable | None = optional("Oscillation of the rotation vector, z.")

    def motion(self, start: Array, _: ReadingContext) -> Motion:
        """Return the oscillation about the start."""
        written = self.model_dump(include=set(waves.COORDINATES), exclude_none=True)
        given: dict[str, Any] = {name: waves.Wave(**wave) for name, wave in written.items()}
        given |= {"fade_in": self.fade_in, "fade_out": self.fade_out}
        return waves.sinusoid(_first(self.start, start), self.duration, **given)


class SequenceTable(FileTable):
    """Motions one after the other."""

    kind: Literal["sequence"]
    parts: Annotated[list[MotionTable], *NotEmpty] = entry(
        "Motions; each begins where, and as fast as, the one before it ends."
    )
    repeat: Annotated[int, Integer(1, MOST_REPEATS)] = entry(
        "How many times all of them are made.", 1
    )

    def motion(self, start: Array, setting: ReadingContext) -> Motion:
        """The parts, each from where the one before it ends."""
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
        expected = error.expected or ""
        if self.parts[k].kind == "recorded" and _starts_at_rest(parts[k]):
            expected += f"; a line or waypoints can lead to it: {_first_pose(parts[k])}"
        elif "recorded" in (self.parts[k].kind, self.parts[k - 1].kind):
            expected += "; a record seldom begins and ends at rest: waypoints through its poses do"
        return MotionError(again + error.problem, key=f"parts[{k}]", expected=expected)


def _starts_at_rest(motion: Motion) -> bool:
    return bool(np.abs(motion(0.0).twist).max() < sequences.SAME_SPEED)


def _first_pose(motion: Motion) -> str:
    """Where a motion begins, as a pose is written, so exactly that another can end there."""
    numbers = [round(x, 12) for x in motion(0.0).pose.tolist()]
    return f"position = {numbers[:3]}, quaternion = {numbers[3:]}"


MotionTable = Annotated[
    HoldTable
    | LineTable
    | RotationTable
    | ScrewTable
    | WaypointsTable
    | AdeptCycleTable
    | ExpressionTable
    | FourierTable
    | SinusoidTable
    | RecordedTable
    | SequenceTable,
    ByKind(),
]
SequenceTable.model_rebuild()
