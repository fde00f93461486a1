"""Quantities along a motion, each in its place: those of the model, or made by hand."""

import numpy as np
import pytest
from study_samples import study

import gough
from gough.analysis.quantities import GROUPS, VIBRATION, table_of, wanted
from gough.studies.run import run_one

ENDS = ("base", "platform")
TOLERANCES = {"legs[*].length_offset": "50 um"}


@pytest.fixture(scope="module")
def results():
    asked = {"quantities": ["all", "rotation"]}
    return run_one(study(tolerances=TOLERANCES, outputs=asked))


@pytest.fixture(scope="module")
def model(results):
    return gough.Model(results.robot)


@pytest.fixture(scope="module")
def state(results):
    return [results[name] for name in ("pose", "twist", "acceleration", "wrench")]


def directions(robot, pose):
    """(..., 6, 3) the legs from base to platform joint, by NumPy."""
    base, platform = (np.array([getattr(leg, end) for leg in robot.legs]) for end in ENDS)
    span = pose[..., None, :3] + platform @ gough.rotation(pose).as_matrix().swapaxes(-1, -2) - base
    return span / np.linalg.norm(span, axis=-1, keepdims=True)


def test_lengths_and_energies_are_those_of_the_model(results, model, state):
    pose, twist, acceleration, _ = state
    np.testing.assert_allclose(results["leg_length"], model.inverse_kinematics(pose), rtol=1e-13)
    expected = model.joint_acceleration(pose, twist, acceleration)
    np.testing.assert_allclose(results["leg_acceleration"], expected, atol=1e-12)
    np.testing.assert_allclose(results["energy"], model.energy(pose, twist), rtol=1e-12)


def test_reactions_are_in_their_places(results, model, state):
    expected = model.reactions(*state)
    np.testing.assert_allclose(results["joint_force"], expected.force, atol=1e-8)
    np.testing.assert_allclose(results["joint_moment"], expected.moment, atol=1e-8)


def test_angular_rates_of_legs_are_in_their_places(results, model, state):
    pose, twist, acceleration, _ = state
    omega = model.leg_angular_velocity(pose, twist)
    np.testing.assert_allclose(results["leg_angular_velocity"], omega, atol=1e-12)
    alpha = model.leg_angular_acceleration(pose, twist, acceleration)
    np.testing.assert_allclose(results["leg_angular_acceleration"], alpha, atol=1e-12)
    sizes = np.linalg.norm(alpha, axis=-1).max(axis=0)
    figure = results.summary["peak_leg_angular_acceleration"]
    np.testing.assert_allclose(figure.per_leg, sizes, rtol=1e-12)
    assert figure.unit == "rad/s^2"


def test_shares_are_in_their_places(results, model, state):
    parts, coupling = model.force_parts(*state), model.force_decomposition(*state)
    np.testing.assert_allclose(results["inertia_share"], parts.acceleration, atol=1e-8)
    for name in ("gravity", "velocity", "external"):
        np.testing.assert_allclose(results[f"{name}_share"], getattr(parts, name), atol=1e-8)
    for name in coupling._fields[1:]:
        np.testing.assert_allclose(results[f"{name}_share"], getattr(coupling, name), atol=1e-8)


def test_margins_and_power_by_hand(results):
    force, speed, length = (results[name] for name in ("force", "leg_speed", "leg_length"))
    np.testing.assert_allclose(results["power"], force * speed, rtol=1e-14)
    np.testing.assert_allclose(results["force_margin"], 1 - np.abs(force) / 2500, atol=1e-14)
    np.testing.assert_allclose(results["speed_margin"], 0.5 - np.abs(speed), atol=1e-14)
    nearer = np.minimum(length - 0.763, 1.163 - length)
    np.testing.assert_allclose(results["stroke_margin"], nearer, atol=1e-14)


def test_tilts_are_angles_between_a_leg_and_where_it_was_at_home(results):
    pose, home = results["pose"], np.array(results.robot.home)
    now, at_home = directions(results.robot, pose), directions(results.robot, home)
    cosine = np.einsum("tij,ij->ti", now, at_home)
    np.testing.assert_allclose(np.cos(results["joint_tilt"][:, ::2]), cosine, atol=1e-14)
    turned = gough.rotation(pose).as_matrix()  # since home, where the platform is upright
    carried = at_home @ turned.swapaxes(-1, -2)
    cosine = np.einsum("tij,tij->ti", now, carried)
    np.testing.assert_allclose(np.cos(results["joint_tilt"][:, 1::2]), cosine, atol=1e-14)


def test_positions_of_all_joints_are_those_of_the_model(results, model, state):
    expected = model.all_joints(*state[:3])
    np.testing.assert_allclose(results["joint_position"], expected.position, atol=1e-14)
    np.testing.assert_allclose(results["joint_speed"], expected.velocity, atol=1e-12)


def test_a_limit_that_only_some_legs_state_is_nan_for_the_others(results):
    robot = results.robot.to_dict()
    stated = {limit: robot["leg"].pop(limit) for limit in ("max_force", "max_speed", "stroke")}
    for leg in robot["legs"][::2]:
        leg.update(stated)
    found = run_one(study(robot=robot))
    for name in ("force_margin", "speed_margin", "stroke_margin"):
        assert np.isfinite(found[name][:, ::2]).all()
        assert np.isnan(found[name][:, 1::2]).all()


@pytest.mark.parametrize("group", [g for g in GROUPS if g != VIBRATION])
def test_a_quantity_is_the_same_whatever_else_is_asked(group, results):
    alone = run_one(study(outputs={"quantities": [group]}, tolerances=TOLERANCES))
    assert set(alone) == wanted([group]).intersection(table_of(results.robot))
    for name in alone:
        np.testing.assert_allclose(alone[name], results[name], rtol=1e-10, atol=1e-9)
