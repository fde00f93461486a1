"""Which matrices are the inertia of a rigid body, or the compliance of an elastic one."""

import numpy as np

from gough.arrays import Array
from gough.errors import InputError

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]
Rows = tuple[tuple[float, ...], ...]

TOLERANCE = 1e-9  # relative: thin rods and discs, which lie on the limit, must pass


def physical(inertia: Array, written: object) -> Rows:
    """Return the inertia, exactly symmetric, or say why no rigid body can have it."""
    scale = np.abs(inertia).max()
    if scale == 0.0:
        return _rows(inertia)
    I = inertia / scale
    if np.abs(I - I.T).max() > TOLERANCE:
        raise InputError("inertia not symmetric", value=written, expected="I[i][j] == I[j][i]")
    smallest, middle, largest = np.linalg.eigvalsh(I)
    if smallest < -TOLERANCE:
        expected = f"no negative principal moment (one is {smallest * scale:.6g})"
        raise InputError("inertia not positive semi-definite", value=written, expected=expected)
    if largest > smallest + middle + TOLERANCE:
        found = ", ".join(f"{x * scale:.6g}" for x in (smallest, middle, largest))
        problem = "inertia violates the triangle inequality"
        expected = f"no principal moment above the sum of the other two ({found})"
        raise InputError(problem, value=written, expected=expected)
    return _rows((inertia + inertia.T) / 2)


def passive(matrix: Array, written: object) -> Rows:
    """Return a matrix, exactly symmetric, or say why no springs can have it."""
    scale = np.abs(matrix).max() or 1.0
    if np.abs(matrix - matrix.T).max() > TOLERANCE * scale:
        raise InputError("not symmetric", value=written, expected="C[i][j] == C[j][i]")
    unit = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), 1.0))  # of mixed units
    least = np.linalg.eigvalsh(matrix / np.outer(unit, unit)).min()
    if least < -TOLERANCE:
        expected = "eigenvalues of at least zero"
        raise InputError("not positive semi-definite", value=written, expected=expected)
    return _rows((matrix + matrix.T) / 2)


def is_symmetric_about_z(inertia: Matrix) -> bool:
    """Tell whether any turn about z leaves the inertia as it is."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    return max(abs(xx - yy), abs(xy), abs(xz), abs(yz)) <= TOLERANCE * max(xx, yy, zz)


def _rows(matrix: Array) -> Rows:
    return tuple(map(tuple, matrix.tolist()))
