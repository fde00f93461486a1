"""What a controller drives: the states of a machine, and how fast they change.

A plant's state is one column: pose (7), twist (6), and then whatever its drives or its compliant
parts need. Its equations are symbolic, for one state. A plant with other actuators or other legs is
another `Plant`; integrators, controllers and results know no more of it than stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any

import casadi as ca
import numpy as np

from gough.analysis.kernels import kernels_of
from gough.analysis.quantities import DEFINITIONS
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.control.signals import Measurement
from gough.equations.dynamics.energy import energy
from gough.equations.dynamics.newton_euler import forward_dynamics
from gough.equations.legs.closure import inverse_kinematics, joint_velocity
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import angular, position, quaternion, unit
from gough.equations.spatial.attitude import quaternion_rate
from gough.errors import GoughError
from gough.model.catalogue import FORCE, POSE, TWIST, WRENCH
from gough.model.parameters import layout, machine_of, machine_of_parameters, parameters_of
from gough.robot import Robot
from gough.simulation.checks import row

Array = np.ndarray[Any, np.dtype[np.float64]]
Value = Any

MEASUREMENT = Argument(
    "measurement",
    (24,),
    "m, m/s, N, N m, m",
    "leg lengths, their rates, external wrench, compression of the coupling stages",
)
STORED_ENERGY = DEFINITIONS["stored_energy"].argument(legs=6)
ACTUATOR_SPEED = Argument("actuator_speed", (6,), "m/s", "how fast the actuators extend")
NOT_COUPLED = ca.DM.zeros(6)

PLATFORM = 13
"""Numbers of a state that are the platform's: pose and twist."""


@dataclass(frozen=True)
class Plant:
    """A machine with its actuators.

    `varied` names numbers of the robot (see `Model.parameter_names`) that may differ from run
    to run; they come as `parameters` into every run.
    """

    robot: Robot
    command: Argument
    """What a controller sets, one number per leg."""
    limit: tuple[float, ...]
    """The largest command of each leg; infinite where none is known."""
    rates: Callable[[Machine, Value, Value, Value], Value]
    """(machine, state, command, wrench) -> the state's time derivative."""
    measured: Callable[[Machine, Value, Value], Measurement]
    """(machine, state, wrench) -> what sensors could say of it."""
    force: Callable[[Machine, Value, Value, Value], Value]
    """(machine, state, command, wrench) -> the actuators' forces on the legs [N]."""
    stored: Callable[[Machine, Value], Value]
    """(machine, state) -> energies (7) [J], as `STORED_ENERGY` lists them."""
    further_start: Callable[[Array, Array], Array]
    """(pose, twist) -> the states behind the platform's at the beginning."""
    holding: Callable[[Array], Array]
    """(pose) -> the command that holds the machine at rest."""
    make: Callable[[Robot, tuple[str, ...]], Plant]
    """(robot, varied) -> a plant of the same kind, of another robot."""
    further: tuple[Argument, ...] = ()
    """The states behind pose and twist."""
    varied: tuple[str, ...] = ()
    values: Array | None = field(default=None, compare=False)
    """What is varied, (v), or (runs, v) of several runs; None: the robot's own values."""
    watched: tuple[Argument, ...] = ()
    """Further quantities that a run shows."""
    watch: Callable[[Machine, Value, Value, Value], tuple[Value, ...]] = lambda *_: ()
    """(machine, state, command, wrench) -> their values."""
    contact_slope: Callable[[Array], Array] | None = None
    """(state) -> derivative (6, 13) of a surface's wrench by pose and twist, if the tool struck it
    there; None if there is no surface."""
    coupled: bool = False
    """Whether its legs have coupling stages that yield."""
    stops: bool = False
    """Whether it has end stops to bounce off: a run does not end there."""

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
        return varied_numbers(self.robot, self.varied, self.values)

    @cached_property
    def varied_places(self) -> list[int]:
        """Where what is varied lies among all numbers of the robot."""
        names = layout(self.robot)
        return [names.index(name) for name in self.varied]

    @cached_property
    def stroke_places(self) -> Array:
        """Where the shortest and the longest lengths of all legs lie among them, (2, 6)."""
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
        at = row("start pose", pose, 7, expected="x y z qw qx qy qz, finite")
        if not at[3:].any():
            raise GoughError(f"start pose is {at.tolist()}; expected a rotation, not 0 0 0 0")
        at[3:] /= np.linalg.norm(at[3:])
        moving = np.zeros(6) if twist is None else row("start twist", twist, 6)
        return np.concatenate([at, moving, self.further_start(at, moving)])

    def rate_function(self) -> Function:
        """The function (state, command, wrench, parameters) -> time derivative of the state."""

        def equation(state: Value, command: Value, wrench: Value, *parameters: Value) -> Value:
            return self.rates(self.machine(parameters), state, command, wrench)

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
            return self.force(*at), speed, self.stored(at[0], state), *self.watch(*at)

        inputs = (self.state, self.command, WRENCH, *self.parameters)
        outputs = [FORCE, ACTUATOR_SPEED, STORED_ENERGY, *self.watched]
        return Kernel(Function.from_equation("shown", equation, inputs, outputs))

    @cached_property
    def measured_kernel(self) -> Kernel:
        """The compiled function (state, wrench, parameters) -> measurement (24)."""

        def equation(state: Value, wrench: Value, *parameters: Value) -> Value:
            return self.measured(self.machine(parameters), state, wrench).column()

        inputs = (self.state, WRENCH, *self.parameters)
        return Kernel(Function.from_equation("measured", equation, inputs, [MEASUREMENT]))

    def normalised(self, state: Value) -> Value:
        """The state with a quaternion of length one."""
        turned = unit(quaternion(state[0:7]))
        return ca.vertcat(position(state), turned, state[7 : self.state.size])


def rigid_plant(robot: Robot, varied: tuple[str, ...] = (), values: Array | None = None) -> Plant:
    """Rigid legs with ideal force actuators: the command is the force of each leg [N]."""
    _check_names(robot, varied)
    numbers = varied_numbers(robot, varied, values)
    return Plant(
        robot=robot,
        command=Argument("force", (6,), "N", "actuator forces, positive when they extend"),
        limit=tuple(inf if leg.max_force is None else leg.max_force for leg in robot.legs),
        rates=rigid_rates,
        measured=leg_states,
        force=lambda machine, state, command, wrench: command,
        stored=rigid_energy,
        further_start=lambda pose, twist: np.zeros(0),
        holding=lambda pose: holding_forces(robot, numbers, pose),
        make=rigid_plant,
        varied=varied,
        values=values,
    )


def holding_forces(robot: Robot, numbers: Array, pose: Array) -> Array:
    """The leg forces [N] that hold a machine of such numbers, (..., n), at rest."""
    return np.asarray(kernels_of(robot).model.inverse_dynamics(numbers, pose))


def varied_numbers(robot: Robot, varied: tuple[str, ...], values: Array | None) -> Array:
    """All numbers of a robot with other values (..., v) of those that are varied, (..., n)."""
    own = parameters_of(robot)
    if values is None:
        return own
    numbers = np.tile(own, (*values.shape[:-1], 1))
    names = layout(robot)
    numbers[..., [names.index(name) for name in varied]] = values
    return numbers


def rigid_rates(machine: Machine, state: Value, force: Value, wrench: Value) -> Value:
    """Rates of pose and twist under leg forces [N] and an external wrench."""
    pose, twist = state[0:7], state[7:13]
    acceleration = forward_dynamics(machine, pose, twist, force, wrench)
    return ca.vertcat(pose_rate(pose, twist), acceleration)


def rigid_energy(machine: Machine, state: Value) -> Value:
    """Energies [J], as `STORED_ENERGY` lists them; only of platform and legs."""
    others = ca.DM.zeros(STORED_ENERGY.size - 2)
    return ca.vertcat(energy(machine, state[0:7], state[7:13]), others)


def pose_rate(pose: Value, twist: Value) -> Value:
    """The time derivative of a pose (7)."""
    return ca.vertcat(twist[0:3], quaternion_rate(quaternion(pose), angular(twist)))


def leg_states(machine: Machine, state: Value, wrench: Value) -> Measurement:
    """Leg lengths [m] and their rates [m/s], and the wrench."""
    pose, twist = state[0:7], state[7:13]
    q, q_dot = inverse_kinematics(machine, pose), joint_velocity(machine, pose, twist)
    return Measurement(q, q_dot, wrench, NOT_COUPLED)


def _check_names(robot: Robot, varied: tuple[str, ...]) -> None:
    known = layout(robot)
    for name in varied:
        if name not in known:
            raise GoughError(
                f"cannot vary {name!r}: the robot has no such number; expected names such as "
                f"{known[3]!r} or {known[-1]!r}"
            )
