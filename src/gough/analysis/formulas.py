"""The quantities of a study as equations of one state: together, so that none is done twice."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import casadi as ca

from gough.analysis.drives import NAMES as OF_MOTORS
from gough.analysis.drives import NUMBERS, motor_demands
from gough.analysis.quantities import QUANTITIES
from gough.compiler.front.argument import Argument
from gough.equations.dynamics import DEFAULT_FORMULATION
from gough.equations.legs import passive
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.platform import singularity as singular
from gough.kinematics.singularity.singularity import LENGTH, condition
from gough.model.catalogue import ACCELERATION, POSE, TWIST, WRENCH, definitions
from gough.model.structure import structure_of_machine

INPUTS = (
    POSE,
    TWIST,
    ACCELERATION,
    WRENCH,
    LENGTH,
    Argument("max_force", (6,), "N", "NaN where a leg states none, as in the other limits"),
    Argument("max_speed", (6,), "m/s"),
    Argument("shortest", (6,), "m", "of the stroke"),
    Argument("longest", (6,), "m", "of the stroke"),
    NUMBERS,
)

# Kernel of a model, how many of pose, twist, acceleration, wrench it takes, and what it gives.
_SOURCES: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("inverse_kinematics", 1, ("leg_length",)),
    ("joint_velocity", 2, ("leg_speed",)),
    ("joint_acceleration", 3, ("leg_acceleration",)),
    ("inverse_dynamics", 4, ("force",)),
    ("energy", 2, ("energy",)),
    (
        "force_parts",
        4,
        ("gravity_share", "inertia_share", "velocity_share", "external_share"),
    ),
    (
        "force_decomposition",
        4,
        (
            "external",
            "platform_share",
            "leg_gravity_share",
            "tangential_share",
            "coriolis_share",
            "centrifugal_share",
        ),
    ),
    (
        "reactions",
        4,
        ("base_force", "base_moment", "platform_force", "slide_force", "slide_moment"),
    ),
)
_NEGLECTED = ("tangential_share", "coriolis_share", "centrifugal_share")
_DERIVED = ("power", "force_index", "speed_margin", "stroke_margin", "gravity_only_error")

SHAPES: dict[str, tuple[int, ...]] = {
    **{name: (6,) for _, _, given in _SOURCES for name in given},
    **dict.fromkeys((*_DERIVED, *OF_MOTORS), (6,)),
    **dict.fromkeys(_SOURCES[-1][-1], (6, 3)),
    "energy": (2,),
    "condition": (),
    "determinant": (),
    "universal_joint_sine": (6,),
    "universal_joint_angle": (6, 2),
    "spherical_joint_tilt": (6,),
    "base_joint_tilt": (6,),
}
"""What there are formulas for, and the shape of each."""


def output(name: str) -> Argument:
    """A quantity as the result of a function."""
    definition = QUANTITIES[name]
    return Argument(name, SHAPES[name], definition.unit, definition.meaning)


def quantities(machine: Machine, names: Collection[str], *inputs: Any) -> dict[str, Any]:
    """The named quantities, and others that they are made of, from what INPUTS lists."""
    pose, twist, acceleration, wrench, length, *limits, drives = inputs
    found = _of_models(machine, names, pose, twist, acceleration, wrench)
    found["determinant"] = singular.determinant(machine, pose)
    found["universal_joint_sine"] = singular.universal_joint_sines(machine, pose)
    if "condition" in names:
        found["condition"] = condition(machine, pose, length)
    found |= _of_joints(machine, pose)
    if not set(OF_MOTORS).isdisjoint(names):
        legs = (found[name] for name in ("leg_speed", "leg_acceleration", "force"))
        found |= motor_demands(drives, *legs)
    return found | _derived(found, *limits)


def _of_models(machine: Machine, names: Collection[str], *state: Any) -> dict[str, Any]:
    needed = {"leg_length", "leg_speed", "force", *names}
    if "gravity_only_error" in names:
        needed |= set(_NEGLECTED)
    if not set(OF_MOTORS).isdisjoint(names):
        needed.add("leg_acceleration")
    known = definitions(structure_of_machine(machine), DEFAULT_FORMULATION)
    found = dict[str, Any]()
    for kernel, count, given in _SOURCES:
        if not needed.isdisjoint(given):
            result = known[kernel].equation(machine, *state[:count])
            found |= zip(given, result if len(given) > 1 else (result,), strict=True)
    return found


def _of_joints(machine: Machine, pose: Any) -> dict[str, Any]:
    tilts = [
        passive.angle_between(leg_position(leg, machine.home).s, leg_position(leg, pose).s)
        for leg in machine.legs
    ]
    return {
        "universal_joint_angle": passive.universal_joint_angles(machine, pose, machine.home),
        "spherical_joint_tilt": passive.spherical_joint_tilt(machine, pose, machine.home),
        "base_joint_tilt": ca.vertcat(*tilts),
    }


def _derived(
    found: dict[str, Any], max_force: Any, max_speed: Any, shortest: Any, longest: Any
) -> dict[str, Any]:
    length, speed, force = found["leg_length"], found["leg_speed"], found["force"]
    made = {
        "power": force * speed,
        "force_index": 1 - ca.fabs(force) / max_force,
        "speed_margin": max_speed - ca.fabs(speed),
        "stroke_margin": ca.fmin(length - shortest, longest - length),
    }
    if set(_NEGLECTED) <= set(found):
        made["gravity_only_error"] = sum(found[name] for name in _NEGLECTED)
    return made
