"""How a leg's joint positions follow from the platform's place: in closed form, or by Newton."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.equations.mechanism import elimination
from gough.equations.mechanism.dyads import Alike, Step, closed_positions
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.newton import is_on_branch, newton_step, posture_at
from gough.equations.spatial.algebra import Value
from gough.model.mechanism.closed_forms import Posture, has_root, stand_alike, steps_of
from gough.model.mechanism.samples import Sample

Positions = Callable[[Value, Value], list[Value]]

AT_MOST = 20
"""Newton's steps from the drawing; four or five are usual."""
NEAR = 1e-7
"""Steps as small [rad, m] end the iteration: one more step is as exact as numbers are."""
SINGULAR = 1e-9
"""A pivot as small on the drawing has no sign that tells a branch."""
EXACT = 1e-9
"""A closed form must give the samples' positions as well as this [rad, m]."""


@dataclass(frozen=True, eq=False)
class Trial:
    """Samples of a machine whose numbers, where they are symbols, have these values."""

    samples: Sequence[Sample]
    symbols: Value = field(default_factory=lambda: ca.SX(0, 1))
    values: Value = field(default_factory=lambda: ca.DM(0, 1))


def with_positions(leg: Leg, number: int, home: Sample, samples: Sequence[Sample]) -> Leg:
    """A leg that knows its positions: in closed form where one gives all samples, or by Newton."""
    postures = [Posture(leg, sample.q[number]) for sample in samples]
    return tried_positions(leg, number, home, postures, [Trial(samples)])


def tried_positions(
    leg: Leg, number: int, home: Sample, postures: Sequence[Posture], trials: Sequence[Trial]
) -> Leg:
    """The same of a leg of numbers or symbols, by what it does on trial."""
    for steps in _signed(steps_of(leg, postures)):
        if _error(leg, number, closed_positions(leg, steps), trials) < EXACT:
            kept = _without_twins(leg, steps, postures)
            branches = tuple(closed_positions(leg, other) for other in _signed(kept))
            return replace(leg, positions=closed_positions(leg, kept), branches=branches)
    found = newton_positions(leg, number, _branch(postures[0].leg, leg, number, home))
    return replace(leg, positions=found, iterated=True)


def _signed(steps: Sequence[Step] | None) -> Iterator[tuple[Step, ...]]:
    """The same steps with all combinations of the signs of their roots."""
    if steps is None:
        return iter(())
    return product(*(_both_signs(step) if has_root(step) else [step] for step in steps))


def _both_signs(step: Step) -> list[Step]:
    return [replace(step, sign=1), replace(step, sign=-1)]  # type: ignore[type-var]


def newton_positions(leg: Leg, number: int, signs: list[int]) -> Positions:
    """Positions by Newton's method from the drawing, and one more step with exact derivatives.

    NaN where it does not converge, or to a posture that is not on the drawing's branch.
    """
    q = Argument("q", (len(leg.joints),))
    place = (Argument("position", (3,)), Argument("rotation", (3, 3)))
    start = ca.vertcat(*(joint.at_home for joint in leg.joints))
    opened, symbols, numbers = _opened(leg)

    def step(q: Value, position: Value, rotation: Value, *given: Value) -> tuple[Value, Value]:
        change = newton_step(posture_at(opened, q, position, rotation))
        change = ca.substitute(change, symbols, *given) if given else change
        return q + change, ca.mmax(ca.fabs(change)) < NEAR

    taken = (Argument("numbers", numbers.shape[:1]),) if numbers.shape[0] else ()
    function = Function.from_equation(
        f"leg{number + 1}", step, (q, *place, *taken), (q, Argument("status"))
    )
    repeated = iterate(function, AT_MOST, constant=True)

    def found(position: Value, rotation: Value) -> list[Value]:
        near, _, status = repeated(start, position, rotation, *([numbers] if taken else []))
        at = posture_at(leg, near, position, rotation)
        good = ca.logic_and(status, is_on_branch(at, signs))
        q = ca.if_else(good, near + newton_step(at), ca.DM.nan(len(leg.joints)))
        return [joint.position(q[k]) for k, joint in enumerate(leg.joints)]

    return found


def _opened(leg: Leg) -> tuple[Leg, Value, Value]:
    """A leg with symbols of its own for all its numbers that may change; these, and the numbers.

    What an iteration takes it need not compute in every step.
    """
    symbols, numbers = [ca.SX(0, 1)], [ca.SX(0, 1)]

    def opened(value: Any) -> Any:
        if not isinstance(value, ca.SX) or value.is_constant():
            return value
        found = ca.SX(value)
        for at in product(*map(range, found.shape)):
            if not found[at].is_constant():
                symbols.append(ca.SX.sym("number"))
                numbers.append(found[at])
                found[at] = symbols[-1]
        return found

    def inside(record: Any) -> Any:
        facts = {field.name: opened(getattr(record, field.name)) for field in fields(record)}
        return replace(record, **facts)

    joints, tips = (tuple(map(inside, some)) for some in (leg.joints, leg.tips))
    opened_leg = replace(leg, joints=joints, tips=tips)
    return opened_leg, ca.vertcat(*symbols), ca.vertcat(*numbers)


def _branch(drawn: Leg, leg: Leg, number: int, home: Sample) -> list[int]:
    """Signs of the leg's pivots on the drawing, where it is of numbers; 0 of those that vanish."""
    leg = replace(drawn, plan=leg.plan)
    q, p, R = ca.SX.sym("q", len(leg.joints)), ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    pivots = ca.vertcat(*elimination.pivots(posture_at(leg, q, p, R).rows))
    function = ca.Function("pivots", [q, p, R], [pivots])
    found = np.array(function(home.q[number], home.position, home.rotation)).ravel()
    return [int(sign) for sign in np.where(np.abs(found) > SINGULAR, np.sign(found), 0)]


def _error(leg: Leg, number: int, found: Positions, trials: Sequence[Trial]) -> float:
    """The largest error of positions [rad, m] on the samples; infinite where there are none."""
    p, R = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    pairs = zip(leg.joints, found(p, R), strict=True)
    q = ca.vertcat(*(joint.counted(x) for joint, x in pairs))
    function = ca.Function("positions", [p, R, trials[0].symbols], [q])
    errors = [
        np.array(function(s.position, s.rotation, trial.values)).ravel() - s.q[number]
        for trial in trials
        for s in trial.samples
    ]
    worst = np.abs(errors).max(initial=0.0)
    return float(worst) if np.isfinite(worst) else np.inf


def _without_twins(leg: Leg, steps: Sequence[Step], postures: Sequence[Posture]) -> list[Step]:
    """The steps; where joints stand as earlier ones on all samples, simply that."""
    q = np.array([at.positions for at in postures])
    kept: list[Step] = []
    solved: list[int] = []
    for step in steps:
        twins = {j: next((k for k in solved if _alike(leg, q, j, k)), None) for j in step.joints}
        known = {j: k for j, k in twins.items() if k is not None}
        kept.append(Alike(known) if len(known) == len(twins) else step)
        solved += step.joints
    return kept


def _alike(leg: Leg, q: Array, j: int, k: int) -> bool:
    return type(leg.joints[j]) is type(leg.joints[k]) and stand_alike(leg, j, q[:, j] - q[:, k])
