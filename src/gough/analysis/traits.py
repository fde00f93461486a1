"""What a machine must be like to have a quantity, and what to say of one that is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gough.model.structure import MechanismStructure, Structure
from gough.robot.mechanism import MOVES


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
