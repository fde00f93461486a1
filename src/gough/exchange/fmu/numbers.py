"""A plant whose numbers are symbols: of bodies, drives, friction, stops and limits."""

from __future__ import annotations

from dataclasses import fields, replace
from math import isfinite

import casadi as ca

from gough.equations.actuators.drive import Drive
from gough.equations.actuators.friction import JointFriction
from gough.equations.actuators.stop import Stop
from gough.equations.mechanism.friction import Rubbing
from gough.equations.spatial.algebra import Value
from gough.model.named_numbers import Numbers
from gough.robot import Actuator, GearDrive, Hexapod, Robot
from gough.robot.numbers import numbers_of
from gough.simulation.plants import Plant
from gough.simulation.plants.drives import Amplifiers, Motors, force_per_ampere
from gough.simulation.plants.real import RealPlant


def with_numbers(plant: Plant, given: Numbers) -> Plant:
    """The plant whose drives, friction and stops have these numbers of its robot, by name."""
    if not isinstance(plant, RealPlant):
        return plant
    actuators, mover = plant.robot.actuators, plant.mover
    if isinstance(mover, Motors):
        pairs = zip(mover.drives, actuators, strict=True)
        mover = replace(mover, drives=tuple(_drive(d, a, given) for d, a in pairs))
    stops = {k: _stop(stop, actuators[k], given) for k, stop in plant.stops.items()}
    frictions = tuple(_friction(plant.robot, k, f, given) for k, f in enumerate(plant.frictions))
    return replace(plant, mover=mover, stops=stops, frictions=frictions)


def limits(plant: Plant, given: Numbers) -> Value:
    """The largest command of each actuator, of these numbers; infinite where there is none."""
    each = zip(plant.limit, range(plant.actuators), strict=True)
    return ca.vertcat(*(_limit(plant, k, given) if isfinite(x) else ca.inf for x, k in each))


def _limit(plant: Plant, k: int, given: Numbers) -> Value:
    actuator, mover, found = plant.robot.actuators[k], plant.mover, []
    told_forces = not isinstance(mover, Motors) or isinstance(mover, Amplifiers)
    if told_forces and actuator.max_force is not None:
        found.append(given(f"{actuator.key}.{actuator.force_key}"))
    if isinstance(mover, Motors):
        drive = mover.drives[k]
        if not told_forces:
            found.append(drive.max_voltage)
        elif drive.max_current is not None:
            found.append(drive.max_current * force_per_ampere(drive))
    return found[0] if len(found) == 1 else ca.fmin(*found)


def _drive(drive: Drive, actuator: Actuator, given: Numbers) -> Drive:
    """A gear is a screw by which a joint turns 2π rad in a turn, see `as_screw`."""
    written, geared = actuator.drive, isinstance(actuator.drive, GearDrive)
    assert written is not None
    keys = {f.name: f.name.replace("screw_", "gear_") if geared else f.name for f in fields(drive)}
    stated = {
        name: given(f"{actuator.key}.drive.{key}")
        for name, key in keys.items()
        if key in type(written).model_fields and getattr(drive, name) is not None
    }
    return replace(drive, **stated)


def _stop(stop: Stop, actuator: Actuator, given: Numbers) -> Stop:
    travel = given(f"{actuator.key}.{actuator.travel_key}")
    stiffness, restitution = (
        given(f"{actuator.key}.stop.{key}") for key in ("stiffness", "restitution")
    )
    return replace(
        stop, shortest=travel[0], longest=travel[1], stiffness=stiffness, restitution=restitution
    )


def _friction(
    robot: Robot, k: int, friction: JointFriction | Rubbing, given: Numbers
) -> JointFriction | Rubbing:
    if isinstance(friction, Rubbing):
        at = f"joints[{friction.joint}]"
        known = numbers_of(robot)
        stated = [key for key in ("damping", "friction") if f"{at}.{key}" in known]
        return replace(friction, **{key: given(f"{at}.{key}") for key in stated})
    assert isinstance(robot, Hexapod)
    written = robot.legs[k].joint_friction
    if written is None:
        return friction
    keys = type(written).model_fields
    return replace(friction, **{key: given(f"legs[{k}].joint_friction.{key}") for key in keys})
