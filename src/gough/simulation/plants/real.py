"""Plants with drives, yielding legs, friction, end stops and a surface, in any combination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import casadi as ca
import numpy as np

from gough.arrays import Array
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
from gough.equations.spatial.algebra import Value, rotation
from gough.errors import GoughError
from gough.model.actuators import connectors_of, joint_frictions_of, stops_of
from gough.model.catalogue import WRENCH
from gough.model.parameters import machine_of
from gough.robot import Robot
from gough.simulation.plants.actuators import Legs, of_a_run
from gough.simulation.plants.drives import Amplifiers, Drives
from gough.simulation.plants.ideal import IdealActuators
from gough.simulation.plants.plant import PLATFORM, Plant, Shown, pose_rate

NO_WRENCH = ca.DM.zeros(WRENCH.size)
JUST_INSIDE, STRIKING = 1e-5, 0.1
"""How deep [m] and how fast [m/s] a tool that strikes a surface is taken to be."""


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class RealPlant(Plant):
    """Actuators that move legs on connectors; joints that rub, end stops, a surface.

    Its state is that of the platform, of the legs if they yield, and of the actuators.
    """

    connectors: tuple[Connector, ...]
    """What is between actuator and platform, of each leg."""
    frictions: tuple[JointFriction, ...]
    """Of the passive joints of each leg; none if they do not rub."""
    stops: dict[int, Stop]
    """By the place of the leg."""
    surface: Surface | None

    @property
    def coupled(self) -> bool:
        """Whether all legs have coupling stages that yield."""
        return all(c.coupling is not None for c in self.connectors)

    @property
    def bounces(self) -> bool:
        """Whether all legs have end stops."""
        return len(self.stops) == len(self.connectors)

    @cached_property
    def inner(self) -> tuple[Argument, ...]:
        """The states of the legs; none if nothing yields."""
        if all(c.is_rigid and c.decoupling is None for c in self.connectors):
            return ()
        meaning = "E, delta_c, D, and the rates of E and D: of each leg"
        return (
            Argument("inner", (Inner.none(self.actuators).column().shape[0],), "m, m/s", meaning),
        )

    @property
    def further(self) -> tuple[Argument, ...]:
        """The states of legs and actuators."""
        return self.inner + self.mover.states

    @property
    def watched(self) -> tuple[Argument, ...]:
        """What is seen of actuators, springs and surface."""
        n = self.actuators
        springs = of_a_run(n, "actuator_length", "coupling_deflection")
        touch = of_a_run(n, "contact_force")
        return self.mover.watched + springs * len(self.inner) + touch * (self.surface is not None)

    def split(self, state: Value) -> tuple[Value, Value, Inner, Value]:
        """Pose, twist, the legs' inner coordinates, and the actuators' states."""
        own = PLATFORM + sum(a.size for a in self.inner)
        inner = Inner.of(state[PLATFORM:own]) if self.inner else Inner.none(self.actuators)
        return state[0:7], state[7:PLATFORM], inner, state[own : self.state.size]

    def derivative(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        """Of the platform, the legs and the actuators."""
        pose, twist, _, own = self.split(state)
        moved = self.response(machine, state, command, wrench)
        of_legs = [moved.inner_rate.column()] if self.inner else []
        of_actuators = self.mover.signals(own, command, moved.inner_rate.E).rates
        return ca.vertcat(pose_rate(pose, twist), moved.acceleration, *of_legs, *of_actuators)

    def response(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Response:
        """The motion of platform and legs, and the actuators' forces without those of the stops."""
        pose, twist, inner, own = self.split(state)
        seen = self.measured(machine, state, wrench)
        acting = seen.wrench
        if self.frictions:
            acting = acting + friction_wrench(machine, self.frictions, pose, twist)
        beside = ca.vertcat(
            *(
                stop_force(self.stops[k], seen.q[k], seen.q_dot[k]) if k in self.stops else ca.DM(0)
                for k in range(len(self.connectors))
            )
        )
        legs = Legs(machine, self.connectors, pose, twist, inner, seen.q_dot, acting, beside)
        return self.mover.response(legs, own, command)

    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        """The actuators as if nothing yielded; the force sensor feels the surface as well."""
        pose, twist, inner, _ = self.split(state)
        legs = compliant.inner_motion(machine, self.connectors, pose, twist, inner)
        free = ca.vertcat(*(leg.piston.center_of_mass for leg in machine.legs))
        if self.surface is not None:
            wrench = wrench + contact_wrench(self.surface, pose, twist)
        return Measurement(legs.E + free, legs.E_dot, wrench, legs.delta_c)

    def shown(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Shown:
        """Energies of bodies, actuators, springs, stops and surface; what `watched` lists."""
        pose, twist, inner, own = self.split(state)
        seen = self.measured(machine, state, wrench)
        in_actuators = self.mover.signals(own, command, seen.q_dot)
        at = (machine, self.connectors, pose, twist, inner)
        kinetic, potential, springs = ca.vertsplit(compliant_energy.energy(*at))
        stops = sum((stop_energy(stop, seen.q[k]) for k, stop in self.stops.items()), ca.DM(0))
        surface, touch = ca.DM(0), []
        if self.surface is not None:
            surface = surface_energy(self.surface, pose)
            touch = [contact_force(self.surface, pose, twist)]
        rotors, windings = in_actuators.rotors, in_actuators.windings
        return Shown(
            self.response(machine, state, command, wrench).force,
            ca.vertcat(kinetic, potential, rotors, windings, springs, stops, surface),
            [*in_actuators.watched, *[seen.q, seen.deflection] * len(self.inner), *touch],
        )

    def further_start(self, pose: Array, twist: Array) -> Array:
        """Legs that bear the machine and go along with it, actuators that hold it."""
        statics, legs = self.statics(pose), []
        if self.inner:
            at = (machine_of(self.robot), self.connectors, ca.DM(pose), ca.DM(twist))
            legs = [compliant.steady_inner(*at, statics.leg_force).column()]
        return _numbers(ca.vertcat(*legs, *self.mover.at_rest(statics.force)[0]))

    def holding(self, pose: Array) -> Array:
        """What makes the actuators' forces at rest."""
        return _numbers(self.mover.at_rest(self.statics(pose).force)[1])

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
    found = stops_of(robot) if stops else ()
    return RealPlant(
        robot=robot,
        varied=varied,
        connectors=connectors_of(robot, legs),
        mover=Drives.of(robot) if drives else IdealActuators.of(robot),
        frictions=joint_frictions_of(robot) if joint_friction else (),
        stops={k: stop for k, stop in enumerate(found) if stop is not None},
        surface=surface,
    )


def force_commanded(plant: Plant) -> Plant:
    """The plant of drives, told forces [N] instead of voltages: amplifiers make the currents."""
    if not isinstance(plant.mover, Drives):
        raise GoughError(f"the plant is told a {plant.command.name}; expected one told voltages")
    return replace(plant, mover=Amplifiers.of(plant.robot))


def _numbers(column: Value) -> Array:
    return np.array(column, dtype=float).ravel()
