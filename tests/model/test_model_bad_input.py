"""What a model says of requests that it cannot meet."""

import numpy as np
import pytest

import gough


@pytest.fixture(scope="module")
def model():
    return gough.Model(gough.load("kalani-2016"))


@pytest.mark.parametrize("wrong", ["x", None, [1e-8, 1e-8], 0, -1.0, np.nan])
@pytest.mark.parametrize("name", ["tolerance", "stride"])
def test_forward_kinematics_names_the_number_that_is_wrong(model, name, wrong):
    with pytest.raises(gough.GoughError, match=f"{name} is .*; expected a number above 0"):
        model.forward_kinematics(np.ones(6), **{name: wrong})


@pytest.mark.parametrize("number", [1, 1e-6, np.float32(1e-6), np.int64(1)])
def test_forward_kinematics_takes_numbers_of_any_kind(model, number):
    q = model.inverse_kinematics(np.array(model.robot.home))
    assert model.forward_kinematics(q, tolerance=number).converged


@pytest.mark.parametrize("name", [None, 3, ["jacobian"], {}])
def test_a_derivative_of_what_is_no_name_is_refused(model, name):
    with pytest.raises(gough.GoughError, match="a model has no kernel"):
        model.derivative(name, "pose")


@pytest.mark.parametrize("wrt", [None, 3, "twist", ["pose"]])
def test_a_derivative_with_respect_to_no_input_names_the_inputs(model, wrt):
    with pytest.raises(gough.GoughError, match=r"jacobian has no input .*; expected one of pose$"):
        model.derivative("jacobian", wrt)


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("forward_kinematic", "forward_kinematics"),
        ("assembly_mode", "assembly_modes"),
        ("jacobien", "jacobian"),
        ("parameter_name", "parameter_names"),
    ],
)
def test_a_misspelt_kernel_or_method_is_suggested(model, misspelt, meant):
    with pytest.raises(AttributeError, match=rf"no kernel '{misspelt}'; did you mean {meant}\?$"):
        getattr(model, misspelt)


def test_what_is_like_nothing_is_answered_with_a_list(model):
    with pytest.raises(
        AttributeError, match=r"no kernel 'zzz'; kernels, which .* are inverse_kinematics, jacobian"
    ):
        _ = model.zzz


@pytest.mark.parametrize("formulation", [3, [], "newton"])
def test_an_unknown_formulation_is_answered_with_those_that_are_known(model, formulation):
    with pytest.raises(gough.GoughError, match=r"unknown formulation .*; expected one of newton-"):
        gough.Model(model.robot, formulation=formulation)


@pytest.mark.parametrize(
    ("robot", "kernel", "words"),
    [
        ("delta", "leg_spin", "this machine has no leg_spin: that is of hexapods"),
        ("five-bar", "joint_tilts", "this machine has no ball or universal joints"),
    ],
)
def test_a_kernel_of_another_kind_of_machine_says_so(robot, kernel, words):
    with pytest.raises(AttributeError, match=words):
        getattr(gough.Model(gough.load(robot)), kernel)
