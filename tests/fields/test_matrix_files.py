"""Matrices in files: those of the Matrix Market as SciPy writes and reads them."""

import numpy as np
import pytest
from scipy.io import mmread, mmwrite
from scipy.sparse import coo_array

from gough.errors import InputError
from gough.fields.matrix_files import read_matrix


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", [float, int])
def test_a_matrix_is_read_as_scipy_does(tmp_path, symmetry, sparse, kind):
    rng = np.random.default_rng(1)
    A = np.round(rng.uniform(-9, 9, (5, 5)) * (rng.random((5, 5)) < 0.6), 3).astype(kind)
    A = {"general": A, "symmetric": A + A.T, "skew-symmetric": A - A.T}[symmetry]
    path = tmp_path / "a.mtx"
    mmwrite(path, coo_array(A) if sparse else A, comment="made\nby hand", symmetry=symmetry)
    np.testing.assert_array_equal(read_matrix(path), A)
    again = mmread(path, spmatrix=False)
    np.testing.assert_array_equal(read_matrix(path), again.toarray() if sparse else again)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "<i8", ">i4", "u1", "i1", "f2"])
def test_an_array_of_numpy_is_read_as_numpy_does(tmp_path, order, kind):
    A = np.asarray([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype=kind, order=order)
    np.save(tmp_path / "a.npy", A)
    found = read_matrix(tmp_path / "a.npy")
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, A)


def test_entries_of_one_place_add_up(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 1 3\n2 2 1\n")
    np.testing.assert_array_equal(read_matrix(path), [[5.0, 0.0], [0.0, 1.0]])


def test_a_symmetric_matrix_that_is_written_on_both_sides_is_refused_and_not_doubled(tmp_path):
    path = tmp_path / "k.mtx"
    head = "%%MatrixMarket matrix coordinate real symmetric\n2 2"
    path.write_text(f"{head} 3\n1 1 2\n1 2 3\n2 2 1\n")
    np.testing.assert_array_equal(read_matrix(path), [[2, 3], [3, 1]])
    path.write_text(f"{head} 4\n1 1 2\n1 2 3\n2 1 3\n2 2 1\n")
    with pytest.raises(InputError) as refused:
        read_matrix(path)
    assert (refused.value.value, refused.value.expected) == ([2, 1], "those of one side")
