"""Singular values of matrices that are made of known ones: clusters, wide ranges, no rank."""

import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.model.singular_values import singular_values

COUNT = 500


@pytest.fixture(scope="module")
def kernels():
    """With right vectors, and without."""
    J, values = Argument("J", (6, 6)), Argument("values", (6,))

    def with_vectors(J):
        return singular_values(J, vectors=True)

    def alone(J):
        return singular_values(J)[0]

    return (
        Kernel(Function.from_equation("both", with_vectors, [J], [values, Argument("V", (6, 6))])),
        Kernel(Function.from_equation("values", alone, [J], [values])),
    )


def spread(rng):
    return 10.0 ** rng.uniform(-6, 0, (COUNT, 6))


def one_cluster(rng):
    return 1 + 10.0 ** rng.uniform(-16, 0, (COUNT, 6))


def two_clusters(rng):
    return [2, 2, 2, 1, 1, 1] * (1 + 10.0 ** rng.uniform(-16, -3, (COUNT, 6)))


def pairs(rng):
    return np.repeat(rng.uniform(0.01, 3, (COUNT, 3)), 2, axis=1)


def one_nearly_zero(rng):
    values = rng.uniform(0.5, 2, (COUNT, 6))
    values[:, 5] = 10.0 ** rng.uniform(-15, -3, COUNT)
    return values


@pytest.mark.parametrize("kind", [spread, one_cluster, two_clusters, pairs, one_nearly_zero])
def test_values_are_those_that_the_matrix_was_made_of(kind, kernels):
    rng = np.random.default_rng(3)
    values = -np.sort(-kind(rng), axis=1)
    left, right = np.linalg.qr(rng.normal(size=(2, COUNT, 6, 6)))[0]
    J = (left * values[:, None]) @ right
    largest = values[:, :1]
    both, alone = kernels
    found, V = both(J)
    np.testing.assert_allclose(found / largest, values / largest, atol=5e-15)
    np.testing.assert_allclose(alone(J) / largest, values / largest, atol=5e-15)
    np.testing.assert_allclose(V.swapaxes(1, 2) @ V, np.tile(np.eye(6), (COUNT, 1, 1)), atol=1e-14)
    images = J @ V / largest[..., None]
    products = images.swapaxes(1, 2) @ images  # of what the vectors become: at right angles too
    squares = (values / largest)[:, None] ** 2 * np.eye(6)
    np.testing.assert_allclose(products, squares, atol=1e-14)


def test_columns_of_very_different_size_keep_their_digits(kernels):
    rng = np.random.default_rng(4)
    orthogonal = np.linalg.qr(rng.normal(size=(COUNT, 6, 6)))[0]
    sizes = -np.sort(-(10.0 ** rng.uniform(-30, 0, (COUNT, 6))), axis=1)
    J = (orthogonal * sizes[:, None])[:, :, rng.permutation(6)]
    np.testing.assert_allclose(kernels[1](J), sizes, rtol=1e-14)


def test_what_is_not_finite_has_no_values_and_zero_has_zeros(kernels):
    J = np.stack([np.full((6, 6), np.nan), np.full((6, 6), np.inf), np.zeros((6, 6)), np.eye(6)])
    found = kernels[1](J)
    assert np.isnan(found[:2]).all()
    np.testing.assert_array_equal(found[2:], [[0.0] * 6, [1.0] * 6])
