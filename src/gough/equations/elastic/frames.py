"""Base and platform that yield themselves, in series with the legs.

A frame that is given by a 6x6 moves all of its joints together. One that is condensed to its joints
lets each of them move by itself: what joints of both frames yield against each other, three ways a
leg, are coordinates of the stiffness until `on_frames` takes them out. What moves inside the legs
does not load the frames by its inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, position, rotation, skew


@dataclass(frozen=True)
class JointMotion:
    """How a platform joint moves against its base joint, by the coordinates of a stiffness."""

    way: Value
    """(3xn)"""
    turn: Value
    """(3xn), a rotation vector."""


def joint_motion(machine: Machine, leg: int, arm: Value) -> JointMotion:
    """Of the joint at the end of an arm, by the platform's displacement (6).

    If a frame is condensed to its joints, also by what those of each leg yield (3). Only forces
    deform it: a joint turns as the platform does.
    """
    yielding = [ca.DM.eye(3) if other == leg else ca.DM(3, 3) for other in _loose(machine)]
    return JointMotion(
        ca.horzcat(ca.DM.eye(3), -skew(arm), *yielding),
        ca.horzcat(ca.DM(3, 3), ca.DM.eye(3), *(ca.DM(3, 3) for _ in yielding)),
    )


def on_frames(machine: Machine, pose: Value, K: Value, pushes: Sequence[Value]) -> Value:
    """The stiffness K of the legs, and of what moves in them, between frames that yield.

    Of K's coordinates the first six are the platform's, the next those of joints that yield by
    themselves. The legs push the platform joints by these forces [N], before all displacements.
    """
    if _loose(machine):
        K = _on_joints(machine, pose, K, pushes)
    C = _of_whole_frames(machine, pose)
    if C is None:
        return K
    by_platform = K[:, 0:6]
    return K - by_platform @ C @ solve(ca.DM.eye(6) + K[0:6, 0:6] @ C, by_platform.T)


def _on_joints(machine: Machine, pose: Value, K: Value, pushes: Sequence[Value]) -> Value:
    """K without the joints' coordinates y: where the energy of legs and frames is least.

    Of the frames' compliance C the platform's own, C_p, turns with it. Forces of the legs that were
    there before do not, and so deform it anew, by -P z as the other coordinates z change. With the
    forces φ that deform both frames

        y = -C φ - P z,  φ = Bᵀ z + H y
    """
    count = 3 * len(machine.legs)
    y = [*range(6, 6 + count)]
    z = [i for i in range(K.shape[0]) if i not in y]
    B, H = K[z, y], K[y, y]
    X: Value = ca.SX(len(z), count)
    X[3:6, :] = ca.horzcat(*map(skew, pushes))
    C_p = _of_platform_joints(machine, pose, count)
    C = _of_base_joints(machine, count) + C_p
    P = C_p @ X.T
    phi = solve(ca.DM.eye(count) + H @ C, B.T - H @ P)
    return K[z, z] - B @ (C @ phi + P) - P.T @ (phi + X.T)


def _of_whole_frames(machine: Machine, pose: Value) -> Value | None:
    """Compliance at the platform's origin (6x6), in base axes, of frames that keep their shape."""
    found = []
    if machine.flexible_base is not None and not _condensed(machine.flexible_base):
        carried = ca.DM.eye(6) + ca.SX(6, 6)
        carried[0:3, 3:6] = -skew(position(pose))
        found.append(carried @ machine.flexible_base @ carried.T)
    if machine.flexible_platform is not None and not _condensed(machine.flexible_platform):
        found.append(_in_base_axes(machine.flexible_platform, pose))
    return sum(found[1:], found[0]) if found else None


def _of_base_joints(machine: Machine, count: int) -> Value:
    """Compliance at the base's joints, of a base that does not keep its shape."""
    C = machine.flexible_base
    return C if _condensed(C) else ca.DM(count, count)


def _of_platform_joints(machine: Machine, pose: Value, count: int) -> Value:
    """The same of the platform, whose frame is held, in base axes."""
    C = machine.flexible_platform
    return _in_base_axes(C, pose) if _condensed(C) else ca.DM(count, count)


def _loose(machine: Machine) -> range:
    """The legs, if joints yield by themselves."""
    given = (machine.flexible_base, machine.flexible_platform)
    return range(len(machine.legs) if any(map(_condensed, given)) else 0)


def _condensed(compliance: Value | None) -> bool:
    """Whether a frame's compliance is that of its joints."""
    return compliance is not None and compliance.shape[0] > 6


def _in_base_axes(C: Value, pose: Value) -> Value:
    """A matrix of vectors in the platform's axes."""
    R = ca.diagcat(*[rotation(pose)] * (C.shape[0] // 3))
    return R @ C @ R.T
