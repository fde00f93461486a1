"""What a controller is: a law, its gains and its state; in one function of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.equations.control.signals import Law, Measurement, Reference, Setting
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.model.actuators import drives_of
from gough.model.parameters import machine_of
from gough.model.structure import structure_of
from gough.robot import Hexapod, Robot
from gough.simulation.controllers.gains import ALL_FREEDOMS, Form, Gain, shape_of
from gough.simulation.plants.plant import Plant, measurement_of
from gough.simulation.plants.springs import Springs

REFERENCE = Argument(
    "reference", (19,), "SI", "pose, twist and acceleration to follow, such as the machine can do"
)


class Command(NamedTuple):
    """What a controller gives each actuator."""

    name: str
    unit: str
    meaning: str


class State(NamedTuple):
    """What a controller keeps from sample to sample, and what it is at first."""

    name: str
    form: Form
    meaning: str
    first: Callable[[Plant, Array, Array], Array] | None = None
    """(plant, pose, twist) -> its numbers; None: zero."""
    of_platform: bool = False
    """Whether they are a pose and a twist of the platform."""

    def size(self, actuators: int, freedoms: int = ALL_FREEDOMS) -> int:
        """How many numbers, on a machine with so many actuators and freedoms."""
        return prod(shape_of(self.form, actuators, freedoms))


FORCES = Command("force", "N", "what the actuators are to do")
VOLTAGES = Command("voltage", "V", "what the amplifiers are to give the motors")


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
    gains: tuple[Gain, ...]
    states: tuple[State, ...] = ()
    robot: Robot | None = None
    command: Command = FORCES
    """What it gives: forces, or voltages of the drives."""
    springs: Springs | None = None
    """What of the legs must yield for it."""
    blind: bool = False
    """Whether it goes by the reference alone, whatever is measured."""
    drives: bool = False
    """Whether it knows the robot's drives."""
    crosses: bool = False
    """Whether it passes parallel singularities on purpose: they do not end its run."""

    def __repr__(self) -> str:
        gains = " ".join(gain.name for gain in self.gains) or "none"
        return f"<gough controller {self.name}, gains: {gains}>"

    def state_size(self, actuators: int, freedoms: int = ALL_FREEDOMS) -> int:
        """Numbers that it keeps from sample to sample; one that is not used, if it needs none."""
        return max(sum(state.size(actuators, freedoms) for state in self.states), 1)

    def gain_arrays(self, actuators: int, freedoms: int = ALL_FREEDOMS) -> dict[str, Array]:
        """Its gains by name, spread out for a machine with so many actuators and freedoms.

        Raises GoughError where one has been given for another number of them.
        """
        return {gain.name: gain.spread(actuators, freedoms) for gain in self.gains}

    def gain_values(self, actuators: int, freedoms: int = ALL_FREEDOMS) -> Array:
        """All gains in one row, as its function takes them."""
        arrays = self.gain_arrays(actuators, freedoms)
        return np.concatenate([np.ravel(values) for values in arrays.values()])

    def start(self, plant: Plant, pose: Array, twist: Array) -> Array:
        """What it keeps at first, on a plant at a pose and twist."""
        of = (plant.actuators, plant.freedoms)
        parts = [
            np.zeros(state.size(*of)) if state.first is None else state.first(plant, pose, twist)
            for state in self.states
        ]
        return np.concatenate(parts, axis=-1) if parts else np.zeros(self.state_size(*of))

    def knowing(self, robot: Robot) -> Controller:
        """The same controller for which the machine is this robot."""
        return replace(self, robot=robot)

    def function(self, robot: Robot, period: float, limit: Any) -> Function:
        """(state, measurement, reference, gains) -> (command, state), for a sampling period [s]."""
        known, structure = self.robot or robot, structure_of(robot)
        if self.springs is not None and not isinstance(robot, Hexapod):
            raise GoughError(
                f"controller {self.name} {self.springs.use} {self.springs.name}; only extensible "
                f"legs of hexapods (gough/1) have them, {robot.name} has not"
            )
        n, of = structure.actuators, (structure.actuators, len(structure.freedoms))
        drives = drives_of(known) if self.drives else None
        setting = Setting(machine_of(known), period, ca.DM(np.asarray(limit, dtype=float)), drives)
        parts = [f"{s.name}, {s.size(*of)} numbers: {s.meaning}" for s in self.states]
        size, words = self.state_size(*of), ". ".join(parts) or "not used: zero"
        state = Argument("state", (size,), "SI", words)
        shapes = {name: values.shape for name, values in self.gain_arrays(*of).items()}
        listed = ", ".join(f"{name} {list(shape)}" for name, shape in shapes.items())
        gains = Argument("gains", self.gain_values(*of).shape, "SI", f"{listed}, row by row")
        unit = structure.force_unit if self.command == FORCES else self.command.unit
        command = Argument("command", (n,), unit, self.command.meaning)

        def equation(s: Value, measurement: Value, reference: Value, numbers: Value) -> Any:
            seen, wanted = Measurement.of(measurement), Reference.of(reference)
            return self.law(setting, s, seen, wanted, _matrices(numbers, shapes))

        return Function.from_equation(
            "controller",
            equation,
            [state, measurement_of(n), REFERENCE, gains],
            [command, replace(state, meaning="for the next sample")],
            f"{self.name}, once every {period:g} s: {self.description}.",
        )


def _matrices(numbers: Value, shapes: dict[str, tuple[int, ...]]) -> dict[str, Value]:
    """Gains by name, from one column that holds them row by row."""
    matrices, first = {}, 0
    for name, shape in shapes.items():
        part = numbers[first : first + prod(shape)]
        matrices[name] = ca.reshape(part, *shape).T if len(shape) == 2 else part
        first += prod(shape)
    return matrices
