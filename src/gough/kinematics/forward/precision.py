"""What counts as small in a search for a pose, for numbers with so many digits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Precision:
    """Bounds of a search. Lengths are in sizes of the machine, angles in radians."""

    tolerance: float
    """A last step this small leaves a residual of the order of its square: rounding error."""
    degenerate: float
    """A pivot of J (lengths over the machine's size) below which a step is only rounding error."""
    singular: float
    """A pivot below which a pose is not determined by q to half of the digits."""
    slack: float
    """How much q may miss a bound by: above rounding, below play."""


DOUBLE = Precision(tolerance=1e-8, degenerate=1e-12, singular=1e-7, slack=1e-9)
SINGLE = Precision(tolerance=1e-4, degenerate=3e-6, singular=1e-3, slack=1e-5)
