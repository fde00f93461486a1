"""Names of derivations of the dynamics: of `dynamics.FORMULATIONS`, and of the general one."""

DEFAULT_FORMULATION = "newton-euler"
"""Default formulation of hexapods: its inverse dynamics takes the fewest operations."""
GENERAL_FORMULATION = "recursive"  # that of every machine: see `equations.forces`
ON_MOVING_BASE = "recursive, on a moving base"
"""The general one with the motion of the base: see `equations.forces.moving_base`."""
FORMULATION_NAMES = (
    DEFAULT_FORMULATION, "lagrange", "virtual-work", "kane", GENERAL_FORMULATION, "point-mass-legs",
    "gravity-only-legs",
)  # fmt: skip
"""All that machines with extensible legs have, the default first."""
