"""Study coordinates: legs' conditions, derivatives, poses, series, elimination."""

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.assembly import study
from gough.equations.assembly.study import ORDER, LinearAlgebra, Pencil, taylor_series
from gough.equations.solvers import complex_number
from gough.equations.solvers.complex_number import Complex, from_pairs, real, to_pairs
from gough.equations.spatial.attitude import quaternion_product

X = Argument("x", (8,))
POSE = Argument("pose", (7,))
LINEAR = LinearAlgebra(complex_number.factorise, complex_number.solve)


def kernel(equation, inputs, *outputs):
    return Kernel(Function.from_equation("tested", equation, inputs, outputs))


def study_point(pose):
    """(e, g) of a pose, with e·e = 1 and g = t e / 2."""
    e = pose[3:7] / ca.norm_2(pose[3:7])
    t = ca.vertcat(0, pose[0:3])
    return ca.vertcat(e, quaternion_product(t, e) / 2)


def random_poses(rng, n):
    return rng.normal(size=(n, 7))


def test_poses_and_points_belong_to_each_other():
    rng = np.random.default_rng(0)
    poses = random_poses(rng, 50)
    points = kernel(study_point, [POSE], X)(poses)
    np.testing.assert_allclose(np.vecdot(points[:, :4], points[:, 4:]), 0, atol=1e-15)
    back = kernel(study.pose_of_study_point, [X], POSE)(3 * points)
    unit = poses[:, 3:] / np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    unit *= np.sign(unit[:, :1])
    np.testing.assert_allclose(back, np.hstack([poses[:, :3], unit]), atol=1e-14)


def test_a_legs_condition_is_its_squared_length():
    def equation(pose, base, platform):
        x = real(study_point(pose))
        monomials = (study.gradients(x) @ x).re / 2
        leg = study.rotation(pose) @ platform + pose[0:3] - base
        return 4 * ca.dot(study.leg_coefficients(base, platform), monomials), ca.dot(leg, leg)

    joint = [Argument("base", (3,)), Argument("platform", (3,))]
    condition = kernel(equation, [POSE, *joint], Argument("found"), Argument("square"))
    rng = np.random.default_rng(1)
    found, square = condition(random_poses(rng, 99), *rng.normal(size=(2, 99, 3)))
    np.testing.assert_allclose(found, square, rtol=1e-12)


def test_coefficients_are_within_their_bounds():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 99, 3))
    inputs = [Argument("base", (3,)), Argument("platform", (3,))]
    c = kernel(study.leg_coefficients, inputs, Argument("c", (17,)))(a, b)
    bounds = kernel(study.leg_coefficient_bounds, inputs, Argument("c", (17,)))
    assert (np.abs(c) <= bounds(a, b) * (1 + 1e-15)).all()
    np.testing.assert_allclose(  # they are what the coefficients become without cancellation
        bounds(np.abs(a), np.abs(b))[:, [4, 5, 6]], np.abs(cross_terms(a, b)), rtol=1e-14
    )


def cross_terms(a, b):
    i, j = [1, 0, 0], [2, 2, 1]
    a, b = np.abs(a), np.abs(b)
    return a[:, i] * b[:, j] + a[:, j] * b[:, i]


def test_the_solution_of_a_complex_system_is_numpys():
    def equation(A_re, A_im, b):
        factors = complex_number.factorise(Complex(A_re, A_im))
        return to_pairs(complex_number.solve(*factors, from_pairs(b)))

    matrix = [Argument("A_re", (8, 8)), Argument("A_im", (8, 8))]
    solve = kernel(equation, [*matrix, Argument("b", (8, 2))], Argument("x", (8, 2)))
    rng = np.random.default_rng(3)
    A = rng.normal(size=(64, 8, 8)) + 1j * rng.normal(size=(64, 8, 8))
    A[:20, 0, 0] = 0  # a first pivot that must be exchanged
    b = rng.normal(size=(64, 8, 2))
    found = solve(A.real, A.imag, b) @ [1, 1j]
    expected = np.linalg.solve(A, (b @ [1, 1j])[..., None])[..., 0]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("h", [0.01, 0.02])
def test_the_series_solves_the_conditions_up_to_its_order(h):
    """With h twice as large, what is left grows by two to the power of one order more."""

    def equation(x, start, change, h):
        pencil = Pencil(_matrix(start), _matrix(change))
        series = taylor_series(pencil, from_pairs(x), ca.SX(0), LINEAR)
        point = series[0]
        for k in range(1, ORDER + 1):
            point = point + series[k].scaled(h**k)
        values = study.jacobian(pencil.at(h), point) @ point
        return to_pairs(values)

    rng = np.random.default_rng(4)
    x, start, change = solution(rng)
    matrix = Argument("start", (6, 17, 2))
    inputs = [Argument("x", (8, 2)), matrix, Argument("change", (6, 17, 2)), Argument("h")]
    left = kernel(equation, inputs, Argument("values", (7, 2)))
    size = np.abs(left(pairs(x), pairs(start), pairs(change), h)).max()
    twice = np.abs(left(pairs(x), pairs(start), pairs(change), 2 * h)).max()
    assert np.log2(twice / size) == pytest.approx(ORDER + 1, abs=0.3)


def solution(rng):
    """A point of length one, coefficients that it solves, and any change of them."""
    e, g = rng.normal(size=(2, 4, 2)) @ [1, 1j]
    g -= e * (e @ g) / (e @ e)
    x = np.concatenate([e, g])
    x /= np.linalg.norm(x)
    i, j = np.triu_indices(4, 1)
    e, g = x[:4], x[4:]
    m = np.concatenate([[e @ e], e[1:] ** 2, e[i] * e[j], g[i] * e[j] - g[j] * e[i], [g @ g]])
    start, change = rng.normal(size=(2, 6, 17, 2)) @ [1, 1j]
    start -= np.outer(start @ m, m.conj()) / (m.conj() @ m)
    return x, start, change


def pairs(z):
    return np.stack([z.real, z.imag], -1)


def _matrix(c):
    return Complex(*(ca.reshape(c[:, part], 17, 6).T for part in (0, 1)))
