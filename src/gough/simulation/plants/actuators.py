"""What moves the legs: the actuators of a plant, what they are told and what they remember."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from gough.analysis.quantities import DEFINITIONS
from gough.compiler.front.argument import Argument
from gough.equations.actuators import compliant
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant import Response
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.connector import Connector
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.robot import Robot


class Legs(NamedTuple):
    """The machine on its legs at one state, as actuators come to move it."""

    machine: Machine
    connectors: Sequence[Connector]
    pose: Value
    twist: Value
    inner: Inner
    speed: Value
    """How fast the actuators extend [m/s]."""
    wrench: Value
    """All that acts on the platform [N, N m]."""
    beside: Value
    """Forces along the legs that do not pass through the actuators: end stops [N]."""

    def under(self, laws: Actuation) -> Response:
        """The motion under the actuators' laws."""
        at = (self.machine, self.connectors, self.pose, self.twist, self.inner)
        return compliant.forward_dynamics(*at, laws, self.wrench)


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
    """The actuators of all legs."""

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
    def response(self, legs: Legs, own: Value, command: Value) -> Response:
        """The machine's motion and the actuators' forces, from their own states and a command."""

    @abstractmethod
    def signals(self, own: Value, command: Value, speed: Value) -> Signals:
        """What goes on in them at a speed [m/s]."""

    @abstractmethod
    def at_rest(self, force: Value) -> tuple[list[Value], Value]:
        """Their states and the command with which they make forces [N] at rest."""


def of_a_run(legs: int, *names: str) -> tuple[Argument, ...]:
    """Quantities of the table as what a plant with so many legs shows."""
    return tuple(DEFINITIONS[name].of_a_run.argument(legs) for name in names)
