"""What a user may write in the [motion] and [[tasks]] tables of a study: keys and units."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import ValidationError

from gough.errors import RobotError
from gough.fields.problems import robot_error
from gough.fields.quantities import (
    Angle,
    Angles,
    Direction,
    Inertia,
    Length,
    Mass,
    Point,
    PositiveLength,
    Quantity,
    Speed,
    Triple,
    UnitQuaternion,
    Vector,
    Whole,
    YesOrNo,
)
from gough.fields.table import Table
from gough.fields.units import ANGLE, FORCE, LENGTH, NUMBER, SPEED, Dimension
from gough.motion.problems import MotionError

TIME = Dimension("a time", "s", '2.5 or "500 ms"')
FREQUENCY = Dimension("a frequency", "Hz", '5 or "5 Hz"')
ANGULAR_SPEED = Dimension("an angular speed", "rad/s", '0.5 or "30 deg/s"')
PITCH = Dimension("a pitch", "m/rad", '0.01 or "5 mm/turn"')
PRESSURE = Dimension("a specific force", "Pa", '1.5e9 or "1500 N/mm^2"')
MOST_REPEATS = 10_000
MOMENT = Dimension("a moment", "N m", '20 or "20 N m"')

Time = Annotated[float, Quantity(TIME)]
Duration = Annotated[float, Quantity(TIME, above=0.0)]
Frequency = Annotated[float, Quantity(FREQUENCY, above=0.0)]
SpindleSpeed = Annotated[float, Quantity(ANGULAR_SPEED, above=0.0)]
Pitch = Annotated[float, Quantity(PITCH)]
SpecificForce = Annotated[float, Quantity(PRESSURE, above=0.0)]
Strength = Annotated[float, Quantity(FORCE, above=0.0)]
NormalForce = Annotated[float, Quantity(FORCE, at_least=0.0)]
Ratio = Annotated[float, Quantity(NUMBER, at_least=0.0)]
Number = Annotated[float, Quantity(NUMBER)]
PositiveNumber = Annotated[float, Quantity(NUMBER, above=0.0)]
Radius = Annotated[float, Quantity(LENGTH, at_least=0.0)]
Forces = Annotated[Triple, Vector(3, Quantity(FORCE))]
Moments = Annotated[Triple, Vector(3, Quantity(MOMENT))]
Interval = Annotated[tuple[float, float], Vector(2, Quantity(TIME))]
Deviation = Annotated[float, Quantity(LENGTH, at_least=0.0)]
AngularDeviation = Annotated[float, Quantity(ANGLE, at_least=0.0)]
Frames = Literal["base", "platform"]
TABLE = TypeVar("TABLE", bound=Table)


class WrittenPose(Table):
    """A pose; what is left out stays as it is at the start."""

    position: Point | None = None
    rpy: Angles | None = None
    quaternion: UnitQuaternion | None = None


class WrittenProfile(Table):
    """A profile with its shape, or with limits (speed, acceleration, jerk of the way)."""

    kind: str
    ramp: Number | None = None
    rounding: Number | None = None
    cycles: PositiveNumber | None = None
    phase: Angle | None = None
    max_speed: Any = None
    max_acceleration: Any = None
    max_jerk: Any = None


class HoldTable(Table):
    """Rest at a pose."""

    kind: Literal["hold"]
    duration: Duration
    start: WrittenPose | None = None


class LineTable(Table):
    """A straight line: a displacement, or a direction and how far."""

    kind: Literal["line"]
    start: WrittenPose | None = None
    displacement: Point | None = None
    direction: Direction | None = None
    travel: Any = None
    profile: Any = "quintic"
    duration: Duration | None = None


class RotationTable(Table):
    """A turn about an axis through a point."""

    kind: Literal["rotation"]
    start: WrittenPose | None = None
    axis: Direction
    point: Point | None = None
    angle: Any
    frame: Frames = "base"
    profile: Any = "quintic"
    duration: Duration | None = None


class ScrewTable(Table):
    """A turn about an axis with a travel along it."""

    kind: Literal["screw"]
    start: WrittenPose | None = None
    axis: Direction
    point: Point | None = None
    angle: Any
    pitch: Pitch
    frame: Frames = "base"
    profile: Any = "quintic"
    duration: Duration | None = None


class WaypointTable(WrittenPose):
    """A pose and its time; what is left out stays as it was."""

    time: Time
    stop: YesOrNo | None = None


class WaypointsTable(Table):
    """A way through poses."""

    kind: Literal["waypoints"]
    waypoints: Any
    stops: YesOrNo = False


class ExpressionTable(Table):
    """Coordinates as expressions of time."""

    kind: Literal["expression"]
    duration: Duration
    x: Any = None
    y: Any = None
    z: Any = None
    roll: Any = None
    pitch: Any = None
    yaw: Any = None
    euler: str | None = None
    angles: Any = None
    constants: Any = None


class RecordedTable(Table):
    """A record in a CSV file."""

    kind: Literal["recorded"]
    file: str
    position_noise: Deviation
    angle_noise: AngularDeviation


class SequenceTable(Table):
    """Motions one after the other."""

    kind: Literal["sequence"]
    parts: Any
    repeat: Annotated[int, Whole(1, MOST_REPEATS)] = 1


class _AtAPlace(Table):
    """A load with a place."""

    frame: Frames = "base"
    point: Point = (0.0, 0.0, 0.0)
    point_frame: Frames = "platform"
    active: Interval | None = None


class ConstantTable(_AtAPlace):
    """A constant force and moment."""

    kind: Literal["constant"]
    force: Forces = (0.0, 0.0, 0.0)
    moment: Moments = (0.0, 0.0, 0.0)


class PointForceTable(_AtAPlace):
    """A force at a point."""

    kind: Literal["point-force"]
    force: Forces
    point: Point


class SinusoidalTable(_AtAPlace):
    """A force and moment that swing."""

    kind: Literal["sinusoidal"]
    frequency: Frequency
    force: Forces = (0.0, 0.0, 0.0)
    moment: Moments = (0.0, 0.0, 0.0)
    phase: Angle = 0.0


class TabulatedTable(_AtAPlace):
    """Forces and moments over time, in the table or in a CSV file."""

    kind: Literal["table"]
    times: Any = None
    forces: Any = None
    moments: Any = None
    file: str | None = None


class PayloadTable(Table):
    """A body on the platform."""

    kind: Literal["payload"]
    mass: Mass
    center_of_mass: Point = (0.0, 0.0, 0.0)
    inertia: Inertia = ((0.0,) * 3,) * 3
    active: Interval | None = None


class _AtATool(Table):
    """A contact with a tool."""

    lever: Length | None = None
    point: Point | None = None
    point_frame: Frames = "platform"
    normal: Direction = (0.0, 0.0, 1.0)
    direction: Direction | None = None
    direction_frame: Frames = "base"
    fade_speed: Speed = 1e-6
    active: Interval | None = None


class PolishingTable(_AtATool):
    """Polishing."""

    kind: Literal["polishing"]
    normal_force: NormalForce
    friction: Ratio


class MachiningTable(_AtATool):
    """Milling of a full groove."""

    kind: Literal["machining"]
    force: Strength | None = None
    specific_force: SpecificForce | None = None
    depth: PositiveLength | None = None
    feed_per_tooth: PositiveLength | None = None
    form: Literal["resultant", "mean", "teeth"] = "resultant"
    teeth: Annotated[int, Whole(1, 100)] = 4
    spindle_speed: SpindleSpeed | None = None
    radial_ratio: Ratio = 0.3
    cutter_radius: Radius = 0.0


def read_table(table: type[TABLE], data: object) -> TABLE:
    """The table that plain data make, or a MotionError that names the key."""
    try:
        return table.model_validate(data)
    except ValidationError as error:
        raise MotionError.of(robot_error(error)) from None


def read_quantity(quantity: Quantity | Vector, value: object, key: str) -> Any:
    """A number, or list of numbers, in SI units."""
    try:
        return quantity.read(value)
    except RobotError as error:
        raise MotionError.of(error).inside(key) from None


def read_constant(value: object, key: str) -> float:
    """A number, or text with any unit of lengths, angles, times and their rates."""
    if not isinstance(value, str):
        return float(read_quantity(Quantity(NUMBER), value, key))
    for dimension in (LENGTH, ANGLE, TIME, FREQUENCY, SPEED, ANGULAR_SPEED, PITCH):
        try:
            return Quantity(dimension).read(value)
        except RobotError:
            continue
    expected = 'a number, or one with a unit, like "10 mm" or "30 deg"'
    raise MotionError("not a number with a known unit", key=key, value=value, expected=expected)
