"""Measures of a machine in a state: forces, speeds, stiffness, margins to limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import casadi as ca

from gough.equations.elastic.stiffness import softest
from gough.equations.forces import dynamics
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.machine import Machine
from gough.equations.motion import kinematics, singularity_measures
from gough.equations.spatial.algebra import Value, norm, position, rotation
from gough.errors import GoughError
from gough.fields.units import (
    ANGLE,
    ANGULAR_SPEED,
    FORCE,
    LENGTH,
    NUMBER,
    POWER,
    ROTARY_STIFFNESS,
    SPEED,
    STIFFNESS,
    TORQUE,
    Dimension,
)
from gough.kinematics.freedoms.nearest_pose import has_constant_basis
from gough.kinematics.workspace.reach import Limits, each_margin
from gough.kinematics.workspace.stated_limits import FAMILIES, single_limits, stated_limits
from gough.model.catalogue import chosen_formulation, why_absent
from gough.model.machines import Machines
from gough.model.singular_values import singular_values
from gough.model.structure import structure_of
from gough.robot import Robot

LIMITS = "limits"


class MeasuredState(NamedTuple):
    """A state of a machine, as equations take it."""

    pose: Value
    twist: Value
    acceleration: Value
    wrench: Value


@dataclass(frozen=True)
class Measure:
    """Numbers of a machine in a state: one, or one for each actuator, joint or limit."""

    meaning: str
    dimension: Dimension
    equation: Callable[[Machine, MeasuredState], Value]
    labels: Callable[[Robot], list[str]]
    either_sign: bool = False
    """Whether its size counts, whatever its sign."""
    large_is_good: bool = False
    needs: str = ""
    """Kernel that a machine must have for this measure; empty: none."""


def _force(machine: Machine, state: MeasuredState) -> Value:
    return dynamics.actuator_force(machine, *state)


def _speed(machine: Machine, state: MeasuredState) -> Value:
    return kinematics.joint_velocity(machine, state.pose, state.twist)


def _power(machine: Machine, state: MeasuredState) -> Value:
    return _force(machine, state) * _speed(machine, state)


def _position(machine: Machine, state: MeasuredState) -> Value:
    return kinematics.inverse_kinematics(machine, state.pose)


def _condition(machine: Machine, state: MeasuredState) -> Value:
    """Return the maximum singular value over the minimum one.

    The singular vectors are held constant, because singular values do not depend on them to
    first order: the derivatives are exact.
    """
    length = singularity_measures.arm(machine)
    J = singularity_measures.scaled_jacobian(machine, state.pose, length)
    _, right = singular_values(J, vectors=True, constant=True)
    return norm(J @ right[:, 0]) / norm(J @ right[:, -1])


def _inverse_condition(machine: Machine, state: MeasuredState) -> Value:
    return 1 / _condition(machine, state)


def _power_size(machine: Machine, state: MeasuredState) -> Value:
    return ca.sum1(ca.fabs(_power(machine, state)))


def _stiffness(machine: Machine, state: MeasuredState) -> Value:
    return softest(machine, state.pose)[0]


def _rotary_stiffness(machine: Machine, state: MeasuredState) -> Value:
    return softest(machine, state.pose)[1]


def _centers(machine: Machine, state: MeasuredState) -> list[Value]:
    """Return the positions of all joints."""
    if isinstance(machine, ExtensibleLegs):
        R, p = rotation(state.pose), position(state.pose)
        return [x for leg in machine.legs for x in (leg.base, p + R @ leg.platform)]
    from gough.equations.motion.motions import joint_centers  # noqa: PLC0415  (of few)

    return [row.T for row in ca.vertsplit(joint_centers(machine, state.pose))]


def _radius(machine: Machine, state: MeasuredState) -> Value:
    return ca.vertcat(*(norm(center[0:2]) for center in _centers(machine, state)))


def _height(machine: Machine, state: MeasuredState) -> Value:
    return ca.vertcat(*(center[2] for center in _centers(machine, state)))


def _actuators(robot: Robot) -> list[str]:
    return [actuator.name for actuator in robot.actuators]


def _joints(robot: Robot) -> list[str]:
    found = structure_of(robot)
    ends = getattr(found, "centers", None)
    if ends is not None:
        return [f"joint {k + 1}" for k in range(len(ends))]
    return [f"{end} joint of {leg}" for leg in _actuators(robot) for end in ("base", "platform")]


def _alone(robot: Robot) -> list[str]:
    return [""]


_FORCES, _YIELDING = "actuator_force", "compliance"
MEASURES = {
    "force": Measure(
        "force of an actuator", FORCE, _force, _actuators, either_sign=True, needs=_FORCES,
    ),
    "speed": Measure("speed of an actuator", SPEED, _speed, _actuators, either_sign=True),
    "power": Measure(
        "mechanical power of an actuator", POWER, _power, _actuators, needs=_FORCES
    ),
    "position": Measure("position of an actuator", LENGTH, _position, _actuators),
    "condition": Measure("condition number of the Jacobian", NUMBER, _condition, _alone),
    "stiffness": Measure(
        "stiffness of the platform in its most compliant direction",
        STIFFNESS, _stiffness, _alone, large_is_good=True, needs=_YIELDING,
    ),
    "rotary_stiffness": Measure(
        "stiffness of the platform about its most compliant axis",
        ROTARY_STIFFNESS, _rotary_stiffness, _alone, large_is_good=True, needs=_YIELDING,
    ),
    "radius": Measure("distance of a joint from the base's z axis", LENGTH, _radius, _joints),
    "height": Measure("z of a joint in the base frame", LENGTH, _height, _joints),
}  # fmt: skip


_OF_TURNING = {FORCE: TORQUE, SPEED: ANGULAR_SPEED, LENGTH: ANGLE}
"""Dimensions for rotary actuators; with both kinds in a machine plain numbers, in SI units."""
OF_MEANS = {
    "inverse_condition": Measure("1 over the condition", NUMBER, _inverse_condition, _alone),
    "power_size": Measure(
        "magnitude of the power of all actuators", POWER, _power_size, _alone, needs=_FORCES
    ),
}
"""Those whose mean or sum over states is an objective."""


def check_known(robot: Robot, name: str) -> None:
    """GoughError if a measure cannot be asked of a robot, with the reason."""
    measure = MEASURES.get(name) or OF_MEANS[name]
    if measure.needs:
        why = why_absent(structure_of(robot), chosen_formulation(robot, None), measure.needs)
        if why is not None:
            raise GoughError(f"{name} of {robot.name}: {why}")


@cache
def limit_measure(machines: Machines, families: tuple[str, ...]) -> Measure:
    """Margins to all limits of these families that a robot states, each at least 0 inside."""
    limits = Limits(families)
    stated = stated_limits(machines.robot, families)
    if machines.family and not has_constant_basis(machines.robot):
        raise GoughError(
            f"{machines.robot.name}: its moves depend on its pose, and margins to limits are those "
            "of one machine; expected no requirement of them (limits = false)"
        )
    each = each_margin(machines, stated, limits, possible=True)

    def equation(machine: Machine, state: MeasuredState) -> Value:
        _, margins = each(machine, state.pose)
        return ca.vertcat(*(margin for family in margins for margin in family))

    def labels(robot: Robot) -> list[str]:
        return [", ".join(one.of) for one in single_limits(robot, limits.families)]

    return Measure("margin to a limit", NUMBER, equation, labels, large_is_good=True)


def measure_of(machines: Machines, name: str) -> Measure:
    """A measure by its name; `limits`, or `limits` of one family, such as "limits.stroke"."""
    head, _, family = name.partition(".")
    if head == LIMITS:
        return limit_measure(machines, (family,) if family else FAMILIES)
    known = MEASURES.get(name) or OF_MEANS[name]
    turning = {actuator.turns for actuator in machines.robot.actuators}
    if known.labels is not _actuators or known.dimension not in _OF_TURNING or turning == {False}:
        return known
    return replace(known, dimension=_OF_TURNING[known.dimension] if turning == {True} else NUMBER)
