"""What moves the driven joints: actuators, what they are told and what they remember."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

from gough.analysis.quantities import DEFINITIONS
from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.spatial.algebra import Value
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
