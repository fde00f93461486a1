"""Friction in the joints of a machine, and its wrench on the platform.

Every joint has viscous and dry friction. Dry friction fades to zero below a speed, so that it is
smooth. The wrench on the platform is the one whose power is that of all joints together. A rod with
balls at both ends does not spin about itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca

from gough.equations.closure.assembled import assembled, in_base_axes, twist_in
from gough.equations.closure.constraint_rows import Twist
from gough.equations.forces.joint_springs import spring_wrench
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import joint_velocity, twist_basis
from gough.equations.motion.motions import velocities_of
from gough.equations.spatial.algebra import Value, dot

if TYPE_CHECKING:
    from gough.equations.forces.crossing import RequiredForces


Equation = Callable[..., Value]


TURNING_FADE, SLIDING_FADE = 1e-2, 1e-3
"""Small beside the working speed of any joint [rad/s, m/s]."""


@dataclass(frozen=True)
class FrictionLaw:
    """Friction in a joint: viscous [N m s/rad, N s/m] and dry [N m, N].

    In a universal joint it holds for each of the two axes, in a ball joint for the turning as a
    whole.
    """

    joint: int
    """Number of the joint in the description."""
    damping: Value
    friction: Value
    place: str = ""
    """Prefix of the keys `damping` and `friction` in the robot file."""
    of_transmission: bool = False
    """Whether it is that of an actuator's transmission, which a plant may model by itself."""

    @property
    def viscous(self) -> FrictionLaw:
        """Viscous part of this friction."""
        return replace(self, friction=ca.DM(0))


def friction_wrench(
    machine: Machine, laws: Sequence[FrictionLaw], pose: Value, twist: Value
) -> Value:
    """Return the wrench (6) [N, N m] of all joints' friction on the platform."""
    if not laws:
        return ca.DM.zeros(6)
    at, V = assembled(machine, pose), ca.SX.sym("V", 6)
    as_they_move = velocities_of(at, twist_in(machine, twist))
    as_they_may = velocities_of(at, Twist.of(V))
    efforts, rates = [], []
    for law in laws:
        pair = machine.description.pairs[law.joint]
        slides = is_sliding(machine, law)
        efforts += [resistance(law, rate, slides=slides) for rate in as_they_move.of_pair(pair)]
        rates += as_they_may.of_pair(pair)
    power = ca.dot(ca.vertcat(*rates), ca.vertcat(*efforts))
    return in_base_axes(machine, -ca.gradient(power, V))


def is_sliding(machine: Machine, law: FrictionLaw) -> bool:
    """Whether a joint has a coordinate that is a length; that of a screw is an angle."""
    slide = machine.description.pairs[law.joint].slide
    return slide is not None and not machine.legs[slide.leg].joints[slide.link].turns


def resistance(law: FrictionLaw, rate: Value, *, slides: bool) -> Value:
    """Return the friction effort [N m, N] against a rate [rad/s, m/s]."""
    fade = SLIDING_FADE if slides else TURNING_FADE
    return (law.damping + law.friction / ca.sqrt(dot(rate, rate) + fade**2)) * rate


def joint_wrench(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return the wrench (6) [N, N m] of all joints' friction, damping and springs."""
    friction = friction_wrench(machine, machine.frictions, pose, twist)
    return spring_wrench(machine, pose) + friction


def resists(machine: Machine) -> bool:
    """Whether a machine states friction, damping or springs of its joints."""
    return bool(machine.frictions or machine.flexures)


def without_dry_friction(machine: Machine) -> Machine:
    """Return a machine with the viscous part of its friction alone."""
    viscous = (law.viscous for law in machine.frictions if not ca.SX(law.damping).is_zero())
    return replace(machine, frictions=tuple(viscous))


def with_joints(inverse_dynamics: Equation) -> Equation:
    """Add friction, damping and springs of the joints to the inverse dynamics of rigid bodies.

    The equations of a machine that states none of these do not change: its wrench is zero.
    """

    def equation(
        machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
    ) -> Value:
        loaded = wrench + joint_wrench(machine, pose, twist)
        return inverse_dynamics(machine, pose, twist, acceleration, loaded)

    return equation


def power_with_joints(inverse_dynamics: Equation) -> Equation:
    """Return the mechanical power (n) [W] of each actuator: its force, as above, times its rate."""
    force = with_joints(inverse_dynamics)

    def equation(machine: Machine, pose: Value, twist: Value, *rest: Value) -> Value:
        return force(machine, pose, twist, *rest) * joint_velocity(machine, pose, twist)

    return equation


def required_with_joints(required_forces: RequiredForces) -> RequiredForces:
    """Add friction, damping and springs of the joints to the required forces of rigid bodies."""

    def equation(machine: Machine, *motion: Value) -> tuple[Value, Value]:
        across, along = required_forces(machine, *motion)
        pose, twist, _ = motion
        return across - twist_basis(machine, pose).T @ joint_wrench(machine, pose, twist), along

    return equation
