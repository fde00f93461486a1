"""Plants with drives, yielding legs, friction, end stops and a surface, in any combination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.equations.actuators import compliant, compliant_energy
from gough.equations.actuators.compliant import Response, Statics
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.connector import Connector, Mode
from gough.equations.actuators.friction import JointFriction, friction_wrench
from gough.equations.actuators.stop import Stop, stop_force
from gough.equations.actuators.stop import stored_energy as stop_energy
from gough.equations.contact.surface import Surface, contact_force, contact_wrench
from gough.equations.contact.surface import stored_energy as surface_energy
from gough.equations.control.signals import Measurement
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import rotation
from gough.errors import GoughError
from gough.model.actuators import connectors_of, joint_frictions_of, stops_of
from gough.model.catalogue import WRENCH
from gough.model.parameters import machine_of
from gough.robot import Robot
from gough.simulation.plants.actuators import Actuators, Legs
from gough.simulation.plants.drives import Amplifiers, Drives
from gough.simulation.plants.ideal import IdealActuators
from gough.simulation.plants.plant import PLATFORM, Plant, pose_rate

Array = np.ndarray[Any, np.dtype[np.float64]]
Value = Any

NO_WRENCH = ca.DM.zeros(WRENCH.size)
CONTACT_FORCE = Argument("contact_force", (), "N", "of the surface on the tool, along the normal")
JUST_INSIDE, STRIKING = 1e-5, 0.1
"""How deep [m] and how fast [m/s] a tool that strikes a surface is taken to be."""


@final
@dataclass(frozen=True, kw_only=True)
class RealPlant(Plant):
    """Legs on their connectors, moved by actuators; joints that rub, stops, a surface.

    Its state is that of the platform, of the legs if they yield, and of the actuators.
    """

    legs: Mode
    moved_by: type[Actuators]
    joint_friction: bool
    stops: bool
    surface: Surface | None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.connectors, self.mover  # what the robot's file does not have is refused at once

    @cached_property
    def mover(self) -> Actuators:
        """Its actuators."""
        return self.moved_by(self.robot)

    @cached_property
    def connectors(self) -> Sequence[Connector]:
        """What is between actuators and platform."""
        return connectors_of(self.robot, self.legs)

    @cached_property
    def frictions(self) -> Sequence[JointFriction]:
        """Of the passive joints of all legs; none if they do not rub."""
        return joint_frictions_of(self.robot) if self.joint_friction else ()

    @cached_property
    def end_stops(self) -> dict[int, Stop]:
        """By the place of the leg; none if there are none."""
        found = stops_of(self.robot) if self.stops else ()
        return {k: stop for k, stop in enumerate(found) if stop is not None}

    @property
    def command(self) -> Argument:
        """That of its actuators."""
        return self.mover.command

    @property
    def limit(self) -> tuple[float, ...]:
        """That of its actuators."""
        return self.mover.limit

    @cached_property
    def yields(self) -> bool:
        """Whether its legs have springs."""
        return any(not c.is_rigid or c.decoupling is not None for c in self.connectors)

    @cached_property
    def coupled(self) -> bool:
        """Whether all its legs have coupling stages that yield."""
        return all(c.coupling is not None for c in self.connectors)

    @cached_property
    def bounces(self) -> bool:
        """Whether all its legs have end stops."""
        return len(self.end_stops) == len(self.robot.legs)

    @cached_property
    def inner(self) -> tuple[Argument, ...]:
        """The states of legs that yield."""
        meaning = "E, delta_c, D, and the rates of E and D: one each per leg"
        numbers = compliant.NONE.column().shape[0]
        return (Argument("inner", (numbers,), "m, m/s", meaning),) if self.yields else ()

    @cached_property
    def further(self) -> tuple[Argument, ...]:
        """The states of the legs and of the actuators."""
        return self.inner + self.mover.states

    @cached_property
    def watched(self) -> tuple[Argument, ...]:
        """What is seen of motors, springs and surface."""
        n = (self.actuators,)
        of_springs = (
            Argument("actuator_length", n, "m", "length that a leg would have if nothing yielded"),
            Argument("coupling_deflection", n, "m", "compression of the coupling stage"),
        )
        return (
            self.mover.watched
            + of_springs * self.yields
            + (CONTACT_FORCE,) * (self.surface is not None)
        )

    def split(self, state: Value) -> tuple[Value, Value, Inner, Value]:
        """Pose, twist, the legs' inner coordinates, and the actuators' states."""
        own = PLATFORM + sum(a.size for a in self.inner)
        inner = Inner.of(state[PLATFORM:own]) if self.yields else compliant.NONE
        return state[0:7], state[7:PLATFORM], inner, state[own : self.state.size]

    def derivative(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """Of the platform, the legs and the actuators."""
        pose, twist, _, own = self.split(state)
        moved = self.response(machine, state, command, wrench)
        of_legs = [moved.inner_rate.column()] if self.yields else []
        of_actuators = self.mover.rates(own, command, moved.inner_rate.E)
        return ca.vertcat(pose_rate(pose, twist), moved.acceleration, *of_legs, *of_actuators)

    def response(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Response:
        """The motion of the platform and of the legs, and the actuators' forces."""
        pose, twist, inner, own = self.split(state)
        seen = self.measured(machine, state, wrench)
        acting = seen.wrench
        if self.frictions:
            acting += friction_wrench(machine, self.frictions, pose, twist)
        stops = [
            stop_force(self.end_stops[k], seen.q[k], seen.q_dot[k])
            if k in self.end_stops else ca.DM(0)
            for k in range(self.actuators)
        ]  # fmt: skip
        at = (machine, self.connectors, pose, twist, inner)
        legs = Legs(*at, seen.q_dot, acting, ca.vertcat(*stops))
        return self.mover.response(legs, own, command)

    def force(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """Of the actuators, without that of the stops."""
        return self.response(machine, state, command, wrench).force

    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        """The actuators as if nothing yielded; the force sensor feels the surface as well."""
        pose, twist, inner, _ = self.split(state)
        legs = compliant.inner_motion(machine, self.connectors, pose, twist, inner)
        free = ca.vertcat(*(leg.piston.center_of_mass for leg in machine.legs))
        if self.surface is not None:
            wrench = wrench + contact_wrench(self.surface, pose, twist)
        return Measurement(legs.E + free, legs.E_dot, wrench, legs.delta_c)

    def watch(self, machine: Machine, state: Value, command: Value, wrench: Value) -> list[Value]:
        """As `watched` lists it."""
        pose, twist, _, own = self.split(state)
        seen = self.measured(machine, state, wrench)
        of_springs = [seen.q, seen.deflection] if self.yields else []
        touch = [] if self.surface is None else [contact_force(self.surface, pose, twist)]
        return [*self.mover.watch(own, command, seen.q_dot), *of_springs, *touch]

    def stored_energy(self, machine: Machine, state: Value) -> Value:
        """Of bodies, actuators, springs, stops and surface."""
        pose, twist, inner, own = self.split(state)
        of_legs = compliant_energy.energy(machine, self.connectors, pose, twist, inner)
        kinetic, potential, springs = ca.vertsplit(of_legs)
        seen = self.measured(machine, state, NO_WRENCH)
        rotors, windings = self.mover.energies(own, seen.q_dot)
        stops = sum((stop_energy(s, seen.q[k]) for k, s in self.end_stops.items()), ca.DM(0))
        surface = ca.DM(0) if self.surface is None else surface_energy(self.surface, pose)
        return ca.vertcat(kinetic, potential, rotors, windings, springs, stops, surface)

    def further_start(self, pose: Array, twist: Array) -> Array:
        """Legs that bear the machine and go along with it, actuators that hold it."""
        statics, start = self.statics(pose), []
        if self.yields:
            machine, at = machine_of(self.robot), (ca.DM(pose), ca.DM(twist))
            inner = compliant.steady_inner(machine, self.connectors, *at, statics.leg_force)
            start.append(inner.column())
        return _numbers(ca.vertcat(*start, *self.mover.resting(statics.force)))

    def holding(self, pose: Array) -> Array:
        """What makes the actuators' forces at rest."""
        return _numbers(self.mover.holding(self.statics(pose).force))

    def statics(self, pose: Array) -> Statics:
        """The machine at rest."""
        machine = machine_of(self.robot)
        return compliant.static_solution(machine, self.connectors, ca.DM(pose), NO_WRENCH)

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
    drives: bool = True,
    joint_friction: bool = True,
    stops: bool = True,
    surface: Surface | None = None,
    varied: tuple[str, ...] = (),
) -> RealPlant:
    """The robot with what its file says of its actuators, legs, joints and stops.

    The command is the voltage of each motor [V] or, without drives, the force of each actuator [N].
    Legs that yield are in one of the operating modes of `connector`; what is
    measured is then the actuator, as if nothing yielded, and the compression of the coupling stage.
    A `surface` is what the platform may come to lean on; a force sensor feels it as well.
    """
    return RealPlant(
        robot=robot,
        varied=varied,
        legs=legs,
        moved_by=Drives if drives else IdealActuators,
        joint_friction=joint_friction,
        stops=stops,
        surface=surface,
    )


def force_commanded(plant: Plant) -> RealPlant:
    """The plant of drives, told forces [N] instead of voltages: amplifiers make the currents."""
    if not isinstance(plant, RealPlant) or plant.moved_by is not Drives:
        raise GoughError(f"the plant is told a {plant.command.name}; expected one told voltages")
    return replace(plant, moved_by=Amplifiers)


def _numbers(column: Value) -> Array:
    return np.array(column, dtype=float).ravel()
