"""The matrices of small vibrations of a machine that is held, in the coordinates that are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.elastic.coordinates import coordinate_names
from gough.kinematics.elastic.held import actuator_compliance
from gough.kinematics.elastic.kernels import holding_kernel, momentum_kernel
from gough.model.definition import WRENCH
from gough.model.kernels import Kernels
from gough.poses.given import finite
from gough.robot import Hexapod


@dataclass(frozen=True)
class Vibrating:
    """A machine about poses (...) where it is held, in its coordinates that are not."""

    coordinates: tuple[str, ...]
    """Their names."""
    M: Array
    """(..., n, n) [kg, kg m, kg m^2]"""
    K: Array
    """(..., n, n) [N/m, N, N m/rad]"""
    moves: Array
    """(..., 6, n) twist of the platform, base axes, by the rates of the coordinates."""
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
    T = _moves(model, pose, K.shape[-1])
    S = _momentum(model, pose, force, T)
    moving = ~np.isinf(np.diagonal(K, axis1=-2, axis2=-1)).any(tuple(range(K.ndim - 2)))
    all_names = coordinate_names(model.robot, model.structure.freedoms)
    names = [name for name, free in zip(all_names, moving, strict=True) if free]
    M, K = (matrix[..., moving, :][..., moving] for matrix in (M, K))
    return Vibrating(tuple(names), M, K, T[..., moving], S[..., moving])


def _moves(model: Kernels, pose: Array, size: int) -> Array:
    """(..., 6, n) of n coordinates, of which the first are the platform's freedoms."""
    T = np.zeros((*pose.shape[:-1], 6, size))
    own = np.eye(6) if isinstance(model.robot, Hexapod) else model.moves(pose)
    T[..., : own.shape[-1]] = own
    return T


def _momentum(model: Kernels, pose: Array, force: Array, T: Array) -> Array:
    """(..., 6, n) by the rates of the coordinates: of other machines than hexapods, their moves."""
    if isinstance(model.robot, Hexapod):
        return np.asarray(momentum_kernel(model.machines)(pose, force))
    moves = np.swapaxes(T, -1, -2)
    return np.swapaxes(model.momentum(pose[..., None, :], moves), -1, -2)
