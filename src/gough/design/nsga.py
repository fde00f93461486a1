"""Generations of designs that approach a front in all its pieces: pymoo's NSGA-II and NSGA-III.

Deb, Pratap, Agarwal, Meyarivan: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE
Transactions on Evolutionary Computation 6 (2002); for two objectives.
Deb, Jain: An evolutionary many-objective optimization algorithm using reference-point-based
nondominated sorting approach, IEEE Transactions on Evolutionary Computation 18 (2014); for more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.core.problem import Problem

from gough.arrays import Array
from gough.design.evolution import lattice, steps_for
from gough.design.problem import Evaluation

MEMBERS = 100
"""Number of designs in a generation; with three or more objectives the minimum."""


class Generations:
    """Drawn designs (N, d), shares of their ranges, and what becomes of them."""

    def __init__(self, judged: Callable[[Array], Evaluation], drawn: Array, seed: int) -> None:
        requirements, objectives = (part.shape[1] for part in judged(drawn[:1]))
        problem = _Batches(judged, drawn.shape[1], requirements, objectives)
        self._algorithm = _algorithm(objectives, drawn)
        self._algorithm.setup(problem, seed=seed, termination=("n_gen", np.inf))
        self.advance()  # which judges those that were drawn

    def advance(self) -> None:
        """One generation more."""
        self._algorithm.next()

    @property
    def members(self) -> Array:
        """(n, d) of the last generation."""
        return np.asarray(self._algorithm.pop.get("X"))


class _Batches(Problem):  # type: ignore[misc]  # pymoo has no types
    """Whole generations, each evaluated by one call."""

    def __init__(
        self,
        judged: Callable[[Array], Evaluation],
        variables: int,
        requirements: int,
        objectives: int,
    ) -> None:
        super().__init__(variables, objectives, requirements, xl=0.0, xu=1.0)
        self._judged = judged

    def _evaluate(self, x: Array, out: dict[str, Array], *_: Any, **__: Any) -> None:
        slack, out["F"] = self._judged(x)
        out["G"] = -slack


def _algorithm(objectives: int, drawn: Array) -> Any:
    if objectives == 2:
        return NSGA2(MEMBERS, sampling=drawn)
    return NSGA3(lattice(objectives, steps_for(objectives, MEMBERS)), sampling=drawn)
