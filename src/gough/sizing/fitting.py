"""A machine with actuators of a catalogue in it: their masses, drives and stiffness."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from gough.disk.plain_data import PlainData
from gough.errors import GoughError
from gough.robot import Robot
from gough.sizing.loads import QUANTITIES, Mount
from gough.sizing.records import CatalogueActuator
from gough.studies.study import Outputs, Study


def remarks_on(robot: Robot, actuator: CatalogueActuator, mount: Mount) -> tuple[str, ...]:
    """Return remarks on what of a machine with an actuator is not from the catalogue, and why."""
    if not robot.extensible_legs:
        return (
            "masses are those of the robot's file: the file of a machine of "
            "this kind does not state which of its bodies belong to an actuator",
        )
    found = []
    if actuator.housing is None:
        given = "only the mass of the whole" if actuator.mass else "no mass"
        found.append(f"masses of the legs are those of the robot's file: the catalogue has {given}")
    if mount.piece:
        found.append("the piece that lengthens a rod to the middle of its stroke has no mass here")
    keys = ("stiffness", "screw", "connector", "stop")
    replaced = _of_leg(actuator, mount)
    stated = {key for key in keys for leg in robot.extensible_legs if getattr(leg, key) is not None}
    own = [key for key in keys if key in stated and key not in replaced]
    if own:
        found.append(f"{', '.join(own)} of the legs: those of the robot's file, as before")
    return tuple(found)


def studied_with(robot: Robot, actuator: CatalogueActuator, mount: Mount) -> Robot:
    """The robot with an actuator's masses and drives, to be studied; limits are not checked.

    What the robot's file states of the limits of its own actuators is left out.
    """
    free: PlainData = {"stroke": None, "max_force": None, "max_speed": None, "stop": None}
    if robot.extensible_legs:
        update = free | _of_leg(actuator, mount)
        legs = tuple(leg.model_copy(update=update) for leg in robot.extensible_legs)
        return robot.model_copy(update={"legs": legs})
    joints = tuple(
        joint.model_copy(update=free | {"drive": actuator.drive}) if joint.is_driven else joint
        for joint in getattr(robot, "joints", ())
    )
    return robot.model_copy(update={"joints": joints})


def fitted(robot: Robot, actuator: CatalogueActuator, mount: Mount) -> Robot:
    """The robot with an actuator in all its legs: masses, drive, stiffness, stroke and limits.

    What the catalogue does not give, such as connectors and stops, stays as the file has it; a
    stiffness of the catalogue takes the place of the file's and of its screw's.
    """
    if not robot.extensible_legs:
        raise GoughError(
            f"{robot.name}: no hexapod; expected one, whose legs an actuator is put into"
        )
    own = _of_leg(actuator, mount) | {
        "stroke": (mount.start, mount.start + actuator.stroke),
        "max_force": actuator.peak_force,
        "max_speed": actuator.max_speed,
    }
    data = robot.written.in_full
    legs = [{key: x for key, x in leg.items() if key not in own} for leg in data.get("legs", ())]
    shared = {key: x for key, x in data.get("leg", {}).items() if key not in own}
    given = {key: _plain(x) for key, x in own.items() if x is not None}
    changed = {**data, "leg": {**shared, **given}}
    return Robot.from_dict(changed | ({"legs": legs} if legs else {}))


def _plain(value: Any) -> Any:
    """A record as a file has it."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return value


def _of_leg(actuator: CatalogueActuator, mount: Mount) -> PlainData:
    """Return the entries of a leg that come from an actuator, without its limits."""
    update: PlainData = {"drive": actuator.drive}
    if actuator.stiffness is not None:
        update |= {"stiffness": actuator.stiffness, "screw": None}
    if actuator.housing is not None and actuator.rod is not None:
        rod = actuator.rod
        moved = rod.model_copy(update={"center_of_mass": rod.center_of_mass + (mount.piece or 0.0)})
        update |= {"cylinder": actuator.housing, "piston": moved}
    return update


def with_robot(study: Study, robot: Robot) -> Study:
    """Return the study with another robot of the same geometry, keeping what sizing needs."""
    outputs = Outputs(quantities=QUANTITIES, csv=False, report=False)
    written = study.written and {**study.written, "robot": robot.to_dict()}
    return replace(study, robot=robot, outputs=outputs, written=written)
