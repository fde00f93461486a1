"""Kernels of a machine with links that bend: of its coordinates z, their rates and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.flexible import dynamics
from gough.equations.flexible.machine import Machine
from gough.model.definition import WRENCH
from gough.model.flexible.spanning import Beams, spanned
from gough.robot import Mechanism


@compiled
def dynamics_kernel(robot: Mechanism, beams: Beams, modes: int, elements: int) -> Kernel:
    """(z, rate, wrench) -> M, h, C, κ of M z̈ + h = Bᵀ τ + Cᵀ λ, C z̈ + κ = 0."""

    def equation(machine: Machine, z: Any, rate: Any, wrench: Any) -> tuple[Any, ...]:
        return (
            dynamics.mass_matrix(machine, z),
            dynamics.bias(machine, z, rate, wrench),
            dynamics.closing_rows(machine, z),
            dynamics.drifts(machine, z, rate),
        )

    machine = spanned(robot, beams, modes, elements).machine
    n, m = machine.size, machine.gaps
    outputs = [Argument("M", (n, n)), Argument("h", (n,)), Argument("C", (m, n))]
    inputs = [_z(n), _rate(n), WRENCH]
    return _kernel("flexible_dynamics", machine, equation, inputs, [*outputs, Argument("drift", (m,))])


@compiled
def place_kernel(robot: Mechanism, beams: Beams, modes: int, elements: int) -> Kernel:
    """(z, rate) -> gaps, C, κ; the platform's position, rotation, twist by rates, and its drift."""

    def equation(machine: Machine, z: Any, rate: Any) -> tuple[Any, ...]:
        return (
            dynamics.gaps(machine, z),
            dynamics.closing_rows(machine, z),
            dynamics.drifts(machine, z, rate),
            *dynamics.platform_pose(machine, z),
            dynamics.platform_rates(machine, z),
            dynamics.platform_drift(machine, z, rate),
        )

    machine = spanned(robot, beams, modes, elements).machine
    n, m = machine.size, machine.gaps
    outputs = [
        Argument("gaps", (m,)),
        Argument("C", (m, n)),
        Argument("drift", (m,)),
        Argument("position", (3,)),
        Argument("rotation", (3, 3)),
        Argument("rates", (6, n)),
        Argument("platform_drift", (6,)),
    ]
    return _kernel("flexible_place", machine, equation, [_z(n), _rate(n)], outputs)


@compiled
def tangent_kernel(robot: Mechanism, beams: Beams, modes: int, elements: int) -> Kernel:
    """(z, rate, second, wrench, λ) -> needed forces M z̈ + h, and their tangent with C at λ."""

    def equation(machine: Machine, z: Any, rate: Any, second: Any, wrench: Any, held: Any) -> Any:
        return (
            dynamics.forces(machine, z, rate, second, wrench),
            dynamics.tangent(machine, z, rate, second, wrench, held),
        )

    machine = spanned(robot, beams, modes, elements).machine
    n, m = machine.size, machine.gaps
    inputs = [_z(n), _rate(n), Argument("second", (n,)), WRENCH, Argument("held", (m,))]
    outputs = [Argument("needed", (n,)), Argument("tangent", (n, n))]
    return _kernel("flexible_tangent", machine, equation, inputs, outputs)


@compiled
def energy_kernel(robot: Mechanism, beams: Beams, modes: int, elements: int) -> Kernel:
    """(z, rate) -> kinetic, gravitational and elastic energy [J]."""
    machine = spanned(robot, beams, modes, elements).machine
    inputs = [_z(machine.size), _rate(machine.size)]
    outputs = [Argument(name, (), "J") for name in ("kinetic", "gravitational", "elastic")]
    return _kernel("flexible_energy", machine, dynamics.energies, inputs, outputs)


def _kernel(
    name: str,
    machine: Machine,
    equation: Callable[..., Any],
    inputs: list[Argument],
    outputs: list[Argument],
) -> Kernel:
    def of_machine(*given: Any) -> Any:
        return equation(machine, *given)

    return Kernel(Function.from_equation(name, of_machine, inputs, outputs))


def _z(n: int) -> Argument:
    return Argument("z", (n,), "rad, m, SI", "coordinates")


def _rate(n: int) -> Argument:
    return Argument("rate", (n,), "SI", "their rates", optional=True)
