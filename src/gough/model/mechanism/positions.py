"""How a leg's joint positions follow from the platform's place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.newton import newton_step
from gough.equations.mechanism.tree import positions

Value = Any
AT_MOST = 20
"""Newton's steps from the drawing; four or five are usual."""
NEAR = 1e-7
"""Steps as small [rad, m] end the iteration: one more step is as exact as numbers are."""


def newton_positions(leg: Leg, name: str) -> Callable[[Value, Value], list[Value]]:
    """Positions by Newton's method from the drawing, and one more step with exact derivatives."""
    q = Argument("q", (len(leg.joints),))
    place = (Argument("position", (3,)), Argument("rotation", (3, 3)))

    def step(q: Value, position: Value, rotation: Value) -> tuple[Value, Value]:
        better, change = newton_step(leg, q, position, rotation)
        return better, change < NEAR

    function = Function.from_equation(name, step, (q, *place), (q, Argument("status")))
    repeated = iterate(function, AT_MOST)
    home = ca.DM([joint.at_home for joint in leg.joints])

    def found(position: Value, rotation: Value) -> list[Value]:
        near, *_ = repeated(home, position, rotation)
        return positions(leg.joints, newton_step(leg, near, position, rotation)[0])

    return found
