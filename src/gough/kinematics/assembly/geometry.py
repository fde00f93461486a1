"""A machine's geometry as conditions on Study points, and its solutions at generic lengths.

Paths start from forty points, the solutions of one generic machine at complex lengths. They are
stored in a file beside this one; `python tools/monodromy.py` finds them.

Joint centres are relative to their mean, in a unit near their standard deviation. The squared
lengths of the generic legs are complex: there, every finite solution is regular, and their number
depends on the machine alone. That their squares are complex keeps paths off the singular solutions,
too, while joint centres move on real ways: it takes two equations to meet one.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray
from gough.errors import GoughError
from gough.kinematics.assembly import kernels
from gough.kinematics.assembly.kernels import LEGS
from gough.kinematics.assembly.solutions import Endpoints, endpoints
from gough.poses.given import array_of_numbers
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

DEGREE = 40
"""Number of solutions of generic conditions [Lazard 1993; Ronga, Vust 1995; Wampler 1996]."""
FILE = Path(__file__).with_name("generic_section.json")
_SLACK = 1e-9
"""Accepted contradiction of lengths, relative to the unit of length."""
GENERIC_SQUARES = 6 * np.exp(1j * np.array([0.47, 0.65, 0.18, 0.31, 0.8, 0.54]))
"""Squared lengths, in the geometry's unit: of the size of long legs, and off the real axis."""

LEG_PAIRS = np.triu_indices(LEGS, 1)
_POSITIONS = np.array([[0.31, -0.17, 1.3], [-0.6, 0.45, 0.8]])
_TURNS = rotation_matrix(of_rotation_vector(np.array([[0.4, -0.7, 1.1], [-1.2, 0.3, 0.5]])))
"""Two poses without any symmetry; positions are in the unit of length."""


@dataclass(frozen=True)
class Section:
    """Mixed coefficients (6, 17), real but for e·e, and their solutions (n, 8) of length one."""

    coefficients: AnyArray
    points: AnyArray


@cache
def generic_section() -> Section:
    """Return the section that is stored with the library."""
    data = json.loads(FILE.read_text(encoding="utf-8"))
    return Section(*(np.array(data[key]) @ [1, 1j] for key in ("coefficients", "points")))


@dataclass(frozen=True, eq=False)
class Geometry:
    """Joint centres (6, 3) as given [m]; their means (2, 3) [m] and the unit of length [m].

    `rows` (6, 17) are the coefficients of the legs' squared lengths, `bounds` the sizes to which
    their rounding is relative. `gaps` (2, 15) are the distances [m] of joints on the base and on
    the platform, for all pairs of legs.
    """

    base: AnyArray
    platform: AnyArray
    centers: AnyArray
    unit: float
    rows: AnyArray
    bounds: AnyArray
    gaps: AnyArray

    def conditions(self, squares: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return coefficients for squared lengths (6,) in the unit, and their bounds."""
        coefficients, bounds = self.rows.astype(squares.dtype), self.bounds.copy()
        coefficients[:, 0] -= squares / 4
        bounds[:, 0] += np.abs(squares) / 4
        return coefficients, bounds

    @cached_property
    def mixing(self) -> AnyArray:
        """The matrix (6, 6) that mixes its rows for the kernels of paths."""
        return kernels.mixing(self.rows)

    @cached_property
    def dexterity(self) -> float:
        """Minimum singular value of J over its maximum, in the unit, at poses without any symmetry.

        It is zero only if J is singular everywhere.
        """
        base, platform = (np.array([self.base, self.platform]) - self.centers[:, None]) / self.unit
        turned = platform @ _TURNS.swapaxes(1, 2)
        along = _POSITIONS[:, None] + turned - base
        J = np.concatenate([along, np.cross(turned, along)], 2)
        sizes = np.linalg.svd(J, compute_uv=False)
        return float((sizes[:, -1] / sizes[:, 0]).max())

    @cached_property
    def start(self) -> Start:
        """Its solutions at generic lengths."""
        generic, bounds = self.conditions(GENERIC_SQUARES)
        found = self.straight_endpoints(generic, bounds)
        sure = found.n_doubtful == found.n_lost == len(found.singular) == 0
        moving = (self.mixing @ self.rows, kernels.pairs(self.mixing @ generic[:, 0]))
        return Start(found.regular.points, found.n_infinite, sure, moving)

    def straight_endpoints(self, coefficients: AnyArray, bounds: AnyArray) -> Endpoints:
        """Follow the forty solutions of the generic section to `conditions` of this machine."""
        section, mixed = generic_section(), self.mixing @ coefficients
        mixed = kernels.turned_to(section.coefficients, mixed.real) @ mixed
        rows = (section.coefficients.real, mixed.real)
        columns = (kernels.pairs(section.coefficients[:, 0]), kernels.pairs(mixed[:, 0]))
        moving = (*rows, *columns)
        return endpoints(kernels.section_paths(), section.points, moving, coefficients, bounds)

    def endpoints(self, coefficients: AnyArray, bounds: AnyArray) -> Endpoints:
        """Follow the solutions at generic lengths to `conditions` of this machine."""
        moving = (*self.start.moving, kernels.pairs(self.mixing @ coefficients[:, 0]))
        return endpoints(kernels.length_paths(), self.start.points, moving, coefficients, bounds)


@dataclass(frozen=True)
class Start:
    """The solutions (n, 8) of a geometry at generic lengths, and the number at infinity.

    `sure` says that these are all: no other path was lost, or ended so far away that infinity is
    doubtful. `moving` are mixed rows (6, 17) and coefficients (6, 2) of e·e, for paths from there.
    """

    points: AnyArray
    n_infinite: int
    sure: bool
    moving: tuple[AnyArray, AnyArray]


def geometry_of(base: ArrayLike, platform: ArrayLike) -> Geometry:
    """Return the geometry of joint centres (6, 3) of base and platform [m], each in its own frame.

    The unit is a power of two, so that scaling is exact.
    """
    return _geometry(*(np.array(points, dtype=float).tobytes() for points in (base, platform)))


@lru_cache(maxsize=256)
def _geometry(base_bytes: bytes, platform_bytes: bytes) -> Geometry:
    base, platform = (np.frombuffer(b).reshape(LEGS, 3) for b in (base_bytes, platform_bytes))
    joints = np.array([base, platform])
    centers = joints.sum(1) / LEGS
    joints -= centers[:, None]
    unit = 2.0 ** round(math.log2(math.sqrt(np.vdot(joints, joints) / (2 * LEGS))))
    i, j = LEG_PAIRS
    apart = joints[:, i] - joints[:, j]
    gaps = np.sqrt(np.einsum("nij,nij->ni", apart, apart))
    a, b = joints / unit
    rows, bounds = kernels.leg_rows()(a, b)
    return Geometry(base, platform, centers, unit, rows, bounds, gaps)


def checked_lengths(q: ArrayLike, geometry: Geometry) -> AnyArray:
    """Return the lengths as an array, if there may be a pose for them."""
    lengths = array_of_numbers(q, "assembly_modes: q")
    if lengths.shape != (LEGS,):
        raise GoughError(
            f"assembly_modes: q has shape {lengths.shape}; expected ({LEGS},), one length per leg"
        )
    for k, length in enumerate(lengths, 1):
        if not 0 < length < np.inf:
            raise GoughError(
                f"assembly_modes: leg {k} has length {length:g}; expected a positive number [m]"
            )
    (i, j), (a, b) = LEG_PAIRS, geometry.gaps
    first, second = lengths[i], lengths[j]
    for excess, rule, bound in (  # of quadrangles, whose sides are shorter than the other three
        (np.abs(first - second) - (a + b), "differ by at most", a + b),
        (np.abs(a - b) - (first + second), "have a sum of at least", np.abs(a - b)),
    ):
        k = int(excess.argmax())
        if excess[k] > _SLACK * geometry.unit:
            raise GoughError(
                f"assembly_modes: legs {i[k] + 1} and {j[k] + 1} cannot have lengths {first[k]:g} "
                f"and {second[k]:g} at once; expected lengths that {rule} {bound[k]:g} m, from the "
                "distances of their joints"
            )
    return lengths
