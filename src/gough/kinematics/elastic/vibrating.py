"""The matrices of small vibrations of a machine that is held, in the coordinates that are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.elastic.held import actuator_compliance
from gough.kinematics.elastic.kernels import holding_kernel, momentum_kernel
from gough.model.definition import WRENCH
from gough.model.kernels import Kernels
from gough.poses.given import finite
from gough.robot import Hexapod, Robot


@dataclass(frozen=True)
class Vibrating:
    """A machine about poses (...) where it is held, in its coordinates that are not."""

    coordinates: tuple[str, ...]
    """Their names."""
    M: Array
    """(..., n, n) [kg, kg m, kg m^2]"""
    K: Array
    """(..., n, n) [N/m, N, N m/rad]"""
    ways: Array
    """(..., 6, n) how the platform goes: way of its origin and rotation vector, base axes."""
    momentum: Array
    """(..., 6, n) linear and angular about the base's origin, by the rates of the coordinates."""


def vibrating_at(model: Kernels, pose: Array, actuators: Any, wrench: Any) -> Vibrating:
    """The matrices of a machine that its actuators hold under a wrench."""
    pushed = np.zeros(WRENCH.size) if wrench is None else finite(wrench, "wrench", WRENCH.size)
    force = holding_kernel(model.machines)(pose, pushed)
    yielding = actuator_compliance(model, actuators)
    M, K = model.vibration(pose, force, yielding)
    if K.ndim == 2 and np.isnan(K).any():
        raise GoughError(
            f"{model.robot.name}: its actuators cannot hold it at the pose {pose.tolist()}; "
            "expected one that is not singular, and where no screw is shorter than its dead length"
        )
    ways = _ways(model, pose, K.shape[-1])
    S = _momentum(model, pose, force, ways)
    moving = ~np.isinf(np.diagonal(K, axis1=-2, axis2=-1)).any(tuple(range(K.ndim - 2)))
    all_names = _coordinates(model.robot, model.structure.freedoms)
    names = [name for name, free in zip(all_names, moving, strict=True) if free]
    M, K = (matrix[..., moving, :][..., moving] for matrix in (M, K))
    return Vibrating(tuple(names), M, K, ways[..., moving], S[..., moving])


def _ways(model: Kernels, pose: Array, size: int) -> Array:
    """(..., 6, n) by the coordinates: of other machines than hexapods, their moves."""
    if isinstance(model.robot, Hexapod):
        return np.broadcast_to(np.eye(WRENCH.size, size), (*pose.shape[:-1], WRENCH.size, size))
    return np.asarray(model.moves(pose))


def _momentum(model: Kernels, pose: Array, force: Array, ways: Array) -> Array:
    """(..., 6, n) by the rates of the coordinates."""
    if isinstance(model.robot, Hexapod):
        return np.asarray(momentum_kernel(model.machines)(pose, force))
    moves = np.swapaxes(ways, -1, -2)
    return np.swapaxes(model.momentum(pose[..., None, :], moves), -1, -2)


def _coordinates(robot: Robot, freedoms: tuple[str, ...]) -> list[str]:
    """Names of all coordinates of `model.vibration`."""
    if not isinstance(robot, Hexapod):
        return list(freedoms)
    pistons, stages = [], []
    for k, leg in enumerate(robot.legs, 1):
        keys = {*leg.springs}
        if {"connector.stiffness", "connector.coupling.stiffness"} & keys:
            pistons.append(f"leg {k} piston")
        if "connector.decoupling.stiffness" in keys:
            stages.append(f"leg {k} stage")
    return [*freedoms, *pistons, *stages]
