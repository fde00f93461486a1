"""Records of actuator catalogues: electric cylinders with their screws and motors, ratings."""

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Literal

from gough.errors import InputError, about_file
from gough.fields import quantities as q
from gough.fields.table import entry, optional, read
from gough.fields.user_files import NO_SUCH_FILE, plain_data, read_table, refuse_other_kinds
from gough.robot import Body, Drive
from gough.robot.checks import given_twice
from gough.robot.elastic import STEEL
from gough.robot.record import Record
from gough.robot.records import Motor

GENERIC = Path(__file__).parent / "library" / "electric-cylinders.toml"
"""Electric cylinders of ordinary proportions, no particular products."""
STEEL_DENSITY = 7850.0
"""[kg/m^3]"""
Fixity = Literal["fixed-free", "supported-supported", "fixed-supported", "fixed-fixed"]


class ForceAtSpeed(Record):
    """A point of the maximum force over the speed."""

    speed: q.Speed = entry("Speed of the rod [m/s], in both directions.")
    force: q.Force = entry("Maximum force at that speed [N], in both directions.")


class CatalogueBearing(Record):
    """The bearing that takes the screw's axial load."""

    dynamic_load_rating: q.Force = entry(
        "Axial dynamic load rating C [N]: a million turns under it are the rating life."
    )
    kind: Literal["ball", "roller"] = entry(
        "Its exponent of life after ISO 281: ball 3, roller 10/3.", "ball"
    )
    axial_factor: q.PositiveNumber = entry(
        "Equivalent load P over the axial load: Y of ISO 281.", 1.0
    )


class CylinderScrew(Record):
    """The screw of an electric cylinder: held in a bearing of the housing, its nut on the rod."""

    lead: q.PositiveLength = entry("Travel of the rod per revolution of the screw [m].")
    diameter: q.PositiveLength = entry("Diameter of the screw's core [m].")
    fixity: Fixity = entry(
        "End supports of its free length, at the bearing and at the nut.", "fixed-supported"
    )
    dead_length: q.NotNegativeLength = entry(
        "Free length between bearing and nut with the rod retracted [m]; it grows as the rod "
        "extends.",
        0.0,
    )
    dynamic_load_rating: q.Force | None = optional(
        "Dynamic axial load rating C_a of the nut [N]: a million turns under it are the rating "
        "life."
    )
    bearing: CatalogueBearing | None = optional("Axial bearing of the screw.")
    modulus: q.ElasticModulus = entry("Elastic modulus [Pa].", STEEL)
    density: q.Density = entry("Density [kg/m^3].", STEEL_DENSITY)
    yield_strength: q.SpecificForce | None = optional(
        "Yield strength [Pa]; without it, screws are checked by Euler's load alone."
    )
    inertia: q.RotaryInertia = entry("Inertia of the screw [kg m^2].", 0.0)
    damping: q.RotaryDamping = entry("Viscous friction of the screw [N m s/rad].", 0.0)
    friction: q.DryFriction = entry(
        "Coulomb friction of the screw, independent of its load [N m].", 0.0
    )


class CylinderMotor(Motor):
    """The motor of an electric cylinder, with its amplifier and its continuous ratings."""

    gear_ratio: q.PositiveNumber = entry("Motor revolutions per screw revolution.", 1.0)
    continuous_current: q.Current | None = optional(
        "Continuous current of the motor [A], root mean square; or give continuous_torque."
    )
    continuous_torque: q.Torque | None = optional(
        "Continuous torque of the motor [N m], root mean square: torque_constant times the "
        "continuous current."
    )
    thermal_time_constant: q.Duration | None = optional(
        "Time in which the motor's temperature rise reaches 63 % [s]."
    )

    def _check(self) -> None:
        super()._check()
        torque, key = self.continuous_torque, "continuous_torque"
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

    name: q.Name = entry("Its name.", min_length=1)
    notes: str = entry("Further remarks.", "")
    stroke: q.PositiveLength = entry("Travel of the rod [m].")
    retracted_length: q.PositiveLength = entry(
        "Distance between the centres of its two joints with the rod retracted [m]."
    )
    peak_force: q.Force = entry("Maximum force, at low speed [N], in both directions.")
    continuous_force: q.Force | None = optional("Continuous force [N], root mean square.")
    max_speed: q.Speed = entry("Maximum speed [m/s], in both directions.")
    max_power: q.Power | None = optional("Maximum power [W], driving and braking.")
    max_bandwidth: q.Frequency | None = optional(
        "Maximum frequency [Hz] up to which it follows forces and speeds."
    )
    envelope: tuple[ForceAtSpeed, ...] = entry(
        "Maximum force over the speed: straight lines from peak_force at rest through these "
        "points, level behind the last one up to max_speed. Left out, it is peak_force.",
        (),
    )
    mass: q.PositiveMass | None = optional(
        "Mass of the whole actuator [kg], where its parts are not given."
    )
    housing: Body | None = optional("The part at the base joint, as the cylinder of a leg.")
    rod: Body | None = optional("The part at the platform joint, as the piston of a leg.")
    stiffness: q.Stiffness | None = optional("Axial stiffness [N/m].")
    screw: CylinderScrew | None = optional("Its screw.")
    motor: CylinderMotor | None = optional("Its motor and amplifier.")

    def _check(self) -> None:
        if self.mass is not None and (self.housing or self.rod):
            expected = "no mass of the whole where its parts have theirs"
            problem = "given beside housing or rod"
            raise InputError(problem, key="mass", value=self.mass, expected=expected)
        if (self.housing is None) != (self.rod is None):
            missing = "housing" if self.housing is None else "rod"
            raise InputError("missing", key=missing, expected="both of housing and rod, or none")
        before = -inf
        for k, point in enumerate(self.envelope):
            for key, limit in (("speed", "max_speed"), ("force", "peak_force")):
                value, most = getattr(point, key), getattr(self, limit)
                if value > most:
                    at, expected = f"envelope[{k}].{key}", f"at most {most:.6g}"
                    raise InputError(f"above {limit}", key=at, value=value, expected=expected)
            if point.speed <= before:
                at, problem = f"envelope[{k}].speed", "not above the speed before it"
                expected = f"points in the order of their speeds, above {before:.6g}"
                raise InputError(problem, key=at, value=point.speed, expected=expected)
            before = point.speed

    @property
    def drive(self) -> Drive | None:
        """Motor and screw as a leg of a robot has them; None unless both are known."""
        if self.motor is None or self.screw is None:
            return None
        electric = {name: getattr(self.motor, name) for name in Motor.model_fields}
        turning = ("lead", "inertia", "damping", "friction")
        of_screw = {f"screw_{name}": getattr(self.screw, name) for name in turning}
        return Drive(**electric, **of_screw, gear_ratio=self.motor.gear_ratio)

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Speed and maximum force [m/s, N] where the envelope bends, from rest to max_speed."""
        inner = [(point.speed, point.force) for point in self.envelope]
        corners = [(0.0, self.peak_force), *inner]
        return tuple(dict.fromkeys((*corners, (self.max_speed, corners[-1][1]))))


class Catalogue(Record):
    """A catalogue of actuators to choose from."""

    format: Literal["gough-catalogue/1"] = entry("The version of this file format.", alias="schema")
    name: q.Name = entry("A short name.", min_length=1)
    reference: str = entry("Where the data come from.", "")
    notes: str = entry("Assumptions made.", "")
    actuators: tuple[CatalogueActuator, ...] = entry(
        "The actuators, each with a name of its own.", min_length=1
    )

    def _check(self) -> None:
        if found := [*given_twice("actuators", [actuator.name for actuator in self.actuators])]:
            raise InputError.together(found)


def load_catalogue(
    source: str | Path | Mapping[str, object] | Catalogue | None = None,
) -> Catalogue:
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
