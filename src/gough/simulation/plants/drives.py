"""Motors with gears or screws: told voltages, or forces that their amplifiers make currents of."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Self, final

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.equations.actuators import driven
from gough.equations.actuators.drive import (
    CURRENT_BANDWIDTH,
    Demand,
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
from gough.robot import Robot
from gough.simulation.plants.actuators import (
    Actuators,
    IdealActuators,
    Load,
    Moved,
    Signals,
    of_a_run,
)

CUT_OFF = "voltage_cut_off"


@dataclass(frozen=True)
class Motors(Actuators):
    """The drives of all driven joints; currents [A] are their states."""

    drives: tuple[Drive, ...]

    @abstractmethod
    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """What the amplifiers are told [V], without their limits."""

    def response(self, load: Load, own: Value, command: Value) -> Moved:
        """The motion under currents; rotors, gears and screws move along, with their friction."""
        told = self.voltage(command, own, load.speed)
        current = driven.currents(self.drives, own, told, load.speed)
        at = (self.drives, load.speed, current, load.beside)
        return driven.forward_dynamics(load.under, *at)

    def signals(self, own: Value, command: Value, speed: Value) -> Signals:
        """Rates of the currents; currents, voltages, power, and what the amplifiers cut off."""
        told, each = self.voltage(command, own, speed), list(enumerate(self.drives))
        i = driven.currents(self.drives, own, told, speed)
        V = vector(*(applied_voltage(d, told[k], i[k], speed[k]) for k, d in each))
        return Signals(
            [driven.current_rates(self.drives, own, told, speed)],
            [i, V, i * V, told - V],
            sum((rotor_energy(d, speed[k]) for k, d in each), ca.DM(0)),
            sum((winding_energy(d, own[k]) for k, d in each), ca.DM(0)),
        )

    def demands(self, force: Value) -> list[Demand]:
        """What forces [N, N m] at rest ask of each motor."""
        return [demand(d, 0, 0, force[k]) for k, d in enumerate(self.drives)]


@final
@dataclass(frozen=True)
class Drives(Motors):
    """Told a voltage [V] each."""

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """With the amplifiers' voltages; an actuator without a drive is a RobotError."""
        drives = drives_of(robot)
        command = Argument("voltage", (len(drives),), "V", "motor voltages")
        return cls(command, voltage_limits(robot), *_seen(len(drives)), drives)

    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """The command itself."""
        return command

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Currents and voltages."""
        needed = self.demands(force)
        return [vector(*(d.current for d in needed))], vector(*(d.voltage for d in needed))


@final
@dataclass(frozen=True)
class Amplifiers(Motors):
    """Told a force [N] or torque [N m] each, made a current within half a millisecond.

    Amplifiers do not know the drives' inertia and friction, so the joints feel something else.
    """

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """With the largest forces of the robot's file, or of the amplifiers' currents."""
        ideal, drives = IdealActuators.of(robot), drives_of(robot)
        amperes = [inf if d.max_current is None else float(d.max_current) for d in drives]
        pairs = zip(ideal.limit, amperes, drives, strict=True)
        limit = tuple(min(most, i * float(force_per_ampere(d))) for most, i, d in pairs)
        return cls(ideal.command, limit, *_seen(len(drives)), drives)

    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """With which currents [A] go to those of forces [N, N m].

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

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Currents, and the forces that they would be without friction."""
        pairs = list(zip(self.drives, self.demands(force), strict=True))
        told = [needed.voltage / d.resistance * force_per_ampere(d) for d, needed in pairs]
        return [vector(*(needed.current for _, needed in pairs))], vector(*told)


def force_per_ampere(drive: Drive) -> Value:
    """Of a motor without friction, on its joint [N/A, N m/A]."""
    return reduction(drive) * drive.torque_constant


def _seen(n: int) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
    """The states of n motors, and what is watched."""
    names = ("motor_current", "motor_voltage", "motor_power", CUT_OFF)
    return (Argument("current", (n,), "A", "motor currents"),), of_a_run(n, *names)
