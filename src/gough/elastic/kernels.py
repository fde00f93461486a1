"""Kernels of compliant machines: natural frequencies, rotors, holding forces, momentum."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.elastic.model import coordinates_of
from gough.equations.elastic import stiffness
from gough.equations.elastic.leg_stiffness import Rotors, joint_damping, momentum_of_rates
from gough.equations.elastic.stiffness import shifted
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.model.actuators import joint_frictions_of, rotor_masses_of
from gough.model.catalogue import definitions
from gough.model.definition import POSE, WRENCH, Definition
from gough.model.machines import Machines
from gough.model.singular_values import singular_values


@compiled
def frequency_kernel(machines: Machines, rotors: bool = False) -> Kernel:
    """The kernel (pose, wrench, actuator_compliance) -> frequencies; with rotors if asked for."""
    turning = _rotors(machines) if rotors else None

    def equation(machine: Machine, pose: Value, wrench: Value, compliance: Value) -> Value:
        """Natural frequencies of a machine that its actuators hold."""
        freedoms = machines.structure.dof
        return frequencies_under_load(machine, pose, wrench, compliance, freedoms, turning)

    known = _vibration(machines)
    count = len(coordinates_of(machines.robot, rotors))
    output = Argument("frequencies", (count,), "Hz", "lowest first")
    inputs = [POSE, WRENCH, known.inputs[-1]]
    return machines.kernel("frequencies", equation, inputs, [output])


def frequencies_under_load(
    machine: Machine,
    pose: Value,
    wrench: Value,
    compliance: Value,
    freedoms: int,
    rotors: Rotors | None = None,
) -> Value:
    """Natural frequencies (n) [Hz], lowest first, of a machine that its actuators hold."""
    M, K = _under_load(machine, pose, wrench, compliance, rotors)
    form = shifted(M, K, freedoms)
    return form.frequencies(singular_values(form.matrix)[0])


@compiled
def rotor_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, force, actuator_compliance) -> M, K, with the rotors of the drives."""
    turning, known = _rotors(machines), _vibration(machines)

    def equation(
        machine: Machine, pose: Value, force: Value, compliance: Value
    ) -> tuple[Value, Value]:
        """Mass and stiffness matrix of all that moves on springs, rotors last."""
        return stiffness.vibration(machine, pose, force, compliance, turning)

    size = (len(coordinates_of(machines.robot, rotors=True)),) * 2
    outputs = [replace(argument, shape=size) for argument in known.outputs]
    return machines.kernel("rotor_vibration", equation, known.inputs, outputs)


def _rotors(machines: Machines) -> list[float | None]:
    """Masses of the rotors; None where there is none."""
    return [mass or None for mass in rotor_masses_of(machines.robot)]


def vibrating_function(machines: Machines) -> Function:
    """The function (pose, wrench) -> M, K, moves of a machine whose actuators are held."""
    structure = machines.structure
    held = ca.DM.zeros(structure.actuators)

    def equation(machine: Machine, pose: Value, wrench: Value) -> tuple[Value, ...]:
        """Mass and stiffness matrix of all that moves on springs, and the platform's moves."""
        moves = kinematics.twist_basis(machine, pose)
        return *_under_load(machine, pose, wrench, held), moves

    moves = Argument("moves", (6, structure.dof), "1", "twist by rates of the degrees of freedom")
    outputs = [*_vibration(machines).outputs, moves]
    return machines.function("vibrating", equation, [POSE, WRENCH], outputs)


def _under_load(
    machine: Machine, pose: Value, wrench: Value, compliance: Value, rotors: Rotors | None = None
) -> tuple[Value, Value]:
    """Mass and stiffness matrix of all that moves on springs, under the forces that hold it."""
    force = stiffness.holding_force(machine, pose, wrench)
    return stiffness.vibration(machine, pose, force, compliance, rotors)


@compiled
def holding_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, wrench) -> actuator forces that hold a compliant machine."""
    structure = machines.structure
    force = Argument("force", (structure.actuators,), structure.force_unit, "of the actuators")
    return machines.kernel("holding_force", stiffness.holding_force, [POSE, WRENCH], [force])


@compiled
def geometric_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, force) -> geometric stiffness along a mechanism's degrees of freedom."""
    from gough.equations.elastic.stiffness import geometric_stiffness  # noqa: PLC0415  (slow)

    size = (machines.structure.dof,) * 2
    K = Argument("K", size, "SI", "of forces that turn with legs, and of weights that move")
    force = Argument("force", (machines.structure.actuators,), machines.structure.force_unit)
    return machines.kernel("geometric_stiffness", geometric_stiffness, [POSE, force], [K])


@compiled
def momentum_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, force) -> momentum by the rates of the coordinates."""
    known = _vibration(machines)
    output = Argument("S", (6, *known.outputs[0].shape[:1]), "kg, kg m", "momentum by rates")

    def equation(machine: Machine, pose: Value, force: Value) -> Value:
        assert machine.extensible is not None
        return momentum_of_rates(machine.extensible, pose, force)

    return machines.kernel("momentum_of_rates", equation, known.inputs[:2], [output])


@compiled
def joint_damping_kernel(machines: Machines) -> Kernel:
    """The kernel pose -> wrench of the joints' viscous friction, by twist."""
    frictions = joint_frictions_of(machines.robot)

    def equation(machine: Machine, pose: Value) -> Value:
        """Damping of the platform by the joints of the legs."""
        return joint_damping(machine, frictions, pose)

    output = Argument("D", (6, 6), "N s/m, N s, N m s/rad", "wrench by twist")
    return machines.kernel("joint_damping", equation, [POSE], [output])


def _vibration(machines: Machines) -> Definition:
    return definitions(machines.structure, DEFAULT_FORMULATION)["vibration"]
