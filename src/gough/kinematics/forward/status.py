"""Status of a search for a pose."""

from dataclasses import dataclass
from enum import IntEnum

STRIDE = 0.3
"""Maximum step: it limits the first of Newton's steps, and does not affect the last ones."""
AT_MOST = 30
"""Maximum number of steps: enough if each step halves the error, as near a singularity."""


class Status(IntEnum):
    """Status of a search for a pose.

    >>> import gough
    >>> gough.Status(1)
    <Status.CONVERGED: 1>
    """

    NO_CONVERGENCE = 0
    CONVERGED = 1
    SINGULAR = 2
    IMPOSSIBLE_LENGTHS = 3
    OUTSIDE_STROKE = 4
    OTHER_ASPECT = 5
    UNCERTAIN = 6

    @property
    def meaning(self) -> str:
        """Status in words, for all kinds of robots."""
        return self.of("positions of the actuators", "their ranges")

    def of(self, positions: str, travels: str) -> str:
        """Return the status in words, with these terms for the actuators' positions and travels."""
        return _MEANINGS[self].format(positions=positions, travels=travels)


_MEANINGS = {
    Status.NO_CONVERGENCE: "no pose found: the iteration did not converge",
    Status.CONVERGED: "a pose with these {positions}",
    Status.SINGULAR: "no pose given: the Jacobian is singular at the start or where it led",
    Status.IMPOSSIBLE_LENGTHS: "no pose has these {positions}",
    Status.OUTSIDE_STROKE: "a pose with these {positions}, which are outside {travels}",
    Status.OTHER_ASPECT: "a pose with these {positions}, but behind a singularity from the start",
    Status.UNCERTAIN: "a pose with these {positions}, but maybe of another assembly mode: the path "
    "came too near a singularity, or jumped",
}


@dataclass(frozen=True)
class Precision:
    """Numerical tolerances. Lengths are in sizes of the machine, angles in radians."""

    tolerance: float
    """Maximum last step: it leaves a residual of the order of its square, rounding error."""
    degenerate: float
    """Pivot of J (lengths over the machine's size) below which a step is only rounding error."""
    singular: float
    """Pivot below which a pose is not determined by q to half of the digits."""
    slack: float
    """Accepted violation of a bound by q: above rounding, below backlash."""


DOUBLE = Precision(tolerance=1e-8, degenerate=1e-12, singular=1e-7, slack=1e-9)
SINGLE = Precision(tolerance=1e-4, degenerate=3e-6, singular=1e-3, slack=1e-5)
