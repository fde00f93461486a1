"""How stiff a machine is in its softest directions, while its actuators are held."""

from __future__ import annotations

import casadi as ca

from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.dynamics import NO_WRENCH
from gough.equations.solvers.symmetric import largest_eigenvalue
from gough.equations.spatial.algebra import Value


def softest(machine: AnyMachine, pose: Value) -> tuple[Value, Value]:
    """Force for a way [N/m] and moment for a turn [N m/rad], each in the softest direction.

    The machine bears its own weight. Inf where it yields in no direction.
    """
    held = any_machine.holding_force(machine, pose, NO_WRENCH)
    C = any_machine.compliance(machine, pose, held, ca.DM.zeros(*held.shape))
    C = (C + C.T) / 2
    return 1 / largest_eigenvalue(C[0:3, 0:3]), 1 / largest_eigenvalue(C[3:6, 3:6])
