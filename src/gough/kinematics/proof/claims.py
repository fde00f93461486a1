"""Claims that the checker verifies: requirements of a robot as functions over a box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.compiler.front.operations import BY_CASADI_CODE
from gough.compiler.memo import remembered
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.kinematics.proof.bounding import Guide
from gough.kinematics.proof.branches import steps_between
from gough.kinematics.proof.checker import RULES, Claim, Interval, exact
from gough.kinematics.proof.implicit import Enclosing, Implicit, gaps_function
from gough.kinematics.proof.requirements import LOWER, STEPS, Required
from gough.kinematics.workspace.stated_limits import SingleLimit
from gough.model.machines import Machines


class ClaimInputs(NamedTuple):
    """Coordinates of requirements, and the pose that steps are from, as functions of a box."""

    x: Value
    """Coordinates of the box."""
    given: Value
    """Numbers that are stated."""
    coordinates: Value
    middle: Value
    further: tuple[tuple[str, Value], ...] = ()
    """Margins beside those of the requirements, by name."""


def claim(
    required: Required,
    machines: Machines,
    place: ClaimInputs,
    whole: Sequence[Interval],
    axes: Sequence[int],
    given: Sequence[float],
    points: Sequence[Sequence[Interval]] = (),
) -> Claim:
    """Return the claim that requirements hold in a box; `points` are its ends.

    Coordinates without a closed form are y0 + Y (x - c) + z, and z those that N(z) = z - C g(y, x)
    maps to themselves, where the gaps g close. c, y0, Y and C are hints: C is about the inverse of
    the slopes of g by y, Y the slopes of y by coordinates that vary, in the middle c of a box.
    """
    f, count = _traced(required, machines), Implicit(machines.robot).count
    varied = [k for k, side in enumerate(whole) if side.low < side.high]  # others may be infinite
    n, first = len(varied), required.names(machines).index(STEPS[0])
    sizes = [n, f.nnz_in(2), 1, count, count**2, count * n]
    hints, z = ca.SX.sym("hints", sum(sizes)), ca.SX.sym("z", count)
    c, guide, mu, y0, C, Y = ca.vertsplit(hints, np.cumsum([0, *sizes]).tolist())
    at, (coordinates, middle) = [place.x, place.given], place[2:4]
    where = ca.Function("where", at, [coordinates, middle])
    y = y0 + z + (ca.reshape(Y, count, n) @ (place.x[varied] - c) if varied else 0)
    rows = required.rows(machines.robot)
    inputs = [_in_balls(coordinates, required, machines, whole), middle, guide, *_radii(required)]
    margins = f.call([*inputs, *([y, y0] if count else [])])[0]
    own, further = len(rows), [margin for _, margin in place.further]
    margins = ca.vertcat(margins[:own], *further, margins[own:])
    total = margins.numel()
    margins = _in_ball(margins, own, coordinates[first : first + 3], required.radius)
    mapped, slopes = ca.SX(0, 1), None
    if count:
        ys, g = ca.SX.sym("y", count), gaps_function(machines).casadi
        ends = [0, first, first + 6] if first else [0, 6]  # numbers that vary, and steps
        steps = ca.vertsplit(coordinates[: first + 6], ends)
        mapped, gap = z - ca.reshape(C, count, count) @ g(*steps, y, middle), g(*steps, ys, middle)
        slopes = ca.Function("g", [*at, ys], [ca.jacobian(gap, ys), ca.jacobian(gap, place.x)])
    at = [ca.vertcat(place.x, z), place.given, hints]
    function, mapping, solution = (
        ca.Function("f", at, [ca.densify(out)]) for out in (margins, mapped, y)
    )

    named = [*map(_name, rows), *(name for name, _ in place.further)]
    last, end = (
        len(named) + sum(x.kind in LOWER for x in rows),
        total - sum(required.regular(machines)),
    )
    found, pivots = ca.SX.sym("margins", margins.numel()), ca.SX(0, 1)
    if (most := required.condition) is not None:
        pivots = _pivots(found[last:end], guide, machines.structure.dof, mu, most)
    joint = ca.Function("f", [found, place.given, hints], [ca.densify(pivots)])

    def hinted(point: list[float]) -> list[float]:
        x = np.array(point)
        here, pose = (np.array(a)[:, 0] for a in where.call([x, given]))
        parts = [x[varied], Guide(required, machines, pose)(here[None])[0], np.zeros(1)]
        if slopes is not None:
            near = Enclosing(machines, pose).near(here[None, : first + 6])[0]
            by_y, by_x = (np.nan_to_num(np.array(a)) for a in slopes.call([x, given, near]))
            inverse = np.linalg.pinv(by_y)
            tilt = -inverse @ by_x[:, varied]
            parts += [np.nan_to_num(near), inverse.T.ravel(), tilt.T.ravel()]
        if required.condition is not None:  # singular values, on singular vectors
            B = np.array(function([*x, *[0.0] * count], given, np.concatenate(parts)))[last:end, 0]
            values = np.abs(np.diag(B.reshape(machines.structure.dof, -1)))
            parts[2][:] = values.max() * values.min() / required.condition
        return [float(number) for number in np.concatenate([given, *parts])]

    _check_known([function, mapping, joint])
    ways = _ways([x.kind for x in rows], len(named), end, (total, pivots.numel(), margins.numel()))
    pairs = [*zip(named, ways, strict=True)]
    functions = function, mapping, solution, [list(point) for point in points], joint
    return Claim(list(whole), axes, hinted, *functions, pairs)


def of_one_margin(claim: Claim, number: int | None = None) -> Claim:
    """Return the claim that one requirement holds, or none: that legs close."""
    at = [ca.SX.sym("at", claim.margins.nnz_in(k)) for k in range(3)]
    margin = ca.SX(1) if number is None else claim.margins(*at)[number]
    margins = ca.Function("f", at, [ca.densify(margin)])
    joint = ca.Function("f", [ca.SX.sym("margin"), *at[1:]], [ca.SX(0, 1)])
    name = "closing of legs" if number is None else claim.requirements[number][0]
    return replace(claim, margins=margins, joint=joint, requirements=[(name, [[0]])])


def way_from_home(
    required: Required, machines: Machines, centre: Sequence[float], end: Sequence[float]
) -> list[Claim]:
    """Return the claim that home's solution continues to coordinates, straight; none at home."""
    pose, home = np.array(centre), np.array(machines.robot.home)
    start = np.array(end)
    start[len(end) - 6 :] = steps_between(pose, home)
    if np.allclose(start, end, rtol=0, atol=1e-12):  # it is home, where positions are given
        return []
    s, ends = ca.SX.sym("s"), [[exact(0)], [exact(1)]]
    along = ca.vertcat(*((1 - s) * a + s * b if a != b else a
                         for a, b in zip(start.tolist(), end, strict=True)))  # fmt: skip
    place = ClaimInputs(s, ca.SX(0, 1), along, ca.DM(pose))
    own = claim(Required(required.limits), machines, place, [exact(0) | exact(1)], [0], [], ends)
    return [of_one_margin(own)]


def solution_at_home(machines: Machines) -> list[Interval]:
    """Return positions of joints at home, as the robot's file states them."""
    implicit = Implicit(machines.robot)
    return [exact(y) for y in implicit.at_home.tolist()] if implicit.count else []


def _name(row: SingleLimit) -> str:
    return " of ".join([row.family, *([", ".join(row.of)] if row.of else [])])


def _in_balls(x: Value, required: Required, machines: Machines, whole: Sequence[Interval]) -> Value:
    """Return the point in all balls that is next to x."""
    found = ca.SX(x)
    for ball, (name, r) in zip(required.ball_axes(machines), required.balls, strict=True):
        if any(whole[k].high != exact(r).high for k in ball):
            raise GoughError(f"the box of the {name} is not that of a ball of {r:g}")
        found[ball] = x[ball] * ca.sqrt(r**2 / ca.fmax(r**2, ca.sumsqr(x[ball])))
    return found


def _in_ball(margins: Value, own: int, steps: Value, radius: float | None) -> Value:
    """Margins of which the first ones hold beyond a ball; how far beyond that is, and these."""
    if radius is None:
        return margins
    beyond = ca.sumsqr(steps / radius) - 1
    return ca.vertcat(ca.fmax(margins[:own], beyond), margins[own:], beyond, margins[:own])


def _radii(required: Required) -> list[Value]:
    return [ca.DM([r for _, r in required.balls])] if required.balls else []


@remembered
def _traced(required: Required, machines: Machines) -> ca.Function:
    return required.function(machines).traced


def _check_known(functions: Sequence[ca.Function]) -> None:
    """Refuse functions with operations that the checker has no rule for."""
    for code in set[int]().union(*map(_operations, functions)) - {*RULES}:
        name = BY_CASADI_CODE[code].name if code in BY_CASADI_CODE else f"number {code}"
        raise GoughError(f"its formulas have the function {name}, which the checker does not know")


def _operations(f: ca.Function) -> set[int]:
    """Return CasADi's codes of all operations of a function."""
    codes, nodes = [f.instruction_id(k) for k in range(f.n_instructions())], f.instructions_sx()
    calls = [nodes[k].which_function() for k, code in enumerate(codes) if code == ca.OP_CALL]
    apart = {ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CALL}
    return ({*codes} - apart).union(*map(_operations, {one.name(): one for one in calls}.values()))


def _ways(kinds: list[str], own: int, end: int, sizes: Sequence[int]) -> list[list[list[int]]]:
    """Return lists of margins, all of which are positive in one of them where a limit holds.

    Behind `total` margins are those of a ball, then pivots, then all margins in the middle.
    """
    ways, last, (total, pivots, count) = [[[k]] for k in range(own)], own, sizes
    ball = count > total
    for k, kind in enumerate(kinds):
        if kind in LOWER:
            ways[k].append([last])
            last += 1
        elif kind == "condition":
            ways[k] = [[*range(count, count + pivots)]]
        elif kind == "side" and end < total:  # rows are regular: the side is that in the middle
            ways[k].append([*range(end, total), count + pivots + (total + 1) * ball + k])
    return [[*each, *[[total]] * ball] for each in ways]


def _pivots(B: Value, guide: Value, n: int, mu: Value, K: float) -> Value:
    """Return numbers that are positive only if the condition number of J is below K, B = UᵀJV.

    They are the pivots of BᵀB - (1 + e)μ VᵀV and (1 - e)K²μ VᵀV - BᵀB, with U and V of a guide and
    any μ, where |UᵀU - 1| <= e: JᵀJ - μ and K²μ - JᵀJ are positive definite then.
    """
    motors = B.numel() // n
    vectors = guide[-(motors**2) - n * n :]
    U, V = ca.reshape(vectors[: motors**2], motors, motors), ca.reshape(vectors[motors**2 :], n, n)
    B = ca.reshape(B, motors, n)
    A, W, e = B.T @ B, mu * (V.T @ V), ca.sum1(ca.vec(ca.fabs(U.T @ U - ca.SX.eye(motors))))
    found = [1 - e]
    for M in (A - (1 + e) * W, K * (K * ((1 - e) * W)) - A):
        rows = ca.vertsplit(M)
        for k in range(n):
            found.append(rows[k][k])
            for i in range(k + 1, n):
                rows[i] = rows[i] - rows[i][k] / rows[k][k] * rows[k]
    return ca.vertcat(*found)
