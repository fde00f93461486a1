"""Forward kinematics with what it cannot use: what, where, and what was expected."""

import numpy as np
import pytest

from gough.errors import GoughError, KernelArgumentError
from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.kernel import Status
from gough.kinematics.model import Model
from gough.robot import load


@pytest.fixture(scope="module")
def model():
    return Model(load("kalani-2016"))


@pytest.fixture(scope="module")
def q(model):
    return model.inverse_kinematics(np.array(model.robot.home))


def test_impossible_lengths_get_a_status_and_no_pose(model, q):
    wrong = np.tile(q, (8, 1))
    wrong[1, 2] = -0.1
    wrong[2, 0] = np.nan
    wrong[3, 5] = q[0] + 10  # longer than the way around through another leg
    wrong[4] = np.inf
    wrong[5, 1] = -np.inf
    wrong[6] = 1e-3  # base and platform differ more than that
    found = forward_kinematics(model, wrong)
    assert found.status[[0, 7]].tolist() == [Status.CONVERGED] * 2
    assert (found.status[1:7] == Status.IMPOSSIBLE_LENGTHS).all()
    assert np.isnan(found.pose[1:7]).all()
    assert np.isnan(found.residual[1:7]).all()
    assert (found.iterations[1:7] == 0).all()


def test_a_leg_may_be_as_short_as_zero_but_then_has_no_direction(model):
    """The platform's first joint centre on the base's: J does not exist there."""
    leg = model.robot.legs[0]
    at = np.array([*np.subtract(leg.base, leg.platform), 1, 0, 0, 0]) + [0, 0, 0, 0, 0.3, 0.2, 0]
    lengths = model.inverse_kinematics(at)
    lengths[0] = 0.0
    found = forward_kinematics(model, lengths, at + [0.01, 0.02, 0.03, 0, 0, 0, 0])
    assert found.status != Status.CONVERGED
    assert np.isnan(found.pose).all()


@pytest.mark.parametrize("along", [False, True])
@pytest.mark.parametrize(
    "wrong", [np.ones(5), 1.2, np.ones((6, 5)), [[1, 1, 1, 1, 1, 1], [1, 1]], ["a"] * 6, [1j] * 6]
)
def test_lengths_of_a_wrong_shape_or_type_are_refused(model, wrong, along):
    with pytest.raises(KernelArgumentError, match=r"forward_kinematics: argument 'q'"):
        forward_kinematics(model, wrong, along=along)


@pytest.mark.parametrize(
    "wrong",
    [
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, np.nan, 1, 0, 0, 0],
        [0, 0, 1, 1, np.inf, 0, 0],
        [0, 0, 1, 1e200, 0, 0, 0],
    ],
)
def test_a_guess_that_is_no_pose_is_refused(model, q, wrong):
    with pytest.raises(GoughError, match=r"the guess is not a pose: \[.*quaternion that is not"):
        forward_kinematics(model, q, wrong)
    guesses = np.tile(model.robot.home, (3, 2, 1))
    guesses[2, 1] = wrong
    with pytest.raises(GoughError, match=r"guess\[2, 1\] is not a pose"):
        forward_kinematics(model, q, guesses)


@pytest.mark.parametrize("wrong", [[0, 0, 1], 3.0, np.ones((4, 6)), ["x"] * 7, [[1], [2, 3]]])
def test_a_guess_of_a_wrong_shape_or_type_is_refused(model, q, wrong):
    with pytest.raises(KernelArgumentError, match="guess"):
        forward_kinematics(model, q, wrong)


def test_batches_that_do_not_fit_are_refused(model, q):
    home = np.tile(model.robot.home, (4, 1))
    with pytest.raises(KernelArgumentError, match="do not fit each other"):
        forward_kinematics(model, np.tile(q, (3, 1)), home)
    with pytest.raises(KernelArgumentError, match="one pose per path"):
        forward_kinematics(model, np.tile(q, (3, 5, 1)), home, along=True)
    with pytest.raises(KernelArgumentError, match=r"expected \(\.\.\., samples, 6\)"):
        forward_kinematics(model, q, along=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"guess": "near"}, "unknown guess 'near'"),
        ({"method": "secant"}, "unknown method 'secant'; expected 'newton' or 'third-order'"),
        ({"tolerance": 0.0}, "tolerance is 0.0"),
        ({"tolerance": np.nan}, "tolerance is nan"),
        ({"stride": -1.0}, "stride is -1.0"),
        ({"at_most": 0}, "at_most is 0"),
        ({"at_most": 2.5}, "at_most is 2.5"),
        ({"parameters": [1.0]}, "parametric=True"),
    ],
)
def test_options_out_of_range_are_refused(model, q, options, words):
    with pytest.raises(GoughError, match=words):
        forward_kinematics(model, q, **options)


def test_parameters_of_a_wrong_shape_are_refused(model, q):
    parametric = Model(model.robot, parametric=True)
    with pytest.raises(KernelArgumentError, match="'parameters'"):
        forward_kinematics(parametric, q, parameters=np.ones(3))
    path, numbers = np.tile(q, (2, 1)), np.tile(parametric.parameters, (2, 1))
    with pytest.raises(KernelArgumentError, match="one set for all samples"):
        forward_kinematics(parametric, path, along=True, parameters=numbers)
