"""Kernels of machines that yield which only this room needs."""

from __future__ import annotations

from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.equations.actuators.friction import JointFriction
from gough.equations.any_machine import AnyMachine
from gough.equations.elastic.holding import holding_force
from gough.equations.elastic.normal_form import shifted
from gough.equations.elastic.shaking import joint_damping, momentum_of_rates
from gough.equations.machine import Machine
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.model.actuators import joint_frictions_of
from gough.model.catalogue import definitions
from gough.model.definition import POSE, WRENCH, Definition
from gough.model.machines import Machines
from gough.model.singular_values import singular_values


@compiled
def frequency_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, wrench, actuator_compliance) -> frequencies."""

    def equation(machine: AnyMachine, pose: Any, wrench: Any, yielding: Any) -> Any:
        """Natural frequencies of a machine that its actuators hold."""
        form = shifted(*_held(machine, pose, wrench, yielding))
        return form.frequencies(singular_values(form.matrix)[0])

    known = _vibration(machines)
    output = Argument("frequencies", known.outputs[0].shape[:1], "Hz", "lowest first")
    inputs = [POSE, WRENCH, known.inputs[-1]]
    return machines.kernel("frequencies", equation, inputs, [output])


def vibrating_function(machines: Machines) -> Function:
    """The function (pose, wrench) -> M, K of a machine whose actuators are held."""
    held = ca.DM.zeros(machines.structure.actuators)

    def equation(machine: AnyMachine, pose: Any, wrench: Any) -> Any:
        """Mass and stiffness matrix of all that moves on springs."""
        return _held(machine, pose, wrench, held)

    return machines.function("vibrating", equation, [POSE, WRENCH], _vibration(machines).outputs)


def _held(machine: AnyMachine, pose: Any, wrench: Any, yielding: Any) -> Any:
    force = holding_force(machine, pose, wrench)
    return any_machine.vibration(machine, pose, force, yielding)


@compiled
def holding_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, wrench) -> forces of the actuators that hold a machine which yields."""
    structure = machines.structure
    force = Argument("force", (structure.actuators,), structure.force_unit, "of the actuators")
    return machines.kernel("holding_force", holding_force, [POSE, WRENCH], [force])


@compiled
def momentum_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, force) -> momentum by the rates of the coordinates."""
    known = _vibration(machines)
    output = Argument("S", (6, *known.outputs[0].shape[:1]), "kg, kg m", "momentum by rates")
    return machines.kernel("momentum_of_rates", momentum_of_rates, known.inputs[:2], [output])


@compiled
def joint_damping_kernel(machines: Machines) -> Kernel:
    """The kernel pose -> wrench that viscous friction of the joints takes, by twist."""
    frictions = [f for f in joint_frictions_of(machines.robot) if isinstance(f, JointFriction)]

    def equation(machine: AnyMachine, pose: Any) -> Any:
        """Damping of the platform by the joints of the legs."""
        assert isinstance(machine, Machine)
        return joint_damping(machine, frictions, pose)

    output = Argument("D", (6, 6), "N s/m, N s, N m s/rad", "wrench by twist")
    return machines.kernel("joint_damping", equation, [POSE], [output])


def _vibration(machines: Machines) -> Definition:
    return definitions(machines.structure, DEFAULT_FORMULATION)["vibration"]
