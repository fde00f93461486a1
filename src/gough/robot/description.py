"""What a robot is: its bodies, joints, masses and limits, in SI units. Frozen and hashable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from gough.errors import RobotError
from gough.fields.problems import as_written, robot_error
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
from gough.robot.checks import check_drive, check_leg, check_machine
from gough.robot.reading import resolve
from gough.robot.writing import written_form
from gough.robot.written import EARTH_GRAVITY, SCHEMA

_ZERO_INERTIA = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class _Fact(Table):
    """A record that complains with a RobotError, also when it is made directly."""

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise robot_error(error) from None


class Body(_Fact):
    """A part of a leg: mass [kg], mass centre [m] and inertia [kg m²].

    The mass centre is a distance along the leg from the part's own joint: for a cylinder the base
    joint, for a piston the platform joint. The inertia is about the mass centre, on the leg's axes:
    z = s, from base to platform joint; x along first_axis × s; y = z × x.
    """

    mass: Mass
    center_of_mass: Length
    inertia: Inertia


MASSLESS = Body(mass=0.0, center_of_mass=0.0, inertia=_ZERO_INERTIA)


class Drive(_Fact):
    """What moves a leg: a motor, a gear and a ball screw.

    The motor turns `gear_ratio` times per turn of the screw, which extends the leg by
    `screw_lead` [m]. Resistance [ohm], inductance [H], torque constant [N m/A], back-emf [V s/rad],
    inertias [kg m²], dampings [N m s/rad] and dry frictions [N m]. The screw passes on `efficiency`
    of the motor's power to the leg, and `back_efficiency` of the leg's to the motor; at zero or
    less the leg cannot drive the motor. Limits [A, V] that are not known are None.
    """

    resistance: Resistance
    inductance: Inductance = 0.0
    torque_constant: TorqueConstant
    back_emf: BackEmf
    rotor_inertia: RotaryInertia = 0.0
    rotor_damping: RotaryDamping = 0.0
    gear_ratio: GearRatio = 1.0
    screw_lead: PositiveLength
    screw_inertia: RotaryInertia = 0.0
    screw_damping: RotaryDamping = 0.0
    rotor_friction: DryFriction = 0.0
    screw_friction: DryFriction = 0.0
    efficiency: Efficiency = 1.0
    back_efficiency: BackEfficiency | None = None
    max_current: Current | None = None
    max_voltage: Voltage | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_drive(self)
        return self

    @property
    def back_drivable(self) -> bool:
        """Whether a force on the leg can turn the motor."""
        if self.back_efficiency is None:
            return 2.0 - 1.0 / self.efficiency > 0.0
        return self.back_efficiency > 0.0


class Coupling(_Fact):
    """A spring [N/m] and a damper [N s/m] between leg and platform joint."""

    stiffness: Stiffness
    damping: Damping = 0.0


class Decoupling(_Fact):
    """A mass [kg] that is part of the cylinder, at a distance [m] from the base joint.

    A spring [N/m] holds it there, or it is fixed (None); a damper [N s/m] joins it to the platform.
    """

    mass: PositiveMass
    position: Length
    stiffness: Stiffness | None = None
    damping: Damping = 0.0


class Connector(_Fact):
    """What yields in a leg: its own stiffness [N/m] and two stages. None is rigid, or not there.

    `damping` [N s/m] is the viscous friction of actuator and transmission.
    """

    stiffness: Stiffness | None = None
    damping: Damping = 0.0
    coupling: Coupling | None = None
    decoupling: Decoupling | None = None


class JointFriction(_Fact):
    """Viscous [N m s/rad] and dry [N m] friction in the joints at a leg's ends."""

    base_damping: RotaryDamping = 0.0
    base_friction: DryFriction = 0.0
    platform_damping: RotaryDamping = 0.0
    platform_friction: DryFriction = 0.0


class Stop(_Fact):
    """What ends a stroke: stiffness [N/m], and speed after over speed before an impact.

    A leg without a stroke has no stops.
    """

    stiffness: Stiffness
    restitution: Restitution


class Leg(_Fact):
    """An extensible leg, from its joint at the base to its spherical joint at the platform.

    The base joint is universal (UPS), its `first_axis` fixed in the base, or spherical (SPS). The
    joint limits are the largest angles [rad] between the leg and its direction at the home pose, as
    seen from the base and from the platform. Optional values that are not known are None.
    """

    kind: Literal["UPS", "SPS"]
    base: Point
    platform: Point
    first_axis: Direction | None = None
    cylinder: Body = MASSLESS
    piston: Body = MASSLESS
    drive: Drive | None = None
    connector: Connector | None = None
    joint_friction: JointFriction | None = None
    stop: Stop | None = None
    stroke: Stroke | None = None
    max_force: Force | None = None
    max_speed: Speed | None = None
    base_joint_limit: JointLimit | None = None
    platform_joint_limit: JointLimit | None = None
    radius: PositiveLength | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_leg(self)
        return self


class Home(_Fact):
    """A reference pose: position [m] and unit quaternion (w, x, y, z) of the platform frame."""

    position: Point
    quaternion: UnitQuaternion = (1.0, 0.0, 0.0, 0.0)


class Platform(_Fact):
    """The moving platform: mass [kg], mass centre [m] and inertia [kg m²] in its own frame."""

    mass: Mass
    center_of_mass: Point = (0.0, 0.0, 0.0)
    inertia: Inertia
    home: Home


class Robot(_Fact):
    """A Gough-Stewart platform with six legs. Make one with `load` or `Robot.from_dict`."""

    schema_version: Literal["gough/1"] = Field(SCHEMA, alias="schema")
    name: str = Field(min_length=1)
    reference: str = ""
    notes: str = ""
    gravity: Acceleration = EARTH_GRAVITY
    platform: Platform
    legs: Annotated[tuple[Leg, ...], Field(min_length=6, max_length=6)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_machine(self)
        return self

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, file: Path | None = None) -> Self:
        """Return the robot that data in the form of a robot file describe.

        Raises RobotError, which names the file if one is given.
        """
        try:
            return cls(**resolve(data))
        except RobotError as error:
            raise as_written(error, data, file) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the robot as plain data in the form of a robot file, in SI units."""
        return written_form(self)

    @property
    def home(self) -> tuple[float, ...]:
        """The reference pose: x y z [m] qw qx qy qz."""
        return self.platform.home.position + self.platform.home.quaternion

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of all that affects numbers: equal for machines that differ only in words."""
        facts = self.model_dump(exclude={"name", "reference", "notes"})
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
