"""Records of actuator catalogues: electric cylinders with their screws and motors, ratings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from gough.errors import InputError, about_file
from gough.fields.quantities import (
    Current,
    Density,
    DryFriction,
    Duration,
    ElasticModulus,
    Force,
    Frequency,
    Name,
    NotNegativeLength,
    PositiveLength,
    PositiveMass,
    PositiveNumber,
    Power,
    RotaryDamping,
    RotaryInertia,
    SpecificForce,
    Speed,
    Stiffness,
    Torque,
)
from gough.fields.table import read
from gough.fields.user_files import NO_SUCH_FILE, plain_data, read_table, refuse_other_kinds
from gough.robot import Body, Drive
from gough.robot.checks import given_twice
from gough.robot.elastic import STEEL
from gough.robot.record import Record
from gough.robot.records import Motor
from gough.sizing.columns import Fixity

GENERIC = Path(__file__).parent / "library" / "electric-cylinders.toml"
"""Electric cylinders of ordinary proportions, no particular products."""


STEEL_DENSITY = 7850.0
"""[kg/m^3]"""


class ForceAtSpeed(Record):
    """A point of the maximum force over the speed."""

    speed: Speed = Field(description="Speed of the rod [m/s], in both directions.")
    force: Force = Field(description="Maximum force at that speed [N], in both directions.")


class CatalogueBearing(Record):
    """The bearing that takes the screw's axial load."""

    dynamic_load_rating: Force = Field(
        description="Axial dynamic load rating C [N]: a million turns under it are the rating life."
    )
    kind: Literal["ball", "roller"] = Field(
        "ball", description="Its exponent of life after ISO 281: ball 3, roller 10/3."
    )
    axial_factor: PositiveNumber = Field(
        1.0, description="Equivalent load P over the axial load: Y of ISO 281."
    )


class CylinderScrew(Record):
    """The screw of an electric cylinder: held in a bearing of the housing, its nut on the rod."""

    lead: PositiveLength = Field(description="Travel of the rod per revolution of the screw [m].")
    diameter: PositiveLength = Field(description="Diameter of the screw's core [m].")
    fixity: Fixity = Field(
        "fixed-supported",
        description="End supports of its free length, at the bearing and at the nut.",
    )
    dead_length: NotNegativeLength = Field(
        0.0,
        description="Free length between bearing and nut with the rod retracted [m]; it grows as "
        "the rod extends.",
    )
    dynamic_load_rating: Force | None = Field(
        None,
        description="Dynamic axial load rating C_a of the nut [N]: a million turns under it are "
        "the rating life.",
    )
    bearing: CatalogueBearing | None = Field(None, description="Axial bearing of the screw.")
    modulus: ElasticModulus = Field(STEEL, description="Elastic modulus [Pa].")
    density: Density = Field(STEEL_DENSITY, description="Density [kg/m^3].")
    yield_strength: SpecificForce | None = Field(
        None,
        description="Yield strength [Pa]; without it, screws are checked by Euler's load alone.",
    )
    inertia: RotaryInertia = Field(0.0, description="Inertia of the screw [kg m^2].")
    damping: RotaryDamping = Field(0.0, description="Viscous friction of the screw [N m s/rad].")
    friction: DryFriction = Field(
        0.0, description="Coulomb friction of the screw, independent of its load [N m]."
    )


class CylinderMotor(Motor):
    """The motor of an electric cylinder, with its amplifier and its continuous ratings."""

    gear_ratio: PositiveNumber = Field(1.0, description="Motor revolutions per screw revolution.")
    continuous_current: Current | None = Field(
        None,
        description="Continuous current of the motor [A], root mean square; or give "
        "continuous_torque.",
    )
    continuous_torque: Torque | None = Field(
        None,
        description="Continuous torque of the motor [N m], root mean square: "
        "torque_constant times the continuous current.",
    )
    thermal_time_constant: Duration | None = Field(
        None, description="Time in which the motor's temperature rise reaches 63 % [s]."
    )

    def _check(self) -> None:
        super()._check()
        key, torque = "continuous_torque", self.continuous_torque
        if self.continuous_current is not None and torque is not None:
            problem = "given beside continuous_current"
            expected = "one of both: they differ by torque_constant"
            raise InputError(problem, key=key, value=torque, expected=expected)

    @property
    def bearable_current(self) -> float | None:
        """Continuous current [A], root mean square."""
        if self.continuous_torque is not None:
            return self.continuous_torque / self.torque_constant
        return self.continuous_current

    @property
    def bearable_torque(self) -> float | None:
        """Continuous torque [N m], root mean square."""
        current = self.bearable_current
        return None if current is None else current * self.torque_constant


class CatalogueActuator(Record):
    """A linear actuator, such as an electric cylinder; unknown keys are left out."""

    name: Name = Field(min_length=1, description="Its name.")
    notes: str = Field("", description="Further remarks.")
    stroke: PositiveLength = Field(description="Travel of the rod [m].")
    retracted_length: PositiveLength = Field(
        description="Distance between the centres of its two joints with the rod retracted [m]."
    )
    peak_force: Force = Field(description="Maximum force, at low speed [N], in both directions.")
    continuous_force: Force | None = Field(
        None, description="Continuous force [N], root mean square."
    )
    max_speed: Speed = Field(description="Maximum speed [m/s], in both directions.")
    max_power: Power | None = Field(None, description="Maximum power [W], driving and braking.")
    max_bandwidth: Frequency | None = Field(
        None, description="Maximum frequency [Hz] up to which it follows forces and speeds."
    )
    envelope: tuple[ForceAtSpeed, ...] = Field(
        (),
        description="Maximum force over the speed: straight lines from peak_force at rest through "
        "these points, level behind the last one up to max_speed. Left out, it is peak_force.",
    )
    mass: PositiveMass | None = Field(
        None, description="Mass of the whole actuator [kg], where its parts are not given."
    )
    housing: Body | None = Field(
        None, description="The part at the base joint, as the cylinder of a leg."
    )
    rod: Body | None = Field(
        None, description="The part at the platform joint, as the piston of a leg."
    )
    stiffness: Stiffness | None = Field(None, description="Axial stiffness [N/m].")
    screw: CylinderScrew | None = Field(None, description="Its screw.")
    motor: CylinderMotor | None = Field(None, description="Its motor and amplifier.")

    def _check(self) -> None:
        _check_masses(self)
        _check_envelope(self)

    @property
    def drive(self) -> Drive | None:
        """Motor and screw as a leg of a robot has them; None unless both are known."""
        if self.motor is None or self.screw is None:
            return None
        electric = {name: getattr(self.motor, name) for name in Motor.model_fields}
        turning = {f"screw_{k}": getattr(self.screw, k) for k in _TURNING}
        return Drive(**electric, **turning, gear_ratio=self.motor.gear_ratio)

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Speed and maximum force [m/s, N] where the envelope bends, from rest to max_speed."""
        inner = [(point.speed, point.force) for point in self.envelope]
        start = (0.0, self.peak_force)
        last = inner[-1][1] if inner else self.peak_force
        return tuple(dict.fromkeys((start, *inner, (self.max_speed, last))))


_TURNING = ("lead", "inertia", "damping", "friction")


def _check_masses(actuator: CatalogueActuator) -> None:
    if actuator.mass is not None and (actuator.housing or actuator.rod):
        raise InputError(
            "given beside housing or rod",
            key="mass",
            value=actuator.mass,
            expected="no mass of the whole where its parts have theirs",
        )
    if (actuator.housing is None) != (actuator.rod is None):
        missing = "housing" if actuator.housing is None else "rod"
        raise InputError("missing", key=missing, expected="both of housing and rod, or none")


def _check_envelope(actuator: CatalogueActuator) -> None:
    for k, point in enumerate(actuator.envelope):
        for key, limit in (("speed", "max_speed"), ("force", "peak_force")):
            value, most = getattr(point, key), getattr(actuator, limit)
            if value > most:
                at, expected = f"envelope[{k}].{key}", f"at most {most:.6g}"
                raise InputError(f"above {limit}", key=at, value=value, expected=expected)
    for k, (one, other) in enumerate(pairwise(actuator.envelope), 1):
        if other.speed <= one.speed:
            raise InputError(
                "not above the speed before it",
                key=f"envelope[{k}].speed",
                value=other.speed,
                expected=f"points in the order of their speeds, above {one.speed:.6g}",
            )


class Catalogue(Record):
    """A catalogue of actuators to choose from."""

    format: Annotated[
        Literal["gough-catalogue/1"],
        Field(alias="schema", description="The version of this file format."),
    ]
    name: Name = Field(min_length=1, description="A short name.")
    reference: str = Field("", description="Where the data come from.")
    notes: str = Field("", description="Assumptions made.")
    actuators: tuple[CatalogueActuator, ...] = Field(
        min_length=1, description="The actuators, each with a name of its own."
    )

    def _check(self) -> None:
        if found := [*given_twice("actuators", [actuator.name for actuator in self.actuators])]:
            raise InputError.together(found)


def load_catalogue(source: str | Path | Mapping[str, Any] | Catalogue | None = None) -> Catalogue:
    """The catalogue of a .toml or .json file, or of plain data.

    Left out, or by its name, "electric-cylinders": Gough's own.

    >>> load_catalogue().actuators[0].stroke
    0.3
    """
    if isinstance(source, Catalogue):
        return source
    if isinstance(source, Mapping):
        return read(Catalogue, plain_data(source))
    if not isinstance(source, str | Path | None):
        raise InputError("not a catalogue", value=source, expected="the path of a file, or a table")
    path = GENERIC if source is None or source == GENERIC.stem else Path(source)
    try:
        data = read_table(path, "a catalogue of actuators")
    except InputError as error:
        if error.problem != NO_SUCH_FILE:
            raise
        expected = f'{error.expected}, or Gough\'s own, "{GENERIC.stem}"'
        raise InputError.of(error, expected=expected) from None
    with about_file(path):
        refuse_other_kinds(data, "catalogue")
        return read(Catalogue, data)
