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
        """The same in words."""
        return _MEANINGS[self]


_MEANINGS = {
    Status.NO_CONVERGENCE: "no pose found: the iteration did not end",
    Status.CONVERGED: "a pose with these leg lengths",
    Status.SINGULAR: "no pose given: the Jacobian is singular at the start or where it led",
    Status.IMPOSSIBLE_LENGTHS: "no pose has these leg lengths",
    Status.OUTSIDE_STROKE: "a pose with these leg lengths, which are outside the strokes",
    Status.OTHER_ASPECT: "a pose with these leg lengths, but behind a singularity from the start",
    Status.UNCERTAIN: "a pose with these leg lengths, but maybe of another assembly mode: the path "
    "came too near a singularity, or leapt",
}
