"""What a controller drives: the states of a machine, and how fast they change.

A plant's state is one column: pose (7), twist (6), and then whatever its legs and its actuators
need. Its equations are symbolic, for one state. A plant with other actuators or other legs is
another child of `Plant`; integrators, controllers and results know no more of it than stands here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import casadi as ca
import numpy as np

from gough.analysis.quantities import DEFINITIONS
from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.control.signals import Measurement
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, angular, quaternion
from gough.equations.spatial.attitude import quaternion_rate
from gough.equations.spatial.pose import normalised
from gough.errors import GoughError
from gough.model.catalogue import POSE, TWIST, WRENCH
from gough.model.parameters import layout, machine_of, machine_of_parameters, parameters_of
from gough.robot import Robot
from gough.simulation.arguments import row
from gough.simulation.plants.actuators import Actuators

STORED_ENERGY = DEFINITIONS["stored_energy"].argument(0)  # it has no axis of actuators
PLATFORM = POSE.size + TWIST.size
"""Numbers of a state that are the platform's: pose and twist."""


class Shown(NamedTuple):
    """What a run tells of a plant at one moment."""

    force: Value
    """Of the actuators on the legs [N]."""
    stored_energy: Value
    """[J], as `STORED_ENERGY` lists them."""
    watched: list[Value]


@dataclass(frozen=True, kw_only=True, eq=False)
class Plant(ABC):
    """A machine with its actuators.

    `varied` names numbers of the robot (see `Model.parameter_names`) that may differ from run
    to run; they come as `parameters` into every run.
    """

    robot: Robot
    mover: Actuators
    """What moves its legs."""
    varied: tuple[str, ...] = ()
    values: Array | None = None
    """What is varied, (v), or (runs, v) of several runs; None: the robot's own values."""

    def __post_init__(self) -> None:
        known = layout(self.robot)
        for name in self.varied:
            if name not in known:
                raise GoughError(
                    f"cannot vary {name!r}: the robot has no such number; expected names such as "
                    f"{known[3]!r} or {known[-1]!r}"
                )

    @property
    def command(self) -> Argument:
        """What a controller sets, one number per actuator."""
        return self.mover.command

    @property
    def limit(self) -> tuple[float, ...]:
        """The largest command of each actuator; infinite where none is known."""
        return self.mover.limit

    @property
    def actuators(self) -> int:
        """How many there are: the length of a command."""
        return self.mover.command.size

    @property
    @abstractmethod
    def further(self) -> tuple[Argument, ...]:
        """The states behind pose and twist."""

    @property
    @abstractmethod
    def watched(self) -> tuple[Argument, ...]:
        """Further quantities that a run shows."""

    @property
    @abstractmethod
    def coupled(self) -> bool:
        """Whether its legs have coupling stages that yield."""

    @property
    @abstractmethod
    def bounces(self) -> bool:
        """Whether it has end stops to bounce off: a run does not end there."""

    @abstractmethod
    def derivative(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """The state's time derivative."""

    @abstractmethod
    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        """What sensors could say of it."""

    @abstractmethod
    def shown(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Shown:
        """What a run tells of it."""

    @abstractmethod
    def further_start(self, pose: Array, twist: Array) -> Array:
        """The states behind the platform's at the beginning."""

    @abstractmethod
    def holding(self, pose: Array) -> Array:
        """The command that holds the machine at rest at a pose."""

    @abstractmethod
    def contact_slope(self, state: Array) -> Array | None:
        """Derivative (6, 13) of a surface's wrench by pose and twist, if the tool struck it there.

        None if there is no surface.
        """

    def carrying(self, robot: Robot, varied: tuple[str, ...] = ()) -> Self:
        """The plant of a robot that differs in its platform alone."""
        return replace(self, robot=robot, varied=varied, values=None)

    @cached_property
    def state(self) -> Argument:
        """The whole state as one argument."""
        names = ", ".join(a.name for a in (POSE, TWIST, *self.further))
        return Argument("state", (PLATFORM + sum(a.size for a in self.further),), "SI", names)

    @cached_property
    def parameters(self) -> tuple[Argument, ...]:
        """The argument that holds what is varied; none if nothing is."""
        if not self.varied:
            return ()
        return (Argument("parameters", (len(self.varied),), "SI", ", ".join(self.varied)),)

    @cached_property
    def own_parameters(self) -> tuple[Array, ...]:
        """What is varied: one row, or one for each run; none if nothing is varied."""
        return (self.numbers[..., self.varied_places],) if self.varied else ()

    @cached_property
    def numbers(self) -> Array:
        """All numbers of the robot, (n), or (runs, n) of several runs."""
        own = parameters_of(self.robot)
        if self.values is None:
            return own
        numbers = np.tile(own, (*self.values.shape[:-1], 1))
        numbers[..., self.varied_places] = self.values
        return numbers

    @cached_property
    def varied_places(self) -> list[int]:
        """Where what is varied lies among all numbers of the robot."""
        names = layout(self.robot)
        return [names.index(name) for name in self.varied]

    @cached_property
    def stroke_places(self) -> Array:
        """Where the shortest and the longest lengths of all legs lie among them, (2, legs)."""
        names, legs = layout(self.robot), range(len(self.robot.legs))
        ends = ("shortest", "longest")
        return np.array([[names.index(f"legs[{k}].stroke.{end}") for k in legs] for end in ends])

    def machine(self, parameters: tuple[Value, ...]) -> Machine:
        """The machine of the equations, with what is varied taken from the parameters."""
        if not self.varied:
            return machine_of(self.robot)
        numbers = ca.SX(ca.DM(parameters_of(self.robot)))
        for k, place in enumerate(self.varied_places):
            numbers[place] = parameters[0][k]
        return machine_of_parameters(self.robot, numbers)

    def start(self, pose: Any, twist: Any = None) -> Array:
        """The state at a pose and twist."""
        at = row("start pose", pose, POSE.size, expected="x y z qw qx qy qz, finite")
        if not at[3:].any():
            raise GoughError(f"start pose is {at.tolist()}; expected a rotation, not 0 0 0 0")
        at[3:] /= np.linalg.norm(at[3:])
        still = np.zeros(TWIST.size)
        moving = still if twist is None else row("start twist", twist, TWIST.size)
        return np.concatenate([at, moving, self.further_start(at, moving)])

    def check_motion(self, state: Array) -> None:
        """Refuse a state at which forces do not determine how the machine moves."""
        still = np.zeros(self.actuators), np.zeros(WRENCH.size)
        if not np.isfinite(self.rate_kernel(state, *still, *self.own_parameters)).all():
            raise GoughError(
                f"{self.robot.name}: forces do not determine how it moves at the pose "
                f"{state[:7].tolist()}; expected a robot with masses and inertias (platform.mass, "
                "platform.inertia), at a pose that is not singular"
            )

    def rate_function(self) -> Function:
        """The function (state, command, wrench, parameters) -> time derivative of the state."""

        def equation(state: Value, command: Value, wrench: Value, *parameters: Value) -> Value:
            return self.derivative(self.machine(parameters), state, command, wrench)

        inputs = (self.state, self.command, WRENCH, *self.parameters)
        rate = Argument("rate", self.state.shape, "SI/s", "time derivative of the state")
        return Function.from_equation("rates", equation, inputs, [rate], "Rates of a plant.")

    @cached_property
    def rate_kernel(self) -> Kernel:
        """The compiled rates."""
        return Kernel(self.rate_function())

    @cached_property
    def rate_slope(self) -> Kernel:
        """How the rates change along a direction of the state; all axes at once: the derivative.

        The matrix of all derivatives would be very many operations; this is a few times the rates'.
        """
        return Kernel(self.rate_function().directional())

    @cached_property
    def shown_kernel(self) -> Kernel:
        """(state, command, wrench, parameters) -> what the actuators do, energies, what is watched.

        The first two are the actuators' forces and speeds.
        """

        def equation(state: Value, command: Value, wrench: Value, *parameters: Value) -> Value:
            at = (self.machine(parameters), state, command, wrench)
            speed = self.measured(at[0], state, wrench).q_dot
            shown = self.shown(*at)
            return shown.force, speed, shown.stored_energy, *shown.watched

        n = self.command.shape
        force = Argument("force", n, "N", "of the actuators, positive when they extend the legs")
        speed = Argument("actuator_speed", n, "m/s", "how fast the actuators extend")
        inputs = (self.state, self.command, WRENCH, *self.parameters)
        outputs = [force, speed, STORED_ENERGY, *self.watched]
        return Kernel.from_equation("shown", equation, inputs, outputs)

    @cached_property
    def measured_kernel(self) -> Kernel:
        """The compiled function (state, wrench, parameters) -> measurement."""

        def equation(state: Value, wrench: Value, *parameters: Value) -> Value:
            return self.measured(self.machine(parameters), state, wrench).column()

        inputs, output = (self.state, WRENCH, *self.parameters), measurement_of(self.actuators)
        return Kernel.from_equation("measured", equation, inputs, [output])

    def normalised(self, state: Value) -> Value:
        """The state with a quaternion of length one."""
        return ca.vertcat(normalised(state[0:7]), state[7 : self.state.size])


def measurement_of(actuators: int) -> Argument:
    """What is measured of a machine with so many actuators, as one column."""
    return Argument(
        "measurement",
        (3 * actuators + WRENCH.size,),
        "m, m/s, N, N m, m",
        "leg lengths, their rates, external wrench, compression of the coupling stages",
    )


def pose_rate(pose: Value, twist: Value) -> Value:
    """The time derivative of a pose (7)."""
    return ca.vertcat(twist[0:3], quaternion_rate(quaternion(pose), angular(twist)))
