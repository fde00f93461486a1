"""What is between the actuators and the platform, as plants of any kind need to know it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.any_machine import AnyMachine
from gough.equations.spatial.algebra import Value
from gough.robot import Robot
from gough.simulation.plants.actuators import Moved
from gough.simulation.plants.springs import Springs


class At(NamedTuple):
    """A machine at one moment."""

    machine: AnyMachine
    pose: Value
    twist: Value
    inner: Any
    """What the transmission remembers, as it knows it."""


class Seen(NamedTuple):
    """The actuators at one moment."""

    q: Value
    """Their positions [m, rad], as if nothing yielded."""
    q_dot: Value
    deflection: Value
    """Compression of the coupling stages [m]; zero where there are none."""
    push: Value
    """Forces in the connectors [N]; zero where nothing yields."""


class Transmission(ABC):
    """How actuators move a platform."""

    @property
    @abstractmethod
    def states(self) -> tuple[Argument, ...]:
        """What it remembers; nothing if it is rigid."""

    @property
    @abstractmethod
    def watched(self) -> tuple[Argument, ...]:
        """What a run shows of it: `moved` gives it."""

    @property
    @abstractmethod
    def springs(self) -> tuple[Springs, ...]:
        """What of all legs yields."""

    @abstractmethod
    def inner(self, column: Value) -> Any:
        """What it remembers, from the column of its states."""

    @abstractmethod
    def seen(self, at: At) -> Seen:
        """What the actuators do."""

    @abstractmethod
    def moved(self, at: At, laws: Actuation, wrench: Value) -> Moved:
        """The motion under the actuators' laws and a wrench on the platform."""

    @abstractmethod
    def energy(self, at: At) -> Value:
        """Kinetic, potential, and of springs [J], 3x1."""

    @abstractmethod
    def holding(self, robot: Robot, pose: Array) -> Value:
        """The actuators' forces [N, N m] that hold a robot still."""

    @abstractmethod
    def start(self, robot: Robot, pose: Array, twist: Array) -> list[Value]:
        """Its states at the beginning: it bears the machine, and goes along with it."""
