"""Parts of a robot: records of bodies, drives, connectors, legs. Frozen and hashable.

Each is declared once, here: its keys, their kinds of quantity in SI units, defaults and meanings.
The keys of robot files, their writing and the JSON Schema follow from this.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from gough.disk.plain_data import PlainMapping
from gough.display.brief import Brief
from gough.errors import InputError, LegLengthError
from gough.fields import quantities as q
from gough.fields.table import entry, optional
from gough.fields.values import as_list
from gough.robot.checks import check_leg
from gough.robot.elastic import Beam, JointStiffness, Screw
from gough.robot.mesh import Mesh
from gough.robot.record import Record
from gough.robot.springs import Spring

SCHEMAS: Final = ("gough/1", "gough/2")
LEGS = 6
FREE_FALL = (0.0, 0.0, -9.81)
"""Default acceleration of free fall [m/s^2], base frame."""
ZERO_INERTIA = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Body(Record):
    """A cylinder or a piston: a body whose mass centre lies on the leg's axis.

    >>> import gough
    >>> gough.Body(mass="2 lb", center_of_mass="10 cm", inertia=[0.01, 0.01, 0]).mass
    0.90718474
    """

    mass: q.Mass = entry("Mass [kg].")
    center_of_mass: q.Length = entry(
        "Distance of the mass centre [m] along the leg: of the cylinder from the base joint, of "
        "the piston from the platform joint back towards the base."
    )
    inertia: q.Inertia = entry(
        "Inertia about the mass centre on the leg's axes [kg m^2]: three principal moments or a "
        "3x3. z points from base to platform joint, x along first_axis × z."
    )
    beam: Beam | None = optional(
        "Cross-section, material and length, if cylinder and piston bend; left out, they are rigid."
    )
    mesh: Mesh | None = optional(
        "Its mesh, on the leg's axes: of the cylinder from the base joint, of the piston from the "
        "platform joint."
    )


MASSLESS = Body(mass=0.0, center_of_mass=0.0, inertia=ZERO_INERTIA)


class Motor(Record):
    """An electric motor with its amplifier, and a transmission."""

    resistance: q.Resistance = entry("Winding resistance [ohm].")
    inductance: q.Inductance = entry("Winding inductance [H].", 0.0)
    torque_constant: q.TorqueConstant = entry("Motor torque per current [N m/A].")
    back_emf: q.BackEmf = entry("Voltage per motor speed [V s/rad].")
    rotor_inertia: q.RotaryInertia = entry("Inertia of the rotor [kg m^2].", 0.0)
    rotor_damping: q.RotaryDamping = entry("Viscous friction of the motor [N m s/rad].", 0.0)
    rotor_friction: q.DryFriction = entry("Dry friction of the motor [N m].", 0.0)
    torque_offset: q.SignedTorque = entry(
        "Constant additional torque of the motor [N m]: of a preload, or an offset of its current. "
        "`gough identify dynamics --friction offset` identifies it.",
        0.0,
    )
    efficiency: q.Efficiency = entry("Efficiency of screw or gear from motor to leg or joint.", 1.0)
    back_efficiency: q.BackEfficiency | None = optional(
        "Efficiency from leg or joint to motor; zero or less: self-locking. Left out, it is 2 - "
        "1/efficiency."
    )
    max_current: q.Current | None = optional(
        "Maximum current of the amplifier [A], in both directions."
    )
    max_voltage: q.Voltage | None = optional(
        "Maximum voltage of the amplifier [V], in both directions."
    )

    def _check(self) -> None:
        undetermined = self.inductance == 0.0 or self.max_current is not None
        if self.resistance == 0.0 and undetermined:
            problem = "no resistance, so that the voltage does not determine the current"
            expected = "above 0 ohm for a drive without inductance, or with max_current"
            raise InputError(problem, key="resistance", value=self.resistance, expected=expected)


class Drive(Motor):
    """Drive of a leg or a slide: an electric motor, a gear and a ball screw.

    >>> import gough
    >>> gough.load("bingul-2012").legs[0].drive.screw_lead  # [m]
    0.001
    """

    gear_ratio: q.PositiveNumber = entry("Turns of the motor per screw turn.", 1.0)
    screw_lead: q.PositiveLength = entry("Extension of the leg per turn of the screw [m].")
    screw_inertia: q.RotaryInertia = entry("Inertia of the screw [kg m^2].", 0.0)
    screw_damping: q.RotaryDamping = entry("Viscous friction of the screw [N m s/rad].", 0.0)
    screw_friction: q.DryFriction = entry(
        "Dry friction of the screw, independent of its load [N m].", 0.0
    )

    @property
    def own_inertia(self) -> float:
        """Inertia of rotor and screw [kg m^2]."""
        return self.rotor_inertia + self.screw_inertia


class GearDrive(Motor):
    """Drive of a hinge: an electric motor and a gear."""

    gear_ratio: q.PositiveNumber = entry("Turns of the motor per turn of the joint.", 1.0)
    gear_inertia: q.RotaryInertia = entry("Inertia of the gear, at the joint's side [kg m^2].", 0.0)
    gear_damping: q.RotaryDamping = entry(
        "Viscous friction of the gear, at the joint's side [N m s/rad].", 0.0
    )
    gear_friction: q.DryFriction = entry(
        "Dry friction of the gear, at the joint's side, at any load [N m].", 0.0
    )

    @property
    def own_inertia(self) -> float:
        """Inertia of rotor and gear [kg m^2]."""
        return self.rotor_inertia + self.gear_inertia


class Coupling(Record):
    """A spring and a damper between leg and platform joint."""

    stiffness: q.Stiffness = entry("Stiffness K_c [N/m].")
    damping: q.Damping = entry("Damping C_c [N s/m].", 0.0)


class Decoupling(Record):
    """A mass beside the leg: on a spring at the cylinder, with a damper to the platform."""

    mass: q.PositiveMass = entry(
        "Mass M_d [kg], which the cylinder's mass and inertia already contain."
    )
    position: q.Length = entry("Distance from the base joint [m] when the spring is relaxed.")
    stiffness: q.Stiffness | None = optional(
        "Stiffness K_d [N/m]; left out, the mass does not move on the cylinder."
    )
    damping: q.Damping = entry("Damping C_d [N s/m].", 0.0)


class Connector(Record):
    """Compliant parts of a leg [Baiges 1996, chapter 2]. Parts that are left out are rigid.

    Without a force, the piston's mass centre has its distance `center_of_mass` from the platform
    joint.
    """

    stiffness: q.Stiffness | None = optional(
        "Stiffness K_L [N/m] between piston and coupling stage."
    )
    damping: q.Damping = entry("Viscous friction C_t of actuator and transmission [N s/m].", 0.0)
    coupling: Coupling | None = optional(
        "The stage between leg and platform; left out, it is locked."
    )
    decoupling: Decoupling | None = optional("The stage beside the leg.")


class JointFriction(Record):
    """Friction in the passive joints: for each axis of a universal joint, or a spherical one."""

    base_damping: q.RotaryDamping = entry("Viscous friction at the base [N m s/rad].", 0.0)
    base_friction: q.DryFriction = entry("Dry friction at the base [N m].", 0.0)
    platform_damping: q.RotaryDamping = entry("Viscous friction at the platform [N m s/rad].", 0.0)
    platform_friction: q.DryFriction = entry("Dry friction at the platform [N m].", 0.0)


class Stop(Record):
    """The end stops of the stroke. A leg without a stroke has none."""

    stiffness: q.Stiffness = entry("Stiffness during compression [N/m].")
    restitution: q.Restitution = entry("Speed after the impact over speed before it, from 0 to 1.")


class RotaryStop(Stop):
    """The end stops of a hinge's range. A hinge without a range has none."""

    stiffness: q.RotaryStiffness = entry("Stiffness during compression [N m/rad].")


TRAVEL_KEYS = {"hinge": "range", "slide": "stroke"}
FORCE_KEYS = {"hinge": "max_torque", "slide": "max_force"}
"""Keys of the limits of position and effort of hinges and slides in robot files."""

MAX_POWER = "Maximum power of the actuator [W], driving and braking: force times speed."
MAX_BANDWIDTH = (
    "Maximum frequency [Hz] up to which the actuator follows: 99 % of the energy of its force, and "
    "of its speed, must lie below it."
)


@dataclass(frozen=True, repr=False)
class Actuator(Brief):
    """One of a robot's actuators: its name and its limits."""

    name: str
    key: str
    """Its place in the robot file, such as legs[0] or joints[3]."""
    turns: bool
    """Whether it is rotary: then positions are in rad and efforts in N m, else in m and N."""
    travel: tuple[float, float] | None
    """Minimum and maximum position [rad, m]."""
    max_force: float | None
    """Maximum torque [N m] or force [N], in both directions."""
    max_speed: float | None
    """Maximum speed [rad/s, m/s], in both directions."""
    max_power: float | None
    """Maximum power [W], driving and braking."""
    max_bandwidth: float | None
    """Maximum frequency [Hz] up to which it follows forces and speeds."""
    drive: Drive | GearDrive | None
    stop: Stop | RotaryStop | None
    offset: float = 0.0
    """Its position [rad, m] where its encoder reads zero."""
    gain: float = 1.0
    """Change of its position per change of the reading."""

    @property
    def kind(self) -> str:
        """Whether it is a hinge or a slide."""
        return "hinge" if self.turns else "slide"

    @property
    def travel_key(self) -> str:
        """Key of its minimum and maximum position in the robot file."""
        return TRAVEL_KEYS[self.kind]

    @property
    def force_key(self) -> str:
        """Key of its maximum torque or force in the robot file."""
        return FORCE_KEYS[self.kind]


def encoder_of(offset: float | None, gain: float | None) -> tuple[float, float]:
    """Return the offset and gain of an actuator: position = gain · reading + offset."""
    return 0.0 if offset is None else offset, 1.0 if gain is None else gain


class Leg(Record):
    """An extensible leg, from its joint at the base to its spherical joint at the platform.

    Optional values that are not known are left out.

    >>> import gough
    >>> gough.load("demo-hexapod").legs[0].stroke  # [m]
    (0.763, 1.163)
    """

    kind: Literal["UPS", "SPS"] = entry(
        "The joints from base to platform: universal or spherical, prismatic (actuated), "
        "spherical. An SPS leg does not spin about its axis."
    )
    base: q.Point = entry("Base joint centre [m], base frame; or give [symmetric].")
    platform: q.Point = entry("Platform joint centre [m], platform frame; or give [symmetric].")
    first_axis: q.Direction | None = optional(
        "UPS only: direction of the universal joint's axis that is fixed in the base. With "
        "[symmetric] it is level, across the joint's azimuth."
    )
    cylinder: Body = entry("The part at the base joint; left out, it has no mass.", MASSLESS)
    piston: Body = entry("The part at the platform joint; left out, it has no mass.", MASSLESS)
    drive: Drive | None = optional("The actuator's motor and screw.")
    connector: Connector | None = optional("Compliant parts of the leg.")
    stiffness: q.Stiffness | None = optional(
        "Axial stiffness [N/m] of the leg with its actuator locked, from the base joint to the "
        "piston, without the parts that change with its length. It counts in `stiffness`, natural "
        "modes and results from them, not in simulations of rigid legs."
    )
    screw: Screw | None = optional(
        "The screw and its supports as springs, in series with `stiffness`."
    )
    joint_stiffness: JointStiffness | None = optional(
        "Stiffness of the joints at the leg's ends, of bearings and of flexures."
    )
    joint_friction: JointFriction | None = optional("Friction in the joints at the leg's ends.")
    stop: Stop | None = optional("End stops of the stroke.")
    stroke: q.Stroke | None = optional(
        "Minimum and maximum leg length [m], between the joint centres."
    )
    max_force: q.Force | None = optional("Maximum actuator force [N], in both directions.")
    max_speed: q.Speed | None = optional("Maximum actuator speed [m/s], in both directions.")
    max_power: q.Power | None = optional(MAX_POWER)
    max_bandwidth: q.Frequency | None = optional(MAX_BANDWIDTH)
    base_joint_limit: q.JointLimit | None = optional(
        "Maximum angle [rad] between the leg and its direction at the home pose, measured in the "
        "base."
    )
    platform_joint_limit: q.JointLimit | None = optional(
        "Maximum angle [rad] between the leg and its direction at the home pose, measured in the "
        "platform."
    )
    radius: q.PositiveLength | None = optional(
        "Outer radius of the leg [m], for the clearance between legs."
    )
    length_offset: q.Length | None = optional(
        "Length of the leg [m] at which its encoder reads zero: length = gain · reading + "
        "length_offset. Left out, it is 0."
    )
    gain: q.Gain | None = optional(
        "Change of the leg's length per change of its reading. Left out, it is 1."
    )

    def _check(self) -> None:
        check_leg(self)

    @property
    def is_compliant(self) -> bool:
        """Whether a compliance along the leg is stated."""
        joints, connector = self.joint_stiffness, self.connector
        known: set[object] = {self.stiffness, self.screw}
        known |= {joints.base_axial, joints.platform_axial} if joints else set()
        known |= {connector.stiffness, connector.coupling} if connector else set()
        return known != {None}

    @property
    def springs(self) -> tuple[str, ...]:
        """Keys of its compliant parts and springs."""
        keys = {"stiffness", "screw", "joint_stiffness", "connector"}
        return tuple(numbers_within(self.model_dump(include=keys, exclude_none=True)))

    def axial_compliance(self, length: float) -> float:
        """Return the compliance [m/N] of all springs along the leg, its connector rigid."""
        screw, joints = self.screw, self.joint_stiffness
        springs = [self.stiffness]
        springs += [screw.nut, screw.bearing, screw.rod] if screw else []
        springs += [joints.base_axial, joints.platform_axial] if joints else []
        found = sum(1 / k for k in springs if k is not None)
        if screw is not None and length < screw.dead_length:
            raise LegLengthError(
                f"a leg of {length:.6g} m is shorter than the dead length of its screw, "
                f"{screw.dead_length:.6g} m; expected another pose"
            )
        return found + ((length - screw.dead_length) / screw.rigidity if screw else 0.0)

    def actuator(self, number: int) -> Actuator:
        """Return the actuator of the leg of this number."""
        limits = (self.stroke, self.max_force, self.max_speed, self.max_power, self.max_bandwidth)
        place = f"legs[{number - 1}]"
        encoder = encoder_of(self.length_offset, self.gain)
        return Actuator(f"leg {number}", place, False, *limits, self.drive, self.stop, *encoder)


def numbers_within(table: PlainMapping, before: str = "") -> dict[str, float]:
    """Return the numbers in tables within tables, by their keys."""
    found: dict[str, float] = {}
    for key, value in table.items():
        inner = isinstance(value, Mapping)
        found |= numbers_within(value, f"{before}{key}.") if inner else {before + key: value}
    return found


class Home(Record):
    """A reference pose of the platform frame in the base frame.

    >>> import gough
    >>> gough.load("delta").platform.home.position  # [m]
    (0.0, 0.0, -1.1)
    """

    position: q.Point = entry("Origin of the platform frame [m], base frame.")
    quaternion: q.UnitQuaternion = entry(
        "Rotation as a quaternion w, x, y, z.", (1.0, 0.0, 0.0, 0.0)
    )


class Platform(Record):
    """The moving platform with its payload.

    >>> import gough
    >>> gough.load("kalani-2016").platform.mass  # [kg]
    1.5
    """

    mass: q.Mass = entry("Mass [kg].")
    center_of_mass: q.Point = entry("Mass centre [m], platform frame.", (0.0, 0.0, 0.0))
    inertia: q.Inertia = entry(
        "Inertia about the mass centre, platform axes [kg m^2]: three principal moments or a 3x3."
    )
    home: Home = entry("A reference pose, in the middle of the workspace.")
    mesh: Mesh | None = optional("Its mesh, in the platform frame.")


VERSION = entry("The version of this file format.", alias="schema")
SchemaVersion = Annotated[Literal["gough/1"], VERSION]


class Heading(Record):
    """Header of a robot and of its file: name, source, gravity."""

    name: q.Name = entry("A short name.", min_length=1)
    reference: str = entry("Source of the data.", "")
    notes: str = entry("Assumptions, and corrected misprints.", "")
    gravity: q.Acceleration = entry("Acceleration of free fall [m/s^2], base frame.", FREE_FALL)
    base_mesh: Mesh | None = optional("Mesh of the base, in the base frame.")
    springs: tuple[Spring, ...] = entry("Springs and dampers between bodies.", ())


def _counted(legs: object) -> object:
    items = as_list(legs)
    if items is None:
        raise InputError("not a list", value=legs, expected="six tables")
    if len(items) != LEGS:
        problem = "too few legs" if len(items) < LEGS else "too many legs"
        raise InputError(problem, value=len(items), expected="exactly six")
    return items


ALL_LEGS = (Field(min_length=LEGS, max_length=LEGS), BeforeValidator(_counted))
"""Annotations of a list of six legs."""
