"""Periodic motions: each coordinate is a sum of waves, as in a Fourier series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display.brief import brief
from gough.motion.motions.places import motion_of_places
from gough.motion.samples import (
    Motion,
    MotionError,
    MotionSamples,
    announced,
    checked_array,
    checked_duration,
    checked_pose,
)

COORDINATES = ("x", "y", "z", "about_x", "about_y", "about_z")
"""Ways [m] along base axes, and the rotation vector [rad] on the platform's axes at the start."""
Waves = tuple[tuple[float, float], ...]
"""Cosine and sine coefficients of each harmonic of a coordinate [m or rad]."""


@dataclass(frozen=True)
class FourierMotion(Motion):
    """Each coordinate is Σ a_k (cos kωt - 1) + b_k sin kωt, with ω = 2π over the duration.

    It begins and ends at `start`, and goes on as it began. It is a piece of a motion that goes on:
    the speed at its ends is zero only if Σ k b_k is.
    """

    start: tuple[float, ...]
    duration: float
    waves: tuple[Waves, ...]
    """In the order of COORDINATES."""

    __repr__ = brief

    @property
    def table(self) -> PlainData:
        """The [motion] table of a study that makes it."""
        place = {"position": list(self.start[:3]), "quaternion": list(self.start[3:])}
        named = zip(COORDINATES, self.waves, strict=True)
        waves = {name: [list(pair) for pair in own] for name, own in named if own}
        return {"kind": "fourier", "duration": self.duration, "start": place} | waves

    def _at(self, t: Array) -> MotionSamples:
        count = max(map(len, self.waves))
        factors = np.zeros((2 * count, len(COORDINATES)))
        for k, waves in enumerate(self.waves):
            factors[: 2 * len(waves), k] = np.ravel(waves)
        place, first, second = (basis @ factors for basis in fourier_basis(count, self.duration, t))
        place[..., :3] += self.start[:3]
        return motion_of_places(self.start[3:], place, first, second)


@announced
def fourier(start: ArrayLike, duration: float, **waves: Any) -> FourierMotion:
    """A motion of waves about a start pose, such as `x=[[0, 0.01], [0.02, 0]]`.

    Each coordinate, x, y, z [m] or about_x, about_y, about_z [rad], has pairs of what cosine and
    sine have of harmonic 1, 2, … of the duration [s]; what is left out stays. See FourierMotion.
    """
    unknown = [name for name in waves if name not in COORDINATES]
    if unknown:
        raise MotionError("not known", key=unknown[0], expected=f"some of {', '.join(COORDINATES)}")
    pairs = {
        name: tuple((float(a), float(b)) for a, b in checked_array(given, name, (-1, 2)))
        for name, given in waves.items()
    }
    if not any(pairs.values()):
        raise MotionError("no waves", key="waves", expected=f"some of {', '.join(COORDINATES)}")
    return FourierMotion(
        checked_pose(start, "start"),
        checked_duration(duration),
        tuple(pairs.get(name, ()) for name in COORDINATES),
    )


def fourier_basis(harmonics: int, duration: float, t: Array) -> tuple[Array, Array, Array]:
    """cos kωt - 1 and sin kωt of each harmonic in turn (..., 2 harmonics), and their two rates."""
    w = 2 * np.pi / duration * np.arange(1, harmonics + 1)
    phase = np.multiply.outer(t, w)
    cos, sin = np.cos(phase), np.sin(phase)
    pairs = ((cos - 1, sin), (-w * sin, w * cos), (-(w**2) * cos, -(w**2) * sin))
    place, first, second = (np.stack(pair, -1).reshape(*np.shape(t), -1) for pair in pairs)
    return place, first, second
