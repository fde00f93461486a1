"""What encoders read, and derivatives by names of parameters."""

import numpy as np
import pytest

import gough

HEXAPOD = gough.load("kalani-2016")
POSE = gough.pose([0.02, -0.03, 1.0], rotation_vector=[0.05, 0.02, -0.04])


def test_an_uncalibrated_hexapod_reads_what_it_reads_and_is_where_it_is():
    """position = gain · reading + offset; lengths, poses and forces stay the true ones."""
    offsets, gains = np.linspace(-0.01, 0.015, 6), np.linspace(0.99, 1.02, 6)
    places = {f"legs[{k}].length_offset": offsets[k] for k in range(6)}
    robot = HEXAPOD.replace(places | {f"legs[{k}].gain": gains[k] for k in range(6)})
    model, plain = gough.Model(robot), gough.Model(HEXAPOD)
    lengths = plain.inverse_kinematics(POSE)
    np.testing.assert_array_equal(model.inverse_kinematics(POSE), lengths)
    readings = model.readings(POSE)
    np.testing.assert_allclose(gains * readings + offsets, lengths, rtol=1e-15)
    np.testing.assert_allclose(model.positions(readings), lengths, rtol=1e-15)
    found = model.forward_kinematics(model.positions(readings))
    np.testing.assert_allclose(found.pose, POSE, atol=1e-12)
    np.testing.assert_array_equal(plain.readings(POSE), lengths)


def test_motors_that_turn_have_readings_too():
    delta = gough.load("delta").replace({"leg.motor.offset": "30 deg", "leg.motor.gain": -1})
    model = gough.Model(delta)
    q = model.inverse_kinematics(delta.home)
    np.testing.assert_allclose(model.readings(delta.home), np.radians(30) - q, rtol=1e-14)


def test_a_gain_of_zero_is_refused():
    with pytest.raises(gough.RobotError) as refused:
        HEXAPOD.replace({"leg.gain": 0})
    assert (refused.value.key, refused.value.value, refused.value.problem) == (
        "leg.gain",
        0.0,
        "zero",
    )


def test_derivatives_by_names_have_the_columns_that_are_named():
    model = gough.Model(HEXAPOD, parametric=True)
    wrt = ["legs[*].length_offset", "legs[2].gain", "legs[*].base", "home"]
    names = model.matching_parameters(wrt)
    assert len(names) == 6 + 1 + 18 + 7
    assert names[:7] == [*(f"legs[{k}].length_offset" for k in range(6)), "legs[2].gain"]
    some = model.derivative("readings", wrt)(model.parameters, POSE)
    assert some.shape == (6, len(names))
    np.testing.assert_array_equal(some[:, :6], -np.eye(6))  # a reading is less by an offset more
    columns = [model.parameter_names.index(name) for name in names]
    steps = 1e-6 * np.eye(len(model.parameters))[columns]
    ahead, back = (model.readings(model.parameters + s * steps, POSE) for s in (1, -1))
    np.testing.assert_allclose(some, ((ahead - back) / 2e-6).T, atol=1e-8)


def test_names_that_mean_nothing_are_refused():
    model = gough.Model(HEXAPOD, parametric=True)
    with pytest.raises(gough.GoughError, match=r"did you mean platform\.mass"):
        model.derivative("readings", ["platform.mas"])
