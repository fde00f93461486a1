"""Recordings of a Delta with a lag, gaps, spikes and a payload tell what those of hexapods tell."""

import numpy as np
import pytest
from recordings import recorded_delta

import gough
from gough.identification.consistent import consistent
from gough.motion import Payload

CARRIED = Payload(2.0, (0.0, 0.0, -0.05), (2e-3, 2e-3, 2e-3))
SHARES = (0.93, 1.06, 1.02)
LAG = 0.0023


@pytest.fixture(scope="module")
def delta():
    return gough.load("delta")


def test_a_lag_and_a_gap_are_found_and_told(delta):
    columns, _ = recorded_delta(delta, 1, duration=16.0, lag=LAG)
    late = {name: np.delete(values, slice(7000, 7120)) for name, values in columns.items()}
    late["actuator_position_hip-2 [rad]"][3000:3003] = np.nan
    found = gough.identify(delta.replace({"platform.mass": 1.4}), late, legs="identical")
    assert abs(found.lag.value - LAG) < 3 * found.lag.sigma < 1e-3
    assert found.notes[:2] == (
        "3 positions missing, 3 in a row at most: interpolated",
        "a gap of 0.121 s at 7 s: cut there",
    )
    assert "positions in steps of 10 µrad" in found.notes
    mass, truth = found["platform.mass"], gough.base_parameters(delta, legs="identical")
    assert abs(mass.value - truth.values[0]) < 3 * mass.sigma < 0.01 * mass.value


def test_a_late_recording_with_spikes_tells_the_mass_of_a_payload(delta):
    columns, _ = recorded_delta(CARRIED.carried_by(delta), 2, lag=LAG)
    spiky = columns["motor_torque_hip-1 [N m]"].copy()
    spiky[np.random.default_rng(0).choice(len(spiky), 40, replace=False)] += 50.0
    columns["motor_torque_hip-1 [N m]"] = spiky
    found = gough.identify_payload(delta, columns, robust=True)
    assert abs(found.mass - CARRIED.mass) < max(3 * found.mass_sigma, 0.005)
    assert abs(found.lag.value - LAG) < 4 * found.lag.sigma
    assert any("40 spikes of efforts" in note for note in found.to_dict()["notes"])


def test_torque_constants_of_a_delta_are_found(delta):
    """Each hip has its own, though legs are identical; the file has one of all."""
    constants = [k * hip.drive.torque_constant for k, hip in zip(SHARES, delta.driven, strict=True)]
    truth = gough.Robot.from_dict(delta.to_dict()).replace(
        {
            f"{a.key}.drive.torque_constant": K
            for a, K in zip(delta.actuators, constants, strict=True)
        }
    )
    unloaded, loaded = (
        recorded_delta(robot, seed, measured="motor_current")[0]
        for seed, robot in ((1, truth), (2, CARRIED.carried_by(truth)))
    )
    found = gough.identify(delta, unloaded, loaded=loaded, payload=CARRIED, legs="identical")
    each = [found[f"actuators[{k}].torque_constant"] for k in range(3)]
    z = [(p.value - K) / p.sigma for p, K in zip(each, constants, strict=True)]
    assert np.abs(z).max() < 3.0
    assert max(p.sigma / p.value for p in each) < 5e-3
    assert [hip.drive.torque_constant for hip in found.robot.driven] == pytest.approx(
        constants, rel=5e-3
    )


def test_what_is_surely_told_counts_beside_what_is_barely_told():
    """Of two numbers the sum is sure to 1e-6, the difference to 1e6: their file says it is none.

    A covariance would have entries of 1e12, in which the sum's is less than rounding.
    """
    names = ["joints[0].damping", "joints[1].damping"]
    root = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2.0) * [1e-6, 1e6]
    estimate, spread = np.array([7.0, 3.0]), np.full(2, 10.0)
    found = consistent(names, np.ones(2), np.eye(2), estimate, root, spread, np.zeros(2))
    np.testing.assert_allclose(found, [5.0, 5.0], rtol=1e-4)
