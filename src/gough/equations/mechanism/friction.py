"""Friction in the joints of a machine of any kind: what it does to the platform.

Every joint resists its motion with a viscous and a dry part. Dry friction fades to zero below a
speed, so that it is smooth. The wrench on the platform is the one whose power is that of all joints
together. A rod with balls at both ends does not spin about itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.mechanism.joint_rates import JointRates
from gough.equations.mechanism.legs import leg_postures
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.rows import Twist
from gough.equations.mechanism.stance import in_base_axes, platform_at, twist_in
from gough.equations.spatial.algebra import Value, angular, dot, linear

TURNING_FADE, SLIDING_FADE = 1e-2, 1e-3
"""Small beside the working speed of any joint [rad/s, m/s]."""


@dataclass(frozen=True)
class Rubbing:
    """Friction in a joint: viscous [N m s/rad, N s/m] and dry [N m, N].

    In a universal joint it holds for each of the two axes, in a ball joint for the turning as a
    whole.
    """

    joint: int
    """Its place in the description."""
    damping: Value
    friction: Value

    @property
    def viscous(self) -> Rubbing:
        """The same without its dry part."""
        return replace(self, friction=ca.DM(0))


def stated_frictions(machine: Machine) -> tuple[Rubbing, ...]:
    """Friction of all joints that state some."""
    return machine.frictions


def own_friction(machine: Machine, pose: Value, twist: Value) -> Value:
    """Efforts (n) against friction of transmissions: that of drives is not the joints'."""
    return ca.DM.zeros(len(machine.motors))


def friction_wrench(
    machine: Machine, rubbing: Sequence[Rubbing], pose: Value, twist: Value
) -> Value:
    """The wrench (6) [N, N m] of all joints' friction on the platform."""
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    V = ca.SX.sym("V", 6)
    as_they_move = JointRates.of(platform, legs, twist_in(machine, twist))
    as_they_may = JointRates.of(platform, legs, Twist(linear(V), angular(V)))
    efforts, rates = [], []
    for rub in rubbing:
        pair = machine.description.pairs[rub.joint]
        slides = pair.slide is not None
        efforts += [resistance(rub, rate, slides=slides) for rate in as_they_move.of_pair(pair)]
        rates += as_they_may.of_pair(pair)
    power = ca.dot(ca.vertcat(*rates), ca.vertcat(*efforts))
    return in_base_axes(machine, -ca.gradient(power, V))


def resistance(rub: Rubbing, rate: Value, *, slides: bool) -> Value:
    """The effort [N m, N] against a rate [rad/s, m/s]."""
    fade = SLIDING_FADE if slides else TURNING_FADE
    return (rub.damping + rub.friction / ca.sqrt(dot(rate, rate) + fade**2)) * rate
