"""The quantities of a study as equations of one state: together, so that none is done twice."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add

import casadi as ca

from gough.analysis.drives import OF_MOTORS, drives_argument, motor_demands
from gough.analysis.quantities import QUANTITIES
from gough.compiler.front.argument import Argument
from gough.elastic.kernels import frequencies_under_load
from gough.equations.elastic import stiffness
from gough.equations.elastic.stiffness import softest
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.spatial.algebra import Value
from gough.kinematics.singularity.singularity import LENGTH, condition
from gough.model.catalogue import definitions
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH
from gough.model.structure import Structure

_NEGLECTED = ("tangential", "coriolis", "centrifugal")


def inputs(actuators: int) -> tuple[Argument, ...]:
    """Return the inputs of the quantities, for a number of actuators."""
    each = (actuators,)
    return (
        POSE,
        TWIST,
        ACCELERATION,
        WRENCH,
        LENGTH,
        Argument("max_force", each, "N, N m", "NaN where none is stated, as in the other limits"),
        Argument("max_speed", each, "m/s, rad/s"),
        Argument("least", each, "m, rad", "end of the travel"),
        Argument("greatest", each, "m, rad", "end of the travel"),
        drives_argument(actuators),
    )


def quantities(
    structure: Structure,
    formulation: str,
    machine: Machine,
    names: Collection[str],
    *given: Value,
) -> dict[str, Value]:
    """The named quantities, from what `inputs` lists."""
    at = _AtState(structure, formulation, machine, *given)
    return {name: at.quantity(name) for name in names}


@dataclass
class _AtState:
    """A machine in one state: what kernels give there, each asked once, and what follows."""

    structure: Structure
    formulation: str
    machine: Machine
    pose: Value
    twist: Value
    acceleration: Value
    wrench: Value
    length: Value
    max_force: Value
    max_speed: Value
    least: Value
    greatest: Value
    drives: Value
    asked: dict[str, dict[str, Value]] = field(default_factory=dict, init=False)
    """Results by kernel."""

    def quantity(self, name: str) -> Value:
        """One of the table: of a kernel, of the motors, or by its formula."""
        if kernel := QUANTITIES[name].kernel:
            return self.of(kernel)
        return self.motors[name] if name in OF_MOTORS else _FORMULAS[name](self)

    def of(self, kernel: str) -> Value:
        """A kernel's result: its only one, or the one named behind a dot."""
        kernel, _, result = kernel.partition(".")
        if kernel not in self.asked:
            self.asked[kernel] = self._results(kernel)
        found = self.asked[kernel]
        return found[result] if result else next(iter(found.values()))

    @cached_property
    def softest(self) -> tuple[Value, Value]:
        """Stiffness in the most compliant direction, and about the most compliant axis."""
        return softest(self.machine, self.pose)

    @cached_property
    def motors(self) -> dict[str, Value]:
        """Demands on the motors."""
        kernels = ("joint_velocity", "joint_acceleration", "actuator_force")
        return motor_demands(self.drives, *map(self.of, kernels))

    def given(self, kernel: str, *inputs: Value) -> Value:
        """The only result of a kernel that takes more than the state."""
        found = definitions(self.structure, self.formulation)[kernel].equation
        result = found(self.machine, *inputs)
        assert not isinstance(result, tuple)
        return result

    def _results(self, kernel: str) -> dict[str, Value]:
        source = definitions(self.structure, self.formulation)[kernel]
        state = (self.pose, self.twist, self.acceleration, self.wrench)
        found = source.equation(self.machine, *state[: len(source.inputs)])
        several = found if isinstance(found, tuple) else (found,)
        return {a.name: value for a, value in zip(source.outputs, several, strict=True)}


def _travel_margin(at: _AtState) -> Value:
    q = at.of("inverse_kinematics")
    return ca.fmin(q - at.least, at.greatest - q)


def _deflection(at: _AtState) -> Value:
    held = ca.DM.zeros(at.structure.actuators)
    return stiffness.deflection(at.machine, at.pose, at.wrench, held)


def _natural_frequency(at: _AtState) -> Value:
    held, freedoms = ca.DM.zeros(at.structure.actuators), at.structure.dof
    return frequencies_under_load(at.machine, at.pose, at.wrench, held, freedoms)[:freedoms]


_FORMULAS: dict[str, Callable[[_AtState], Value]] = {
    "power": lambda at: at.of("actuator_force") * at.of("joint_velocity"),
    "joint_share": lambda at: at.of("actuator_force") - at.of("inverse_dynamics"),
    "force_margin": lambda at: 1 - ca.fabs(at.of("actuator_force")) / at.max_force,
    "wrench_margin": lambda at: at.given(
        "wrench_margin", at.pose, at.max_force, at.twist, at.acceleration, at.wrench
    ),
    "speed_margin": lambda at: at.max_speed - ca.fabs(at.of("joint_velocity")),
    "stroke_margin": _travel_margin,
    "travel_margin": _travel_margin,
    "condition": lambda at: condition(at.machine, at.pose, at.length),
    "determinant": lambda at: singularity_measures.determinant(at.machine, at.pose),
    "universal_joint_sine": lambda at: at.of("universal_joint_sines"),
    "task_deflection": _deflection,
    "minimum_stiffness": lambda at: at.softest[0],
    "minimum_rotational_stiffness": lambda at: at.softest[1],
    "natural_frequency": _natural_frequency,
    "gravity_only_error": lambda at: reduce(
        add, (at.of(f"force_decomposition.{share}") for share in _NEGLECTED)
    ),
}
"""Formulas of quantities that no kernel computes."""
