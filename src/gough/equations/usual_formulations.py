"""By which derivation the dynamics are made if nobody says: a name of `dynamics.FORMULATIONS`."""

DEFAULT_FORMULATION = "newton-euler"
"""Of hexapods: the one whose inverse dynamics takes the fewest operations."""
GENERAL_FORMULATION = "recursive"
"""Of machines of any kind, which have no other: see `equations.mechanism`."""
