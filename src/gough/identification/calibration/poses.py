"""Poses to calibrate at: a D-optimal choice of many candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from gough.arrays import Array
from gough.checks import RandomSource
from gough.errors import GoughError
from gough.identification.calibration.found import workspace_poses
from gough.identification.calibration.unknowns import Frame, unknowns_of
from gough.kinematics.model import Model
from gough.poses import Frames
from gough.robot import Robot

Kind = Literal["pose", "position", "orientation"]
KINDS: tuple[Kind, ...] = get_args(Kind)

CANDIDATES = 1000
MOST = 10_000
"""Poses, and candidates."""
_ROUNDS = 30
_BETTER = 1e-6
"""Exchanges that raise the logarithm of the determinant by less are not worth it."""
_ROWS = {"pose": slice(0, 6), "position": slice(0, 3), "orientation": slice(3, 6)}


def calibration_poses(
    robot: Robot,
    count: int,
    *,
    measured: Kind = "pose",
    sigma: float = 15e-6,
    angle_sigma: float = 20e-6,
    parameters: Sequence[str] | None = None,
    frames: Frames | None = None,
    unknown_frames: Sequence[Frame] = (),
    candidates: int = CANDIDATES,
    rng: RandomSource = 0,
) -> Array:
    """Return platform poses (count, 7) with maximum information about a machine's parameters.

    From the random `candidates`, all of them within all limits of the robot, those are chosen
    that maximise the determinant of the information, by exchanging one after another [Fedorov
    1972]. The other arguments are those of `gough.calibrate`, for a `measured` pose, position or
    orientation of the tool, with standard deviations [m, rad].
    """
    if measured not in KINDS:
        raise GoughError(f"measured is {measured!r}; expected one of {', '.join(KINDS)}")
    for name, size, most in (("count", count, MOST), ("candidates", candidates, MOST)):
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= most:
            raise GoughError(f"{name} is {size!r}; expected a whole number from 1 to {most:,}")
    if count > candidates:
        raise GoughError(f"count is {count}; expected at most as many as candidates, {candidates}")
    if not (sigma > 0 and angle_sigma > 0):
        raise GoughError(f"sigmas are {sigma} m and {angle_sigma} rad; expected numbers above 0")
    unknowns = unknowns_of(Model(robot), parameters, frames, unknown_frames)
    poses = workspace_poses(robot, candidates, rng)
    slopes = unknowns.slopes(unknowns.prior, poses)
    rows = (slopes / np.repeat([sigma, angle_sigma], 3)[:, None])[:, _ROWS[measured]]
    seen = unknowns.observability(rows.reshape(-1, rows.shape[-1]), len(poses))
    least = -(-seen.rank // rows.shape[1])
    if count < least:
        raise GoughError(
            f"count is {count}; expected at least {least}: {seen.rank} combinations of "
            f"{len(unknowns.names)} parameters are identifiable, {rows.shape[1]} numbers at a pose"
        )
    informative = rows * seen.scales @ (seen.told / seen.sizes)  # whose scale does not matter
    return np.asarray(poses[_exchanged(informative, count)])


def _exchanged(rows: Array, count: int) -> list[int]:
    """Return indices of the chosen candidates (n, m, r), for the maximum of det Σ BᵀB."""
    chosen = list(range(count))
    information = np.einsum("nmr,nms->rs", rows[chosen], rows[chosen])
    none = 1e-12 * np.trace(information) * np.eye(len(information))
    for _ in range(_ROUNDS):
        exchanges = 0
        for k, own in enumerate(chosen):
            rest = information - rows[own].T @ rows[own]
            gains = _gains(rows, rest + none)
            gains[[other for other in chosen if other != own]] = -np.inf
            best = int(gains.argmax())
            if gains[best] > gains[own] + _BETTER:
                chosen[k] = best
                information = rest + rows[best].T @ rows[best]
                exchanges += 1
        if not exchanges:
            break
    return sorted(chosen)


def _gains(rows: Array, information: Array) -> Array:
    """(n) log det (1 + B M⁻¹ Bᵀ): by how much each candidate raises log det M."""
    root = np.linalg.inv(np.linalg.cholesky(information))
    B = rows @ root.T
    return np.asarray(np.linalg.slogdet(np.eye(rows.shape[1]) + B @ B.swapaxes(-1, -2))[1])
