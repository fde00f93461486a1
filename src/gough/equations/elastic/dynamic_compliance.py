"""Response of a compliant machine, its actuators held, to a load that oscillates; an impact.

In the frequency domain small vibrations are Z x = load with Z = K - ω² M + j ω D. Pistons and
decoupling stages touch the platform alone, and are eliminated one by one; what is left is solved as
twice as many real equations. Complex numbers are pairs of real and imaginary parts.
"""

from math import pi

import casadi as ca
from casadi import dot

from gough.equations.dynamics.formulation import NO_WRENCH
from gough.equations.elastic.leg_stiffness import joint_damping
from gough.equations.elastic.stiffness import compliance, holding_force, vibration
from gough.equations.legs.closure import jacobian_row, leg_position
from gough.equations.legs.extensible import ExtensibleLegs, springs_of
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import twist_basis
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, linear, norm


def oscillation(
    machine: Machine, pose: Value, wrench: Value, frequency: Value
) -> tuple[Value, Value]:
    """Return the platform's displacement (6) [m, rad], in phase and a quarter of a period ahead.

    The load is `wrench` times cos(2π f t), f being the frequency [Hz]. Dampers are those of
    connectors and between bodies, and the viscous friction of passive joints. Where
    links, bearings or frames are compliant, whose masses are not known, it is constant, whatever f.
    """
    omega, T = 2 * pi * frequency, twist_basis(machine, pose)
    held = holding_force(machine, pose, NO_WRENCH)
    locked, legs = ca.DM.zeros(*held.shape), machine.extensible
    frames = legs is not None and (legs.flexible_base, legs.flexible_platform) != (None, None)
    if frames or (machine.springs is not None and machine.springs.elastic_parts):
        return compliance(machine, pose, held, locked) @ wrench, ca.DM.zeros(6)
    M, K = vibration(machine, pose, held, locked)
    n = T.shape[1]
    frictions = [law for law in machine.frictions if not law.of_transmission]
    damped = ca.SX(*K.shape)
    damped[:n, :n] = T.T @ joint_damping(machine, frictions, pose) @ T
    real, imaginary = K - omega**2 * M, omega * damped
    moving = [*range(n, K.shape[0])]
    if legs is not None:
        stiffer, lossy, moving = _dampers(legs, pose, omega, K.shape[0])
        real, imaginary = real + stiffer, imaginary + lossy
    Z = real[:n, :n], imaginary[:n, :n]
    for i in moving:
        a, b = real[:n, i], imaginary[:n, i]
        c, d = real[i, i], imaginary[i, i]
        square, crossed, size = a @ a.T - b @ b.T, a @ b.T + b @ a.T, c**2 + d**2
        Z = Z[0] - (c * square + d * crossed) / size, Z[1] - (c * crossed - d * square) / size
    load = ca.vertcat(T.T @ wrench, ca.DM.zeros(n))
    both = solve(ca.blockcat([[Z[0], -Z[1]], [Z[1], Z[0]]]), load)
    return T @ both[:n], T @ both[n:]


def _dampers(
    machine: ExtensibleLegs, pose: Value, omega: Value, count: int
) -> tuple[Value, Value, list[int]]:
    """Return what connectors' dampers add to Z, as two parts, and the inner coordinates that move.

    The piston of an actuator behind which all is rigid is held.
    """
    legs = [springs_of(machine, k) for k in range(len(machine.legs))]
    real, imaginary, places = ca.SX(count, count), ca.SX(count, count), iter(range(6, count))
    pistons = [None if x.connector.is_rigid else next(places) for x in legs]
    stages = [None if x.connector.decoupling is None else next(places) for x in legs]
    rows = ca.DM.eye(count)
    for k, springs in enumerate(legs):
        line = jacobian_row(leg_position(machine.legs[k], pose))
        length = ca.horzcat(line, ca.DM(1, count - 6))
        piston = length if (i := pistons[k]) is None else rows[i, :]
        if i is not None and springs.rigid_behind:
            pistons[k], piston = None, ca.DM(1, count)
        dampers, coupling = springs.dampers, springs.dampers.coupling
        imaginary += omega * dampers.damping * (piston.T @ piston)
        if (j := stages[k]) is not None and dampers.decoupling is not None:
            against = rows[j, :] - length
            imaginary += omega * dampers.decoupling.damping * (against.T @ against)
        if coupling is not None and coupling.damping is not None:
            before = springs.bearing + (0 if dampers.stiffness is None else 1 / dampers.stiffness)
            more = _lagging(coupling.stiffness, omega * coupling.damping, before)
            compressed = piston - length
            real += more[0] * (compressed.T @ compressed)
            imaginary += more[1] * (compressed.T @ compressed)
    return real, imaginary, [i for i in (*pistons, *stages) if i is not None]


def _lagging(k: Value, b: Value, before: Value) -> tuple[Value, Value]:
    """Return k_1 (k + j b) / (k_1 + k + j b) less its value without b, k_1 = 1 / `before` [N/m]."""
    if before.is_zero():
        return ca.DM(0), b
    k_1 = 1 / before
    a = k_1 + k
    size = a**2 + b**2
    return k_1 * ((k * a + b**2) / size - k / a), k_1**2 * b / size


def largest_displacement(real: Value, imaginary: Value) -> Value:
    """Return the maximum length over a period of a vector that oscillates: an ellipse's half axis.

    The square of 1e-12 keeps the derivative finite where nothing moves.
    """
    a, b, crossed = dot(real, real), dot(imaginary, imaginary), dot(real, imaginary)
    return ca.sqrt((a + b) / 2 + ca.sqrt(((a - b) / 2) ** 2 + crossed**2 + 1e-48) + 1e-24)


def contact_forces(
    machine: Machine, pose: Value, twist: Value, wrench: Value, surface: Value
) -> tuple[Value, Value]:
    """Return steady and peak contact force [N] of a platform that is pressed against a surface.

    The force of the wrench is the wanted one, along the surface's normal n. `surface` are its
    stiffness k_s [N/m], zero without any, and how far it is from where it should be, e [m]. The
    actuators are held; along n the machine is one mass m on a spring k, without dampers:

        steady = wanted + e k k_s / (k + k_s)
        peak = steady + √(steady² + (k_s v)² m / (k + k_s))

    where v is the speed against n.
    """
    k_s, e = ca.vertsplit(surface)
    touches = ca.logic_and(dot(linear(wrench), linear(wrench)) > 0, k_s > 0)
    force = ca.if_else(touches, linear(wrench), ca.DM([0, 0, 1]))
    wanted = norm(force)
    n = ca.vertcat(force / wanted, ca.DM.zeros(3))
    held = holding_force(machine, pose, NO_WRENCH)
    locked = ca.DM.zeros(*held.shape)
    c = dot(n, compliance(machine, pose, held, locked) @ n)  # 1/k; zero where it is rigid
    M, T = vibration(machine, pose, held, locked)[0], twist_basis(machine, pose)
    along = T.T @ n
    m = 1 / dot(along, solve(M[: T.shape[1], : T.shape[1]], along))
    v = ca.fmax(-dot(n, twist), 0)
    steady = wanted + e * k_s / (1 + k_s * c)
    peak = steady + ca.sqrt(steady**2 + (k_s * v) ** 2 * m * c / (1 + k_s * c))
    return ca.if_else(touches, steady, 0), ca.if_else(touches, peak, 0)
