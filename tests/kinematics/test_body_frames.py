"""The frames that carry the meshes of moving bodies: where an independent oracle has the bodies."""

import numpy as np
import pytest
from drawn_machines import MACHINES
from mechanism_kernels import kernels
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.kinematics.body_frames import body_poses
from gough.model.structure import structure_of
from gough.poses import transform

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "orthoglide", "tricept"])
def test_bodies_carry_the_base_frame_from_home(name):
    mechanism = MACHINES[name](1)
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(1)
    states = [oracle.random_state(rng) for _ in range(2)]
    found = body_poses(mechanism, np.array([mechanism.home, *(state.pose for state in states)]))
    at_home = transform(found[0][:, None], POINTS)
    np.testing.assert_allclose(at_home, [POINTS] * len(at_home), atol=1e-11)
    spinning = structure_of(mechanism).passive_rotations
    still = [k for k, body in enumerate(mechanism.bodies) if body.name not in spinning]
    assert still
    for state, poses in zip(states, found[1:], strict=True):
        for k in still:
            name = mechanism.bodies[k].name
            theirs = [oracle.carried(state, name, point) for point in POINTS]
            np.testing.assert_allclose(transform(poses[k], POINTS), theirs, atol=1e-10)


def test_a_rod_that_spins_as_it_likes_keeps_to_its_line():
    robot = gough.load("delta")
    model, home = gough.Model(robot), np.array(robot.home)
    poses = home + [[0, 0, 0, 0, 0, 0, 0], [0.1, 0.05, 0.02, 0, 0, 0, 0]]
    rods = [k for k, body in enumerate(robot.bodies) if body.name.startswith("rod")]
    ends = {joint.name: np.array(joint.at) for joint in robot.joints}
    rows = [center.joint for center in model.structure.centers]
    centers = model.joint_centers(poses[1])
    found = body_poses(robot, poses)[1]
    for k in rods:
        side = robot.bodies[k].name.removeprefix("rod")
        for joint in (f"elbow{side}", f"wrist{side}"):
            place = transform(found[k], ends[joint])
            np.testing.assert_allclose(place, centers[rows.index(joint)], atol=1e-12)


@pytest.mark.parametrize("kind", ["UPS", "SPS"])
def test_parts_of_legs_have_the_legs_axes(kind):
    robot = gough.load("demo-hexapod")
    if kind == "SPS":
        robot = robot.replace({"leg.kind": kind, "leg.cylinder.inertia": [0.325, 0.325, 0.021]})
    steps = np.linspace(0, 1, 50)[:, None] * [0.12, 0.1, 0.1, 0.15, 0.1, 0.2]
    poses = gough.poses.displace(robot.home, steps)
    found = body_poses(robot, poses)
    cylinders, pistons = found[:, 0::2], found[:, 1::2]
    base = np.array([leg.base for leg in robot.legs])
    tops = transform(poses[:, None], [leg.platform for leg in robot.legs])
    np.testing.assert_allclose(cylinders[..., :3], np.broadcast_to(base, tops.shape), atol=1e-14)
    np.testing.assert_allclose(pistons[..., :3], tops, atol=1e-14)
    lengths = np.linalg.norm(tops - base, axis=-1)[..., None]
    z = transform(cylinders, [0, 0, 1]) - base
    np.testing.assert_allclose(lengths * z, tops - base, atol=1e-12)
    x = transform(cylinders, [1, 0, 0]) - base
    if kind == "UPS":  # across the universal joint's first axis
        axes = np.array([leg.first_axis for leg in robot.legs])
        np.testing.assert_allclose((x * axes).sum(-1), 0.0, atol=1e-12)
    else:  # turned the shortest way from home: no turn about the line there
        turned = gough.poses.relative(cylinders[:1], cylinders)[..., 3:]
        np.testing.assert_allclose(turned[..., 3], 0.0, atol=1e-12)
    assert np.abs(np.diff(x, axis=0)).max() < 0.02  # no jump anywhere


def test_where_a_machine_cannot_be_there_is_no_frame():
    robot = gough.load("delta")
    assert np.isnan(body_poses(robot, np.array([robot.home]) + [9, 0, 0, 0, 0, 0, 0])).all()


@pytest.mark.parametrize("name", ["orthoglide", "five-bar"])
def test_jacobians_of_bodies_give_their_twists_and_the_effect_of_wrenches_on_them(name):
    """Efforts that hold a wrench on a body do the opposite of its work, at every velocity."""
    mechanism = MACHINES[name](1)
    oracle, rng = PinocchioMechanism(mechanism), np.random.default_rng(1)
    state, k = oracle.random_state(rng), kernels(mechanism)
    J, frames = k.body_jacobians(state.pose), k.body_frames(state.pose)
    still, idle = np.zeros(6), k.inverse_dynamics(state.pose)
    rates = k.joint_velocity(state.pose, state.twist)
    for own, frame, body in zip(J, frames, mechanism.bodies, strict=True):
        center, velocity, _ = oracle.mass_center(state, body.name)
        omega, _ = oracle.turning(state, body.name)
        at_origin = velocity + np.cross(omega, frame[:, 3] - center)
        theirs = np.concatenate([at_origin, omega])
        np.testing.assert_allclose(own @ state.twist, theirs, atol=1e-10)
        wrench = rng.standard_normal(6)
        effort = k.inverse_dynamics(state.pose, still, still, own.T @ wrench) - idle
        assert effort @ rates == pytest.approx(-wrench @ theirs, abs=1e-10)
