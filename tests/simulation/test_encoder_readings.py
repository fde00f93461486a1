"""What encoders read is recorded beside what is true."""

import numpy as np
import pytest

import gough
from gough.motion import Quintic, line
from gough.simulation import Scenario, Sensors, simulate


@pytest.fixture(scope="module", params=["demo-hexapod", "delta"])
def robot(request):
    return gough.load(request.param)


def run(robot, sensors, seen=None):
    """A run under a PD law in Python that notes what it is told."""
    model = gough.Model(robot)
    n = len(robot.actuators)
    hold = model.inverse_dynamics(robot.home)

    def control(time, measurement, reference):
        if seen is not None:
            seen.append(measurement[: 2 * n].copy())
        return hold + 10.0 * (model.inverse_kinematics(reference[:7]) - measurement[:n])

    motion = line(robot.home, [0.0, 0.0, 0.002], Quintic(0.03))
    return simulate(Scenario(robot, control, motion, sensors=sensors, rng=4))


def test_recorded_readings_are_what_the_controller_was_told(robot):
    seen = []
    found = run(robot, Sensors(resolution=1e-6, noise=2e-5, speed_filter=2e-3), seen)
    names = (
        ("leg_length", "leg_speed")
        if "leg_length" in found
        else ("actuator_position", "actuator_speed")
    )
    told = np.array(seen)[: len(found.time)]
    measured = np.hstack([found[f"measured_{name}"] for name in names])
    np.testing.assert_allclose(measured, told, rtol=1e-9, atol=1e-12)
    error = found[f"measured_{names[0]}"] - found[names[0]]
    assert error.std() == pytest.approx(2e-5, rel=0.2)


def test_perfect_encoders_have_no_columns_of_their_own(robot):
    assert not any(name.startswith("measured") for name in run(robot, Sensors()).quantities)
    noisy = run(robot, Sensors(noise=1e-5)).quantities
    assert sum(name.startswith("measured") for name in noisy) == 1
