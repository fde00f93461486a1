"""Poses from Euler angles, matrices, quaternions and rotation vectors, and back."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError, clipped
from gough.poses.algebra import joined
from gough.poses.given import check_batches, check_quaternions, finite
from gough.poses.quaternions import euler_angles, of_euler, of_rotation_vector, unit

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def pose(
    position: ArrayLike,
    *,
    rpy: ArrayLike | None = None,
    euler: tuple[str, ArrayLike] | None = None,
    quaternion: ArrayLike | None = None,
    matrix: ArrayLike | None = None,
    rotation_vector: ArrayLike | None = None,
    rotation: Rotation | None = None,
    degrees: bool = False,
) -> Array:
    """Return a pose from a position [m] and one description of the orientation, if any.

    - `rpy`: roll, pitch, yaw about the fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll)
    - `euler`: a sequence and its angles, such as `("XYZ", [a, b, c])`; upper case for axes that
      rotate with the platform, lower case for fixed ones, as in SciPy
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
    place = finite(position, "position", 3)
    quaternions = _quaternion(named[0], given[named[0]], degrees) if named else NO_TURN
    check_batches(position=place.shape[:-1], **dict.fromkeys(named, quaternions.shape[:-1]))
    return joined(place, quaternions)


def rotation(pose: ArrayLike) -> Rotation:
    """Return the orientation as a SciPy Rotation.

    >>> import gough
    >>> float(gough.rotation(gough.pose([0, 0, 1], rpy=[0, 0, 0.5])).magnitude())  # [rad]
    0.5
    """
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

    return Rotation.from_quat(_attitude(pose), scalar_first=True)


def euler(pose: ArrayLike, sequence: str, *, degrees: bool = False) -> Array:
    """Return the Euler angles of a sequence, such as "XYZ" (intrinsic) or "xyz" (extrinsic).

    Where the middle angle makes the other two axes parallel, the third angle is zero.

    >>> import gough
    >>> pose = gough.pose([0, 0, 1], rpy=[0, 10, 0], degrees=True)
    >>> float(gough.euler(pose, "XYZ", degrees=True)[1].round(6))
    10.0
    """
    _check_sequence(sequence)
    angles = euler_angles(sequence, _attitude(pose))
    return np.degrees(angles) if degrees else angles


def _attitude(pose: ArrayLike) -> Array:
    """Unit quaternions (..., 4) of poses that are numbers."""
    quaternion = finite(pose, "pose", 7)[..., 3:]
    check_quaternions(quaternion)
    return unit(quaternion)


def _quaternion(name: str, value: Any, degrees: bool) -> Array:
    """Unit quaternions of one of the descriptions of an orientation."""
    if name == "rotation":
        return _of_scipy(value)
    if name == "matrix":
        from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

        matrix = finite(value, "matrix", 3)
        if matrix.shape[-2:] != (3, 3):
            raise GoughError(f"matrix has shape {matrix.shape}; expected (..., 3, 3)")
        if not (np.abs(matrix) < 2.0).all():
            raise GoughError("matrix is not a rotation: it has entries beyond 1")
        error = float(np.abs(matrix @ matrix.swapaxes(-1, -2) - np.eye(3)).max(initial=0.0))
        if error > 1e-6 or (np.linalg.det(matrix) < 0).any():
            raise GoughError(f"matrix is not a rotation: R Rᵀ differs from 1 by {error:.2g}")
        return _of_scipy(Rotation.from_matrix(matrix))
    if name == "quaternion":
        quaternion = finite(value, name, 4)
        check_quaternions(quaternion)
        return unit(quaternion)
    in_radians = np.radians if degrees else np.asarray
    if name == "rotation_vector":
        return of_rotation_vector(in_radians(finite(value, name, 3)))
    if name == "euler" and not (isinstance(value, tuple | list) and len(value) == 2):
        expected = 'a sequence and angles, ("XYZ", [a, b, c])'
        raise GoughError(f"euler is {clipped(repr(value), 80)}; expected {expected}")
    sequence, angles = ("xyz", value) if name == "rpy" else value
    _check_sequence(sequence)
    return of_euler(sequence, in_radians(finite(angles, name, 3)))


def _of_scipy(value: ArrayLike) -> Array:
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

    if not isinstance(value, Rotation):
        kind = type(value).__name__
        raise GoughError(f"rotation is a {kind}; expected SciPy's Rotation, or use matrix=")
    return np.asarray(value.as_quat(scalar_first=True))


def _check_sequence(sequence: str) -> None:
    letters = sequence if isinstance(sequence, str) else ""
    one_case = letters in (letters.upper(), letters.lower())
    known = len(letters) == 3 and set(letters.upper()) <= set("XYZ") and one_case
    if not known or any(a == b for a, b in itertools.pairwise(letters)):
        raise GoughError(
            f"unknown Euler sequence {clipped(repr(sequence), 80)}; expected three axes, no two "
            'neighbours equal, such as "XYZ" or "ZXZ" (turning axes) or "xyz" (fixed axes)'
        )
