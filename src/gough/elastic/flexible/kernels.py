"""Kernels of a machine with flexible links: of its coordinates z and their rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Equation, Function
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.elastic.flexible.link_tree import Beams, spanned
from gough.equations.flexible import dynamics
from gough.equations.flexible.machine import LinkTree
from gough.equations.spatial.algebra import Value
from gough.model.definition import WRENCH
from gough.robot import Mechanism


@compiled
def dynamics_kernel(robot: Mechanism, beams: Beams) -> Kernel:
    """(z, rate, wrench) -> M, h of M z̈ + h = Bᵀ τ + Cᵀ λ."""

    def equation(machine: LinkTree, z: Value, rate: Value, wrench: Value) -> tuple[Value, ...]:
        return dynamics.mass_matrix(machine, z), dynamics.bias(machine, z, rate, wrench)

    machine = spanned(robot, beams).machine
    n = machine.size
    outputs = [Argument("M", (n, n)), Argument("h", (n,))]
    return _kernel("flexible_dynamics", machine, equation, [_z(n), _rate(n), WRENCH], outputs)


@compiled
def closing_kernel(robot: Mechanism, beams: Beams) -> Kernel:
    """(z, rate) -> gaps, C, κ of C z̈ + κ = 0: only of machines with loops."""

    def equation(machine: LinkTree, z: Value, rate: Value) -> tuple[Value, ...]:
        return (
            dynamics.gaps(machine, z),
            dynamics.closing_rows(machine, z),
            dynamics.drifts(machine, z, rate),
        )

    machine = spanned(robot, beams).machine
    n, m = machine.size, machine.gaps
    outputs = [Argument("gaps", (m,)), Argument("C", (m, n)), Argument("drift", (m,))]
    return _kernel("flexible_closing", machine, equation, [_z(n), _rate(n)], outputs)


@remembered
def closing_tangent_function(robot: Mechanism, beams: Beams) -> Function:
    """(z, λ) -> ∂(Cᵀ λ)/∂z: only of machines with loops; as `tangent_function`."""
    machine = spanned(robot, beams).machine
    n, inputs = machine.size, [_z(machine.size), Argument("held", (machine.gaps,))]
    outputs = [Argument("tangent", (n, n))]
    return _function("flexible_closing_tangent", machine, dynamics.closing_tangent, inputs, outputs)


@compiled
def platform_kernel(robot: Mechanism, beams: Beams) -> Kernel:
    """(z, rate) -> the platform's position, rotation, twist by rates, and acceleration at z̈ = 0."""

    def equation(machine: LinkTree, z: Value, rate: Value) -> tuple[Value, ...]:
        return (
            *dynamics.platform_pose(machine, z),
            dynamics.platform_rates(machine, z),
            dynamics.platform_drift(machine, z, rate),
        )

    machine = spanned(robot, beams).machine
    n = machine.size
    outputs = [
        Argument("position", (3,)),
        Argument("rotation", (3, 3)),
        Argument("rates", (6, n)),
        Argument("drift", (6,)),
    ]
    return _kernel("flexible_platform", machine, equation, [_z(n), _rate(n)], outputs)


@remembered
def tangent_function(robot: Mechanism, beams: Beams) -> Function:
    """(z, rate, second, wrench) -> M z̈ + h, and its derivatives by z.

    Not compiled: it has many operations, and few states are evaluated.
    """

    def equation(
        machine: LinkTree, z: Value, rate: Value, second: Value, wrench: Value
    ) -> tuple[Value, Value]:
        motion = z, rate, second, wrench
        return dynamics.needed(machine, *motion), dynamics.tangent(machine, *motion)

    machine = spanned(robot, beams).machine
    n = machine.size
    inputs = [_z(n), _rate(n), Argument("second", (n,), optional=True), WRENCH]
    outputs = [Argument("needed", (n,)), Argument("tangent", (n, n))]
    return _function("flexible_tangent", machine, equation, inputs, outputs)


@remembered
def mass_function(robot: Mechanism, beams: Beams) -> Function:
    """z -> M; as `tangent_function`."""
    machine = spanned(robot, beams).machine
    n = machine.size
    outputs = [Argument("M", (n, n))]
    return _function("flexible_mass", machine, dynamics.mass_matrix, [_z(n)], outputs)


@remembered
def momentum_function(robot: Mechanism, beams: Beams) -> Function:
    """z -> momentum by rates; as `tangent_function`."""
    machine = spanned(robot, beams).machine
    n = machine.size
    outputs = [Argument("S", (6, n))]
    return _function("flexible_momentum", machine, dynamics.momentum, [_z(n)], outputs)


@compiled
def energy_kernel(robot: Mechanism, beams: Beams) -> Kernel[tuple[Array, Array, Array]]:
    """(z, rate) -> kinetic, gravitational and elastic energy [J]."""
    machine = spanned(robot, beams).machine
    inputs = [_z(machine.size), _rate(machine.size)]
    outputs = [Argument(name, (), "J") for name in ("kinetic", "gravitational", "elastic")]
    return _kernel("flexible_energy", machine, dynamics.energies, inputs, outputs)


def _kernel(
    name: str,
    machine: LinkTree,
    equation: Equation,
    inputs: list[Argument],
    outputs: list[Argument],
) -> Kernel[Any]:
    return Kernel(_function(name, machine, equation, inputs, outputs))


def _function(
    name: str,
    machine: LinkTree,
    equation: Equation,
    inputs: list[Argument],
    outputs: list[Argument],
) -> Function:
    def of_machine(*given: Value) -> Value | float | Sequence[Value | float]:
        return equation(machine, *given)

    return Function.from_equation(name, of_machine, inputs, outputs)


def _z(n: int) -> Argument:
    return Argument("z", (n,), "rad, m, SI", "coordinates")


def _rate(n: int) -> Argument:
    return Argument("rate", (n,), "SI", "their rates", optional=True)
