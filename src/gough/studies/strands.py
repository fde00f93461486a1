"""Which variations of a study have nothing to do with each other.

The axes of a grid fall into strands: numbers of one strand become parameters, and are checked,
without a look at those of another (but for the home pose, at which legs must fit). So what one
combination of a strand's values makes of a study, with all other axes at their first values, it
makes of it at every point.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gough.studies.variations import Variation

BASE_JOINTS, PLATFORM_JOINTS = "base joints", "platform joints"
MOTION, LOAD, REST = "motion", "load", "rest"
"""The motion; the platform's body with all tasks; and what nothing is known of."""
_OF_LEGS = re.compile(r"robot\.(?:leg|legs\[\d+\])\.(\w+)")
_OF_PATHS = {
    r"motion\b": MOTION,
    r"tasks\b": LOAD,
    r"robot\.platform\.(mass|center_of_mass|inertia)\b": LOAD,
    r"robot\.gravity\b": "gravity",
    r"robot\.symmetric\.base_(?!azimuth)": BASE_JOINTS,
    r"robot\.symmetric\.platform_": PLATFORM_JOINTS,
}
_OF_KEYS = {
    **dict.fromkeys(("base", "first_axis"), BASE_JOINTS),
    "platform": PLATFORM_JOINTS,
    "stroke": "stroke",
    **dict.fromkeys(("cylinder", "piston", "connector"), "bodies"),
    **{
        key: key
        for key in (
            *("drive", "joint_friction", "max_force", "max_speed", "base_joint_limit"),
            *("platform_joint_limit", "radius", "length_offset", "gain"),
        )
    },
}
"""Of what is said of legs: `gough.robot.checks` looks at these together.

It looks at joints and strokes together, too: see `Rows.clearly_possible`.
"""


class Strand(NamedTuple):
    """Axes of a grid that may have to do with each other."""

    kinds: frozenset[str]
    axes: tuple[int, ...]


def strands_of(variations: Sequence[Variation]) -> list[Strand]:
    """The axes of a grid for a hexapod, strand by strand."""
    found: list[Strand] = []
    for axis, variation in enumerate(variations):
        kinds = frozenset(map(_kind, variation.parameters))
        joined = [strand for strand in found if strand.kinds & kinds]
        found = [strand for strand in found if strand not in joined]
        axes = [a for strand in joined for a in strand.axes]
        found.append(Strand(kinds.union(*(s.kinds for s in joined)), (*sorted(axes), axis)))
    return found


def _kind(path: str) -> str:
    if leg := _OF_LEGS.match(path):
        return _OF_KEYS.get(leg[1], REST)
    return next((kind for start, kind in _OF_PATHS.items() if re.match(start, path)), REST)
