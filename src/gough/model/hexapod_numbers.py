"""A hexapod's numbers as the equations take them: constants, or one vector of parameters."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca

from gough.equations.legs.base_joint import BallBase, BaseJoint, UniversalBase
from gough.equations.legs.extensible import (
    Encoders,
    ExtensibleLegs,
    Leg,
    LegFriction,
    LegPart,
    RigidPlatform,
)
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, unit
from gough.model.hexapod_machine import hexapod_machine
from gough.model.leg_springs import flexures_of, springs_of
from gough.model.named_numbers import Numbers, constants, taken_from
from gough.model.structure import flexible_frames
from gough.model.variables import parameters_of_variables
from gough.robot import Hexapod
from gough.robot import Leg as WrittenLeg


@lru_cache(maxsize=16)  # it is asked for many times over
def machine_of(robot: Hexapod) -> Machine:
    """The machine with the robot's numbers as constants."""
    numbers = constants(robot)
    return hexapod_machine(extensible_legs(robot, numbers), numbers)


def machine_of_parameters(robot: Hexapod, parameters: Value) -> Machine:
    """The machine of the robot's structure (kinds of legs), its numbers taken from a vector.

    Directions there need not have length one.
    """
    given = taken_from(robot, parameters)

    def numbers(name: str) -> Value:
        return unit(given(name)) if name.endswith(".first_axis") else given(name)

    return hexapod_machine(extensible_legs(robot, numbers), numbers)


def machine_of_variables(robot: Hexapod, names: tuple[str, ...], chosen: Value) -> Machine:
    """The machine with some numbers of its file from a vector, all others as they are."""
    return machine_of_parameters(robot, parameters_of_variables(robot, names, chosen))


def extensible_legs(robot: Hexapod, numbers: Numbers) -> ExtensibleLegs:
    """The robot as the short equations of hexapods take it."""
    platform = RigidPlatform(
        numbers("platform.mass"), numbers("platform.center_of_mass"), numbers("platform.inertia")
    )
    places = [f"legs[{k}]" for k in range(len(robot.legs))]
    legs = [_leg(robot, *pair, numbers) for pair in zip(robot.legs, places, strict=True)]
    offsets, gains = (
        ca.vertcat(*(numbers(f"{at}.{key}") for at in places)) for key in ("length_offset", "gain")
    )
    frames = {f"flexible_{end}": numbers(f"flexibility.{end}") for end in flexible_frames(robot)}
    return ExtensibleLegs(
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


def _friction(leg: WrittenLeg, at: str, numbers: Numbers) -> LegFriction | None:
    if leg.joint_friction is None:
        return None
    keys = type(leg.joint_friction).model_fields
    return LegFriction(**{key: numbers(f"{at}.joint_friction.{key}") for key in keys})


def _part(at: str, numbers: Numbers) -> LegPart:
    return LegPart(*(numbers(f"{at}.{key}") for key in ("mass", "center_of_mass", "inertia")))


def _base_joint(leg: WrittenLeg, at: str, numbers: Numbers) -> BaseJoint:
    """The joint of the first letter of a leg's kind."""
    return BallBase() if leg.kind[0] == "S" else UniversalBase(numbers(f"{at}.first_axis"))
