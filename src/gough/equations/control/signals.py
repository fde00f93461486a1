"""What a controller knows: where it works, what it measures, and what it is asked to follow.

A law is a function `law(setting, state, measurement, reference, gains)` that returns a command and
its next state. It is called once per sample; `gains` holds matrices by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.actuators.drive import Drive
from gough.equations.any_machine import AnyMachine
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Setting:
    """The machine as the controller knows it, the time between samples [s], the largest command.

    `limit` (n) is infinite where there is none; `drives` are None where the machine has none.
    """

    machine: AnyMachine
    period: float
    limit: Value
    drives: Sequence[Drive] | None = None


@dataclass(frozen=True)
class Measurement:
    """What sensors say: numbers of the actuators (n), and a wrench (6)."""

    q: Value
    """Positions of the driven joints [m, rad], those of the actuators where legs yield."""
    q_dot: Value
    """Their rates [m/s, rad/s]."""
    wrench: Value
    """The external wrench [N, N m] of a force sensor."""
    deflection: Value
    """Compression of the coupling stages [m]; zero where legs have none."""
    push: Value
    """Forces in the connectors [N], of sensors between pistons and platform; zero without them."""

    @classmethod
    def of(cls, numbers: Value) -> Measurement:
        """From one column of 4n + 6 numbers."""
        n = (numbers.shape[0] - 6) // 4
        return cls(*ca.vertsplit(numbers, [0, n, 2 * n, 2 * n + 6, 3 * n + 6, 4 * n + 6]))

    def column(self) -> Value:
        """All in one column."""
        return ca.vertcat(self.q, self.q_dot, self.wrench, self.deflection, self.push)


@dataclass(frozen=True)
class Reference:
    """The motion to follow, at this sample: pose, twist and acceleration."""

    pose: Value
    twist: Value
    acceleration: Value

    @classmethod
    def of(cls, numbers: Value) -> Reference:
        """From one column of 19 numbers."""
        return cls(numbers[0:7], numbers[7:13], numbers[13:19])


Gains = Mapping[str, Value]
Law = Callable[[Setting, Value, Measurement, Reference, Gains], tuple[Value, Value]]
