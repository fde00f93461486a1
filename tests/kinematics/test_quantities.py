"""What is asked of a design, as kernels of their own."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.kinematics import Limits, margins, quantity
from gough.poses import displace


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


def test_an_unknown_quantity_is_refused_with_the_nearest_name():
    with pytest.raises(GoughError, match="did you mean condition"):
        family("delta")[0].quantity("conditon")
