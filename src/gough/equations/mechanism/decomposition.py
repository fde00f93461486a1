"""What the motors' efforts are made of."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from gough.equations.mechanism.dynamics import inverse_dynamics
from gough.equations.mechanism.freedom import assembled, coasting
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.stance import in_base_axes, twist_in
from gough.equations.spatial.algebra import Value

NONE = ca.DM.zeros(6)


def force_parts(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, Value, Value, Value]:
    """Shares of the efforts (motors) [N m, N]: gravity, acceleration, velocity, external wrench.

    They are those of G, M u̇, C u and -wrench; their sum is the whole. The acceleration's share is
    that of T u̇: what is left of it, Ṫ u, comes with the velocity.
    """
    weightless = replace(machine, gravity=ca.DM.zeros(3))
    coast = coasting(assembled(weightless, pose), twist_in(machine, twist))
    carried = in_base_axes(machine, ca.vertcat(coast.v, coast.omega))
    return (
        inverse_dynamics(machine, pose, NONE, NONE, NONE),
        inverse_dynamics(weightless, pose, NONE, acceleration - carried, NONE),
        inverse_dynamics(weightless, pose, twist, carried, NONE),
        inverse_dynamics(weightless, pose, NONE, NONE, wrench),
    )
