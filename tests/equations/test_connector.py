"""Compliant legs: accelerations by Lagrange, energy, statics by hand, and the rigid limit."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import losses
import numpy as np
import pytest
from connectors import STRUCTURES, compliant_machine, moved, random_inner
from machines import random_machine, random_state
from scipy.spatial.transform import Rotation

from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.drive import Actuation
from gough.equations.dynamics import default
from gough.equations.legs import closure
from gough.equations.legs.extensible import MODES, RIGID, ConnectorLaw, CouplingLaw, DecouplingLaw
from gough.equations.spatial.algebra import norm
from gough.equations.spatial.attitude import quaternion_rate

MIXED = tuple(STRUCTURES)[:6]
ALL_STRUCTURES = [(name,) for name in STRUCTURES] + [MIXED]
NO_MASS = ca.DM.zeros(6)


def numbers(value):
    return np.array(value, dtype=float).ravel()


def ideal(force):
    return Actuation(ca.DM(force), NO_MASS)


def case(seed, structures):
    """A machine, its connectors and bodies, a state, forces and a wrench."""
    rng = np.random.default_rng(seed)
    machine, connectors, bodies = compliant_machine(rng, structures)
    pose, twist, _, wrench = random_state(rng)
    lengths = numbers(closure.inverse_kinematics(machine, ca.DM(pose)))
    inner = random_inner(rng, lengths, machine)
    force = 100 * rng.normal(size=6)
    return machine, connectors, bodies, pose, twist, inner, force, wrench


# An independent derivation: Lagrange's equations from the energies of all bodies, in coordinates
# z = (position, three angles, E, D), with every derivative by automatic differentiation.


def rotation_of(angles):
    """R = Rx Ry Rz."""
    (a, b, c) = ca.vertsplit(angles)
    Rx = ca.blockcat([[1, 0, 0], [0, ca.cos(a), -ca.sin(a)], [0, ca.sin(a), ca.cos(a)]])
    Ry = ca.blockcat([[ca.cos(b), 0, ca.sin(b)], [0, 1, 0], [-ca.sin(b), 0, ca.cos(b)]])
    Rz = ca.blockcat([[ca.cos(c), -ca.sin(c), 0], [ca.sin(c), ca.cos(c), 0], [0, 0, 1]])
    return Rx @ Ry @ Rz


def turning(R, z, z_dot):
    """ω of Ṙ = ω x R."""
    W = ca.reshape(ca.jtimes(ca.vec(R), z, z_dot), 3, 3) @ R.T
    return ca.vertcat(W[2, 1], W[0, 2], W[1, 0])


def energies(machine, connectors, bodies, z, z_dot, delta_c, drive_mass):
    """Kinetic energy, potential, dissipation function, and the leg lengths."""
    p, R = z[0:3], rotation_of(z[3:6])
    g = machine.gravity

    def body(mass, center, R, inertia):
        v, w = ca.jtimes(center, z, z_dot), R.T @ turning(R, z, z_dot)
        return mass * ca.dot(v, v) / 2 + ca.dot(w, inertia @ w) / 2, -mass * ca.dot(g, center)

    center = p + R @ machine.platform.center_of_mass
    T, V = body(machine.platform.mass, center, R, machine.platform.inertia)
    lost = ca.SX(0)
    for k, (leg, of_leg, (fixed, slides)) in enumerate(
        zip(machine.legs, connectors, bodies, strict=True)
    ):
        span = p + R @ leg.platform - leg.base
        l = norm(span)
        s = span / l
        free = leg.piston.center_of_mass
        E = l - free if of_leg.is_rigid else z[6 + k]
        D = slides.at if of_leg.decoupling is None else z[12 + k]
        for mass, inertia, at in (
            (fixed.mass, fixed.inertia, fixed.at),
            (slides.mass, slides.inertia, D),
            (leg.piston.mass, leg.piston.inertia, E),
        ):
            axes, inertia_of_leg = leg_frame(leg, s, inertia)
            kinetic, potential = body(mass, leg.base + at * s, axes, inertia_of_leg)
            T, V = T + kinetic, V + potential
        rate = ca.jtimes(E, z, z_dot)
        l_dot = ca.jtimes(l, z, z_dot)
        T += drive_mass[k] * rate**2 / 2
        lost += of_leg.damping * rate**2 / 2
        whole, stage = E - l + free, of_leg.coupling
        if of_leg.stiffness is not None and stage is not None and stage.damping is not None:
            V += of_leg.stiffness * (whole - delta_c[k]) ** 2 / 2
        elif of_leg.stiffness is not None or stage is not None:
            springs = [x.stiffness for x in (of_leg, stage) if x is not None and x.stiffness]
            V += whole**2 / 2 / sum(1 / x for x in springs)
            if stage is not None and stage.damping is not None:
                lost += stage.damping * (rate - l_dot) ** 2 / 2
        if of_leg.decoupling is not None:
            V += of_leg.decoupling.stiffness * (D - slides.at) ** 2 / 2
            lost += of_leg.decoupling.damping * (ca.jtimes(D, z, z_dot) - l_dot) ** 2 / 2
    return T, V, lost


def leg_frame(leg, s, inertia):
    """Axes of a leg and its inertia on them; an SPS leg does not spin, and has none about s.

    Its axes follow those of a universal joint, so the inertia about s must not count.
    """
    if leg.base_joint.spins:
        x = ca.cross(leg.base_joint.first_axis, s)
    else:
        x = ca.cross(ca.DM([0, 1, 0]), s)
        inertia = np.array(inertia) * np.diag([1, 1, 0])
    x = x / norm(x)
    return ca.horzcat(x, ca.cross(s, x), s), inertia


def lagrange_accelerations(machine, connectors, bodies, pose, twist, inner, force, wrench, mass):
    """Accelerations (6), Ë (6), D̈ (6); the last two where they are free."""
    z, z_dot, delta_c = ca.SX.sym("z", 18), ca.SX.sym("z_dot", 18), ca.SX.sym("delta_c", 6)
    T, V, lost = energies(machine, connectors, bodies, z, z_dot, delta_c, mass)
    omega = turning(rotation_of(z[3:6]), z, z_dot)
    twist_of = ca.vertcat(z_dot[0:3], omega)
    E = [
        closure_length(leg, z) - leg.piston.center_of_mass if c.is_rigid else z[6 + k]
        for k, (leg, c) in enumerate(zip(machine.legs, connectors, strict=True))
    ]
    E_dot = ca.jtimes(ca.vertcat(*E), z, z_dot)
    power = ca.dot(ca.DM(force), E_dot) + ca.dot(ca.DM(wrench), twist_of)
    momentum = ca.gradient(T, z_dot)
    M = ca.jacobian(momentum, z_dot)
    Q = ca.gradient(power - lost, z_dot) + ca.gradient(T - V, z)
    rest = Q - ca.jtimes(momentum, z, z_dot)
    drift = ca.jtimes(twist_of, z, z_dot)
    f = ca.Function("f", [z, z_dot, delta_c], [M, rest, ca.jacobian(twist_of, z_dot), drift])
    angles = Rotation.from_quat(pose[[4, 5, 6, 3]]).as_euler("XYZ")
    at = np.concatenate([pose[:3], angles, numbers(inner.E), numbers(inner.D)])
    W = np.array(f(at, np.zeros(18), inner.delta_c)[2])[:, :6]
    rates = np.linalg.solve(W, twist)
    z_rate = np.concatenate([rates, numbers(inner.E_dot), numbers(inner.D_dot)])
    M, rest, W, drift = (np.array(x) for x in f(at, z_rate, inner.delta_c))
    free = [True] * 6 + [not c.is_rigid for c in connectors]
    free += [c.decoupling is not None for c in connectors]
    z_ddot = np.zeros(18)
    z_ddot[free] = np.linalg.solve(M[np.ix_(free, free)], rest[free, 0])
    return W[:, :6] @ z_ddot[:6] + drift[:, 0], z_ddot[6:12], z_ddot[12:]


def closure_length(leg, z):
    return norm(z[0:3] + rotation_of(z[3:6]) @ leg.platform - leg.base)


@pytest.mark.parametrize("structures", ALL_STRUCTURES, ids=lambda s: "+".join(s)[:30])
@pytest.mark.parametrize("drive_mass", [0.0, 3.0])
def test_accelerations_are_those_of_lagrange(structures, drive_mass):
    machine, connectors, bodies, pose, twist, inner, force, wrench = case(11, structures)
    mass = np.full(6, drive_mass)
    response = moved(
        machine, connectors, ca.DM(pose), ca.DM(twist), inner,
        Actuation(ca.DM(force), ca.DM(mass)), ca.DM(wrench),
    )  # fmt: skip
    acceleration, E_ddot, D_ddot = lagrange_accelerations(
        machine, connectors, bodies, pose, twist, inner, force, wrench, mass
    )
    np.testing.assert_allclose(numbers(response.acceleration), acceleration, rtol=1e-9)
    for k, of_leg in enumerate(connectors):
        if not of_leg.is_rigid:
            assert float(response.inner_rate.E_dot[k]) == pytest.approx(E_ddot[k], rel=1e-9)
        if of_leg.decoupling is not None:
            assert float(response.inner_rate.D_dot[k]) == pytest.approx(D_ddot[k], rel=1e-9)


@pytest.mark.parametrize("structures", ALL_STRUCTURES, ids=lambda s: "+".join(s)[:30])
def test_stored_and_lost_power_are_what_actuators_and_wrench_supply(structures):
    machine, connectors, _, pose, twist, inner, force, wrench = case(5, structures)
    x, v, y = ca.SX.sym("pose", 7), ca.SX.sym("twist", 6), ca.SX.sym("inner", 30)
    response = moved(machine, connectors, x, v, Inner.of(y), ideal(force), ca.DM(wrench))
    stored = ca.sum1(compliant.energy(machine, connectors, x, v, Inner.of(y)))
    x_dot = ca.vertcat(v[0:3], quaternion_rate(x[3:7], v[3:6]))
    growth = ca.jtimes(stored, x, x_dot) + ca.jtimes(stored, v, response.acceleration)
    growth += ca.jtimes(stored, y, response.inner_rate.column())
    lost = losses.in_legs(machine, connectors, x, v, Inner.of(y))
    speed = compliant.inner_motion(machine, connectors, x, v, Inner.of(y)).E_dot
    supplied = ca.dot(response.force, speed) + ca.dot(ca.DM(wrench), v)  # Baiges 6.(44)
    f = ca.Function("f", [x, v, y], [growth + lost - supplied, growth, lost, supplied])
    unit = np.concatenate([pose[:3], pose[3:] / np.linalg.norm(pose[3:])])
    balance, growth, lost, supplied = map(float, f(unit, twist, inner.column()))
    assert lost > 0
    assert abs(balance) < 1e-12 * (abs(growth) + lost + abs(supplied))


@pytest.mark.parametrize("structures", ALL_STRUCTURES, ids=lambda s: "+".join(s)[:30])
def test_the_inverse_gives_back_the_forces(structures):
    machine, connectors, _, pose, twist, inner, force, wrench = case(7, structures)
    at = (machine, connectors, ca.DM(pose), ca.DM(twist))
    response = moved(*at, inner, ideal(force), ca.DM(wrench))
    E = compliant.inner_motion(*at, inner).E
    whole = [
        float(E[k] - leg_length + leg.piston.center_of_mass)
        for k, (leg, leg_length) in enumerate(
            zip(machine.legs, numbers(closure.inverse_kinematics(machine, at[2])), strict=True)
        )
    ]
    held = [c.keeps_coupling for c in connectors]
    delta_c = np.where(held, numbers(inner.delta_c), whole)
    inverse = compliant.inverse_dynamics(
        *at, response.acceleration, replace(inner, delta_c=ca.DM(delta_c)),
        response.inner_rate.E_dot, ca.DM(wrench),
    )  # fmt: skip
    np.testing.assert_allclose(numbers(inverse.force), force, rtol=1e-8)
    np.testing.assert_allclose(numbers(response.force), force, rtol=1e-10)
    np.testing.assert_allclose(numbers(inverse.leg_force), numbers(response.leg_force), rtol=1e-8)
    np.testing.assert_allclose(numbers(inverse.E), numbers(E), rtol=1e-10)
    np.testing.assert_allclose(numbers(inverse.D_ddot), numbers(response.inner_rate.D_dot))
    damped = [c.coupling is not None and c.coupling.damping is not None for c in connectors]
    np.testing.assert_allclose(
        numbers(inverse.delta_c_dot)[damped], numbers(response.inner_rate.delta_c)[damped],
        rtol=1e-7, atol=1e-9,
    )  # fmt: skip


def test_the_inverse_along_a_motion_makes_the_forward_model_follow_it():
    """A periodic motion: derivatives along it are exact to rounding by Fourier's series."""
    rng = np.random.default_rng(3)
    machine, connectors, _ = compliant_machine(rng, ["simple"])
    n, period = 64, 2.0
    time = np.arange(n) * period / n
    phase = 2 * np.pi * time / period
    amplitude = 0.05 * rng.normal(size=3)
    poses = np.zeros((n, 7))
    poses[:, 3] = 1.0
    poses[:, :3] = [0, 0, 1.3] + np.outer(np.sin(phase), amplitude)
    twists, accelerations = np.zeros((n, 6)), np.zeros((n, 6))
    w = 2 * np.pi / period
    twists[:, :3] = np.outer(w * np.cos(phase), amplitude)
    accelerations[:, :3] = np.outer(-(w**2) * np.sin(phase), amplitude)

    def derivative(values):
        rates = 2j * np.pi * np.fft.fftfreq(n, period / n)[:, None]
        return np.fft.ifft(rates * np.fft.fft(values, axis=0), axis=0).real

    x, v, a, y, b = (ca.SX.sym(name, m) for name, m in zip("xvayb", (7, 6, 6, 30, 6), strict=True))
    inverse = compliant.inverse_dynamics(
        machine, connectors, x, v, a, Inner.of(y), b, ca.DM.zeros(6)
    )
    forward = moved(machine, connectors, x, v, Inner.of(y), Actuation(b, NO_MASS), ca.DM.zeros(6))
    invert = ca.Function("inverse", [x, v, a, y, b], [inverse.E, inverse.force])
    move = ca.Function("forward", [x, v, y, b], [forward.acceleration, forward.inner_rate.E_dot])
    E = numbers(
        ca.Function("l", [x], [closure.inverse_kinematics(machine, x)]).map(n)(poses.T).T
    ).reshape(n, 6) - [float(leg.piston.center_of_mass) for leg in machine.legs]
    inner = np.zeros((n, 30))
    for _ in range(8):
        inner[:, 0:6], inner[:, 18:24] = E, derivative(E)
        E, force = (
            np.array(r).T
            for r in invert.map(n)(
                poses.T, twists.T, accelerations.T, inner.T, derivative(derivative(E)).T
            )
        )
    acceleration, E_ddot = (np.array(r).T for r in move.map(n)(poses.T, twists.T, inner.T, force.T))
    np.testing.assert_allclose(acceleration, accelerations, atol=1e-7)
    np.testing.assert_allclose(E_ddot, derivative(derivative(E)), atol=1e-6)


def test_springs_yield_in_series_at_rest():
    """100 N on 20 kN/m and 10 kN/m: 15 mm, so that E is 0.6150 m where it is 0.6 m unloaded."""
    of_leg = ConnectorLaw(ca.DM(0), ca.DM(2e4), CouplingLaw(ca.DM(1e4), ca.DM(50)))
    machine = random_machine(np.random.default_rng(0))
    machine = replace(machine, gravity=ca.DM.zeros(3))
    pose = ca.DM([0, 0, 1.3, 1, 0, 0, 0])
    lengths = numbers(closure.inverse_kinematics(machine, pose))
    legs = [
        replace(leg, piston=replace(leg.piston, center_of_mass=ca.DM(l - 0.6)))
        for leg, l in zip(machine.legs, lengths, strict=True)
    ]
    machine = replace(machine, legs=tuple(legs))
    against = -closure.jacobian(machine, pose).T @ ca.DM([100] * 6)
    at_rest = compliant.static_solution(machine, [of_leg] * 6, pose, against)
    np.testing.assert_allclose(numbers(at_rest.leg_force), 100)
    np.testing.assert_allclose(numbers(at_rest.inner.E), 0.6150, rtol=1e-12)  # erratum of 6.(31)
    np.testing.assert_allclose(numbers(at_rest.inner.delta_c), 0.010, rtol=1e-12)
    np.testing.assert_allclose(numbers(at_rest.force), 100)


@pytest.mark.parametrize("structures", ALL_STRUCTURES, ids=lambda s: "+".join(s)[:30])
def test_nothing_moves_in_the_static_solution(structures):
    machine, connectors, _, pose, _, _, _, wrench = case(2, structures)
    still = ca.DM.zeros(6)
    at_rest = compliant.static_solution(machine, connectors, ca.DM(pose), ca.DM(wrench))
    response = moved(
        machine, connectors, ca.DM(pose), still, at_rest.inner, ideal(at_rest.force), ca.DM(wrench)
    )
    rates = np.concatenate([numbers(response.acceleration), numbers(response.inner_rate.column())])
    np.testing.assert_allclose(rates, 0, atol=1e-9)
    np.testing.assert_allclose(numbers(response.leg_force), numbers(at_rest.leg_force), rtol=1e-8)


def test_the_rigid_structure_is_the_rigid_machine():
    rng = np.random.default_rng(9)
    machine = random_machine(rng)
    pose, twist, acceleration, wrench = (ca.DM(x) for x in random_state(rng))
    force = ca.DM(100 * rng.normal(size=6))
    rigid, none = [RIGID] * 6, Inner(*(ca.DM.nan(6) for _ in range(5)))
    response = moved(machine, rigid, pose, twist, none, ideal(force), wrench)
    expected = default.forward_dynamics(machine, pose, twist, force, wrench)
    np.testing.assert_allclose(numbers(response.acceleration), numbers(expected), rtol=1e-11)
    inverse = compliant.inverse_dynamics(
        machine, rigid, pose, twist, acceleration, none, ca.DM.zeros(6), wrench
    )
    forces = default.inverse_dynamics(machine, pose, twist, acceleration, wrench)
    np.testing.assert_allclose(numbers(inverse.force), numbers(forces), rtol=1e-11)
    at_rest = compliant.static_solution(machine, rigid, pose, wrench)
    still = ca.DM.zeros(6)
    forces = default.inverse_dynamics(machine, pose, still, still, wrench)
    np.testing.assert_allclose(numbers(at_rest.force), numbers(forces), rtol=1e-11)


@pytest.mark.parametrize("coupling", [False, True])
def test_stiffer_springs_tend_to_the_rigid_machine_at_first_order(coupling):
    """Springs that bear the rigid machine's forces: ten times as stiff, a tenth of the error."""
    rng = np.random.default_rng(4)
    machine = random_machine(rng)
    pose, twist, _, wrench = (ca.DM(x) for x in random_state(rng))
    force = ca.DM(100 * rng.normal(size=6))
    rigid, none = [RIGID] * 6, Inner.none(6)
    limit = moved(machine, rigid, pose, twist, none, ideal(force), wrench)
    errors = []
    for k in range(4, 9):
        stage = CouplingLaw(ca.DM(3.0 * 10**k), ca.DM(10.0)) if coupling else None
        springs = [ConnectorLaw(ca.DM(0), ca.DM(2.0 * 10**k), stage)] * 6
        inner = compliant.steady_inner(machine, springs, pose, twist, limit.leg_force)
        response = moved(machine, springs, pose, twist, inner, ideal(force), wrench)
        errors.append(
            max(
                np.abs(numbers(response.acceleration - limit.acceleration)).max(),
                np.abs(numbers(response.inner_rate.E_dot - limit.inner_rate.E_dot)).max(),
            )
        )
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 10, rtol=0.05)


def test_the_static_solution_tends_to_the_rigid_one_at_first_order():
    machine, connectors, _, pose, _, _, _, wrench = case(6, ["simple"])
    rigid = [c.in_mode("rigid") for c in connectors]
    limit = compliant.static_solution(machine, rigid, ca.DM(pose), ca.DM(wrench))
    errors = []
    for k in range(5):
        stiffer = [replace(c, stiffness=c.stiffness * 10.0**k) for c in connectors]
        at_rest = compliant.static_solution(machine, stiffer, ca.DM(pose), ca.DM(wrench))
        errors.append(np.abs(numbers(at_rest.force - limit.force)).max())
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 10, rtol=0.1)


def test_a_stiffer_damper_locks_the_coupling_stage_at_first_order():
    machine, connectors, _, pose, twist, inner, force, wrench = case(8, ["low-frequency"])
    closed = replace(inner, delta_c=ca.DM.zeros(6))
    locked = [c.in_mode("simple") for c in connectors]
    at = (ca.DM(pose), ca.DM(twist), closed, ideal(force), ca.DM(wrench))
    limit = moved(machine, locked, *at)
    rates = []
    for k in range(4):
        stages = [
            replace(c, coupling=replace(c.coupling, damping=c.coupling.damping * 10.0**k))
            for c in connectors
        ]
        response = moved(machine, stages, *at)
        np.testing.assert_allclose(numbers(response.acceleration), numbers(limit.acceleration))
        rates.append(np.abs(numbers(response.inner_rate.delta_c)).max())
    np.testing.assert_allclose(np.array(rates[:-1]) / rates[1:], 10)
    np.testing.assert_array_equal(numbers(limit.inner_rate.delta_c), 0)


def test_operating_modes_open_and_close_the_valves():
    stage = DecouplingLaw(ca.DM(1), ca.DM(0.4), ca.DM(1e4), ca.DM(30))
    full = ConnectorLaw(ca.DM(5), ca.DM(2e4), CouplingLaw(ca.DM(1e4), ca.DM(50)), stage)
    modes = {mode: full.in_mode(mode) for mode in MODES}
    assert modes["complete"] == full
    assert modes["high-frequency"] == replace(full, coupling=None)
    assert float(modes["low-frequency"].decoupling.damping) == 0
    assert modes["low-frequency"].coupling is full.coupling
    assert modes["simple"].coupling is None
    assert float(modes["simple"].decoupling.damping) == 0
    assert modes["rigid"].is_rigid
    assert modes["rigid"].decoupling is None
    assert modes["rigid"].damping is full.damping
    assert [m.keeps_coupling for m in modes.values()] == [False, False, True, False, True]


def test_a_very_stiff_stage_is_a_part_of_the_cylinder():
    """K_d → ∞: M_d stays where it is, and the platform moves as if it were bolted on."""
    machine, connectors, _, pose, twist, inner, force, wrench = case(10, ["high-frequency"])
    bolted = [replace(c, decoupling=None) for c in connectors]
    in_place = replace(
        inner,
        D=ca.vertcat(*(c.decoupling.position for c in connectors)),
        D_dot=ca.DM.zeros(6),
    )
    open_valve = [c.in_mode("simple") for c in connectors]
    at = (ca.DM(pose), ca.DM(twist), in_place, ideal(force), ca.DM(wrench))
    loose = moved(machine, open_valve, *at)
    fixed = moved(machine, bolted, *at)
    np.testing.assert_allclose(numbers(loose.acceleration), numbers(fixed.acceleration))


def test_a_load_factor_is_what_the_actuators_must_overcome():
    """α F + m Ë = f, and the motion is the one under the forces F themselves."""
    machine, connectors, _, pose, twist, inner, force, wrench = case(12, MIXED)
    at = (machine, connectors, ca.DM(pose), ca.DM(twist), inner)
    rng = np.random.default_rng(0)
    mass, load = rng.uniform(1, 3, 6), rng.uniform(0.7, 1.4, 6)
    laws = Actuation(ca.DM(force), ca.DM(mass), ca.DM(load))
    response = moved(*at, laws, ca.DM(wrench))
    F, E_ddot = numbers(response.force), numbers(response.inner_rate.E_dot)
    np.testing.assert_allclose(load * F + mass * E_ddot, force, rtol=1e-9)
    direct = moved(*at, ideal(F), ca.DM(wrench))
    np.testing.assert_allclose(
        numbers(response.acceleration), numbers(direct.acceleration), rtol=1e-8
    )
