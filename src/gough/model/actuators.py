"""A robot's drives, compliant legs, joint friction and end stops, as the equations take them."""

from dataclasses import fields, replace
from functools import partial
from math import inf, pi
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.actuators.drive import DriveLaw, reflected_mass
from gough.equations.forces import capacity
from gough.equations.forces.capacity import RequiredForces
from gough.equations.forces.contact import StopLaw
from gough.equations.forces.passive_joints import FrictionLaw
from gough.equations.legs.extensible import MODES, RIGID, ConnectorLaw, Mode
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import inverse_kinematics
from gough.errors import RobotError
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH, Definition, define, forces
from gough.model.mechanism.kept import findings
from gough.model.named_numbers import Numbers, constants
from gough.model.parameters import machine_of
from gough.model.springs import bends, connector_of
from gough.model.structure import Structure
from gough.robot import Actuator, Drive, GearDrive, Leg, Mechanism, Robot

_NOT_ASKED = ("max_current", "max_voltage", "fade_speed")
DRIVE_NUMBERS = [f.name for f in fields(DriveLaw) if f.name not in _NOT_ASKED]
"""Numbers of a drive that say what a motion asks of it, limits apart."""
DIRECTION = Argument("direction", (6,), "N, N m", "a wrench on the platform")


def drives_of(robot: Robot) -> tuple[DriveLaw, ...]:
    """The drives of all actuators. An actuator without one is a RobotError."""
    numbers = constants(robot)
    return tuple(drive_law(actuator, numbers) for actuator in robot.actuators)


def rotor_masses_of(robot: Robot) -> tuple[float, ...]:
    """Return drives' inertia, reflected to legs and joints [kg, kg m^2]; zero without a drive."""
    numbers = constants(robot)
    drives = (None if a.drive is None else drive_law(a, numbers) for a in robot.actuators)
    return tuple(0.0 if drive is None else float(reflected_mass(drive)) for drive in drives)


def connectors_of(robot: Robot, mode: Mode = "complete") -> tuple[ConnectorLaw, ...]:
    """The connectors of all legs in an operating mode; every mode but "rigid" needs its parts."""
    if mode not in MODES:
        raise RobotError("unknown mode of the connectors", value=mode, expected=", ".join(MODES))
    numbers = constants(robot)
    return tuple(_connector(leg, k, mode, numbers) for k, leg in enumerate(robot.extensible_legs))


def joint_frictions_of(robot: Robot) -> tuple[FrictionLaw, ...]:
    """The friction in all joints that state some, but for that of actuators' transmissions."""
    return tuple(law for law in machine_of(robot).frictions if not law.of_transmission)


def transmission_frictions_of(robot: Robot) -> tuple[FrictionLaw, ...]:
    """The friction of actuators' transmissions, of hexapods: `connector.damping` of rigid legs."""
    return tuple(law for law in machine_of(robot).frictions if law.of_transmission)


def stops_of(robot: Robot) -> tuple[StopLaw | None, ...]:
    """The end stops of all actuators; None where there is no stop or no end of travel."""
    numbers = constants(robot)
    return tuple(stop_law(actuator, numbers) for actuator in robot.actuators)


def voltage_limits(robot: Robot) -> tuple[float, ...]:
    """Return the maximum voltage of each amplifier [V]; infinite where none is known."""
    known = [a.drive.max_voltage if a.drive else None for a in robot.actuators]
    return tuple(inf if limit is None else limit for limit in known)


def as_screw(drive: Drive | GearDrive) -> dict[str, Any]:
    """A drive's numbers; a gear is a screw by which a joint turns 2π rad in a turn."""
    numbers = drive.model_dump()
    if isinstance(drive, Drive):
        return numbers
    ratio = {"gear_ratio": numbers.pop("gear_ratio"), "screw_lead": 2 * pi}
    return {key.replace("gear_", "screw_"): value for key, value in numbers.items()} | ratio


def drive_places(structure: Structure) -> list[str]:
    """Places of the drives among a machine's numbers, in the order of the actuators."""
    suffix = ".drive.resistance"
    return [n.removesuffix("resistance") for n in structure.numbers if n.endswith(suffix)]


def drive_laws(structure: Structure, machine: Machine) -> list[DriveLaw]:
    """The drives of a machine whose actuators all state one, of its numbers or of symbols.

    As of `as_screw`, a gear is a screw by which a joint turns 2π rad in a turn.
    """

    def number(place: str, name: str) -> Any:
        for key in (place + name, place + name.replace("screw_", "gear_")):
            if key in structure.numbers:
                return machine.limit(key)
        return ca.DM(2 * pi) if name == "screw_lead" else None

    places = drive_places(structure)
    return [DriveLaw(**{name: number(place, name) for name in DRIVE_NUMBERS}) for place in places]


def drive_law(actuator: Actuator, numbers: Numbers) -> DriveLaw:
    """The drive of an actuator, of its robot's numbers or of symbols."""
    drive = actuator.drive
    if drive is None:
        expected = "a motor and a gear" if actuator.turns else "a motor and a screw"
        expected = f"{expected}, to simulate drives"
        raise RobotError("missing", key=f"{actuator.key}.drive", expected=expected)
    found: dict[str, Any] = {}
    for name, x in as_screw(drive).items():
        key = name if isinstance(drive, Drive) else name.replace("screw_", "gear_")
        if x is not None:  # a gear has no lead
            stated = key in type(drive).model_fields
            found[name] = numbers(f"{actuator.key}.drive.{key}") if stated else ca.DM(x)
    if drive.inductance == 0.0:
        found["inductance"] = None
    if drive.efficiency == 1.0 and drive.back_efficiency in (None, 1.0):
        found["efficiency"] = None
    return DriveLaw(**found)


_PARTS = {
    "stiffness": ("K_L", ("simple", "high-frequency")),
    "coupling": ("a coupling stage", ("low-frequency", "complete")),
    "decoupling": ("a decoupling stage on a spring", ("high-frequency", "complete")),
}
"""Parts of a connector, and the modes that need each."""


def _connector(leg: Leg, k: int, mode: Mode, numbers: Numbers) -> ConnectorLaw:
    """A leg's connector, or an error where a mode needs a part that it does not have."""
    if leg.connector is None:
        if mode == "rigid":
            return RIGID
        raise _missing(k, "connector", f'the stiffness of the leg, for mode "{mode}"')
    connector = connector_of(leg, f"legs[{k}]", numbers)
    for key, (words, modes) in _PARTS.items():
        if mode in modes and getattr(connector, key) is None:
            raise _missing(k, f"connector.{key}", f'{words}, for mode "{mode}"')
    if mode != "rigid" and leg.piston.mass == 0.0:
        problem = "a compliant leg moves its piston, which has no mass"
        key = f"legs[{k}].piston.mass"
        raise RobotError(problem, key=key, leg=k + 1, value=0.0, expected="a mass above 0 kg")
    return connector.in_mode(mode)


def has_springs(robot: Robot) -> bool:
    """Whether the robot file states springs of passive joints, beside motors, or between bodies."""
    legs, joints = robot.extensible_legs, robot.listed_joints
    beside = any(getattr(joint, "spring", None) is not None for joint in joints)
    if robot.springs or beside:
        return True
    return findings(robot).bends if isinstance(robot, Mechanism) else any(map(bends, legs))


def stop_law(actuator: Actuator, numbers: Numbers) -> StopLaw | None:
    """The end stops of an actuator, of its robot's numbers or of symbols, if it has any."""
    if actuator.stop is None or actuator.travel is None:
        return None
    ends = ca.vertsplit(numbers(f"{actuator.key}.{actuator.travel_key}"))
    of_stop = (numbers(f"{actuator.key}.stop.{key}") for key in ("stiffness", "restitution"))
    return StopLaw(*ends, *of_stop)


def _missing(k: int, key: str, expected: str) -> RobotError:
    return RobotError("missing", key=f"legs[{k}].{key}", leg=k + 1, expected=expected)


def of_capacity(structure: Structure, required_forces: RequiredForces) -> dict[str, Definition]:
    """The kernels by name, from what a derivation says that a motion takes."""
    if structure.actuators < structure.dof:
        return {}
    most = replace(
        forces(structure), name="max_force", meaning="maximum forces, without sign", optional=False
    )
    state = (TWIST, ACCELERATION, WRENCH)
    return {
        "wrench_margin": define(partial(capacity.wrench_margin, required_forces),
            (POSE, most, *state),
            Argument("margin", (), "N", "that can act besides, moments over a length")),
        "load_range": define(partial(capacity.load_range, required_forces),
            (POSE, most, DIRECTION, *state),
            Argument("range", (2,), "1", "minimum and maximum multiple of the direction")),
    }  # fmt: skip


def of_encoders(structure: Structure) -> dict[str, Definition]:
    """Return the kernels from positions to the readings of the actuators' encoders, and back."""
    n, unit = (structure.actuators,), structure.unit
    readings = Argument("readings", n, unit, "of the actuators' encoders")
    return {
        "readings": define(
            lambda machine, pose: machine.encoders.readings(inverse_kinematics(machine, pose)),
            (POSE,), readings,
            doc="What the encoders read at a pose: position = gain · reading + offset."),
        "positions": define(lambda machine, readings: machine.encoders.positions(readings),
            (readings,), Argument("q", n, unit, "true positions of the actuators"),
            doc="Where the actuators are, from what their encoders read."),
    }  # fmt: skip
