"""A hexapod's numbers as the equations take them: constants, or one vector of parameters."""

from __future__ import annotations

from typing import Any

import casadi as ca

from gough.equations.actuators.friction import JointFriction
from gough.equations.encoders import Encoders
from gough.equations.legs.base_joint import Ball, BaseJoint, Universal
from gough.equations.machine import Leg, LegPart, Machine, Platform
from gough.equations.spatial.algebra import unit
from gough.model.leg_springs import flexures_of, springs_of
from gough.model.named_numbers import Numbers, constants, taken_from
from gough.model.structure import flexible_frames
from gough.robot import Hexapod
from gough.robot import Leg as WrittenLeg


def machine_of(robot: Hexapod) -> Machine:
    """The machine with the robot's numbers as constants."""
    return _machine(robot, constants(robot))


def machine_of_parameters(robot: Hexapod, parameters: Any) -> Machine:
    """The machine of the robot's structure (kinds of legs), its numbers taken from a vector.

    Directions there need not have length one.
    """
    given = taken_from(robot, parameters)

    def numbers(name: str) -> Any:
        return unit(given(name)) if name.endswith(".first_axis") else given(name)

    return _machine(robot, numbers)


def _machine(robot: Hexapod, numbers: Numbers) -> Machine:
    platform = Platform(
        numbers("platform.mass"), numbers("platform.center_of_mass"), numbers("platform.inertia")
    )
    places = [f"legs[{k}]" for k in range(len(robot.legs))]
    legs = [_leg(robot, *pair, numbers) for pair in zip(robot.legs, places, strict=True)]
    offsets, gains = (
        ca.vertcat(*(numbers(f"{at}.{key}") for at in places)) for key in ("length_offset", "gain")
    )
    frames = {f"flexible_{end}": numbers(f"flexibility.{end}") for end in flexible_frames(robot)}
    return Machine(
        numbers("gravity"),
        platform,
        tuple(legs),
        numbers("home"),
        **frames,
        encoders=Encoders(offsets, gains),
    )


def _leg(robot: Hexapod, leg: WrittenLeg, at: str, numbers: Numbers) -> Leg:
    return Leg(
        _base_joint(leg, at, numbers),
        numbers(f"{at}.base"),
        numbers(f"{at}.platform"),
        _part(f"{at}.cylinder", numbers),
        _part(f"{at}.piston", numbers),
        numbers(f"{at}.stroke"),
        springs_of(leg, at, numbers) if robot.elastic else None,
        base_joint_limit=numbers(f"{at}.base_joint_limit"),
        platform_joint_limit=numbers(f"{at}.platform_joint_limit"),
        radius=numbers(f"{at}.radius"),
        damping=None if leg.connector is None else numbers(f"{at}.connector.damping"),
        friction=_friction(leg, at, numbers),
        flexures=flexures_of(leg, at, numbers),
    )


def _friction(leg: WrittenLeg, at: str, numbers: Numbers) -> JointFriction | None:
    if leg.joint_friction is None:
        return None
    keys = type(leg.joint_friction).model_fields
    return JointFriction(**{key: numbers(f"{at}.joint_friction.{key}") for key in keys})


def _part(at: str, numbers: Numbers) -> LegPart:
    return LegPart(*(numbers(f"{at}.{key}") for key in ("mass", "center_of_mass", "inertia")))


def _base_joint(leg: WrittenLeg, at: str, numbers: Numbers) -> BaseJoint:
    """The joint of the first letter of a leg's kind."""
    return Ball() if leg.kind[0] == "S" else Universal(numbers(f"{at}.first_axis"))
