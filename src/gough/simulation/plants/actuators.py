"""What moves the legs: the actuators of a plant, their command and their own states."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gough.compiler.front.argument import Argument
from gough.equations.actuators import compliant
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant import Response
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.connector import Connector
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.model.structure import structure_of
from gough.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]


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


@dataclass(frozen=True)
class Actuators(ABC):
    """The actuators of all legs of a robot."""

    robot: Robot

    @cached_property
    def count(self) -> int:
        """How many there are."""
        return structure_of(self.robot).actuators

    @property
    @abstractmethod
    def command(self) -> Argument:
        """What each is told."""

    @property
    @abstractmethod
    def limit(self) -> tuple[float, ...]:
        """The largest command of each; infinite where none is known."""

    @property
    @abstractmethod
    def states(self) -> tuple[Argument, ...]:
        """What they remember."""

    @property
    @abstractmethod
    def watched(self) -> tuple[Argument, ...]:
        """What a run shows of them."""

    @abstractmethod
    def response(self, legs: Legs, own: Value, command: Value) -> Response:
        """The machine's motion and the actuators' forces, from their own states and a command."""

    @abstractmethod
    def rates(self, own: Value, command: Value, speed: Value) -> list[Value]:
        """Time derivatives of their states, at a speed of the actuators [m/s]."""

    @abstractmethod
    def watch(self, own: Value, command: Value, speed: Value) -> list[Value]:
        """The values of what is watched."""

    @abstractmethod
    def energies(self, own: Value, speed: Value) -> tuple[Value, Value]:
        """Of rotors with screws, and of windings [J]."""

    @abstractmethod
    def resting(self, force: Value) -> list[Value]:
        """Their states at rest under forces [N]."""

    @abstractmethod
    def holding(self, force: Value) -> Value:
        """The command that makes forces [N] at rest."""
