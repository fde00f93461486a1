"""The two models of Bingul and Karahan: their forces are those of Gough, their Jacobians differ."""

import itertools

import casadi as ca
import numpy as np
import pytest
from bingul_jacobians import MOTIONS, XD, XDD, X, error, leg_forces, model, reference, simulate
from scipy.spatial.transform import Rotation

import gough

STATE = np.array([0.004, -0.003, 0.252, 0.12, -0.09, 0.15])
RATES = np.array([0.02, 0.03, -0.01, 0.4, -0.5, 0.6])
SECOND = np.array([0.3, -0.2, 0.4, 2.0, 1.5, -1.0])


def pose(x):
    turn = Rotation.from_euler("YXZ", [x[4], x[3], x[5]])
    return np.concatenate([x[:3], np.roll(turn.as_quat(), 1)]), turn


def motion():
    """Pose, twist and acceleration of the state, by differences of rotations."""
    h = 1e-4
    places = [pose(STATE + k * h * RATES + (k * h) ** 2 / 2 * SECOND) for k in (-1, 0, 1)]
    omega = [(b[1] * a[1].inv()).as_rotvec() / h for a, b in itertools.pairwise(places)]
    twist = np.concatenate([RATES[:3], (omega[0] + omega[1]) / 2])
    return places[1][0], twist, np.concatenate([SECOND[:3], (omega[1] - omega[0]) / h])


@pytest.mark.parametrize("which", ["A", "B corrected"])
def test_forces_are_those_of_point_masses_in_gough(which):
    force = ca.Function("f", [X, XD, XDD], [leg_forces(which)])(STATE, RATES, SECOND)
    robot = gough.load("bingul-2012")
    expected = gough.Model(robot, formulation="point-mass-legs").inverse_dynamics(*motion())
    np.testing.assert_allclose(np.array(force)[:, 0], expected, rtol=1e-5)


def test_the_printed_jacobian_differs_where_the_platform_turns():
    jacobians = ca.Function("J", [X], [model(w).J for w in ("A", "B corrected", "B as printed")])
    a, b, printed = (np.array(one) for one in jacobians(STATE))
    np.testing.assert_allclose(a, b, atol=1e-15)
    assert np.abs(a - printed).max() > 1e-3
    level = np.array([0, 0, 0.26, 0, 0, 0])
    a, _, printed = (np.array(one) for one in jacobians(level))
    np.testing.assert_allclose(a, printed, atol=1e-15)


def test_motions_are_those_of_the_studies():
    t = np.linspace(0, 2, 9)
    for experiment in MOTIONS:
        known = gough.Study.load(f"studies/bingul-{experiment}.toml").motion(t).pose[:, :3]
        ours = [np.array(reference(experiment, float(s)))[:3, 0] for s in t]
        np.testing.assert_allclose(ours, known, atol=1e-12)


def test_both_models_follow_the_same_voltages_where_the_platform_does_not_turn():
    a, wanted = simulate("A", 1)
    assert error(a, wanted) < 1e-3  # mm
    assert error(a, simulate("B as printed", 1)[0]) < 1e-6
