"""End stops: what a leg feels beyond its stroke.

A stop is a spring that is softer on the way out: it gives back the share e² of the energy, so that
a body that strikes it leaves with e times its speed, whatever its mass and speed. The change from
one stiffness to the other is gradual, over a small speed; at rest the stop has their mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.algebra import Value

FADE_SPEED = 1e-3
"""Small beside the speed of any impact that matters [m/s]."""


@dataclass(frozen=True)
class Stop:
    """The stops at both ends of a stroke."""

    shortest: Value
    """Leg length [m]."""
    longest: Value
    """Leg length [m]."""
    stiffness: Value
    """k on the way in [N/m]."""
    restitution: Value
    """e, from 0 to 1."""
    fade_speed: Value = FADE_SPEED
    """Speed of the leg [m/s] over which the stop softens."""


def stop_force(stop: Stop, l: Value, l_dot: Value) -> Value:
    """The force along a leg [N] on what moves with its length; positive extends it."""
    short = ca.fmax(stop.shortest - l, 0)
    long = ca.fmax(l - stop.longest, 0)
    return _push(stop, short, -l_dot) - _push(stop, long, l_dot)


def stored_energy(stop: Stop, l: Value) -> Value:
    """Energy [J] of the stop as a spring of its mean stiffness."""
    depth = ca.fmax(stop.shortest - l, 0) + ca.fmax(l - stop.longest, 0)
    return _mean_stiffness(stop) * depth**2 / 2


def lost_power(stop: Stop, l: Value, l_dot: Value) -> Value:
    """Power [W] that the stop turns to heat; never negative."""
    depth = ca.fmax(stop.shortest - l, 0) + ca.fmax(l - stop.longest, 0)
    return _half_difference(stop) * depth * ca.tanh(l_dot / stop.fade_speed) * l_dot


def _push(stop: Stop, depth: Value, approach: Value) -> Value:
    stiffness = _mean_stiffness(stop) + _half_difference(stop) * ca.tanh(approach / stop.fade_speed)
    return stiffness * depth


def _mean_stiffness(stop: Stop) -> Value:
    return stop.stiffness * (1 + stop.restitution**2) / 2


def _half_difference(stop: Stop) -> Value:
    return stop.stiffness * (1 - stop.restitution**2) / 2
