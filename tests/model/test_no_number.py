"""Poses that are no numbers, or out of reach: kernels say so, and give nothing like an answer."""

import numpy as np
import pytest

import gough
from gough.kinematics.singularity.singularity import singular_words

OF_STATUS = {"is_singular": 1.0}
"""Kernels whose answer to such a pose is a status."""
LONG = {"linearize", "crossing_forces", "coriolis_matrix", "joint_coriolis_matrix", "load_range"}
"""Kernels that are compiled for long; they are made of others."""
TELLING = (
    "is_singular",
    "serial_pivots",
    "constraint_pivot",
    "crossing_share",
    "crossing_residual",
    "wrench_margin",
    "inverse_dynamics",
)


def outputs(model, name, pose):
    kernel = getattr(model, name)
    given = [
        pose if argument.name == "pose" else np.full(argument.shape, 0.1)
        for argument in kernel.description.inputs
    ]
    found = kernel(*given)
    return found if isinstance(found, tuple) else (found,)


def check_no_number(model, name):
    home = np.array(model.robot.home)
    near = model.possible_pose(home + [0.01, 0.01, 0, 0, 0, 0, 0]).pose
    unknown = outputs(model, name, np.full(7, np.nan))
    if name in OF_STATUS:
        assert unknown == (OF_STATUS[name],)
        return
    for here, there, nowhere in zip(
        outputs(model, name, home), outputs(model, name, near), unknown, strict=True
    ):
        size = np.abs(here).max(initial=1e-300)
        depends = np.abs(here - there) > 1e-12 * size
        assert np.isnan(np.asarray(nowhere)[depends]).all(), name


def test_all_that_depends_on_a_pose_is_nan_where_the_pose_is():
    model = gough.Model(gough.load("five-bar"))
    for name in set(model.kernel_names) - LONG:
        check_no_number(model, name)


@pytest.mark.parametrize("name", ["planar-3rrr", "delta", "demo-hexapod"])
def test_what_tells_of_a_pose_is_nan_where_the_pose_is(name):
    model = gough.Model(gough.load(name))
    for kernel in set(TELLING) & set(model.kernel_names):
        check_no_number(model, kernel)


@pytest.mark.parametrize("name", ["five-bar", "planar-3rrr", "delta"])
def test_no_motion_can_pass_where_the_legs_do_not_reach(name):
    model = gough.Model(gough.load(name))
    away = np.array(model.robot.home) + [100.0, 0, 0, 0, 0, 0, 0]
    rest = np.zeros((3, 6))
    assert np.isnan(model.crossing_share(away, *rest))
    assert not model.constraint_pivot(away) < np.inf
    assert model.is_singular(away) == 1.0


def test_a_motion_that_is_no_number_has_no_share_of_a_crossing():
    model = gough.Model(gough.load("five-bar"))
    unknown = np.full(6, np.nan)
    rest = np.zeros(6)
    for state in ((unknown, rest, rest), (rest, unknown, rest), (rest, rest, unknown)):
        assert np.isnan(model.crossing_share(model.robot.home, *state))


def test_measures_of_singularity_are_nan_where_the_pose_is():
    for name in ("demo-hexapod", "five-bar"):
        found = gough.Model(gough.load(name)).singularity(np.full(7, np.nan))
        measures = (found.determinant, found.serial, found.passive)
        assert np.isnan(measures).all()
        assert not found.valid


def test_legs_of_a_pose_that_is_no_number_are_neither_singular_nor_regular():
    model = gough.Model(gough.load("demo-hexapod"))
    unknown, home = np.full(7, np.nan), np.array(model.robot.home)
    found = model.singular_legs(np.array([home, unknown]))
    assert (found[0] == 0).all()
    assert np.isnan(found[1]).all()
    with pytest.raises(gough.GoughError, match=r"the pose is \[nan, .*expected finite numbers"):
        singular_words(model.robot, unknown)


def test_parameters_that_are_no_numbers_are_not_called_a_leg_without_length():
    model = gough.Model(gough.load("demo-hexapod"), parametric=True)
    home, unknown = np.array(model.robot.home), model.parameters.copy()
    place = model.parameter_names.index("legs[2].base.x")
    unknown[place] = np.nan
    kinds = model.singular_legs(unknown, home)
    np.testing.assert_array_equal(np.isnan(kinds), np.arange(6) == 2)
    assert model.is_singular(unknown, home) == 1
    with pytest.raises(gough.GoughError, match="parameters are no numbers"):
        model.checked_inverse_dynamics(home, parameters=unknown)
