"""Small vibrations of machines whose bodies swing on bearings that yield.

Number by number, without a kernel: there are many coordinates, and few poses are asked for.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from itertools import compress
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.kinematics.flexible.rows import null_space
from gough.model.actuators import rotor_masses_of
from gough.model.kernels import Kernels
from gough.model.parameters import machine_of
from gough.robot import Robot
from gough.robot.mechanism import MOVES

MASSLESS = 1e-12
"""A motion with less of the largest mass has none."""


@dataclass(frozen=True)
class Swinging:
    """A machine at one pose: M z̈ + K z = 0, of n coordinates that ties hold together."""

    M: Array
    K: Array
    free: Array
    """(n, k) the motions that ties leave, as columns."""
    momentum: Array
    """(6, n)"""


def swinging_coordinates(robot: Robot, turning: AnyArray) -> tuple[str, ...]:
    """Of the platform, of what yields in the legs, and of the rotors that turn."""
    machine: Any = machine_of(robot)
    strains = [
        f"{part.name} {MOVES[component]} bearing"
        for part in sorted(machine.springs.yielding, key=lambda part: part.leg)
        for component in getattr(part, "components", (0,))
    ]
    names = [f"{actuator.name} rotor" for actuator in robot.actuators]
    return (*MOVES, *strains, *compress(names, turning))


def swinging_at(
    model: Kernels, pose: Array, force: Array, compliance: Array, turning: AnyArray
) -> Swinging:
    """The matrices at one pose (7), under forces (m) of actuators that yield by a compliance (m).

    Rotors turn of those (m) that are told.
    """
    from gough.equations.mechanism.swinging import swinging  # noqa: PLC0415  (slow)

    machine: Any = machine_of(model.robot)
    found = astuple(swinging(machine, ca.DM(pose), ca.DM(force)))
    M, K, drives, ties, momentum = (np.array(ca.evalf(ca.SX(matrix))) for matrix in found)
    if not np.isfinite(K).all():
        raise GoughError(
            f"{model.robot.name}: its actuators cannot hold it at the pose {pose.tolist()}; "
            "expected one that is not singular"
        )
    masses = np.array(rotor_masses_of(model.robot))
    k = np.array([float(stiffness) for stiffness in machine.springs.motors])
    series = np.where(turning, k, 1 / (1 / k + compliance))
    coupled = -(series[:, None] * drives)[turning].T
    none = np.zeros_like(coupled)
    held = np.diag(k[turning] + 1 / compliance[turning])
    K = np.block([[K + drives.T @ (series[:, None] * drives), coupled], [coupled.T, held]])
    M = np.block([[M, none], [none.T, np.diag(masses[turning])]])
    ties = np.hstack([ties, np.zeros((len(ties), none.shape[1]))])
    momentum = np.hstack([momentum, np.zeros((len(momentum), none.shape[1]))])
    return Swinging(M, K, _free_motions(M, K, ties), momentum)


def _free_motions(M: Array, K: Array, ties: Array) -> Array:
    """Motions (n, k) that ties leave, as columns; what moves no mass follows the rest at once."""
    basis = null_space(ties)
    values, vectors = np.linalg.eigh(basis.T @ M @ basis)
    heavy = values > MASSLESS * values[-1]
    light, rest = basis @ vectors[:, ~heavy], basis @ vectors[:, heavy]
    if not light.size:
        return np.asarray(rest)
    return np.asarray(rest - light @ np.linalg.solve(light.T @ K @ light, light.T @ K @ rest))
