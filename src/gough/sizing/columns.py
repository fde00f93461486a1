"""A slender screw: the load at which it buckles, and the speed at which it whirls."""

from __future__ import annotations

from math import pi, sqrt
from typing import Literal

import numpy as np

from gough.arrays import Array

Fixity = Literal["fixed-free", "supported-supported", "fixed-supported", "fixed-fixed"]

EFFECTIVE_LENGTH: dict[Fixity, float] = {
    "fixed-free": 2.0,
    "supported-supported": 1.0,
    "fixed-supported": 0.699156,
    "fixed-fixed": 0.5,
}
"""K of Euler's load: the length of a column on two supports that buckles alike, over its own."""
FIRST_ROOT: dict[Fixity, float] = {
    "fixed-free": 1.875104,
    "supported-supported": pi,
    "fixed-supported": 3.926602,
    "fixed-fixed": 4.730041,
}
"""λ of the first bending mode: ω = (λ/L)² √(E I / ρ A)."""


def euler_load(length: Array, diameter: float, modulus: float, fixity: Fixity) -> Array:
    """Axial load [N] at which a round bar of a free length [m] buckles: π² E I / (K L)²."""
    inertia = pi * diameter**4 / 64
    with np.errstate(divide="ignore"):
        return np.asarray(pi**2 * modulus * inertia / (EFFECTIVE_LENGTH[fixity] * length) ** 2)


def johnson_load(
    length: Array, diameter: float, modulus: float, yield_strength: float, fixity: Fixity
) -> Array:
    """Axial load [N] that a stocky round bar bears: A σ_y (1 - σ_y s² / 4 π² E).

    s = K L / r is the slenderness, r = d/4 the radius of gyration [J. B. Johnson].
    """
    area = pi * diameter**2 / 4
    slenderness = EFFECTIVE_LENGTH[fixity] * length / (diameter / 4)
    return np.asarray(
        area * yield_strength * (1 - yield_strength * slenderness**2 / (4 * pi**2 * modulus))
    )


def buckling_load(
    length: Array, diameter: float, modulus: float, yield_strength: float | None, fixity: Fixity
) -> Array:
    """Axial load [N] that a round bar of a free length [m] bears.

    Euler's; with a yield strength, below the slenderness √(2 π² E / σ_y) at which both meet,
    Johnson's.
    """
    slender = euler_load(length, diameter, modulus, fixity)
    if yield_strength is None:
        return slender
    bound = sqrt(2 * pi**2 * modulus / yield_strength)
    slenderness = EFFECTIVE_LENGTH[fixity] * length / (diameter / 4)
    stocky = johnson_load(length, diameter, modulus, yield_strength, fixity)
    return np.where(slenderness < bound, stocky, slender)


def critical_speed(
    length: Array, diameter: float, modulus: float, density: float, fixity: Fixity
) -> Array:
    """Speed [rad/s] at which a round bar of a free length [m] whirls: (λ/L)² √(E I / ρ A)."""
    radius = diameter / 4  # of gyration: √(I/A)
    with np.errstate(divide="ignore"):
        return np.asarray((FIRST_ROOT[fixity] / length) ** 2 * radius * sqrt(modulus / density))
