"""Along a motion: how far machines with errors are from it, and their forces from those drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.quantities import in_groups
from gough.arrays import Array
from gough.motion import MotionSamples

if TYPE_CHECKING:
    from gough.kinematics.tolerances.spread import Spread

OF_TOLERANCES = in_groups("tolerances")
"""Quantities of what errors do: they need a spread."""
_ROWS = 2048
"""So many samples at a time: each needs a change for every number that has an error."""


def spreads_along(
    spread: Spread, parameters: Array, samples: MotionSamples, wrench: Array
) -> dict[str, Array]:
    """All quantities of tolerances (T, ...); `parameters` are one row, or one for each sample."""
    state = [samples.pose, samples.twist, samples.acceleration, wrench]
    count = len(samples.pose)
    numbers = np.broadcast_to(parameters, (count, parameters.shape[-1]))
    parts = [
        _spreads(spread, *(x[k : k + _ROWS] for x in (numbers, *state)))
        for k in range(0, count, _ROWS)
    ]
    found = (np.concatenate(part) for part in zip(*parts, strict=True))
    return dict(zip(OF_TOLERANCES, found, strict=True))


def _spreads(spread: Spread, numbers: Array, pose: Array, *loads: Array) -> tuple[Array, Array]:
    """Standard deviations of the displacement and of the forces, as OF_TOLERANCES."""
    from gough.kinematics.tolerances.linear import (  # noqa: PLC0415  (needed by few)
        deviations,
        force_changes,
        pose_changes,
    )

    displacements = pose_changes(spread, numbers, pose)
    forces = force_changes(spread, numbers, pose, list(loads), displacements)
    return deviations(displacements), deviations(forces)
