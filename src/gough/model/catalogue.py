"""Every kernel that a model offers: its equation, inputs and outputs with their units and meaning.

Shapes follow from the machine's structure.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from gough.equations.usual_formulations import DEFAULT_FORMULATION, GENERAL_FORMULATION
from gough.errors import InputError
from gough.model.definition import CARRYING, Definition
from gough.model.structure import MechanismStructure, Structure
from gough.robot import Hexapod, Robot

if TYPE_CHECKING:
    from gough.equations.dynamics import Formulation


class NoSuchKernelError(LookupError):
    """A machine has no kernel of a name."""


def formulations(robot: Robot) -> tuple[str, ...]:
    """By which derivations a robot's dynamics can be made."""
    return tuple(_derivations()) if isinstance(robot, Hexapod) else (GENERAL_FORMULATION,)


def chosen_formulation(robot: Robot, name: str | None) -> str:
    """The formulation of a name, or a robot's default; InputError if it has none of that name."""
    if name is None:
        return DEFAULT_FORMULATION if isinstance(robot, Hexapod) else GENERAL_FORMULATION
    known = formulations(robot)
    if name in known:
        return name
    elsewhere = isinstance(name, str) and name in _derivations()
    problem = f"{robot.name} has no formulation" if elsewhere else "unknown formulation"
    listed = f"one of {', '.join(known)}" if len(known) > 1 else known[0]
    raise InputError(f"{problem} {name!r}", expected=listed)


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


def definition_of(structure: Structure, formulation: str, name: str) -> Definition:
    """One of these; NoSuchKernelError if the machine has none of that name."""
    known = definitions(structure, formulation)
    if name not in known:
        raise NoSuchKernelError(name)
    return known[name]


def why_absent(structure: Structure, formulation: str, name: str) -> str | None:
    """Why a machine has not a kernel that others have; None for what no machine has."""
    if name in definitions(structure, formulation):
        return None
    n, freedoms = structure.actuators, len(structure.freedoms)
    if name in CARRYING and n < freedoms:
        return (
            f"this machine has no {name}: it yields to some wrench, as it has {n} actuators for "
            f"{freedoms} freedoms; expected at least as many actuators as freedoms"
        )
    if name not in _all(structure, formulation):
        return _why_another_kind(structure, name)
    return (
        f"this machine has no {name}: its motion does not determine the forces, as it has {n} "
        f"actuators for {freedoms} freedoms; expected as many actuators as freedoms"
    )


def _why_another_kind(structure: Structure, name: str) -> str | None:
    """Why a kernel is not one of this kind of machine."""
    from gough.model.hexapod_catalogue import of_elastic_hexapods  # noqa: PLC0415

    if name in of_elastic_hexapods(Structure((), ())):
        return f"this machine has no {name}: {_why_not_elastic(structure)}"
    if not isinstance(structure, MechanismStructure):
        if name in _of_any_kind(MechanismStructure((), ())):
            return f"a hexapod has no {name}: that is of machines described by bodies and joints"
        return None
    empty = Structure((), ())
    if name in _of_hexapods(empty, DEFAULT_FORMULATION) | of_elastic_hexapods(empty):
        return f"this machine has no {name}: that is of hexapods, whose legs extend"
    return "this machine has no ball or universal joints" if name == "joint_tilts" else None


def _why_not_elastic(structure: Structure) -> str:
    """Why a machine has not all that elastic ones have."""
    if structure.elastic:
        return (
            "its links or bearings yield, and their masses would need coordinates of their own; "
            "expected no beam and no bearing, or gough.modes, which has them"
        )
    if isinstance(structure, MechanismStructure):
        return "not all of its driven joints yield; expected a stiffness of each driven joint"
    return (
        "not all of its legs yield; expected a stiffness, a screw, a connector or an axial "
        "joint_stiffness of each leg"
    )


def _all(structure: Structure, formulation: str) -> dict[str, Definition]:
    if isinstance(structure, MechanismStructure):
        return _of_any_kind(structure)
    return _of_hexapods(structure, formulation)


# Equations are slow to import, and kernels that are kept on disk need none.


def _derivations() -> dict[str, Formulation]:
    from gough.equations.dynamics import FORMULATIONS  # noqa: PLC0415

    return FORMULATIONS


def _of_hexapods(structure: Structure, formulation: str) -> dict[str, Definition]:
    from gough.model.hexapod_catalogue import of_hexapods  # noqa: PLC0415

    return of_hexapods(structure, _derivations()[formulation])


def _of_any_kind(structure: MechanismStructure) -> dict[str, Definition]:
    from gough.model.mechanism.catalogue import of_any_kind  # noqa: PLC0415

    return of_any_kind(structure)
