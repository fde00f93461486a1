"""Plants of controllers: the states of a machine, and their time derivatives.

A plant's state is one column: pose (7), twist (6), and then the states of its transmission and its
actuators. Its equations are symbolic, for one state; integrators, controllers and results use only
this interface.

A platform whose twist basis changes with its pose has fewer degrees of freedom than its state has
numbers. Errors of integration would violate its constraints: its rates correct them, see
`Transmission.platform_rates`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache, partial
from typing import Any, NoReturn, Self

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.quantities import DEFINITIONS
from gough.arrays import Array
from gough.checks import require_row
from gough.compiler import Argument, Function, Kernel
from gough.compiler.front.function import Equation
from gough.compiler.memo import remembered_by_value
from gough.compiler.native.disk_kernels import kept_on_disk
from gough.disk.plain_data import PlainData
from gough.equations.control.signals import Measurement
from gough.equations.forces import contact
from gough.equations.forces.moving_base import on_moving_base
from gough.equations.forces.passive_joints import FrictionLaw
from gough.equations.forces.surfaces import Plane
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import normalised
from gough.errors import GoughError, nearest
from gough.kinematics import possible_pose, twist_violation
from gough.kinematics.freedoms.nearest_pose import has_constant_basis
from gough.model import Kernels, Machines, Structure, machine_of, structure_of, variables
from gough.model.actuators import transmission_frictions_of
from gough.model.definition import POSE, TWIST, WRENCH
from gough.model.machines import travel_kernel
from gough.model.variables import counted_otherwise
from gough.robot import Robot
from gough.robot.numbers import layout
from gough.simulation.plants import transmission as transmissions
from gough.simulation.plants.actuators import (
    Actuators,
    DrivenMachine,
    IdealActuators,
    MachineResponse,
    run_outputs,
)

STORED_ENERGY = DEFINITIONS["stored_energy"].argument(0)  # it has no axis of actuators
PLATFORM = POSE.size + TWIST.size  # count of the platform's numbers in a state
ON_MOVING_BASE = Argument(
    "wrench",
    (25,),
    "SI",
    f"{WRENCH.meaning}; pose, twist and acceleration of the base in the world",
)
"""External inputs on a base whose motion is prescribed."""
NEAR = 1e-6  # maximum deviation [m, rad] of a start that counts as a rounded form of a possible one
JUST_INSIDE, STRIKING = 1e-5, 0.1
"""Depth [m] and speed [m/s] of a tool that strikes a surface, for its derivative."""
OF_RIGID_MACHINES = re.compile(
    r"gravity|home|platform|symmetric|joints\[\d+\]\.at|(leg|(legs|bodies)\[\d+\])\."
    r"(links\[\d+\]\.)?(base|platform|first_axis|stroke|cylinder|piston|length|end|parallelogram|"
    r"mass|center_of_mass|inertia)\b"
)
"""Numbers that a plant can vary; those of its drives, springs and stops are constants of it."""
OF_MASSES = re.compile(r"gravity|.*\b(mass|center_of_mass|inertia)\b")
"""Numbers on which possible motions do not depend."""


@lru_cache(maxsize=16)
def _kernels(machines: Machines) -> Kernels:
    """Return the kernels of a family: plants differ in values more often than in these."""
    return Kernels(machines.robot, parametric=machines.family)


@kept_on_disk(Kernel)
def _compiled(plant: Plant, which: str) -> Kernel:
    if which == "rate_slope":
        return Kernel(plant.rate_function.directional())
    return Kernel(getattr(plant, f"{which}_function"))


def _kernel(which: str, meaning: str) -> cached_property[Kernel[Any]]:
    """A compiled function of a plant, as a property of it."""
    kernel = cached_property[Kernel[Any]](lambda plant: _compiled(plant.without_values, which))
    kernel.__doc__ = meaning
    return kernel


@dataclass(frozen=True, kw_only=True, eq=False)
class Plant:
    """Actuators, their transmission to the platform, joints with friction, end stops, a surface.

    `varied` names numbers of the robot that may differ from run to run; they come as `parameters`
    into every run. They are parameters (see `Model.parameter_names`) or, with lengths and places of
    mechanisms, numbers of its file.
    """

    robot: Robot
    actuation: Actuators
    """Actuators of its driven joints."""
    transmission: transmissions.Transmission = transmissions.RIGID_JOINTS
    """Parts between actuators and platform."""
    frictions: tuple[FrictionLaw, ...] = ()
    """Friction of the joints, as the machine's equations use it."""
    stops: dict[int, contact.StopLaw] = field(default_factory=dict)
    """End stops by the index of the actuator."""
    surface: contact.ContactSurface | None = None
    moving_base: bool = False
    """Whether the base moves in the world, as the numbers behind the wrench say, see `loads`."""
    varied: tuple[str, ...] = ()
    values: Array | None = None
    """Varied numbers, (v), or (runs, v) of several runs; None: the robot's own values."""
    like: Robot | None = None
    """Robot for which its functions are compiled, which differs in the varied numbers alone; None:
    its own. So plants of many robots have one set of functions."""
    family: Machines | None = None
    """Machines of which `varied` are numbers of the robot's file; None: those of its parameters, if
    all are among them."""

    def __repr__(self) -> str:
        command = f"command: {self.command.name} [{self.command.unit}]"
        return f"<gough plant of {self.robot.name}: {self.state.size} states, {command}>"

    def __post_init__(self) -> None:
        own = self.family
        if own is None or own.robot is not self.robot or own.family != self.varied:
            in_file = not {*self.varied}.issubset(layout(self.robot))
            object.__setattr__(self, "family", self._of_file() if in_file else None)
        for k, name in enumerate(self.varied):
            if name in self.varied[:k]:
                raise GoughError(f"cannot vary {name!r} twice; expected each number once")
            self._check_varied(name)

    def _of_file(self) -> Machines:
        """Return the machines of numbers of the file; refuses those that it does not have."""
        names, counted = variables(self.robot).names, counted_otherwise(self.robot)
        for name in self.varied:
            if name not in names:
                self._refuse(name, names)
            if name in counted:
                raise GoughError(
                    f"cannot vary {name!r} beside numbers of legs: a file does not count bodies as "
                    "the robot does; expected masses of links, such as legs[0].links[0].mass"
                )
        return Machines(self.robot, parametric=self.varied)

    def _check_varied(self, name: str) -> None:
        """Refuse a number that a plant cannot vary, or on which possible motions depend."""
        if not OF_RIGID_MACHINES.match(name):
            self._refuse(name, variables(self.robot).names if self.family else layout(self.robot))
        held = "home.position." in name and name[-1] not in self.structure.degrees_of_freedom
        free = OF_MASSES.match(name) or has_constant_basis(self.robot)
        if self.family and (held or not free):
            raise GoughError(
                f"cannot vary {name!r}: poses that {self.robot.name} can take, and so its motion, "
                "depend on it; expected masses, or a machine whose degrees of freedom are the same "
                "in all poses"
            )
        if not self.transmission.varies:
            raise GoughError(
                f"{self.robot.name}: {name} is to differ from run to run, or within one; a machine "
                "with flexible links is made for its numbers: expected payloads that stay, or "
                'links "rigid"'
            )

    def _refuse(self, name: str, names: Sequence[str]) -> NoReturn:
        known = [name for name in names if OF_RIGID_MACHINES.match(name)]
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"expected names such as {known[3]!r}"
        raise GoughError(f"cannot vary {name!r}: a plant has no such parameter; {hint}")

    def __getstate__(self) -> PlainData:  # what was made of it is made anew elsewhere
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def command(self) -> Argument:
        """Command of a controller, one number per actuator."""
        return self.actuation.command

    @property
    def limit(self) -> tuple[float, ...]:
        """Maximum command of each actuator; infinite where none is known."""
        return self.actuation.limit

    @property
    def actuators(self) -> int:
        """Number of actuators: the length of a command."""
        return self.actuation.command.size

    @cached_property
    def kernels(self) -> Kernels:
        """Kernels that take `numbers`."""
        return _kernels(self.family) if self.family else Kernels(self.robot, parametric=True)

    @property
    def machines(self) -> Machines:
        """Machines that differ in `numbers`: in all parameters, or in those numbers of the file."""
        return self.kernels.machines

    @cached_property
    def structure(self) -> Structure:
        """Structure of its robot: names and units of its driven joints."""
        return structure_of(self.robot)

    @property
    def dof(self) -> int:
        """Number of degrees of freedom of its platform."""
        return len(self.structure.degrees_of_freedom)

    @property
    def inner_states(self) -> tuple[Argument, ...]:
        """States after pose and twist: of the transmission and of the actuators."""
        return self.transmission.states + self.actuation.states

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """Outputs of actuators, springs and surface in a run, after forces and energies."""
        names = ("contact_force", "contact_distance") * (self.surface is not None)
        touch = run_outputs(self.actuators, *names)
        return self.actuation.outputs + self.transmission.outputs + touch

    @property
    def is_compliant(self) -> bool:
        """Whether a part between its actuators and its platform is compliant."""
        return self.transmission.is_compliant

    @property
    def has_end_stops(self) -> bool:
        """Whether all actuators have end stops to bounce off: a run does not end there."""
        return len(self.stops) == self.actuators

    @property
    def is_lossless(self) -> bool:
        """Whether it is rigid bodies and springs under ideal actuators."""
        rigid = isinstance(self.transmission, transmissions.RigidJoints | transmissions.AllJoints)
        ideal = isinstance(self.actuation, IdealActuators)
        damped = any(spring.damping for spring in self.robot.springs)
        lossy = self.frictions or self.stops or self.surface or damped or self.moving_base
        return rigid and ideal and not lossy

    def on_moving_base(self) -> Self:
        """Return the plant on a base whose motion in the world is prescribed."""
        carried, frictions = self.transmission.on_moving_base(), self.frictions
        if carried is not self.transmission:  # rigid legs, whose transmissions have friction
            frictions += transmission_frictions_of(self.robot)
        return replace(self, moving_base=True, transmission=carried, frictions=frictions)

    @property
    def loads(self) -> Argument:
        """External inputs: the wrench (6) and, on a moving base, the base's motion (19) behind it.

        That is its pose x y z [m] qw qx qy qz, its twist and its acceleration, in world axes.
        """
        return ON_MOVING_BASE if self.moving_base else WRENCH

    @property
    def no_load(self) -> Array:
        """External inputs without a wrench, of a base at rest at the world's origin."""
        none = np.zeros(self.loads.size)
        none[9:10] = 1.0  # qw of a moving base
        return none

    def carrying(self, robot: Robot, varied: tuple[str, ...] = ()) -> Self:
        """Return the plant of a robot that differs in its platform alone."""
        loaded = self.transmission.carrying(robot)
        if self.like is not None:
            known = {*self.varied, *(n for n in layout(robot) if n.startswith("platform."))}
            varied = tuple(name for name in layout(robot) if name in known)
        return replace(self, robot=robot, varied=varied, values=None, transmission=loaded)

    @cached_property
    def state(self) -> Argument:
        """State as one argument."""
        names = ", ".join(a.name for a in (POSE, TWIST, *self.inner_states))
        return Argument("state", (PLATFORM + sum(a.size for a in self.inner_states),), "SI", names)

    @cached_property
    def parameters(self) -> tuple[Argument, ...]:
        """Argument of the varied numbers; none if none are varied."""
        if not self.varied:
            return ()
        return (Argument("parameters", (len(self.varied),), "SI", ", ".join(self.varied)),)

    @cached_property
    def own_parameters(self) -> tuple[Array, ...]:
        """Varied numbers: one row, or one for each run; none if none are varied."""
        own = self.numbers[..., self.varied_places] if self.values is None else self.values
        return (own,) if self.varied else ()

    @cached_property
    def numbers(self) -> Array:
        """Numbers of its machines, (n), or (runs, n) of several runs."""
        own = self.machines.values
        if self.values is None:
            return own
        numbers = np.tile(own, (*self.values.shape[:-1], 1))
        numbers[..., self.varied_places] = self.values
        return numbers

    @cached_property
    def varied_places(self) -> list[int]:
        """Indices of the varied numbers among those of its machines."""
        return [self.machines.names.index(name) for name in self.varied]

    def travel(self, numbers: Array) -> tuple[Array, Array]:
        """Return minimum and maximum positions [m, rad] of the driven joints, from the numbers."""
        low, high = travel_kernel(self.machines)(numbers)
        return low, high

    def machine(self, parameters: tuple[Value, ...]) -> Machine:
        """Return the machine of the equations, with the varied numbers from the parameters."""
        if not self.varied:
            return machine_of(self.robot)
        numbers = ca.SX(ca.DM(self.machines.values))
        numbers[self.varied_places] = parameters[0]
        return self.machines.machine(numbers)

    def positions(self, numbers: Array, states: Array) -> Array:
        """Return (..., n) positions of the driven joints [m, rad], from numbers and states."""
        known = self.driven(states)
        if known is None:
            return self.kernels.inverse_kinematics(numbers, states[..., : POSE.size])
        batch = np.broadcast_shapes(numbers.shape[:-1], states.shape[:-1])
        return np.broadcast_to(known[0], (*batch, self.actuators))

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """Return positions and rates (..., n) of driven joints; None: from pose and twist."""
        return self.transmission.driven(states[..., PLATFORM:])

    def split(self, machine: Machine, state: Value) -> tuple[transmissions.MachineState, Value]:
        """Return the state of platform and transmission, and the actuators' states."""
        own = self._inner_end
        inner = self.transmission.inner(state[PLATFORM:own])
        at = transmissions.MachineState(
            machine, state[0:7], state[7:PLATFORM], inner, self.frictions
        )
        return at, state[own : self.state.size]

    def derivative(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """Return the time derivatives of platform, transmission and actuators."""
        at, own = self.split(machine, state)
        moved = self.response(machine, state, command, wrench)
        platform = self.transmission.platform_rates(at, moved.acceleration)
        speed = self.transmission.actuator_state(at).q_dot
        actuators = self.actuation.signals(own, command, speed).rates
        return ca.vertcat(platform, *moved.inner_rates, *actuators)

    def response(
        self, machine: Machine, state: Value, command: Value, wrench: Value
    ) -> MachineResponse:
        """Return the motion, and the actuators' forces without those of the stops."""
        at, own = self.split(machine, state)
        measured = self.measured(machine, state, wrench)
        q, q_dot = measured.q, measured.q_dot
        stops = ca.DM.zeros(self.actuators) if not self.stops else ca.SX(self.actuators, 1)
        for k, stop in self.stops.items():
            stops[k] = contact.stop_force(stop, q[k], q_dot[k])
        under = partial(self.transmission.forward_dynamics, at, wrench=measured.wrench)
        return self.actuation.response(DrivenMachine(under, q_dot, stops), own, command)

    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        """Return the exact measurement: q of rigid legs, wrench with that of the surface."""
        at, _ = self.split(machine, state)
        q, q_dot, deflection, push = self.transmission.actuator_state(at)
        if self.surface is not None:
            wrench = wrench + contact.contact_wrench(self.surface, at.pose, at.twist)
        return Measurement(q, q_dot, wrench, deflection, push)

    def output_values(
        self, machine: Machine, state: Value, command: Value, wrench: Value
    ) -> list[Value]:
        """Return the actuators' forces, the stored energies [J], and the values of `outputs`."""
        at, own = self.split(machine, state)
        q, q_dot, *_ = self.transmission.actuator_state(at)
        actuators = self.actuation.signals(own, command, q_dot)
        kinetic, potential, springs = ca.vertsplit(self.transmission.energy(at))
        stops = sum((contact.stop_energy(stop, q[k]) for k, stop in self.stops.items()), ca.DM(0))
        surface, touch = ca.DM(0), []
        if self.surface is not None:
            touched = contact.contact_of(self.surface, at.pose, at.twist)
            surface, touch = touched.energy, [touched.force, touched.distance]
        moved = self.response(machine, state, command, wrench)
        stored = (kinetic, potential, actuators.rotors, actuators.windings, springs, stops, surface)
        return [moved.force, ca.vertcat(*stored), *actuators.outputs, *moved.outputs, *touch]

    def start(self, pose: ArrayLike, twist: ArrayLike | None = None) -> Array:
        """Return the state at a pose and twist."""
        return self.state_at(*self.admissible_start(pose, twist))

    def state_at(self, pose: Array, twist: Array) -> Array:
        """Return the state at a possible pose and twist, carrying the weight: actuators hold it."""
        *platform, states = self.transmission.start(self.robot, pose, twist)
        parts = [*platform, transmissions.as_row(ca.vertcat(*states))]
        if self.actuation.states:
            held = self.transmission.holding_forces(self.kernels, self.numbers, pose)
            parts.append(self._at_rest(held)[0])
        return transmissions.joined_rows(parts)

    def holding(self, pose: Array) -> Array:
        """Return the command (..., n) that holds the machine at rest at a pose, of each run."""
        held = self.transmission.holding_forces(self.kernels, self.numbers, pose)
        return held if isinstance(self.actuation, IdealActuators) else self._at_rest(held)[1]

    def _at_rest(self, held: Array) -> list[Array]:
        """Return states and command (..., n) of actuators at rest under their forces (..., n)."""
        forces = ca.SX.sym("forces", self.actuators)
        states, command = self.actuation.at_rest(forces)
        found = ca.Function("at_rest", [forces], [ca.vertcat(*states), command])
        rows = (np.array(x).T for x in found.call([ca.DM(np.atleast_2d(held).T)]))
        return [x.reshape(*held.shape[:-1], x.shape[-1]) for x in rows]

    def contact_slope(self, state: Array) -> Array | None:
        """Return the derivative (6, 13) of a surface's wrench at contact; None without it."""
        if self.surface is None:
            return None
        at = contact.contact_of(self.surface, ca.DM(state[:7]), ca.DM.zeros(6))
        inside = ca.DM(state[:3]) + at.arm + JUST_INSIDE * at.normal
        struck = replace(self.surface, shape=Plane(inside, at.normal))
        x = ca.SX.sym("x", PLATFORM)
        slope = ca.jacobian(contact.contact_wrench(struck, x[0:7], x[7:PLATFORM]), x)
        moving = ca.vertcat(ca.DM(state[:7]), -STRIKING * at.normal, ca.DM.zeros(3))
        return np.array(ca.Function("slope", [x], [slope])(moving))

    def admissible_start(
        self, pose: ArrayLike, twist: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """Return a possible pose and twist to begin with; impossible ones are refused."""
        at = require_row("start pose", pose, POSE.size, expected="x y z qw qx qy qz, finite")
        if not at[3:].any():
            raise GoughError(f"start pose is {at.tolist()}; expected a rotation, not 0 0 0 0")
        at[3:] /= np.linalg.norm(at[3:])
        at = at if self.dof == TWIST.size else self._possible(at)
        still = np.zeros(TWIST.size)
        moving = still if twist is None else require_row("start twist", twist, TWIST.size)
        if self.dof < TWIST.size and moving.any():
            self._check_twist(at, moving)
        return at, moving

    def _possible(self, pose: Array) -> Array:
        """Return the possible pose of which a pose is a rounded form."""
        found = possible_pose(Kernels(self.robot), pose)
        if not np.abs(found.step).max() <= NEAR:
            nearest = ", ".join(f"{x:.12g}" for x in found.pose)
            raise GoughError(
                f"{self.robot.name}: the platform cannot be at {pose.tolist()}; expected a pose "
                f"that its joints allow, such as {nearest}"
            )
        return found.pose

    def _check_twist(self, pose: Array, twist: Array) -> None:
        """Refuse a twist outside the platform's twist basis; a rounded form is accepted."""
        violation = twist_violation(self.robot, pose, twist)
        if not violation.size <= NEAR:
            worst = violation.worst
            nearest = ", ".join(f"{x:.12g}" for x in twist - violation.parts)
            raise GoughError(
                f"{self.robot.name}: the platform cannot move with the twist {twist.tolist()}: "
                f"{worst.component} = {worst.deviation:.4g} {worst.unit} is not possible; "
                f"expected a twist that its joints allow, such as {nearest}"
            )

    def check_motion(self, state: Array) -> None:
        """Refuse a state at which forces do not determine the motion of the machine."""
        still = np.zeros(self.actuators), self.no_load
        if not np.isfinite(self.rate_kernel(state, *still, *self.own_parameters)).all():
            raise GoughError(
                f"{self.robot.name}: forces do not determine how it moves at the pose "
                f"{state[:7].tolist()}; expected a robot with masses and inertias (platform.mass, "
                "platform.inertia), at a pose that is not singular"
            )

    def _function(
        self, name: str, equation: Equation, inputs: list[Argument], results: list[Argument]
    ) -> Function:
        """The function (*inputs, parameters) of an equation(machine, *inputs), loads the last."""
        n, words = len(inputs), f"{name.capitalize()} of a plant."

        def of_numbers(*given: Value) -> Any:
            *state, loads = given[:n]
            machine = self.machine(given[n:])
            if self.moving_base:
                pose, twist, acceleration = normalised(loads[6:13]), loads[13:19], loads[19:25]
                machine = on_moving_base(machine, pose, twist, acceleration)
            return equation(machine, *state, loads[0:6])

        return Function.from_equation(name, of_numbers, (*inputs, *self.parameters), results, words)

    @cached_property
    @remembered_by_value
    def rate_function(self) -> Function:
        """The function (state, command, wrench, parameters) -> time derivative of the state."""
        return self.traced_rates()

    def traced_rates(self) -> Function:
        """Return the function of the rates, traced anew."""
        rate = Argument("rate", self.state.shape, "SI/s", "time derivative of the state")
        inputs = [self.state, self.command, self.loads]
        return self._function("rates", self.derivative, inputs, [rate])

    @cached_property
    def output_function(self) -> Function:
        """The function (state, command, wrench, parameters) -> force, speed, energies, outputs."""

        def equation(machine: Machine, state: Value, command: Value, wrench: Value) -> list[Value]:
            force, *others = self.output_values(machine, state, command, wrench)
            return [force, self.measured(machine, state, wrench).q_dot, *others]

        n = self.command.shape
        unit, rate = self.structure.force_unit, f"{self.structure.unit} / s"
        force = Argument("force", n, unit, "of the actuators, positive when they extend")
        speed = Argument("actuator_speed", n, rate, "speeds of the actuators")
        results = [force, speed, STORED_ENERGY, *self.outputs]
        return self._function("outputs", equation, [self.state, self.command, self.loads], results)

    @cached_property
    def measured_function(self) -> Function:
        """The function (state, wrench, parameters) -> measurement."""

        def equation(machine: Machine, state: Value, wrench: Value) -> Value:
            return self.measured(machine, state, wrench).column()

        output = measurement_of(self.actuators)
        return self._function("measured", equation, [self.state, self.loads], [output])

    @cached_property
    def without_values(self) -> Self:
        """Return a plant with the same functions, to which the varied numbers are given."""
        if self.values is None and self.like is None:
            return self
        return replace(self, values=None, robot=self.like or self.robot, like=None)

    rate_kernel = _kernel("rate", "Compiled rates.")
    rate_slope = _kernel("rate_slope", "Derivative of the rates along a direction of the state.")
    """Along all axes it is the Jacobian, with fewer operations than the matrix of derivatives."""
    output_kernel = _kernel("output", "Compiled outputs.")
    measured_kernel = _kernel("measured", "Compiled measurement.")

    def settled(self, state: Value) -> Value:
        """Return the state after a step: quaternion of length one, valves set anew."""
        pose, twist, own = normalised(state[0:7]), state[7:PLATFORM], self._inner_end
        touch = ca.DM.zeros(2)
        if self.surface is not None:
            at = contact.contact_of(self.surface, pose, twist)
            touch = ca.vertcat(at.force, at.distance)
        inner = self.transmission.switched(state[PLATFORM:own], touch)
        return ca.vertcat(pose, twist, inner, state[own : self.state.size])

    @property
    def _inner_end(self) -> int:
        """Where the states of the transmission end."""
        return PLATFORM + sum(a.size for a in self.transmission.states)


def measurement_of(actuators: int) -> Argument:
    """Return the measurement of a machine with a number of actuators, as one column."""
    meaning = (
        "driven joints' positions, their rates, external wrench, compression of coupling stages, "
        "forces in connectors"
    )
    return Argument("measurement", (4 * actuators + WRENCH.size,), "SI", meaning)
