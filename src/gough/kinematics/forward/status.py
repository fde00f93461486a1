"""How a search for a pose ended."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How the search for a pose ended."""

    NO_CONVERGENCE = 0
    CONVERGED = 1
    SINGULAR = 2
    IMPOSSIBLE_LENGTHS = 3
    OUTSIDE_STROKE = 4
    OTHER_ASPECT = 5
    UNCERTAIN = 6

    @property
    def meaning(self) -> str:
        """The same in words, of any machine."""
        return self.of("positions of the actuators", "their ranges")

    def of(self, positions: str, travels: str) -> str:
        """The same in words, where positions and travels of the actuators are called so."""
        return _MEANINGS[self].format(positions=positions, travels=travels)


_MEANINGS = {
    Status.NO_CONVERGENCE: "no pose found: the iteration did not end",
    Status.CONVERGED: "a pose with these {positions}",
    Status.SINGULAR: "no pose given: the Jacobian is singular at the start or where it led",
    Status.IMPOSSIBLE_LENGTHS: "no pose has these {positions}",
    Status.OUTSIDE_STROKE: "a pose with these {positions}, which are outside {travels}",
    Status.OTHER_ASPECT: "a pose with these {positions}, but behind a singularity from the start",
    Status.UNCERTAIN: "a pose with these {positions}, but maybe of another assembly mode: the path "
    "came too near a singularity, or leapt",
}
