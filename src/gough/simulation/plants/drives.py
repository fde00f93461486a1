"""Motors with gears and screws: told voltages, or forces that their amplifiers make currents of."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import final

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.actuators import driven
from gough.equations.actuators.compliant import Response
from gough.equations.actuators.drive import (
    CURRENT_BANDWIDTH,
    Drive,
    applied_voltage,
    back_emf,
    demand,
    reduction,
    rotor_energy,
    winding_energy,
)
from gough.equations.spatial.algebra import Value, vector
from gough.model.actuators import drives_of, voltage_limits
from gough.simulation.plants.actuators import Actuators, Legs
from gough.simulation.plants.ideal import IdealActuators

CUT_OFF = "voltage_cut_off"


@dataclass(frozen=True)
class Motors(Actuators):
    """The drives of all legs; currents [A] are their states."""

    def __post_init__(self) -> None:
        _ = self.drives  # a leg without one is refused at once

    @abstractmethod
    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """What the amplifiers are told [V], without their limits."""

    @cached_property
    def drives(self) -> tuple[Drive, ...]:
        """Their numbers."""
        return drives_of(self.robot)

    @property
    def states(self) -> tuple[Argument, ...]:
        """Currents."""
        return (Argument("current", (self.count,), "A", "motor currents"),)

    @property
    def watched(self) -> tuple[Argument, ...]:
        """Currents, voltages and power, and what the amplifiers did not give."""
        n = (self.count,)
        return (
            Argument("motor_current", n, "A", "current of each motor"),
            Argument("motor_voltage", n, "V", "voltage that each amplifier gives its motor"),
            Argument("motor_power", n, "W", "electrical power of each motor"),
            Argument(CUT_OFF, n, "V", "what each amplifier was told beyond what it gave"),
        )

    def response(self, legs: Legs, own: Value, command: Value) -> Response:
        """The motion under currents; rotors and screws move along, with their friction."""
        told = self.voltage(command, own, legs.speed)
        current = driven.currents(self.drives, own, told, legs.speed)
        at = (legs.pose, legs.twist, legs.inner, current, legs.wrench, legs.beside)
        return driven.compliant_forward_dynamics(legs.machine, legs.connectors, self.drives, *at)

    def rates(self, own: Value, command: Value, speed: Value) -> list[Value]:
        """Of the currents [A/s]."""
        told = self.voltage(command, own, speed)
        return [driven.current_rates(self.drives, own, told, speed)]

    def watch(self, own: Value, command: Value, speed: Value) -> list[Value]:
        """As `watched` lists them."""
        told = self.voltage(command, own, speed)
        current = driven.currents(self.drives, own, told, speed)
        given = vector(
            *(applied_voltage(d, told[k], current[k], speed[k]) for k, d in enumerate(self.drives))
        )
        return [current, given, current * given, told - given]

    def energies(self, own: Value, speed: Value) -> tuple[Value, Value]:
        """Of what turns, and of inductances [J]."""
        each = list(enumerate(self.drives))
        rotors = sum((rotor_energy(d, speed[k]) for k, d in each), ca.DM(0))
        return rotors, sum((winding_energy(d, own[k]) for k, d in each), ca.DM(0))

    def resting(self, force: Value) -> list[Value]:
        """Currents [A]."""
        return [vector(*(demand(d, 0, 0, force[k]).current for k, d in enumerate(self.drives)))]

    def holding_voltage(self, force: Value) -> Value:
        """What makes forces [N] at rest [V]."""
        return vector(*(demand(d, 0, 0, force[k]).voltage for k, d in enumerate(self.drives)))


@final
@dataclass(frozen=True)
class Drives(Motors):
    """Told a voltage [V] each."""

    @property
    def command(self) -> Argument:
        """Voltages."""
        return Argument("voltage", (self.count,), "V", "motor voltages")

    @property
    def limit(self) -> tuple[float, ...]:
        """The largest of the amplifiers [V]."""
        return voltage_limits(self.robot)

    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """The command itself."""
        return command

    def holding(self, force: Value) -> Value:
        """Voltages."""
        return self.holding_voltage(force)


@final
@dataclass(frozen=True)
class Amplifiers(Motors):
    """Told a force [N] each, of which amplifiers make the current within half a millisecond.

    They do not know the drives' inertia and friction, so the legs feel something else.
    """

    @property
    def command(self) -> Argument:
        """Forces."""
        return IdealActuators(self.robot).command

    @property
    def limit(self) -> tuple[float, ...]:
        """The largest forces [N], of the robot's file or of the largest currents."""
        amperes = [inf if d.max_current is None else float(d.max_current) for d in self.drives]
        pairs = zip(IdealActuators(self.robot).limit, amperes, self.drives, strict=True)
        return tuple(min(most, i * float(force_per_ampere(d))) for most, i, d in pairs)

    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """With which currents [A] go to those of forces [N].

        What an amplifier cannot do of it it cuts off itself, see `gough.equations.actuators.drive`.
        """
        volts = []
        for k, d in enumerate(self.drives):
            wanted = command[k] / force_per_ampere(d)
            V = d.resistance * wanted + back_emf(d, speed[k])
            if d.inductance is not None:
                V += (CURRENT_BANDWIDTH * d.inductance - d.resistance) * (wanted - current[k])
            volts.append(V)
        return vector(*volts)

    def holding(self, force: Value) -> Value:
        """The forces of the currents at rest, friction and all."""
        ohms = vector(*(d.resistance for d in self.drives))
        return self.holding_voltage(force) / ohms * vector(*map(force_per_ampere, self.drives))


def force_per_ampere(drive: Drive) -> Value:
    """Of a motor without friction, on its leg [N/A]."""
    return reduction(drive) * drive.torque_constant
