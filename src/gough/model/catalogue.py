"""Every kernel that a model offers: its equation, inputs and outputs with their units and meaning.

Shapes follow from the machine's structure.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from gough.equations.dynamics import FORMULATIONS, GENERAL_FORMULATION
from gough.model.definition import Definition
from gough.model.hexapod_catalogue import of_hexapods
from gough.model.mechanism.catalogue import of_any_kind
from gough.model.structure import MechanismStructure, Structure
from gough.robot import Hexapod, Robot


def formulations(robot: Robot) -> tuple[str, ...]:
    """By which derivations a robot's dynamics can be made; the first is the default."""
    return tuple(FORMULATIONS) if isinstance(robot, Hexapod) else (GENERAL_FORMULATION,)


@lru_cache(maxsize=64)
def definitions(structure: Structure, formulation: str) -> Mapping[str, Definition]:
    """The kernels of a machine by name; those of the dynamics by the chosen formulation."""
    return MappingProxyType(
        {
            name: definition
            for name, definition in _all(structure, formulation).items()
            if structure.determined or not definition.needs_inverse
        }
    )


def why_absent(structure: Structure, formulation: str, name: str) -> str | None:
    """Why a machine has not a kernel that others have; None for what no machine has."""
    known = _all(structure, formulation)
    if name not in known or name in definitions(structure, formulation):
        return None
    n, freedoms = structure.actuators, len(structure.freedoms)
    return (
        f"this machine has no {name}: its motion does not determine the forces, as it has {n} "
        f"actuators for {freedoms} freedoms; expected as many actuators as freedoms"
    )


def _all(structure: Structure, formulation: str) -> dict[str, Definition]:
    if isinstance(structure, MechanismStructure):
        return of_any_kind(structure)
    return of_hexapods(structure, FORMULATIONS[formulation])
