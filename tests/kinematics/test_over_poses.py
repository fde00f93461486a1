"""The largest, smallest and sum of a quantity over poses, for many designs at once."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError, KernelArgumentError
from gough.kinematics import Limits, margins, over_poses, quantity
from gough.poses import displace

NAMES = ["symmetric.base_radius", "symmetric.platform_radius", "platform.home.position.z"]


@pytest.fixture(scope="module")
def model():
    return gough.Model(gough.load("demo-hexapod"), parametric=NAMES)


@pytest.fixture(scope="module")
def designs(model):
    spread = np.random.default_rng(0).uniform(-0.05, 0.05, (3, 7, len(NAMES)))
    return model.parameters * (1 + spread)


@pytest.fixture(scope="module")
def poses(model):
    steps = np.random.default_rng(1).uniform(-0.1, 0.1, (9, 6))
    return np.array([displace(model.robot.home, step) for step in steps])


@pytest.mark.parametrize(("how", "numpy"), [("max", np.max), ("min", np.min), ("sum", np.sum)])
def test_a_reduction_is_that_of_all_samples(model, designs, poses, how, numpy):
    every = model.inverse_kinematics(designs[..., None, :], poses)
    found = model.over_poses(how, "inverse_kinematics", poses, designs)
    assert found.shape == (3, 7, 6)
    np.testing.assert_allclose(found, numpy(every, axis=-2), rtol=1e-14)


def test_other_inputs_may_differ_from_pose_to_pose(model, designs, poses):
    twist = np.random.default_rng(2).uniform(-1, 1, (len(poses), 6))
    found = over_poses(model, "max", "joint_velocity", poses, parameters=designs[0], twist=twist)
    every = model.joint_velocity(designs[0][:, None], poses, twist)
    np.testing.assert_allclose(found, every.max(axis=1), rtol=1e-12)


def family(name):
    model = gough.Model(gough.load(name), parametric=["leg.links[*].length", "leg.base.x"])
    return model, model.parameters * [1.02, 0.99, 1.03]


def test_the_condition_is_a_kernel_of_its_own():
    model, design = family("delta")
    poses = displace(model.robot.home, [[0.1, -0.2, 0.05, 0, 0, 0], [0.2, 0.1, 0, 0, 0, 0]])
    J = gough.Model(model.made(design)).jacobian(poses)[..., :3]  # what turns does not matter
    condition = quantity(model, "condition")(design, poses)
    np.testing.assert_allclose(condition, np.linalg.cond(J), rtol=1e-10)


def test_the_clearance_is_a_kernel_of_its_own():
    model, design = family("planar-3rrr")
    poses = displace(model.robot.home, [[0.02, -0.01, 0, 0, 0, 0.2], [0, 0.03, 0, 0, 0, 0]])
    only = Limits(families=("clearance",))
    expected = margins(gough.Model(model.made(design)), poses, only)[:, 3]
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(model.quantity("clearance")(design, poses), expected, rtol=1e-11)


def test_a_pose_without_an_answer_leaves_none(model, designs, poses):
    broken = poses.copy()
    broken[4] = np.nan
    for how in ("max", "min", "sum"):
        assert np.isnan(model.over_poses(how, "inverse_kinematics", broken, designs)).all()


def test_threads_give_the_same_bits(model, poses):
    many = model.parameters * np.random.default_rng(3).uniform(0.95, 1.05, (9000, len(NAMES)))
    one, two = (
        model.over_poses("max", "inverse_kinematics", poses, many, threads=k) for k in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_bad_questions_are_refused(model, poses):
    with pytest.raises(GoughError, match="no reduction 'mean'"):
        model.over_poses("mean", "inverse_kinematics", poses)
    with pytest.raises(GoughError, match="did you mean condition"):
        model.over_poses("max", "conditon", poses)
    with pytest.raises(GoughError, match="several outputs"):
        model.over_poses("max", "reactions", poses)
    with pytest.raises(KernelArgumentError, match=r"expected \(n, 7\)"):
        model.over_poses("max", "inverse_kinematics", poses[0])
    with pytest.raises(KernelArgumentError, match="one for each pose"):
        model.over_poses("max", "inverse_dynamics", poses, wrench=np.zeros((2, 6)))
    with pytest.raises(GoughError, match="many robots"):
        gough.Model(model.robot).over_poses("max", "inverse_kinematics", poses)
