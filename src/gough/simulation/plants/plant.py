"""Plants of controllers: the states of a machine, and their time derivatives.

A plant's state is one column: pose (7), twist (6), and then the states of its legs and its
actuators. Its equations are symbolic, for one state. A plant with other actuators or other legs is
another child of `Plant`; integrators, controllers and results use only this interface.

A platform whose twist basis changes with its pose has fewer degrees of freedom than its state has
numbers. Errors of integration would violate its constraints: its rates correct them, see
`platform_rates`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple, Self

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.quantities import DEFINITIONS
from gough.arrays import Array
from gough.checks import require_row
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import kept_on_disk
from gough.compiler.native.kernel import Kernel
from gough.disk.plain_data import PlainData
from gough.equations.actuators.connector import Mode
from gough.equations.closure.closing import closing_step
from gough.equations.control.signals import Measurement
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import admissible
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import LEADING_BACK, normalised
from gough.equations.spatial.pose import rate as pose_rate
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import possible_pose, twist_violation
from gough.model.definition import POSE, TWIST, WRENCH
from gough.model.kernels import Kernels
from gough.model.parameters import layout, machine_of, parameters_of, travel_of_parameters
from gough.model.structure import Structure, structure_of
from gough.robot import Robot
from gough.simulation.plants.actuators import Actuators

STORED_ENERGY = DEFINITIONS["stored_energy"].argument(0)  # it has no axis of actuators
PLATFORM = POSE.size + TWIST.size
"""Count of the platform's numbers in a state: pose and twist."""
NEAR = 1e-6
"""Maximum deviation [m, rad] of a start that counts as a rounded form of a possible one."""
_OF_RIGID_MACHINES = re.compile(
    r"gravity|home|platform|(legs|bodies)\[\d+\]\."
    r"(base|platform|first_axis|stroke|cylinder|piston|mass|center_of_mass|inertia)\b"
)
"""Numbers that a plant can vary; those of its drives, springs and stops are constants of it."""


class PlantOutputs(NamedTuple):
    """Outputs of a plant at one moment."""

    force: Value
    """Forces of the actuators [N, N m]."""
    stored_energy: Value
    """Stored energies [J], as `STORED_ENERGY` lists them."""
    watched: list[Value]


@dataclass(frozen=True, kw_only=True, eq=False)
class Plant(ABC):
    """A machine with its actuators.

    `varied` names numbers of the robot (see `Model.parameter_names`) that may differ from run
    to run; they come as `parameters` into every run.
    """

    robot: Robot
    mover: Actuators
    """Actuators of its driven joints."""
    varied: tuple[str, ...] = ()
    values: Array | None = None
    """Varied numbers, (v), or (runs, v) of several runs; None: the robot's own values."""

    def __repr__(self) -> str:
        command = f"command: {self.command.name} [{self.command.unit}]"
        return f"<gough plant of {self.robot.name}: {self.state.size} states, {command}>"

    def __post_init__(self) -> None:
        known = [name for name in layout(self.robot) if _OF_RIGID_MACHINES.match(name)]
        for name in self.varied:
            if name not in known:
                raise GoughError(
                    f"cannot vary {name!r}: a plant has no such parameter; expected names such as "
                    f"{known[3]!r} or {known[-1]!r}"
                )

    def __getstate__(self) -> PlainData:  # what was made of it is made anew elsewhere
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def command(self) -> Argument:
        """Command of a controller, one number per actuator."""
        return self.mover.command

    @property
    def limit(self) -> tuple[float, ...]:
        """Maximum command of each actuator; infinite where none is known."""
        return self.mover.limit

    @property
    def actuators(self) -> int:
        """Number of actuators: the length of a command."""
        return self.mover.command.size

    @cached_property
    def structure(self) -> Structure:
        """Structure of its robot: names and units of its driven joints."""
        return structure_of(self.robot)

    @property
    def dof(self) -> int:
        """Number of degrees of freedom of its platform."""
        return len(self.structure.degrees_of_freedom)

    @property
    @abstractmethod
    def further(self) -> tuple[Argument, ...]:
        """States after pose and twist."""

    @property
    @abstractmethod
    def watched(self) -> tuple[Argument, ...]:
        """Further outputs of a run."""

    @property
    @abstractmethod
    def springs(self) -> tuple[YieldingParts, ...]:
        """Compliant parts of its legs."""

    @property
    @abstractmethod
    def bounces(self) -> bool:
        """Whether it has end stops to bounce off: a run does not end there."""

    @abstractmethod
    def derivative(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """Return the state's time derivative."""

    @abstractmethod
    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        """Return the exact measurement of all sensors."""

    @abstractmethod
    def shown(self, machine: Machine, state: Value, command: Value, wrench: Value) -> PlantOutputs:
        """Return its outputs in a run."""

    @abstractmethod
    def begun(self, pose: Array, twist: Array) -> Array:
        """Return the state at a possible pose and twist, carrying the weight."""

    @abstractmethod
    def holding(self, pose: Array) -> Array:
        """Return the command that holds the machine at rest at a pose."""

    @abstractmethod
    def contact_slope(self, state: Array) -> Array | None:
        """Return the derivative (6, 13) of a surface's wrench by pose and twist, at a tool contact.

        None if there is no surface.
        """

    def carrying(self, robot: Robot, varied: tuple[str, ...] = ()) -> Self:
        """Return the plant of a robot that differs in its platform alone."""
        return replace(self, robot=robot, varied=varied, values=None)

    @cached_property
    def state(self) -> Argument:
        """State as one argument."""
        names = ", ".join(a.name for a in (POSE, TWIST, *self.further))
        return Argument("state", (PLATFORM + sum(a.size for a in self.further),), "SI", names)

    @cached_property
    def parameters(self) -> tuple[Argument, ...]:
        """Argument of the varied numbers; none if none are varied."""
        if not self.varied:
            return ()
        return (Argument("parameters", (len(self.varied),), "SI", ", ".join(self.varied)),)

    @cached_property
    def own_parameters(self) -> tuple[Array, ...]:
        """Varied numbers: one row, or one for each run; none if none are varied."""
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
        """Indices of the varied numbers among all numbers of the robot."""
        names = layout(self.robot)
        return [names.index(name) for name in self.varied]

    def travel(self, numbers: Array) -> tuple[Array, Array]:
        """Return minimum and maximum positions [m, rad] of the driven joints, from the numbers."""
        return travel_of_parameters(self.robot, numbers)

    def machine(self, parameters: tuple[Value, ...]) -> Machine:
        """Return the machine of the equations, with the varied numbers from the parameters."""
        if not self.varied:
            return machine_of(self.robot)
        numbers = ca.SX(ca.DM(parameters_of(self.robot)))
        for k, place in enumerate(self.varied_places):
            numbers[place] = parameters[0][k]
        return machine_of(self.robot, numbers)

    @property
    @abstractmethod
    def is_compliant(self) -> bool:
        """Whether a part between its actuators and its platform is compliant."""

    def positions(self, numbers: Array, states: Array) -> Array:
        """Return (..., n) positions of the driven joints [m, rad], from numbers and states."""
        kernel = Kernels(self.robot, parametric=True).inverse_kinematics
        return np.asarray(kernel(numbers, np.ascontiguousarray(states[..., : POSE.size])))

    def doubts(self, time: Array, states: Array) -> list[str]:
        """Return reasons why states (T, n) of a run at times [s] are not to be trusted."""
        return []

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """Return positions and rates (..., n) of the driven joints, from states or their rates.

        None where they follow from pose and twist.
        """
        return None

    def start(self, pose: ArrayLike, twist: ArrayLike | None = None) -> Array:
        """Return the state at a pose and twist."""
        return self.begun(*self.led(pose, twist))

    def led(self, pose: ArrayLike, twist: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return a possible pose and twist to begin with; impossible ones are refused."""
        at = require_row("start pose", pose, POSE.size, expected="x y z qw qx qy qz, finite")
        if not at[3:].any():
            raise GoughError(f"start pose is {at.tolist()}; expected a rotation, not 0 0 0 0")
        at[3:] /= np.linalg.norm(at[3:])
        at = self._possible(at)
        still = np.zeros(TWIST.size)
        moving = still if twist is None else require_row("start twist", twist, TWIST.size)
        self._refuse_beside(at, moving)
        return at, moving

    def _possible(self, pose: Array) -> Array:
        """Return the possible pose of which a pose is a rounded form."""
        if self.dof == TWIST.size:
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
        """Refuse a twist outside the platform's twist basis; a rounded form is accepted."""
        if self.dof == TWIST.size or not twist.any():
            return
        off = twist_violation(self.robot, pose, twist)
        if not off.size <= NEAR:
            worst, nearest = off.worst, ", ".join(f"{x:.12g}" for x in twist - off.parts)
            raise GoughError(
                f"{self.robot.name}: the platform cannot move with the twist {twist.tolist()}: "
                f"{worst.component} = {worst.deviation:.4g} {worst.unit} is not possible; "
                f"expected a twist that its joints allow, such as {nearest}"
            )

    def check_motion(self, state: Array) -> None:
        """Refuse a state at which forces do not determine the motion of the machine."""
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
        """Compiled rates."""
        return _rates(self.without_values)

    @cached_property
    def rate_slope(self) -> Kernel:
        """Derivative of the rates along a direction of the state; along all axes: the Jacobian.

        The matrix of all derivatives would need many operations; this needs a few times those of
        the rates.
        """
        return _rate_slope(self.without_values)

    @cached_property
    def shown_kernel(self) -> Kernel[tuple[Array, ...]]:
        """Kernel (state, command, wrench, parameters) -> actuator signals, energies, outputs.

        The first two results are the actuators' forces and speeds.
        """
        return _shown(self.without_values)

    @cached_property
    def measured_kernel(self) -> Kernel:
        """Compiled function (state, wrench, parameters) -> measurement."""
        return _measured(self.without_values)

    @cached_property
    def without_values(self) -> Self:
        """Return a plant with the same functions, to which the varied numbers are given."""
        return self if self.values is None else replace(self, values=None)

    def shown_function(self) -> Function:
        """Return the function of `shown_kernel`."""

        def equation(
            state: Value, command: Value, wrench: Value, *parameters: Value
        ) -> tuple[Value, ...]:
            at = (self.machine(parameters), state, command, wrench)
            speed = self.measured(at[0], state, wrench).q_dot
            shown = self.shown(*at)
            return shown.force, speed, shown.stored_energy, *shown.watched

        n = self.command.shape
        unit, rate = self.structure.force_unit, f"{self.structure.unit} / s"
        force = Argument("force", n, unit, "of the actuators, positive when they extend")
        speed = Argument("actuator_speed", n, rate, "speeds of the actuators")
        inputs = (self.state, self.command, WRENCH, *self.parameters)
        outputs = [force, speed, STORED_ENERGY, *self.watched]
        return Function.from_equation("shown", equation, inputs, outputs)

    def measured_function(self) -> Function:
        """Return the function of `measured_kernel`."""

        def equation(state: Value, wrench: Value, *parameters: Value) -> Value:
            return self.measured(self.machine(parameters), state, wrench).column()

        inputs, output = (self.state, WRENCH, *self.parameters), measurement_of(self.actuators)
        return Function.from_equation("measured", equation, inputs, [output])

    def normalised(self, state: Value) -> Value:
        """Return the state with a quaternion of length one."""
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
    """Return the measurement of a machine with a number of actuators, as one column."""
    return Argument(
        "measurement",
        (4 * actuators + WRENCH.size,),
        "SI",
        "driven joints' positions, their rates, external wrench, compression of coupling stages, "
        "forces in connectors",
    )


def platform_rates(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Return time derivatives of pose and twist (13), with a correction of constraint violations.

    Where the twist basis is constant, or has all six columns, there are none.
    """
    way = twist + LEADING_BACK * closing_step(machine, pose)
    beside = twist - admissible(machine, pose, twist)
    return ca.vertcat(pose_rate(pose, way), acceleration - LEADING_BACK * beside)


class YieldingParts(NamedTuple):
    """Compliant parts of all legs, and their use by a controller."""

    name: str
    use: str
    modes: tuple[Mode, ...]
    """Modes in which connectors have them."""


CONNECTORS = YieldingParts(
    "connectors", "feels forces in", ("simple", "low-frequency", "high-frequency", "complete")
)
COUPLINGS = YieldingParts("coupling stages", "compresses", ("low-frequency", "complete"))
