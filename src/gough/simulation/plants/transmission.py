"""What is between the actuators and the platform, as plants of any kind need to know it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.equations.actuators.actuation import Actuation
from gough.equations.any_machine import AnyMachine, friction_wrench, spring_wrench
from gough.equations.spatial.algebra import Value
from gough.robot import Robot
from gough.simulation.plants.actuators import Moved
from gough.simulation.plants.plant import platform_rates
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


class Begun(NamedTuple):
    """A machine at the beginning: it bears its weight, and goes along with a motion."""

    pose: Array
    twist: Array
    states: list[Value]
    """What the transmission remembers."""


class Transmission(ABC):
    """How actuators move a platform."""

    varies = True
    """Whether numbers of the robot may differ from run to run."""

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
    def moved(self, at: At, laws: Actuation, wrench: Value, frictions: Sequence[Any]) -> Moved:
        """The motion under the actuators' laws, a wrench on the platform, and joints that rub."""

    def platform_rates(self, at: At, acceleration: Value) -> Value:
        """Time derivatives of pose and twist (13), with what leads them to where they can be."""
        return platform_rates(at.machine, at.pose, at.twist, acceleration)

    def driven(self, states: Array) -> tuple[Array, Array] | None:
        """Positions and rates (..., n) of the driven joints, of its states (..., s).

        None where pose and twist tell them.
        """
        return None

    def doubts(self, time: Array, states: Array) -> list[str]:
        """Why its states (T, s) at times [s] are not to be trusted."""
        return []

    def carrying(self, robot: Robot) -> Self:
        """The same in a robot that differs in its platform alone."""
        return self

    @abstractmethod
    def energy(self, at: At) -> Value:
        """Kinetic, potential, and of springs [J], 3x1."""

    @abstractmethod
    def holding(self, robot: Robot, pose: Array) -> Value:
        """The actuators' forces [N, N m] that hold a robot still."""

    @abstractmethod
    def start(self, robot: Robot, pose: Array, twist: Array) -> Begun:
        """The machine led to a pose and twist: where the platform is then, and its own states."""


def with_joints(at: At, wrench: Value, frictions: Sequence[Any]) -> Value:
    """A wrench on the platform, with those of friction and springs in the joints."""
    wrench += spring_wrench(at.machine, at.pose)
    if not frictions:
        return wrench
    return wrench + friction_wrench(at.machine, frictions, at.pose, at.twist)
