"""A controller as C99, for the machine itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.compiler.front.program import Program, offsets
from gough.compiler.front.rebuilt import for_single_precision
from gough.compiler.source.c import c_example, c_header, c_source
from gough.compiler.source.library import Library, is_single
from gough.disk.sources import write_sources
from gough.robot import Robot
from gough.simulation.controllers.controller import FORCES, Controller
from gough.simulation.plants import Plant, real_plant, rigid_plant


def export_controller(
    controller: Controller,
    robot: Robot,
    period: float,
    directory: str | Path,
    limit: Any = None,
    *,
    dtype: str = "float64",
) -> list[Path]:
    """Write the controller as C99: controller.c, controller.h and controller_example.c.

    `limit` is the largest command of each actuator [N, N m, or V of one that gives voltages]; by
    default the robot's. The example is a first sample, of a machine that stands at its home pose.
    With dtype "float32" it is in single precision.
    """
    single = is_single(dtype)
    of_robot = driven_by(controller, robot).limit
    function = controller.function(robot, period, of_robot if limit is None else limit)
    values = first_sample(controller, robot)
    program = Program.of(function, robot.identity)
    program = replace(program, doc=program.doc + _how_to_run(program, values))
    library = Library(program.name, (for_single_precision(program) if single else program,), single)
    texts = {
        "controller.h": c_header(library),
        "controller.c": c_source(library),
        "controller_example.c": c_example(library, values),
    }
    return write_sources(Path(directory), texts)


def driven_by(controller: Controller, robot: Robot) -> Plant:
    """The plant that says what a controller has at first, and what its limits are."""
    if controller.springs is not None:
        return real_plant(robot, legs=controller.springs.modes[0], drives=False, stops=False)
    forces = controller.command == FORCES
    return rigid_plant(robot) if forces else real_plant(robot, joint_friction=False, stops=False)


def first_sample(controller: Controller, robot: Robot) -> dict[str, Array]:
    """What a controller of a machine that stands at its home pose, as wanted, is given at first."""
    plant = driven_by(controller, robot)
    at_rest = plant.start(robot.home)
    home, still = at_rest[:7], np.zeros(6)
    return {
        "state": controller.start(plant, home, still),
        "measurement": plant.measured_kernel(at_rest, still),
        "reference": np.concatenate([home, still, still]),
        "gains": controller.gain_values(plant.actuators, plant.freedoms),
    }


def _how_to_run(program: Program, values: dict[str, Array]) -> str:
    """What a header says of the first sample, of all others, and of the gains."""
    return (
        "\n\nThe state of a sample is the new_state of the one before. The first must be set as\n"
        "is said below; of a machine that stands at its home pose it is\n\n"
        f"{_listed(values['state'])}\n\n"
        "Then in every sample, with the same memory for the state and the new one,\n\n"
        "  controller(state, measurement, reference, gains, command, state);\n\n"
        "and the command is held until the next one. Of the measurement it reads the elements\n"
        f"{_elements_read(program, 'measurement')}; others may be anything.\n"
        "What is no number makes the command none, and mostly the state for good: leave such a\n"
        "sample out, or set the state anew. The gains are\n\n"
        f"{_listed(values['gains'])}"
    )


def _listed(numbers: Array) -> str:
    return indent(fill(", ".join(repr(float(x)) for x in numbers), 88), "  ")


def _elements_read(program: Program, name: str) -> str:
    """Which elements of an input count, in words: 0 to 11, 18."""
    place = [a.name for a in program.inputs].index(name)
    first, size = offsets(program.inputs)[place], program.inputs[place].size
    read = [k for k in range(size) if first + k in program.loaded]
    starts = [k for k in read if k - 1 not in read]
    ends = [k for k in read if k + 1 not in read]
    runs = [f"{a} to {b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True)]
    return ", ".join(runs) or "none"
