"""How a beam's mass is spread: points that follow its sections and move as the body if it is rigid.

A line density, quadratic along the beam, has the body's mass, mass centre and second moment along
the line. Each section is four points at its radii of gyration, so that the other second moments are
the body's too: a rigid beam moves as the body does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.model.flexible.beam import shape_functions
from gough.model.mechanism.mass import Mass

POINTS = 5
"""Of Gauss in an element: exact for the square of a cubic times a quadratic density."""
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
    mass = float(body.mass)
    _refuse_off_line(name, body, length)
    density = _density(name, body, length)
    radii = np.sqrt(np.maximum(np.diag(body.sigma)[1:], 0.0) / mass)
    section = np.sqrt(2.0) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]) * radii
    x, weights = np.polynomial.legendre.leggauss(POINTS)
    h, parts = length / elements, []
    for element in range(elements):
        for s, weight in zip((x + 1) / 2, weights / 2, strict=True):
            share = (element + s) / elements
            way, turn = shape_functions(s, h)
            for aside in section:
                lever = np.array([0.0, *aside])
                shape = np.zeros((3, 6 * (elements + 1)))
                shape[:, 6 * element : 6 * element + 12] = way + np.cross(turn, lever, axis=0)
                place = lever + [share * length, 0.0, 0.0]
                parts.append((density(share) * weight / elements / len(section), place, shape))
    masses, places, shapes = zip(*parts, strict=True)
    return Points(np.array(masses), np.array(places), np.array(shapes))


def _density(name: str, body: Mass, length: float) -> np.polynomial.Legendre:
    """Mass by share of the line [kg], from its moments of orders 0 to 2."""
    m, first, second = body.mass, body.ms[0] / length, body.sigma[0, 0] / length**2
    moments = np.array([m, 2 * first - m, 6 * second - 6 * first + m])
    density = np.polynomial.Legendre(moments * [1.0, 3.0, 5.0], domain=[0.0, 1.0])
    if (density(np.linspace(0.0, 1.0, 101)) < 0).any():
        raise RobotError(
            "its mass is not spread along the line between its joints: mass, mass centre and "
            "inertia would need a negative density",
            key=name,
            value=f"mass centre at {first / m:.3g} of the line, "
            f"∫ x^2 dm = {second / m:.3g} mass length^2",
            expected="nearly a uniform bar (0.5, 0.333), with lumps as bodies fixed to its ends",
        )
    return density


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
