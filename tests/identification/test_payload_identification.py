"""Payloads of simulated hexapods are found, and as surely as their standard deviations say."""

import numpy as np
import pytest
from recordings import recorded

import gough
from gough.errors import GoughError
from gough.motion import Payload

CARRIED = Payload(20.0, (0.05, -0.08, 0.25), (0.3, 0.4, 0.5))
OFFSETS = np.array([12.0, -20.0, 7.0, 15.0, -9.0, -14.0])
"""Of the efforts, as forces at the legs [N]."""


def with_offsets(columns, measured, per_force=1.0):
    """Columns whose efforts have offsets."""
    found = dict(columns)
    for k, offset in enumerate(OFFSETS):
        name = next(name for name in columns if name.startswith(f"{measured}_{k + 1} "))
        found[name] = columns[name] + offset * per_force
    return found


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


def test_errors_are_as_large_as_both_recordings_together_say(robot):
    """Of twenty pairs of recordings with offsets, by a file that is a tenth off."""
    wrong = robot.replace({"platform.mass": 165.0, "leg.piston.mass": 2.9})
    time = np.arange(0.0, 5.0, 0.005)
    clean = [
        recorded(each, seed, time=time, noise=0.0, step=None, measured="force")
        for seed, each in ((1, robot), (2, CARRIED.carried_by(robot)))
    ]
    rng, z = np.random.default_rng(3), []
    for _ in range(20):
        unloaded, loaded = (
            {
                name: values + 3.0 * rng.standard_normal(len(time)) * name.startswith("force")
                for name, values in with_offsets(columns, "force").items()
            }
            for columns in clean
        )
        found = gough.identify_payload(
            wrong, loaded, unloaded=unloaded, legs="identical", friction=("offset",), lag=0.0
        )
        centre = (found.center_of_mass - CARRIED.center_of_mass) / found.center_sigma
        z.append([(found.mass - CARRIED.mass) / found.mass_sigma, *centre])
    spread = np.sqrt(np.mean(np.square(z), axis=0))
    assert (spread > 0.6).all()
    assert (spread < 1.5).all()
    assert np.abs(np.mean(z, axis=0)).max() < 0.8


def test_offsets_are_kept_in_the_drives_and_count_with_a_payload(robot):
    turns = 2 * np.pi / robot.legs[0].drive.screw_lead
    unloaded, loaded = (
        with_offsets(recorded(each, seed, duration=8.0), "motor_torque", 1.0 / turns)
        for seed, each in ((4, robot), (5, CARRIED.carried_by(robot)))
    )
    options = {"legs": "identical", "drives": "identical", "lag": 0.0}
    parts = ("viscous", "dry", "load", "offset")
    own = gough.identify(robot, unloaded, friction=parts, **options)
    each = [own[f"legs[{k}].drive.offset"] for k in range(6)]
    assert all(
        abs(number.value - offset) < 4 * number.sigma
        for number, offset in zip(each, OFFSETS, strict=True)
    )
    kept = np.array([leg.drive.torque_offset for leg in own.robot.legs]) * turns
    np.testing.assert_allclose(kept, [number.value for number in each], atol=0.3)
    by_file, anew, without = (
        gough.identify_payload(each, loaded, friction=friction, lag=0.0)
        for each, friction in ((own.robot, None), (robot, parts), (robot, None))
    )
    assert abs(by_file.mass - CARRIED.mass) < 0.15
    assert abs(anew.mass - CARRIED.mass) < 4 * anew.mass_sigma
    off = [np.abs(x.center_of_mass - CARRIED.center_of_mass)[:2].max() for x in (by_file, without)]
    assert off[0] < 2e-3 < off[1]
    assert any("far above the noise" in warning for warning in without.warnings)
    assert not any("far above the noise" in warning for warning in anew.warnings)
    assert any("take the robot's own numbers for exact" in warning for warning in anew.warnings)


def test_recordings_of_other_efforts_do_not_go_together(robot):
    force = recorded(robot, 1, duration=1.0, measured="force")
    torque = recorded(robot, 1, duration=1.0)
    with pytest.raises(GoughError, match="force was measured in the unloaded recording"):
        gough.identify_payload(robot, torque, unloaded=force)
    with pytest.raises(GoughError, match="force was measured in the validation recording"):
        gough.identify(robot, torque, validation=force)
