"""Bounds of a search for a pose: its steps, and what is small for numbers with so many digits."""

from __future__ import annotations

from dataclasses import dataclass

STRIDE = 0.3
"""The longest step: it does not touch Newton's last steps, and tames his first ones."""
AT_MOST = 30
"""Enough for convergence to halve the error in each step, as it does towards a singularity."""


@dataclass(frozen=True)
class Precision:
    """What counts as small. Lengths are in sizes of the machine, angles in radians."""

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
