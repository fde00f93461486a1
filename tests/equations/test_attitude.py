"""Attitudes against SciPy: all sequences, quaternions, rotation vectors, and their rates."""

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough.equations.spatial import attitude
from gough.equations.spatial.algebra import rotation

ANGLES, RATES = ca.SX.sym("angles", 3), ca.SX.sym("rates", 3)
A, DA = np.array([0.4, 0.7, -1.1]), np.array([0.3, -0.8, 0.5])


def evaluated(expression, *values):
    return np.array(ca.Function("f", [ANGLES, RATES], [expression])(*(values or (A, DA))))


def euler_rotation(sequence):
    return rotation(ca.vertcat(0, 0, 0, attitude.euler_quaternion(sequence, ANGLES)))


@pytest.mark.parametrize("sequence", attitude.EULER_SEQUENCES)
def test_euler_angles_are_scipys(sequence):
    expected = Rotation.from_euler(sequence, A).as_matrix()
    np.testing.assert_allclose(evaluated(euler_rotation(sequence)), expected, atol=1e-15)


@pytest.mark.parametrize("sequence", attitude.EULER_SEQUENCES)
def test_rate_matrices_give_the_angular_velocity(sequence):
    R = euler_rotation(sequence)
    R_dot = ca.reshape(ca.jtimes(ca.vec(R), ANGLES, RATES), 3, 3)
    turning = R_dot @ R.T
    omega = ca.vertcat(turning[2, 1], turning[0, 2], turning[1, 0])
    E = attitude.euler_rate_matrix(sequence, ANGLES)
    np.testing.assert_allclose(evaluated(E @ RATES), evaluated(omega), atol=1e-14)


@pytest.mark.parametrize("size", [0, 1e-300, 1e-9, 1e-3, 0.5, 0.999999, 1.000001, 3, 10])
def test_rotation_vectors_of_any_size_are_scipys(size):
    vector = size * np.array([0.48, -0.6, 0.64])
    expected = Rotation.from_rotvec(vector).as_matrix()
    np.testing.assert_allclose(
        evaluated(attitude.rotation_of_rotation_vector(ANGLES), vector, DA), expected, atol=1e-15
    )
    pose = ca.vertcat(0, 0, 0, attitude.quaternion_of_rotation_vector(ANGLES))
    np.testing.assert_allclose(evaluated(rotation(pose), vector, DA), expected, atol=1e-15)


def test_the_exponential_can_be_differentiated_at_zero():
    R = attitude.rotation_of_rotation_vector(ANGLES)
    rate = ca.reshape(ca.jtimes(ca.vec(R), ANGLES, RATES), 3, 3)
    expected = np.array(ca.skew(DA))
    np.testing.assert_allclose(evaluated(rate, np.zeros(3), DA), expected, atol=1e-15)
    second = ca.jacobian(rate[0, 0], ANGLES)
    assert np.isfinite(evaluated(second, np.zeros(3), DA)).all()


def test_the_quaternions_rate_turns_the_rotation():
    q = ca.vertcat(2.0, ANGLES)
    pose = ca.vertcat(0, 0, 0, q)
    R = rotation(pose)
    symbol = ca.SX.sym("q", 4)
    R_of = ca.substitute(rotation(ca.vertcat(0, 0, 0, symbol)), symbol, symbol)
    rate = ca.reshape(
        ca.substitute(
            ca.jtimes(ca.vec(R_of), symbol, attitude.quaternion_rate(symbol, RATES)), symbol, q
        ),
        3,
        3,
    )
    np.testing.assert_allclose(evaluated(rate), evaluated(ca.skew(RATES) @ R), atol=1e-14)


def test_an_unknown_sequence_is_refused():
    with pytest.raises(ValueError, match="unknown Euler sequence 'XYY'"):
        attitude.euler_quaternion("XYY", ANGLES)


def test_bingul_corrected_matrices_are_ours():
    """Errata to (19), (23), (28), (29): the rate matrix of the sequence Ry Rx Rz."""
    a, b, g = A[1], A[0], A[2]  # the paper's α about x, β about y, γ about z
    E = evaluated(attitude.euler_rate_matrix("YXZ", ANGLES))
    sa, ca_, sb, cb = np.sin(a), np.cos(a), np.sin(b), np.cos(b)
    np.testing.assert_allclose(E[:, 2], [sb * ca_, -sa, cb * ca_], atol=1e-15)
    W = evaluated(euler_rotation("YXZ")).T @ E
    sg, cg = np.sin(g), np.cos(g)
    expected = [[cg, sg * ca_, 0], [-sg, cg * ca_, 0], [0, -sa, 1]]  # (29): columns α, β, γ
    np.testing.assert_allclose(W[:, [1, 0, 2]], expected, atol=1e-15)
