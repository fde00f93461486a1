"""The quantities of a study as equations of one state: together, so that none is done twice."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca

from gough.analysis.drives import OF_MOTORS, drives_argument, motor_demands
from gough.analysis.quantities import QUANTITIES
from gough.compiler.front.argument import Argument
from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.elastic.softest import softest
from gough.equations.legs import passive
from gough.equations.legs.leg import leg_position
from gough.equations.platform import singularity as singular
from gough.kinematics.elastic.kernels import natural_frequencies
from gough.kinematics.singularity.singularity import LENGTH, condition
from gough.model.catalogue import definitions
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH
from gough.model.structure import Structure

_NEGLECTED = ("tangential", "coriolis", "centrifugal")


def inputs(actuators: int) -> tuple[Argument, ...]:
    """What the quantities of a machine with so many actuators are made of."""
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
    machine: AnyMachine,
    names: Collection[str],
    *given: Any,
) -> dict[str, Any]:
    """The named quantities, from what `inputs` lists."""
    at = _State(structure, formulation, machine, *given)
    return {name: at.quantity(name) for name in names}


@dataclass
class _State:
    """A machine in one state: what kernels give there, each asked once, and what follows."""

    structure: Structure
    formulation: str
    machine: Any
    pose: Any
    twist: Any
    acceleration: Any
    wrench: Any
    length: Any
    max_force: Any
    max_speed: Any
    least: Any
    greatest: Any
    drives: Any
    asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Results by kernel."""

    def quantity(self, name: str) -> Any:
        """One of the table: of a kernel, of the motors, or by its formula."""
        if kernel := QUANTITIES[name].kernel:
            return self.of(kernel)
        return self.motors[name] if name in OF_MOTORS else _FORMULAS[name](self)

    def of(self, kernel: str) -> Any:
        """A kernel's result: its only one, or the one named behind a dot."""
        kernel, _, result = kernel.partition(".")
        if kernel not in self.asked:
            self.asked[kernel] = self._results(kernel)
        found = self.asked[kernel]
        return found[result] if result else next(iter(found.values()))

    @cached_property
    def softest(self) -> tuple[Any, Any]:
        """Stiffness in the softest direction, and about the softest axis."""
        return softest(self.machine, self.pose)

    @cached_property
    def motors(self) -> dict[str, Any]:
        """What is asked of the motors."""
        kernels = ("joint_velocity", "joint_acceleration", "actuator_force")
        return motor_demands(self.drives, *map(self.of, kernels))

    def model_of(self, kernel: str) -> Callable[..., Any]:
        """A kernel's equation, for what it takes beside the state."""
        return definitions(self.structure, self.formulation)[kernel].equation

    def _results(self, kernel: str) -> dict[str, Any]:
        source = definitions(self.structure, self.formulation)[kernel]
        state = (self.pose, self.twist, self.acceleration, self.wrench)
        found = source.equation(self.machine, *state[: len(source.inputs)])
        several = found if len(source.outputs) > 1 else (found,)
        return {a.name: value for a, value in zip(source.outputs, several, strict=True)}


def _travel_margin(at: _State) -> Any:
    q = at.of("inverse_kinematics")
    return ca.fmin(q - at.least, at.greatest - q)


def _base_joint_tilt(at: _State) -> Any:
    home = at.machine.home
    tilts = [
        passive.angle_between(leg_position(leg, home).s, leg_position(leg, at.pose).s)
        for leg in at.machine.legs
    ]
    return ca.vertcat(*tilts)


def _deflection(at: _State) -> Any:
    held = ca.DM.zeros(at.structure.actuators)
    return any_machine.deflection(at.machine, at.pose, at.wrench, held)


def _natural_frequency(at: _State) -> Any:
    held, freedoms = ca.DM.zeros(at.structure.actuators), len(at.structure.freedoms)
    return natural_frequencies(at.machine, at.pose, at.wrench, held, freedoms)[:freedoms]


_FORMULAS: dict[str, Callable[[_State], Any]] = {
    "power": lambda at: at.of("actuator_force") * at.of("joint_velocity"),
    "joint_share": lambda at: at.of("actuator_force") - at.of("inverse_dynamics"),
    "force_index": lambda at: 1 - ca.fabs(at.of("actuator_force")) / at.max_force,
    "wrench_margin": lambda at: at.model_of("wrench_margin")(
        at.machine, at.pose, at.max_force, at.twist, at.acceleration, at.wrench
    ),
    "speed_margin": lambda at: at.max_speed - ca.fabs(at.of("joint_velocity")),
    "stroke_margin": _travel_margin,
    "travel_margin": _travel_margin,
    "condition": lambda at: condition(at.machine, at.pose, at.length),
    "determinant": lambda at: any_machine.determinant(at.machine, at.pose),
    "universal_joint_sine": lambda at: singular.universal_joint_sines(at.machine, at.pose),
    "universal_joint_angle": lambda at: passive.universal_joint_angles(
        at.machine, at.pose, at.machine.home
    ),
    "spherical_joint_tilt": lambda at: passive.spherical_joint_tilt(
        at.machine, at.pose, at.machine.home
    ),
    "base_joint_tilt": _base_joint_tilt,
    "task_deflection": _deflection,
    "least_stiffness": lambda at: at.softest[0],
    "least_turning_stiffness": lambda at: at.softest[1],
    "natural_frequency": _natural_frequency,
    "gravity_only_error": lambda at: sum(
        at.of(f"force_decomposition.{share}") for share in _NEGLECTED
    ),
}
"""What no kernel gives, by quantity."""
