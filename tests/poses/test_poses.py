"""Poses from every description of an attitude, and back."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough

SEQUENCES = [
    "".join(s)
    for letters in ("xyz", "XYZ")
    for s in product(letters, repeat=3)
    if s[0] != s[1] != s[2]
]


def test_there_are_twelve_sequences_of_each_kind():
    assert len(SEQUENCES) == 24


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_there_and_back(sequence):
    low, high = (
        ([-3, 0.1, -3], [3, 3, 3]) if sequence[0] == sequence[2] else ([-3, -1.5, -3], [3, 1.5, 3])
    )
    angles = np.random.default_rng(0).uniform(low, high, size=(50, 3))
    poses = gough.pose([1, 2, 3], euler=(sequence, angles))
    assert poses.shape == (50, 7)
    np.testing.assert_allclose(gough.euler(poses, sequence), angles, atol=1e-12)
    np.testing.assert_array_equal(poses[:, :3], np.broadcast_to([1, 2, 3], (50, 3)))


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_with_parallel_axes_turn_by_the_first_alone(sequence):
    quarters = np.pi / 2 * np.array(list(product(range(-1, 3), repeat=3)))
    poses = gough.pose([0, 0, 0], euler=(sequence, quarters))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Gimbal lock")
        expected = gough.rotation(poses).as_euler(sequence)
    found = gough.euler(poses, sequence)
    np.testing.assert_allclose(np.exp(1j * found), np.exp(1j * expected), atol=1e-12)
    assert (np.abs(found) <= np.pi).all()


def test_roll_pitch_yaw_are_about_fixed_axes():
    roll, pitch, yaw = 0.1, 0.2, 0.3
    matrix = gough.rotation(gough.pose([0, 0, 0], rpy=[roll, pitch, yaw])).as_matrix()

    def turn(axis, angle):
        return Rotation.from_euler(axis, angle).as_matrix()

    np.testing.assert_allclose(
        matrix, turn("z", yaw) @ turn("y", pitch) @ turn("x", roll), atol=1e-15
    )


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_all_descriptions_of_one_attitude_agree(batch):
    turned = Rotation.from_rotvec(np.random.default_rng(1).normal(size=(*batch, 3)))
    position = np.random.default_rng(2).normal(size=(*batch, 3))
    expected = gough.pose(position, rotation=turned)
    quaternion = turned.as_quat(scalar_first=True)
    same = [
        gough.pose(position, quaternion=3 * quaternion),
        gough.pose(position, matrix=turned.as_matrix()),
        gough.pose(position, rotation_vector=np.degrees(turned.as_rotvec()), degrees=True),
        gough.pose(position, euler=("ZXZ", turned.as_euler("ZXZ"))),
    ]
    for other in same:
        assert other.shape == (*batch, 7)
        flip = np.sign((other[..., 3:] * expected[..., 3:]).sum(-1, keepdims=True))
        np.testing.assert_allclose(other[..., 3:] * flip, expected[..., 3:], atol=1e-12)


def test_no_attitude_is_no_rotation():
    np.testing.assert_array_equal(gough.pose([1, 2, 3]), [1, 2, 3, 1, 0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rpy": [0, 0, 0], "quaternion": [1, 0, 0, 0]}, "given twice: rpy, quaternion"),
        ({"rpy": [0, 0]}, r"rpy has shape \(2,\); expected \(\.\.\., 3\)"),
        ({"euler": ("XXZ", [0, 0, 0])}, "unknown Euler sequence 'XXZ'"),
        ({"euler": ("XyZ", [0, 0, 0])}, "unknown Euler sequence 'XyZ'"),
        ({"quaternion": [0, 0, 0, 0]}, "a quaternion is zero"),
        ({"quaternion": [np.nan, 0, 0, 0]}, "quaternion has entries that are not finite"),
        ({"matrix": 2 * np.eye(3)}, "matrix is not a rotation"),
        ({"matrix": -np.eye(3)}, "matrix is not a rotation"),
        ({"matrix": np.ones((2, 3))}, r"expected \(\.\.\., 3, 3\)"),
        ({"rpy": "abc"}, "rpy is not an array of numbers"),
        (
            {"rotation": np.eye(3)},
            "rotation is a ndarray; expected SciPy's Rotation, or use matrix",
        ),
        ({"euler": "xyz"}, "euler is 'xyz'; expected a sequence and angles"),
    ],
)
def test_bad_attitudes_are_named(arguments, message):
    with pytest.raises(gough.GoughError, match=message):
        gough.pose([0, 0, 1], **arguments)


def test_batches_that_do_not_fit_are_named():
    with pytest.raises(gough.GoughError, match=r"position \(5,\), rpy \(4,\)"):
        gough.pose(np.zeros((5, 3)), rpy=np.zeros((4, 3)))


def test_a_bad_position_is_named():
    with pytest.raises(gough.GoughError, match=r"position has shape \(2,\)"):
        gough.pose([0, 1])
