"""The quantities of a study as equations of one state: together, so that none is done twice."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import casadi as ca

from gough.analysis.drives import OF_MOTORS, drives_argument, motor_demands
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

_NEGLECTED = ("tangential_share", "coriolis_share", "centrifugal_share")


def inputs(legs: int) -> tuple[Argument, ...]:
    """What the quantities of a machine with so many legs are made of."""
    return (
        POSE,
        TWIST,
        ACCELERATION,
        WRENCH,
        LENGTH,
        Argument("max_force", (legs,), "N", "NaN where a leg states none, as in the other limits"),
        Argument("max_speed", (legs,), "m/s"),
        Argument("shortest", (legs,), "m", "of the stroke"),
        Argument("longest", (legs,), "m", "of the stroke"),
        drives_argument(legs),
    )


def quantities(machine: Machine, names: Collection[str], *given: Any) -> dict[str, Any]:
    """The named quantities, and others that they are made of, from what `inputs` lists."""
    pose, twist, acceleration, wrench, length, *limits, drives = given
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
    for kernel, given in _sources().items():
        if not needed.isdisjoint(given.values()):
            source = known[kernel]
            result = source.equation(machine, *state[: len(source.inputs)])
            if len(source.outputs) == 1:
                found[given[""]] = result
            else:
                results = zip((a.name for a in source.outputs), result, strict=True)
                found |= {given[name]: value for name, value in results if name in given}
    return found


def _sources() -> dict[str, dict[str, str]]:
    """The quantities that kernels of a model give, by the names of their results."""
    sources: dict[str, dict[str, str]] = {}
    for name, quantity in QUANTITIES.items():
        if quantity.kernel:
            kernel, _, result = quantity.kernel.partition(".")
            sources.setdefault(kernel, {})[result] = name
    return sources


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
