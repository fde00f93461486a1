"""The machine as the page draws it: joints, sizes, and where the platform is over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.arrays import Array
from gough.poses import transform
from gough.report.packing import pack
from gough.report.thinning import frames

FINE = 1_000_000
"""Steps of a time axis: a millionth of the duration."""


def scene(results: Results) -> dict[str, Any]:
    """Everything that the page needs to draw the machine in motion [m, N, s]."""
    robot, chosen = results.robot, frames(len(results))
    pose, force = results["pose"][chosen], results["force"][chosen]
    base = np.array([leg.base for leg in robot.legs])
    platform = np.array([leg.platform for leg in robot.legs])
    target, reach = _bounds(base, platform, pose)
    lengths = results["leg_length"].min(axis=0)
    return {
        "times": pack(results.time[chosen][None], FINE),
        "pose": pack(pose.T, FINE),
        "force": pack(force.T),
        "limit": force_limit(results),
        "base": _rounded(base),
        "platform": _rounded(platform),
        "cylinders": [round(0.85 * float(length), 5) for length in lengths],
        "radii": [round(float(leg.radius or 0.024 * reach), 5) for leg in robot.legs],
        "thickness": round(0.035 * reach, 5),
        "floor": round(1.7 * float(np.ptp(base[:, :2], axis=0).max()) / 2, 5),
        "bounds": {"target": _rounded(target), "reach": round(reach, 5)},
    }


def force_limit(results: Results) -> float:
    """The force [N] at the ends of the colour bar: the peak, or a usual one with singularities."""
    sizes = np.abs(results["force"])
    sizes = sizes[np.isfinite(sizes)]
    if not sizes.size or sizes.max() == 0:
        return 1.0
    limit = sizes.max()
    if results.singularities:
        known = [leg.max_force for leg in results.robot.legs if leg.max_force]
        limit = min(limit, max(known, default=3.0 * float(np.median(sizes))))
    return _round_up(float(limit))


def _bounds(base: Array, platform: Array, pose: Array) -> tuple[Array, float]:
    """Centre and radius [m] of a ball around all joints at all times."""
    some = pose[frames(len(pose), 200)]
    tops = transform(some[:, None], platform)
    points = np.concatenate([base, tops.reshape(-1, 3)])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    return centre, float(np.linalg.norm(points - centre, axis=1).max()) or 1.0


def _round_up(value: float) -> float:
    """The next number with two digits, so that the colour bar has round ends."""
    power = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(np.ceil(value / power) * power)


def _rounded(values: Array) -> Any:
    return np.round(values, 6).tolist()
