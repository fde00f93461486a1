"""How far a machine goes along each axis, as tables and as plain data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gough.cli.output import table

if TYPE_CHECKING:
    from gough.kinematics.workspace.travels import Travel

SHOWN = {"m": ("m", 1.0), "rad": ("deg", 180 / math.pi)}
"""The unit in which tables show lengths and angles, and how many of it make one of ours."""


def travel_table(part: Travel, origin: str) -> Any:
    """The ways along some axes from a place, and what ends them."""
    unit, scale = SHOWN[part.unit]
    rows = [
        (_axis_words(name), *(cell for side in sides for cell in side))
        for name, sides in zip(part.freedoms, _sides(part, scale), strict=True)
    ]
    word = "Travel" if part.unit == "m" else "Rotation"
    columns = ("axis", "negative", "ended by", "positive", "ended by ")
    return table(f"{word} from {origin} [{unit}]", columns, rows)


def travel_facts(part: Travel) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "freedoms": list(part.freedoms),
        "unit": part.unit,
        "travel": part.distances.tolist(),
        "ended_by": part.ended_by,
    }


def _sides(part: Travel, scale: float) -> list[list[tuple[float, str | None]]]:
    return [
        [(float(x) * scale, end) for x, end in zip(distances, ends, strict=True)]
        for distances, ends in zip(part.distances, part.ended_by, strict=True)
    ]


def _axis_words(freedom: str) -> str:
    from gough.robot.mechanism import MOVES

    return f"about {freedom[1:]}" if freedom in MOVES[3:] else freedom
