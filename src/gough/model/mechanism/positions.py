"""How a leg's joint positions follow from the platform's place: in closed form, or by Newton."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import casadi as ca
import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.equations.mechanism.dyads import Aim, Alike, Extend, Reach, Shift, Step, Swing, closed_positions
from gough.equations.mechanism.machine import BASE, Leg, Tip
from gough.equations.mechanism.newton import newton_step
from gough.equations.mechanism.tree import joint_positions, positions
from gough.model.mechanism.drawing import Array
from gough.model.mechanism.samples import Sample

Value = Any
Positions = Callable[[Value, Value], list[Value]]

AT_MOST = 20
"""Newton's steps from the drawing; four or five are usual."""
NEAR = 1e-7
"""Steps as small [rad, m] end the iteration: one more step is as exact as numbers are."""
TWIN = 1e-11
"""Joints whose positions differ by less on all samples [rad, m] stand alike."""
EXACT = 1e-9
"""A closed form must give the samples' positions as well as this [rad, m]."""


def positions_of(leg: Leg, number: int, samples: Sequence[Sample]) -> Positions:
    """The closed form of a leg if there is one that gives all samples, else Newton's method."""
    steps = _steps(leg)
    if steps is not None:
        signed = [i for i, step in enumerate(steps) if hasattr(step, "sign")]
        for signs in product((1, -1), repeat=len(signed)):
            tried = list(steps)
            for i, sign in zip(signed, signs, strict=True):
                tried[i] = replace(tried[i], sign=sign)  # type: ignore[type-var]
            found = closed_positions(leg, tried)
            if _error(leg, number, found, samples) < EXACT:
                return closed_positions(leg, _without_twins(leg, number, tried, samples))
    return newton_positions(leg, f"leg{number + 1}")


def newton_positions(leg: Leg, name: str) -> Positions:
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


def _error(leg: Leg, number: int, found: Positions, samples: Sequence[Sample]) -> float:
    """The largest error of positions [rad, m] on the samples; infinite where there are none."""
    p, R = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    q = ca.vertcat(*joint_positions(leg.joints, found(p, R)))
    function = ca.Function("positions", [p, R], [q])
    errors = [
        np.array(function(s.position, s.rotation)).ravel() - s.q[number] for s in samples
    ]
    worst = np.abs(errors).max(initial=0.0)
    return float(worst) if np.isfinite(worst) else np.inf


def _without_twins(
    leg: Leg, number: int, steps: Sequence[Step], samples: Sequence[Sample]
) -> list[Step]:
    """The steps, those taken by the position of an earlier joint that stands alike in all samples."""
    q = np.array([_frame_positions(leg, sample.q[number]) for sample in samples])
    kept: list[Step] = []
    solved: list[int] = []
    for step in steps:
        joints = _joints_of(step)
        twins = {j: next((k for k in solved if _alike(leg, q, j, k)), -1) for j in joints}
        kept.append(step if -1 in twins.values() else Alike(twins))
        solved += joints
    return kept


def _frame_positions(leg: Leg, q: Array) -> Array:
    """Positions counted from where the frames stand."""
    return q + [joint.drawn - joint.at_home for joint in leg.joints]


def _alike(leg: Leg, q: Array, j: int, k: int) -> bool:
    if leg.joints[j].kind != leg.joints[k].kind:
        return False
    gap = q[:, j] - q[:, k]
    if leg.joints[j].kind == "hinge":
        gap = np.angle(np.exp(1j * gap))
    return bool(np.abs(gap).max() < TWIN)


def _joints_of(step: Step) -> list[int]:
    names = ("joint", "slide") if not isinstance(step, Aim) else ("first", "second")
    return [getattr(step, name) for name in names if hasattr(step, name)]


def _steps(leg: Leg) -> list[Step] | None:
    """Steps that solve a leg tip by tip, their signs still open; None if it has no closed form."""
    if any(tip.other is not None or tip.held_attitude is not None for tip in leg.tips):
        return None
    steps: list[Step] = []
    solved: set[int] = set()
    for number, tip in enumerate(leg.tips):
        path = [j for j in _path(leg, tip.link) if j not in solved]
        more = _dyad(leg, number, tip, path)
        if more is None:
            return None
        steps += more
        solved |= set(path)
    return steps if len(solved) == len(leg.joints) else None


def _path(leg: Leg, link: int) -> list[int]:
    """Joints from the base to a link."""
    path = []
    while link != BASE:
        path.append(link)
        link = leg.joints[link].before
    return path[::-1]


def _dyad(leg: Leg, number: int, tip: Tip, path: Sequence[int]) -> list[Step] | None:
    """Steps for the joints on the way to a tip, if they are one of the known kinds."""
    kinds = [leg.joints[j].kind for j in path]
    if tip.is_rod:
        if len(path) == 1:
            return [Reach(path[0], number, tip.point, tip.length**2, False, 1)]
        return None if path else []
    if len(path) == 3 and kinds[1:] == ["hinge", "hinge"] and _meet(leg, path[2]):
        first, second, third = path
        reach = (first, number, leg.joints[second].origin, _squared(tip.point), False, 1)
        return [Reach(*reach), Aim(second, third, number, 1)]
    if kinds == ["hinge", "hinge", "slide"] and _meet(leg, path[1]):
        return [Extend(path[2], path[0], number, False, 1), Aim(path[0], path[1], number, 1)]
    if kinds == ["hinge", "hinge"] and _meet(leg, path[1]):
        return [Aim(path[0], path[1], number, 1)]
    if kinds == ["hinge", "slide"] and not float(leg.joints[path[1]].rotation[2, 2]):
        return [Extend(path[1], path[0], number, True, 1), Swing(path[0], number)]
    if kinds == ["hinge", "hinge"] and _parallel(leg, path[1]):
        across = _squared(tip.point[0:2])
        reach = (path[0], number, leg.joints[path[1]].origin, across, True, 1)
        return [Reach(*reach), Swing(path[1], number)]
    if len(path) == 1:
        return [Swing(path[0], number) if kinds == ["hinge"] else Shift(path[0], number)]
    return None if path else []


def _meet(leg: Leg, joint: int) -> bool:
    """Whether a hinge's axis meets that of the hinge before at that one's origin."""
    return not np.array(leg.joints[joint].origin).any()


def _parallel(leg: Leg, joint: int) -> bool:
    """Whether a hinge's axis is parallel to that of the hinge before."""
    return abs(float(leg.joints[joint].rotation[2, 2])) == 1.0


def _squared(vector: Value) -> float:
    return float(ca.dot(vector, vector))


