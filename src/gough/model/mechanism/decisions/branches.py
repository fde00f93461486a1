"""Branches of a machine at home: all configurations in which its legs are closed there."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.closure.assembled import posture_at
from gough.equations.closure.closing import cosines
from gough.equations.closure.constraint_rows import PlatformPlacement, row_gaps
from gough.equations.machine import Leg, Machine
from gough.equations.tree.joints import Prismatic, Revolute
from gough.errors import RobotError
from gough.model.mechanism.decisions.samples import row_function

CLOSED = 1e-9
"""Gaps of a leg [m, rad] below which it is closed."""
STARTS = 100
"""Random starts of the search for configurations of a leg without a closed form."""
_STEPS = 50
_LONGEST = 0.5
"""Maximum step of the search [rad, machine sizes]."""
_SAME = 1e-6
"""Configurations that differ by less [rad, machine sizes] are one."""
_REGULAR = 1e-6
"""Minimum singular value of the rows of a configuration that stands alone."""


def is_closed(leg: Leg, home: PlatformPlacement, q: Array) -> bool:
    """Whether a leg is closed at home with these joint positions, no axis reversed."""
    if not np.isfinite(q).all():
        return False
    at = posture_at(leg, ca.DM(q), home.position, home.rotation)
    turned = [cosine for held in at.cuts for cosine in cosines(held, home)]
    found = [float(ca.DM(ca.SX(x))) for x in (*row_gaps(at.cuts), *(1 - c for c in turned))]
    return bool(np.abs(found).max(initial=0.0) < CLOSED)


def closed_at_home(
    leg: Leg, home: PlatformPlacement, size: float
) -> dict[tuple[int, ...], tuple[float, ...]]:
    """Configurations that close a leg at home, by number: its own is 1, then the nearest first.

    Newton's method from random joint positions: it is not proved that there are no others.
    """
    own = np.array([float(joint.at_home) for joint in leg.joints])
    scales = np.array([size if isinstance(joint, Prismatic) else 1.0 for joint in leg.joints])
    hinges = np.array([type(joint) is Revolute for joint in leg.joints])
    place, rng = (ca.DM(home.position), ca.DM(home.rotation)), np.random.default_rng(1)
    function, found = row_function(leg), list[Array]()
    for _ in range(STARTS):
        q, gap = own + scales * rng.uniform(-np.pi, np.pi, len(own)), np.array(np.inf)
        for _ in range(_STEPS):
            A, _, gap, *_ = (np.array(x) for x in function.call([q, *place]))
            step = np.linalg.lstsq(A * scales, gap.ravel(), rcond=1e-12)[0]
            q = q + scales * step * min(1.0, _LONGEST / (np.abs(step).max() or 1.0))
            if np.abs(step).max() < CLOSED:
                break
        q = own + np.where(hinges, np.angle(np.exp(1j * (q - own))), q - own)
        alone = np.linalg.svd(A * scales, compute_uv=False).min() > _REGULAR
        new = all(np.abs((q - other) / scales).max() > _SAME for other in (own, *found))
        if alone and new and is_closed(leg, home, q):
            found.append(q)
    found.sort(key=lambda q: float(np.linalg.norm((q - own) / scales)))
    return {(k,): tuple(q.tolist()) for k, q in enumerate([own, *found], 1)}


def joints_at_home(machine: Machine, branch: tuple[int, ...]) -> list[Array | None]:
    """Positions of each leg's joints at home [rad, m] on a branch; RobotError if it has none."""
    count = machine.own_numbers[-1].stop
    if len(branch) != count:
        expected = f"{count}, one for each solution to choose" if count else "no branch"
        problem = f"{len(branch)} numbers"
        raise RobotError(problem, key="branch", value=list(branch), expected=expected)
    found: list[Array | None] = []
    for leg, own in zip(machine.legs, machine.own_numbers, strict=True):
        known: Mapping[tuple[int, ...], tuple[float, ...]] = {(): ()}
        if leg.branches is not None:
            known = leg.branches.at_home()
        if branch[own] not in known:
            listed = " or ".join(str(list(numbers)) for numbers in known)
            raise RobotError(
                f"{list(branch[own])} does not close its leg at home",
                key=f"branch[{own.start}]",
                expected=listed,
            )
        found.append(np.array(known[branch[own]]) if leg.branches else None)
    return found
