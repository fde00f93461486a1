"""Matrices of small vibrations of a machine held by its actuators, and its natural modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.elastic import kernels, link_vibration
from gough.elastic.flexible.beam import ElasticBeam
from gough.errors import GoughError
from gough.model.kernels import Kernels
from gough.poses.algebra import transform, twist_transfer
from gough.poses.quaternions import rotation_matrix, unit
from gough.robot import MOVES, Robot


@dataclass(frozen=True)
class Vibrating:
    """A machine about poses (...) where it is held, in its free coordinates."""

    robot: Robot
    pose: Array  # (..., 7)
    coordinates: tuple[str, ...]  # their names
    M: Array  # (..., n, n) [kg, kg m, kg m^2]
    K: Array  # (..., n, n) [N/m, N, N m/rad]
    twist_basis: Array  # (..., 6, n) platform's twist by rates of the coordinates, base axes
    momentum: Array  # (..., 6, n) about the base's origin, by rates of the coordinates
    free: Array | None = None  # (..., n, k) the possible motions, as columns; None: all are
    D: Array | None = None  # (..., n, n) damping [N s/m, …] with compliant links or bearings
    drives: Array | None = None
    """(..., m, n) motion of the driven joints; only with compliant links or bearings."""
    beams: tuple[ElasticBeam, ...] = ()

    def natural_modes(self) -> tuple[Array, Array]:
        """Squares of angular frequencies (..., k), the lowest first, and shapes (..., k, n).

        Shapes are rows of unit modal mass. NaN where K or M is not finite.
        """
        if self.free is None:
            return self._solved(self.M, self.K)
        back = np.swapaxes(self.free, -1, -2)
        squares, shapes = self._solved(back @ self.M @ self.free, back @ self.K @ self.free)
        return squares, shapes @ back

    def participation(self, shapes: Array) -> tuple[tuple[str, ...], Array]:
        """Names of parts with kinetic energy, and shares (..., k, m) in shapes of unit modal mass.

        The share of a platform with six degrees of freedom is about its mass centre.
        """
        M = self.M
        if self.coordinates[: len(MOVES)] != MOVES:
            return self.coordinates, np.asarray(shapes * (shapes @ M))
        to_centre = np.broadcast_to(np.eye(M.shape[-1]), M.shape).copy()
        to_centre[..., :6, :6] = _to_centre(self.robot, self.pose)
        back = np.linalg.inv(to_centre)
        moved = shapes @ np.swapaxes(to_centre, -1, -2)
        about = np.swapaxes(back, -1, -2) @ M @ back
        return self.coordinates, np.asarray(moved * (moved @ about))

    def bending(self, shapes: Array) -> Array:
        """Shares (..., k, beams) of beams in the strain energy of all; zero where none bends."""
        energies = [
            np.sum((eta := shapes[..., beam.places]) * (eta @ beam.stiffness), axis=-1)
            for beam in self.beams
        ]
        energy = np.stack(energies, axis=-1) if energies else np.zeros((*shapes.shape[:-1], 0))
        total = energy.sum(axis=-1, keepdims=True)
        return np.asarray(np.divide(energy, total, out=np.zeros_like(energy), where=total > 0))

    def _solved(self, M: Array, K: Array) -> tuple[Array, Array]:
        known = np.asarray(np.isfinite(M + K).all((-2, -1)))
        M, K = (np.where(known[..., None, None], x, np.eye(M.shape[-1])) for x in (M, K))
        try:
            L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            raise GoughError(
                f"{self.robot.name}: some motion moves no mass; expected a platform with mass and "
                "inertia, and masses of pistons that have a compliant connector"
            ) from None
        inverse = np.linalg.inv(L)
        turned = np.swapaxes(inverse, -1, -2)
        squares, vectors = np.linalg.eigh(inverse @ K @ turned)
        shapes = np.swapaxes(turned @ vectors, -1, -2)
        squares = np.where(known[..., None], squares, np.nan)
        return squares, np.where(known[..., None, None], shapes, np.nan)

    def in_modes(self, squares: Array, shapes: Array) -> Vibrating:
        """Return this at one pose in modal coordinates, for modes whose shapes are rows."""
        assert self.D is not None
        assert self.drives is not None
        names = tuple(f"mode {k}" for k in range(1, len(shapes) + 1))
        matrices = np.eye(len(shapes)), np.diag(squares), self.twist_basis @ shapes.T
        momentum, drives = self.momentum @ shapes.T, self.drives @ shapes.T
        D = shapes @ self.D @ shapes.T
        return Vibrating(self.robot, self.pose, names, *matrices, momentum, D=D, drives=drives)


def platform_shares(robot: Robot, pose: Array, displacements: Array) -> Array:
    """The platform's shares (..., k, 6) of the kinetic energy in shapes of unit modal mass.

    By direction x y z of its mass centre, and rotation about it; the shapes displace the platform
    by (..., k, 6) [m, rad].
    """
    body, R = robot.platform, rotation_matrix(unit(pose[..., 3:]))
    at_centre = displacements @ np.swapaxes(_to_centre(robot, pose), -1, -2)
    inertia = R @ np.array(body.inertia, dtype=float) @ np.swapaxes(R, -1, -2)
    v, omega = at_centre[..., :3], at_centre[..., 3:]
    return np.concatenate([body.mass * v * v, omega * (omega @ inertia)], axis=-1)


def _to_centre(robot: Robot, pose: Array) -> Array:
    """(..., 6, 6) twist of the platform's mass centre by that of its origin."""
    return twist_transfer(transform(pose, robot.platform.center_of_mass) - pose[..., :3])


def vibrating_at(
    model: Kernels, pose: Array, actuators: ArrayLike, wrench: ArrayLike | None, *, rotors: bool
) -> Vibrating:
    """Return the matrices of a machine that its actuators hold under a wrench; optional rotors."""
    pushed = kernels.six_or_zero(wrench)
    compliance = kernels.actuator_compliance(model.robot, actuators)
    if model.robot.has_compliant_links:
        supports = link_vibration.ActuatorSupports.of(model.robot, compliance, rotors=rotors)
        return _with_compliant_links(model.robot, pose, pushed, supports)
    force = kernels.holding_kernel(model.machines)(pose, pushed)
    turning = rotors and kernels.rotors_move(model.robot, compliance)
    kernel = kernels.rotor_kernel(model.machines) if turning else model.vibration
    M, K = kernel(pose, force, compliance)
    if K.ndim == 2 and np.isnan(K).any():
        raise GoughError(
            f"{model.robot.name}: its actuators cannot hold it at the pose {pose.tolist()}; "
            "expected one that is not singular, and where no screw is shorter than its dead length"
        )
    moving = ~np.isinf(np.diagonal(K, axis1=-2, axis2=-1)).any(tuple(range(K.ndim - 2)))
    names = kernels.coordinates_of(model.robot, turning)
    own = np.eye(6) if model.structure.degrees_of_freedom == MOVES else model.twist_basis(pose)
    T = _by_first(own, pose, len(names))
    if model.robot.extensible_legs:  # rotors rotate about their own axes, without momentum along
        S = np.asarray(kernels.momentum_kernel(model.machines)(pose, force))
        rotors_alone = np.zeros((*S.shape[:-1], T.shape[-1] - S.shape[-1]))
        S = np.concatenate([S, rotors_alone], axis=-1)
    else:
        S = np.swapaxes(model.momentum(pose[..., None, :], np.swapaxes(T, -1, -2)), -1, -2)
    M, K = (matrix[..., moving, :][..., moving] for matrix in (M, K))
    free = tuple(name for name, is_free in zip(names, moving, strict=True) if is_free)
    return Vibrating(model.robot, pose, free, M, K, T[..., moving], S[..., moving])


def _with_compliant_links(
    robot: Robot, pose: Array, wrench: Array, supports: link_vibration.ActuatorSupports
) -> Vibrating:
    """Matrices of a machine with compliant links or bearings, pose by pose."""
    batch = np.broadcast_shapes(pose.shape[:-1], wrench.shape[:-1])
    poses, wrenches = (
        np.broadcast_to(part, (*batch, part.shape[-1])).reshape(-1, part.shape[-1])
        for part in (pose, wrench)
    )
    found = link_vibration.link_matrices(robot, poses, wrenches, supports)
    some = next((one for one in found if one is not None), None)
    if some is None:
        raise GoughError(
            f"{robot.name}: its actuators cannot hold it at the pose {poses[0].tolist()}; "
            "expected one that is not singular"
        )
    unknown = {name: np.full_like(matrix, np.nan) for name, matrix in some.items()}
    stacked = {
        name: np.reshape([(one or unknown)[name] for one in found], (*batch, *matrix.shape))
        for name, matrix in some.items()
    }
    names = link_vibration.link_coordinates(robot, supports)
    beams = link_vibration.beams_among(robot)
    T = _by_first(np.eye(6), pose, len(names))
    return Vibrating(robot, pose, names, twist_basis=T, beams=beams, **stacked)


def _by_first(own: Array, pose: Array, size: int) -> Array:
    """(..., 6, n) twist by the first of n coordinates; the others do not move the platform."""
    T = np.zeros((*pose.shape[:-1], 6, size))
    T[..., : own.shape[-1]] = own
    return T
