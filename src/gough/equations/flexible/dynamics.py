"""The matrices of a machine with links that bend: M z̈ + h = Bᵀ τ + Cᵀ λ, C z̈ + κ = 0.

h holds inertia that motion brings, weight, elastic forces and the wrench; τ are the motors' efforts
and λ the forces in the joints that close loops.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.flexible.machine import Machine
from gough.equations.flexible.recursion import Tree, forces
from gough.equations.flexible.shapes import deformed
from gough.equations.flexible.springs import gap, spring_energy
from gough.equations.spatial.algebra import Value, dot


def mass_matrix(machine: Machine, z: Value) -> Value:
    """M (n x n) [SI]: forces are linear in accelerations."""
    second = ca.SX.sym("second", machine.size)
    rest = ca.DM.zeros(machine.size)
    return ca.jacobian(forces(machine, z, rest, second, ca.DM.zeros(6)), second)


def bias(machine: Machine, z: Value, rate: Value, wrench: Value) -> Value:
    """h (n) [SI]."""
    return needed(machine, z, rate, ca.DM.zeros(machine.size), wrench)


def needed(machine: Machine, z: Value, rate: Value, second: Value, wrench: Value) -> Value:
    """M z̈ + h (n) [SI]: what moves all bodies, and what strains bearings and flexures."""
    moving = forces(machine, z, rate, second, wrench)
    if not machine.springs:
        return moving
    x = ca.SX.sym("z", machine.size)
    return moving + ca.substitute(ca.gradient(spring_energy(machine, x), x), x, z)


def energies(machine: Machine, z: Value, rate: Value) -> tuple[Value, Value, Value]:
    """Kinetic, gravitational and elastic energy [J]; weights count from the base's origin."""
    tree = Tree.of(machine, z)
    lifted, strained = ca.SX(0), spring_energy(machine, z)
    for k, link in enumerate(machine.links):
        (R, p), body = tree.frames[k], link.body
        if link.shapes is not None:
            eta = tree.eta[k]
            body = deformed(body, link.shapes, eta)
            strained += dot(eta, link.shapes.stiffness @ eta) / 2
        lifted -= dot(machine.gravity, body.mass * p + R @ body.ms)
    return dot(rate, mass_matrix(machine, z) @ rate) / 2, lifted, strained


def gaps(machine: Machine, z: Value) -> Value:
    """How far the loops are open [m, 1], row by row."""
    tree = Tree.of(machine, z)
    return ca.vertcat(ca.SX(0, 1), *(gap(tree, cut) for cut in machine.cuts))


def closing_rows(machine: Machine, z: Value) -> Value:
    """C (m x n): rates of the gaps."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.jacobian(gaps(machine, x), x), x, z)


def drifts(machine: Machine, z: Value, rate: Value) -> Value:
    """κ (m): how the gaps accelerate at z̈ = 0."""
    x = ca.SX.sym("z", machine.size)
    speeds = ca.jtimes(gaps(machine, x), x, rate)
    return ca.substitute(ca.jtimes(speeds, x, rate), x, z)


def closing_tangent(machine: Machine, z: Value, multipliers: Value) -> Value:
    """∂(Cᵀ λ)/∂z (n x n): how the forces of loops change as they move."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.hessian(dot(multipliers, gaps(machine, x)), x)[0], x, z)


def tangent(machine: Machine, z: Value, rate: Value, second: Value, wrench: Value) -> Value:
    """∂(M z̈ + h)/∂z (n x n) [SI]: how the forces change as the machine moves."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.jacobian(needed(machine, x, rate, second, wrench), x), x, z)


def platform_pose(machine: Machine, z: Value) -> tuple[Value, Value]:
    """Position [m] and rotation matrix of the platform's frame."""
    R, p = Tree.of(machine, z).placed(machine.platform)
    return p, R @ machine.attitude


def platform_rates(machine: Machine, z: Value) -> Value:
    """The platform's twist (6 x n) [m/s, rad/s], base axes, by the coordinates' rates."""
    x = ca.SX.sym("z", machine.size)
    p, R = platform_pose(machine, x)
    v = ca.jacobian(p, x)
    spin = ca.jacobian(ca.reshape(R, 9, 1), x)  # columns of R, one below the other
    omega = ca.vertcat(*(_turning(R, spin, k) for k in range(3)))
    return ca.substitute(ca.vertcat(v, omega), x, z)


def platform_drift(machine: Machine, z: Value, rate: Value) -> Value:
    """The platform's acceleration (6) [m/s^2, rad/s^2] at z̈ = 0."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.jtimes(platform_rates(machine, x) @ rate, x, rate), x, z)


def _turning(R: Value, spin: Value, k: int) -> Value:
    """ω_k by rates, of Ṙ Rᵀ = ω^."""
    i, j = (k + 2) % 3, (k + 1) % 3
    return sum((spin[3 * c + i, :] * R[j, c] for c in range(3)), ca.SX(1, spin.shape[1]))
