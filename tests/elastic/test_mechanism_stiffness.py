"""The stiffness of machines of any kind: other derivations, hexapods, and the energy of springs."""

import numpy as np
import pinocchio as pin
import pytest
from drawings import changed
from drawn_machines import MACHINES
from hexapod_drawing import drawn_hexapod
from mechanism_kernels import kernels
from oracles.pinocchio_mechanism import WORLD, PinocchioMechanism
from yielding import yielding

import gough
from gough.poses import displace
from gough.robot import parameters_of
from gough.robot.numbers import layout

SOME = ("delta, ball-ended rods", "3-RRR", "five-bar", "tricept", "4-RRR, redundant", "6-RUS")
"""Constant and changing moves, rods, and more motors than freedoms."""


def somewhere(machine, seed=5):
    return PinocchioMechanism(machine).random_state(np.random.default_rng(seed)).pose


@pytest.mark.parametrize("name", SOME[:-1])
def test_efforts_and_weights_alone_are_those_of_the_linearized_machine(name):
    """K of free motors is -M A21 at the efforts that hold the machine."""
    machine = yielding(MACHINES[name](0))
    k, pose = kernels(machine), somewhere(machine)
    force, n = k.joint_gravity(pose), k.freedoms
    A, _ = k.linearize(pose, np.zeros(6), force)
    geometric = -k.mass_matrix(pose) @ A[n:, :n]
    free = k.stiffness(pose, force, np.full(k.motors, np.inf))
    np.testing.assert_allclose(free, geometric, atol=1e-9 * np.abs(geometric).max())
    J = k.actuation_matrix(pose)
    springs = np.diag([joint.stiffness for joint in machine.driven])
    held = geometric + J.T @ springs @ J
    np.testing.assert_allclose(k.stiffness(pose, force), held, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("name", SOME)
def test_flexures_add_the_energy_of_their_turning(name):
    """From the velocities of all bodies, as an independent program knows them."""
    stiff, plain = (yielding(MACHINES[name](0), flexures) for flexures in (True, False))
    oracle = PinocchioMechanism(stiff)
    state = oracle.random_state(np.random.default_rng(5))
    held = np.zeros(len(stiff.driven))
    added = [kernels(m).stiffness(state.pose, held) for m in (stiff, plain)]
    u = stiff.freedom_rows @ state.twist
    energy = flexure_energy(stiff, oracle, state)
    assert u @ (added[0] - added[1]) @ u == pytest.approx(energy, rel=1e-9)


def flexure_energy(machine, oracle, state):
    """Twice the energy of all flexures; what spins between balls turns so that it is least."""
    pin.forwardKinematics(oracle.model, oracle.data, state.q, state.v)
    rods = [b.name for b in machine.bodies if types_at(machine, b.name) == ["S", "S"]]
    turned, spun = [], []
    for joint in machine.joints:
        if joint.is_driven:
            continue
        first, second = (seen(oracle, body, joint, state) for body in joint.between)
        axes = [R @ axis for (R, _, _), axis in zip((first, second), joint.lines, strict=False)]
        spin = np.zeros((3, len(rods)))
        for sign, body in zip((-1, 1), joint.between, strict=True):
            if body in rods:
                spin[:, rods.index(body)] = sign * along(machine, oracle, state, body)
        columns = np.column_stack([second[1] - first[1], spin])
        if joint.type in ("R", "U"):
            columns = np.linalg.lstsq(np.column_stack(axes), columns, rcond=None)[0]
        if joint.type == "P":
            columns = axes[0][None] @ np.column_stack([second[2] - first[2], 0 * spin])
        turned.append(np.sqrt(joint.stiffness) * columns[:, 0])
        spun.append(np.sqrt(joint.stiffness) * columns[:, 1:])
    turned, spun = np.concatenate(turned), np.vstack(spun)
    least = turned - spun @ np.linalg.lstsq(spun, turned, rcond=None)[0] if rods else turned
    return least @ least


def seen(oracle, body, joint, state):
    """A body's turn since home, angular velocity, and the velocity of its point at the joint."""
    place = oracle.data.oMi[oracle.joint_of[body]]
    v = pin.getVelocity(oracle.model, oracle.data, oracle.joint_of[body], WORLD)
    at = oracle.carried(state, joint.between[1], joint.at)
    pin.forwardKinematics(oracle.model, oracle.data, state.q, state.v)
    return place.rotation.copy(), v.angular, v.linear + np.cross(v.angular, at - place.translation)


def types_at(machine, body):
    return [joint.type for joint in machine.joints if body in joint.between]


def along(machine, oracle, state, rod):
    """The direction of a rod."""
    ends = [oracle.carried(state, rod, j.at) for j in machine.joints if rod in j.between]
    return (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])


@pytest.mark.parametrize("kind", ["UPS", "SPS"])
def test_of_a_hexapod_is_the_hexapods(kind):
    """With flexures at the platform, and for legs with balls at both ends in these too."""
    at_base = {"base_bending": 5.0, "base_torsion": 5.0} if kind == "SPS" else {}
    at_platform = {"platform_bending": 8.0, "platform_torsion": 8.0}
    data = gough.load("kalani-2016").to_dict()
    for leg in data["legs"]:
        if kind == "SPS":
            leg.pop("first_axis")
        leg |= {"kind": kind, "stiffness": 2e7, "joint_stiffness": at_base | at_platform}
    robot = gough.Robot.from_dict(data)
    model, k = gough.Model(robot), kernels(as_machine(robot))
    rng = np.random.default_rng(0)
    pose = displace(np.array(robot.home), 0.05 * rng.standard_normal(6))
    force, wrench = 1e3 * rng.standard_normal(6), rng.standard_normal(6)
    some = np.array([0.0, 1e-8, 1e-7, np.inf, 0.0, 1e-9])
    for ours, theirs in (
        (k.stiffness(pose, force, some), model.stiffness(pose, force, some)),
        (k.compliance(pose, force, some), model.compliance(pose, force, some)),
        (k.deflection(pose, wrench), model.deflection(pose, wrench)),
        *zip(k.vibration(pose, force), model.vibration(pose, force), strict=True),
    ):
        assert np.abs(ours - theirs).max() <= 1e-9 * np.abs(theirs).max()


def as_machine(robot):
    """A hexapod drawn as a machine of any kind, with the springs of its legs."""
    drawn, joints = drawn_hexapod(robot), []
    for joint in drawn.joints:
        leg = robot.legs[int(joint.name[1:])]
        spring = {"u": leg.joint_stiffness.base_bending, "p": leg.stiffness,
                  "s": leg.joint_stiffness.platform_bending}[joint.name[0]]  # fmt: skip
        joints.append(joint if spring is None else changed(joint, stiffness=spring))
    return changed(drawn, joints=tuple(joints))


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "five-bar", "4-RRR, redundant"])
def test_what_a_wrench_does_is_what_the_springs_allow(name):
    """The platform moves along its moves only, so far that the springs' forces balance it."""
    machine = yielding(MACHINES[name](0))
    k, pose = kernels(machine), somewhere(machine)
    force, wrench = k.joint_gravity(pose), np.random.default_rng(2).standard_normal(6)
    moved = k.deflection(pose, wrench)
    np.testing.assert_allclose(moved, k.admissible(pose, moved), atol=1e-12 * np.abs(moved).max())
    T, u = k.twist_basis(pose), machine.freedom_rows @ moved
    np.testing.assert_allclose(k.stiffness(pose, force) @ u, T.T @ wrench, atol=1e-9)
    np.testing.assert_allclose(k.compliance(pose, force) @ wrench, moved, rtol=1e-9, atol=1e-15)
    M, K = k.vibration(pose, force)
    np.testing.assert_array_equal(M, k.mass_matrix(pose))
    np.testing.assert_array_equal(K, k.stiffness(pose, force))


def test_motors_under_control_are_springs_behind_the_gears():
    machine = yielding(MACHINES["3-RRR"](0))
    k, pose, gain = kernels(machine), np.array(machine.home), 5e3
    behind = changed(
        machine,
        joints=tuple(
            changed(j, stiffness=1 / (1 / j.stiffness + 1 / gain)) if j.is_driven else j
            for j in machine.joints
        ),
    )
    controlled = k.stiffness(pose, np.zeros(3), np.full(3, 1 / gain))
    expected = kernels(behind).stiffness(pose, np.zeros(3))
    np.testing.assert_allclose(controlled, expected, rtol=1e-12)


def test_springs_are_parameters():
    machine = yielding(MACHINES["3-RRR"](0), flexures=True)
    stiffer = changed(
        machine, joints=tuple(changed(j, stiffness=2 * j.stiffness) for j in machine.joints)
    )
    parametric, pose = gough.Model(machine, parametric=True), np.array(machine.home)
    assert "joints[0].stiffness" in layout(machine)
    for robot in (machine, stiffer):
        found = parametric.stiffness(parameters_of(robot), pose, np.zeros(3))
        expected = kernels(robot).stiffness(pose, np.zeros(3))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_machine_of_rigid_drives_says_what_it_lacks():
    machine = MACHINES["3-RRR"](0)
    some = changed(machine, joints=(changed(machine.joints[0], stiffness=1e4), *machine.joints[1:]))
    for robot in (machine, some):
        with pytest.raises(AttributeError, match="a stiffness of each driven joint"):
            _ = gough.Model(robot).stiffness
