"""How a machine vibrates where it does so lowest on its way: what the page needs to show it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.arrays import Array
from gough.kinematics.elastic.coordinates import described, leg_of
from gough.kinematics.elastic.swings import Swings, swings
from gough.kinematics.freedoms.following import followed
from gough.report.packing import pack
from gough.report.scene import FINE, frames_of, others
from gough.robot import Robot
from gough.studies.run import robots_along
from gough.studies.study import Study

_QUANTITY = "natural_frequency"
_FRAMES = 33
"""Of a swing from one end to the other; the page shows what is between them as well."""
_BEYOND = 1.01
"""A film goes a little farther than the page does."""


def mode_shapes(results: Results, swing: float) -> dict[str, Any] | None:
    """All modes at the sample whose first frequency is lowest; None where none is known.

    What moves most in a mode is moved by at most `swing` [m]. A simulation does not say what its
    machine carried at a time: it has none.
    """
    if _QUANTITY not in results or results.simulation is not None:
        return None
    first = results[_QUANTITY][:, 0]
    if not np.isfinite(first).any():
        return None
    from gough.kinematics.elastic.modes import modes  # noqa: PLC0415  (few pages need it)

    k = int(np.nanargmin(first))
    found = modes(_robot_at(results, k), results["pose"][k], wrench=results["wrench"][k])
    seen = swings(found)
    ends = _BEYOND * swing / seen.largest
    inner = [leg_of(name) is not None for name in found.coordinates]
    return {
        "of": _QUANTITY,
        "time": float(results.time[k]),
        "coordinates": described(found.coordinates),
        "modes": [
            {
                "frequency": float(found.frequencies[n]),
                "words": words,
                "share": share,
                "step": found.displacements[n].tolist(),
                "inner": found.shapes[n, inner].tolist(),
                "film": _film(seen, n, end),
            }
            for n, ((words, share), end) in enumerate(zip(found.most, ends, strict=True))
        ],
    }


def _robot_at(results: Results, k: int) -> Robot:
    """The robot with what it carries at a sample."""
    along = robots_along(Study.from_dict(results.study), results.time, results["pose"])
    return next(robot for where, robot in along if where.start <= k < where.stop)


def _film(seen: Swings, n: int, end: float) -> dict[str, Any]:
    """The machine displaced by a shape times factors, from one end to the other."""
    found, factors = seen.found, np.linspace(-end, end, _FRAMES)
    pose: Array = followed(found.robot, found.pose, factors[:, None] * found.displacements[n])
    points = seen.points(n, factors)
    return {
        "times": pack(factors[None], FINE),
        "pose": pack(pose.T, FINE),
        "moving": pack(points[:, others(seen.shape, points)].reshape(len(points), -1).T),
        "frames": pack(frames_of(found.robot, pose)),
    }
