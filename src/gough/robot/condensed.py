"""Base and platform from finite elements: a matrix that is condensed to their joints, in a file.

A stiffness becomes a compliance of the joints: of the base on its foundation, of the platform with
its frame held. That of a free platform has six rigid-body motions without force: with the frame
among its nodes they show whether the nodes are those of the robot, and holding the frame removes
them.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from gough.arrays import Array
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError, named_by
from gough.fields.matrix_files import KINDS, read_matrix
from gough.fields.quantities import Compliance
from gough.fields.table import entry, optional, read
from gough.fields.values import Integer, OneOf
from gough.robot.elastic import Flexibility, PlatformModes
from gough.robot.mesh import METRES, checked_suffix
from gough.robot.record import Record

FRAME = 6  # number of components of translation and rotation of a frame
_ROUNDED = 1e-5
"""Relative error of symmetry and of zeros that is accepted from files with few digits."""
_SINGULAR = 1e-12


class MassFile(Record):
    """The mass matrix of a platform from finite elements, beside its stiffness.

    Both have coordinates of inner nodes behind those of the joints and the frame. Units go with
    those of the stiffness: kg where the length is m, t where it is mm.
    """

    file: str = entry("A file as that of the stiffness.", min_length=1)
    modes: Annotated[int, Integer(0, 100)] = entry(
        "Maximum number of natural modes, joints and frame held, to which it is reduced.", 6
    )

    def _check(self) -> None:
        checked_suffix(self.file, KINDS)


class MatrixFile(Record):
    """A matrix of a frame, condensed to its joints by a program of finite elements.

    Joints have their translations x, y, z, leg by leg (18x18). Forces are in N, rotations in rad,
    axes those of the frame.
    """

    file: str = entry(
        "A CSV, Matrix Market (.mtx) or NumPy (.npy) file; its path is relative to the folder of "
        "the robot file.",
        min_length=1,
    )
    quantity: Annotated[str, OneOf(("stiffness", "compliance"))] = entry(
        "Whether it gives forces by displacements or displacements by forces."
    )
    unit: Annotated[str, OneOf(tuple(METRES))] = entry(
        "Length unit of the file: mm for N/mm and N mm."
    )

    def _check(self) -> None:
        checked_suffix(self.file, KINDS)


class PlatformFile(MatrixFile):
    """A matrix of the platform, condensed as that of a base.

    A free platform has the translation and rotation of its frame after those of joints (24x24).
    """

    mass: MassFile | None = optional(
        "Mass matrix of a free platform, of the coordinates of its stiffness; left out, its "
        "deformation moves no mass."
    )


def _or_file(kind: type[MatrixFile]) -> BeforeValidator:
    return BeforeValidator(
        lambda x: read(kind if isinstance(x, Mapping | MatrixFile) else Compliance, x),
        json_schema_input_type=Compliance | kind,
    )


class WrittenFlexibility(Record):
    """Compliance of base and platform themselves, in addition to the legs.

    Each is a compliance, displacements [m, rad] by forces and moments [N, N m]: a matrix or its
    diagonal, where zero is rigid; or a file. A 6x6 moves all joints of a frame together; an 18x18
    is that of the joints' translations x, y, z, leg by leg, under forces on them.
    """

    base: Annotated[Any, _or_file(MatrixFile)] | None = optional(
        Flexibility.model_fields["base"].description
    )
    platform: Annotated[Any, _or_file(PlatformFile)] | None = optional(
        Flexibility.model_fields["platform"].description
    )
    platform_modes: PlatformModes | None = optional(
        Flexibility.model_fields["platform_modes"].description
    )


def flexibility_of(written: WrittenFlexibility, legs: Sequence[PlainMapping]) -> PlainData:
    """Return the arguments of `Flexibility`: matrices instead of files."""
    found: PlainData = {"platform_modes": written.platform_modes}
    for end in ("base", "platform"):
        given, joints = getattr(written, end), [leg.get(end) for leg in legs]
        if isinstance(given, MatrixFile) and None not in joints:  # else the legs complain
            with named_by(f"flexibility.{end}"):
                if isinstance(given, PlatformFile) and given.mass is not None:
                    given, modes = _with_mass(given, given.mass, np.array(joints))
                    found["platform_modes"] = modes
                else:
                    given = _compliance(given, np.array(joints), end).tolist()
        found[end] = given
    return found


def _compliance(given: MatrixFile, joints: Array, end: str) -> Array:
    """The compliance of a file [m/N, rad/N, rad/(N m)]; joints (n, 3) [m] are the robot's."""
    path = Path(given.file)
    matrix = _symmetric(read_matrix(path), path)
    n, size = joints.size, len(matrix)
    known = (FRAME, n, n + FRAME) if end == "platform" else (FRAME, n)
    if size not in known:
        expected = " or ".join(f"{k}x{k}" for k in known)
        raise InputError(f"a {size}x{size} matrix", file=path, expected=f"{expected} of a {end}")
    scale = _scale(n if size >= n else 0, size != n, METRES[given.unit])
    if given.quantity == "compliance":
        if size > n:
            problem = f"a compliance of {size} coordinates: a free platform has none"
            expected = f"its stiffness, or the {n}x{n} compliance with the frame held"
            raise InputError(problem, file=path, expected=expected)
        return matrix * np.outer(scale, scale)
    stiffness = matrix / np.outer(scale, scale)
    if size > n:
        _check_nodes(stiffness, joints, path)
        stiffness = stiffness[:n, :n]  # the frame held
    elif size == n and _resistance(stiffness, _rigid_motions(joints)) < _ROUNDED:
        problem = f"a free {end}: its stiffness does not say where it is held"
        raise InputError(problem, file=path, expected=_HELD[end].format(n=n, more=n + FRAME))
    return _inverse(stiffness, path)


def _with_mass(
    given: PlatformFile, mass: MassFile, joints: Array
) -> tuple[list[list[float]], PlainData]:
    """The compliance of a free platform, and its `PlatformModes` [Craig & Bampton 1968]."""
    from scipy.linalg import LinAlgError, eigh  # noqa: PLC0415  (slow to import)

    paths, n = (Path(given.file), Path(mass.file)), joints.size
    K, M = (_symmetric(read_matrix(path), path) for path in paths)
    if given.quantity != "stiffness" or len(K) < n + FRAME or len(M) != len(K):
        problem = f"a {given.quantity} of {len(K)} coordinates and a mass of {len(M)}"
        expected = f"stiffness and mass of a free platform, {n + FRAME} or more coordinates each"
        raise InputError(problem, key="mass", file=paths[1], expected=expected)
    inner, metre = len(K) - n - FRAME, METRES[given.unit]
    scale = np.r_[_scale(n, True, metre), np.full(inner, metre**0.5)]
    K, M = (matrix / np.outer(scale, scale) for matrix in (K, M))
    rest = slice(n + FRAME, None)
    try:  # amplitudes by which the inner nodes move most for their stiffness
        softness, shapes = eigh(M[rest, rest], K[rest, rest])
    except (LinAlgError, ValueError) as error:
        problem, expected = "inner nodes are loose", "nodes that joints and frame hold in place"
        raise InputError(problem, file=paths[0], expected=expected) from error
    heavy = softness > _SINGULAR * np.abs(softness).max(initial=0.0)
    chosen = np.flatnonzero(heavy)[::-1][: mass.modes]
    modes = np.vstack(
        [np.zeros((n + FRAME, len(chosen))), shapes[:, chosen] / softness[chosen] ** 0.5]
    )
    static = np.vstack([np.eye(n + FRAME), -np.linalg.solve(K[rest, rest], K[rest, : n + FRAME])])
    stiffness = static.T @ K @ static
    _check_nodes(stiffness, joints, paths[0])
    rigid = np.vstack([_rigid_motions(joints), np.eye(FRAME)])
    Z = np.hstack([static @ rigid, static[:, :n], modes])
    frequencies = 1 / (2 * np.pi * softness[chosen] ** 0.5)
    found = {"mass": (Z.T @ M @ Z).tolist(), "frequencies": frequencies.tolist()}
    return _inverse(stiffness[:n, :n], paths[0]).tolist(), found


_HELD = {
    "base": "the matrix of a base on its foundation",
    "platform": "the {n}x{n} matrix with the platform frame held, or the {more}x{more} one with "
    "translation and rotation of the frame's origin after the joints",
}


def _symmetric(matrix: Array, path: Path) -> Array:
    unit = _units(matrix)
    apart = np.abs(matrix - matrix.T) / np.outer(unit, unit)
    if apart.max() > _ROUNDED:
        i, j = np.unravel_index(apart.argmax(), apart.shape)
        problem = f"not symmetric: {matrix[i, j]:.6g} in row {i + 1}, column {j + 1}"
        expected = f"{matrix[j, i]:.6g}, as in row {j + 1}, column {i + 1}"
        raise InputError(problem, file=path, expected=expected)
    return (matrix + matrix.T) / 2


def _scale(ways: int, frame: bool, metre: float) -> Array:
    """Factors of the rows and columns of a compliance that convert it to m, N and rad.

    Translations by forces are lengths, rotations by moments reciprocal lengths.
    """
    turned = [metre**0.5] * 3 + [metre**-0.5] * 3
    return np.array([metre**0.5] * ways + (turned if frame else []))


def _rigid_motions(joints: Array) -> Array:
    """Translations of all joints by translation and rotation of their frame (n, 6)."""
    return np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), joint)]) for joint in joints])


def _check_nodes(stiffness: Array, joints: Array, path: Path) -> None:
    """Refuse a free platform whose rigid-body motions are not those of the robot's nodes."""
    share = _resistance(stiffness, np.vstack([_rigid_motions(joints), np.eye(FRAME)]))
    if share > _ROUNDED:
        raise InputError(
            f"not of a free platform with the joints of this robot: their rigid-body motions take "
            f"{100 * share:.3g} % of the forces of the stiffest motion",
            file=path,
            expected="its joints in the order of the legs, then translation and rotation of the "
            "platform frame's origin, in its axes and in the given unit, not held",
        )


def _resistance(stiffness: Array, motions: Array) -> float:
    """Maximum force of motions, relative to the force of their maximum coordinate alone."""
    unit = _units(stiffness)[:, None]
    return float((np.abs(stiffness @ motions / unit) / np.abs(unit * motions).max(0)).max())


def _inverse(stiffness: Array, path: Path) -> Array:
    unit = _units(stiffness)
    values = np.linalg.eigvalsh(stiffness / np.outer(unit, unit))
    if values[0] <= _SINGULAR * abs(values[-1]):
        problem = "the stiffness is not positive definite: some displacement needs no force"
        expected = "a frame that is held, and holds all of its joints"
        raise InputError(problem, file=path, expected=expected)
    found = np.linalg.inv(stiffness)
    return np.asarray((found + found.T) / 2)


def _units(matrix: Array) -> Array:
    """Factors that scale rows and columns of mixed units to similar sizes."""
    root = np.sqrt(np.abs(np.diag(matrix)))
    return np.where(root > 0, root, 1.0)
