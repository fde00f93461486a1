"""Plants with drives, compliant legs, friction, end stops and a surface, in any combination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self, final, get_args

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.connector import Mode
from gough.equations.control.signals import Measurement
from gough.equations.forces.contact import (
    ContactSurface,
    StopLaw,
    contact_force,
    contact_wrench,
    stop_energy,
    stop_force,
    surface_energy,
)
from gough.equations.forces.friction import FrictionLaw
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, rotation
from gough.errors import GoughError
from gough.model.actuators import connectors_of, joint_frictions_of, stops_of
from gough.robot import Robot
from gough.simulation.plants.actuators import (
    Amplifiers,
    DrivenMachine,
    Drives,
    IdealActuators,
    Moved,
    of_a_run,
)
from gough.simulation.plants.connectors import Connectors
from gough.simulation.plants.flexible_links import FlexibleLinks
from gough.simulation.plants.plant import PLATFORM, Plant, PlantOutputs, YieldingParts
from gough.simulation.plants.transmission import MachineState, RigidJoints, Transmission

Links = Literal["rigid", "flexible"]
LINKS: tuple[Links, ...] = get_args(Links)
JUST_INSIDE, STRIKING = 1e-5, 0.1
"""Depth [m] and speed [m/s] of a tool that strikes a surface, for its derivative."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RealPlant(Plant):
    """Actuators, their transmission to the platform, joints with friction, end stops, a surface.

    Its state is that of the platform, of compliant legs, and of the actuators.
    """

    transmission: Transmission
    """Parts between actuators and platform."""
    frictions: tuple[FrictionLaw, ...]
    """Friction of the joints, as the machine's equations use it; none if there is none."""
    stops: dict[int, StopLaw]
    """End stops by the index of the actuator."""
    surface: ContactSurface | None

    __repr__ = Plant.__repr__

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.varied and not self.transmission.varies:
            raise GoughError(
                f"{self.robot.name}: {self.varied[0]} is to differ from run to run, or within one; "
                "a machine with flexible links is made for its numbers: expected payloads that "
                'stay, or links "rigid"'
            )

    @property
    def is_compliant(self) -> bool:
        """Whether its transmission is compliant."""
        return bool(self.transmission.states)

    def carrying(self, robot: Robot, varied: tuple[str, ...] = ()) -> Self:
        """Return the plant of a robot that differs in its platform alone."""
        loaded = self.transmission.carrying(robot)
        return replace(self, robot=robot, varied=varied, values=None, transmission=loaded)

    def positions(self, numbers: Array, states: Array) -> Array:
        """Return the positions from the transmission, or else from the pose."""
        known = self.driven(states)
        if known is None:
            return super().positions(numbers, states)
        batch = np.broadcast_shapes(numbers.shape[:-1], states.shape[:-1])
        return np.broadcast_to(known[0], (*batch, self.actuators))

    def doubts(self, time: Array, states: Array) -> list[str]:
        """Return the warnings of the transmission."""
        return self.transmission.doubts(time, np.ascontiguousarray(states[:, PLATFORM:]))

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """Return positions and rates of the driven joints that are states of the transmission."""
        return self.transmission.driven(states[..., PLATFORM:])

    @property
    def springs(self) -> tuple[YieldingParts, ...]:
        """Compliant parts of its transmission."""
        return self.transmission.springs

    @property
    def bounces(self) -> bool:
        """Whether all actuators have end stops."""
        return len(self.stops) == self.actuators

    @property
    def further(self) -> tuple[Argument, ...]:
        """States of transmission and actuators."""
        return self.transmission.states + self.mover.states

    @property
    def watched(self) -> tuple[Argument, ...]:
        """Outputs of actuators, springs and surface."""
        touch = of_a_run(self.actuators, "contact_force") * (self.surface is not None)
        return self.mover.watched + self.transmission.watched + touch

    def split(self, state: Value) -> tuple[Value, Value, Any, Value]:
        """Return pose, twist, the transmission's states, and the actuators' states."""
        own = PLATFORM + sum(a.size for a in self.transmission.states)
        inner = self.transmission.inner(state[PLATFORM:own])
        return state[0:7], state[7:PLATFORM], inner, state[own : self.state.size]

    def derivative(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """Return the time derivatives of platform, transmission and actuators."""
        pose, twist, inner, own = self.split(state)
        moved = self.response(machine, state, command, wrench)
        at = MachineState(machine, pose, twist, inner)
        speed = self.transmission.seen(at).q_dot
        of_platform = self.transmission.platform_rates(at, moved.acceleration)
        of_actuators = self.mover.signals(own, command, speed).rates
        return ca.vertcat(of_platform, *moved.inner_rates, *of_actuators)

    def response(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Moved:
        """Return the motion, and the actuators' forces without those of the stops."""
        pose, twist, inner, own = self.split(state)
        at, seen = MachineState(machine, pose, twist, inner), self.measured(machine, state, wrench)
        beside = ca.vertcat(
            *(
                stop_force(self.stops[k], seen.q[k], seen.q_dot[k]) if k in self.stops else ca.DM(0)
                for k in range(self.actuators)
            )
        )

        def under(laws: Actuation) -> Moved:
            return self.transmission.moved(at, laws, seen.wrench, self.frictions)

        return self.mover.response(DrivenMachine(under, seen.q_dot, beside), own, command)

    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        """Return the positions of rigid legs; the force sensor measures the surface, too."""
        pose, twist, inner, _ = self.split(state)
        seen = self.transmission.seen(MachineState(machine, pose, twist, inner))
        if self.surface is not None:
            wrench = wrench + contact_wrench(self.surface, pose, twist)
        return Measurement(seen.q, seen.q_dot, wrench, seen.deflection, seen.push)

    def shown(self, machine: Machine, state: Value, command: Value, wrench: Value) -> PlantOutputs:
        """Return energies of bodies, actuators, springs, stops and surface; `watched` outputs."""
        pose, twist, inner, own = self.split(state)
        at = MachineState(machine, pose, twist, inner)
        seen = self.transmission.seen(at)
        in_actuators = self.mover.signals(own, command, seen.q_dot)
        kinetic, potential, springs = ca.vertsplit(self.transmission.energy(at))
        stops = sum((stop_energy(stop, seen.q[k]) for k, stop in self.stops.items()), ca.DM(0))
        surface, touch = ca.DM(0), []
        if self.surface is not None:
            surface = surface_energy(self.surface, pose)
            touch = [contact_force(self.surface, pose, twist)]
        rotors, windings = in_actuators.rotors, in_actuators.windings
        moved = self.response(machine, state, command, wrench)
        return PlantOutputs(
            moved.force,
            ca.vertcat(kinetic, potential, rotors, windings, springs, stops, surface),
            [*in_actuators.watched, *moved.watched, *touch],
        )

    def begun(self, pose: Array, twist: Array) -> Array:
        """Return a transmission that carries the moving machine, and actuators that hold it."""
        begun = self.transmission.start(self.robot, pose, twist)
        held = self.transmission.holding(self.robot, pose)
        further = _numbers(ca.vertcat(*begun.states, *self.mover.at_rest(held)[0]))
        return np.concatenate([begun.pose, begun.twist, further])

    def holding(self, pose: Array) -> Array:
        """Return the command for the actuators' forces at rest."""
        held = self.transmission.holding(self.robot, pose)
        return _numbers(self.mover.at_rest(held)[1])

    def contact_slope(self, state: Array) -> Array | None:
        """Return the derivative of a surface placed at the tool."""
        if self.surface is None:
            return None
        tool = ca.DM(state[:3]) + rotation(ca.DM(state[:7])) @ self.surface.tool
        struck = replace(self.surface, point=tool + JUST_INSIDE * self.surface.normal)
        x = ca.SX.sym("x", PLATFORM)
        slope = ca.jacobian(contact_wrench(struck, x[0:7], x[7:PLATFORM]), x)
        at = ca.vertcat(ca.DM(state[:7]), -STRIKING * self.surface.normal, ca.DM.zeros(3))
        return np.array(ca.Function("slope", [x], [slope])(at))


def real_plant(
    robot: Robot,
    *,
    legs: Mode = "rigid",
    links: Links = "rigid",
    drives: bool = True,
    joint_friction: bool = True,
    stops: bool = True,
    surface: ContactSurface | None = None,
    varied: tuple[str, ...] = (),
) -> RealPlant:
    """Return the robot with the actuators, legs, joints and stops of its file.

    The command is the voltage of each motor [V] or, without drives, the force of each actuator
    [N, N m]. Compliant legs, which only hexapods have, are in one of the operating modes of
    `connector`; the measurement is then the actuator position of rigid legs, the compression of
    the coupling stage and the force in the connector. Links that are "flexible", for all machines
    but hexapods, bend as the `beam` of the bodies in its file states; the measurement is that of
    the motors. A `surface` is one that the platform may touch; a force sensor measures its
    wrench as well.
    """
    found = stops_of(robot) if stops else ()
    return RealPlant(
        robot=robot,
        varied=varied,
        transmission=_transmission(robot, legs, links),
        mover=Drives.of(robot) if drives else IdealActuators.of(robot),
        frictions=joint_frictions_of(robot) if joint_friction else (),
        stops={k: stop for k, stop in enumerate(found) if stop is not None},
        surface=surface,
    )


def _transmission(robot: Robot, legs: Mode, links: Links) -> Transmission:
    if links not in LINKS:
        raise GoughError(f"links are {links!r}; expected one of {', '.join(LINKS)}")
    if robot.has_extensible_legs and links == "rigid":
        return Connectors(connectors_of(robot, legs))
    if not robot.has_extensible_legs and legs != "rigid":
        raise GoughError(
            f"{robot.name}: legs are {legs!r}; only extensible legs of hexapods (gough/1) have "
            "compliant connectors; expected 'rigid'"
        )
    return RigidJoints() if links == "rigid" else FlexibleLinks.of(robot)


def force_commanded(plant: Plant) -> Plant:
    """Return the plant of drives, commanded by forces instead of voltages, through amplifiers."""
    if not isinstance(plant.mover, Drives):
        raise GoughError(f"the plant's command is a {plant.command.name}; expected voltages")
    return replace(plant, mover=Amplifiers.of(plant.robot))


def _numbers(column: Value) -> Array:
    return np.array(column, dtype=float).ravel()
