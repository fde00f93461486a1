"""Five derivations, one answer; and the identities that any of them must obey."""

from functools import partial

import casadi as ca
import numpy as np
import pytest
from dynamic_robots import FORMULATIONS, MIXES, model, random_robots, relative_error
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import (
    as_machine,
    random_machine,
    random_state,
    structure_of_legs,
    time_derivative,
)

from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.equations import dynamics
from gough.equations.dynamics import default, kane, lagrange
from gough.equations.forces.dynamics import energy
from gough.equations.forces.reactions import reaction_axes, reactions
from gough.equations.legs import closure
from gough.equations.motion import motions
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.model.catalogue import definitions

OTHERS = FORMULATIONS[1:]
POSE, TWIST, ACCELERATION, WRENCH = (
    ca.SX.sym(name, size) for name, size in (("p", 7), ("t", 6), ("a", 6), ("w", 6))
)
seeds = st.integers(0, 2**32 - 1)


def regular(reference, robots, states, limit=1e4):
    """Only the samples whose pose is not too close to a singular one."""
    keep = np.linalg.cond(reference.jacobian(robots, states[0])) < limit
    return robots[keep], [x[keep] for x in states]


@pytest.mark.parametrize("formulation", OTHERS)
@pytest.mark.parametrize("mix", MIXES)
@settings(max_examples=3, deadline=None)
@given(
    seed=seeds,
    heavy=st.sampled_from([1e-6, 1e-2, 1.0, 1e2, 1e4]),
    speed=st.sampled_from([0.0, 0.1, 1.0, 30.0]),
)
def test_all_formulations_agree_on_random_robots(formulation, mix, seed, heavy, speed):
    """12 x 6 examples of 60 robots each: 4,320 robots and states."""
    reference, other = model(mix), model(mix, formulation)
    robots, states = random_robots(mix, 60, seed, heavy=heavy, speed=speed)
    robots, (pose, twist, acceleration, wrench) = regular(reference, robots, states)
    expected = reference.inverse_dynamics(robots, pose, twist, acceleration, wrench)
    got = other.inverse_dynamics(robots, pose, twist, acceleration, wrench)
    assert relative_error(got, expected).max() < 1e-10
    for name, inputs in (("mass_matrix", ()), ("bias", (twist,)), ("gravity", ())):
        expected = getattr(reference, name)(robots, pose, *inputs)
        got = getattr(other, name)(robots, pose, *inputs)
        assert relative_error(got, expected).max() < 1e-10, name
    force = 100 * wrench
    expected = reference.forward_dynamics(robots, pose, twist, force, wrench)
    got = other.forward_dynamics(robots, pose, twist, force, wrench)
    assert relative_error(got, expected).max() < 1e-10


@pytest.mark.parametrize("mix", MIXES)
def test_every_derivation_has_the_same_torsion_free_coriolis_matrix(mix):
    """C · twist + G is the bias, and C(a) b - C(b) a = M [a, b]: with Ṁ - 2C skew it is unique."""
    robots, (pose, twist, other, _) = random_robots(mix, 100, seed=3)
    m = model(mix)
    C, D = (m.coriolis_matrix(robots, pose, motion) for motion in (twist, other))
    total = np.einsum("nij,nj->ni", C, twist) + m.gravity(robots, pose)
    assert relative_error(total, m.bias(robots, pose, twist)).max() < 1e-11
    torsion = np.einsum("nij,nj->ni", C, other) - np.einsum("nij,nj->ni", D, twist)
    bracket = np.hstack([np.zeros((100, 3)), np.cross(other[:, 3:], twist[:, 3:])])
    moved = np.einsum("nij,nj->ni", m.mass_matrix(robots, pose), bracket)
    assert relative_error(torsion, moved).max() < 1e-10
    for formulation in ("lagrange", "virtual-work"):
        found = model(mix, formulation).coriolis_matrix(robots, pose, twist)
        assert relative_error(found, C).max() < 1e-10


@pytest.mark.parametrize("mix", MIXES)
def test_near_singular_poses_agree_as_well(mix):
    """The platform turned towards a singular pose: forces grow, and still agree."""
    reference = model(mix)
    robots, (pose, twist, acceleration, wrench) = random_robots(mix, 400, seed=5)
    pose[:, 3:] = 1.0
    pose[:, 4:6] = np.random.default_rng(6).uniform(-0.6, 0.6, (400, 2))
    condition = np.linalg.cond(reference.jacobian(robots, pose))
    near = (condition > 300) & (condition < 3e4)
    assert near.sum() > 20
    arguments = [robots[near], *(x[near] for x in (pose, twist, acceleration, wrench))]
    expected = reference.inverse_dynamics(*arguments)
    for name in OTHERS:
        got = model(mix, name).inverse_dynamics(*arguments)
        assert relative_error(got, expected).max() < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("mix", MIXES)
def test_forward_dynamics_undoes_inverse_dynamics(formulation, mix):
    m = model(mix, formulation)
    robots, states = random_robots(mix, 200, seed=7)
    robots, (pose, twist, acceleration, wrench) = regular(m, robots, states, limit=100)
    force = m.inverse_dynamics(robots, pose, twist, acceleration, wrench)
    got = m.forward_dynamics(robots, pose, twist, force, wrench)
    assert relative_error(got, acceleration).max() < 1e-10


@pytest.mark.parametrize("mix", MIXES)
def test_the_mass_matrix_is_symmetric_positive_definite_and_that_of_the_kinetic_energy(mix):
    m = model(mix)
    robots, (pose, twist, _, _) = random_robots(mix, 200, seed=8)
    M = m.mass_matrix(robots, pose)
    np.testing.assert_allclose(M, M.swapaxes(1, 2), rtol=1e-13, atol=1e-13)
    assert (np.linalg.eigvalsh(M) > 0).all()
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", twist, M, twist)
    np.testing.assert_allclose(kinetic, m.energy(robots, pose, twist)[:, 0], rtol=1e-12)


def evaluated(expressions, seed, speed=1.0):
    f = ca.Function("f", [POSE, TWIST, ACCELERATION, WRENCH], expressions)
    state = random_state(np.random.default_rng(seed), speed)
    return [np.array(x) for x in f.call([ca.DM(x) for x in state])]


@pytest.mark.parametrize("kinds", MIXES.values(), ids=MIXES)
@pytest.mark.parametrize(
    "formulation",
    ["newton-euler", "lagrange", "virtual-work", "point-mass-legs", "gravity-only-legs"],
)
def test_the_rate_of_m_minus_twice_c_is_skew(formulation, kinds):
    for seed in range(5):
        machine, by = (
            random_machine(np.random.default_rng(seed), kinds),
            dynamics.FORMULATIONS[formulation],
        )
        M = by.mass_matrix(machine, POSE)
        rate = ca.reshape(time_derivative(ca.vec(M), POSE, TWIST, ACCELERATION), 6, 6)
        C = by.coriolis_matrix(machine, POSE, TWIST)
        rate, C = evaluated([rate, C], seed)
        N = rate - 2 * C
        assert np.abs(N + N.T).max() < 1e-10 * np.abs(N).max()


@pytest.mark.parametrize("kinds", MIXES.values(), ids=MIXES)
@settings(max_examples=4, deadline=None)
@given(seed=seeds)
def test_power_in_is_the_rate_of_energy(kinds, seed):
    machine = random_machine(np.random.default_rng(seed), kinds)
    total = ca.sum1(energy(as_machine(machine), POSE, TWIST))
    rate = time_derivative(total, POSE, TWIST, ACCELERATION)
    needed = default.mass_matrix(machine, POSE) @ ACCELERATION + default.bias(machine, POSE, TWIST)
    rate, power = evaluated([rate, ca.dot(needed, TWIST)], seed)
    assert abs(rate - power) < 1e-11 * max(1, np.abs(power).max())


def in_base_axes(machine):
    """Forces and moments in all joints, hip, slide and wrist of each leg."""
    axes = ca.vertsplit(reaction_axes(machine, POSE)[1], 3)
    found = reactions(machine, POSE, TWIST, ACCELERATION, WRENCH)
    return [
        [E.T @ row.T for E, row in zip(axes, ca.vertsplit(half), strict=True)] for half in found
    ]


@pytest.mark.parametrize("kinds", MIXES.values(), ids=MIXES)
@settings(max_examples=4, deadline=None)
@given(seed=seeds)
def test_reactions_and_loads_are_the_rate_of_momentum(kinds, seed):
    machine = random_machine(np.random.default_rng(seed), kinds)
    force = default.inverse_dynamics(machine, POSE, TWIST, ACCELERATION, WRENCH)
    whole = as_machine(machine)
    joint_forces, joint_moments = in_base_axes(whole)
    momentum = motions.momentum(whole, POSE, TWIST)
    rate = time_derivative(momentum, POSE, TWIST, ACCELERATION)
    weights = [
        machine.platform.mass,
        *(p.mass for leg in machine.legs for p in (leg.cylinder, leg.piston)),
    ]
    centers = [row.T for row in ca.vertsplit(motions.mass_center_position(whole, POSE))]
    load = WRENCH[0:3]
    moment = WRENCH[3:6] + ca.cross(POSE[0:3], WRENCH[0:3])
    for mass, center in zip(weights, centers, strict=True):
        load += mass * machine.gravity
        moment += ca.cross(center, mass * machine.gravity)
    for k, leg in enumerate(machine.legs):
        load += joint_forces[3 * k]
        moment += ca.cross(leg.base, joint_forces[3 * k]) + joint_moments[3 * k]
    rate, supplied, forces = evaluated([rate, ca.vertcat(load, moment), force], seed)
    assert np.abs(rate - supplied).max() < 1e-12 * max(1, np.abs(forces).max())


@pytest.mark.parametrize("kinds", MIXES.values(), ids=MIXES)
def test_the_platform_is_balanced_by_the_forces_at_its_joints(kinds):
    for seed in range(5):
        machine = random_machine(np.random.default_rng(seed), kinds)
        force = default.inverse_dynamics(machine, POSE, TWIST, ACCELERATION, WRENCH)
        joint_forces, _ = in_base_axes(as_machine(machine))
        needed = kane.platform_wrench(machine, POSE, TWIST, ACCELERATION) - WRENCH
        arms = [closure.leg_position(leg, POSE).b for leg in machine.legs]
        pairs = zip(joint_forces[2::3], arms, strict=True)
        given = sum(ca.vertcat(f, ca.cross(b, f)) for f, b in pairs)
        needed, given, forces = evaluated([needed, given, force], seed)
        assert np.abs(needed - given).max() < 1e-12 * max(1, np.abs(forces).max())


@pytest.mark.parametrize("mix", MIXES)
def test_the_parts_of_the_forces_add_up(mix):
    m = model(mix)
    robots, states = random_robots(mix, 100, seed=11)
    robots, states = regular(m, robots, states, limit=100)
    force = m.inverse_dynamics(robots, *states)
    assert relative_error(sum(m.force_parts(robots, *states)), force).max() < 1e-11
    assert relative_error(sum(m.force_decomposition(robots, *states)), force).max() < 1e-11
    wrenches = sum(m.wrench_decomposition(robots, *states))
    J = m.jacobian(robots, states[0])
    assert relative_error(np.einsum("nij,ni->nj", J, force), wrenches).max() < 1e-11


@pytest.mark.parametrize("mix", MIXES)
def test_each_part_belongs_to_its_cause(mix):
    """Without motion and load only gravity is left, and so on."""
    m = model(mix)
    robots, (pose, twist, acceleration, wrench) = random_robots(mix, 50, seed=12)
    zero = np.zeros(6)
    at_rest = m.force_parts(robots, pose)
    assert relative_error(at_rest.gravity, m.joint_gravity(robots, pose)).max() < 1e-11
    for part in (at_rest.acceleration, at_rest.velocity, at_rest.external):
        assert (part == 0).all()
    without_gravity = robots.copy()
    without_gravity[:, :3] = 0
    for k, name in ((0, "velocity"), (1, "acceleration"), (2, "external")):
        state = [zero, zero, zero]
        state[k] = (twist, acceleration, wrench)[k]
        part = getattr(m.force_parts(robots, pose, *state), name)
        assert relative_error(part, m.inverse_dynamics(without_gravity, pose, *state)).max() < 1e-9


@pytest.mark.parametrize("kinds", MIXES.values(), ids=MIXES)
def test_the_default_has_the_cheapest_inverse_dynamics(kinds):
    machine = random_machine(np.random.default_rng(0), kinds)
    counts = {}
    for formulation in FORMULATIONS:
        made = definitions(structure_of_legs(machine), formulation)["inverse_dynamics"]
        equation = partial(made.equation, as_machine(machine))
        function = Function.from_equation("f", equation, made.inputs, made.outputs, made.doc)
        counts[formulation] = Program.of(function).n_operations
    assert min(counts, key=counts.get) == DEFAULT_FORMULATION


@pytest.mark.parametrize("mix", MIXES)
def test_joint_space_matrices_of_two_derivations_agree(mix):
    robots, states = random_robots(mix, 60, seed=14)
    robots, (pose, twist, _, _) = regular(model(mix), robots, states, limit=30)
    for kernel, inputs in (
        ("joint_mass_matrix", ()),
        ("joint_coriolis_matrix", (twist,)),
        ("joint_gravity", ()),
    ):
        own = getattr(model(mix, "virtual-work"), kernel)(robots, pose, *inputs)
        general = getattr(model(mix), kernel)(robots, pose, *inputs)
        assert relative_error(own, general).max() < 1e-10


def test_massless_legs_leave_the_platform_alone():
    """A free rigid body, by hand: f = m (a - g), n = I α + ω x I ω about the mass centre."""
    robots, (pose, twist, acceleration, wrench) = random_robots("mixed", 50, seed=13, heavy=0.0)
    names = list(model("mixed").parameter_names)
    at = {key: names.index(key) for key in ("platform.mass", "platform.center_of_mass.x")}
    R = np.stack([_rotation(q) for q in pose[:, 3:]])
    c = np.einsum("nij,nj->ni", R, robots[:, at["platform.center_of_mass.x"] :][:, :3])
    first = names.index("platform.inertia.xx")
    xx, yy, zz, xy, xz, yz = robots[:, first : first + 6].T
    body = np.stack([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
    I = R @ body @ R.swapaxes(1, 2)
    w, alpha = twist[:, 3:], acceleration[:, 3:]
    a = acceleration[:, :3] + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
    f = robots[:, [at["platform.mass"]]] * (a - robots[:, :3])
    n = (
        np.einsum("nij,nj->ni", I, alpha)
        + np.cross(w, np.einsum("nij,nj->ni", I, w))
        + np.cross(c, f)
    )
    needed = np.concatenate([f, n], axis=1) - wrench
    for name in FORMULATIONS:
        m = model("mixed", name)
        force = m.inverse_dynamics(robots, pose, twist, acceleration, wrench)
        got = np.einsum("nij,ni->nj", m.jacobian(robots, pose), force)
        assert relative_error(got, needed).max() < 1e-11


def _rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_the_point_mass_leg_is_one_mass_at_the_common_centre():
    """Bingul's leg energies, against a point mass put there by hand."""
    machine = random_machine(np.random.default_rng(0), ("SPS",))
    leg = machine.legs[0]
    T, V = ca.SX.sym("T", 3), ca.SX.sym("V", 3)
    m_1, m_2 = leg.cylinder.mass, leg.piston.mass
    u = (T - leg.base) / ca.norm_2(T - leg.base)
    inner = leg.base + leg.cylinder.center_of_mass * u
    outer = T - leg.piston.center_of_mass * u
    center = (m_1 * inner + m_2 * outer) / (m_1 + m_2)
    velocity = ca.jtimes(center, T, V)
    by_hand = (m_1 + m_2) * ca.dot(velocity, velocity) / 2
    kinetic, _ = lagrange.one_point_mass(leg, machine.gravity, T, V)
    f = ca.Function("f", [T, V], [by_hand, kinetic])
    rng = np.random.default_rng(1)
    for _ in range(10):
        expected, got = f(rng.normal(size=3) + [0, 0, 3], rng.normal(size=3))
        assert float(got) == pytest.approx(float(expected), rel=1e-13)
