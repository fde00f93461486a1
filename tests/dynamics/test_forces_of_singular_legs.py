"""Singular configurations of legs, machines of any size, and machines without mass."""

import numpy as np
import pytest
from dynamic_robots import FORMULATIONS
from scipy.spatial.transform import Rotation

import gough

ROBOTS = ("kalani-2016", "demo-hexapod")


def with_leg_at(robot, k, span):
    """A tilted pose at which leg k is the vector `span` from base to platform joint."""
    leg, tilt = robot.legs[k], Rotation.from_rotvec([0.3, -0.4, 0.2])
    return gough.pose(np.array(leg.base) + span - tilt.apply(leg.platform), rotation=tilt)


def along_its_axis(robot, k, beside=0.0):
    """A pose with leg k 1.1 m along its universal joint's first axis, or a little beside it."""
    across = np.array([0, 0, beside])  # the axes of these robots are level
    return with_leg_at(robot, k, 1.1 * np.array(robot.legs[k].first_axis) + across)


@pytest.mark.parametrize("formulation", [*FORMULATIONS, "point-mass-legs"])
@pytest.mark.parametrize("name", ROBOTS)
def test_a_leg_along_its_first_axis_leaves_no_forces(name, formulation):
    robot = gough.load(name)
    model = gough.Model(robot, formulation=formulation)
    poses = np.stack([along_its_axis(robot, 2), along_its_axis(robot, 4, 1e-4), robot.home])
    np.testing.assert_array_equal(model.is_singular(poses), [1, 1, 0])
    assert (np.linalg.cond(model.jacobian(poses)) < 100).all()  # the actuators hold the platform
    force = model.inverse_dynamics(poses, np.ones(6), np.ones(6))
    np.testing.assert_array_equal(np.isnan(force).all(-1), [True, True, False])


@pytest.mark.parametrize("name", ROBOTS)
def test_a_checked_call_says_which_leg_stands_along_its_axis(name):
    robot = gough.load(name)
    poses = np.stack([robot.home, along_its_axis(robot, 3)])
    with pytest.raises(gough.SingularConfiguration, match="leg 4 stands along the first") as caught:
        gough.Model(robot).checked_inverse_dynamics(poses)
    found = caught.value
    assert (found.index, found.kind, found.leg) == ((1,), "universal joint", 4)


@pytest.mark.parametrize("span", [0.0, 1e-9])
def test_a_checked_call_says_which_leg_has_no_length(span):
    robot = gough.load("demo-hexapod")
    pose = with_leg_at(robot, 5, [0, 0, span])
    with pytest.raises(gough.SingularConfiguration, match="leg 6 has no length") as caught:
        gough.Model(robot).checked_inverse_dynamics(pose)
    assert (caught.value.kind, caught.value.leg) == ("leg length", 6)


def test_a_folded_platform_is_singular_by_its_actuators():
    pose = gough.pose([0.05, 0.1, 0.0])
    with pytest.raises(gough.SingularConfiguration, match="condition number of J") as caught:
        gough.Model(gough.load("kalani-2016")).checked_inverse_dynamics(pose)
    assert (caught.value.kind, caught.value.leg) == ("actuators", None)


def test_a_checked_call_of_a_parametric_model_is_about_its_parameters():
    robot = gough.load("demo-hexapod")
    model = gough.Model(robot, parametric=True)
    data = robot.to_dict()
    data["legs"][1]["base"][2] -= 0.05
    other = gough.Robot.from_dict(data)
    numbers = gough.Model(other).parameters
    pose = along_its_axis(other, 1)
    assert np.isfinite(model.checked_inverse_dynamics(pose)).all()
    with pytest.raises(gough.SingularConfiguration, match="leg 2 stands"):
        model.checked_inverse_dynamics(pose, parameters=numbers)


def test_the_sine_is_that_of_the_angle_between_leg_and_first_axis():
    robot = gough.load("demo-hexapod")
    angles = np.array([1e-6, 1e-3, 0.5])
    beside = 1.1 * np.tan(angles)
    poses = np.stack([along_its_axis(robot, 2, x) for x in beside])
    sines = gough.Model(robot).universal_joint_sines(poses)[:, 2]
    np.testing.assert_allclose(sines, np.sin(angles), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["joint_mass_matrix", "joint_coriolis_matrix", "joint_gravity"])
def test_nothing_on_the_leg_lengths_is_given_at_a_singular_pose(kernel):
    model = gough.Model(gough.load("kalani-2016"))
    assert np.isnan(getattr(model, kernel)(gough.pose([0.05, 0.1, 0.0]))).all()


def resized(robot, k):
    """A similar machine, k times as large, of the same masses, and gravity to match."""
    data = robot.to_dict()
    data["gravity"] = [k * x for x in data["gravity"]]
    platform, leg = data["platform"], data["leg"]
    platform["center_of_mass"] = [k * x for x in platform["center_of_mass"]]
    platform["inertia"] = (k**2 * np.array(platform["inertia"])).tolist()
    platform["home"]["position"] = [k * x for x in platform["home"]["position"]]
    for part in (leg["cylinder"], leg["piston"]):
        part["center_of_mass"] *= k
        part["inertia"] = (k**2 * np.array(part["inertia"])).tolist()
    for each in data["legs"]:
        each["base"], each["platform"] = ([k * x for x in each[b]] for b in ("base", "platform"))
    return gough.Robot.from_dict(data)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("k", [1e-7, 1e8])
def test_similar_machines_of_any_size_move_alike(k, formulation):
    robot = gough.load("kalani-2016")
    rng = np.random.default_rng(3)
    poses = gough.pose(
        np.array([0, 0, 1.0]) + rng.uniform(-0.1, 0.1, (20, 3)),
        rotation_vector=rng.uniform(-0.3, 0.3, (20, 3)),
    )
    poses[0] = gough.pose([0.05, 0.1, 0.0])  # folded: singular at any size
    twist, acceleration = rng.normal(size=(2, 20, 6))
    lengths = np.repeat([k, 1.0], 3)
    similar = [poses * np.repeat([k, 1.0], [3, 4]), twist * lengths, acceleration * lengths]
    small, large = (gough.Model(r, formulation=formulation) for r in (robot, resized(robot, k)))
    np.testing.assert_array_equal(large.is_singular(similar[0]), small.is_singular(poses))
    force = small.inverse_dynamics(poses, twist, acceleration)
    assert np.isfinite(force[1:]).all()
    np.testing.assert_allclose(large.inverse_dynamics(*similar), k * force, rtol=1e-8)
    moved = large.forward_dynamics(*similar[:2], k * force)
    np.testing.assert_allclose(moved[1:] / lengths, acceleration[1:], rtol=1e-6, atol=1e-8)


def without_mass():
    data = gough.load("kalani-2016").to_dict()
    data["platform"] |= {"mass": 0.0, "inertia": [0.0, 0.0, 0.0]}
    for part in ("cylinder", "piston"):
        data["leg"][part] |= {"mass": 0.0, "inertia": [0.0, 0.0, 0.0]}
    return data


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_machine_without_mass_has_forces_and_no_accelerations(formulation):
    robot = gough.Robot.from_dict(without_mass())
    model = gough.Model(robot, formulation=formulation)
    home, push = np.array(robot.home), np.array([0, 0, -12.0, 0, 0, 0])
    assert np.isnan(model.forward_dynamics(home, np.zeros(6), np.ones(6))).all()
    force = model.inverse_dynamics(home, np.zeros(6), np.zeros(6), push)
    np.testing.assert_allclose(model.jacobian(home).T @ force, -push, atol=1e-12)


def test_a_point_mass_cannot_be_turned():
    """Its mass matrix is singular, though none of its diagonal entries is zero."""
    data = without_mass()
    data["platform"] |= {"mass": 2.0, "center_of_mass": [0.1, 0.2, 0.3]}
    robot = gough.Robot.from_dict(data)
    poses = gough.pose([0, 0, 1], rotation_vector=np.random.default_rng(0).normal(size=(50, 3)))
    found = gough.Model(robot).forward_dynamics(poses, np.zeros(6), np.ones(6))
    assert np.isnan(found).any(-1).all()
    assert not np.isinf(found).any()
