"""Actuators with inertia and friction of their own, and drives.

The force F of every actuator obeys a law α F + m q̈ = f. An ideal actuator has α = 1 and m = 0,
so F = f; a drive's rotor has a mass m, which adds Jᵀ diag(m) J to the machine's, and friction in
proportion to the force makes α differ from one.

A leg's drive is an electric motor, a gear and a ball screw [Bingul 2012, section 3.4]. The motor
turns by N = 2π n / p for each metre that the leg extends. Seen from the leg, with
m_r = N² (J_m + J_s / n²) the reflected mass and F the force on the leg, (52) times N reads

    m_r q̈ + friction + α F = N K_t i

α is one in a perfect screw: there is friction in proportion to the load, so that the leg gets the
share η of the motor's power or, when it drives the motor, the motor gets the share η_b of the
leg's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any, TypeVar

import casadi as ca

from gough.equations.forces import dynamics
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.solvers import implicit
from gough.equations.solvers.linear import SymmetricFactors, solve, solve_symmetric
from gough.equations.spatial.algebra import Value, vector


@dataclass(frozen=True)
class Actuation:
    """The actuators' laws α F + m q̈ = f, each (n); of hinges torques and inertias."""

    force: Value  # f [N, N m]
    mass: Value  # m [kg, kg m^2]
    load: Value | None = None  # α; None where all are one
    passes_back: bool = False
    """Whether every α and every m is known to be above zero: motion drives all motors back."""


def mass_matrix(machine: Machine, pose: Value, mass: Value) -> Value:
    """M + Jᵀ diag(m) J for u, with masses m [kg, kg m^2] that move with the driven joints."""
    J = kinematics.actuation_matrix(machine, pose)
    M = dynamics.mass_matrix(machine, pose) + J.T @ ca.diag(mass) @ J
    return ca.tril2symm(ca.tril(M))


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, actuation: Actuation, wrench: Value
) -> tuple[Value, Value]:
    """Acceleration (6) [m/s^2, rad/s^2] and the actuators' forces F [N, N m] on the machine.

    M_u u̇ + bias = J_uᵀ F + Tᵀ wrench, q̈ = J_u u̇ + drift, acceleration = T u̇ + Ṫ u.
    """
    f, m, alpha = actuation.force, actuation.mass, actuation.load
    at_constant_u = kinematics.bias_acceleration(machine, pose, twist)
    J, T = kinematics.actuation_matrix(machine, pose), kinematics.twist_basis(machine, pose)
    f = f - m * kinematics.drift(machine, pose, twist)

    def unbalanced(u_dot: Value, force: Value) -> Value:
        """Jᵀ F + Tᵀ wrench - M u̇ - bias."""
        across, along = dynamics.required_forces(machine, pose, twist, T @ u_dot + at_constant_u)
        return J.T @ (force - along) + T.T @ wrench - across

    def by_law(u_dot: Value) -> Value:
        force = f - m * (J @ u_dot)
        return force if alpha is None else force / alpha

    def solved(u_dot: Value, acceleration: Value, force: Value) -> tuple[Value, Value]:
        """Return acceleration and forces, with derivatives of the equations of motion."""
        found = implicit.solution(u_dot, lambda x: unbalanced(x, by_law(x)), by_mass_matrix)
        if found is u_dot:
            return acceleration, force
        return T @ found + at_constant_u, by_law(found)

    def by_mass_matrix() -> implicit.Solve:
        M = mass_matrix(machine, pose, m if alpha is None else m / alpha)
        return SymmetricFactors.of(M).changed(implicit.stored).solve

    none = ca.DM.zeros(J.shape[1])
    if alpha is None and m.is_zero():  # the same equations, with fewer operations
        moved = dynamics.forward_dynamics(machine, pose, twist, actuation.force, wrench)
        u_dot = kinematics.independent_velocities(machine, moved - at_constant_u)
        return solved(u_dot, moved, actuation.force)
    if alpha is None:
        u_dot = solve_symmetric(mass_matrix(machine, pose, m), unbalanced(none, f))
        return solved(u_dot, T @ u_dot + at_constant_u, by_law(u_dot))
    M = dynamics.mass_matrix(machine, pose)
    if actuation.passes_back:  # J u̇ = A F + c, so that (A + α / m) F = f / m - c
        factors = SymmetricFactors.of(M)
        W = factors.forward(ca.horzcat(J.T, unbalanced(none, ca.DM.zeros(J.shape[0]))))
        by_force, rest, by_mass = W[:, :-1], W[:, -1], 1 / m
        across_legs = by_force.T @ factors.scaled(W)
        A, c = across_legs[:, :-1], across_legs[:, -1]
        force = solve_symmetric(A + ca.diag(alpha * by_mass), f * by_mass - c)
        u_dot = factors.backward(factors.scaled(by_force @ force + rest))
        return solved(u_dot, T @ u_dot + at_constant_u, force)
    rest = dynamics.bias(machine, pose, twist) - T.T @ wrench
    if J.shape[0] > J.shape[1]:  # more motors than degrees of freedom: their laws share the load
        A = ca.blockcat([[M, -J.T], [ca.diag(m) @ J, ca.diag(alpha)]])
        found = solve(A, ca.vertcat(-rest, f))
        u_dot, force = found[: J.shape[1]], found[J.shape[1] :]
    else:  # the motion determines the forces: F = J^-T (M u̇ + rest)
        forces = dynamics.balancing_forces(machine, pose, ca.horzcat(M, rest))
        per_acceleration, at_rest = forces[:, :-1], forces[:, -1]
        A = ca.diag(alpha) @ per_acceleration + ca.diag(m) @ J  # Bingul (60)
        u_dot = solve(A, f - alpha * at_rest)  # Bingul (59), (62), (64)
        force = per_acceleration @ u_dot + at_rest
    return T @ u_dot + at_constant_u, force


FADE_SPEED = 1.0  # small beside motors' speeds [rad/s], and not too stiff for steps of 1 ms
CURRENT_BANDWIDTH = 2000.0  # bandwidth of the amplifiers' current control [rad/s]
SIGN_ROUNDS = 2  # iterations for the sign of the forces, on which the friction depends

Motion = TypeVar("Motion", bound=Any)  # a record with, among others, `force` (n)


@dataclass(frozen=True)
class DriveLaw:
    """The numbers of a drive. Letters in brackets are the paper's; what is None is not there."""

    resistance: Value  # R [ohm]
    inductance: Value | None  # L [H]; None: the current follows the voltage at once
    torque_constant: Value  # K_t [N m/A]
    back_emf: Value  # K_b [V s/rad]: not V/rpm, as it is printed
    rotor_inertia: Value  # J_m [kg m^2]
    rotor_damping: Value  # b_m [N m s/rad]: not N s/rad, as it is printed
    gear_ratio: Value  # n, turns of the motor per turn of the screw
    screw_lead: Value  # p [m]
    screw_inertia: Value  # J_s [kg m^2]
    screw_damping: Value  # b_s [N m s/rad]
    rotor_friction: Value  # dry friction of the motor [N m]
    screw_friction: Value  # dry friction of the screw, whatever its load [N m]
    torque_offset: Value | float = 0.0  # constant torque of the motor beside all others [N m]
    efficiency: Value | None = None  # η, from motor to leg; None: the screw's load has no friction
    back_efficiency: Value | None = None
    """η_b, from leg to motor; not positive: the leg cannot drive the motor. None: 2 - 1/η, which
    is friction of the same size either way."""
    max_current: Value | None = None  # current limit of the amplifier, in both directions [A]
    max_voltage: Value | None = None  # voltage limit of the amplifier, in both directions [V]
    fade_speed: Value | float = FADE_SPEED
    """Speed of the motor [rad/s] below which dry friction fades to zero, to be smooth."""


@dataclass(frozen=True)
class MotorDemand:
    """Demand of a motion under a force on a motor."""

    motor_speed: Value  # [rad/s]
    motor_torque: Value  # τ_m of the field [N m]
    current: Value  # [A]
    voltage: Value  # at the terminals [V]


def reduction(drive: DriveLaw) -> Value:
    """N [rad/m], the motor's turning per length of the leg."""
    return 2 * pi * drive.gear_ratio / drive.screw_lead  # (58)


def reflected_mass(drive: DriveLaw) -> Value:
    """m_r [kg]: the inertia of rotor and screw as the leg feels it."""
    return reduction(drive) ** 2 * _at_motor(drive, drive.rotor_inertia, drive.screw_inertia, 2)


def reflected_damping(drive: DriveLaw) -> Value:
    """The viscous friction of rotor and screw as the leg feels it [N s/m]."""
    return reduction(drive) ** 2 * _at_motor(drive, drive.rotor_damping, drive.screw_damping, 2)


def friction(drive: DriveLaw, speed: Value | float) -> Value:
    """The force on the leg [N] of all friction but the load's, and of the constant torque."""
    dry = _at_motor(drive, drive.rotor_friction, drive.screw_friction, 1)
    torque = dry * _direction(drive, speed) + drive.torque_offset
    return reflected_damping(drive) * speed + reduction(drive) * torque  # (54)


def load_factor(drive: DriveLaw, speed: Value | float, force_sign: Value | float) -> Value:
    """α: the force that the motor must balance per force on the leg, at a speed of the leg [m/s].

    It is 1/η where the leg moves with its force, η_b where it moves against it, 1 at rest.
    """
    if drive.efficiency is None:
        return ca.DM(1)
    along = _direction(drive, speed) * force_sign
    return 1 + along * ca.if_else(along > 0, 1 / drive.efficiency - 1, 1 - _back_efficiency(drive))


def _back_efficiency(drive: DriveLaw) -> Value:
    """η_b; one of a screw without friction in proportion to its load."""
    if drive.back_efficiency is not None or drive.efficiency is None:
        return ca.DM(1) if drive.back_efficiency is None else drive.back_efficiency
    return 2 - 1 / drive.efficiency


def driving_force(drive: DriveLaw, current: Value, speed: Value) -> Value:
    """N K_t i - friction [N]: the right side of α F + m_r q̈ = force."""
    field = reduction(drive) * drive.torque_constant * current  # (56)
    return field - friction(drive, speed)


def demand(
    drive: DriveLaw,
    speed: Value | float,
    acceleration: Value | float,
    force: Value,
    current_rate: Value | float = 0,
) -> MotorDemand:
    """The inverse: what it takes to move the leg so, against a force -F; without limits."""
    alpha = load_factor(drive, speed, ca.sign(force))
    total = reflected_mass(drive) * acceleration + friction(drive, speed)
    torque = (total + alpha * force) / reduction(drive)  # (52)
    current = torque / drive.torque_constant  # (56)
    voltage = drive.resistance * current + back_emf(drive, speed)
    if drive.inductance is not None:
        voltage += drive.inductance * current_rate
    return MotorDemand(reduction(drive) * speed, torque, current, voltage)  # (58)


def back_emf(drive: DriveLaw, speed: Value | float) -> Value:
    """The voltage [V] that the motor generates at a speed of the leg."""
    return drive.back_emf * reduction(drive) * speed  # (57), (58)


def current_rate(drive: DriveLaw, current: Value, voltage: Value, speed: Value) -> Value:
    """di/dt [A/s] under a commanded voltage; zero without inductance, see `steady_current`."""
    if drive.inductance is None:
        return ca.DM(0)
    V = applied_voltage(drive, voltage, current, speed)
    return (V - drive.resistance * current - back_emf(drive, speed)) / drive.inductance  # (57)


def steady_current(drive: DriveLaw, voltage: Value, speed: Value) -> Value:
    """The current [A] of a commanded voltage without inductance, or when it has settled."""
    V = applied_voltage(drive, voltage, 0, speed)
    return (V - back_emf(drive, speed)) / drive.resistance  # (57)


def applied_voltage(drive: DriveLaw, voltage: Value, current: Value | float, speed: Value) -> Value:
    """Return the amplifier's voltage [V] for a commanded one, at a current [A] of the motor.

    It follows the command within the voltage limit, unless the current would reach its limit faster
    than the amplifier controls currents: then it is the voltage that brings the current to its
    limit. Without inductance, or with very little, that is the voltage of the maximum current.
    """
    V, most = voltage, drive.max_voltage
    if most is not None:
        V = ca.fmax(-most, ca.fmin(most, voltage))
    if drive.max_current is None:
        return V
    steady = drive.resistance * current + back_emf(drive, speed)
    steepest = drive.resistance  # [V/A]
    if drive.inductance is not None:
        steepest = ca.fmax(steepest, CURRENT_BANDWIDTH * drive.inductance)
    lowest = steady - steepest * (drive.max_current + current)
    highest = steady + steepest * (drive.max_current - current)
    return ca.fmax(lowest, ca.fmin(highest, V))


def winding_energy(drive: DriveLaw, current: Value) -> Value:
    """Energy [J] of the winding's field."""
    return ca.DM(0) if drive.inductance is None else drive.inductance * current**2 / 2


def rotor_energy(drive: DriveLaw, speed: Value) -> Value:
    """Kinetic energy [J] of rotor and screw, at a speed of the leg [m/s]."""
    return reflected_mass(drive) * speed**2 / 2


def _at_motor(drive: DriveLaw, motor: Value, screw: Value, power: int) -> Value:
    return motor + screw / drive.gear_ratio**power


def _direction(drive: DriveLaw, speed: Value | float) -> Value:
    return ca.tanh(reduction(drive) * speed / drive.fade_speed)


# All drives of a machine: currents are their states; a drive without inductance has none, and its
# entry is not used


Drives = Sequence[DriveLaw]


def currents(drives: Drives, current: Value, voltage: Value, speed: Value) -> Value:
    """Currents (n) [A]: the states, or where there is no inductance those of the voltages."""
    found = list(ca.vertsplit(current))
    for k, d in enumerate(drives):
        if d.inductance is None:
            found[k] = steady_current(d, voltage[k], speed[k])
    return vector(*found)


def current_rates(drives: Drives, current: Value, voltage: Value, speed: Value) -> Value:
    """Rates of the currents (n) [A/s] under commanded voltages."""
    states = zip(drives, *map(ca.vertsplit, (current, voltage, speed)), strict=True)
    return vector(*(current_rate(*state) for state in states))


def driven_dynamics(
    under: Callable[[Actuation], Motion],
    drives: Drives,
    speed: Value,
    current: Value,
    beside: Value,
) -> Motion:
    """The motion of a machine under currents (n) [A] [Bingul 2012 (59)].

    `under` gives the motion under actuators' laws, with their `force`, and `speed` (n) [m/s, rad/s]
    is that of the actuators. `beside` (n) [N, N m] are forces of end stops, beside the drives. The
    friction of drives depends on the sign of forces, at first of those without friction: only
    forces near zero, whose friction is nearly zero, can still have the wrong one.
    """
    f = vector(*(driving_force(d, current[k], speed[k]) for k, d in enumerate(drives)))
    m = vector(*(reflected_mass(d) for d in drives))

    def without_beside(laws: Actuation) -> Motion:
        moved = under(laws)
        return replace(moved, force=moved.force - beside)

    if all(d.efficiency is None for d in drives):
        return without_beside(Actuation(f + beside, m))
    least = [ca.SX(x) for d in drives for x in (_back_efficiency(d), reflected_mass(d))]
    passes_back = all(x.is_constant() and float(x) > 0 for x in least)
    perfect = ca.DM.ones(len(drives)) if passes_back else None
    motion = without_beside(Actuation(f + beside, m, perfect, passes_back))
    for _ in range(SIGN_ROUNDS):
        sense = implicit.stored(ca.sign(motion.force))
        alpha = vector(*(load_factor(d, speed[k], sense[k]) for k, d in enumerate(drives)))
        motion = without_beside(Actuation(f + alpha * beside, m, alpha, passes_back))
    return motion


def motor_matrices(
    machine: Machine, drives: Drives, state: tuple[Value, Value], model: tuple[Value, Value, Value]
) -> tuple[Value, Value, Value]:
    """M̄, N̄ and Ḡ of τ_m = M̄ u̇ + N̄ u + Ḡ [Bingul 2012 (59)-(65)], from M, C and G for u.

    Motor torques of rigid bodies, rotors and screws with their viscous friction; dry friction and
    efficiencies, of which the paper has none, are in `motor_demand`.
    """
    (M, C, G), (pose, _) = model, state
    J = kinematics.actuation_matrix(machine, pose)
    by_force = dynamics.direct_jacobian(machine, pose).T
    K_a = ca.diag(vector(*(1 / reduction(drive) for drive in drives)))  # (55)
    M_a = K_a @ ca.diag(vector(*map(reflected_mass, drives)))  # (53)
    N_a = K_a @ ca.diag(vector(*map(reflected_damping, drives)))  # (54)
    return (
        K_a @ by_force @ M + M_a @ J,  # (60), (61)
        K_a @ by_force @ C + N_a @ J + M_a @ dynamics.actuation_rate(machine, *state),  # (62), (63)
        K_a @ by_force @ G,  # (64), (65)
    )
