"""Rating life of screws and bearings: so many turns as nine of ten of them reach."""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np

from gough.analysis.ways import integral
from gough.arrays import Array

MILLION = 1e6
"""Turns under the dynamic load rating that are the rating life, by its definition."""
SCREW = 3.0
"""The exponent of a ball screw's life [ISO 3408-5]."""
BEARING = {"ball": 3.0, "roller": 10.0 / 3.0}
"""The exponent of a bearing's life [ISO 281]."""


class Life(NamedTuple):
    """How long a turning part lasts, for each actuator: nine of ten parts reach that."""

    load: Array
    """The equivalent mean load [N]."""
    turns: Array
    """L10 in turns."""
    distance: Array
    """L10 as a way of the rod [m]."""
    time: Array
    """L10 while the motion is repeated [s]."""


def mean_load(time: Array, force: Array, speed: Array, exponent: float = SCREW) -> Array:
    """(actuators,) the load [N] that wears as much: (∫|F|ᵖ |v| dt / ∫|v| dt)^(1/p).

    The mean over the way, of p = 3 the cubic mean [ISO 3408-5]. Loads of both directions count
    together, as if on the same side of the balls. 0 where nothing moves.
    """
    way = integral(time, np.abs(speed))
    worn = integral(time, np.abs(force) ** exponent * np.abs(speed))
    return np.asarray((worn / np.where(way > 0, way, 1.0)) ** (1 / exponent))


def rating_life(
    time: Array,
    force: Array,
    speed: Array,
    *,
    lead: float,
    rating: float,
    exponent: float = SCREW,
    factor: float = 1.0,
) -> Life:
    """L10 = 10⁶ (C/F_m)ᵖ turns [ISO 3408-5; of bearings ISO 281], of motions (T, actuators).

    `lead` [m] is the way of a turn, `rating` the dynamic load rating [N], `factor` the equivalent
    load over the axial one. Infinite where nothing moves or loads it.
    """
    load = factor * mean_load(time, force, speed, exponent)
    way = integral(time, np.abs(speed))
    with np.errstate(divide="ignore"):
        turns = MILLION * (rating / load) ** exponent
        passes = turns * lead / way
    return Life(load, turns, turns * lead, passes * (time[-1] - time[0]))


def in_turns(speed: Array, lead: float) -> Array:
    """Speed of a screw [rad/s] of that of its rod [m/s]."""
    return np.asarray(2 * pi * speed / lead)
