"""`gough control tune`: step responses until the loop is at rest, and none of unstable loops."""

import json
import math

import numpy as np
import pytest

STEPS = ("final", "overshoot", "rise_time", "settling_time")
FREQUENCY = 2 * np.pi * 5.0


TUNE = ("control tune", "demo-hexapod", "--controller", "computed-torque-task")


def tuned(gough, *options):
    return json.loads(gough(*TUNE, "--json", *options).out)


@pytest.mark.parametrize("damping", [0.05, 0.2, 1.0, 3.0, 10.0])
def test_steps_are_those_of_second_order_whatever_the_damping(gough, damping):
    """Computed torque leaves ẍ + 2 ζ ω ẋ + ω² x = ω² r; sampled at 5 kHz, nearly so.

    Of a machine whose joints do not damp: it does not know them.
    """
    words = ("control tune", "kalani-2016", "--controller", "computed-torque-task", "--json")
    found = json.loads(gough(*words, "--damping", damping, "--period", "2e-4").out)
    np.testing.assert_allclose(found["final"], 1.0, rtol=1e-4)
    if damping < 1:
        damped = np.sqrt(1 - damping**2)
        overshoot = np.exp(-np.pi * damping / damped)
        np.testing.assert_allclose(found["overshoot"], overshoot, atol=0.02)
        envelope = -np.log(0.02 * damped) / (damping * FREQUENCY)
        settling = np.array(found["settling_time"])
        assert (settling < 1.05 * envelope).all()
        assert (settling > envelope - 1.1 * np.pi / FREQUENCY).all()
    else:
        np.testing.assert_allclose(found["overshoot"], 0.0, atol=1e-4)
    if damping > 2:  # one slow pole: e^-st
        slow = FREQUENCY * (damping - np.sqrt(damping**2 - 1))
        np.testing.assert_allclose(found["rise_time"], np.log(9) / slow, rtol=0.03)
        np.testing.assert_allclose(found["settling_time"], np.log(50) / slow, rtol=0.03)


def test_the_integral_of_a_pid_is_waited_for(gough):
    words = (
        "control tune",
        "demo-hexapod",
        "--controller",
        "joint-pid",
        "--integral-rate",
        "0.5",
        "--json",
    )
    found = json.loads(gough(*words).out)
    np.testing.assert_allclose(found["final"], 1.0, rtol=1e-5)


def test_what_was_tuned_is_called_what_it_is(gough):
    """Without an integral rate a joint-pid is a PD; either has gains between the legs."""
    words = "of the actuators with gains that couple them"
    assert f"PD {words}, without integral part" in gough("control tune", "demo-hexapod").out
    rate = ("--integral-rate", 4, "--json")
    found = json.loads(gough("control tune", "demo-hexapod", *rate).out)
    assert found["controller"] == "joint-pid"
    assert found["description"] == f"PID {words}"
    assert np.abs(found["gains"]["ki"]).max() > 0


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (("--frequency", "400"), "the loop is not stable"),
        (("--frequency", "0.01"), "the slowest pole dies away in"),
    ],
)
def test_loops_that_do_not_come_to_rest_have_no_step_responses(gough, option, reason):
    found = tuned(gough, *option)
    assert [found[name] for name in STEPS] == [None] * 4
    text = gough(*TUNE, *option).out
    assert f"no step responses: {reason}" in text
    assert "settling" not in text
    assert ("Margins" in text) == ("not stable" not in text)


def test_with_drives_the_poles_are_those_of_the_machine_on_its_motors(gough):
    asked = ("--frequency", 4, "--integral-rate", 6, "--json")
    code, out, _ = gough("control tune", "demo-hexapod", "--drives", *asked)
    assert code == 0
    slowest = math.log(json.loads(out)["largest_pole"]) / 1e-3
    assert slowest == pytest.approx(-6, rel=0.05)
