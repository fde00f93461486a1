"""Stiffness of a link: a straight Euler-Bernoulli beam between its joints."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.robot.elastic import Beam, tube_stiffness

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""Motions of a section: along the line and across it, and about the same axes."""
ALONG, ABOUT = (0,), (3,)
ASIDE = ((1, 5), (2, 4))
"""Bending along y rotates sections about z, and vice versa."""
ALIGNED = 1e-6
"""Sine of the angle below which a side counts as parallel to the line."""


@dataclass(frozen=True)
class BeamStiffness:
    """Stiffness of a link in bending, tension and torsion; rigid where it is None.

    Its line runs from the joint that carries it to its other joint. Two bending stiffnesses are
    those for deflection along `side`, a direction across the line, and across both.

    >>> import gough
    >>> gough.BeamStiffness(bending=1.2e3, axial=5e6)  # [N m^2], [N]; rigid in torsion
    BeamStiffness(bending=1200.0, axial=5000000.0, torsion=None, side=None)
    """

    bending: float | tuple[float | None, float | None] | None = None
    """E I [N m^2], of both planes or of each."""
    axial: float | None = None
    """E A [N]."""
    torsion: float | None = None
    """G J [N m^2]."""
    side: tuple[float, float, float] | None = None
    """In base axes, with the machine at home."""

    def __post_init__(self) -> None:
        given = [k for k in (*self.planes, self.axial, self.torsion) if k is not None]
        if not given or not all(isfinite(k) and k > 0 for k in given):
            raise GoughError(
                f"a beam has the stiffness {self!r}; expected positive numbers, one at least, and "
                "None where it is rigid"
            )
        if self.planes[0] != self.planes[1] and self.side is None:
            raise GoughError(
                f"a beam has two bending stiffnesses, {self.bending} N m^2; expected a side: the "
                "direction along which the first one counts"
            )

    @classmethod
    def tube(cls, young: float, shear: float, outer: float, inner: float = 0.0) -> BeamStiffness:
        """Return a round tube or, without an inner radius, bar: moduli [Pa], radii [m]."""
        if not 0 <= inner < outer:
            raise GoughError(f"a tube has the radii {inner} and {outer} m; expected inner < outer")
        axial, bending, torsion = tube_stiffness(2 * outer, 2 * inner, young, shear)
        return cls(bending, axial, torsion)

    @property
    def planes(self) -> tuple[float | None, float | None]:
        """E I [N m^2] against deflection along the side, and across."""
        if isinstance(self.bending, tuple):
            return self.bending
        return self.bending, self.bending

    @property
    def compliant_directions(self) -> tuple[int, ...]:
        """Which of the DIRECTIONS a section moves in."""
        pairs = zip((self.axial, self.torsion, *self.planes), (ALONG, ABOUT, *ASIDE), strict=True)
        return tuple(sorted(k for given, places in pairs if given is not None for k in places))

    def axes(self, line: Array) -> Array:
        """Its own axes in columns: along the line, the side, and across both."""
        x = line / np.linalg.norm(line)
        side = np.eye(3)[int(np.argmin(np.abs(x)))] if self.side is None else np.array(self.side)
        across = np.cross(x, side / np.linalg.norm(side))
        if np.linalg.norm(across) < ALIGNED:
            raise GoughError(f"a beam has the side {self.side}, along its line {x.tolist()}")
        z = across / np.linalg.norm(across)
        return np.column_stack([x, np.cross(z, x), z])


@dataclass(frozen=True)
class FlexibleLink:
    """A flexible beam: its stiffness, damping, and number of coordinates."""

    stiffness: BeamStiffness
    modes: int = 2
    """Number of natural modes with both ends clamped."""
    elements: int = 8
    damping: float = 0.0
    """Damping ratio of each mode of the beam held at its first end."""

    @classmethod
    def of(cls, beam: Beam) -> FlexibleLink:
        """Return the beam of a robot file."""
        size = beam.diameter, beam.bore or 0.0
        axial, bending, torsion = tube_stiffness(*size, beam.modulus, beam.shear_modulus)
        stiffness = BeamStiffness(bending, axial, torsion)
        return cls(stiffness, beam.modes, beam.elements, beam.damping)


@dataclass(frozen=True)
class ElasticBeam:
    """A body that bends, among the coordinates of a machine."""

    body: str
    places: slice
    """Places of its elastic coordinates."""
    stiffness: Array
    """(m, m) for these coordinates [N/m, N m/rad, …]."""


def element_stiffness(beam: BeamStiffness, h: float) -> Array:
    """The stiffness (12, 12) [SI] of an element of length h [m]: DIRECTIONS of both ends."""
    K = np.zeros((12, 12))
    ends = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h
    for k, stiffness in ((ALONG[0], beam.axial), (ABOUT[0], beam.torsion)):
        K[np.ix_((k, k + 6), (k, k + 6))] = (stiffness or 0.0) * ends
    for (translation, rotation), sign, stiffness in zip(
        ASIDE, (1.0, -1.0), beam.planes, strict=True
    ):
        places = (translation, rotation, translation + 6, rotation + 6)
        K[np.ix_(places, places)] = (stiffness or 0.0) * _bent(sign * h)
    return K


def shape_functions(s: float, h: float) -> tuple[Array, Array]:
    """Translation and rotation of a section at a fraction s of an element by its ends': (3, 12)."""
    translation, rotation = np.zeros((3, 12)), np.zeros((3, 12))
    translation[0, [0, 6]] = rotation[0, [3, 9]] = 1 - s, s
    cubic = np.array(
        [1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2]
    )
    slope = np.array([6 * s**2 - 6 * s, 1 - 4 * s + 3 * s**2, 6 * s - 6 * s**2, 3 * s**2 - 2 * s])
    for (k, j), sign in zip(ASIDE, (1.0, -1.0), strict=True):
        lengths = np.array([1.0, sign * h, 1.0, sign * h])
        translation[k, [k, j, k + 6, j + 6]] = cubic * lengths
        rotation[j - 3, [k, j, k + 6, j + 6]] = sign * slope * lengths / h
    return translation, rotation


def _bent(h: float) -> Array:
    rows = [
        [12, 6 * h, -12, 6 * h],
        [6 * h, 4 * h**2, -6 * h, 2 * h**2],
        [-12, -6 * h, 12, -6 * h],
        [6 * h, 2 * h**2, -6 * h, 4 * h**2],
    ]
    return np.array(rows) / abs(h) ** 3
