"""Matrices of finite elements beside a robot file: formats, units, nodes, and what is refused."""

import re

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import coo_matrix

import gough
from tests.samples.cubic import cubic

DRAWN = np.random.default_rng(5).normal(size=(18, 18))
HELD = DRAWN @ DRAWN.T * 1e-8
"""The compliance of a platform whose frame is held [m/N]."""


def motions(robot, end="platform"):
    rows = [[np.eye(3), -np.cross(np.eye(3), getattr(leg, end))] for leg in robot.legs]
    return np.block(rows)


def free_platform(robot, held=HELD, metre=1.0):
    """The stiffness of a free platform (24, 24), lengths in a unit of so many metres."""
    against = np.hstack([np.eye(18), -motions(robot)])  # joints against the frame
    K = against.T @ np.linalg.inv(held) @ against
    by_way = np.r_[np.full(21, metre), np.ones(3)]
    return K * np.outer(np.r_[np.ones(21), np.full(3, 1 / metre)], by_way)


def with_file(folder, name="platform.csv", end="platform", **given):
    """The cube whose robot file names a file beside it."""
    table = {"file": name, "quantity": "stiffness", "unit": "m", **given}
    data = cubic().to_dict() | {"flexibility": {end: table}}
    path = folder / "robot.json"
    gough.save(cubic(), path)
    return gough.Robot.from_dict(data, file=path)


def matrix_of(robot, end="platform"):
    return np.array(getattr(robot.flexibility, end))


def test_a_free_platform_in_millimetres_has_the_compliance_of_its_joints(tmp_path):
    np.savetxt(tmp_path / "platform.csv", free_platform(cubic(), metre=1e-3), delimiter=";")
    found = matrix_of(with_file(tmp_path, unit="mm"))
    np.testing.assert_allclose(found, HELD, rtol=1e-7, atol=1e-7 * HELD.max())


@pytest.mark.parametrize("name", ["held.csv", "held.mtx", "sparse.mtx", "held.npy"])
def test_all_formats_say_the_same(tmp_path, name):
    K = np.linalg.inv(HELD)
    np.savetxt(tmp_path / "held.csv", K, delimiter=",", header="made by hand")
    mmwrite(tmp_path / "held.mtx", K)
    mmwrite(tmp_path / "sparse.mtx", coo_matrix((K + K.T) / 2), symmetry="symmetric")
    np.save(tmp_path / "held.npy", K)
    for end in ("base", "platform"):
        found = matrix_of(with_file(tmp_path, name, end), end)
        np.testing.assert_allclose(found, HELD, rtol=1e-7, atol=1e-7 * HELD.max())


def test_a_frame_of_six_coordinates_in_inches(tmp_path):
    inch, C = 0.0254, HELD[:6, :6]
    scale = np.outer([1 / inch] * 3 + [1] * 3, [1] * 3 + [inch] * 3)
    np.savetxt(tmp_path / "base.csv", C * scale)
    found = matrix_of(
        with_file(tmp_path, "base.csv", "base", quantity="compliance", unit="in"), "base"
    )
    np.testing.assert_allclose(found, C, rtol=1e-9, atol=1e-20)


def test_the_numbers_are_part_of_the_robot_and_the_file_stays_beside_it(tmp_path):
    np.save(tmp_path / "platform.npy", np.linalg.inv(HELD))
    robot = with_file(tmp_path, "platform.npy")
    assert robot.fingerprint != cubic().fingerprint
    gough.save(robot, tmp_path / "robot.json")
    assert '"platform.npy"' in (tmp_path / "robot.json").read_text()
    assert gough.load(tmp_path / "robot.json") == robot
    assert gough.Robot.from_dict(robot.to_dict()) == robot
    (tmp_path / "elsewhere").mkdir()
    gough.save(robot, tmp_path / "elsewhere" / "robot.toml")
    assert gough.load(tmp_path / "elsewhere" / "robot.toml") == robot
    np.save(tmp_path / "platform.npy", 2 * np.linalg.inv(HELD))
    assert gough.load(tmp_path / "robot.json").fingerprint != robot.fingerprint
    (tmp_path / "platform.npy").unlink()
    gough.save(robot, tmp_path / "alone.json")  # what it was made from is gone: written in full
    assert gough.load(tmp_path / "alone.json") == robot
    with pytest.raises(
        gough.RobotError, match=r"flexibility.platform: .*platform.npy: no such file"
    ):
        gough.load(tmp_path / "robot.json")


def swapped(matrix):
    order = [*range(3, 6), *range(3), *range(6, 24)]
    return matrix[np.ix_(order, order)]


FREE = free_platform(cubic())


def held_nowhere(end):
    """The stiffness of joints that nothing holds: rigid motions take no force."""
    K, T = np.linalg.inv(HELD), motions(cubic(), end)
    return K - K @ T @ np.linalg.solve(T.T @ K @ T, T.T @ K)


@pytest.mark.parametrize(
    ("matrix", "given", "words"),
    [
        (swapped(FREE), {}, "not of a free platform with the joints of this robot"),
        (FREE, {"unit": "mm"}, "not of a free platform.*order of the legs.*the given unit"),
        (FREE, {"quantity": "compliance"}, "a free platform has none"),
        (FREE, {"end": "base"}, "a 24x24 matrix; expected 6x6 or 18x18 of a base"),
        (held_nowhere("platform"), {}, "a free platform: its stiffness does not say.*24x24"),
        (held_nowhere("base"), {"end": "base"}, "a free base.*foundation"),
        (np.diag([1.0] * 17 + [0.0]), {}, "not positive definite"),
        (-np.eye(18), {}, "not positive definite"),
        (-np.eye(18), {"quantity": "compliance"}, "not positive semi-definite"),
        (np.eye(18) + np.eye(18, k=2), {}, "not symmetric: 1 in row 1, column 3; expected 0"),
        (np.eye(12), {}, "a 12x12 matrix; expected 6x6 or 18x18 or 24x24"),
        (np.ones((3, 4)), {}, "3 x 4 numbers; expected a square matrix"),
        (np.diag([np.nan] * 18), {}, "not all numbers are finite"),
    ],
)  # fmt: skip
def test_matrices_that_are_none_of_the_frame_are_refused(tmp_path, matrix, given, words):
    np.savetxt(tmp_path / "platform.csv", matrix, delimiter=",")
    with pytest.raises(gough.RobotError) as refused:
        with_file(tmp_path, **given)
    assert refused.value.key == f"flexibility.{given.get('end', 'platform')}"
    assert re.search(words, refused.value.problem)


def _npy(kind, shape):
    """The text of a file of NumPy with 64 bytes of zeros, whatever its header says."""
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return f"\x93NUMPY\x01\x00{chr(len(header))}\x00{header}" + "\0" * 64


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "1, 2\n3\n", "line 2 has 1 numbers; expected 2"),
        ("a.csv", "x, y\n1, 2\n", "line 1 is not a row of numbers"),
        ("a.csv", "", "expected a square matrix"),
        ("a.mtx", "1 2 3\n", "not a real matrix of the Matrix Market"),
        (
            "a.mtx",
            "%%MatrixMarket matrix array real general\n99999 99999\n1\n",
            "at most 1000 rows",
        ),
        ("a.npy", "no array", "not an array of numbers"),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n9 9 4000000000\n1 1 1\n",
            "3 numbers of entries; expected 12,000,000,000, as it says",
        ),
        ("a.npy", _npy("<f8", (10**6, 10**6)), "64 bytes of numbers; expected 8,000,000,000,000"),
        ("a.npy", _npy("<c16", (2, 2)), "numbers of kind <c16; expected a matrix of real"),
        ("a.npy", _npy("|O", (8,)), r"numbers of kind \|O"),
        ("a.xlsx", "", 'unknown kind of file ".xlsx"'),
        ("b.csv", None, "no such file"),
    ],
)
def test_files_without_a_matrix_are_refused(tmp_path, name, content, words):
    if content is not None:
        (tmp_path / name).write_bytes(content.encode("latin-1"))
    with pytest.raises(gough.RobotError) as refused:
        with_file(tmp_path, name)
    assert refused.value.key.startswith("flexibility.platform")
    assert re.search(words, refused.value.problem)
