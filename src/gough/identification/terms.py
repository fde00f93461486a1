"""Numbers that forces are linear in, beside what bodies weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.identification.states import States


@dataclass(frozen=True, eq=False)
class Terms:
    """Columns (T, n, k) beside the regressor, with their names and the robot's own numbers."""

    names: tuple[str, ...]
    columns: Array
    priors: Array
    stated: tuple[str, ...] = ()
    """Names of those that are not estimated: they are as the robot file states them."""


def no_terms(states: States) -> Terms:
    """None."""
    return Terms((), np.empty((len(states.pose), 0)), np.empty(0))
