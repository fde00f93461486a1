"""Where a machine ends: out of reach, on another branch, and in its four kinds of singularity."""

import numpy as np
import pytest
from drawings import Joint, Mechanism
from drawn_machines import MACHINES, UP, Drawer, hexapod_joints, planar
from mechanism_kernels import Kernels, kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

FAR = np.array([30.0, -20.0, 40.0, 1.0, 0.1, 0.2, -0.1])
HOME = {name: MACHINES[name](0) for name in ("delta, ball-ended rods", "3-RRRS")}


@pytest.mark.parametrize("name", HOME)
def test_a_pose_out_of_reach_has_no_joints_and_no_efforts(name):
    k = kernels(HOME[name])
    assert np.isnan(k.inverse_kinematics(FAR)).all()
    assert np.isnan(k.inverse_dynamics(FAR, np.zeros(6), np.zeros(6), np.zeros(6))).all()


@pytest.mark.parametrize("name", HOME)
def test_a_batch_goes_on_beside_a_pose_out_of_reach(name):
    k, home = kernels(HOME[name]), np.array(HOME[name].home)
    q = k.inverse_kinematics(np.array([home, FAR, home]))
    np.testing.assert_array_equal(np.isnan(q).any(axis=1), [False, True, False])
    np.testing.assert_array_equal(q[0], q[2])
    at_home = [joint.position_at_home for joint in HOME[name].driven]
    np.testing.assert_allclose(q[0], at_home, atol=1e-12)


def test_an_iterated_leg_is_on_the_branch_of_the_drawing_or_nowhere():
    """Legs with cylindrical joints in random directions: some of them near singularities."""
    mechanism = _wild_legs()
    k, oracle, rng = Kernels(mechanism), PinocchioMechanism(mechanism), np.random.default_rng(0)
    states = [oracle.random_state(rng, stray=0.2) for _ in range(40)]
    poses = np.array([state.pose for state in states])
    ours, theirs = k.inverse_kinematics(poses), np.array([oracle.positions(s) for s in states])
    home = np.sign(k.serial_pivots(np.array(mechanism.home)))
    found, same = np.isfinite(ours), np.abs(ours - theirs) < 1e-9
    assert (np.sign(k.serial_pivots(poses)) == home)[found].all()
    assert found.mean() > 0.5
    assert (found & same).any(axis=0).all()


def _wild_legs():
    d = Drawer(1)
    for i, (hip, wrist) in enumerate(zip(*hexapod_joints(1), strict=True)):
        axis = np.cross(UP, hip) + 0.2 * d.rng.standard_normal(3)
        knee = hip + [0.0, 0.0, 0.3] + 0.1 * d.rng.standard_normal(3)
        arm, rod = d.body(f"arm{i}", hip, knee), d.body(f"rod{i}", knee, wrist)
        d.joint(f"hip{i}", "R", ("base", arm), hip, axis, driven=True)
        d.joint(f"knee{i}", "C", (arm, rod), knee, hip + 0.4 * d.rng.standard_normal(3))
        d.joint(f"wrist{i}", "S", (rod, "platform"), wrist)
    return d.machine("wild", ("x", "y", "z", "rx", "ry", "rz"), [0.02, 0.01, 0.7])


def test_the_admissible_part_of_a_twist_has_its_moves_and_keeps_the_loops_closed():
    mechanism = MACHINES["3-RSS and fixed rods"](0)
    k, oracle = kernels(mechanism), PinocchioMechanism(mechanism)
    state = oracle.random_state(np.random.default_rng(0))
    S = mechanism.freedom_rows
    twist = np.random.default_rng(1).standard_normal(6)
    possible = k.admissible(state.pose, twist)
    np.testing.assert_allclose(S @ possible, S @ twist, atol=1e-12)
    np.testing.assert_allclose(possible, oracle.platform_moves(state, S) @ S @ twist, atol=1e-10)
    np.testing.assert_allclose(k.admissible(state.pose, state.twist), state.twist, atol=1e-10)


def test_a_stretched_leg_is_a_serial_singularity():
    """Towards the edge of a planar machine's workspace one pivot vanishes, efforts do not."""
    k, home = kernels(planar(0)), np.array(planar(0).home)
    outwards = np.array([-0.35, 0.0, 0, 0, 0, 0, 0])
    reach = [k.serial_pivots(home + share * outwards) for share in np.linspace(0, 1, 400)]
    inside = [pivots for pivots in reach if np.isfinite(pivots).all()]
    assert len(inside) < len(reach)
    assert np.abs(inside[-1]).min() < 0.1 * np.abs(inside[0]).min()


def test_legs_that_meet_in_a_point_are_a_parallel_singularity():
    """A 3-RPR whose three legs' lines meet in the platform's centre cannot hold a moment."""
    machine = planar(0, "RPR")
    centered = tuple(
        Joint(j.name, j.type, j.between, _towards_middle(j), _along(j), j.is_driven)
        for j in machine.joints
    )
    k = kernels(Mechanism("star", machine.platform, machine.bodies, centered, machine.gravity))
    home = np.array(machine.home)
    sigma = np.linalg.svd(k.actuation_matrix(home), compute_uv=False)
    beside = np.linalg.svd(k.actuation_matrix(home + [0, 0, 0, 0, 0, 0, 0.2]), compute_uv=False)
    assert sigma[-1] < 1e-12
    assert beside[-1] > 1e-3


def _towards_middle(joint):
    """The joints of a leg on one line through the platform's origin."""
    x, y, z = joint.at
    angle = 2 * np.pi * int(joint.name[-1]) / 3
    radius = np.hypot(x, y)
    return (0.01 + radius * np.cos(angle), 0.02 + radius * np.sin(angle), z)


def _along(joint):
    angle = 2 * np.pi * int(joint.name[-1]) / 3
    return ((np.cos(angle), np.sin(angle), 0.0),) if joint.type == "P" else joint.lines


def test_a_delta_keeps_its_attitude_as_long_as_its_constraints_are_regular():
    k = kernels(HOME["delta, ball-ended rods"])
    home = np.array(HOME["delta, ball-ended rods"].home)
    K = k.constraint_matrix(home)
    assert K.shape == (3, 3)
    assert np.linalg.svd(K, compute_uv=False).min() > 1e-3


def test_a_rod_along_its_universal_joints_first_axis_is_a_passive_singularity():
    """A 6-UPS leg towards the first axis of its joint: a passive pivot vanishes, no driven one."""
    d = Drawer(0)
    for i, (foot, wrist) in enumerate(zip(*hexapod_joints(0), strict=True)):
        s = wrist - foot
        first = np.array([1.0, 0, 0]) if i == 0 else np.cross(s, UP)
        tube, piston = d.body(f"tube{i}", foot, wrist), d.body(f"piston{i}", foot, wrist)
        d.joint(f"foot{i}", "U", ("base", tube), foot, first, np.cross(first, s))
        d.joint(f"slide{i}", "P", (tube, piston), foot, s, driven=True)
        d.joint(f"wrist{i}", "S", (piston, "platform"), wrist)
    machine = d.machine("ups", ("x", "y", "z", "rx", "ry", "rz"), [0.0, 0.0, 0.7])
    k, (feet, wrists) = Kernels(machine), hexapod_joints(0)
    lying = np.array([*(feet[0] - wrists[0] + [0.9, 0.0, 0.7]), 1.0, 0, 0, 0])
    at_home, there = (k.passive_pivots(p) for p in (np.array(machine.home), lying))
    assert np.abs(at_home).min() > 0.1
    assert np.abs(there[:2]).min() < 1e-12
    np.testing.assert_allclose(np.abs(k.serial_pivots(lying)), 1.0, rtol=1e-12)
