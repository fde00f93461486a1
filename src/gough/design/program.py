"""A design problem as a nonlinear program of few sides, and its solution by SLSQP.

Of all sides in all states only those that matter near a design are kept: a working set. The program
is solved with them; what then passes its bound elsewhere joins them, and it is solved again, until
none does. Each side has one row of derivatives, by the reverse mode: as much work for forty
variables as for four.

Variables z: shares u (d) of the design's ranges, levels t (E) of the extremes that objectives
count, and what the goal adds. All are of size one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from scipy import optimize

from gough.arrays import AnyArray, Array
from gough.design.problem import Problem
from gough.design.proved import RequirementProof
from gough.one_thread import one_thread

SPARE = 1e-9  # slack that is asked for beyond a bound, so that rounding does not pass it
NEAR = 0.02
"""Sides with less slack join the working set, the worst of each; others only when they fail."""
PRECISION = 1e-10
SETTLED = 1e-6
"""A solution is taken if beginning again from there betters it by less than this share."""
STEPS = 100
ROUNDS = 20
_MOST_RELAXED = 1e2
_NOWHERE = 1e9  # the cost of a design that cannot take a pose: steps that lead there are taken back
SMALLER, SMALLEST = 0.25, 1e-4
"""Factor on the trust region after a failed step; and its minimum size."""
_NOT_A_NUMBER = -1e3  # slack of a machine that cannot take a pose


@dataclass(frozen=True, eq=False)
class Goal:
    """Goal of a program: one of three, of which two add variables.

    The minimum of a sum of objectives, by their `weights`; all objectives as far below a `point` as
    they can be, along a `direction` (goal attainment: the minimum τ for which objectives are at
    most point + τ direction); or the minimum sum by which requirements, so many, must be `relaxed`
    for a feasible design.
    """

    weights: Array = field(default_factory=partial(np.zeros, 0))
    point: Array = field(default_factory=partial(np.zeros, 0))
    direction: Array = field(default_factory=partial(np.zeros, 0))
    relaxed: int = 0

    @property
    def count(self) -> int:
        """Number of variables that it adds."""
        return self.relaxed or min(len(self.point), 1)

    def cost(self, objectives: Array, slopes: Array, more: Array) -> tuple[float, Array, Array]:
        """Cost, its slopes by (u, t), and by what the goal adds."""
        if len(self.weights):
            return float(self.weights @ objectives), self.weights @ slopes, np.zeros(0)
        return float(more.sum()), np.zeros(slopes.shape[1]), np.ones(len(more))

    def rows(self, objectives: Array, slopes: Array, more: Array) -> tuple[Array, Array, Array]:
        """Rows that must be at least zero, and their slopes by (u, t) and by what it adds."""
        if not len(self.point):
            return np.zeros(0), np.zeros((0, slopes.shape[1])), np.zeros((0, len(more)))
        room = self.point + more[0] * self.direction - objectives
        return room, -slopes, self.direction[:, None]

    def relaxation(self, requirements: int, more: Array) -> tuple[Array, Array]:
        """Return by how much each requirement may fail, (R), and its slopes (R, count)."""
        if self.relaxed:
            return more, np.eye(requirements)
        return np.zeros(requirements), np.zeros((requirements, len(more)))


@dataclass(frozen=True, eq=False)
class Solved:
    """A solution, or where the search ended."""

    x: Array  # (d) variables
    more: Array  # variables that the goal adds
    cost: float
    violation: float  # violation of the worst side, over its bound; at most 0 if all hold
    proofs: tuple[RequirementProof, ...] = ()
    """Those of all requirements, where they were asked for."""


@dataclass(eq=False)
class DesignProgram:
    """A problem solved for a goal, by sides that matter."""

    problem: Problem
    goal: Goal
    scale: Array  # (m) by which objectives are measured
    spare: float = SPARE  # slack of requirements that is kept

    @one_thread()
    def solved(self, x: Array, *, rounds: int = ROUNDS) -> Solved:
        """The solution that is found from a design."""
        u = self.problem.space.scaled(x)
        working = np.zeros((0, 2), dtype=int)
        tried = np.concatenate([u, self._levels(x), self._first_more(x)])
        best: Solved | None = None
        best_z, room = tried, 1.0
        for _ in range(rounds):
            joined, violation = self._failing(tried)
            here = self._solution(tried, violation)
            violation = here.violation
            better = best is None or _rank(here) < _rank(best)
            both_hold = best is not None and max(best.violation, violation) <= 0.0
            settled = best and both_hold and best.cost - here.cost <= abs(best.cost) * SETTLED
            if better:
                best, best_z = here, tried
            have = {tuple(pair) for pair in working.tolist()}
            fresh = [pair for pair in joined.tolist() if tuple(pair) not in have]
            if len(working) and (settled or (better and not fresh and violation > 0.0)):
                break
            if violation >= -_NOT_A_NUMBER or not (better or fresh):
                tried, room = best_z, room * SMALLER
                if room < SMALLEST:
                    break
            else:
                working = np.array([*working.tolist(), *fresh], dtype=int).reshape(-1, 2)
            tried = self._improved(tried, working, room)
        assert best is not None
        return best

    def active(self, solved: Solved, within: float) -> tuple[list[str], Array, Array]:
        """Return the active sides of a solution: names, slopes by (u, t); and the cost's slopes.

        A bound of a variable is one of them, too. Sides of extremes, which only say what an
        objective counts, have no name, nor have the objectives beyond the first, which stay.
        """
        problem, u = self.problem, self.problem.space.scaled(solved.x)
        levels = self._levels(solved.x)
        z = np.concatenate([u, levels])
        working = np.argwhere(self._slack(z) < within)
        _, slopes = self._working_rows(u, levels, working)
        of = problem.sides.of[working[:, 1]]
        _, once = np.unique(np.column_stack([of, slopes]), axis=0, return_index=True)
        _, falls = self._objectives(u, levels)
        required = [*(one.name for one in problem.requirements), *("" for _ in levels)]
        names, rows = [required[k] for k in of[once]], [*slopes[once]]
        for k, name in enumerate(problem.space.names):
            for which, sign, at in (("minimum", 1.0, u[k]), ("maximum", -1.0, 1.0 - u[k])):
                if at < within:
                    names.append(f"{name}, its {which}")
                    rows.append(sign * np.eye(len(z))[k])
        names += [""] * len(falls[1:])
        return names, np.array([*rows, *-falls[1:]]).reshape(-1, len(z)), falls[0]

    def _improved(self, z: Array, working: AnyArray, room: float) -> Array:
        """The solution of the program with the working set alone, within some room about z."""
        u, levels, more = self._split(z)
        bounds: list[tuple[float | None, float | None]]
        bounds = [(max(0.0, x - room), min(1.0, x + room)) for x in u.tolist()]
        bounds += [(None, None)] * len(levels)
        bounds += [(0.0 if self.goal.relaxed else None, None)] * len(more)

        @lru_cache(maxsize=1)
        def at(content: bytes) -> tuple[float, Array, Array, Array]:
            return self._evaluate(np.frombuffer(content), working)

        def part(k: int) -> Callable[[Array], Any]:
            return lambda z: at(z.tobytes())[k]

        how: dict[str, Any] = {"method": "SLSQP", "options": {"maxiter": STEPS, "ftol": PRECISION}}
        how["constraints"] = [{"type": "ineq", "fun": part(2), "jac": part(3)}]
        found = optimize.minimize(part(0), z, jac=part(1), bounds=bounds, **how)
        return np.asarray(found.x)

    def _split(self, z: Array) -> list[Array]:
        """Return shares u, levels t, and what the goal adds."""
        d, extremes = len(self.problem.space), len(self.problem.extremes)
        return np.split(z, [d, d + extremes])

    def _evaluate(self, z: Array, working: AnyArray) -> tuple[float, Array, Array, Array]:
        """Cost, its slopes, rows and their slopes."""
        problem, (u, levels, more) = self.problem, self._split(z)
        rows, slopes = self._working_rows(u, levels, working)
        relaxed, by_more = self.goal.relaxation(len(problem.requirements), more)
        of = problem.sides.of[working[:, 1]]
        required = of < len(problem.requirements)
        rows[required] += relaxed[of[required]]
        to_more = np.zeros((len(rows), len(more)))
        to_more[required] = by_more[of[required]]
        objectives, falls = self._objectives(u, levels)
        cost, by_z, by_own = self.goal.cost(objectives, falls, more)
        own, own_slopes, own_more = self.goal.rows(objectives, falls, more)
        return (
            cost if np.isfinite(cost) and (rows > _NOT_A_NUMBER).all() else _NOWHERE,
            np.nan_to_num(np.concatenate([by_z, by_own]), posinf=0.0, neginf=0.0),
            np.concatenate([rows, own]),
            np.block([[slopes, to_more], [own_slopes, own_more]]),
        )

    def _working_rows(self, u: Array, levels: Array, working: AnyArray) -> tuple[Array, Array]:
        """Slack (k) of sides in the working set, and its slopes by (u, t)."""
        problem, (state, side) = self.problem, working.T
        x, sides = problem.space.unscaled(u), problem.sides
        entry, sign, of = (part[side] for part in sides)
        states = tuple(part[state] for part in problem.states)
        weights = np.zeros((len(side), len(problem.labels)))
        weights[np.arange(len(side)), entry] = sign
        sizes = sign * problem.at(x, state)[np.arange(len(side)), entry]
        pulls = problem.pulled(x, states, weights)
        bound, unit = self._bounds(levels, of)
        known = np.isfinite(sizes) & np.isfinite(pulls).all(axis=-1)
        with np.errstate(invalid="ignore"):
            spare = np.where(of < len(problem.requirements), self.spare, SPARE)
            rows = np.where(known, (bound - sizes) / unit - spare, _NOT_A_NUMBER)
            by_u = np.where(known[:, None], -pulls * self._widths / unit[:, None], 0.0)
        by_level = np.zeros((len(side), len(levels)))
        extreme = of - len(problem.requirements)
        of_extremes = extreme >= 0
        by_level[of_extremes, extreme[of_extremes]] = 1.0
        return rows, np.concatenate([by_u, by_level], axis=1)

    def _bounds(self, levels: Array, of: AnyArray) -> tuple[Array, Array]:
        """Below what each side stays, and the unit of its slack."""
        problem = self.problem
        bounds = np.concatenate([problem.bounds, levels * self._level_units])
        units = np.concatenate([problem.units, self._level_units])
        return bounds[of], units[of]

    def _objectives(self, u: Array, levels: Array) -> tuple[Array, Array]:
        """Objectives (m) over their scales, and their slopes by (u, t)."""
        problem, d, taken = self.problem, len(u), 0
        x = problem.space.unscaled(u)
        values = np.zeros(len(problem.parts))
        slopes = np.zeros((len(problem.parts), d + len(levels)))
        for k, part in ((k, part) for k, parts in enumerate(problem.parts) for part in parts):
            if part.kind == "maximum":
                values[k] += levels[taken]
                slopes[k, d + taken] = 1.0
                taken += 1
            elif part.kind == "variable":
                share, own = part.sign / self.scale[k], problem.space.names.index(part.name)
                values[k] += share * x[own]
                slopes[k, own] += share * self._widths[own]
            elif part.kind == "simulated":
                value, pull = problem.simulations[part.name].with_slopes(x)
                values[k] += part.sign * value / self.scale[k]
                slopes[k, :d] += part.sign * pull * self._widths / self.scale[k]
            else:  # a mean over all states
                entry = problem.entries(part.name)[0]
                weights = part.weights(problem.seconds, problem.counted)
                rows = np.zeros((len(weights), len(problem.labels)))
                rows[:, entry] = weights
                pull = problem.pulled(x, problem.states, rows).sum(axis=0)
                values[k] += float(problem.at(x)[:, entry] @ weights) / self.scale[k]
                slopes[k, :d] += pull * self._widths / self.scale[k]
        return values, slopes

    def _failing(self, z: Array) -> tuple[AnyArray, float]:
        """Sides (k, 2) that fail or nearly do, the worst state of each; and how far one fails."""
        slack = self._slack(z)
        state, side = slack.argmin(axis=0), np.arange(slack.shape[1])
        least = slack[state, side]
        joining = least < NEAR
        worst = max(float(-least.min()), 0.0) if len(least) else 0.0
        return np.stack([state[joining], side[joining]], axis=1), worst

    def _slack(self, z: Array) -> Array:
        """(S, s) of every side in every state."""
        problem, (u, levels, more) = self.problem, self._split(z)
        sizes = problem.sizes(problem.at(problem.space.unscaled(u)))
        bound, unit = self._bounds(levels, problem.sides.of)
        relaxed, _ = self.goal.relaxation(len(problem.requirements), more)
        room = np.concatenate([relaxed, np.zeros(len(levels))])[problem.sides.of]
        slack = (bound - sizes) / unit + room
        return np.where(np.isnan(slack), _NOT_A_NUMBER, slack)

    def _levels(self, x: Array) -> Array:
        """Return the extremes at a design, in their units."""
        if not self.problem.extremes:
            return np.zeros(0)
        sizes = self.problem.sizes(self.problem.at(x))
        known = np.where(np.isfinite(sizes), sizes, -_NOWHERE).max(axis=0)
        of = self.problem.sides.of - len(self.problem.requirements)
        found = [known[of == k].max() for k in range(len(self.problem.extremes))]
        return np.asarray(np.array(found) / self._level_units)

    def _first_more(self, x: Array) -> Array:
        """Return initial values of the goal's variables: so large that all rows hold."""
        goal = self.goal
        if goal.relaxed:
            known = np.nan_to_num(-self.problem.evaluated(x[None]).slack[0], posinf=_MOST_RELAXED)
            return np.asarray(np.clip(known, 0.0, _MOST_RELAXED))
        if len(goal.point):
            objectives, _ = self._objectives(self.problem.space.scaled(x), self._levels(x))
            return np.array([((objectives - goal.point) / goal.direction).max()])
        return np.zeros(0)

    def _solution(self, z: Array, violation: float) -> Solved:
        u, _, more = self._split(z)
        x = self.problem.space.unscaled(np.clip(u, 0.0, 1.0))
        objectives, slopes = self._objectives(self.problem.space.scaled(x), self._levels(x))
        cost, *_ = self.goal.cost(objectives, slopes, more)
        if not np.isfinite(cost):
            cost, violation = _NOWHERE, max(violation, -_NOT_A_NUMBER)
        return Solved(x, more, cost, violation)

    @cached_property
    def _widths(self) -> Array:
        return np.asarray(self.problem.space.high - self.problem.space.low)

    @cached_property
    def _level_units(self) -> Array:
        """(E) by which levels are measured: the scale of their objective."""
        own = zip(self.scale, self.problem.parts, strict=True)
        return np.array([x for x, parts in own for part in parts if part.kind == "maximum"])


def _rank(solved: Solved) -> tuple[float, float]:
    """Those that hold first, then the cheaper ones."""
    return (max(solved.violation - 10 * SPARE, 0.0), solved.cost)
