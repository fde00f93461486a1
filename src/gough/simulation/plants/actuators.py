"""What moves the driven joints: actuators, what they are told and what they remember."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple, Self, final

import casadi as ca

from gough.analysis.quantities import DEFINITIONS
from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.spatial.algebra import Value
from gough.model.structure import structure_of
from gough.robot import Robot


@dataclass(frozen=True)
class Moved:
    """How a machine moves on."""

    acceleration: Value
    """Of the platform (6) [m/s^2, rad/s^2]."""
    inner_rates: list[Value]
    """Time derivatives of what is remembered between actuators and platform."""
    force: Value
    """Of the actuators [N, N m]."""
    watched: list[Value]
    """What a run shows of what is between actuators and platform."""


class Load(NamedTuple):
    """The machine at one state, as actuators come to move it."""

    under: Callable[[Actuation], Moved]
    """Its motion under the actuators' laws."""
    speed: Value
    """How fast the actuators move [m/s, rad/s]."""
    beside: Value
    """Forces that do not pass through the actuators: end stops [N, N m]."""


class Signals(NamedTuple):
    """What goes on in the actuators at one moment."""

    rates: list[Value]
    """Time derivatives of their states."""
    watched: list[Value]
    rotors: Value
    """Energy of what turns [J]."""
    windings: Value
    """Energy of inductances [J]."""


@dataclass(frozen=True)
class Actuators(ABC):
    """The actuators of all driven joints."""

    command: Argument
    """What each is told."""
    limit: tuple[float, ...]
    """The largest command of each; infinite where none is known."""
    states: tuple[Argument, ...]
    """What they remember."""
    watched: tuple[Argument, ...]
    """What a run shows of them."""

    @classmethod
    @abstractmethod
    def of(cls, robot: Robot) -> Self:
        """Those of a robot."""

    @abstractmethod
    def response(self, load: Load, own: Value, command: Value) -> Moved:
        """The machine's motion and the actuators' forces, from their own states and a command."""

    @abstractmethod
    def signals(self, own: Value, command: Value, speed: Value) -> Signals:
        """What goes on in them at a speed [m/s, rad/s]."""

    @abstractmethod
    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Their states and the command with which they make forces [N, N m] at rest."""


def of_a_run(actuators: int, *names: str) -> tuple[Argument, ...]:
    """Quantities of the table as what a plant with so many actuators shows."""
    return tuple(DEFINITIONS[name].of_a_run.argument(actuators) for name in names)


@final
@dataclass(frozen=True)
class IdealActuators(Actuators):
    """Told a force [N] or torque [N m] each."""

    @classmethod
    def of(cls, robot: Robot) -> Self:
        """With the largest forces of a robot's file."""
        structure, forces = structure_of(robot), [a.max_force for a in robot.actuators]
        meaning = "actuator forces, positive when they extend"
        command = Argument("force", (structure.actuators,), structure.force_unit, meaning)
        limit = tuple(inf if force is None else force for force in forces)
        return cls(command, limit, (), ())

    def response(self, load: Load, own: Value, command: Value) -> Moved:
        """The motion under forces; those of the stops are not the actuators'."""
        moved = load.under(Actuation(command + load.beside, ca.DM.zeros(self.command.size)))
        return replace(moved, force=moved.force - load.beside)

    def signals(self, own: Value, command: Value, speed: Value) -> Signals:
        """Nothing is remembered, watched or stored."""
        return Signals([], [], ca.DM(0), ca.DM(0))

    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """No states; the forces themselves."""
        return [], force
