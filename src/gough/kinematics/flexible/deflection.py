"""Links that loads have bent, without swinging: where all forces balance, the motors being held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.flexible.coordinates import Coordinates
from gough.kinematics.flexible.rows import least, null_space
from gough.shown.brief import brief

STEPS = 30
"""Newton's: a few do if the deformation is small."""
SETTLED = 1e-12
"""A smaller step [rad, m] is the last."""
UNHELD = 1e-13
"""A stiffness beside the largest one that is none: rods spin between balls."""
FAR = 0.5
"""Coordinates [rad, m] that loads move farther have not been bent but fall."""
BALANCED = 1e-6
"""Force that nothing bears, beside the largest one."""


@dataclass(frozen=True)
class Deflected:
    """A machine that is bent by its loads."""

    z: Array
    """(n) coordinates."""
    force: Array
    """Efforts of the motors [N m, N]."""
    held: Array
    """Forces in the rows that close its loops."""
    pose: Array
    """(7) of the platform."""

    __repr__ = brief


def deflected(
    system: Coordinates, start: Array, rate: Array, second: Array, wrench: Array
) -> Deflected:
    """The machine bent from coordinates z by its weight, by inertia at these rates and by a wrench.

    Newton's steps to M z̈ + h = Bᵀ τ + Cᵀ λ with closed loops.
    """
    z, held = start, np.zeros(system.gaps)
    while_held = np.zeros(len(system.motors))
    for _ in range(STEPS):
        gaps, C, _ = system.closing(z)
        needed, K = system.needed(z, rate, second, wrench, held)
        A = system.with_motors(C)
        closing, N = least(A, np.r_[-gaps, while_held]), null_space(A)
        step = closing - N @ least(N.T @ K @ N, N.T @ (needed + K @ closing), UNHELD)
        z = z + step
        if np.abs(z - start).max() > FAR:
            break
        borne = needed + K @ step
        multipliers = least(A.T, borne)
        held, force = multipliers[: system.gaps], multipliers[system.gaps :]
        if np.abs(step).max() < SETTLED * max(1.0, np.abs(z).max()):
            left = np.abs(borne - A.T @ multipliers).max()
            if left > BALANCED * np.abs(needed).max() + SETTLED * np.abs(K).max():
                break
            return Deflected(z, force, held, system.pose(z))
    raise GoughError(
        f"{system.robot.name}: no state near by in which its links bear the loads; "
        "expected links that bend little, and nothing that can fall with its motors held"
    )
