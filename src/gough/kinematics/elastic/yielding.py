"""How a machine yields at a pose, as one function for those who show it."""

from __future__ import annotations

from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.elastic.softest import softest
from gough.model.definition import POSE, WRENCH
from gough.model.machines import Machines


def yielding_function(machines: Machines) -> Function:
    """The function (pose, wrench) -> displacement under the wrench, softest way, softest turn."""
    held = ca.DM.zeros(machines.structure.actuators)

    def equation(machine: AnyMachine, pose: Any, wrench: Any) -> Any:
        """How far the platform gives way, with its actuators held."""
        return any_machine.deflection(machine, pose, wrench, held), *softest(machine, pose)

    outputs = [
        Argument("displacement", (6,), "m, rad", "way and rotation vector, base axes"),
        Argument("way", (), "N/m", "stiffness in the softest direction"),
        Argument("turn", (), "N m/rad", "stiffness about the softest axis"),
    ]
    return machines.function("yielding", equation, [POSE, WRENCH], outputs)
