"""What shakes a hexapod on yielding legs, and what calms any machine.

In a base that accelerates, masses feel a field of forces: a coordinate feels of it what a unit of
its rate has of the machine's momentum. So the same matrix gives forces of a base that shakes, and
of gravity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca

from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.dynamics import AT_REST
from gough.equations.dynamics.energy import momentum
from gough.equations.elastic.stiffness import loaded, one_body
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, cross, vector


def momentum_of_rates(machine: Machine, pose: Value, force: Value) -> Value:
    """Linear [kg] and angular momentum about the base's origin [kg m] by each rate (6xn)."""
    at = loaded(machine, pose, force)
    platform = _by_twist(lambda twist: momentum(one_body(at), pose, twist))
    pistons, stages = [], []
    for leg in at.legs:
        along = vector(leg.at.s, cross(leg.leg.base, leg.at.s))
        if not leg.connector.is_rigid:
            pistons.append(leg.leg.piston.mass * along)
        if leg.connector.decoupling is not None:
            stages.append(leg.connector.decoupling.mass * along)
    return ca.horzcat(platform, *pistons, *stages)


def joint_damping(machine: AnyMachine, frictions: Sequence[Any], pose: Value) -> Value:
    """The wrench by the platform's twist (6x6) [N s/m, N s] that viscous friction of joints takes.

    Dry friction has no part in small vibrations.
    """
    viscous = [friction.viscous for friction in frictions]
    if not viscous:
        return ca.DM.zeros(6, 6)
    return -_by_twist(lambda twist: any_machine.friction_wrench(machine, viscous, pose, twist))


def _by_twist(found: Callable[[Value], Value]) -> Value:
    """How something changes with the platform's twist, at rest."""
    twist = ca.SX.sym("twist", 6)
    return ca.substitute(ca.jacobian(found(twist), twist), twist, AT_REST)
