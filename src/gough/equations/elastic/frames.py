"""Elastic base and platform frames, in series with the legs.

A frame that is given by a 6x6 displaces all of its joints together. One that is condensed to its
joints displaces each of them by itself: the relative displacements of both frames' joints, three
components a leg, are coordinates of the stiffness until `on_frames` eliminates them. Inertial
forces of what moves inside the legs do not load the frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, position, rotation, skew


@dataclass(frozen=True)
class JointMotion:
    """Motion of a platform joint relative to its base joint, by the coordinates of a stiffness."""

    way: Value
    """(3xn)"""
    turn: Value
    """(3xn), a rotation vector."""


def joint_motion(machine: ExtensibleLegs, leg: int, arm: Value) -> JointMotion:
    """Return the motion of the joint at the end of an arm, by the platform's displacement (6).

    If a frame is condensed to its joints, also by the elastic displacement of those of each leg
    (3). Only forces deform it: a joint turns with the platform.
    """
    displaced = [ca.DM.eye(3) if other == leg else ca.DM(3, 3) for other in _loose(machine)]
    return JointMotion(
        ca.horzcat(ca.DM.eye(3), -skew(arm), *displaced),
        ca.horzcat(ca.DM(3, 3), ca.DM.eye(3), *(ca.DM(3, 3) for _ in displaced)),
    )


def on_frames(machine: ExtensibleLegs, pose: Value, K: Value, pushes: Sequence[Value]) -> Value:
    """Return the stiffness K of the legs, and of what moves in them, between elastic frames.

    The first six coordinates of K are the platform's, the next those of joints with displacements
    of their own. `pushes` are the legs' forces [N] on the platform joints, before displacement.
    """
    if _loose(machine):
        K = _on_joints(machine, pose, K, pushes)
    C = _of_whole_frames(machine, pose)
    if C is None:
        return K
    by_platform = K[:, 0:6]
    return K - by_platform @ C @ solve(ca.DM.eye(6) + K[0:6, 0:6] @ C, by_platform.T)


def _on_joints(machine: ExtensibleLegs, pose: Value, K: Value, pushes: Sequence[Value]) -> Value:
    """Return K without the joints' coordinates y, which minimise the energy of legs and frames.

    The platform's part C_p of the frames' compliance C turns with it. Forces of the legs before
    displacement do not, and so deform it further, by -P z as the other coordinates z change. With
    the forces φ that deform both frames

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


def _of_whole_frames(machine: ExtensibleLegs, pose: Value) -> Value | None:
    """Compliance at the platform's origin (6x6), in base axes, of frames that keep their shape."""
    found = []
    if machine.flexible_base is not None and not _condensed(machine.flexible_base):
        carried = ca.DM.eye(6) + ca.SX(6, 6)
        carried[0:3, 3:6] = -skew(position(pose))
        found.append(carried @ machine.flexible_base @ carried.T)
    if machine.flexible_platform is not None and not _condensed(machine.flexible_platform):
        found.append(_in_base_axes(machine.flexible_platform, pose))
    return sum(found[1:], found[0]) if found else None


def _of_base_joints(machine: ExtensibleLegs, count: int) -> Value:
    """Compliance at the base's joints, of a base that does not keep its shape."""
    C = machine.flexible_base
    return C if C is not None and _condensed(C) else ca.DM(count, count)


def _of_platform_joints(machine: ExtensibleLegs, pose: Value, count: int) -> Value:
    """Return the compliance of the platform's joints, its frame fixed, in base axes."""
    C = machine.flexible_platform
    return _in_base_axes(C, pose) if C is not None and _condensed(C) else ca.DM(count, count)


def _loose(machine: ExtensibleLegs) -> range:
    """Return the legs whose joints have elastic displacements of their own."""
    given = (machine.flexible_base, machine.flexible_platform)
    return range(len(machine.legs) if any(map(_condensed, given)) else 0)


def _condensed(compliance: Value | None) -> bool:
    """Whether a frame's compliance is that of its joints."""
    return compliance is not None and compliance.shape[0] > 6


def _in_base_axes(C: Value, pose: Value) -> Value:
    """A matrix of vectors in the platform's axes."""
    R = ca.diagcat(*[rotation(pose)] * (C.shape[0] // 3))
    return R @ C @ R.T
