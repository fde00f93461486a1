"""The quantities that one machine has: with its own joints, their names and their units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from gough.analysis.axes import (
    BEAM,
    BEAM_MODE,
    BEARING,
    JOINT,
    LEG,
    LEG_WITH_MOTORS,
    MODE,
    PASSIVE_GROUP,
    TILT,
    Axis,
    AxisPart,
    joints_axis,
)
from gough.analysis.definition import QuantityDefinition
from gough.analysis.quantities import DEFINITIONS
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.model.catalogue import definitions, why_absent
from gough.model.definition import Definition as KernelDefinition
from gough.model.structure import Structure, structure_of
from gough.robot import Robot

Table = Mapping[str, QuantityDefinition]


def table_of(robot: Robot) -> Table:
    """The quantities of a robot by name, in the order of the table of all."""
    return _table(structure_of(robot))


def positions_of(table: Table) -> str:
    """Return the name of the positions of a machine's actuators in its table."""
    return next(n for n, quantity in table.items() if quantity.kernel == "inverse_kinematics")


def why_lacking(robot: Robot, name: str) -> str:
    """Return the reason why a robot lacks a quantity of the table; empty if it has it."""
    structure = structure_of(robot)
    if name in _table(structure):
        return ""
    quantity = DEFINITIONS[name]
    if not quantity.of.found_in(structure):
        return f"there is no {name}: {robot.name} has no {quantity.of.words}"
    kernel = quantity.kernel.partition(".")[0]
    reason = why_absent(structure, DEFAULT_FORMULATION, kernel)
    return f"there is no {name}: {reason or f'{robot.name} has no kernel {kernel}'}"


@lru_cache(maxsize=64)
def _table(structure: Structure) -> Table:
    axes, kernels = _axes(structure), definitions(structure, DEFAULT_FORMULATION)
    return MappingProxyType(
        {
            name: quantity.on(axes)
            for name, quantity in DEFINITIONS.items()
            if quantity.of.found_in(structure) and _is_given(quantity.kernel, kernels)
        }
    )


def _is_given(kernel: str, kernels: Mapping[str, KernelDefinition]) -> bool:
    """Whether a machine has what gives a quantity: nothing, a kernel, or a result of one."""
    name, _, result = kernel.partition(".")
    if name not in kernels:
        return not name
    return not result or result in [argument.name for argument in kernels[name].outputs]


def _axes(structure: Structure) -> dict[Axis, Axis]:
    """Return the axes of the table for a machine; the legs of a hexapod are counted."""
    sliding = structure.sliding
    found = {
        JOINT: joints_axis("joint", [(name, name not in sliding) for name in structure.joints]),
        BEARING: _named(BEARING, tuple(reaction.joint for reaction in structure.reactions)),
        BEAM: _named(BEAM, structure.beams),
        BEAM_MODE: _named(BEAM_MODE, structure.beam_modes),
        TILT: _named(TILT, structure.tilts),
        LEG_WITH_MOTORS: _named(LEG_WITH_MOTORS, structure.motor_legs),
        PASSIVE_GROUP: _named(PASSIVE_GROUP, structure.passive_groups),
        MODE: _named(MODE, MODE.labels[: structure.dof]),
    }
    if not structure.extensible:
        driven = [(joint.name, joint.turns) for joint in structure.driven]
        found[LEG] = joints_axis("actuator", driven)
    return found


def _named(axis: Axis, labels: tuple[str, ...]) -> Axis:
    return replace(axis, parts=(AxisPart(axis.name, labels),))
