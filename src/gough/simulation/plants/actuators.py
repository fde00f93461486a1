"""Actuators of the driven joints: their commands and their states."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple, Self, final

import casadi as ca

from gough.analysis.quantities import DEFINITIONS
from gough.compiler.front.argument import Argument
from gough.equations.actuators import drive
from gough.equations.actuators.drive import Actuation, DriveLaw
from gough.equations.spatial.algebra import Value, vector
from gough.model.actuators import drives_of, voltage_limits
from gough.model.structure import structure_of
from gough.robot import Robot

CUT_OFF = "voltage_cut_off"


@dataclass(frozen=True)
class MachineResponse:
    """Motion of a machine at one state."""

    acceleration: Value  # acceleration of the platform (6) [m/s^2, rad/s^2]
    inner_rates: list[Value]  # time derivatives of the states between actuators and platform
    force: Value  # forces of the actuators [N, N m]
    outputs: list[Value]  # outputs of the parts between actuators and platform


class DrivenMachine(NamedTuple):
    """The machine at one state, as a load of the actuators."""

    under: Callable[[Actuation], MachineResponse]  # motion under the actuators' laws
    speed: Value  # speeds of the actuators [m/s, rad/s]
    stop_force: Value  # forces that do not pass through the actuators: end stops [N, N m]


class ActuatorSignals(NamedTuple):
    """States and outputs of the actuators at one moment."""

    rates: list[Value]  # time derivatives of their states
    outputs: list[Value]
    rotors: Value  # kinetic energy of the rotors [J]
    windings: Value  # energy of inductances [J]


@dataclass(frozen=True)
class Actuators(ABC):
    """The actuators of all driven joints."""

    command: Argument  # command of each actuator
    limit: tuple[float, ...]  # maximum command of each; infinite where none is known
    states: tuple[Argument, ...]  # state variables of the actuators
    outputs: tuple[Argument, ...]  # outputs of the actuators in a run

    @classmethod
    @abstractmethod
    def of(cls, robot: Robot) -> Self:
        """Return the actuators of a robot."""

    @abstractmethod
    def response(self, load: DrivenMachine, own: Value, command: Value) -> MachineResponse:
        """Return the machine's motion and the actuators' forces, from their state and command."""

    @abstractmethod
    def signals(self, own: Value, command: Value, speed: Value) -> ActuatorSignals:
        """Return their states' rates, outputs and energies at a speed [m/s, rad/s]."""

    @abstractmethod
    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Return their states and the command with which they produce forces [N, N m] at rest."""


def run_outputs(actuators: int, *names: str) -> tuple[Argument, ...]:
    """Return quantities of the table as outputs of a plant, one number for each actuator."""
    return tuple(DEFINITIONS[name].of_a_run.argument(actuators) for name in names)


@final
@dataclass(frozen=True)
class IdealActuators(Actuators):
    """Actuators commanded by a force [N] or torque [N m] each."""

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """Return actuators with the maximum forces of a robot's file."""
        structure, forces = structure_of(robot), [a.max_force for a in robot.actuators]
        meaning = "actuator forces, positive when they extend"
        command = Argument("force", (structure.actuators,), structure.force_unit, meaning)
        limit = tuple(inf if force is None else force for force in forces)
        return cls(command, limit, (), ())

    def response(self, load: DrivenMachine, own: Value, command: Value) -> MachineResponse:
        """Return the motion under forces; those of the stops are not the actuators'."""
        moved = load.under(Actuation(command + load.stop_force, ca.DM.zeros(self.command.size)))
        return replace(moved, force=moved.force - load.stop_force)

    def signals(self, own: Value, command: Value, speed: Value) -> ActuatorSignals:
        """Return no states, outputs or energy."""
        return ActuatorSignals([], [], ca.DM(0), ca.DM(0))

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Return no states, and the forces themselves."""
        return [], force


@dataclass(frozen=True)
class Motors(Actuators):
    """Drives of all driven joints; currents [A] are their states."""

    drives: tuple[DriveLaw, ...]

    @abstractmethod
    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """Return the voltage commands of the amplifiers [V], without their limits."""

    def response(self, load: DrivenMachine, own: Value, command: Value) -> MachineResponse:
        """Return the motion under currents, with rotors, gears and screws and their friction."""
        volts = self.voltage(command, own, load.speed)
        current = drive.currents(self.drives, own, volts, load.speed)
        return drive.driven_dynamics(load.under, self.drives, load.speed, current, load.stop_force)

    def signals(self, own: Value, command: Value, speed: Value) -> ActuatorSignals:
        """Return rates of the currents; currents, voltages, power, amplifiers' saturation."""
        volts, each = self.voltage(command, own, speed), list(enumerate(self.drives))
        i = drive.currents(self.drives, own, volts, speed)
        V = vector(*(drive.applied_voltage(d, volts[k], i[k], speed[k]) for k, d in each))
        return ActuatorSignals(
            [drive.current_rates(self.drives, own, volts, speed)],
            [i, V, i * V, volts - V],
            sum((drive.rotor_energy(d, speed[k]) for k, d in each), ca.DM(0)),
            sum((drive.winding_energy(d, own[k]) for k, d in each), ca.DM(0)),
        )

    def demands(self, force: Value) -> list[drive.MotorDemand]:
        """Return the demands of forces [N, N m] at rest on each motor."""
        return [drive.demand(d, 0, 0, force[k]) for k, d in enumerate(self.drives)]


@final
@dataclass(frozen=True)
class Drives(Motors):
    """Actuators commanded by a voltage [V] each."""

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """Return drives with amplifier voltages; an actuator without a drive is a RobotError."""
        drives = drives_of(robot)
        command = Argument("voltage", (len(drives),), "V", "motor voltages")
        return cls(command, voltage_limits(robot), *_states_and_outputs(len(drives)), drives)

    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """Return the command itself."""
        return command

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Return currents and voltages."""
        needed = self.demands(force)
        return [vector(*(d.current for d in needed))], vector(*(d.voltage for d in needed))


@final
@dataclass(frozen=True)
class Amplifiers(Motors):
    """Drives commanded by a force [N] or torque [N m] each, with a current loop of 0.5 ms.

    Amplifiers do not compensate the drives' inertia and friction, so the joints' forces differ.
    """

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """Return drives with the maximum forces of the robot's file, or of amplifier currents."""
        ideal, drives = IdealActuators.of(robot), drives_of(robot)
        amperes = [inf if d.max_current is None else float(d.max_current) for d in drives]
        pairs = zip(ideal.limit, amperes, drives, strict=True)
        limit = tuple(min(most, i * float(force_per_ampere(d))) for most, i, d in pairs)
        return cls(ideal.command, limit, *_states_and_outputs(len(drives)), drives)

    def voltage(self, command: Value, current: Value, speed: Value) -> Value:
        """Return the voltages with which currents [A] go to those of forces [N, N m].

        Amplifiers limit them, see `gough.equations.actuators.drive`.
        """
        volts = []
        for k, d in enumerate(self.drives):
            wanted = command[k] / force_per_ampere(d)
            V = d.resistance * wanted + drive.back_emf(d, speed[k])
            if d.inductance is not None:
                V += (drive.CURRENT_BANDWIDTH * d.inductance - d.resistance) * (wanted - current[k])
            volts.append(V)
        return vector(*volts)

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Return currents, and the forces that they would be without friction."""
        pairs = list(zip(self.drives, self.demands(force), strict=True))
        forces = [needed.voltage / d.resistance * force_per_ampere(d) for d, needed in pairs]
        return [vector(*(needed.current for _, needed in pairs))], vector(*forces)


def force_per_ampere(law: DriveLaw) -> Value:
    """Return the force of a motor without friction, on its joint [N/A, N m/A]."""
    return drive.reduction(law) * law.torque_constant


def _states_and_outputs(n: int) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
    """Return the states and the outputs of n motors."""
    names = ("motor_current", "motor_voltage", "motor_power", CUT_OFF)
    return (Argument("current", (n,), "A", "motor currents"),), run_outputs(n, *names)
