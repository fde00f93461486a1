"""What a controller drives: the states of a machine, and how fast they change.

A plant's state is one column: pose (7), twist (6), and then whatever its legs and its actuators
need. Its equations are symbolic, for one state. A plant with other actuators or other legs is
another child of `Plant`; integrators, controllers and results know no more of it than stands here.

A platform whose moves change with its pose has fewer freedoms than its state has numbers. Errors of
integration would take it off its way: its rates lead it back, see `platform_rates`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import casadi as ca
import numpy as np

from gough.analysis.quantities import DEFINITIONS
from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kept import kept_on_disk
from gough.compiler.native.kernel import Kernel
from gough.equations.any_machine import AnyMachine, admissible, closing_step
from gough.equations.control.signals import Measurement
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import LEADING_BACK, normalised
from gough.equations.spatial.pose import rate as pose_rate
from gough.errors import GoughError
from gough.kinematics.freedoms.off import twists_off_freedoms
from gough.kinematics.freedoms.possible import possible_pose
from gough.model.definition import POSE, TWIST, WRENCH
from gough.model.kernels import Kernels
from gough.model.parameters import (
    layout,
    machine_of,
    machine_of_parameters,
    parameters_of,
    travel_of_parameters,
)
from gough.model.structure import Structure, structure_of
from gough.robot import Robot
from gough.simulation.arguments import row
from gough.simulation.plants.actuators import Actuators
from gough.simulation.plants.springs import Springs

STORED_ENERGY = DEFINITIONS["stored_energy"].argument(0)  # it has no axis of actuators
PLATFORM = POSE.size + TWIST.size
"""Numbers of a state that are the platform's: pose and twist."""
NEAR = 1e-6
"""A start that is not farther off [m, rad] is a rounded form of one that the platform can have."""
_OF_RIGID_MACHINES = re.compile(
    r"gravity|home|platform|(legs|bodies)\[\d+\]\."
    r"(base|platform|first_axis|stroke|cylinder|piston|mass|center_of_mass|inertia)\b"
)
"""Numbers that a plant can vary; those of its drives, springs and stops are constants of it."""


class Shown(NamedTuple):
    """What a run tells of a plant at one moment."""

    force: Value
    """Of the actuators [N, N m]."""
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
    """What moves its driven joints."""
    varied: tuple[str, ...] = ()
    values: Array | None = None
    """What is varied, (v), or (runs, v) of several runs; None: the robot's own values."""

    def __repr__(self) -> str:
        told = f"told a {self.command.name} [{self.command.unit}]"
        return f"<gough plant of {self.robot.name}: {self.state.size} states, {told}>"

    def __post_init__(self) -> None:
        known = [name for name in layout(self.robot) if _OF_RIGID_MACHINES.match(name)]
        for name in self.varied:
            if name not in known:
                raise GoughError(
                    f"cannot vary {name!r}: a plant has no such parameter; expected names such as "
                    f"{known[3]!r} or {known[-1]!r}"
                )

    def __getstate__(self) -> dict[str, Any]:  # what was made of it is made anew elsewhere
        return {field.name: getattr(self, field.name) for field in fields(self)}

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

    @cached_property
    def structure(self) -> Structure:
        """Of its robot: what its driven joints are called, and their units."""
        return structure_of(self.robot)

    @property
    def freedoms(self) -> int:
        """How many its platform has."""
        return len(self.structure.freedoms)

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
    def springs(self) -> tuple[Springs, ...]:
        """What of its legs yields."""

    @property
    @abstractmethod
    def bounces(self) -> bool:
        """Whether it has end stops to bounce off: a run does not end there."""

    @abstractmethod
    def derivative(self, machine: AnyMachine, state: Value, command: Value, wrench: Value) -> Value:
        """The state's time derivative."""

    @abstractmethod
    def measured(self, machine: AnyMachine, state: Value, wrench: Value) -> Measurement:
        """What sensors could say of it."""

    @abstractmethod
    def shown(self, machine: AnyMachine, state: Value, command: Value, wrench: Value) -> Shown:
        """What a run tells of it."""

    @abstractmethod
    def begun(self, pose: Array, twist: Array) -> Array:
        """The state of the machine led to a pose and twist that it can have: bearing its weight."""

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

    def travel(self, numbers: Array) -> tuple[Array, Array]:
        """Smallest and largest positions [m, rad] of the driven joints, of a robot's numbers."""
        return travel_of_parameters(self.robot, numbers)

    def machine(self, parameters: tuple[Value, ...]) -> AnyMachine:
        """The machine of the equations, with what is varied taken from the parameters."""
        if not self.varied:
            return machine_of(self.robot)
        numbers = ca.SX(ca.DM(parameters_of(self.robot)))
        for k, place in enumerate(self.varied_places):
            numbers[place] = parameters[0][k]
        return machine_of_parameters(self.robot, numbers)

    @property
    @abstractmethod
    def yields(self) -> bool:
        """Whether something between its actuators and its platform does."""

    def positions(self, numbers: Array, states: Array) -> Array:
        """(..., n) of the driven joints [m, rad], of a robot's numbers and states."""
        kernel = Kernels(self.robot, parametric=True).inverse_kinematics
        return np.asarray(kernel(numbers, np.ascontiguousarray(states[..., : POSE.size])))

    def doubts(self, time: Array, states: Array) -> list[str]:
        """Why states (T, n) of a run at times [s] are not to be trusted."""
        return []

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """Positions and rates (..., n) of the driven joints, of states, or of a state's rates.

        None where pose and twist tell them.
        """
        return None

    def start(self, pose: Any, twist: Any = None) -> Array:
        """The state at a pose and twist."""
        return self.begun(*self.led(pose, twist))

    def led(self, pose: Any, twist: Any = None) -> tuple[Array, Array]:
        """A pose and twist to begin with; those that the platform cannot have are refused."""
        at = row("start pose", pose, POSE.size, expected="x y z qw qx qy qz, finite")
        if not at[3:].any():
            raise GoughError(f"start pose is {at.tolist()}; expected a rotation, not 0 0 0 0")
        at[3:] /= np.linalg.norm(at[3:])
        at = self._possible(at)
        still = np.zeros(TWIST.size)
        moving = still if twist is None else row("start twist", twist, TWIST.size)
        self._refuse_beside(at, moving)
        return at, moving

    def _possible(self, pose: Array) -> Array:
        """The pose that the platform can have next to one that is a rounded form of it."""
        if self.freedoms == TWIST.size:
            return pose
        found = possible_pose(Kernels(self.robot), pose)
        if not np.abs(found.step).max() <= NEAR:
            nearest = ", ".join(f"{x:.12g}" for x in found.pose)
            raise GoughError(
                f"{self.robot.name}: the platform cannot be at {pose.tolist()}; expected a pose "
                f"that its joints allow, such as {nearest}"
            )
        return found.pose

    def _refuse_beside(self, pose: Array, twist: Array) -> None:
        """Refuse a twist beside the platform's moves; one that is a rounded form of them is not."""
        if self.freedoms == TWIST.size or not twist.any():
            return
        off = twists_off_freedoms(self.robot, pose, twist)
        if not off.size <= NEAR:
            worst, nearest = off.worst, ", ".join(f"{x:.12g}" for x in twist - off.parts)
            raise GoughError(
                f"{self.robot.name}: the platform cannot move with the twist {twist.tolist()}: "
                f"{worst.component} = {worst.deviation:.4g} {worst.unit} is beside its moves; "
                f"expected a twist that its joints allow, such as {nearest}"
            )

    def check_motion(self, state: Array) -> None:
        """Refuse a state at which forces do not determine how the machine moves."""
        still = np.zeros(self.actuators), np.zeros(WRENCH.size)
        if not np.isfinite(self.rate_kernel(state, *still, *self.own_parameters)).all():
            raise GoughError(
                f"{self.robot.name}: forces do not determine how it moves at the pose "
                f"{state[:7].tolist()}; expected a robot with masses and inertias (platform.mass, "
                "platform.inertia), at a pose that is not singular"
            )

    @cached_property
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
        return _rates(self.without_values)

    @cached_property
    def rate_slope(self) -> Kernel:
        """How the rates change along a direction of the state; all axes at once: the derivative.

        The matrix of all derivatives would be very many operations; this is a few times the rates'.
        """
        return _rate_slope(self.without_values)

    @cached_property
    def shown_kernel(self) -> Kernel:
        """(state, command, wrench, parameters) -> what the actuators do, energies, what is watched.

        The first two are the actuators' forces and speeds.
        """
        return _shown(self.without_values)

    @cached_property
    def measured_kernel(self) -> Kernel:
        """The compiled function (state, wrench, parameters) -> measurement."""
        return _measured(self.without_values)

    @cached_property
    def without_values(self) -> Self:
        """A plant with the same functions: what is varied is given to them."""
        return self if self.values is None else replace(self, values=None)

    def shown_function(self) -> Function:
        """That of `shown_kernel`."""

        def equation(state: Value, command: Value, wrench: Value, *parameters: Value) -> Value:
            at = (self.machine(parameters), state, command, wrench)
            speed = self.measured(at[0], state, wrench).q_dot
            shown = self.shown(*at)
            return shown.force, speed, shown.stored_energy, *shown.watched

        n = self.command.shape
        unit, rate = self.structure.force_unit, f"{self.structure.unit} / s"
        force = Argument("force", n, unit, "of the actuators, positive when they extend")
        speed = Argument("actuator_speed", n, rate, "how fast the actuators move")
        inputs = (self.state, self.command, WRENCH, *self.parameters)
        outputs = [force, speed, STORED_ENERGY, *self.watched]
        return Function.from_equation("shown", equation, inputs, outputs)

    def measured_function(self) -> Function:
        """That of `measured_kernel`."""

        def equation(state: Value, wrench: Value, *parameters: Value) -> Value:
            return self.measured(self.machine(parameters), state, wrench).column()

        inputs, output = (self.state, WRENCH, *self.parameters), measurement_of(self.actuators)
        return Function.from_equation("measured", equation, inputs, [output])

    def normalised(self, state: Value) -> Value:
        """The state with a quaternion of length one."""
        return ca.vertcat(normalised(state[0:7]), state[7 : self.state.size])


@kept_on_disk(Kernel)
def _rates(plant: Plant) -> Kernel:
    return Kernel(plant.rate_function)


@kept_on_disk(Kernel)
def _rate_slope(plant: Plant) -> Kernel:
    return Kernel(plant.rate_function.directional())


@kept_on_disk(Kernel)
def _shown(plant: Plant) -> Kernel:
    return Kernel(plant.shown_function())


@kept_on_disk(Kernel)
def _measured(plant: Plant) -> Kernel:
    return Kernel(plant.measured_function())


def measurement_of(actuators: int) -> Argument:
    """What is measured of a machine with so many actuators, as one column."""
    return Argument(
        "measurement",
        (4 * actuators + WRENCH.size,),
        "SI",
        "driven joints' positions, their rates, external wrench, compression of coupling stages, "
        "forces in connectors",
    )


def platform_rates(machine: AnyMachine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Time derivatives of pose and twist (13), with what leads them back to the platform's moves.

    Where these are constant, or all six, nothing leads away from them.
    """
    way = twist + LEADING_BACK * closing_step(machine, pose)
    beside = twist - admissible(machine, pose, twist)
    return ca.vertcat(pose_rate(pose, way), acceleration - LEADING_BACK * beside)
