"""Payloads of simulated hexapods are found, and as surely as their standard deviations say."""

import numpy as np
import pytest
from recordings import recorded

import gough
from gough.errors import GoughError
from gough.motion import Payload

CARRIED = Payload(20.0, (0.05, -0.08, 0.25), (0.3, 0.4, 0.5))


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def found(robot):
    return gough.identify_payload(robot, recorded(CARRIED.carried_by(robot), 1))


def test_mass_and_mass_centre_are_found(found):
    assert found.mass == pytest.approx(20.0, abs=0.03)
    np.testing.assert_allclose(found.center_of_mass, CARRIED.center_of_mass, atol=2e-3)
    np.testing.assert_allclose(np.diag(found.inertia), CARRIED.inertia, atol=0.15)


def test_the_uncertainty_is_honest(found):
    z = [(found.mass - 20.0) / found.mass_sigma]
    z += list((found.center_of_mass - CARRIED.center_of_mass) / found.center_sigma)
    inertia = np.diag(CARRIED.inertia)
    upper = np.triu_indices(3)
    z += list(((found.inertia - inertia) / found.inertia_sigma)[upper])
    assert 0.5 < np.sqrt(np.mean(np.square(z))) < 1.6


def test_the_robot_with_it_weighs_so_much_more(robot, found):
    assert found.robot.platform.mass == pytest.approx(robot.platform.mass + found.payload.mass)
    assert found.not_explained < 0.05 * found.without


def test_measured_forces_without_noise_give_it_exactly(robot):
    columns = recorded(
        CARRIED.carried_by(robot), 2, step=None, noise=0.0, duration=8.0, measured="force"
    )
    found = gough.identify_payload(robot, columns)
    assert found.mass == pytest.approx(20.0, abs=1e-4)
    np.testing.assert_allclose(found.center_of_mass, CARRIED.center_of_mass, atol=1e-5)


def test_no_payload_is_said_to_be_none(robot):
    lighter = robot.replace({"platform.mass": robot.platform.mass - 5.0})
    columns = recorded(lighter, 3, duration=8.0, measured="force")
    with pytest.raises(GoughError, match="is the robot the one without it"):
        gough.identify_payload(robot, columns)


def test_a_payload_without_extent_is_found(robot):
    """Noise gives it an inertia that no body has: the nearest that can exist is small."""
    point = Payload(20.0, (0.02, 0.0, 0.15))
    for seed in (1, 2):
        columns = recorded(point.carried_by(robot), seed, duration=6.0, measured="force")
        found = gough.identify_payload(robot, columns)
        assert found.payload.mass == pytest.approx(20.0, abs=0.15)
        assert np.linalg.eigvalsh(found.payload.inertia)[0] >= 0.0
