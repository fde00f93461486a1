"""How a beam's mass is spread: points that follow its sections and move as the body if it is rigid.

A smooth line density has the body's mass, mass centre and second moment along the line. Each
section is four points at its radii of gyration, so that the other second moments are the body's
too: a rigid beam moves as the body does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.model.flexible.beam import shape_functions
from gough.model.mechanism.mass import Mass

POINTS = 5
"""Of Gauss in an element: exact for the square of a cubic on a uniform bar, and to spare."""
OF_SECTION = 4
"""So many points of mass are each section, one after the other."""
STEPS, LONGEST, STEEPEST, ROUNDING = 60, 10.0, 200.0, 1e-14
"""Newton's steps to the density, the longest of them; a density that is too steep; no gap."""
OFF_LINE = 1e-6
"""Mass beside the line, beside that along it, that is rounding error of the file."""


@dataclass(frozen=True, eq=False)
class Points:
    """Masses [kg] (p), their places (p, 3) [m] in the beam's axes, from its first joint.

    `shapes` (p, 3, n) are their displacements by all nodes' displacements.
    """

    masses: Array
    places: Array
    shapes: Array


def spread(name: str, body: Mass, length: float, elements: int) -> Points:
    """A body's mass along its beam; seen from its first joint, in the beam's axes."""
    _refuse_off_line(name, body, length)
    radii = np.sqrt(np.maximum(np.diag(body.sigma)[1:], 0.0) / body.mass)
    section = np.sqrt(2.0) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * radii
    shares, weights, shapes = _sections(length, elements)
    masses = np.repeat(_line_masses(name, body, length, shares, weights), OF_SECTION)
    places, moved = [], []
    for share, (way, turn) in zip(shares, shapes, strict=True):
        for aside in section:
            lever = np.array([0.0, *aside])
            places.append(lever + [share * length, 0.0, 0.0])
            moved.append(way + np.cross(turn, lever, axis=0))
    return Points(masses / OF_SECTION, np.array(places), np.array(moved))


def _sections(length: float, elements: int) -> tuple[Array, Array, list[tuple[Array, Array]]]:
    """Gauss's points as shares of the line, their weights, and how they move with all nodes."""
    x, weights = np.polynomial.legendre.leggauss(POINTS)
    shares, shapes = [], []
    for element in range(elements):
        for s in (x + 1) / 2:
            nodes = np.zeros((2, 3, 6 * (elements + 1)))
            nodes[..., 6 * element : 6 * element + 12] = shape_functions(s, length / elements)
            shares.append((element + s) / elements)
            shapes.append((nodes[0], nodes[1]))
    return np.array(shares), np.tile(weights / 2 / elements, elements), shapes


def _line_masses(name: str, body: Mass, length: float, x: Array, weights: Array) -> Array:
    """Masses [kg] at shares x of the line, weights · exp(a + b x + c x^2), with its moments.

    Of all densities with a mass, a mass centre and a second moment this is the smoothest: that of
    greatest entropy. Newton's steps to the least log Σ are steps of a convex problem.
    """
    center = body.ms[0] / body.mass / length
    second = body.sigma[0, 0] / body.mass / length**2
    powers = np.column_stack([x - center, x**2 - second])
    factors = np.zeros(2)
    for _ in range(STEPS):
        shares = weights * np.exp(powers @ factors)
        shares /= shares.sum()
        gradient = shares @ powers
        if np.abs(gradient).max() < ROUNDING:
            return np.asarray(body.mass * shares)
        spread_of = powers - gradient
        hessian = (spread_of.T * shares) @ spread_of
        step = np.linalg.lstsq(hessian, -gradient)[0]
        factors += step / max(1.0, np.abs(step).max() / LONGEST)
        if np.abs(factors).max() > STEEPEST:
            break
    raise RobotError(
        "its mass is not spread along the line between its joints",
        key=name,
        value=f"mass centre at {center:.3g} of the line, ∫ x^2 dm = {second:.3g} mass length^2",
        expected="a link such as a uniform bar (0.5, 0.333); lumps are bodies fixed to its ends",
    )


def _refuse_off_line(name: str, body: Mass, length: float) -> None:
    mixed = np.abs(body.sigma - np.diag(np.diag(body.sigma))).max() / length
    if not body.mass > 0:
        raise RobotError("a flexible link without mass", key=name, expected="a mass > 0")
    if max(np.abs(body.ms[1:]).max(), mixed) > OFF_LINE * body.mass * length:
        raise RobotError(
            "its mass centre or its principal axes are beside the line between its joints",
            key=name,
            expected="a straight link, with what is beside it as bodies fixed to its ends",
        )
