"""The stiffness of hexapods: closed forms, other derivations, networks of springs."""

import casadi as ca
import numpy as np
import pytest

import gough
from gough.elastic.kernels import holding_kernel
from gough.equations.actuators import compliant
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.drive import Actuation
from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.spatial.pose import displace
from gough.model.named_numbers import constants
from gough.model.parameters import machine_of
from gough.model.springs import springs_of
from tests.samples.cubic import cubic

A, K = 0.2, 1e6
FREE = np.full(6, np.inf)


def stiffness_at_home(robot, force=0.0, **inputs):
    return gough.Model(robot).stiffness(robot.home, np.full(6, force), **inputs)


def off_home(robot, seed=0):
    rng = np.random.default_rng(seed)
    pose = np.array(robot.home)
    return pose + np.concatenate([0.02 * rng.normal(size=3), 0.05 * rng.normal(size=4)])


def crossed(c):
    """The couplings of a machine with a threefold axis: x with ry, y with rx."""
    matrix = np.zeros((6, 6))
    matrix[0, 4] = matrix[4, 0] = c
    matrix[1, 3] = matrix[3, 1] = -c
    return matrix


def test_of_a_cube_is_the_published_diagonal():
    expected = K * np.diag([2, 2, 2, A**2 / 2, A**2 / 2, 2 * A**2])
    np.testing.assert_allclose(stiffness_at_home(cubic(A)), expected, atol=1e-10 * K)


def test_of_a_frame_off_the_centre():
    d = 0.05
    added = stiffness_at_home(cubic(A, offset=d)) - stiffness_at_home(cubic(A))
    expected = crossed(-2 * K * d) + 2 * K * d**2 * np.diag([0, 0, 0, 1, 1, 0])
    np.testing.assert_allclose(added, expected, atol=1e-10 * K)


def test_of_a_preload():
    f = 300.0
    added = stiffness_at_home(cubic(A), f) - stiffness_at_home(cubic(A))
    expected = -4 * f / A * np.diag([1, 1, 1, 0, 0, 0]) - crossed(np.sqrt(3) * f)
    np.testing.assert_allclose(added, expected, atol=1e-10 * K)


@pytest.mark.parametrize(
    ("joints", "sign", "turning"),
    [({"base_bending": 40.0}, 1, 2), ({"platform_bending": 40.0}, -1, 2)],
)
def test_of_flexures(joints, sign, turning):
    k = 40.0
    added = stiffness_at_home(cubic(A, joint_stiffness=joints)) - stiffness_at_home(cubic(A))
    expected = k * np.diag([4 / A**2] * 3 + [turning] * 3) + crossed(sign * np.sqrt(3) * k / A)
    np.testing.assert_allclose(added, expected, atol=1e-10 * K)


def test_of_flexures_that_resist_in_all_ways_at_the_platform():
    """With the torsion of legs that do not spin the turning stiffness doubles."""
    k = 40.0
    joints = {"platform_bending": k, "platform_torsion": k, "base_torsion": 1e15}
    added = stiffness_at_home(cubic(A, joint_stiffness=joints)) - stiffness_at_home(cubic(A))
    np.testing.assert_allclose(np.diag(added)[3:], 4 * k, rtol=1e-9)


def test_forces_and_weights_alone_are_those_of_the_linearized_machine():
    """K of free actuators is -M A21 at the forces that hold the machine."""
    robot = gough.load("kalani-2016").replace({"leg.stiffness": 1e8})
    model = gough.Model(robot)
    for seed in range(5):
        pose = off_home(robot, seed)
        force = model.inverse_dynamics(pose)
        A, _ = model.linearize(pose, np.zeros(6), force, np.zeros(6))
        expected = -model.mass_matrix(pose) @ A[6:, :6]
        np.testing.assert_allclose(model.stiffness(pose, force, FREE), expected, atol=1e-10)
        J = model.jacobian(pose)
        held = model.stiffness(pose, force)
        np.testing.assert_allclose(held, expected + 1e8 * J.T @ J, rtol=1e-12, atol=1e-4)


def test_actuators_under_control_are_springs_behind_those_of_the_legs():
    robot, gain = cubic(A), 5e5
    some = stiffness_at_home(robot, actuator_compliance=np.full(6, 1 / gain))
    np.testing.assert_allclose(some, stiffness_at_home(robot) / (1 + K / gain), atol=1e-8)


def test_a_screw_is_softer_the_longer_it_is():
    screw = {"diameter": 0.02, "modulus": 2e11, "dead_length": 0.15, "nut": 5e8, "rod": 3e8}
    robot = cubic(A, screw=screw)
    axial = 1 / (1 / K + (A - 0.15) / (2e11 * np.pi * 0.02**2 / 4) + 1 / 5e8 + 1 / 3e8)
    np.testing.assert_allclose(stiffness_at_home(robot)[0, 0], 2 * axial, rtol=1e-12)
    inside = cubic(A, screw=screw | {"dead_length": 0.25})
    assert np.isnan(stiffness_at_home(inside)).all()


def test_joints_that_give_way_across_the_leg_are_a_network_of_springs():
    """A rod of its own six freedoms between two joints, put together number by number."""
    joints = {
        "base_radial": 2e5, "base_bending": 300.0, "platform_radial": 1e5,
        "platform_bending": 200.0, "base_axial": 3e6, "platform_axial": 4e6,
    }  # fmt: skip
    robot = cubic(A, joint_stiffness=joints)
    model = gough.Model(robot)
    pose = off_home(robot)
    R = gough.rotation(pose).as_matrix()
    total = np.zeros((6, 6))
    for leg in robot.legs:
        b = R @ np.array(leg.platform)
        span = pose[:3] + b - np.array(leg.base)
        total += of_a_rod(span, b, joints)
    np.testing.assert_allclose(model.stiffness(pose, np.zeros(6)), total, rtol=1e-8, atol=1e-6 * K)


def of_a_rod(span, b, joints):
    """One leg's stiffness on the platform: its rod's own motion is where the energy is least."""
    s = span / np.linalg.norm(span)
    along, across = np.outer(s, s), np.eye(3) - np.outer(s, s)
    axial = 1 / (1 / K + 1 / joints["base_axial"])
    behind = axial * along + joints["base_radial"] * across
    at_base = blocks(behind, joints["base_bending"] * across)
    ahead = joints["platform_axial"] * along + joints["platform_radial"] * across
    at_platform = blocks(ahead, joints["platform_bending"] * across)
    rod = np.block([[np.eye(3), -skew(span)], [np.zeros((3, 3)), np.eye(3)]])
    platform = np.block([[np.eye(3), -skew(b)], [np.zeros((3, 3)), np.eye(3)]])
    inner = at_base + rod.T @ at_platform @ rod
    between = platform.T @ at_platform @ rod
    return platform.T @ at_platform @ platform - between @ np.linalg.pinv(inner, 1e-12) @ between.T


def blocks(linear, angular):
    return np.block([[linear, np.zeros((3, 3))], [np.zeros((3, 3)), angular]])


def skew(a):
    return np.cross(np.eye(3), a)


def connected(stages=("coupling", "decoupling")):
    """The demonstration machine with some stages of its connectors, and without other springs."""
    data = gough.load("demo-hexapod").to_dict()
    for key in ("stiffness", "screw", "joint_stiffness"):
        del data["leg"][key]
    for stage in {"coupling", "decoupling"} - {*stages}:
        del data["leg"]["connector"][stage]
    return gough.Robot.from_dict(data)


@pytest.mark.parametrize("stages", [("coupling", "decoupling"), ("coupling",), ()])
def test_small_vibrations_are_those_of_the_machine_on_its_connectors(stages):
    """Of free actuators: from the forces of the plant that is simulated, step by step."""
    robot = connected(stages)
    model = gough.Model(robot)
    pose = off_home(robot, 3)
    machine = machine_of(robot)
    connectors = [leg.springs.connector for leg in machine.extensible.legs]
    still = compliant.static_solution(machine.extensible, connectors, ca.DM(pose), NO_WRENCH)
    expected = frequencies(linearized(machine, connectors, pose, still))
    M, K = model.vibration(pose, np.array(still.force).ravel(), FREE)
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    np.testing.assert_allclose(K, K.T, atol=1e-9 * np.abs(K).max())
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    np.testing.assert_allclose(squares, expected, rtol=1e-9, atol=1e-6)


def linearized(machine, connectors, pose, still):
    """Second rates of all coordinates by the coordinates, of the plant without its dampers."""
    yielding = [not c.is_rigid for c in connectors]
    staged = [c.decoupling is not None for c in connectors]
    z = ca.SX.sym("z", 6 + sum(yielding) + sum(staged))
    E, D = (
        still.inner.E + spread(yielding, z, 6),
        still.inner.D + spread(staged, z, 6 + sum(yielding)),
    )
    zero = ca.DM.zeros(len(connectors))
    inner = Inner(E, zero, D, zero, zero)
    acting = Actuation(still.force, zero)
    at = (machine, connectors, displace(ca.DM(pose), z[:6]), AT_REST, inner)
    moved = compliant.forward_dynamics(*at, acting, NO_WRENCH)
    rates = [moved.acceleration]
    rates += [moved.inner_rate.E_dot[k] for k in np.flatnonzero(yielding)]
    rates += [moved.inner_rate.D_dot[k] for k in np.flatnonzero(staged)]
    by_all = ca.Function("A", [z], [ca.jacobian(ca.vertcat(*rates), z)])
    return np.array(by_all(np.zeros(z.shape[0])))


def spread(chosen, z, first):
    """Entries of z, from the first, for the chosen legs, and zero for others."""
    places = iter(range(first, z.shape[0]))
    return ca.vertcat(*(z[next(places)] if one else 0 for one in chosen))


def frequencies(A):
    """Squares of the frequencies, from the smallest [rad^2/s^2]."""
    return np.sort(-np.linalg.eigvals(A).real)


def test_what_the_pistons_leave_over_is_the_stiffness_of_the_platform():
    """Held, free and controlled: the platform alone, all that moves in the legs being at rest."""
    robot = connected()
    model = gough.Model(robot)
    pose = off_home(robot, 5)
    force = holding_kernel(model.machines)(pose, np.zeros(6))
    for given in (np.zeros(6), FREE, np.full(6, 1 / 3e6)):
        _, K = model.vibration(pose, force, given)
        moving = np.isfinite(np.diag(K))
        K = K[np.ix_(moving, moving)]
        rest = K[:6, :6] - K[:6, 6:] @ np.linalg.solve(K[6:, 6:], K[6:, :6])
        np.testing.assert_allclose(model.stiffness(pose, force, given), rest, rtol=1e-9, atol=1e-3)


def test_compliance_and_deflection_are_its_inverse():
    robot = connected()
    model = gough.Model(robot)
    pose, wrench = off_home(robot, 6), np.array([10.0, -5.0, 20.0, 1.0, 2.0, -0.5])
    held = holding_kernel(model.machines)(pose, np.zeros(6))
    K, C = model.stiffness(pose, held), model.compliance(pose, held)
    np.testing.assert_allclose(K @ C, np.eye(6), atol=1e-9)
    np.testing.assert_allclose(model.deflection(pose, wrench), C @ wrench, rtol=1e-9)


def test_parameters_are_the_springs_too():
    robot = cubic(A, joint_stiffness={"base_bending": 40.0}, screw={"diameter": 0.02})
    model, zero = gough.Model(robot, parametric=True), np.zeros(6)
    for key, value in {
        "stiffness": 3e5,
        "screw.diameter": 0.011,
        "joint_stiffness.base_bending": 90.0,
    }.items():
        numbers = model.parameters.copy()
        numbers[model.parameter_names.index(f"legs[2].{key}")] = value
        legs = [{}] * 6
        changed = robot.replace({f"leg.{key}": value}).legs[2].model_dump(exclude_none=True)
        legs[2] = {name: changed[name] for name in ("stiffness", "screw", "joint_stiffness")}
        other = cubic(
            A, legs=legs, joint_stiffness={"base_bending": 40.0}, screw={"diameter": 0.02}
        )
        expected = gough.Model(other).stiffness(robot.home, zero)
        found = model.stiffness(numbers, robot.home, zero)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-6)


def test_it_has_derivatives_by_the_forces():
    """How a preload changes it: by the geometric part alone, which is linear in the forces."""
    robot = cubic(A)
    by_force = gough.Model(robot).derivative("stiffness", "force")(
        robot.home, np.zeros(6), np.zeros(6)
    )
    added = stiffness_at_home(robot, 300.0) - stiffness_at_home(robot)
    np.testing.assert_allclose(by_force.sum(-1) * 300.0, added, atol=1e-8)


def test_a_machine_of_which_a_leg_does_not_yield_says_so():
    robot = gough.load("kalani-2016")
    with pytest.raises(AttributeError, match="no stiffness: not all of its legs are elastic"):
        gough.Model(robot).stiffness  # noqa: B018
    some = robot.replace({"legs[0].stiffness": 1e7})
    assert "stiffness" not in dir(gough.Model(some)) or not some.elastic


def test_springs_are_read_by_their_keys():
    robot = cubic(A, stiffness="20 N/um", joint_stiffness={"platform_axial": "100 N/um"})
    springs = springs_of(robot.legs[0], "legs[0]", constants(robot))
    assert float(springs.driving) == pytest.approx(1 / 2e7)
    assert float(springs.ahead()) == pytest.approx(1 / 1e8)


def test_frames_that_yield_are_in_series_with_the_legs():
    """Compliances add up: of the legs, of the base carried to the platform, of the platform."""
    rng = np.random.default_rng(7)
    base, platform = (m @ m.T * 1e-8 for m in rng.normal(size=(2, 6, 6)))
    robot = cubic(A)
    flexible = robot.replace(flexibility={"base": base.tolist(), "platform": platform.tolist()})
    pose = off_home(robot, 8)
    R, p = gough.rotation(pose).as_matrix(), pose[:3]
    carried = np.block([[np.eye(3), -skew(p)], [np.zeros((3, 3)), np.eye(3)]])
    turned = blocks(R, R)
    rigid = gough.Model(robot).compliance(pose, np.zeros(6))
    expected = rigid + carried @ base @ carried.T + turned @ platform @ turned.T
    model = gough.Model(flexible)
    np.testing.assert_allclose(model.compliance(pose, np.zeros(6)), expected, rtol=1e-8, atol=1e-18)
    _, K = model.vibration(pose, np.zeros(6))
    np.testing.assert_allclose(K, model.stiffness(pose, np.zeros(6)), rtol=1e-9, atol=1e-6)
    family = gough.Model(flexible, parametric=True)
    np.testing.assert_allclose(family.stiffness(family.parameters, pose, np.zeros(6)), K, rtol=1e-9)
    assert "flexibility.base[2][3]" in family.parameter_names


def test_a_base_that_yields_takes_along_what_moves_in_the_legs():
    """The platform's static stiffness is the same whether pistons are coordinates or not."""
    robot = connected().replace(flexibility={"base": [1e-8, 1e-8, 2e-8, 1e-8, 1e-8, 3e-8]})
    model = gough.Model(robot)
    pose = off_home(robot, 9)
    force = holding_kernel(model.machines)(pose, np.zeros(6))
    given = np.full(6, 1 / 3e6)
    _, K = model.vibration(pose, force, given)
    rest = K[:6, :6] - K[:6, 6:] @ np.linalg.solve(K[6:, 6:], K[6:, :6])
    np.testing.assert_allclose(model.stiffness(pose, force, given), rest, rtol=1e-8, atol=1e-3)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([1, 2, 3], "not a matrix"),
        ([1e-6] * 5 + [-1e-6], "not positive semi-definite"),
        (np.triu(np.ones((6, 6))).tolist(), "not symmetric"),
        ("stiff", "not a matrix"),
    ],
)
def test_compliances_that_no_frame_has_are_refused(matrix, words):
    with pytest.raises(gough.RobotError) as refused:
        cubic(A).replace(flexibility={"base": matrix})
    assert (refused.value.key, refused.value.problem) == ("flexibility.base", words)
