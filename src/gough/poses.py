"""Poses from what people have (Euler angles, matrices, quaternions), and back.

A pose is an array (..., 7): x y z [m], qw qx qy qz. Everything here takes and gives batches.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from gough.errors import GoughError, clipped

Array = np.ndarray[Any, np.dtype[np.float64]]


def pose(
    position: Any,
    *,
    rpy: Any = None,
    euler: tuple[str, Any] | None = None,
    quaternion: Any = None,
    matrix: Any = None,
    rotation_vector: Any = None,
    rotation: Rotation | None = None,
    degrees: bool = False,
) -> Array:
    """A pose from a position [m] and one description of the attitude; none means no rotation.

    - `rpy`: roll, pitch, yaw about the fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll)
    - `euler`: a sequence and its angles, such as `("XYZ", [a, b, c])`; upper case for axes that
      turn with the platform, lower case for fixed ones, as in SciPy
    - `quaternion`: w x y z, of any length but zero
    - `matrix`: rotation matrices, `rotation_vector`: axis times angle, `rotation`: SciPy's

    Angles are in radians unless `degrees` is set.

    >>> pose([0, 0, 1], rpy=[0, 90, 0], degrees=True).round(3).tolist()
    [0.0, 0.0, 1.0, 0.707, 0.0, 0.707, 0.0]
    """
    given = {
        "rpy": rpy,
        "euler": euler,
        "quaternion": quaternion,
        "matrix": matrix,
        "rotation_vector": rotation_vector,
        "rotation": rotation,
    }
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise GoughError(f"the attitude is given twice: {', '.join(named)}; expected one of them")
    place = _numbers(position, "position", 3)
    turned = _attitude(named[0], given[named[0]], degrees) if named else Rotation.identity()
    quaternions = turned.as_quat(scalar_first=True)
    if not np.isfinite(quaternions).all():
        raise GoughError(f"{named[0]} has numbers that are too large")
    try:
        batch = np.broadcast_shapes(place.shape[:-1], quaternions.shape[:-1])
    except ValueError:
        raise GoughError(
            f"batches do not fit each other: position {place.shape}, "
            f"{named[0]} for {quaternions.shape[:-1]}"
        ) from None
    result = np.empty((*batch, 7))
    result[..., :3], result[..., 3:] = place, quaternions
    return result


def rotation(pose: Any) -> Rotation:
    """The attitude as a SciPy Rotation."""
    values = _numbers(pose, "pose", 7)
    return _from_quaternion(values[..., 3:])


def euler(pose: Any, sequence: str, *, degrees: bool = False) -> Array:
    """The Euler angles of a sequence, such as "XYZ" (turning axes) or "xyz" (fixed axes)."""
    _check_sequence(sequence)
    return np.asarray(rotation(pose).as_euler(sequence, degrees=degrees))


def _attitude(name: str, value: Any, degrees: bool) -> Rotation:
    if name == "rotation":
        if not isinstance(value, Rotation):
            raise GoughError(
                f"rotation is a {type(value).__name__}; expected SciPy's Rotation, or use matrix="
            )
        return value
    if name == "quaternion":
        return _from_quaternion(_numbers(value, name, 4))
    if name == "matrix":
        return _from_matrix(value)
    if name == "rotation_vector":
        return Rotation.from_rotvec(_numbers(value, name, 3), degrees=degrees)
    if name == "euler" and not (isinstance(value, tuple | list) and len(value) == 2):
        raise GoughError(
            f"euler is {clipped(repr(value), 80)}; "
            'expected a sequence and angles, ("XYZ", [a, b, c])'
        )
    sequence, angles = ("xyz", value) if name == "rpy" else value
    _check_sequence(sequence)
    return Rotation.from_euler(sequence, _numbers(angles, name, 3), degrees=degrees)


def _from_quaternion(quaternion: Array) -> Rotation:
    largest = np.abs(quaternion).max(axis=-1, keepdims=True)
    if not largest.all():
        raise GoughError("a quaternion is zero; expected any other (w, x, y, z)")
    return Rotation.from_quat(quaternion / largest, scalar_first=True)


def _from_matrix(value: Any) -> Rotation:
    matrix = _numbers(value, "matrix", 3)
    if matrix.shape[-2:] != (3, 3):
        raise GoughError(f"matrix has shape {matrix.shape}; expected (..., 3, 3)")
    if not (np.abs(matrix) < 2.0).all():
        raise GoughError("matrix is not a rotation: it has entries beyond 1")
    error = float(np.abs(matrix @ matrix.swapaxes(-1, -2) - np.eye(3)).max(initial=0.0))
    if error > 1e-6 or (np.linalg.det(matrix) < 0).any():
        raise GoughError(f"matrix is not a rotation: R Rᵀ differs from 1 by {error:.2g}")
    return Rotation.from_matrix(matrix)


def _check_sequence(sequence: str) -> None:
    letters = sequence if isinstance(sequence, str) else ""
    one_case = letters in (letters.upper(), letters.lower())
    known = len(letters) == 3 and set(letters.upper()) <= set("XYZ") and one_case
    if not known or any(a == b for a, b in itertools.pairwise(letters)):
        raise GoughError(
            f"unknown Euler sequence {clipped(repr(sequence), 80)}; expected three axes, no two "
            'neighbours equal, such as "XYZ" or "ZXZ" (turning axes) or "xyz" (fixed axes)'
        )


def _numbers(value: Any, name: str, size: int) -> Array:
    try:
        given = np.asarray(value)
    except ValueError:  # rows of different lengths
        given = np.asarray(None)
    if given.dtype.kind not in "iuf":
        raise GoughError(f"{name} is not an array of numbers: {clipped(repr(value), 80)}")
    array = given.astype(float)
    if array.ndim == 0 or array.shape[-1] != size:
        raise GoughError(f"{name} has shape {array.shape}; expected (..., {size})")
    if not np.isfinite(array).all():
        raise GoughError(f"{name} has entries that are not finite numbers")
    return array
