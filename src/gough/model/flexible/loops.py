"""Rows that close the loops of a machine with links that bend, and do not repeat each other.

Those of a loop in a plane that nothing can leave do. A machine may be special where it is drawn:
it is decided on states near home, assembled with all links straight.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.remembered import remembered
from gough.equations.flexible.dynamics import closing_rows, gaps
from gough.equations.flexible.joints import Slide
from gough.equations.flexible.machine import Machine
from gough.model.flexible.spanning import Beams, spanned
from gough.model.mechanism.drawing import drawn
from gough.model.mechanism.independence import independent_rows
from gough.model.mechanism.samples import CLOSED, SAMPLES, STRAY, null_space
from gough.robot import Mechanism

_STEPS = 25


@remembered
def loop_rows(mechanism: Mechanism, beams: Beams) -> tuple[int, ...]:
    """Rows that say all that closes the loops, at home and near it."""
    machine, size = spanned(mechanism, beams).machine, drawn(mechanism).size
    return tuple(independent_rows(list(_assembled_rows(machine, size)))) if machine.gaps else ()


def _assembled_rows(machine: Machine, size: float) -> Iterator[Array]:
    """All rows at home, and at random states with straight links that Newton's method closes."""
    z, count = ca.SX.sym("z", machine.size), len(machine.joints)
    closing = ca.Function("closing", [z], [gaps(machine, z), closing_rows(machine, z)])
    slides = [isinstance(machine.links[k].joint, Slide) for k in machine.joints]
    scales, rng = np.where(slides, size, 1.0), np.random.default_rng(1)
    home = np.array(machine.at_home, dtype=float)
    C = np.array(closing(home)[1])
    yield C
    N = null_space(C[:, :count] * scales)
    for _ in range(SAMPLES):
        at, step = home.copy(), N @ rng.standard_normal(N.shape[1])
        at[:count] += STRAY * scales * step / (np.abs(step).max(initial=0.0) or 1.0)
        for _ in range(_STEPS):
            gap, C = map(np.array, closing(at))
            if np.abs(gap).max() < CLOSED * size:
                yield C
                break
            rows = C[:, :count] * scales
            at[:count] -= scales * np.linalg.lstsq(rows, gap.ravel(), rcond=1e-9)[0]
