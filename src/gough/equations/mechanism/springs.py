"""What yields in a machine of any kind: its drives, and joints that are flexures."""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Flexure:
    """A joint that resists its motion: about each axis, all ways, or along its slide."""

    joint: int
    """Its place in the description."""
    stiffness: Value
    """[N m/rad, N/m]."""
    line: int | None = None
    """Which one of all lines between ball joints it ends, whose bodies spin as they like."""


@dataclass(frozen=True)
class Springs:
    """All springs of a machine."""

    motors: tuple[Value, ...]
    """Stiffness of each driven joint with its motor held [N m/rad, N/m]."""
    flexures: tuple[Flexure, ...] = ()
