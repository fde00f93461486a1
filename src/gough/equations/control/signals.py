"""What a controller knows: where it works, what it measures, and what it is asked to follow.

A law is a function `law(setting, state, measurement, reference, gains)` that returns a command and
its next state. It is called once per sample; `gains` holds matrices by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gough.equations.algebra import Value
from gough.equations.machine import Machine


@dataclass(frozen=True)
class Setting:
    """The machine as the controller knows it, the time between samples [s], the largest command.

    `limit` (6) is infinite where there is none.
    """

    machine: Machine
    period: float
    limit: Value


@dataclass(frozen=True)
class Measurement:
    """Leg lengths [m], their rates [m/s], and the external wrench [N, N m] of a force sensor."""

    q: Value
    q_dot: Value
    wrench: Value

    @classmethod
    def of(cls, numbers: Value) -> Measurement:
        """From one column of 18 numbers."""
        return cls(numbers[0:6], numbers[6:12], numbers[12:18])


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
