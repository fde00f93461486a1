"""A closed loop near a state: its poles, and the loop gain at each actuator.

The sampled loop, with its delay and its sensors, is one map from memory to memory; here are its
derivatives, by central differences of the compiled loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.display.brief import brief
from gough.equations.motion import kinematics
from gough.errors import GoughError
from gough.model.definition import POSE, TWIST
from gough.model.machines import Machines
from gough.poses.quaternions import product
from gough.robot import Robot
from gough.simulation.closed_loop import ClosedLoop

NUDGE = 1e-6
ROUNDING = 1e-7
"""Maximum rounding error of the differences."""


@dataclass(frozen=True)
class LinearLoop:
    """m' = A m + B d, command = C m + D d, for deviations m of the memory that are possible.

    d is added to the command on its way to the actuators.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    period: float

    __repr__ = brief

    @property
    def poles(self) -> Array:
        """Eigenvalues of A: the loop is stable if all are inside the unit circle.

        Numbers that stay constant, such as an integral without gain, have none.
        """
        changes = np.abs(self.A - np.eye(len(self.A))).max(axis=1) > ROUNDING
        changes |= np.abs(self.B).max(axis=1) > ROUNDING * np.abs(self.B).max()
        return np.asarray(np.linalg.eigvals(self.A[np.ix_(changes, changes)]))

    @property
    def spectral_radius(self) -> float:
        """Modulus of the maximum pole."""
        return float(np.abs(self.poles).max())

    def loop_gain(self, leg: int, omega: ArrayLike) -> Array:
        """Return the loop gain of a leg from force to command [–], signed as a feedback loop.

        The loop is cut at this leg (counted from 1); the others are closed. `omega` is in rad/s.
        """
        k = leg - 1
        z = np.exp(1j * np.asarray(omega, dtype=float) * self.period)
        systems = z[:, None, None] * np.eye(len(self.A)) - self.A
        through = np.linalg.solve(systems, self.B[:, k, None])[..., 0] @ self.C[k]
        T = -(through + self.D[k, k] - 1)  # -command / d, d itself taken off
        return np.asarray(T / (1 - T))


def linear_loop(
    loop: ClosedLoop, memory: Array, reference: Array, parameters: Array | None = None
) -> LinearLoop:
    """Return the loop near a memory (n), under a constant reference (19)."""
    n, legs = len(memory), loop.plant.actuators
    if loop.sensors.resolution:
        raise GoughError(
            "a loop with encoder steps has no derivative; expected sensors with resolution 0"
        )
    nudges = NUDGE * np.maximum(1e-2, np.abs(memory))
    changed = np.concatenate([np.diag(nudges), -np.diag(nudges)])
    stay = np.broadcast_to(reference, (2, 19))
    found = loop.run(memory + changed, stay, parameters=parameters, side_by_side=False)
    A = (found.memory[1, :n] - found.memory[1, n:]).T / (2 * nudges)
    C = (found.command[0, :n] - found.command[0, n:]).T / (2 * nudges)
    force = NUDGE * max(1.0, float(np.abs(found.command[0]).max()))
    push = force * np.concatenate([np.eye(legs), -np.eye(legs)])
    still = np.broadcast_to(memory, (2 * legs, n))
    pushed = loop.run(
        still,
        stay,
        disturbance=np.stack([push, push]),
        parameters=parameters,
        side_by_side=False,
    )
    B = (pushed.memory[1, :legs] - pushed.memory[1, legs:]).T / (2 * force)
    D = (pushed.command[0, :legs] - pushed.command[0, legs:]).T / (2 * force)
    if not all(np.isfinite(matrix).all() for matrix in (A, B, C, D)):
        raise GoughError(
            "the loop has no derivative at this state: the machine is singular there, or numbers "
            "are too large; expected another pose, or lower gains"
        )
    if loop.plant.dof < TWIST.size:
        P = _possible_changes(loop, memory)
        seen = np.linalg.pinv(P)
        A, B, C = seen @ A @ P, seen @ B, C @ P
    return LinearLoop(A, B, C, D, loop.sampling.period)


def _possible_changes(loop: ClosedLoop, memory: Array) -> Array:
    """Return possible changes of a memory, as columns: poses and twists within the twist basis."""
    from scipy.linalg import block_diag  # noqa: PLC0415  (slow to import)

    T = moves_at(loop.plant.robot, memory[: POSE.size])
    turning = np.concatenate([np.zeros_like(T[:1]), T[3:]])
    attitudes = product(turning.T, memory[3 : POSE.size]).T / 2
    platform = block_diag(np.concatenate([T[:3], attitudes]), T)
    of_plant = loop.parts[0]
    blocks = [platform, np.eye(of_plant.stop - len(platform))]
    for state in loop.controller.states:
        size = state.size(loop.plant.actuators, loop.plant.dof)
        blocks.append(platform if state.of_platform else np.eye(size))
    known = sum(len(block) for block in blocks)
    return np.asarray(block_diag(*blocks, np.eye(len(memory) - known)))


def moves_at(robot: Robot, pose: Array) -> Array:
    """Return T (6, n) of twist = T u, at a pose."""
    return np.asarray(_moves(Machines(robot))(pose))


def seen_moves(robot: Robot) -> Array:
    """Return S (n, 6) of u = S · twist."""
    return np.asarray(_along_moves(Machines(robot))(np.eye(TWIST.size))).T


@compiled
def _moves(machines: Machines) -> Kernel:
    T = Argument("T", (TWIST.size, machines.structure.dof))
    return machines.kernel("moves_at", kinematics.moves, [POSE], [T])


@compiled
def _along_moves(machines: Machines) -> Kernel:
    u = Argument("u", (machines.structure.dof,))
    twist = Argument(TWIST.name, TWIST.shape)
    return machines.kernel("seen_moves", kinematics.along_moves, [twist], [u])
