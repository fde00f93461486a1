"""Parts of a mechanism: bodies and the joints between them, in the home configuration.

Every joint is given once, in base coordinates, with the platform at home: a loop cannot be open,
and the home configuration determines the working and the assembly mode. Each record is declared
once, here: its keys, their kinds of quantity in SI units, defaults and meanings.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from gough.errors import InputError
from gough.fields import units
from gough.fields.inertia import Triple
from gough.fields.quantities import (
    Angle,
    AngleRange,
    AngularSpeed,
    Damping,
    Direction,
    DryFriction,
    Force,
    Gain,
    Inertia,
    JointLimit,
    Length,
    Mass,
    Name,
    NotNegativeForce,
    Point,
    PositionRange,
    PositiveLength,
    RotaryDamping,
    RotaryStiffness,
    Speed,
    Stiffness,
    Torque,
    YesOrNo,
)
from gough.fields.table import ByKind
from gough.fields.values import OneOf, QuantityWithUnit, Vector, not_empty, read_items
from gough.robot.elastic import Beam, HingeBearing, PointBearing, SleeveBearing, SlideBearing
from gough.robot.joint_kinds import BetweenBodies
from gough.robot.mesh import Mesh
from gough.robot.record import Record
from gough.robot.records import (
    FORCE_KEYS,
    TRAVEL_KEYS,
    ZERO_INERTIA,
    Actuator,
    Drive,
    GearDrive,
    Platform,
    RotaryStop,
    Stop,
    encoder_of,
    numbers_within,
)

BASE = "base"
PLATFORM = "platform"
MOVES = ("x", "y", "z", "rx", "ry", "rz")
SPRINGS = ("stiffness", "bearing", "beam")
"""Keys of compliant parts and of springs."""
OF_MOTORS = ("max_torque", "max_force", "max_speed", "drive", "stop", "offset", "gain")
"""Keys that only a driven joint has."""
IN_MOTION = ("beam.modes", "beam.elements", "beam.damping")
"""Keys of a beam's dynamics, which do not affect its stiffness."""
PARALLEL = 1e-6
"""Sine of the angle below which the axes of a universal joint count as parallel."""
_GAIN = "Change of its position per change of its reading. Left out, it is 1."
_ROW = Vector(len(MOVES), QuantityWithUnit(units.NUMBER))


class Part(Record):
    """A body or a joint."""

    @property
    def springs(self) -> dict[str, float]:
        """Values of its compliant parts and springs, by their keys."""
        given = numbers_within(self.model_dump(include={*SPRINGS}, exclude_none=True))
        return {key: number for key, number in given.items() if key not in IN_MOTION}


class Body(Part):
    """A moving body: mass, mass centre and inertia in base axes, with the machine at home.

    This is how CAD programs print the mass properties of the bodies of an assembly.
    """

    name: Name = Field(min_length=1, description="A name of its own.")
    mass: Mass = Field(0.0, description="Mass [kg].")
    center_of_mass: Point = Field(
        (0.0, 0.0, 0.0), description="Mass centre [m], base frame, with the machine at home."
    )
    inertia: Inertia = Field(
        ZERO_INERTIA,
        description="Inertia about the mass centre [kg m^2], base axes, with the machine at home: "
        "three principal moments or a 3x3.",
    )
    radius: PositiveLength | None = Field(
        None, description="Outer radius of the body [m] along its joints, for clearances."
    )
    beam: Beam | None = Field(
        None, description="Cross-section and material as a flexible beam; left out, it is rigid."
    )
    mesh: Mesh | None = Field(
        None, description="Its mesh, in the base frame with the machine at home."
    )


class Joint(BetweenBodies, Part):
    """A joint between two bodies, in base coordinates at home."""

    name: Name = Field(min_length=1, description="A name of its own.")
    between: tuple[str, str] = Field(
        description='Two bodies, or "base", or "platform": positions and efforts count positive '
        "from the first to the second."
    )
    at: Point = Field(description="Centre of the joint [m], base frame, with the machine at home.")

    type: str

    @property
    @abstractmethod
    def lines(self) -> tuple[Triple, ...]:
        """Directions of its axes, base frame, at home: of a U one fixed in each body."""

    @property
    def is_driven(self) -> bool:
        """Whether a motor moves it."""
        return False

    @property
    def home(self) -> float:
        """Value of its position when the machine is at home [rad, m]."""
        return 0.0

    @property
    def lead(self) -> float:
        """Travel along the axis per radian [m/rad]; zero unless it is a screw."""
        return 0.0

    @property
    def range_of_travel(self) -> tuple[float, float] | None:
        """Minimum and maximum position [rad, m]."""
        return None

    @property
    def travel_key(self) -> str:
        """Key of these limits, if it has one degree of freedom."""
        return ""


class Driven(Joint):
    """A joint with one degree of freedom, which a motor may drive."""

    axis: Direction = Field(description="Direction of the axis, base frame, at home.")
    driven: YesOrNo = Field(False, description="Whether a motor moves it.")
    if TYPE_CHECKING:  # each kind declares them in its own units
        position_at_home: float
        max_speed: float | None
        drive: Drive | GearDrive | None
        stop: Stop | RotaryStop | None
        offset: float | None
        gain: float | None

    @property
    def lines(self) -> tuple[Triple, ...]:
        """Its axis."""
        return (self.axis,)

    @property
    def home(self) -> float:
        """Value of its position at home [rad, m]."""
        return self.position_at_home

    @property
    def step(self) -> str:
        """Whether its position is that of a hinge [rad] or of a slide [m]."""
        return "hinge" if self.kind.rotations else "slide"

    @property
    def travel_key(self) -> str:
        """Key of its limits."""
        return TRAVEL_KEYS[self.step]

    @property
    def range_of_travel(self) -> tuple[float, float] | None:
        """Minimum and maximum position [rad, m]."""
        found: tuple[float, float] | None = getattr(self, self.travel_key)
        return found

    def actuator(self, key: str) -> Actuator:
        """Return its actuator, if it is driven; `key` is its place in the robot file."""
        limits = (self.range_of_travel, getattr(self, FORCE_KEYS[self.step]), self.max_speed)
        encoder = encoder_of(self.offset, self.gain)
        turns = self.step == "hinge"
        return Actuator(self.name, key, turns, *limits, self.drive, self.stop, *encoder)

    @property
    def is_driven(self) -> bool:
        """Whether a motor moves it."""
        return self.driven

    @model_validator(mode="after")
    def _check(self) -> Self:
        _refuse_idle_motor(self)
        _refuse_home_outside(self.travel_key, self.range_of_travel, self.home)
        return self


class Turning(Driven):
    """A joint whose position is an angle."""

    position_at_home: Angle = Field(0.0, description="Value of its angle at home [rad].")
    range: AngleRange | None = Field(None, description="Minimum and maximum angle [rad].")
    max_torque: Torque | None = Field(None, description="Maximum torque [N m], in both directions.")
    max_speed: AngularSpeed | None = Field(
        None, description="Maximum speed [rad/s], in both directions."
    )
    drive: GearDrive | None = Field(None, description="The motor and its gear.")
    damping: RotaryDamping | None = Field(None, description="Viscous friction [N m s/rad].")
    friction: DryFriction | None = Field(None, description="Dry friction [N m].")
    stiffness: RotaryStiffness | None = Field(
        None,
        description="Stiffness [N m/rad]: of a driven joint that of drive and gear with the motor "
        "locked, of another that of a spring or flexure, without torque at home.",
    )
    stop: RotaryStop | None = Field(None, description="End stops of the range.")
    offset: Angle | None = Field(
        None,
        description="Its angle [rad] at which its encoder reads zero: angle = gain · reading + "
        "offset. Left out, it is 0.",
    )
    gain: Gain | None = Field(None, description=_GAIN)


class Hinge(Turning):
    """R: a hinge."""

    type: Literal["R"]
    bearing: HingeBearing | None = Field(None, description="Stiffness of its bearings.")


class Screw(Turning):
    """H: a screw, which moves along its axis as it rotates."""

    type: Literal["H"]
    pitch: Length = Field(
        description="Travel along the axis for one turn [m]; positive for a right-handed thread."
    )

    @property
    def lead(self) -> float:
        """Travel along the axis per radian [m/rad]."""
        return self.pitch / math.tau


class Slide(Driven):
    """P: a slide."""

    type: Literal["P"]
    position_at_home: Length = Field(0.0, description="Value of its position at home [m].")
    stroke: PositionRange | None = Field(None, description="Minimum and maximum position [m].")
    max_force: Force | None = Field(None, description="Maximum force [N], in both directions.")
    max_speed: Speed | None = Field(None, description="Maximum speed [m/s], in both directions.")
    drive: Drive | None = Field(None, description="The motor, its gear and its screw.")
    damping: Damping | None = Field(None, description="Viscous friction [N s/m].")
    friction: NotNegativeForce | None = Field(None, description="Dry friction [N].")
    stiffness: Stiffness | None = Field(
        None,
        description="Stiffness [N/m]: of a driven joint that of drive and screw with the motor "
        "locked, of another that of a spring or flexure, without force at home.",
    )
    bearing: SlideBearing | None = Field(None, description="Stiffness of its bearings.")
    stop: Stop | None = Field(None, description="End stops of the stroke.")
    offset: Length | None = Field(
        None,
        description="Its position [m] at which its encoder reads zero: position = gain · reading + "
        "offset. Left out, it is 0.",
    )
    gain: Gain | None = Field(None, description=_GAIN)


class Cylindrical(Joint):
    """C: a cylindrical joint, which slides along its axis and rotates about it."""

    type: Literal["C"]
    axis: Direction = Field(description="Direction of the axis, base frame, at home.")
    stroke: PositionRange | None = Field(
        None, description="Minimum and maximum position along the axis [m], from home."
    )
    range: AngleRange | None = Field(
        None, description="Minimum and maximum angle about the axis [rad], from home."
    )
    bearing: SleeveBearing | None = Field(None, description="Stiffness of its bearings.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        for key in ("stroke", "range"):
            _refuse_home_outside(key, getattr(self, key), 0.0)
        return self

    @property
    def lines(self) -> tuple[Triple, ...]:
        """Its axis."""
        return (self.axis,)


class Universal(Joint):
    """U: a universal joint, which rotates about two axes."""

    type: Literal["U"]
    axes: tuple[Direction, Direction] = Field(
        description="Directions of the axes, base frame, at home: the first is fixed in the first "
        "body, the second in the second."
    )
    limit: JointLimit | None = Field(
        None, description="Maximum angle [rad] between the link and its direction at home."
    )
    damping: RotaryDamping | None = Field(
        None, description="Viscous friction, each axis [N m s/rad]."
    )
    friction: DryFriction | None = Field(None, description="Dry friction, each axis [N m].")
    stiffness: RotaryStiffness | None = Field(
        None, description="Stiffness of a flexure, each axis [N m/rad], without moment at home."
    )
    bearing: PointBearing | None = Field(None, description="Stiffness of its bearings.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if np.linalg.norm(np.cross(*self.axes)) < PARALLEL:
            expected = "two axes across each other"
            raise InputError("parallel", key="axes", value=self.axes, expected=expected)
        return self

    @property
    def lines(self) -> tuple[Triple, ...]:
        """Both axes."""
        return self.axes


class Ball(Joint):
    """S: a ball joint, which rotates about every axis."""

    type: Literal["S"]
    limit: JointLimit | None = Field(
        None, description="Maximum angle [rad] between the link and its direction at home."
    )
    damping: RotaryDamping | None = Field(None, description="Viscous friction [N m s/rad].")
    friction: DryFriction | None = Field(None, description="Dry friction [N m].")
    stiffness: RotaryStiffness | None = Field(
        None, description="Stiffness of a flexure, about every axis [N m/rad], zero moment at home."
    )
    bearing: PointBearing | None = Field(None, description="Stiffness of its bearings.")

    @property
    def lines(self) -> tuple[Triple, ...]:
        """None."""
        return ()


class Fixed(Joint):
    """Two bodies that move as one."""

    type: Literal["fixed"]
    at: Point = Field((0.0, 0.0, 0.0), description="Any point [m].")

    @property
    def lines(self) -> tuple[Triple, ...]:
        """None."""
        return ()


AnyJoint = Annotated[Hinge | Slide | Screw | Universal | Ball | Cylindrical | Fixed, ByKind("type")]


def _moves(value: object) -> tuple[str | tuple[float, ...], ...]:
    return tuple(read_items(_move, not_empty(value)))


def _move(value: object) -> str | tuple[float, ...]:
    if isinstance(value, str):
        return OneOf(MOVES).read(value)
    row = _ROW.read(value)
    if not any(row):
        raise InputError("a row of zeros", value=value, expected="a row that is not zero")
    return row


Moves = Annotated[
    tuple[str | tuple[float, ...], ...],
    BeforeValidator(
        _moves,
        json_schema_input_type=list[Annotated[str, OneOf(MOVES)] | Annotated[list[float], _ROW]],
    ),
]


class MovingPlatform(Platform):
    """The body whose frame is the pose, with its motion type; mass properties in its own frame."""

    moves: Moves = Field(
        MOVES,
        description="Degrees of freedom of the platform: names such as x or rz, or rows of six "
        "numbers s with u = s · [velocity, angular velocity], for motion in a skew plane.",
    )

    @property
    def move_names(self) -> tuple[str, ...]:
        """Names of the degrees of freedom: u1, u2, ... of those that are rows."""
        return tuple(m if isinstance(m, str) else f"u{k}" for k, m in enumerate(self.moves, 1))

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Degrees of freedom as rows S of u = S · twist."""
        return tuple(
            tuple(float(name == move) for name in MOVES) if isinstance(move, str) else move
            for move in self.moves
        )


def _refuse_idle_motor(joint: Driven) -> None:
    """Refuse a motor's limits of a joint without a motor."""
    for key in OF_MOTORS:
        if not joint.driven and getattr(joint, key, None) is not None:
            problem = "a joint that no motor moves"
            expected = "driven = true, or no such key"
            raise InputError(problem, key=key, value=getattr(joint, key), expected=expected)


def _refuse_home_outside(key: str, travel: tuple[float, float] | None, home: float) -> None:
    if travel is not None and not travel[0] <= home <= travel[1]:
        problem = f"its position at home, {home:.6g}, is outside"
        expected = "limits with the position at home between them"
        raise InputError(problem, key=key, value=travel, expected=expected)
