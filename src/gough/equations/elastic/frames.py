"""Base and platform that yield themselves, in series with the legs.

Only elastic forces pass: that legs turn a little with a base that gives way changes neither their
forces nor their weights. What moves inside the legs does not load the frames by its inertia.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, position, rotation, skew


def on_frames(machine: Machine, pose: Value, K: Value) -> Value:
    """The stiffness K of the legs, and of what moves in them, between frames that yield.

    Of K's coordinates the first six are the platform's.
    """
    C = _compliance(machine, pose)
    if C is None:
        return K
    by_platform = K[:, 0:6]
    return K - by_platform @ C @ solve(ca.DM.eye(6) + K[0:6, 0:6] @ C, by_platform.T)


def _compliance(machine: Machine, pose: Value) -> Value | None:
    """Of both frames at the platform's origin (6x6), in base axes; None if both are rigid."""
    found = []
    if machine.flexible_base is not None:
        carried = _block(ca.DM.eye(3), -skew(position(pose)), ca.DM.eye(3))
        found.append(carried @ machine.flexible_base @ carried.T)
    if machine.flexible_platform is not None:
        turned = _block(rotation(pose), ca.DM.zeros(3, 3), rotation(pose))
        found.append(turned @ machine.flexible_platform @ turned.T)
    return sum(found[1:], found[0]) if found else None


def _block(first: Value, beside: Value, second: Value) -> Value:
    return ca.blockcat([[first, beside], [ca.DM.zeros(3, 3), second]])
