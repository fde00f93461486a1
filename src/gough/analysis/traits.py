"""What a machine must be like to have a quantity, and what to say of one that is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gough.model.structure import MechanismStructure, Structure
from gough.robot.mechanism import MOVES

_FRICTION = re.compile(r"\.joint_friction\.|\.connector\.damping$|^joints.*\.(damping|friction)$")
_FLEXURES = re.compile(r"\.joint_stiffness\.(base_bending|platform_bending|platform_torsion)$")
_JOINT_SPRING = re.compile(r"joints\[\d+\]\.stiffness")
"""Names of numbers of joints that resist."""


@dataclass(frozen=True, eq=False)
class Trait:
    """Something that some machines have."""

    words: str
    """What it is, after "has no"."""
    found_in: Callable[[Structure], bool]


def _of_any_kind(structure: Structure) -> bool:
    return isinstance(structure, MechanismStructure)


def _yields(structure: Structure, turning: bool) -> bool:
    """Whether the platform of a machine gives way to forces, or to moments."""
    if isinstance(structure, MechanismStructure) and structure.links_yield:
        return structure.elastic
    moved = (move.startswith("u") or move.startswith("r") == turning for move in structure.freedoms)
    return structure.elastic and any(moved)


def _states(structure: Structure, kind: re.Pattern[str]) -> bool:
    """Whether a machine's file states some number of its joints."""
    return any(kind.search(name) for name in structure.numbers)


def _has_springs(structure: Structure) -> bool:
    """Whether passive joints are springs: driven ones have encoders."""
    if not _of_any_kind(structure):
        return _states(structure, _FLEXURES)
    stiff = (name for name in structure.numbers if _JOINT_SPRING.fullmatch(name))
    return any(name.replace("stiffness", "gain") not in structure.numbers for name in stiff)


ANY_MACHINE = Trait("", lambda structure: True)
EXTENSIBLE_LEGS = Trait(
    "extensible legs between two points each", lambda structure: not _of_any_kind(structure)
)
UNIVERSAL_LEGS = Trait(
    "extensible legs on universal joints",
    lambda structure: not _of_any_kind(structure) and any("U" in l.joints for l in structure.legs),
)
_RIGID = "stiffness: not all of its legs or driven joints yield"
ELASTIC = Trait(_RIGID, lambda structure: structure.elastic)
YIELDING_WAYS = Trait(
    f"{_RIGID}, or it only turns", lambda structure: _yields(structure, turning=False)
)
YIELDING_TURNS = Trait(
    f"{_RIGID}, or it only slides", lambda structure: _yields(structure, turning=True)
)
VIBRATING = Trait(
    f"{_RIGID}, or links or bearings yield, whose masses leave its moves",
    lambda structure: (
        structure.elastic
        and not (isinstance(structure, MechanismStructure) and structure.links_yield)
    ),
)
SPRUNG_JOINTS = Trait("springs of passive joints", _has_springs)
RESISTING_JOINTS = Trait(
    "friction, damping or springs of joints",
    lambda structure: _has_springs(structure) or _states(structure, _FRICTION),
)
DRAWN_JOINTS = Trait("joints that are drawn one by one", _of_any_kind)
PASSIVE_JOINTS = Trait(
    "passive joints that are drawn one by one",
    lambda structure: isinstance(structure, MechanismStructure) and bool(structure.passive_groups),
)
FEWER_FREEDOMS = Trait(
    "motion that its legs forbid",
    lambda structure: _of_any_kind(structure) and len(structure.freedoms) < len(MOVES),
)
FLEXIBLE_LINKS = Trait(
    "links that bend",
    lambda structure: isinstance(structure, MechanismStructure) and bool(structure.beams),
)
FLEXIBLE_MODES = Trait(
    "links that bend with modes of their own",
    lambda structure: isinstance(structure, MechanismStructure) and bool(structure.beam_modes),
)
TILTED_JOINTS = Trait(
    "ball or universal joints that are drawn one by one",
    lambda structure: isinstance(structure, MechanismStructure) and bool(structure.tilts),
)
