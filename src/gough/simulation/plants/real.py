"""Plants with drives, yielding legs, friction, end stops and a surface, in any combination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self, final, get_args

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.connector import Mode
from gough.equations.actuators.stop import Stop, stop_force
from gough.equations.actuators.stop import stored_energy as stop_energy
from gough.equations.any_machine import AnyMachine
from gough.equations.contact.surface import Surface, contact_force, contact_wrench
from gough.equations.contact.surface import stored_energy as surface_energy
from gough.equations.control.signals import Measurement
from gough.equations.spatial.algebra import Value, rotation
from gough.errors import GoughError
from gough.model.actuators import connectors_of, joint_frictions_of, stops_of
from gough.robot import Hexapod, Robot
from gough.simulation.plants.actuators import IdealActuators, Load, Moved, of_a_run
from gough.simulation.plants.connectors import Connectors
from gough.simulation.plants.drives import Amplifiers, Drives
from gough.simulation.plants.flexible_links import FlexibleLinks
from gough.simulation.plants.plant import PLATFORM, Plant, Shown
from gough.simulation.plants.rigid_joints import RigidJoints
from gough.simulation.plants.springs import Springs
from gough.simulation.plants.transmission import At, Transmission

Links = Literal["rigid", "flexible"]
LINKS: tuple[Links, ...] = get_args(Links)
JUST_INSIDE, STRIKING = 1e-5, 0.1
"""How deep [m] and how fast [m/s] a tool that strikes a surface is taken to be."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RealPlant(Plant):
    """Actuators, what they move the platform by, joints that rub, end stops, a surface.

    Its state is that of the platform, of legs if they yield, and of the actuators.
    """

    transmission: Transmission
    """What is between actuators and platform."""
    frictions: tuple[Any, ...]
    """Of the joints, as the machine's equations know it; none if they do not rub."""
    stops: dict[int, Stop]
    """By the place of the actuator."""
    surface: Surface | None

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
    def yields(self) -> bool:
        """Whether its transmission does."""
        return bool(self.transmission.states)

    def carrying(self, robot: Robot, varied: tuple[str, ...] = ()) -> Self:
        """The plant of a robot that differs in its platform alone."""
        loaded = self.transmission.carrying(robot)
        return replace(self, robot=robot, varied=varied, values=None, transmission=loaded)

    def positions(self, numbers: Array, states: Array) -> Array:
        """Those that the transmission knows, or the pose tells."""
        known = self.driven(states)
        if known is None:
            return super().positions(numbers, states)
        batch = np.broadcast_shapes(numbers.shape[:-1], states.shape[:-1])
        return np.broadcast_to(known[0], (*batch, self.actuators))

    def doubts(self, time: Array, states: Array) -> list[str]:
        """Those of the transmission."""
        return self.transmission.doubts(time, np.ascontiguousarray(states[:, PLATFORM:]))

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """What the transmission knows of the driven joints."""
        return self.transmission.driven(states[..., PLATFORM:])

    @property
    def springs(self) -> tuple[Springs, ...]:
        """Those of its transmission."""
        return self.transmission.springs

    @property
    def bounces(self) -> bool:
        """Whether all actuators have end stops."""
        return len(self.stops) == self.actuators

    @property
    def further(self) -> tuple[Argument, ...]:
        """The states of transmission and actuators."""
        return self.transmission.states + self.mover.states

    @property
    def watched(self) -> tuple[Argument, ...]:
        """What is seen of actuators, springs and surface."""
        touch = of_a_run(self.actuators, "contact_force") * (self.surface is not None)
        return self.mover.watched + self.transmission.watched + touch

    def split(self, state: Value) -> tuple[Value, Value, Any, Value]:
        """Pose, twist, what the transmission remembers, and the actuators' states."""
        own = PLATFORM + sum(a.size for a in self.transmission.states)
        inner = self.transmission.inner(state[PLATFORM:own])
        return state[0:7], state[7:PLATFORM], inner, state[own : self.state.size]

    def derivative(self, machine: AnyMachine, state: Value, command: Value, wrench: Value) -> Value:
        """Of the platform, the transmission and the actuators."""
        pose, twist, inner, own = self.split(state)
        moved = self.response(machine, state, command, wrench)
        at = At(machine, pose, twist, inner)
        speed = self.transmission.seen(at).q_dot
        of_platform = self.transmission.platform_rates(at, moved.acceleration)
        of_actuators = self.mover.signals(own, command, speed).rates
        return ca.vertcat(of_platform, *moved.inner_rates, *of_actuators)

    def response(self, machine: AnyMachine, state: Value, command: Value, wrench: Value) -> Moved:
        """The motion, and the actuators' forces without those of the stops."""
        pose, twist, inner, own = self.split(state)
        at, seen = At(machine, pose, twist, inner), self.measured(machine, state, wrench)
        beside = ca.vertcat(
            *(
                stop_force(self.stops[k], seen.q[k], seen.q_dot[k]) if k in self.stops else ca.DM(0)
                for k in range(self.actuators)
            )
        )

        def under(laws: Actuation) -> Moved:
            return self.transmission.moved(at, laws, seen.wrench, self.frictions)

        return self.mover.response(Load(under, seen.q_dot, beside), own, command)

    def measured(self, machine: AnyMachine, state: Value, wrench: Value) -> Measurement:
        """The actuators as if nothing yielded; the force sensor feels the surface as well."""
        pose, twist, inner, _ = self.split(state)
        seen = self.transmission.seen(At(machine, pose, twist, inner))
        if self.surface is not None:
            wrench = wrench + contact_wrench(self.surface, pose, twist)
        return Measurement(seen.q, seen.q_dot, wrench, seen.deflection, seen.push)

    def shown(self, machine: AnyMachine, state: Value, command: Value, wrench: Value) -> Shown:
        """Energies of bodies, actuators, springs, stops and surface; what `watched` lists."""
        pose, twist, inner, own = self.split(state)
        at = At(machine, pose, twist, inner)
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
        return Shown(
            moved.force,
            ca.vertcat(kinetic, potential, rotors, windings, springs, stops, surface),
            [*in_actuators.watched, *moved.watched, *touch],
        )

    def begun(self, pose: Array, twist: Array) -> Array:
        """A transmission that bears the machine and goes along with it; actuators that hold it."""
        begun = self.transmission.start(self.robot, pose, twist)
        held = self.transmission.holding(self.robot, pose)
        further = _numbers(ca.vertcat(*begun.states, *self.mover.at_rest(held)[0]))
        return np.concatenate([begun.pose, begun.twist, further])

    def holding(self, pose: Array) -> Array:
        """What makes the actuators' forces at rest."""
        held = self.transmission.holding(self.robot, pose)
        return _numbers(self.mover.at_rest(held)[1])

    def contact_slope(self, state: Array) -> Array | None:
        """Of the surface as if it lay just where the tool is."""
        if self.surface is None:
            return None
        tool = ca.DM(state[:3]) + rotation(ca.DM(state[:7])) @ self.surface.tool
        struck = replace(self.surface, point=tool + JUST_INSIDE * self.surface.normal)
        x = ca.SX.sym("x", PLATFORM)
        slope = ca.jacobian(contact_wrench(struck, x[0:7], x[7:PLATFORM]), x)
        at = ca.vertcat(state[:7], -STRIKING * self.surface.normal, ca.DM.zeros(3))
        return np.array(ca.Function("slope", [x], [slope])(at))


def real_plant(
    robot: Robot,
    *,
    legs: Mode = "rigid",
    links: Links = "rigid",
    drives: bool = True,
    joint_friction: bool = True,
    stops: bool = True,
    surface: Surface | None = None,
    varied: tuple[str, ...] = (),
) -> RealPlant:
    """The robot with what its file says of its actuators, legs, joints and stops.

    The command is the voltage of each motor [V] or, without drives, the force of each actuator
    [N, N m]. Legs that yield, which only hexapods have, are in one of the operating modes of
    `connector`; what is measured is then the actuator, as if nothing yielded, the compression of
    the coupling stage and the force in the connector. Links that are "flexible", which only
    machines of any kind have, bend as the `beam` of the bodies in its file says; what is measured
    are the motors. A `surface` is what the platform may come to lean on; a force sensor feels it as
    well.
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
    if isinstance(robot, Hexapod) and links == "rigid":
        return Connectors(connectors_of(robot, legs))
    if not isinstance(robot, Hexapod) and legs != "rigid":
        raise GoughError(
            f"{robot.name}: legs are {legs!r}; only extensible legs of hexapods (gough/1) have "
            "connectors that yield; expected 'rigid'"
        )
    return RigidJoints() if links == "rigid" else FlexibleLinks.of(robot)


def force_commanded(plant: Plant) -> Plant:
    """The plant of drives, told forces instead of voltages: amplifiers make the currents."""
    if not isinstance(plant.mover, Drives):
        raise GoughError(f"the plant is told a {plant.command.name}; expected one told voltages")
    return replace(plant, mover=Amplifiers.of(plant.robot))


def _numbers(column: Value) -> Array:
    return np.array(column, dtype=float).ravel()
