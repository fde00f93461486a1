"""A run to be made: a controller that follows a motion on a plant, and all loads on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.checks import require_instance
from gough.disk.plain_data import PlainData
from gough.errors import GoughError
from gough.model.parameters import layout, numbers_over
from gough.motion import Motion, MotionSamples, Task, carried_over, total_wrench
from gough.robot import Robot
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.sensors import Sampling, Sensors
from gough.simulation.integrators import Adaptive
from gough.simulation.plants.plant import Plant

PythonController = Callable[[float, Array, Array], Any]
"""(time [s], measurement, reference (19)) -> command, a number for each actuator."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """Controller, motion, machine, integrator, and all inputs at T samples."""

    robot: Robot
    """The controller's model of the machine."""
    motion: Motion
    controller: Controller | PythonController
    plant: Plant
    """With its payloads."""
    tasks: tuple[Task, ...]
    sampling: Sampling
    sensors: Sensors
    saturated: bool
    integrator: Adaptive | None
    """None: RK4."""
    time: Array
    """(T,) [s]"""
    led: tuple[Array, Array]
    """Initial pose and twist of the machine."""
    numbers: Array
    """All numbers of the plant's robot: one row or, if its payload changes, one for each sample."""
    noise: Array | None
    """(T, 1, actuators) [m, rad], of the encoders."""

    @cached_property
    def loop(self) -> ClosedLoop | None:
        """The plant under the controller, unless that is a Python function."""
        if not isinstance(self.controller, Controller):
            return None
        how = (self.sampling, self.sensors, self.saturated)
        return ClosedLoop(self.plant, self.controller, self.robot, *how)

    @cached_property
    def start(self) -> Array:
        """The plant's state at the beginning."""
        return self.plant.begun(*self.led)

    @cached_property
    def samples(self) -> MotionSamples:
        """The motion to follow."""
        return self.motion(self.time)

    @cached_property
    def reference(self) -> Array:
        """(T, 19): the motion to follow as controllers take it."""
        return np.concatenate(self.samples, axis=-1)

    @cached_property
    def wrench(self) -> Array:
        """(T, 6) [N, N m]: wrench of the tasks on the platform along the motion to follow."""
        return total_wrench(self.tasks, self.time, self.samples)

    @cached_property
    def acting(self) -> tuple[Array, Array]:
        """(T, 6) twice [N, N m]: the wrench just after each sample, and just before the next."""
        after = np.concatenate([self.wrench[1:], self.wrench[-1:]])
        if not any(task.jumps for task in self.tasks):
            return self.wrench, after
        moment = 1e-9 * (self.time[1] - self.time[0])
        following = MotionSamples(*(np.concatenate([x[1:], x[-1:]]) for x in self.samples))
        next_time = np.concatenate([self.time[1:], self.time[-1:] + 2 * moment])
        return (
            total_wrench(self.tasks, self.time + moment, self.samples),
            total_wrench(self.tasks, next_time - moment, following),
        )

    @property
    def parameters(self) -> tuple[Array, ...]:
        """Values of the plant's parameters at each sample; none if it varies none."""
        return (self.numbers[:, self.plant.varied_places],) if self.plant.varied else ()

    def part(self, which: slice) -> Scenario:
        """Some of the samples."""
        numbers = self.numbers[which] if self.plant.varied else self.numbers
        noise = None if self.noise is None else self.noise[which]
        return replace(self, time=self.time[which], numbers=numbers, noise=noise)

    def described(self) -> PlainData:
        """Settings of the run, as plain data."""
        if isinstance(self.controller, Controller):
            arrays = self.controller.gain_arrays(self.plant.actuators, self.plant.dof)
            gains = {name: values.tolist() for name, values in arrays.items()}
            units = {g.name: g.unit_on(self.plant.structure) for g in self.controller.gains}
            words = {"kind": self.controller.name, "description": self.controller.description}
            controller = {**words, "gains": gains, "units": units}
        else:
            controller = {"kind": "Python", "description": repr(self.controller)}
        return {
            "sampling": asdict(self.sampling),
            "sensors": asdict(self.sensors),
            "integrator": asdict(self.integrator) if self.integrator else {"method": "RK4"},
            "controller": controller,
            "saturated": self.saturated,
            "limits": [None if x == np.inf else x for x in self.plant.limit],
        }


def check_things(
    robot: Any, motion: Any, controller: Any, plant: Any, tasks: Any, sampling: Any, sensors: Any,
    integrator: Any,
) -> None:  # fmt: skip
    """Refuse arguments of the wrong type."""
    require_instance("robot", robot, Robot)
    require_instance("motion", motion, Motion)
    if not isinstance(controller, Controller) and not _takes_three(controller):
        raise GoughError(
            f"controller is {controller!r}; expected one of gough.simulation.controllers, or a "
            "function of (time, measurement, reference)"
        )
    require_instance("sampling", sampling, Sampling)
    require_instance("sensors", sensors, Sensors)
    if plant is not None:
        require_instance("plant", plant, Plant)
    if integrator is not None:
        require_instance("integrator", integrator, Adaptive)
    for k, task in enumerate(tasks):
        require_instance(f"tasks[{k}]", task, Task)


def carrying_plant(plant: Plant, tasks: tuple[Task, ...], time: Array) -> tuple[Plant, Array]:
    """Return the plant with its payloads, and all its numbers: a row, or one for each time.

    If payloads change, their numbers are what the plant varies.
    """
    stretches = carried_over(plant.robot, tasks, time)
    robot = stretches[0][1]
    if len(stretches) > 1:
        of_platform = tuple(n for n in layout(robot) if n.startswith("platform."))
        loaded = plant.carrying(robot, of_platform)
    else:
        loaded = plant if robot == plant.robot else plant.carrying(robot)
    return loaded, numbers_over(stretches)


def _takes_three(function: Any) -> bool:
    """Whether a function accepts three arguments, as far as that is known."""
    try:
        signature(function).bind(0.0, None, None)
    except ValueError:  # of something made in C, which does not tell
        return callable(function)
    except TypeError:
        return False
    return True
