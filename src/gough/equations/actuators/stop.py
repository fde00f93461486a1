"""End stops: forces on a leg beyond its stroke.

A stop is a spring that is softer on the way out: it returns the share e² of the energy, so that
a body that strikes it leaves with e times its speed, whatever its mass and speed. The change from
one stiffness to the other is gradual, over a small speed; at rest the stop has their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import casadi as ca

from gough.equations.spatial.algebra import Value

FADE_SPEED = 1e-3
"""Small beside the speed of any impact that matters [m/s]."""


class Elastic(Protocol):
    """Something stiff that a body can strike."""

    @property
    def stiffness(self) -> Value:
        """k on the way in [N/m]."""

    @property
    def restitution(self) -> Value:
        """e, from 0 to 1."""

    @property
    def fade_speed(self) -> Value | float:
        """Speed [m/s] over which it softens."""


@dataclass(frozen=True)
class StopLaw:
    """The stops at both ends of a stroke."""

    shortest: Value
    """Leg length [m]."""
    longest: Value
    """Leg length [m]."""
    stiffness: Value
    """k on the way in [N/m]."""
    restitution: Value
    """e, from 0 to 1."""
    fade_speed: Value | float = FADE_SPEED
    """Speed of the leg [m/s] over which the stop softens."""


def stop_force(stop: StopLaw, l: Value, l_dot: Value) -> Value:
    """The force along a leg [N] on what moves with its length; positive extends it."""
    short = ca.fmax(stop.shortest - l, 0)
    long = ca.fmax(l - stop.longest, 0)
    return push(stop, short, -l_dot) - push(stop, long, l_dot)


def stored_energy(stop: StopLaw, l: Value) -> Value:
    """Energy [J] of the stop as a spring of its mean stiffness."""
    return pressed_energy(stop, _depth(stop, l))


def push(body: Elastic, depth: Value, approach: Value) -> Value:
    """The force [N] out of something struck, at a depth [m] and a speed of approach [m/s]."""
    stiffness = _mean_stiffness(body) + _half_difference(body) * ca.tanh(approach / body.fade_speed)
    return stiffness * depth


def pressed_energy(body: Elastic, depth: Value) -> Value:
    """Energy [J] of something struck, at a depth [m]: that of a spring of its mean stiffness."""
    return _mean_stiffness(body) * depth**2 / 2


def _depth(stop: StopLaw, l: Value) -> Value:
    """Return the distance of a leg beyond its stroke [m], at either end."""
    return ca.fmax(stop.shortest - l, 0) + ca.fmax(l - stop.longest, 0)


def _mean_stiffness(body: Elastic) -> Value:
    return body.stiffness * (1 + body.restitution**2) / 2


def _half_difference(body: Elastic) -> Value:
    return body.stiffness * (1 - body.restitution**2) / 2
