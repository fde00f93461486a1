"""Symmetric matrices by six numbers: xx, yy, zz, xy, xz, yz."""

from __future__ import annotations

from typing import Any

import casadi as ca

UPPER = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])
"""Rows and columns of the six numbers."""


def tensor(six: Any) -> Any:
    """The 3x3 matrix of six numbers or symbols."""
    xx, yy, zz, xy, xz, yz = ca.vertsplit(six)
    return ca.blockcat([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
