"""A robot's drives, compliant legs, joint friction and end stops, as the equations take them."""

from __future__ import annotations

from math import inf, pi
from typing import Any

import casadi as ca

from gough.equations.actuators.connector import (
    MODES,
    RIGID,
    Connector,
    Coupling,
    Decoupling,
    Mode,
    in_mode,
)
from gough.equations.actuators.drive import Drive, reflected_mass
from gough.equations.actuators.friction import JointFriction
from gough.equations.actuators.stop import Stop
from gough.equations.any_machine import stated_frictions
from gough.equations.mechanism.friction import Rubbing
from gough.errors import RobotError
from gough.model.leg_springs import bends
from gough.model.parameters import machine_of
from gough.robot import Actuator, GearDrive, Hexapod, Leg, Mechanism, Robot
from gough.robot import Drive as ScrewDrive
from gough.robot import JointFriction as WrittenFriction


def drives_of(robot: Robot) -> tuple[Drive, ...]:
    """The drives of all actuators. An actuator without one is a RobotError."""
    return tuple(_drive(actuator) for actuator in robot.actuators)


def rotor_masses_of(robot: Robot) -> tuple[float, ...]:
    """What the drives of all actuators weigh, as legs and joints feel it [kg, kg m^2].

    Zero without a drive.
    """
    drives = (None if a.drive is None else _drive(a) for a in robot.actuators)
    return tuple(0.0 if drive is None else float(reflected_mass(drive)) for drive in drives)


def connectors_of(robot: Hexapod, mode: Mode = "complete") -> tuple[Connector, ...]:
    """The connectors of all legs in an operating mode; every mode but "rigid" needs its parts."""
    if mode not in MODES:
        raise RobotError("unknown mode of the connectors", value=mode, expected=", ".join(MODES))
    return tuple(_connector(leg, k, mode) for k, leg in enumerate(robot.legs))


def joint_frictions_of(robot: Robot) -> tuple[JointFriction, ...] | tuple[Rubbing, ...]:
    """The friction in all joints, as the equations of the robot's kind take it.

    Of a hexapod that of the passive joints, for each leg.
    """
    if isinstance(robot, Hexapod):
        return tuple(_joint_friction(leg) for leg in robot.legs)
    found: tuple[Rubbing, ...] = stated_frictions(machine_of(robot))
    return found


def stops_of(robot: Robot) -> tuple[Stop | None, ...]:
    """The end stops of all actuators; None where there is no stop or no end of travel."""
    return tuple(_stop(actuator) for actuator in robot.actuators)


def voltage_limits(robot: Robot) -> tuple[float, ...]:
    """The largest voltage of each amplifier [V]; infinite where none is known."""
    known = [a.drive.max_voltage if a.drive else None for a in robot.actuators]
    return tuple(inf if limit is None else limit for limit in known)


def as_screw(drive: ScrewDrive | GearDrive) -> dict[str, Any]:
    """A drive's numbers; a gear is a screw by which a joint turns 2π rad in a turn."""
    numbers = drive.model_dump()
    if isinstance(drive, ScrewDrive):
        return numbers
    as_screw = {key.replace("gear_", "screw_"): value for key, value in numbers.items()}
    del as_screw["screw_ratio"]
    return as_screw | {"gear_ratio": drive.gear_ratio, "screw_lead": 2 * pi}


def _drive(actuator: Actuator) -> Drive:
    drive = actuator.drive
    if drive is None:
        expected = "a motor and a gear" if actuator.turns else "a motor and a screw"
        raise RobotError(
            "missing", key=f"{actuator.key}.drive", expected=f"{expected}, to simulate drives"
        )
    numbers: dict[str, Any] = {
        key: None if value is None else ca.DM(value) for key, value in as_screw(drive).items()
    }
    if drive.inductance == 0.0:
        numbers["inductance"] = None
    if drive.efficiency == 1.0 and drive.back_efficiency in (None, 1.0):
        numbers["efficiency"] = None
    return Drive(**numbers)


def _connector(leg: Leg, k: int, mode: Mode) -> Connector:
    written = leg.connector
    if written is None:
        if mode == "rigid":
            return RIGID
        raise _missing(k, "connector", f'the stiffness of the leg, for mode "{mode}"')
    coupling, stage = written.coupling, written.decoupling
    connector = Connector(
        ca.DM(written.damping),
        None if written.stiffness is None else ca.DM(written.stiffness),
        None
        if coupling is None
        else Coupling(
            ca.DM(coupling.stiffness), ca.DM(coupling.damping) if coupling.damping > 0 else None
        ),
        None
        if stage is None or stage.stiffness is None
        else Decoupling(*map(ca.DM, (stage.mass, stage.position, stage.stiffness, stage.damping))),
    )
    _check_parts(leg, k, mode, connector)
    return in_mode(connector, mode)


def _check_parts(leg: Leg, k: int, mode: Mode, connector: Connector) -> None:
    """Complain if a mode asks for a part that is not there, or is there without mass."""
    if mode in ("simple", "high-frequency") and connector.stiffness is None:
        raise _missing(k, "connector.stiffness", f'K_L, for mode "{mode}"')
    if mode in ("low-frequency", "complete") and connector.coupling is None:
        raise _missing(k, "connector.coupling", f'a coupling stage, for mode "{mode}"')
    if mode in ("high-frequency", "complete") and connector.decoupling is None:
        raise _missing(
            k, "connector.decoupling", f'a decoupling stage on a spring, for mode "{mode}"'
        )
    if mode != "rigid" and leg.piston.mass == 0.0:
        raise RobotError(
            "a compliant leg moves its piston, which has no mass",
            key=f"legs[{k}].piston.mass",
            leg=k + 1,
            value=0.0,
            expected="a mass above 0 kg",
        )


def has_springs(robot: Robot) -> bool:
    """Whether the robot file states springs of passive joints."""
    if isinstance(robot, Hexapod):
        return any(map(bends, robot.legs))
    assert isinstance(robot, Mechanism)
    passive = (joint for joint in robot.joints if not joint.is_driven)
    return any(getattr(joint, "stiffness", None) is not None for joint in passive)


def _joint_friction(leg: Leg) -> JointFriction:
    written = leg.joint_friction or WrittenFriction()
    return JointFriction(
        ca.DM(written.base_damping),
        ca.DM(written.base_friction),
        ca.DM(written.platform_damping),
        ca.DM(written.platform_friction),
    )


def _stop(actuator: Actuator) -> Stop | None:
    if actuator.stop is None or actuator.travel is None:
        return None
    numbers = (*actuator.travel, actuator.stop.stiffness, actuator.stop.restitution)
    return Stop(*map(ca.DM, numbers))


def _missing(k: int, key: str, expected: str) -> RobotError:
    return RobotError("missing", key=f"legs[{k}].{key}", leg=k + 1, expected=expected)
