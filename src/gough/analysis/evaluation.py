"""Everything that is asked along a motion, for one robot: one call of one kernel, no loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis import formulas
from gough.analysis.drives import OF_MOTORS, drive_numbers
from gough.analysis.limits import LIMITS, of_legs, ranges
from gough.analysis.quantities import QUANTITIES
from gough.arrays import Array
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.equations.machine import Machine
from gough.kinematics.size import default_length
from gough.model.machines import Machines
from gough.motion import MotionSamples
from gough.robot import Robot

Arrays = dict[str, Array]


def evaluate(
    robot: Robot,
    parameters: Array,
    samples: MotionSamples,
    wrench: Array,
    names: frozenset[str],
    threads: int | None = None,
) -> Arrays:
    """The named quantities at every sample [SI], in the order of the catalogue.

    `parameters` are the robot's numbers. Those that need limits, drives or universal joints which
    the robot does not state are left out; legs without a limit or such a joint have NaN.
    """
    found = {
        "pose": samples.pose,
        "twist": samples.twist,
        "acceleration": samples.acceleration,
        "wrench": wrench,
    }
    state = [np.ascontiguousarray(values) for values in found.values()]
    max_force, max_speed = of_legs(robot, "max_force"), of_legs(robot, "max_speed")
    shortest, longest = ranges(robot, "stroke")
    unstated = {limit.margin for limit in LIMITS if not limit.stated(robot).any()}
    drives = drive_numbers(robot)
    if not np.isfinite(drives).all():
        unstated |= set(OF_MOTORS)
    if not any(leg.kind == "UPS" for leg in robot.legs):
        unstated.add("universal_joint_sine")
    made = tuple(name for name in QUANTITIES if name in names - unstated - found.keys())
    kernel = _kernel(Machines(robot, parametric=True), made)
    results = kernel(
        parameters,
        *state,
        default_length(robot),
        *(max_force, max_speed, shortest, longest, drives),
        threads=threads,
    )
    found |= zip(made, results, strict=True)
    return {name: found[name] for name in QUANTITIES if name in names and name in found}


@remembered
def _kernel(machines: Machines, names: tuple[str, ...]) -> Kernel:
    """The named quantities, several of them, from what `formulas.inputs` lists."""
    legs = len(machines.structure.legs)

    def equation(machine: Machine, *inputs: Any) -> Any:
        found = formulas.quantities(machine, names, *inputs)
        return tuple(found[name] for name in names)

    outputs = [QUANTITIES[name].argument(legs) for name in names]
    return machines.kernel("quantities", equation, formulas.inputs(legs), outputs)
