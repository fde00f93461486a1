"""Everything that is asked along a motion, for one robot: one call of one kernel, no loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gough.analysis import formulas
from gough.analysis.drives import OF_MOTORS, drive_numbers
from gough.analysis.limits import limits_of, of_actuators, travels
from gough.analysis.machine_table import table_of
from gough.analysis.quantities import QUANTITIES, in_groups
from gough.arrays import Array
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.kinematics.size import default_length
from gough.model.catalogue import chosen_formulation
from gough.model.machines import Machines
from gough.motion import MotionSamples
from gough.robot import Robot

if TYPE_CHECKING:
    from gough.tolerance.stated import StatedTolerances


OF_TOLERANCES = in_groups("tolerances")
"""Quantities of what errors do: they need a stated."""
_ROWS = 2048
"""Number of samples at a time: each needs a change for every number that has an error."""


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
    drives: Array
    """(..., actuators, n)"""

    @classmethod
    def of(cls, robot: Robot, parameters: Array) -> Numbers:
        """Those of a robot, with its parameters, which may change on the way."""
        force, speed = (of_actuators(robot, limit) for limit in ("max_force", "max_speed"))
        length = np.array(default_length(robot))
        return cls(parameters, length, force, speed, *travels(robot), drive_numbers(robot))


def evaluate(
    robot: Robot,
    numbers: Numbers,
    samples: MotionSamples,
    wrench: Array,
    names: frozenset[str],
    threads: int | None = None,
    formulation: str | None = None,
    stated: StatedTolerances | None = None,
) -> Arrays:
    """The named quantities at every sample [SI], in the order of the catalogue.

    `numbers` are the robot's, or those of several that state the same as it. Those that the machine
    has not, and those that need limits, drives or a stated which are not stated, are left out;
    actuators without a limit have NaN. The dynamics are made by a formulation, or by the robot's
    default.
    """
    found = {
        "pose": samples.pose,
        "twist": samples.twist,
        "acceleration": samples.acceleration,
        "wrench": wrench,
    }
    state = [np.ascontiguousarray(values) for values in found.values()]
    known = [name for name in table_of(robot) if name in QUANTITIES]
    unstated = {limit.margin for limit in limits_of(robot) if not limit.stated(robot).any()}
    if stated is not None and not names.isdisjoint(OF_TOLERANCES):
        found |= deviations_along(stated, numbers.parameters, samples, wrench)
    unstated |= set(OF_TOLERANCES) - found.keys()
    if not np.isfinite(of_actuators(robot, "max_force")).all():
        unstated.add("wrench_margin")
    if not np.isfinite(numbers.drives).all():
        unstated |= set(OF_MOTORS)
    made = tuple(name for name in known if name in names - unstated - found.keys())
    chosen = chosen_formulation(robot, formulation)
    kernel = _kernel(Machines(robot, parametric=True), made, chosen)
    results = kernel(numbers.parameters, *state, *numbers[1:], threads=threads)
    found |= zip(made, results, strict=True)
    return {name: found[name] for name in known if name in names and name in found}


@compiled
def _kernel(machines: Machines, names: tuple[str, ...], formulation: str) -> Kernel:
    """The named quantities, several of them, from what `formulas.inputs` lists."""
    structure, table = machines.structure, table_of(machines.robot)

    def equation(machine: Machine, *inputs: Value) -> tuple[Value, ...]:
        found = formulas.quantities(structure, formulation, machine, names, *inputs)
        return tuple(found[name] for name in names)

    outputs = [table[name].argument(structure.actuators) for name in names]
    return machines.kernel("quantities", equation, formulas.inputs(structure.actuators), outputs)


def deviations_along(
    stated: StatedTolerances, parameters: Array, samples: MotionSamples, wrench: Array
) -> dict[str, Array]:
    """All quantities of tolerances (T, ...); `parameters` are one row, or one for each sample."""
    state = [samples.pose, samples.twist, samples.acceleration, wrench]
    count = len(samples.pose)
    numbers = np.broadcast_to(parameters, (count, parameters.shape[-1]))
    parts = [
        _deviations_of(stated, *(x[k : k + _ROWS] for x in (numbers, *state)))
        for k in range(0, count, _ROWS)
    ]
    found = (np.concatenate(part) for part in zip(*parts, strict=True))
    return dict(zip(OF_TOLERANCES, found, strict=True))


def _deviations_of(
    stated: StatedTolerances, numbers: Array, pose: Array, *loads: Array
) -> tuple[Array, Array]:
    """Standard deviations of the displacement and of the forces, as OF_TOLERANCES."""
    from gough.tolerance.linear import (  # noqa: PLC0415  (needed by few)
        deviations,
        force_changes,
        pose_changes,
    )

    displacements = pose_changes(stated, numbers, pose)
    forces = force_changes(stated, numbers, pose, list(loads), displacements)
    return deviations(displacements), deviations(forces)
