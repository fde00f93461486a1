"""Every kernel that a model offers: its equation, inputs and outputs with their units and meaning.

Shapes follow from the machine's structure.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from gough.equations import usual_formulations as usual
from gough.errors import InputError
from gough.model.definition import CARRYING, OF_RESTING_BASE, Definition
from gough.model.structure import Structure
from gough.robot import Robot


class NoSuchKernelError(LookupError):
    """A machine has no kernel of a name."""


def chosen_formulation(robot: Robot, name: str | None, *, moving_base: bool = False) -> str:
    """The formulation of a name, or a robot's default; InputError if it has none of that name.

    A base that moves has the general one, with its motion as inputs.
    """
    short = robot.has_extensible_legs and not moving_base
    known = usual.FORMULATION_NAMES if short else (usual.GENERAL_FORMULATION,)
    if name in (None, *known):
        return usual.ON_MOVING_BASE if moving_base else name or known[0]
    elsewhere = isinstance(name, str) and name in usual.FORMULATION_NAMES
    problem = f"{robot.name} has no formulation" if elsewhere else "unknown formulation"
    problem = "a moving base has no formulation" if elsewhere and moving_base else problem
    listed = f"one of {', '.join(known)}" if len(known) > 1 else known[0]
    raise InputError(f"{problem} {name!r}", expected=listed)


@lru_cache(maxsize=64)
def definitions(structure: Structure, formulation: str) -> Mapping[str, Definition]:
    """The kernels of a machine by name; those of the dynamics by the chosen formulation."""
    every, determined = _all(structure, formulation).items(), structure.determined
    known = {name: kernel for name, kernel in every if determined or not kernel.needs_inverse}
    return MappingProxyType(known)


def definition_of(structure: Structure, formulation: str, name: str) -> Definition:
    """One of these; NoSuchKernelError if the machine has none of that name."""
    known = definitions(structure, formulation)
    if name not in known:
        raise NoSuchKernelError(name)
    return known[name]


def why_absent(structure: Structure, formulation: str, name: str) -> str | None:
    """Return the reason why a machine is without a kernel of others; None for unknown kernels."""
    if name in definitions(structure, formulation):
        return None
    n, freedoms = structure.actuators, structure.dof
    if formulation == usual.ON_MOVING_BASE and name in OF_RESTING_BASE:
        return (
            f"there is no {name} of a moving base; expected gough.Model(robot), of a base at rest"
        )
    if name in CARRYING and n < freedoms:
        return (
            f"this machine has no {name}: it cannot resist some wrenches, with {n} actuators for "
            f"{freedoms} degrees of freedom; expected at least as many actuators as degrees of "
            "freedom"
        )
    if name not in _all(structure, formulation):
        return _why_another_kind(structure, name)
    return (
        f"this machine has no {name}: its motion does not determine the forces of {n} actuators "
        f"for {freedoms} degrees of freedom; expected as many actuators as degrees of freedom"
    )


def _why_another_kind(structure: Structure, name: str) -> str | None:
    """Return the reason why a kernel is not one of this kind of machine."""
    from gough.model.kernel_table import elastic_kernels, of_extensible_legs  # noqa: PLC0415

    if name in {"vibration", *elastic_kernels(structure)}:
        return f"this machine has no {name}: {_why_not_elastic(structure)}"
    if name == "leg_form":
        return "this machine has no leg_form: expected a hexapod with UPS legs"
    if name in of_extensible_legs(structure):
        return f"this machine has no {name}: that is of hexapods, whose legs extend"
    if name == "coupling_efforts":
        return f"this machine has no {name}: its file has no [[couplings]]"
    return "this machine has no ball or universal joints" if name == "joint_tilts" else None


def _why_not_elastic(structure: Structure) -> str:
    """Return the reason why a machine is without the kernels of elastic ones."""
    if structure.elastic and not structure.has_stiffness:
        return (
            "its links or bearings are elastic, and springs beside them deform them; expected no "
            "beam and no bearing, or gough.FlexibleMachine, which has them"
        )
    if structure.elastic:
        return (
            "its links, bearings or platform are elastic, and their masses need coordinates of "
            "their own; expected no beam, no bearing and no mass of a flexible platform, or "
            "gough.natural_modes, which has them"
        )
    if not structure.extensible:
        return "not all of its driven joints are elastic; expected a stiffness of each driven joint"
    return (
        "not all of its legs are elastic; expected a stiffness, a screw, a connector or an axial "
        "joint_stiffness of each leg"
    )


# Equations are slow to import, and kernels that are kept on disk need none.


def _all(structure: Structure, formulation: str) -> dict[str, Definition]:
    from gough.model.kernel_table import kernel_table  # noqa: PLC0415

    return kernel_table(structure, formulation)
