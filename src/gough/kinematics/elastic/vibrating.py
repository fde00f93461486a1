"""The matrices of small vibrations of a machine that is held, in the coordinates that are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.elastic.coordinates import coordinates_of, rotors_move
from gough.kinematics.elastic.held import actuator_compliance
from gough.kinematics.elastic.kernels import holding_kernel, momentum_kernel, rotor_kernel
from gough.kinematics.elastic.swinging import Held, swinging_at, swinging_coordinates
from gough.model.definition import WRENCH
from gough.model.kernels import Kernels
from gough.poses.given import finite
from gough.robot import Hexapod, Mechanism


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
    free: Array | None = None
    """(..., n, k) the motions that are possible, as columns; None: all are."""
    D: Array | None = None
    """(..., n, n) [SI] of what damps beams and joints, and"""
    drives: Array | None = None
    """(..., m, n) how driven joints move: of machines whose links or bearings yield."""

    def in_modes(self, squares: Array, shapes: Array) -> Vibrating:
        """Such a machine at one pose, in the amplitudes of its modes, whose shapes are rows."""
        assert self.D is not None
        assert self.drives is not None
        return Vibrating(
            tuple(f"mode {k}" for k in range(1, len(shapes) + 1)),
            np.eye(len(shapes)),
            np.diag(squares),
            self.moves @ shapes.T,
            self.momentum @ shapes.T,
            D=shapes @ self.D @ shapes.T,
            drives=self.drives @ shapes.T,
        )


def vibrating_at(
    model: Kernels, pose: Array, actuators: Any, wrench: Any, *, rotors: bool
) -> Vibrating:
    """The matrices of a machine that its actuators hold under a wrench; with rotors if told so."""
    pushed = np.zeros(WRENCH.size) if wrench is None else finite(wrench, "wrench", WRENCH.size)
    yielding = actuator_compliance(model, actuators)
    if isinstance(model.robot, Mechanism) and model.robot.links_yield:
        held = Held.of(model.robot, yielding, rotors=rotors)
        return _swinging(model.robot, pose, pushed, held)
    force = holding_kernel(model.machines)(pose, pushed)
    turning = rotors and rotors_move(model.robot, yielding)
    kernel = rotor_kernel(model.machines) if turning else model.vibration
    M, K = kernel(pose, force, yielding)
    if K.ndim == 2 and np.isnan(K).any():
        raise GoughError(
            f"{model.robot.name}: its actuators cannot hold it at the pose {pose.tolist()}; "
            "expected one that is not singular, and where no screw is shorter than its dead length"
        )
    moving = ~np.isinf(np.diagonal(K, axis1=-2, axis2=-1)).any(tuple(range(K.ndim - 2)))
    all_names = coordinates_of(model.robot, turning)
    T = _moves(model, pose, len(all_names))
    S = _momentum(model, pose, force, T)
    names = [name for name, free in zip(all_names, moving, strict=True) if free]
    M, K = (matrix[..., moving, :][..., moving] for matrix in (M, K))
    return Vibrating(tuple(names), M, K, T[..., moving], S[..., moving])


def _swinging(robot: Mechanism, pose: Array, wrench: Array, held: Held) -> Vibrating:
    """Of a machine whose links bend or whose bearings yield, pose by pose."""
    batch = np.broadcast_shapes(pose.shape[:-1], wrench.shape[:-1])
    poses, wrenches = (
        np.broadcast_to(part, (*batch, part.shape[-1])).reshape(-1, part.shape[-1])
        for part in (pose, wrench)
    )
    found = swinging_at(robot, poses, wrenches, held)
    some = next((one for one in found if one is not None), None)
    if some is None:
        raise GoughError(
            f"{robot.name}: its actuators cannot hold it at the pose {poses[0].tolist()}; "
            "expected one that is not singular"
        )
    stacked = {}
    for name, known in vars(some).items():
        unknown = np.full_like(known, np.nan)
        matrices = [unknown if one is None else getattr(one, name) for one in found]
        stacked[name] = np.reshape(matrices, (*batch, *known.shape))
    names = swinging_coordinates(robot, held)
    return Vibrating(names, moves=_by_first(np.eye(6), pose, len(names)), **stacked)


def _moves(model: Kernels, pose: Array, size: int) -> Array:
    """(..., 6, n) of n coordinates, of which the first are the platform's freedoms."""
    own = np.eye(6) if isinstance(model.robot, Hexapod) else model.moves(pose)
    return _by_first(own, pose, size)


def _by_first(own: Array, pose: Array, size: int) -> Array:
    """(..., 6, n) by the first of n coordinates; the others leave the platform where it is."""
    T = np.zeros((*pose.shape[:-1], 6, size))
    T[..., : own.shape[-1]] = own
    return T


def _momentum(model: Kernels, pose: Array, force: Array, T: Array) -> Array:
    """(..., 6, n) by the rates of the coordinates: of other machines than hexapods, their moves.

    Rotors turn about themselves, and have none along the legs.
    """
    if not isinstance(model.robot, Hexapod):
        return np.swapaxes(model.momentum(pose[..., None, :], np.swapaxes(T, -1, -2)), -1, -2)
    found = np.asarray(momentum_kernel(model.machines)(pose, force))
    rotors = np.zeros((*found.shape[:-1], T.shape[-1] - found.shape[-1]))
    return np.concatenate([found, rotors], axis=-1)
