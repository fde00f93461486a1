"""The dynamics of extensible legs, derived in four ways and approximated in two.

A fifth derivation, the recursive one, is that of all machines: `equations.forces.dynamics`.
"""

from functools import partial

from gough.equations.dynamics import kane, lagrange, newton_euler, virtual_work
from gough.equations.dynamics.formulation import Formulation
from gough.equations.usual_formulations import DEFAULT_FORMULATION

FORMULATIONS = {
    "newton-euler": Formulation(
        newton_euler.required_forces,
        newton_euler.mass_matrix,
        newton_euler.coriolis_matrix,
        newton_euler.forward_dynamics,
    ),
    "lagrange": Formulation(
        lagrange.required_forces, lagrange.mass_matrix, lagrange.coriolis_matrix
    ),
    "virtual-work": Formulation(virtual_work.required_forces, virtual_work.mass_matrix),
    "kane": Formulation(
        kane.required_forces, kane.mass_matrix, newton_euler.coriolis_matrix, kane.forward_dynamics
    ),
    "point-mass-legs": Formulation(
        partial(lagrange.required_forces, legs=lagrange.one_point_mass),
        partial(lagrange.mass_matrix, legs=lagrange.one_point_mass),
        partial(lagrange.coriolis_matrix, legs=lagrange.one_point_mass),
        approximation="each leg is one point mass",
    ),
    "gravity-only-legs": Formulation(
        partial(lagrange.required_forces, legs=lagrange.weight_alone),
        partial(lagrange.mass_matrix, legs=lagrange.weight_alone),
        partial(lagrange.coriolis_matrix, legs=lagrange.weight_alone),
        approximation="legs have weight and no inertia",
    ),
}
"""By name. Kane makes no Coriolis matrix; it has that of Newton-Euler. Legs as point masses are the
approximation of Bingul 2012, those with weight alone that of Baiges 1996."""
default = FORMULATIONS[DEFAULT_FORMULATION]


def approximation_of(formulation: str | None) -> str:
    """Return how a formulation approximates legs; empty if it does not."""
    return FORMULATIONS[formulation].approximation if formulation in FORMULATIONS else ""
