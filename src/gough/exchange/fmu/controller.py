"""A controller as an FMU has it, alone or with the plant that it drives."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from reprlib import repr as short

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.equations.control.signals import Measurement
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.exchange.fmu import plant as plants
from gough.exchange.fmu.system import Equations, FmuVariable, System, column
from gough.exchange.source import driven_by
from gough.model import Structure
from gough.robot import Robot
from gough.simulation import ClosedLoop, Controller, Plant, Sampling
from gough.simulation.controllers.controller import Gain


@dataclass(frozen=True, eq=False)
class ControllerModel:
    """A controller for a plant, all of symbols."""

    controller: Controller
    robot: Robot
    plant: Plant
    period: float
    limit: tuple[float, ...]
    """Maximum command of each actuator."""

    @cached_property
    def gains(self) -> tuple[FmuVariable, ...]:
        """All of them, row by row."""
        plant = self.plant
        arrays = self.controller.gain_arrays(plant.actuators, plant.dof)
        named = {gain.name: gain for gain in self.controller.gains}
        pairs = ((named[name], np.asarray(values)) for name, values in arrays.items())
        return tuple(g for gain, values in pairs for g in _gains(gain, values, plant.structure))

    @cached_property
    def memory(self) -> tuple[FmuVariable, ...]:
        """State of the control law, and the command that is held; initially at home, at rest."""
        plant, of = self.plant, (self.plant.actuators, self.plant.dof)
        home = np.array(plant.robot.home)
        places = [(s, k) for s in self.controller.states for k in range(s.size(*of))]
        words = [(f"controller.{s.name}[{k}]", s.meaning) for s, k in places]
        first = self.controller.start(plant, home, np.zeros(6))
        pairs = zip(words or [("controller.unused", "a law without memory")], first, strict=True)
        thought = (FmuVariable(name, "", meaning, float(x)) for (name, meaning), x in pairs)
        held = plants.commands(plant, plant.holding(home))
        return (*thought, *(replace(v, name=f"controller.{v.name}") for v in held))

    @cached_property
    def reference(self) -> tuple[FmuVariable, ...]:
        """The motion to follow."""
        return (
            *plants.pose("reference.pose", self.plant.robot.home),
            *plants.twist("reference.twist", "m/s", "rad/s"),
            *plants.twist("reference.acceleration", "m/s^2", "rad/s^2"),
        )

    def sample(self, seen: Measurement) -> Value:
        """Return the memory after a sample."""
        control = self.controller.function(self.robot, self.period, self.limit)
        thought = column(self.memory[: -self.plant.actuators])
        command, new = control(thought, seen.column(), column(self.reference), column(self.gains))
        return ca.vertcat(new, command)

    @property
    def held(self) -> Value:
        """The command that is held."""
        return column(self.memory[-self.plant.actuators :])


def controller_system(
    controller: Controller, robot: Robot, period: float, limit: ArrayLike | None = None
) -> System:
    """Return a controller alone: its inputs are sensor readings and the motion to follow."""
    plant = driven_by(controller, robot)
    limits, n = plant.limit if limit is None else _limits(limit, plant), plant.actuators
    model = ControllerModel(controller, robot, plant, period, limits)
    home = plant.start(robot.home)
    sensed = (
        plants.positions_and_speeds(plant, plant.positions(plant.numbers, home))
        + plants.wrench_variables()
    )
    if controller.springs is not None:
        sensed += plants.of_joints(plant, "deflection", "m", "compression of its coupling")
        sensed += plants.of_joints(plant, "push", "N", "force in its connector")
    missing = ca.SX(4 * n + 6 - len(sensed), 1)
    seen = Measurement.of(ca.vertcat(column(sensed), missing))
    return System(
        name=f"{robot.name} controller",
        description=f"{controller.name} of {robot.name}, every {period:g} s",
        parameters=model.gains,
        inputs=(*sensed, *model.reference),
        memory=model.memory,
        outputs=plants.commands(plant),
        equations=Equations(outputs=model.held, sample=model.sample(seen)),
        step=period,
        period=period,
    )


def closed_loop_system(
    plant: Plant, controller: Controller, robot: Robot, period: float, step: float
) -> System:
    """A plant under a controller, which knows the robot: a motion to follow and a wrench act."""
    ClosedLoop(plant, controller, robot, Sampling(period))  # refused if they do not fit
    machine = plants.PlantModel.of(plant)
    model = ControllerModel(controller, robot, plant, period, plant.limit)
    acting, held = plants.wrench_variables(), model.held
    wrench = column(acting)
    equations = Equations(
        machine.rates(held, wrench),
        ca.vertcat(machine.seen(held, wrench), machine.applied(held)),
        machine.margins(wrench),
        model.sample(machine.measured(wrench)),
    )
    return System(
        name=f"{plant.robot.name} closed loop",
        description=f"{plant.robot.name} under {controller.name}, every {period:g} s",
        parameters=(*machine.used(*equations), *model.gains),
        inputs=(*model.reference, *acting),
        states=machine.states,
        memory=model.memory,
        outputs=machine.outputs + plants.commands(plant),
        indicators=machine.indicators,
        equations=equations,
        step=step,
        period=period,
        ends=not plant.has_end_stops,
    )


def _limits(limit: ArrayLike, plant: Plant) -> tuple[float, ...]:
    """One of each actuator, of what a user gave; infinite where there is none."""
    try:
        limits = np.broadcast_to(np.asarray(limit, dtype=float), (plant.actuators,))
    except (TypeError, ValueError):
        limits = np.array([np.nan])
    if not (limits > 0).all():
        expected = f"a number above 0, or {plant.actuators} of them"
        raise GoughError(f"limit is {short(limit)}; expected {expected}")
    return tuple(limits.tolist())


def _gains(gain: Gain, values: np.ndarray, structure: Structure) -> Iterator[FmuVariable]:
    unit = gain.unit_on(structure)
    one_unit = "" if "," in unit else unit
    for place in product(*map(range, values.shape)):
        where = f"[{','.join(map(str, place))}]" if place else ""
        meaning = f"gain of the controller [{unit}]"
        yield FmuVariable(f"gain.{gain.name}{where}", one_unit, meaning, float(values[place]))
