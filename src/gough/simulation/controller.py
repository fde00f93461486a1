"""What a controller is: a law, its gains and its state; one function that compiles or exports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill, indent
from typing import Any

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.compiler.source.text import c_example, c_header, c_source
from gough.disk.sources import write_sources
from gough.equations.control.signals import Law, Measurement, Reference, Setting
from gough.model.actuators import drives_of, voltage_limits
from gough.model.parameters import machine_of
from gough.robot import Robot
from gough.simulation.plant import MEASUREMENT, Plant, rigid_plant
from gough.simulation.real_plant import real_plant

Array = np.ndarray[Any, np.dtype[np.float64]]
Value = Any

REFERENCE = Argument("reference", (19,), "SI", "pose, twist and acceleration to follow")
FORCES = Argument("force", (6,), "N", "what the actuators are to do")
VOLTAGES = Argument("voltage", (6,), "V", "what the amplifiers are to give the motors")

Start = Callable[[Plant, Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Controller:
    """A control law with its gains. `robot`, if given, is the machine as the controller knows it.

    By default it knows the model that it is simulated with.
    """

    name: str
    """The word for it in files."""
    description: str
    """What it does, in words, with these gains."""
    law: Law
    gains: dict[Argument, Array]
    states: tuple[Argument, ...] = ()
    start: Start = lambda plant, pose, twist: np.zeros(1)
    robot: Robot | None = None
    command: Argument = FORCES
    """What it gives: forces, or voltages of the drives."""
    by_springs: bool = False
    """Whether it needs legs with coupling stages."""
    blind: bool = False
    """Whether it goes by the reference alone, whatever is measured."""
    drives: bool = False
    """Whether it knows the robot's drives."""

    @property
    def state_size(self) -> int:
        """Numbers that it keeps from sample to sample; one that is not used, if it needs none."""
        return max(sum(a.size for a in self.states), 1)

    @property
    def gain_values(self) -> Array:
        """All gains in one row, as its function takes them."""
        return np.concatenate([np.ravel(v) for v in self.gains.values()])

    def knowing(self, robot: Robot) -> Controller:
        """The same controller for which the machine is this robot."""
        return replace(self, robot=robot)

    def function(self, robot: Robot, period: float, limit: Any) -> Function:
        """(state, measurement, reference, gains) -> (command, state), for a sampling period [s]."""
        known = self.robot or robot
        drives = drives_of(known) if self.drives else None
        setting = Setting(machine_of(known), period, ca.DM(np.asarray(limit, dtype=float)), drives)
        parts = [f"{a.name}, {a.size} numbers: {a.meaning}" for a in self.states]
        state = Argument("state", (self.state_size,), "SI", ". ".join(parts) or "not used: zero")
        listed = ", ".join(f"{a.name} {list(a.shape)}" for a in self.gains)
        gains = Argument("gains", (len(self.gain_values),), "SI", f"{listed}, row by row")

        def equation(s: Value, measurement: Value, reference: Value, numbers: Value) -> Any:
            command, new = self.law(
                setting,
                s,
                Measurement.of(measurement),
                Reference.of(reference),
                self._matrices(numbers),
            )
            return command, new

        return Function.from_equation(
            "controller",
            equation,
            [state, MEASUREMENT, REFERENCE, gains],
            [replace(self.command, name="command"), replace(state, meaning="for the next sample")],
            f"{self.name}, once every {period:g} s: {self.description}.",
        )

    def _matrices(self, numbers: Value) -> dict[str, Value]:
        matrices, first = {}, 0
        for gain in self.gains:
            part = numbers[first : first + gain.size]
            square = len(gain.shape) == 2
            matrices[gain.name] = ca.reshape(part, 6, 6).T if square else part
            first += gain.size
        return matrices


def export_controller(
    controller: Controller, robot: Robot, period: float, directory: str | Path, limit: Any = None
) -> list[Path]:
    """Write the controller as C99: controller.c, controller.h and controller_example.c.

    `limit` is the largest command of each leg [N, or V of one that gives voltages]; by default the
    robot's. The example is a first sample, of a machine that stands at its home pose.
    """
    forces = controller.command.name == FORCES.name
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
    plant = rigid_plant(robot)
    if controller.by_springs:
        plant = real_plant(robot, legs="low-frequency", drives=False, stops=False)
    at_rest = plant.start(robot.home)
    home, still = at_rest[:7], np.zeros(6)
    return {
        "state": controller.start(plant, home, still),
        "measurement": plant.measured_kernel(at_rest, still),
        "reference": np.concatenate([home, still, still]),
        "gains": controller.gain_values,
    }


def _beginning(state: Array) -> str:
    """What a header says of the first sample."""
    numbers = fill(", ".join(repr(float(x)) for x in state), 88)
    return (
        "\n\nThe state of a sample is the new_state of the one before. The first must be set as\n"
        "is said below; of a machine that stands at its home pose it is\n\n"
        f"{indent(numbers, '  ')}"
    )
