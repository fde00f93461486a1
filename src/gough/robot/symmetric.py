"""Symmetric machines: joint centres from a few lengths and angles instead of six coordinates.

Azimuths are measured about z, counter-clockwise seen from above, from the x axis.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Literal

from gough.errors import InputError
from gough.fields.inertia import Triple
from gough.fields.quantities import Angle, Length, PairAngle, PositiveLength
from gough.fields.table import FileTable, entry

_THIRD = 2.0 * math.pi / 3.0


class _Symmetric(FileTable):
    """Keys of both layouts: planes of the joints, and azimuth of the layout."""

    base_azimuth: Angle = entry(
        "Azimuth [rad] of the first base pair (circles) or corner (triangles).", 0.0
    )
    base_height: Length = entry("z of the base joints [m], base frame.", 0.0)
    base_step: Length = entry(
        "Height of the base joints of legs 1, 3 and 5 above the others [m]: base joints in two "
        "planes.",
        0.0,
    )
    platform_height: Length = entry("z of platform joints [m], platform frame.", 0.0)

    def joints(self, of: ModuleType = math) -> list[tuple[Triple, Triple]]:
        """Return the base and platform joint centre of each leg [m], in their own frames.

        `of` has cosine, sine and root for lengths and angles that are numbers, or symbols.
        """
        base, platform = self._flat(of)
        heights = [self.base_height + self.base_step, self.base_height] * 3
        ends = zip(base, platform, heights, strict=True)
        return [((*b, height), (*p, self.platform_height)) for b, p, height in ends]

    def _flat(self, of: ModuleType) -> tuple[list[_Flat], list[_Flat]]:
        """Joint centres of base and platform in their planes."""
        raise NotImplementedError


class Circles(_Symmetric):
    """Joints in three pairs on a circle, on both bodies [Bingul 2012 Fig. 2; Baiges 1996 Fig. 7.1].

    Legs 1-2, 3-4 and 5-6 are pairs at the base, centred on the base azimuth and 120° and 240°
    further; legs 2-3, 4-5 and 6-1 are pairs at the platform, midway between the base pairs unless
    `platform_turn` says otherwise.
    """

    layout: Literal["circles"]
    base_radius: PositiveLength = entry("Radius of the base joints' circle [m].")
    base_angle: PairAngle = entry(
        "Angle [rad] between the two base joints of a pair, seen from the centre."
    )
    platform_radius: PositiveLength = entry("Radius of the platform joints' circle [m].")
    platform_angle: PairAngle = entry(
        "Angle [rad] between the two platform joints of a pair, seen from the centre."
    )
    platform_turn: Angle = entry(
        "Rotation [rad] of the platform's joints about z in the platform frame, from midway "
        "between the base pairs.",
        0.0,
    )

    def _flat(self, of: ModuleType) -> tuple[list[_Flat], list[_Flat]]:
        at_base = _pairs(self.base_radius, self.base_angle, self.base_azimuth, of)
        midway = self.base_azimuth + self.platform_turn - _THIRD / 2.0
        at_platform = _pairs(self.platform_radius, self.platform_angle, midway, of)
        return at_base, at_platform[1:] + at_platform[:1]


class Triangles(_Symmetric):
    """Joints on the corners and sides of two equilateral triangles [Baiges 1996 Fig. 7.3-7.5].

    The base has a corner on the base azimuth, the platform's triangle is turned by 60° against it.
    Legs 2, 4 and 6 join the base corners to points on the platform's sides; legs 1, 3 and 5 join
    points on the base's sides to the platform corners. Legs 1-2, 3-4 and 5-6 meet near a platform
    corner, legs 2-3, 4-5 and 6-1 near a base corner.
    """

    layout: Literal["triangles"]
    base_side: PositiveLength = entry("Side of the base triangle [m].")
    base_side_point: PositiveLength = entry(
        "Distance [m] from the end of a side, going counter-clockwise, back to the base joint on "
        "it. At most base_side."
    )
    platform_side: PositiveLength = entry("Side of the platform triangle [m].")
    platform_side_point: PositiveLength = entry(
        "Distance [m] from the end of a side, going counter-clockwise, back to the platform joint "
        "on it. At most platform_side."
    )

    def _check(self) -> None:
        for body in ("base", "platform"):
            side, point = getattr(self, f"{body}_side"), getattr(self, f"{body}_side_point")
            if point > side:
                problem = "beyond the end of the side"
                expected = f"at most {body}_side, {side:.6g} m"
                raise InputError(problem, key=f"{body}_side_point", value=point, expected=expected)

    def _flat(self, of: ModuleType) -> tuple[list[_Flat], list[_Flat]]:
        a, b, c = _corners(self.base_side, self.base_azimuth, of)
        ab, bc, ca = _side_points((a, b, c), self.base_side_point / self.base_side)
        d, e, f = _corners(self.platform_side, self.base_azimuth - _THIRD / 2.0, of)
        de, ef, fd = _side_points((d, e, f), self.platform_side_point / self.platform_side)
        return [ca, a, ab, b, bc, c], [d, de, e, ef, f, fd]


def tangent(joint: Triple, of: ModuleType = math) -> Triple:
    """Return the horizontal direction across a joint's azimuth α: (−sin α, cos α, 0)."""
    x, y, _ = joint
    radius = of.hypot(x, y)
    return -y / radius, x / radius, 0.0


_Flat = tuple[float, float]
_Triangle = tuple[_Flat, _Flat, _Flat]


def _pairs(radius: float, angle: float, azimuth: float, of: ModuleType) -> list[_Flat]:
    azimuths = [azimuth + k * _THIRD + side * angle / 2.0 for k in range(3) for side in (-1, 1)]
    return [_polar(radius, azimuth, of) for azimuth in azimuths]


def _corners(side: float, azimuth: float, of: ModuleType) -> _Triangle:
    radius = side / math.sqrt(3.0)
    first, second, third = (_polar(radius, azimuth + k * _THIRD, of) for k in range(3))
    return first, second, third


def _side_points(corners: _Triangle, share: float) -> _Triangle:
    """Return a point on each side, the given share of the side before the side's end."""
    a, b, c = corners
    return _between(b, a, share), _between(c, b, share), _between(a, c, share)


def _between(start: _Flat, end: _Flat, share: float) -> _Flat:
    (x, y), (to_x, to_y) = start, end
    return x + share * (to_x - x), y + share * (to_y - y)


def _polar(radius: float, azimuth: float, of: ModuleType) -> _Flat:
    return radius * of.cos(azimuth), radius * of.sin(azimuth)
