"""Designs that evolve, as shares of their ranges: whole generations are judged at once.

For one objective by SciPy's differential evolution, for a front by pymoo's genetic algorithms.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import optimize

from gough.arrays import Array
from gough.design.problem import Judged
from gough.errors import needing
from gough.kinematics.progress import progress_bar
from gough.one_thread import one_thread

MEMBERS = 10
"""Designs that evolve for one objective, for each variable."""
_TITLE = "Generations"


def evolved(
    costs: Callable[[Array], Array], ranked: Array, generations: int, generator: np.random.Generator
) -> Array:
    """What the best of ranked designs become by their costs (N), the best first."""
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
    judged: Callable[[Array], Judged], drawn: Array, generations: int, seed: int
) -> Array:
    """What drawn designs (N, d) become that approach a front, (n, d); pymoo does it.

    Slack and objectives that are judged must be finite.
    """
    with needing("pymoo", "design", "generations of a front"):
        from gough.design.nsga import Generations  # noqa: PLC0415  (not everybody has pymoo)
    with one_thread(), progress_bar(_TITLE, generations) as done:
        population = Generations(judged, drawn, seed)
        for _ in range(generations):
            population.advance()
            done(1)
    return population.members
