"""What a user may write in a robot file: the tables, their keys and their units.

A leg's values may stand in the shared [leg] table or in its own [[legs]] table, hence none of them
is required here; `reading` puts the two together. The JSON Schema is made from these classes.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from gough.fields.quantities import (
    Acceleration,
    Angles,
    BackEfficiency,
    BackEmf,
    Current,
    Damping,
    Direction,
    DryFriction,
    Efficiency,
    Force,
    GearRatio,
    Inductance,
    Inertia,
    JointLimit,
    Length,
    Mass,
    Point,
    PositiveLength,
    PositiveMass,
    Resistance,
    Restitution,
    RotaryDamping,
    RotaryInertia,
    Speed,
    Stiffness,
    Stroke,
    TorqueConstant,
    UnitQuaternion,
    Voltage,
)
from gough.fields.table import Table
from gough.robot.symmetric import Circles, Triangles

SCHEMA: Final = "gough/1"
EARTH_GRAVITY = (0.0, 0.0, -9.81)


class WrittenBody(Table):
    """A cylinder or a piston: a rigid body whose mass centre lies on the leg's axis."""

    mass: Mass | None = Field(None, description="Mass [kg].")
    center_of_mass: Length | None = Field(
        None,
        description="Distance of the mass centre [m] along the leg: of the cylinder from the base "
        "joint, of the piston from the platform joint back towards the base.",
    )
    inertia: Inertia | None = Field(
        None,
        description="Inertia about the mass centre on the leg's axes [kg m^2]: three principal "
        "moments or a 3x3. z points from base to platform joint, x along first_axis × z.",
    )


class WrittenDrive(Table):
    """What moves a leg: an electric motor, a gear and a ball screw."""

    resistance: Resistance | None = Field(None, description="Winding resistance [ohm].")
    inductance: Inductance | None = Field(None, description="Winding inductance [H].")
    torque_constant: TorqueConstant | None = Field(
        None, description="Motor torque per current [N m/A]."
    )
    back_emf: BackEmf | None = Field(None, description="Voltage per motor speed [V s/rad].")
    rotor_inertia: RotaryInertia | None = Field(None, description="Inertia of the rotor [kg m^2].")
    rotor_damping: RotaryDamping | None = Field(
        None, description="Viscous friction of the motor [N m s/rad]."
    )
    gear_ratio: GearRatio | None = Field(None, description="Turns of the motor per screw turn.")
    screw_lead: PositiveLength | None = Field(
        None, description="How far the leg extends per turn of the screw [m]."
    )
    screw_inertia: RotaryInertia | None = Field(None, description="Inertia of the screw [kg m^2].")
    screw_damping: RotaryDamping | None = Field(
        None, description="Viscous friction of the screw [N m s/rad]."
    )
    rotor_friction: DryFriction | None = Field(None, description="Dry friction of the motor [N m].")
    screw_friction: DryFriction | None = Field(
        None, description="Dry friction of the screw, whatever its load [N m]."
    )
    efficiency: Efficiency | None = Field(
        None, description="Share of the power that the screw passes on from motor to leg."
    )
    back_efficiency: BackEfficiency | None = Field(
        None,
        description="Share of the power that the screw passes on from leg to motor; zero or less: "
        "the leg cannot drive the motor. Left out, it is 2 - 1/efficiency.",
    )
    max_current: Current | None = Field(
        None, description="Largest current of the amplifier [A], either way."
    )
    max_voltage: Voltage | None = Field(
        None, description="Largest voltage of the amplifier [V], either way."
    )


class WrittenCoupling(Table):
    """A spring and a damper between leg and platform joint."""

    stiffness: Stiffness | None = Field(None, description="Stiffness K_c [N/m].")
    damping: Damping | None = Field(None, description="Damping C_c [N s/m].")


class WrittenDecoupling(Table):
    """A mass beside the leg: on a spring at the cylinder, with a damper to the platform."""

    mass: PositiveMass | None = Field(
        None, description="Mass M_d [kg], which the cylinder's mass and inertia already contain."
    )
    position: Length | None = Field(
        None, description="Distance from the base joint [m] when the spring is free."
    )
    stiffness: Stiffness | None = Field(
        None, description="Stiffness K_d [N/m]; left out, the mass does not move on the cylinder."
    )
    damping: Damping | None = Field(None, description="Damping C_d [N s/m].")


class WrittenConnector(Table):
    """What yields in a leg [Baiges 1996, chapter 2]. What is left out is rigid.

    Without a force, the piston's mass centre has its distance `center_of_mass` from the platform
    joint.
    """

    stiffness: Stiffness | None = Field(
        None, description="Stiffness K_L [N/m] between piston and coupling stage."
    )
    damping: Damping | None = Field(
        None, description="Viscous friction C_t of actuator and transmission [N s/m]."
    )
    coupling: WrittenCoupling | None = Field(
        None, description="The stage between leg and platform; left out, it is locked."
    )
    decoupling: WrittenDecoupling | None = Field(None, description="The stage beside the leg.")


class WrittenJointFriction(Table):
    """Friction in the passive joints: for each axis of a universal joint, or a spherical one."""

    base_damping: RotaryDamping | None = Field(
        None, description="Viscous friction at the base [N m s/rad]."
    )
    base_friction: DryFriction | None = Field(None, description="Dry friction at the base [N m].")
    platform_damping: RotaryDamping | None = Field(
        None, description="Viscous friction at the platform [N m s/rad]."
    )
    platform_friction: DryFriction | None = Field(
        None, description="Dry friction at the platform [N m]."
    )


class WrittenStop(Table):
    """The end stops of the stroke."""

    stiffness: Stiffness | None = Field(None, description="Stiffness on the way in [N/m].")
    restitution: Restitution | None = Field(
        None, description="Speed after the impact over speed before it, from 0 to 1."
    )


class WrittenLeg(Table):
    """One leg, or what all legs share."""

    kind: Literal["UPS", "SPS"] | None = Field(
        None,
        description="The joints from base to platform: universal or spherical, prismatic "
        "(actuated), spherical. An SPS leg does not spin about its axis.",
    )
    base: Point | None = Field(None, description="Base joint centre [m], base frame.")
    platform: Point | None = Field(None, description="Platform joint centre [m], platform frame.")
    first_axis: Direction | None = Field(
        None,
        description="UPS only: direction of the universal joint's axis that is fixed in the base.",
    )
    cylinder: WrittenBody | None = Field(
        None, description="The part at the base joint; left out, it has no mass."
    )
    piston: WrittenBody | None = Field(
        None, description="The part at the platform joint; left out, it has no mass."
    )
    drive: WrittenDrive | None = Field(None, description="The actuator's motor and screw.")
    connector: WrittenConnector | None = Field(None, description="What yields in the leg.")
    joint_friction: WrittenJointFriction | None = Field(
        None, description="Friction in the joints at the leg's ends."
    )
    stop: WrittenStop | None = Field(None, description="What ends the stroke.")
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


class WrittenHome(Table):
    """A reference pose of the platform frame in the base frame."""

    position: Point = Field(description="Origin of the platform frame [m], base frame.")
    rpy: Angles | None = Field(
        None,
        description="Roll, pitch and yaw [rad] about the fixed x, y and z axes: "
        "R = Rz(yaw) Ry(pitch) Rx(roll). Or give a quaternion.",
    )
    quaternion: UnitQuaternion | None = Field(
        None, description="Rotation as a quaternion w, x, y, z. Or give rpy."
    )


class WrittenPlatform(Table):
    """The moving platform, with what it carries."""

    mass: Mass = Field(description="Mass [kg].")
    center_of_mass: Point = Field((0.0, 0.0, 0.0), description="Mass centre [m], platform frame.")
    inertia: Inertia = Field(
        description="Inertia about the mass centre, platform axes [kg m^2]: three principal "
        "moments or a 3x3."
    )
    home: WrittenHome = Field(description="A reference pose, in the middle of the workspace.")


class WrittenRobot(Table):
    """A Gough-Stewart platform: a base, a platform and six extensible legs.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "4 ft",
    "7.5 lb" or "30 deg".
    """

    schema_version: Literal["gough/1"] = Field(
        alias="schema", description="The version of this file format."
    )
    name: str = Field(min_length=1, description="A short name.")
    reference: str = Field("", description="Where the data come from.")
    notes: str = Field("", description="What was assumed, and which misprints were corrected.")
    gravity: Acceleration = Field(
        EARTH_GRAVITY, description="Acceleration of free fall [m/s^2], base frame."
    )
    platform: WrittenPlatform
    leg: WrittenLeg | None = Field(
        None, description="What the legs share; a [[legs]] table may override any of it."
    )
    legs: Annotated[list[WrittenLeg], Field(min_length=6, max_length=6)] | None = Field(
        None, description="The six legs. With [symmetric], only for what differs between them."
    )
    symmetric: Annotated[Circles | Triangles, Field(discriminator="layout")] | None = Field(
        None, description="The joint centres of a symmetric machine, instead of six coordinates."
    )
