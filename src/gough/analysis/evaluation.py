"""All quantities along a motion, for one robot: equations of one state, one call of one kernel.

Demands on the motors come from the numbers of their drives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, field
from functools import cached_property, reduce
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import casadi as ca
import numpy as np

from gough.analysis.limits import limits_of, of_actuators, travels
from gough.analysis.quantities import DEFINITIONS, OF_RESTING_BASE, QUANTITIES, in_groups, table_of
from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, compiled
from gough.elastic.kernels import frequencies_under_load
from gough.equations.actuators.drive import demand
from gough.equations.elastic import stiffness
from gough.equations.machine import Machine
from gough.equations.motion import singularity_measures
from gough.equations.spatial.algebra import Value, vector
from gough.equations.usual_formulations import ON_MOVING_BASE
from gough.kinematics.singularity.singularity import LENGTH, condition
from gough.kinematics.size import default_length
from gough.model import Machines, Structure, definitions, structure_of
from gough.model.actuators import drive_laws, drive_places
from gough.model.catalogue import chosen_formulation
from gough.model.definition import ACCELERATION, BASE_MOTION, POSE, TWIST, WRENCH
from gough.motion import MotionSamples
from gough.robot import Robot, places_of

if TYPE_CHECKING:
    from gough.tolerance import StatedTolerances

OF_MOTORS = in_groups("drives")
OF_TOLERANCES = in_groups("tolerances")
"""Quantities of what errors do: they need stated tolerances."""
_NEGLECTED = ("tangential", "coriolis", "centrifugal", "piston_inertia")
_ROWS = 2048
"""Number of samples at a time: rows that stay near, and a change for every number with an error."""


def motor_demands(structure: Structure, machine: Machine, *of_actuators: Value) -> dict[str, Value]:
    """The motors' quantities, by speeds, accelerations and forces of actuators with drives.

    Currents hardly change, and no limits are applied.
    """
    each = map(ca.vertsplit, of_actuators)
    asked = map(astuple, map(demand, drive_laws(structure, machine), *each))
    *columns, current, voltage = (vector(*column) for column in zip(*asked, strict=True))
    return dict(zip(OF_MOTORS, (*columns, current, voltage, voltage * current), strict=True))


def demands_function(machines: Machines) -> Function:
    """The symbolic function (speed, acceleration, force) -> the motors' quantities.

    They are NaN of actuators without a drive.
    """
    own = [k for k, actuator in enumerate(machines.robot.actuators) if actuator.drive is not None]

    def equation(machine: Machine, *given: Value) -> tuple[Value, ...]:
        found = motor_demands(structure, machine, *(ca.SX(x)[own] for x in given))
        every = [ca.SX.nan(structure.actuators) for _ in found]
        for values, known in zip(every, found.values(), strict=True):
            values[own] = known
        return tuple(every)

    units = {"speed": "m/s, rad/s", "acceleration": "m/s^2, rad/s^2", "force": "N, N m"}
    each, structure = (machines.structure.actuators,), machines.structure
    inputs = [Argument(name, each, unit, "of the actuators") for name, unit in units.items()]
    outputs = [Argument(name, each, DEFINITIONS[name].unit) for name in OF_MOTORS]
    doc = "What a motion asks of the motors while currents hardly change."
    return machines.function("motor_demands", equation, inputs, outputs, doc)


def add_induced_voltages(
    robot: Robot, parameters: Array, time: Array, found: Mapping[str, Array], jumps: Iterable[float]
) -> None:
    """Add to voltages (..., T, actuators) what inductances take as currents change, and to powers.

    Both are changed in place. `parameters` (..., p) are those of the robot. The rate of a current
    is that of a parabola through neighbouring samples. At times [s] where loads or accelerations
    jump a current would need a voltage without bound: there it is left out.
    """
    places = places_of(robot)
    inner = [places[f"{drive}inductance"].start for drive in drive_places(structure_of(robot))]
    inductance, current = parameters[..., inner], found["motor_current"]
    at = np.array(sorted(jumps))
    sides = [np.searchsorted(time, at + s * 1e-9 * time[-1]) for s in (-1, 1)]
    edges = sorted({0, len(time), *np.concatenate(sides).tolist()})
    voltage = found["motor_voltage"]
    for first, last in pairwise(edges):
        order: Literal[1, 2] = 2 if last - first > 2 else 1
        for start in range(first, last, _ROWS) if last - first > 1 else ():  # rows that stay near
            end = min(start + _ROWS, last)
            near = slice(max(start - 2, first), min(end + 1, last))  # parabolas need three
            rate = np.gradient(current[..., near, :], time[near], axis=-2, edge_order=order)
            rows = rate[..., start - near.start : end - near.start, :]
            voltage[..., start:end, :] += inductance * rows
    if "motor_power" in found:
        np.multiply(voltage, current, out=found["motor_power"])


Arrays = dict[str, Array]


class Numbers(NamedTuple):
    """All that the kernel takes of a robot, or of several robots with the same structure."""

    parameters: Array
    """(..., p)"""
    length: Array
    """(...) [m] that makes rotations comparable."""
    max_force: Array
    """(..., actuators), as all that follows; NaN where none is stated."""
    max_speed: Array
    least: Array
    """End of the travel."""
    greatest: Array

    @classmethod
    def of(cls, robot: Robot, parameters: Array) -> Numbers:
        """Those of a robot, with its parameters, which may change on the way."""
        force, speed = (of_actuators(robot, limit) for limit in ("max_force", "max_speed"))
        return cls(parameters, np.array(default_length(robot)), force, speed, *travels(robot))


def evaluate(
    robot: Robot,
    numbers: Numbers,
    samples: MotionSamples,
    wrench: Array,
    names: frozenset[str],
    threads: int | None = None,
    formulation: str | None = None,
    stated: tuple[StatedTolerances, Array] | None = None,
    base: MotionSamples | None = None,
) -> Arrays:
    """The named quantities at every sample [SI], in the order of the catalogue.

    `numbers` are the robot's, or those of several that state the same as it. Those that the machine
    has not, and those that need limits, drives or tolerances which are not stated, are left out;
    actuators without a limit have NaN. The dynamics are made by a formulation, or by the robot's
    default. Of a base that moves, `base` is its motion in the world; what is known of a base at
    rest alone is left out.
    """
    found = {**samples._asdict(), "wrench": wrench}
    state = [np.ascontiguousarray(values) for values in found.values()]
    known = [name for name in table_of(robot) if name in QUANTITIES]
    unstated = {limit.margin for limit in limits_of(robot) if not limit.stated(robot).any()}
    if stated is not None and base is None and not names.isdisjoint(OF_TOLERANCES):
        found |= deviations_along(*stated, samples, wrench)
    unstated |= set(OF_TOLERANCES) - found.keys()
    if not np.isfinite(of_actuators(robot, "max_force")).all():
        unstated.add("wrench_margin")
    if not all(actuator.drive for actuator in robot.actuators):
        unstated |= set(OF_MOTORS)
    unstated |= set() if base is None else OF_RESTING_BASE
    made = tuple(name for name in known if name in names - unstated - found.keys())
    chosen = chosen_formulation(robot, formulation, moving_base=base is not None)
    kernel = _kernel(Machines(robot, parametric=True), made, chosen)
    carried = [np.ascontiguousarray(values) for values in base or ()]
    given = (numbers.parameters, *carried, *state, *numbers[1:])
    found |= zip(made, kernel(*given, threads=threads, columns=True), strict=True)
    return {name: found[name] for name in known if name in names and name in found}


@compiled
def _kernel(machines: Machines, names: tuple[str, ...], formulation: str) -> Kernel:
    structure, table = machines.structure, table_of(machines.robot)
    actuators, each = structure.actuators, (structure.actuators,)
    base = BASE_MOTION if formulation == ON_MOVING_BASE else ()

    def equation(machine: Machine, *inputs: Value) -> tuple[Value, ...]:
        carried, state = inputs[: len(base)], inputs[len(base) :]
        at = _AtState(structure, formulation, machine, carried, *state)
        return tuple(at.quantity(name) for name in names)

    inputs = (
        *(*base, POSE, TWIST, ACCELERATION, WRENCH, LENGTH),
        Argument("max_force", each, "N, N m", "NaN where none is stated, as in the other limits"),
        Argument("max_speed", each, "m/s, rad/s"),
        Argument("least", each, "m, rad", "end of the travel"),
        Argument("greatest", each, "m, rad", "end of the travel"),
    )
    outputs = [table[name].argument(actuators) for name in names]
    return machines.kernel("quantities", equation, inputs, outputs)


@dataclass
class _AtState:
    """A machine in one state: what kernels give there, each asked once, and what follows."""

    structure: Structure
    formulation: str
    machine: Machine
    base: tuple[Value, ...]
    """Its motion, where it moves."""
    pose: Value
    twist: Value
    acceleration: Value
    wrench: Value
    length: Value
    max_force: Value
    max_speed: Value
    least: Value
    greatest: Value
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
            source = definitions(self.structure, self.formulation)[kernel]
            own = [x for x in source.inputs if x not in BASE_MOTION]
            state = (self.pose, self.twist, self.acceleration, self.wrench)
            found = self.given(kernel, *state[: len(own)])
            several = found if isinstance(found, tuple) else (found,)
            names = [output.name for output in source.outputs]
            self.asked[kernel] = dict(zip(names, several, strict=True))
        results = self.asked[kernel]
        return results[result] if result else next(iter(results.values()))

    @cached_property
    def minimum_stiffness(self) -> tuple[Value, Value]:
        """Stiffness in the most compliant direction, and about the most compliant axis."""
        return stiffness.minimum_stiffness(self.machine, self.pose)

    @cached_property
    def motors(self) -> dict[str, Value]:
        """Demands on the motors."""
        kernels = ("joint_velocity", "joint_acceleration", "actuator_force")
        return motor_demands(self.structure, self.machine, *map(self.of, kernels))

    @property
    def locked(self) -> tuple[Machine, Value, Value, Value]:
        """The machine under its wrench with its actuators held."""
        return self.machine, self.pose, self.wrench, ca.DM.zeros(self.structure.actuators)

    @property
    def travel_margin(self) -> Value:
        """Distance to the nearer end of the travel."""
        q = self.of("inverse_kinematics")
        return ca.fmin(q - self.least, self.greatest - q)

    def given(self, kernel: str, *inputs: Value) -> Value | tuple[Value, ...]:
        """The result of a kernel, or several; it takes the motion of the base by itself."""
        source = definitions(self.structure, self.formulation)[kernel]
        base = self.base if BASE_MOTION[0] in source.inputs else ()
        return source.equation(self.machine, *base, *inputs)


_FORMULAS: dict[str, Callable[[_AtState], Any]] = {
    "power": lambda at: at.of("actuator_force") * at.of("joint_velocity"),
    "joint_share": lambda at: at.of("actuator_force") - at.of("inverse_dynamics"),
    "force_margin": lambda at: 1 - ca.fabs(at.of("actuator_force")) / at.max_force,
    "wrench_margin": lambda at: at.given(
        "wrench_margin", at.pose, at.max_force, at.twist, at.acceleration, at.wrench
    ),
    "speed_margin": lambda at: at.max_speed - ca.fabs(at.of("joint_velocity")),
    "stroke_margin": lambda at: at.travel_margin,
    "travel_margin": lambda at: at.travel_margin,
    "condition": lambda at: condition(at.machine, at.pose, at.length),
    "determinant": lambda at: singularity_measures.determinant(at.machine, at.pose),
    "universal_joint_sine": lambda at: at.of("universal_joint_sines"),
    "task_deflection": lambda at: stiffness.deflection(*at.locked),
    "minimum_stiffness": lambda at: at.minimum_stiffness[0],
    "minimum_rotational_stiffness": lambda at: at.minimum_stiffness[1],
    "natural_frequency": lambda at: frequencies_under_load(*at.locked)[: at.structure.dof],
    "gravity_only_error": lambda at: reduce(
        add, (at.of(f"force_decomposition.{share}") for share in _NEGLECTED)
    ),
}
"""Formulas of quantities that no kernel computes."""


def deviations_along(
    stated: StatedTolerances, numbers: Array, samples: MotionSamples, wrench: Array
) -> dict[str, Array]:
    """All quantities of tolerances (T, ...); numbers are one row, or one for each sample."""
    from gough.tolerance import linear  # noqa: PLC0415  (needed by few)

    count, parts = len(samples.pose), []
    every = (np.broadcast_to(numbers, (count, numbers.shape[-1])), *samples, wrench)
    for k in range(0, count, _ROWS):
        inputs = [x[k : k + _ROWS] for x in every]
        moved = linear.displacements(stated.machines, stated.changes, *inputs[:2])
        forces = linear.effect_changes(stated, "force", inputs, moved)
        parts.append((linear.deviations(moved), linear.deviations(forces)))
    found = (np.concatenate(part) for part in zip(*parts, strict=True))
    return dict(zip(OF_TOLERANCES, found, strict=True))
