"""Actuators of a catalogue in a machine: their mounting, and the loads in a motion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from pydantic import BaseModel

from gough.analysis.quantities import positions_of, table_of
from gough.analysis.results import Results
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import GoughError
from gough.robot import Robot
from gough.sizing.records import CatalogueActuator


@dataclass(frozen=True, eq=False)
class ActuatorLoad:
    """Loads of linear actuators in one motion, all arrays over time and actuators."""

    motion: str
    """Its name."""
    time: Array
    """(T,) [s]"""
    position: Array
    """[m]: of a hexapod the lengths of its legs."""
    speed: Array
    """[m/s]"""
    force: Array
    """[N], positive when it extends the actuator."""
    current: Array | None = None
    """Currents of the motors [A], where these are known."""
    torque: Array | None = None
    """Torques of the motors [N m]."""
    voltage: Array | None = None
    """Voltages of the amplifiers [V]."""

    @property
    def power(self) -> Array:
        """Mechanical power [W]."""
        return self.force * self.speed

    @classmethod
    def of(cls, results: Results) -> Self:
        """Return the loads in results; a motion without a number at some time is refused."""
        check_linear(results.robot)
        name = results.name
        position = positions_of(table_of(results.robot))
        speed = "leg_speed" if position == "leg_length" else "actuator_speed"
        if "actuator_length" in results:  # on compliant legs
            position, speed = "actuator_length", "actuator_length_rate"
        moved = {"position": results[position], "speed": results[speed], "force": results["force"]}
        for part, values in moved.items():
            lost = int((~np.isfinite(values)).any(axis=1).sum())
            if lost:
                raise GoughError(
                    f"{name}: {lost} of {len(values)} samples have no {part}s, as near a singular "
                    f"configuration or out of reach; expected a motion with {part}s all along"
                )
        parts = ("current", "torque", "voltage")
        motors = {part: results[f"motor_{part}"] for part in parts if f"motor_{part}" in results}
        return cls(name, results.time, **moved, **motors)


class Mount(NamedTuple):
    """Mounting of a linear actuator in a machine."""

    start: float
    """Position [m] of the actuated joint with the rod retracted: of a leg, its length."""
    piece: float | None
    """Fixed length [m] between rod and joint; None where the machine's file does not give it."""


def ranges(loads: Sequence[ActuatorLoad]) -> Array:
    """(2, actuators) the minimum and maximum position [m] over all motions."""
    positions = np.concatenate([load.position for load in loads])
    return np.array([positions.min(axis=0), positions.max(axis=0)])


def mount(robot: Robot, used: Array, stroke: float, retracted: float) -> Mount:
    """An actuator so that the positions used lie around the middle of its stroke.

    In a leg a piece lengthens the rod if need be; it is never shortened.
    """
    start = float(used.min() + used.max() - stroke) / 2
    if not robot.extensible_legs:
        return Mount(start, None)
    piece = max(0.0, start - retracted)
    return Mount(retracted + piece, piece)


def check_linear(robot: Robot) -> None:
    """Refuse a machine some of whose actuators turn."""
    turning = [actuator.name for actuator in robot.actuators if actuator.turns]
    if turning:
        expected = "linear actuators alone, as catalogues of cylinders have"
        raise GoughError(f"{robot.name}: {', '.join(turning)} turn; expected {expected}")


def remarks_on(robot: Robot, actuator: CatalogueActuator, mount: Mount) -> tuple[str, ...]:
    """Return remarks on what of a machine with an actuator is not from the catalogue, and why."""
    if not robot.extensible_legs:
        masses = "masses are those of the robot's file: the file of a machine of "
        masses += "this kind does not state which of its bodies belong to an actuator"
        rotors = "armatures of driven joints are left out: the catalogue's drives have inertia"
        driven = (joint for joint in robot.listed_joints if joint.is_driven)
        armed = any(getattr(joint, "armature", None) for joint in driven)
        return (masses, rotors) if armed and _has_inertia(actuator) else (masses,)
    given = "only the mass of the whole" if actuator.mass else "no mass"
    legs, replaced = robot.extensible_legs, _of_leg(actuator, mount)
    keys = [key for key in ("stiffness", "screw", "connector", "stop") if key not in replaced]
    own = [key for key in keys if any(getattr(leg, key) is not None for leg in legs)]
    masses = f"masses of the legs are those of the robot's file: the catalogue has {given}"
    remarks = {
        masses: actuator.housing is None,
        "the piece that lengthens a rod to the middle of its stroke has no mass here": mount.piece,
        f"{', '.join(own)} of the legs: those of the robot's file, as before": own,
    }
    return tuple(words for words, true in remarks.items() if true)


def studied_with(robot: Robot, actuator: CatalogueActuator, mount: Mount) -> Robot:
    """The robot with an actuator's masses and drives, to be studied; limits are not checked.

    What the robot's file states of the limits of its own actuators is left out.
    """
    keys = ("stroke", "max_force", "max_speed", "max_power", "max_bandwidth", "stop")
    free: PlainData = dict.fromkeys(keys)
    if robot.extensible_legs:
        update = free | _of_leg(actuator, mount)
        legs = tuple(leg.model_copy(update=update) for leg in robot.extensible_legs)
        return robot.model_copy(update={"legs": legs})
    drive: PlainData = {"drive": actuator.drive}
    drive |= {"armature": None} if _has_inertia(actuator) else {}  # it would count twice
    own = getattr(robot, "joints", ())
    joints = (j.model_copy(update=free | drive) if j.is_driven else j for j in own)
    return robot.model_copy(update={"joints": tuple(joints)})


def with_actuator(robot: Robot, actuator: CatalogueActuator, mount: Mount) -> Robot:
    """The robot with an actuator in all its legs: masses, drive, stiffness, stroke and limits.

    What the catalogue does not give, such as connectors and stops, stays as the file has it; a
    stiffness of the catalogue takes the place of the file's and of its screw's.
    """
    if not robot.extensible_legs:
        expected = "one, whose legs an actuator is put into"
        raise GoughError(f"{robot.name}: no hexapod; expected {expected}")
    own = _of_leg(actuator, mount) | {"stroke": (mount.start, mount.start + actuator.stroke)}
    own |= {"max_force": actuator.peak_force}
    own |= {key: getattr(actuator, key) for key in ("max_speed", "max_power", "max_bandwidth")}
    data = robot.written.in_full
    legs = [{key: x for key, x in leg.items() if key not in own} for leg in data.get("legs", ())]
    shared = {key: x for key, x in data.get("leg", {}).items() if key not in own}
    as_file: dict[str, Any] = {"mode": "json", "by_alias": True, "exclude_none": True}
    known = ((key, x) for key, x in own.items() if x is not None)
    given = {key: x.model_dump(**as_file) if isinstance(x, BaseModel) else x for key, x in known}
    changed = {**data, "leg": {**shared, **given}}
    return Robot.from_dict(changed | ({"legs": legs} if legs else {}))


def _has_inertia(actuator: CatalogueActuator) -> bool:
    return actuator.drive is not None and actuator.drive.own_inertia > 0


def _of_leg(actuator: CatalogueActuator, mount: Mount) -> PlainData:
    """Return the entries of a leg that come from an actuator, without its limits."""
    update: PlainData = {"drive": actuator.drive}
    if actuator.stiffness is not None:
        update |= {"stiffness": actuator.stiffness, "screw": None}
    if (rod := actuator.rod) is not None:
        moved = rod.model_copy(update={"center_of_mass": rod.center_of_mass + (mount.piece or 0.0)})
        update |= {"cylinder": actuator.housing, "piston": moved}
    return update
