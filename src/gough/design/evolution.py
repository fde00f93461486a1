"""Evolution of designs, as shares of their ranges: whole generations are evaluated at once.

For one objective by SciPy's differential evolution, for a front by pymoo's genetic algorithms.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np
from scipy import optimize

from gough.arrays import Array
from gough.design.problem import Evaluation
from gough.errors import needing
from gough.one_thread import one_thread
from gough.progress import progress_bar

MEMBERS = 10
"""Designs that evolve for one objective, for each variable."""
_TITLE = "Generations"


def evolved(
    costs: Callable[[Array], Array], ranked: Array, generations: int, generator: np.random.Generator
) -> Array:
    """Return what the best of ranked designs become by their costs (N), the best first."""
    members = ranked[: MEMBERS * ranked.shape[1]]
    with one_thread(), progress_bar(_TITLE, generations) as done:
        found = optimize.differential_evolution(
            lambda shares: costs(shares.T),
            [(0.0, 1.0)] * ranked.shape[1],
            init=members,
            vectorized=True,
            updating="deferred",
            maxiter=generations,
            tol=0.0,
            polish=False,
            rng=generator,
            callback=lambda intermediate_result: done(1),
        )
    return np.asarray(found.population[np.argsort(found.population_energies, kind="stable")])


def evolved_front(
    judged: Callable[[Array], Evaluation], drawn: Array, generations: int, seed: int
) -> Array:
    """Return designs (n, d) evolved from samples (N, d) towards a front; pymoo does it.

    Slack and objectives that are evaluated must be finite.
    """
    with needing("pymoo", "design", "generations of a front"):
        from gough.design.nsga import Generations  # noqa: PLC0415  (not everybody has pymoo)
    with one_thread(), progress_bar(_TITLE, generations) as done:
        population = Generations(judged, drawn, seed)
        for _ in range(generations):
            population.advance()
            done(1)
    return population.members


def steps_for(count: int, points: int) -> int:
    """Return the number of steps between 0 and 1 for a minimum number of lattice points."""
    steps = 1
    while comb(steps + count - 1, count - 1) < points:
        steps += 1
    return steps


def lattice(count: int, steps: int) -> Array:
    """Return all shares (points, count) that sum to one and are whole numbers of steps."""
    bars = combinations(range(1, steps + count), count - 1)
    return np.array([np.diff([0, *bar, steps + count]) - 1 for bar in bars]) / steps
