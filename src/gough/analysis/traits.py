"""Traits that a machine must have for a quantity, and the words for their absence."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from gough.model.structure import Structure
from gough.robot import MOVES

_FRICTION = re.compile(r"\.joint_friction\.|\.connector\.damping$|^joints.*\.(damping|friction)$")
_FLEXURES = re.compile(r"\.joint_stiffness\.(base_bending|platform_bending|platform_torsion)$")
_JOINT_SPRING = re.compile(r"joints\[\d+\]\.stiffness")
"""Names of numbers of joints that resist."""


@dataclass(frozen=True, eq=False)
class Trait:
    """Something that some machines have."""

    words: str
    """Name of the trait, after "has no"."""
    found_in: Callable[[Structure], bool]


def _is_compliant(structure: Structure, turning: bool) -> bool:
    """Return whether the platform of a machine is compliant to forces, or to moments."""
    kinds = {move[0] for move in structure.degrees_of_freedom}
    moved = "u" in kinds or ("r" in kinds if turning else bool(kinds - {"r"}))
    return structure.has_stiffness and (structure.has_compliant_links or moved)


def _states(structure: Structure, kind: re.Pattern[str]) -> bool:
    """Whether a machine's file states some number of its joints."""
    return any(kind.search(name) for name in structure.numbers)


def _has_springs(structure: Structure) -> bool:
    """Whether passive joints are springs (driven ones have encoders), or others are stated."""
    if structure.has_loaded_springs:
        return True
    if structure.extensible:
        return _states(structure, _FLEXURES)
    stiff = (name for name in structure.numbers if _JOINT_SPRING.fullmatch(name))
    return any(name.replace("stiffness", "gain") not in structure.numbers for name in stiff)


# fmt: off
ANY_MACHINE = Trait("", lambda structure: True)
EXTENSIBLE_LEGS = Trait("extensible legs between two points each",
    lambda structure: structure.extensible)
UNIVERSAL_LEGS = Trait("extensible legs on universal joints",
    lambda structure: structure.extensible and any("U" in l.joints for l in structure.legs))
_RIGID = (
    "stiffness: not all of its legs or driven joints are compliant, or springs deform its links"
)
ELASTIC = Trait(_RIGID, lambda structure: structure.has_stiffness)
COMPLIANT_TRANSLATION = Trait(f"{_RIGID}, or it only turns",
    lambda structure: _is_compliant(structure, turning=False))
COMPLIANT_ROTATION = Trait(f"{_RIGID}, or it only slides",
    lambda structure: _is_compliant(structure, turning=True))
VIBRATING = Trait(
    f"{_RIGID}, or links or bearings are compliant, whose masses leave its motion type",
    lambda structure: structure.elastic and not structure.has_compliant_links)
SPRUNG_JOINTS = Trait("springs of joints or between bodies", _has_springs)
RESISTING_JOINTS = Trait("friction, damping or springs",
    lambda structure: _has_springs(structure) or _states(structure, _FRICTION))
DRIVEN_JOINTS = Trait("actuators that are joints", lambda structure: not structure.extensible)
PASSIVE_JOINTS = Trait("groups of passive joints that are solved together",
    lambda structure: bool(structure.passive_groups) and not structure.extensible)
FEWER_FREEDOMS = Trait("motion that its legs forbid", lambda structure: structure.dof < len(MOVES))
FLEXIBLE_LINKS = Trait("links that bend", lambda structure: bool(structure.beams))
FLEXIBLE_MODES = Trait("links that bend with modes of their own",
    lambda structure: bool(structure.beam_modes))
TILTED_JOINTS = Trait("ball or universal joints", lambda structure: bool(structure.tilts))
# fmt: on
