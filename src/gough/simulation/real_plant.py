"""Plants with drives, yielding legs, friction, end stops and a surface, in any combination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from gough.analysis.quantities import DEFINITIONS
from gough.compiler.front.argument import Argument
from gough.equations.actuators import compliant, compliant_energy, driven
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant import Response, Statics
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.connector import Connector, Mode
from gough.equations.actuators.drive import (
    Drive,
    applied_voltage,
    demand,
    rotor_energy,
    winding_energy,
)
from gough.equations.actuators.friction import JointFriction, friction_wrench
from gough.equations.actuators.stop import Stop, stop_force
from gough.equations.actuators.stop import stored_energy as stop_energy
from gough.equations.contact.surface import Surface, contact_force, contact_wrench
from gough.equations.contact.surface import stored_energy as surface_energy
from gough.equations.control.signals import Measurement
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import rotation
from gough.model.actuators import (
    connectors_of,
    drives_of,
    joint_frictions_of,
    stops_of,
    voltage_limits,
)
from gough.model.parameters import machine_of
from gough.robot import Robot
from gough.simulation.plant import PLATFORM, Plant, pose_rate, rigid_plant

Array = np.ndarray[Any, np.dtype[np.float64]]
Value = Any

INNER = Argument("inner", (30,), "m, m/s", "E, delta_c, D, and the rates of E and D: six each")
CURRENT = Argument("current", (6,), "A", "motor currents")
VOLTAGE = Argument("voltage", (6,), "V", "motor voltages")
OF_DRIVES, OF_SPRINGS, OF_SURFACE = (
    tuple(DEFINITIONS[name].of_a_run.argument(legs=6) for name in names)
    for names in (
        ("motor_current", "motor_voltage", "motor_power", "voltage_cut_off"),
        ("actuator_length", "coupling_deflection"),
        ("contact_force",),
    )
)
"""What a run shows of its parts."""
NOTHING = ca.DM.zeros(6)
JUST_INSIDE, STRIKING = 1e-5, 0.1
"""How deep [m] and how fast [m/s] a tool that strikes a surface is taken to be."""


def real_plant(
    robot: Robot,
    *,
    legs: Mode = "rigid",
    drives: bool = True,
    joint_friction: bool = True,
    stops: bool = True,
    surface: Surface | None = None,
    varied: tuple[str, ...] = (),
) -> Plant:
    """The robot with what its file says of its actuators, legs, joints and stops.

    The command is the voltage of each motor [V] or, without drives, the force of each actuator [N].
    Legs that yield are in one of the operating modes of `connector`; what is
    measured is then the actuator, as if nothing yielded, and the compression of the coupling stage.
    A `surface` is what the platform may come to lean on; a force sensor feels it as well.
    """
    rigid = rigid_plant(robot, varied)
    parts = _Parts(
        robot,
        connectors_of(robot, legs),
        drives_of(robot) if drives else None,
        joint_frictions_of(robot) if joint_friction else None,
        stops_of(robot) if stops else (None,) * 6,
        surface,
    )
    return replace(
        rigid,
        make=lambda other, names: real_plant(
            other,
            legs=legs,
            drives=drives,
            joint_friction=joint_friction,
            stops=stops,
            surface=surface,
            varied=names,
        ),
        command=VOLTAGE if drives else rigid.command,
        limit=voltage_limits(robot) if drives else rigid.limit,
        rates=parts.rates,
        measured=parts.measured,
        force=parts.force,
        stored=parts.stored,
        further_start=parts.further_start,
        holding=parts.holding,
        further=parts.further,
        watched=parts.watched,
        watch=parts.watch,
        contact_slope=None if surface is None else parts.contact_slope,
        coupled=all(c.coupling is not None for c in parts.connectors),
        stops=all(stop is not None for stop in parts.stops),
    )


@dataclass(frozen=True)
class _Parts:
    robot: Robot
    connectors: Sequence[Connector]
    drives: Sequence[Drive] | None
    frictions: Sequence[JointFriction] | None
    stops: Sequence[Stop | None]
    surface: Surface | None

    @cached_property
    def yields(self) -> bool:
        return any(not c.is_rigid or c.decoupling is not None for c in self.connectors)

    @cached_property
    def further(self) -> tuple[Argument, ...]:
        return (INNER,) * self.yields + (CURRENT,) * (self.drives is not None)

    def inner(self, state: Value) -> Inner:
        return Inner.of(state[PLATFORM : PLATFORM + 30]) if self.yields else compliant.NONE

    def current(self, state: Value) -> Value:
        first = PLATFORM + 30 * self.yields
        return state[first : first + 6]

    def rates(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        pose, twist = state[0:7], state[7:PLATFORM]
        response = self.response(machine, state, command, wrench)
        rates = [pose_rate(pose, twist), response.acceleration]
        if self.yields:
            rates.append(response.inner_rate.column())
        if self.drives is not None:
            speed = response.inner_rate.E
            rates.append(driven.current_rates(self.drives, self.current(state), command, speed))
        return ca.vertcat(*rates)

    def response(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Response:
        pose, twist, inner = state[0:7], state[7:PLATFORM], self.inner(state)
        actuators = self.measured(machine, state, wrench)
        length, speed, wrench = actuators.q, actuators.q_dot, actuators.wrench
        if self.frictions is not None:
            wrench = wrench + friction_wrench(machine, self.frictions, pose, twist)
        beside = ca.vertcat(
            *(ca.DM(0) if s is None else stop_force(s, length[k], speed[k])
              for k, s in enumerate(self.stops))
        )  # fmt: skip
        at = (pose, twist, inner)
        if self.drives is None:
            laws = Actuation(command + beside, NOTHING)
            moved = compliant.forward_dynamics(machine, self.connectors, *at, laws, wrench)
            return replace(moved, force=moved.force - beside)  # that of the stops is not theirs
        i = driven.currents(self.drives, self.current(state), command, speed)
        return driven.compliant_forward_dynamics(
            machine, self.connectors, self.drives, *at, i, wrench, beside
        )

    def measured(self, machine: Machine, state: Value, wrench: Value) -> Measurement:
        pose, twist = state[0:7], state[7:PLATFORM]
        legs = compliant.inner_motion(machine, self.connectors, pose, twist, self.inner(state))
        free = ca.vertcat(*(leg.piston.center_of_mass for leg in machine.legs))
        if self.surface is not None:
            wrench = wrench + contact_wrench(self.surface, pose, twist)
        return Measurement(legs.E + free, legs.E_dot, wrench, legs.delta_c)

    @cached_property
    def watched(self) -> tuple[Argument, ...]:
        return (
            OF_DRIVES * (self.drives is not None)
            + OF_SPRINGS * self.yields
            + OF_SURFACE * (self.surface is not None)
        )

    def watch(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Any:
        seen = self.measured(machine, state, wrench)
        values = []
        if self.drives is not None:
            current = driven.currents(self.drives, self.current(state), command, seen.q_dot)
            voltage = ca.vertcat(
                *(
                    applied_voltage(d, command[k], current[k], seen.q_dot[k])
                    for k, d in enumerate(self.drives)
                )
            )
            values += [current, voltage, current * voltage, command - voltage]
        if self.yields:
            values += [seen.q, seen.deflection]
        if self.surface is not None:
            values.append(contact_force(self.surface, state[0:7], state[7:PLATFORM]))
        return tuple(values)

    def force(self, machine: Machine, state: Value, command: Value, wrench: Value) -> Value:
        return self.response(machine, state, command, wrench).force

    def stored(self, machine: Machine, state: Value) -> Value:
        pose, twist = state[0:7], state[7:PLATFORM]
        at = (machine, self.connectors, pose, twist, self.inner(state))
        kinetic, potential, springs = ca.vertsplit(compliant_energy.energy(*at))
        seen = self.measured(machine, state, NOTHING)
        rotors = windings = ca.DM(0)
        if self.drives is not None:
            current, drives = self.current(state), list(enumerate(self.drives))
            rotors = sum((rotor_energy(d, seen.q_dot[k]) for k, d in drives), ca.DM(0))
            windings = sum((winding_energy(d, current[k]) for k, d in drives), ca.DM(0))
        there = [(k, stop) for k, stop in enumerate(self.stops) if stop is not None]
        stops = sum((stop_energy(stop, seen.q[k]) for k, stop in there), ca.DM(0))
        surface = ca.DM(0) if self.surface is None else surface_energy(self.surface, pose)
        return ca.vertcat(kinetic, potential, rotors, windings, springs, stops, surface)

    def contact_slope(self, state: Array) -> Array:
        if self.surface is None:
            return np.zeros((6, PLATFORM))
        tool = ca.DM(state[:3]) + rotation(ca.DM(state[:7])) @ self.surface.tool
        struck = replace(self.surface, point=tool + JUST_INSIDE * self.surface.normal)
        x = ca.SX.sym("x", PLATFORM)
        slope = ca.jacobian(contact_wrench(struck, x[0:7], x[7:PLATFORM]), x)
        at = ca.vertcat(state[:7], -STRIKING * self.surface.normal, ca.DM.zeros(3))
        return np.array(ca.Function("slope", [x], [slope])(at))

    def statics(self, pose: Array) -> Statics:
        machine = machine_of(self.robot)
        return compliant.static_solution(machine, self.connectors, ca.DM(pose), NOTHING)

    def further_start(self, pose: Array, twist: Array) -> Array:
        statics, start = self.statics(pose), []
        if self.yields:
            machine, at = machine_of(self.robot), (ca.DM(pose), ca.DM(twist))
            inner = compliant.steady_inner(machine, self.connectors, *at, statics.leg_force)
            start.append(inner.column())
        if self.drives is not None:
            start.append(self._at_rest(statics.force, "current"))
        return _numbers(ca.vertcat(*start)) if start else np.zeros(0)

    def holding(self, pose: Array) -> Array:
        force = self.statics(pose).force
        return _numbers(force if self.drives is None else self._at_rest(force, "voltage"))

    def _at_rest(self, force: Value, what: str) -> Value:
        drives = self.drives or ()
        return ca.vertcat(*(getattr(demand(d, 0, 0, force[k]), what) for k, d in enumerate(drives)))


def _numbers(column: Value) -> Array:
    return np.array(column, dtype=float).ravel()
