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


ANY_MACHINE = Trait("", lambda structure: True)
EXTENSIBLE_LEGS = Trait(
    "extensible legs between two points each", lambda structure: not _of_any_kind(structure)
)
UNIVERSAL_LEGS = Trait(
    "extensible legs on universal joints",
    lambda structure: not _of_any_kind(structure) and any("U" in l.joints for l in structure.legs),
)
ELASTIC = Trait(
    "stiffness: not all of its legs or driven joints yield", lambda structure: structure.elastic
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
TILTED_JOINTS = Trait(
    "ball or universal joints that are drawn one by one",
    lambda structure: isinstance(structure, MechanismStructure) and bool(structure.tilts),
)
