"""Joint positions of a leg from the platform's pose: in closed form, or by Newton's method."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import product
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.equations.closure import closing
from gough.equations.closure.assembled import posture_at
from gough.equations.closure.closed_form_steps import ClosedFormStep, EqualJoints, closed_positions
from gough.equations.closure.closing import left_open, leg_step, part_of_the_way, relative_pose
from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.machine import Leg, LegBranches, Positions
from gough.equations.spatial.algebra import Value, vector
from gough.equations.tree.joints import Helical, Position, Prismatic, Revolute
from gough.model.mechanism.decisions import closed_forms
from gough.model.mechanism.decisions.branches import closed_at_home, is_closed
from gough.model.mechanism.decisions.closed_forms import Posture, has_root, path_to, stand_alike
from gough.model.mechanism.decisions.samples import Sample

AT_MOST = 800  # Newton's steps from home in all stages; four or five are usual
TURNS = 64  # legs with screws may take this many times as many steps, and stages a quarter as long
NEAR = 1e-7
"""Steps as small [rad, machine sizes] end the iteration: one more is as exact as numbers are."""
CLOSE = 1e-3  # steps as small end a stage on the way
LONGEST = 0.7  # the longest first step of a stage
CONTRACTION = 0.25
"""The longest step of a stage after the first, as a share of the one before: what the theorem of
Newton and Kantorovich asks for; with 1/2 some poses beside a singularity had another branch."""
OPEN_CONTRACTION = 0.5
"""Such a share where rows stay open on the way from home, however short a stage is."""
LEVER = 10.0
"""Gaps of rows that fix no joint [rad, machine sizes] are not larger, over steps that close all."""
SHORTEST = 1 / 32_768
"""Stages are not shorter than half of this: the branch ends there. With 1 / 512 an H4 missed 0.3 %
of the poses that it reaches beside singularities, so 0.006 %."""
CLOSED, LOST = 1, 2
EXACT = 1e-9  # a closed form must give the samples' positions as well as this [rad, m]


@dataclass(frozen=True, eq=False)
class Trial:
    """Samples of a machine whose numbers, where they are symbols, have these values."""

    samples: Sequence[Sample]
    symbols: Value = field(default_factory=lambda: ca.SX(0, 1))
    values: Value = field(default_factory=lambda: ca.DM(0, 1))


def with_positions(
    leg: Leg,
    number: int,
    home: PlatformPlacement,
    trials: Sequence[Trial],
    closes: bool,
    start: Array | None = None,
    template: Leg | None = None,
) -> Leg:
    """A leg that knows its positions: in closed form where one gives all samples, or by Newton.

    The branch is that of the samples; Newton's method starts at its positions at home, `start`.
    A leg of symbols has a `template` with the numbers of the first trial.
    """
    postures = [Posture(template or leg, sample.q[number]) for sample in trials[0].samples]
    for steps in _signed(closed_forms.steps_of(leg, postures)):
        if _error(leg, number, closed_positions(leg, steps), trials) < EXACT:
            reduced = _without_twins(leg, steps, postures)
            branches = _closed_branches(leg, home, reduced)
            return replace(leg, positions=closed_positions(leg, reduced), branches=branches)
    size = float(trials[0].samples[0].scales[0])
    first = None if start is None else ca.DM(start)
    found = newton_positions(leg, number, home, size, closes, first)
    others = _iterated_branches(leg, number, home, size, closes)
    return replace(leg, positions=found, iterated=True, branches=others)


def _closed_branches(
    leg: Leg, home: PlatformPlacement, steps: Sequence[ClosedFormStep]
) -> LegBranches | None:
    """Branches of a leg in closed form: signs of its roots, relative to those of the steps."""
    roots = [k for k, step in enumerate(steps) if has_root(step)]

    def positions(branch: Value) -> Positions:
        signed = list(steps)
        for k, number in zip(roots, ca.vertsplit(branch), strict=True):
            sign = steps[k].sign * ca.if_else(ca.fabs(number) == 1, number, np.nan)  # type: ignore[attr-defined]
            signed[k] = replace(steps[k], sign=sign)  # type: ignore[type-var]
        return closed_positions(leg, signed)

    def at_home() -> dict[tuple[int, ...], tuple[float, ...]]:
        found = {}
        for branch in product((1, -1), repeat=len(roots)):
            at = positions(ca.DM(branch))(home.position, home.rotation)
            counted = (joint.counted(x) for joint, x in zip(leg.joints, at, strict=True))
            q = np.array([float(ca.DM(ca.SX(x))) for x in counted])
            if is_closed(leg, home, q):
                found[branch] = tuple(q.tolist())
        return found

    joints = tuple(steps[k].joints[-1] for k in roots)
    return LegBranches(joints, positions, at_home) if roots else None


def _iterated_branches(
    leg: Leg, number: int, home: PlatformPlacement, size: float, closes: bool
) -> LegBranches:
    """Branches of a leg that is solved by iteration, from each configuration that is closed."""
    at_home = cache(lambda: closed_at_home(leg, home, size))

    def positions(branch: Value) -> Positions:
        start = ca.SX.nan(len(leg.joints))
        for (own,), q in at_home().items():
            start = ca.if_else(branch == own, ca.DM(q), start)
        return newton_positions(leg, number, home, size, closes, start)

    return LegBranches((0,), positions, at_home)


def _signed(steps: Sequence[ClosedFormStep] | None) -> Iterator[tuple[ClosedFormStep, ...]]:
    """Yield the steps with all combinations of the signs of their roots."""
    if steps is None:
        return iter(())
    return product(
        *(
            [replace(step, sign=sign) for sign in (1, -1)] if has_root(step) else [step]  # type: ignore[type-var]
            for step in steps
        )
    )


def newton_positions(
    leg: Leg, number: int, home: PlatformPlacement, size: float, closes: bool, start: Value | None
) -> Positions:
    """Positions by Newton's method in stages from home, and one more step with exact derivatives.

    The platform is led from home straight to its pose, at once or, where steps do not contract, in
    stages: the leg stays on the branch of its positions at home, `start`, by default as drawn. NaN
    where that branch ends before, or a row of a leg that `closes` them all at any pose stays open.
    """
    q, closed = (Argument(name, (len(leg.joints),)) for name in ("q", "closed"))
    stage, pose = Argument("stage", (3,)), Argument("relative_pose", (7,))
    scales = ca.DM(_scales(leg, size))
    screws = any(isinstance(joint, Helical) for joint in leg.joints)
    shortest = SHORTEST / 4 if screws else SHORTEST
    (opened, at_home), symbols, numbers = _opened(leg, home)
    at_first = ca.vertcat(*(joint.at_home for joint in opened.joints))
    if start is None:
        start = ca.vertcat(*(joint.at_home for joint in leg.joints))
    elif start.is_constant():
        at_first = start
    else:
        at_first = ca.SX.sym("start", start.shape[0])
        symbols, numbers = ca.vertcat(symbols, at_first), ca.vertcat(numbers, start)
    drawn = posture_at(opened, at_first, at_home.position, at_home.rotation)
    # else chosen rows may be singular where all are not
    determined = len(drawn.rows.A) == len(leg.joints)
    contraction = CONTRACTION if determined or closes else OPEN_CONTRACTION

    def step(q: Value, closed: Value, stage: Value, pose: Value, *own: Value) -> tuple[Value, ...]:
        at = posture_at(opened, q, *part_of_the_way(at_home, pose, stage[1]))
        change, usable = leg_step(at), closing.same_side(at, drawn) if determined else ca.SX(1)
        length = ca.mmax(ca.fabs(change) / scales)
        if closes:
            usable = ca.logic_and(usable, left_open(at, size) <= LEVER * (NEAR + length))
        results = [change, ca.if_else(usable, length, np.inf)]
        change, length = ca.substitute(results, [symbols], [*own]) if own else results
        return _staged(q, closed, stage, change, length, shortest, contraction)

    taken = (Argument("numbers", numbers.shape[:1]),) if numbers.shape[0] else ()
    states = (q, closed, stage)
    function = Function.from_equation(
        f"leg{number + 1}", step, (*states, pose, *taken), (*states, Argument("status"))
    )
    repeated = iterate(function, AT_MOST * (TURNS if screws else 1), constant=True)

    def found(position: Value, rotation: Value) -> list[Position]:
        way, given = relative_pose(home, position, rotation), [numbers] if taken else []
        # the first step, from home, whose rows are constants
        *first, _ = step(start, start, ca.DM([0, 1, LONGEST]), way, *given)
        near, *_, status = repeated(*first, way, *given)
        change = leg_step(posture_at(leg, near, position, rotation))
        q = ca.if_else(status == CLOSED, near + change, ca.DM.nan(len(leg.joints)))
        return [joint.position(q[k]) for k, joint in enumerate(leg.joints)]

    return found


def _scales(leg: Leg, size: float) -> list[float]:
    """Units of the steps of a leg's joints; infinite of those that move no cut joint.

    Couplings alone hold these, as a gear's input: their steps are exact, however long.
    """
    moved = {j for cut in leg.cuts for end in (cut.link, cut.other) for j in path_to(leg, end)}
    sizes = (size if isinstance(joint, Prismatic) else 1.0 for joint in leg.joints)
    return [one if k in moved else np.inf for k, one in enumerate(sizes)]


def _staged(
    q: Value,
    closed: Value,
    stage: Value,
    change: Value,
    length: Value,
    shortest: float,
    contraction: float,
) -> tuple[Value, ...]:
    """Where an iteration goes on after a step: new states, and a status.

    A stage is the share of the way at which the leg was closed last, the share that is tried, and
    the longest step that is allowed there. Longer ones do not contract: the way is halved, from
    where the leg was closed. A root in whose neighbourhood steps contract so is the only one there
    [Deuflhard 2011, section 2.1], and with it the branch is kept.
    """
    reached, tried, longest = ca.vertsplit(stage)
    contracts = length <= ca.fmax(longest, NEAR)
    arrived = ca.logic_and(contracts, length <= ca.if_else(tried < 1, CLOSE, NEAR))
    moved = ca.if_else(contracts, q + change, closed)
    advanced, halfway = ca.fmin(1, 3 * tried - 2 * reached), (reached + tried) / 2
    onwards = vector(
        ca.if_else(arrived, tried, reached),
        ca.if_else(contracts, ca.if_else(arrived, advanced, tried), halfway),
        ca.if_else(ca.logic_and(contracts, ca.logic_not(arrived)), contraction * length, LONGEST),
    )
    lost = ca.logic_and(ca.logic_not(contracts), tried - reached < shortest)
    status = ca.if_else(ca.logic_and(arrived, tried == 1), CLOSED, ca.if_else(lost, LOST, 0))
    return moved, ca.if_else(arrived, moved, closed), onwards, status


def _opened(
    leg: Leg, home: PlatformPlacement
) -> tuple[tuple[Leg, PlatformPlacement], Value, Value]:
    """A leg and home with symbols of their own for all numbers that may change; these, and those.

    What an iteration takes it need not compute in every step.
    """
    symbols, numbers = [ca.SX(0, 1)], [ca.SX(0, 1)]

    def opened(value: object) -> Any:
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

    parts = leg.joints, leg.cuts, leg.couplings
    joints, cuts, couplings = (tuple(map(inside, some)) for some in parts)
    opened_leg = replace(leg, joints=joints, cuts=cuts, couplings=couplings), inside(home)
    return opened_leg, ca.vertcat(*symbols), ca.vertcat(*numbers)


def _error(leg: Leg, number: int, found: Positions, trials: Sequence[Trial]) -> float:
    """Return the maximum error of positions [rad, m] on samples; infinite where there are none."""
    p, R = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    q = ca.vertcat(*(joint.counted(x) for joint, x in zip(leg.joints, found(p, R), strict=True)))
    function = ca.Function("positions", [p, R, trials[0].symbols], [q])
    pairs = ((trial.values, sample) for trial in trials for sample in trial.samples)
    gaps = [np.array(function(s.position, s.rotation, x)).ravel() - s.q[number] for x, s in pairs]
    hinges = np.array([type(joint) is Revolute for joint in leg.joints], bool)
    errors = np.where(hinges, np.angle(np.exp(1j * np.array(gaps))), gaps)  # by whole turns: equal
    worst = np.abs(errors).max(initial=0.0)
    return float(worst) if np.isfinite(worst) else np.inf


def _without_twins(
    leg: Leg, steps: Sequence[ClosedFormStep], postures: Sequence[Posture]
) -> list[ClosedFormStep]:
    """The steps; where joints stand as earlier ones on all samples, simply that."""
    q = np.array([at.positions for at in postures])
    reduced: list[ClosedFormStep] = []
    solved: list[int] = []
    for step in steps:
        pairs = ((j, k) for j in step.joints for k in reversed(solved))
        twins = {j: k for j, k in pairs if stand_alike(leg, j, k, q[:, j] - q[:, k])}
        reduced.append(EqualJoints(twins) if len(twins) == len(step.joints) else step)
        solved += step.joints
    return reduced
