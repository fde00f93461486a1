"""A controller as C99, for the machine itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.compiler.front.program import Program
from gough.compiler.source.c import c_example, c_header, c_source
from gough.disk.sources import write_sources
from gough.model.actuators import voltage_limits
from gough.robot import Robot
from gough.simulation.controllers.controller import FORCES, Controller
from gough.simulation.plants import Plant, real_plant, rigid_plant


def export_controller(
    controller: Controller, robot: Robot, period: float, directory: str | Path, limit: Any = None
) -> list[Path]:
    """Write the controller as C99: controller.c, controller.h and controller_example.c.

    `limit` is the largest command of each actuator [N, N m, or V of one that gives voltages]; by
    default the robot's. The example is a first sample, of a machine that stands at its home pose.
    """
    forces = controller.command == FORCES
    of_robot = rigid_plant(robot).limit if forces else voltage_limits(robot)
    function = controller.function(robot, period, of_robot if limit is None else limit)
    values = first_sample(controller, robot)
    program = Program.of(replace(function, doc=function.doc + _beginning(values["state"])))
    texts = {
        "controller.h": c_header(program),
        "controller.c": c_source(program),
        "controller_example.c": c_example(program, values),
    }
    return write_sources(Path(directory), texts)


def first_sample(controller: Controller, robot: Robot) -> dict[str, Array]:
    """What a controller of a machine that stands at its home pose, as wanted, is given at first."""
    plant: Plant = rigid_plant(robot)
    if controller.springs is not None:
        plant = real_plant(robot, legs=controller.springs.modes[0], drives=False, stops=False)
    at_rest = plant.start(robot.home)
    home, still = at_rest[:7], np.zeros(6)
    return {
        "state": controller.start(plant, home, still),
        "measurement": plant.measured_kernel(at_rest, still),
        "reference": np.concatenate([home, still, still]),
        "gains": controller.gain_values(plant.actuators, plant.freedoms),
    }


def _beginning(state: Array) -> str:
    """What a header says of the first sample."""
    numbers = fill(", ".join(repr(float(x)) for x in state), 88)
    return (
        "\n\nThe state of a sample is the new_state of the one before. The first must be set as\n"
        "is said below; of a machine that stands at its home pose it is\n\n"
        f"{indent(numbers, '  ')}"
    )
