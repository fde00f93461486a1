"""What a robot consists of: records of bodies, drives, connectors, legs. Frozen and hashable.

Each is declared once, here: its keys, their kinds of quantity in SI units, defaults and meanings.
What a robot file may say, how a robot is written back and the JSON Schema follow from this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from gough.errors import InputError
from gough.fields.quantities import (
    Acceleration,
    BackEfficiency,
    BackEmf,
    Current,
    Damping,
    Direction,
    DryFriction,
    Efficiency,
    Force,
    Gain,
    Inductance,
    Inertia,
    JointLimit,
    Length,
    Mass,
    Name,
    Point,
    PositiveLength,
    PositiveMass,
    PositiveNumber,
    Resistance,
    Restitution,
    RotaryDamping,
    RotaryInertia,
    RotaryStiffness,
    SignedTorque,
    Speed,
    Stiffness,
    Stroke,
    TorqueConstant,
    UnitQuaternion,
    Voltage,
)
from gough.fields.values import as_list
from gough.robot.checks import check_drive, check_leg
from gough.robot.elastic import JointStiffness, Screw
from gough.robot.mesh import Mesh
from gough.robot.record import Record
from gough.shown.brief import brief

SCHEMAS: Final = ("gough/1", "gough/2")
LEGS = 6
FREE_FALL = (0.0, 0.0, -9.81)
"""Of a machine that does not say another [m/s^2]."""
ZERO_INERTIA = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Body(Record):
    """A cylinder or a piston: a rigid body whose mass centre lies on the leg's axis."""

    mass: Mass = Field(description="Mass [kg].")
    center_of_mass: Length = Field(
        description="Distance of the mass centre [m] along the leg: of the cylinder from the base "
        "joint, of the piston from the platform joint back towards the base."
    )
    inertia: Inertia = Field(
        description="Inertia about the mass centre on the leg's axes [kg m^2]: three principal "
        "moments or a 3x3. z points from base to platform joint, x along first_axis × z."
    )
    mesh: Mesh | None = Field(
        None,
        description="What it looks like, on the leg's axes: of the cylinder from the base joint, "
        "of the piston from the platform joint.",
    )


MASSLESS = Body(mass=0.0, center_of_mass=0.0, inertia=ZERO_INERTIA)


class Motor(Record):
    """An electric motor with its amplifier, and a transmission of some kind behind it."""

    resistance: Resistance = Field(description="Winding resistance [ohm].")
    inductance: Inductance = Field(0.0, description="Winding inductance [H].")
    torque_constant: TorqueConstant = Field(description="Motor torque per current [N m/A].")
    back_emf: BackEmf = Field(description="Voltage per motor speed [V s/rad].")
    rotor_inertia: RotaryInertia = Field(0.0, description="Inertia of the rotor [kg m^2].")
    rotor_damping: RotaryDamping = Field(
        0.0, description="Viscous friction of the motor [N m s/rad]."
    )
    rotor_friction: DryFriction = Field(0.0, description="Dry friction of the motor [N m].")
    torque_offset: SignedTorque = Field(
        0.0,
        description="Constant torque of the motor [N m] beside all others: that of a preload, or "
        "an offset of its current. `gough identify --friction offset` finds it.",
    )
    efficiency: Efficiency = Field(
        1.0, description="Share of the power that screw or gear pass on from motor to leg or joint."
    )
    back_efficiency: BackEfficiency | None = Field(
        None,
        description="Share of the power that they pass on from leg or joint to motor; zero or "
        "less: the motor cannot be driven. Left out, it is 2 - 1/efficiency.",
    )
    max_current: Current | None = Field(
        None, description="Largest current of the amplifier [A], either way."
    )
    max_voltage: Voltage | None = Field(
        None, description="Largest voltage of the amplifier [V], either way."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_drive(self)
        return self


class Drive(Motor):
    """What moves a leg or a slide: an electric motor, a gear and a ball screw."""

    gear_ratio: PositiveNumber = Field(1.0, description="Turns of the motor per screw turn.")
    screw_lead: PositiveLength = Field(
        description="How far the leg extends per turn of the screw [m]."
    )
    screw_inertia: RotaryInertia = Field(0.0, description="Inertia of the screw [kg m^2].")
    screw_damping: RotaryDamping = Field(
        0.0, description="Viscous friction of the screw [N m s/rad]."
    )
    screw_friction: DryFriction = Field(
        0.0, description="Dry friction of the screw, whatever its load [N m]."
    )


class GearDrive(Motor):
    """What turns a hinge: an electric motor and a gear."""

    gear_ratio: PositiveNumber = Field(1.0, description="Turns of the motor per turn of the joint.")
    gear_inertia: RotaryInertia = Field(
        0.0, description="Inertia of the gear, at the joint's side [kg m^2]."
    )
    gear_damping: RotaryDamping = Field(
        0.0, description="Viscous friction of the gear, at the joint's side [N m s/rad]."
    )
    gear_friction: DryFriction = Field(
        0.0, description="Dry friction of the gear at the joint's side, whatever its load [N m]."
    )


class Coupling(Record):
    """A spring and a damper between leg and platform joint."""

    stiffness: Stiffness = Field(description="Stiffness K_c [N/m].")
    damping: Damping = Field(0.0, description="Damping C_c [N s/m].")


class Decoupling(Record):
    """A mass beside the leg: on a spring at the cylinder, with a damper to the platform."""

    mass: PositiveMass = Field(
        description="Mass M_d [kg], which the cylinder's mass and inertia already contain."
    )
    position: Length = Field(
        description="Distance from the base joint [m] when the spring is free."
    )
    stiffness: Stiffness | None = Field(
        None, description="Stiffness K_d [N/m]; left out, the mass does not move on the cylinder."
    )
    damping: Damping = Field(0.0, description="Damping C_d [N s/m].")


class Connector(Record):
    """What yields in a leg [Baiges 1996, chapter 2]. What is left out is rigid.

    Without a force, the piston's mass centre has its distance `center_of_mass` from the platform
    joint.
    """

    stiffness: Stiffness | None = Field(
        None, description="Stiffness K_L [N/m] between piston and coupling stage."
    )
    damping: Damping = Field(
        0.0, description="Viscous friction C_t of actuator and transmission [N s/m]."
    )
    coupling: Coupling | None = Field(
        None, description="The stage between leg and platform; left out, it is locked."
    )
    decoupling: Decoupling | None = Field(None, description="The stage beside the leg.")


class JointFriction(Record):
    """Friction in the passive joints: for each axis of a universal joint, or a spherical one."""

    base_damping: RotaryDamping = Field(
        0.0, description="Viscous friction at the base [N m s/rad]."
    )
    base_friction: DryFriction = Field(0.0, description="Dry friction at the base [N m].")
    platform_damping: RotaryDamping = Field(
        0.0, description="Viscous friction at the platform [N m s/rad]."
    )
    platform_friction: DryFriction = Field(0.0, description="Dry friction at the platform [N m].")


class Stop(Record):
    """The end stops of the stroke. A leg without a stroke has none."""

    stiffness: Stiffness = Field(description="Stiffness on the way in [N/m].")
    restitution: Restitution = Field(
        description="Speed after the impact over speed before it, from 0 to 1."
    )


class RotaryStop(Record):
    """The end stops of a hinge's range. A hinge without a range has none."""

    stiffness: RotaryStiffness = Field(description="Stiffness on the way in [N m/rad].")
    restitution: Restitution = Field(
        description="Speed after the impact over speed before it, from 0 to 1."
    )


TRAVEL_KEYS = {"hinge": "range", "slide": "stroke"}
FORCE_KEYS = {"hinge": "max_torque", "slide": "max_force"}
"""What robot files call how far, and how hard, a hinge or a slide goes."""


@dataclass(frozen=True)
class Actuator:
    """One of a robot's actuators: what it is called, and what it can do."""

    name: str
    key: str
    """Its place in the robot file, such as legs[0] or joints[3]."""
    turns: bool
    """Whether it turns: then positions are in rad and efforts in N m, else in m and N."""
    travel: tuple[float, float] | None
    """Smallest and largest position [rad, m]."""
    max_force: float | None
    """Largest torque [N m] or force [N], either way."""
    max_speed: float | None
    """Largest speed [rad/s, m/s], either way."""
    drive: Drive | GearDrive | None
    stop: Stop | RotaryStop | None
    offset: float = 0.0
    """Its position [rad, m] where its encoder reads zero."""
    gain: float = 1.0
    """By how much its position changes where the reading changes by one."""

    __repr__ = brief

    @property
    def kind(self) -> str:
        """Whether it is a hinge or a slide."""
        return "hinge" if self.turns else "slide"

    @property
    def travel_key(self) -> str:
        """What its smallest and largest position are called in the robot file."""
        return TRAVEL_KEYS[self.kind]

    @property
    def force_key(self) -> str:
        """What its largest torque or force is called in the robot file."""
        return FORCE_KEYS[self.kind]


def encoder_of(offset: float | None, gain: float | None) -> tuple[float, float]:
    """Offset and gain of an actuator: position = gain · reading + offset."""
    return 0.0 if offset is None else offset, 1.0 if gain is None else gain


class Leg(Record):
    """An extensible leg, from its joint at the base to its spherical joint at the platform.

    Optional values that are not known are left out.
    """

    kind: Literal["UPS", "SPS"] = Field(
        description="The joints from base to platform: universal or spherical, prismatic "
        "(actuated), spherical. An SPS leg does not spin about its axis."
    )
    base: Point = Field(description="Base joint centre [m], base frame; or give [symmetric].")
    platform: Point = Field(
        description="Platform joint centre [m], platform frame; or give [symmetric]."
    )
    first_axis: Direction | None = Field(
        None,
        description="UPS only: direction of the universal joint's axis that is fixed in the base. "
        "With [symmetric] it is level, across the joint's azimuth.",
    )
    cylinder: Body = Field(
        MASSLESS, description="The part at the base joint; left out, it has no mass."
    )
    piston: Body = Field(
        MASSLESS, description="The part at the platform joint; left out, it has no mass."
    )
    drive: Drive | None = Field(None, description="The actuator's motor and screw.")
    connector: Connector | None = Field(None, description="What yields in the leg.")
    stiffness: Stiffness | None = Field(
        None,
        description="Axial stiffness [N/m] of the leg with its actuator held, from the base joint "
        "to the piston: all that does not change with its length. It yields in `stiffness`, modes "
        "and what follows from them, not in simulations of rigid legs.",
    )
    screw: Screw | None = Field(
        None, description="The screw and what holds it as springs, in series with `stiffness`."
    )
    joint_stiffness: JointStiffness | None = Field(
        None, description="How the joints at the leg's ends yield, or resist as flexures."
    )
    joint_friction: JointFriction | None = Field(
        None, description="Friction in the joints at the leg's ends."
    )
    stop: Stop | None = Field(None, description="What ends the stroke.")
    stroke: Stroke | None = Field(
        None, description="Shortest and longest leg length [m], between the joint centres."
    )
    max_force: Force | None = Field(None, description="Largest actuator force [N], either way.")
    max_speed: Speed | None = Field(None, description="Largest actuator speed [m/s], either way.")
    base_joint_limit: JointLimit | None = Field(
        None,
        description="Largest angle [rad] between the leg and its direction at the home pose, "
        "measured in the base.",
    )
    platform_joint_limit: JointLimit | None = Field(
        None,
        description="Largest angle [rad] between the leg and its direction at the home pose, "
        "measured in the platform.",
    )
    radius: PositiveLength | None = Field(
        None, description="Outer radius of the leg [m], for the clearance between legs."
    )
    length_offset: Length | None = Field(
        None,
        description="Length of the leg [m] at which its encoder reads zero: length = gain · "
        "reading + length_offset. Left out, it is 0.",
    )
    gain: Gain | None = Field(
        None,
        description="By how much the leg's length changes where its reading changes by one. Left "
        "out, it is 1.",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_leg(self)
        return self

    @property
    def yields(self) -> bool:
        """Whether something is known that yields along it."""
        joints, connector = self.joint_stiffness, self.connector
        known: set[object] = {self.stiffness, self.screw}
        known |= {joints.base_axial, joints.platform_axial} if joints else set()
        known |= {connector.stiffness, connector.coupling} if connector else set()
        return known != {None}

    @property
    def springs(self) -> tuple[str, ...]:
        """Keys of all that yields or resists in it."""
        keys = ("stiffness", "screw", "joint_stiffness", "connector")
        tables = self.model_dump(include=set(keys), exclude_none=True)
        return tuple(_keys(tables))

    def actuator(self, number: int) -> Actuator:
        """What drives the leg of this number."""
        limits = (self.stroke, self.max_force, self.max_speed)
        place = f"legs[{number - 1}]"
        encoder = encoder_of(self.length_offset, self.gain)
        return Actuator(f"leg {number}", place, False, *limits, self.drive, self.stop, *encoder)


def _keys(table: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The keys of all numbers in tables within tables."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _keys(value, f"{before}{key}.")
        else:
            yield before + key


class Home(Record):
    """A reference pose of the platform frame in the base frame."""

    position: Point = Field(description="Origin of the platform frame [m], base frame.")
    quaternion: UnitQuaternion = Field(
        (1.0, 0.0, 0.0, 0.0), description="Rotation as a quaternion w, x, y, z."
    )


class Platform(Record):
    """The moving platform, with what it carries."""

    mass: Mass = Field(description="Mass [kg].")
    center_of_mass: Point = Field((0.0, 0.0, 0.0), description="Mass centre [m], platform frame.")
    inertia: Inertia = Field(
        description="Inertia about the mass centre, platform axes [kg m^2]: three principal "
        "moments or a 3x3."
    )
    home: Home = Field(description="A reference pose, in the middle of the workspace.")
    mesh: Mesh | None = Field(None, description="What it looks like, in the platform frame.")


VERSION = Field(alias="schema", description="The version of this file format.")
SchemaVersion = Annotated[Literal["gough/1"], VERSION]


class Heading(Record):
    """What a robot and its file both begin with: its name, its source, and where it stands."""

    name: Name = Field(min_length=1, description="A short name.")
    reference: str = Field("", description="Where the data come from.")
    notes: str = Field("", description="What was assumed, and which misprints were corrected.")
    gravity: Acceleration = Field(
        FREE_FALL, description="Acceleration of free fall [m/s^2], base frame."
    )
    base_mesh: Mesh | None = Field(None, description="What the base looks like, in the base frame.")


def _counted(legs: object) -> object:
    items = as_list(legs)
    if items is None:
        raise InputError("not a list", value=legs, expected="six tables")
    if len(items) != LEGS:
        problem = "too few legs" if len(items) < LEGS else "too many legs"
        raise InputError(problem, value=len(items), expected="exactly six")
    return items


ALL_LEGS = (Field(min_length=LEGS, max_length=LEGS), BeforeValidator(_counted))
"""Annotates a list of legs: it has one for each."""
