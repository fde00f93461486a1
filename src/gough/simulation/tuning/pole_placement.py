"""Gains by pole placement on the linearised machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.equations.actuators.drive import Drive, reflected_damping, reflected_mass
from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.model.actuators import drives_of
from gough.simulation.arguments import not_negative, positive
from gough.simulation.controllers import (
    Controller,
    computed_torque,
    feed_forward,
    joint_pid,
    pd_gravity,
)
from gough.simulation.tuning.moves import moves_at

TUNABLE = ("joint-pid", "pd-gravity", "feed-forward", "computed-torque", "computed-torque-task")


def place_poles(
    model: Model,
    kind: str,
    frequency: float,
    *,
    damping: float = 1.0,
    integral_rate: float = 0.0,
    pose: Any = None,
    drives: bool = False,
) -> Controller:
    """A controller with which all freedoms of the platform near a pose have the same poles.

    They are those of s² + 2 ζ ω s + ω², with ω = `frequency` [rad/s] and ζ = `damping`. A joint-pid
    has one more at -`integral_rate` [1/s]; where that is zero it has no integral part. Exact for
    continuous control of the linearised machine: sampling and delay move them, see `margins`. Gains
    of the actuators are matrices, as the machine couples them. The pose is the home pose unless
    stated. The machine must have as many actuators as freedoms.

    With `drives` the poles are those of the machine on its drives, told forces (`force_commanded`):
    the drives' inertia and viscous friction count, and feed-forward and computed torque know them.
    Dry friction and the drives' efficiency count for nothing here: they have no derivative to place
    poles with.
    """
    if kind not in TUNABLE:
        raise GoughError(f"cannot tune {kind!r}; expected one of {', '.join(TUNABLE)}")
    w, z = positive("frequency", frequency), positive("damping", damping)
    p = not_negative("integral rate", integral_rate)
    _check_actuators(model)
    _check_inertia(model)
    known = drives_of(model.robot) if drives else None
    if kind.startswith("computed-torque"):
        space = "task" if kind.endswith("task") else "joint"
        return computed_torque(w * w, 2 * z * w, space=space, drives=drives)
    at = np.array(model.robot.home if pose is None else pose, dtype=float)
    # (s + p)(s² + 2 ζ ω s + ω²) = s³ + a_2 s² + a_1 s + a_0
    p = p if kind == "joint-pid" else 0.0
    a_2, a_1, a_0 = 2 * z * w + p, w * w + 2 * z * w * p, w * w * p
    by_pose, by_twist, by_force, J = _linear_machine(model, at, known)
    if kind == "pd-gravity":
        by_pose = np.zeros_like(by_pose)  # the law takes the weights off wherever the platform is
    with np.errstate(all="ignore"):
        kp, kd, ki = (
            np.linalg.solve(by_force, a * np.eye(len(J)) + by) @ np.linalg.inv(J)
            for a, by in ((a_1, by_pose), (a_2, by_twist), (a_0, 0.0))
        )
    if not np.isfinite([kp, kd, ki]).all():
        raise GoughError(
            f"{model.robot.name}: gains for poles of {w:g} rad/s are beyond all numbers; expected "
            "a lower frequency, damping or gravity"
        )
    if kind == "joint-pid":
        return joint_pid(kp, kd, ki)
    return pd_gravity(kp, kd) if kind == "pd-gravity" else feed_forward(kp, kd, drives=drives)


def _check_actuators(model: Model) -> None:
    """Refuse a machine whose gains its poles do not determine."""
    structure = model.structure
    if not structure.determined:
        raise GoughError(
            f"{model.robot.name}: {structure.actuators} actuators share "
            f"{len(structure.freedoms)} freedoms, so poles do not determine gains; expected as "
            "many actuators as freedoms, or gains of your own"
        )


def _check_inertia(model: Model) -> None:
    """Refuse a machine that some force would accelerate without bound."""
    robot = model.robot
    M = model.mass_matrix(np.array(robot.home))
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    if not scale.all() or np.linalg.cond(M / np.outer(scale, scale)) > 1e12:
        raise GoughError(
            f"{robot.name}: no inertia against some motion of the platform; expected a robot "
            "with masses and inertias (platform.mass, platform.inertia)"
        )


def _linear_machine(
    model: Model, pose: Array, drives: Sequence[Drive] | None
) -> tuple[Array, Array, Array, Array]:
    """Derivatives of u̇ by displacement, u and force, at rest; and J of q̇ = J u."""
    force = model.checked_inverse_dynamics(pose)
    A, B = model.linearize(pose, np.zeros(6), force, np.zeros(6))
    n, J = len(A) // 2, model.jacobian(pose) @ moves_at(model.robot, pose)
    by_pose, by_twist, by_force = A[n:, :n], A[n:, n:], B[n:]
    if drives is None:
        return by_pose, by_twist, by_force, J
    m_r, b = (np.diag([float(of(d)) for d in drives]) for of in (reflected_mass, reflected_damping))
    # bodies: M u̇ = r(pose, u, force); with drives: (M + Jᵀ m_r J) u̇ = r - Jᵀ b J u
    M = model.mass_matrix(pose)
    M_t = M + J.T @ m_r @ J
    shared = np.linalg.solve(M_t, M)
    damped = np.linalg.solve(M_t, J.T @ b @ J)
    return shared @ by_pose, shared @ by_twist - damped, shared @ by_force, J
