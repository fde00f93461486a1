"""A hexapod on yielding legs as a linear system of python-control, for isolation and control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.equations.actuators.connector import Mode
from gough.errors import GoughError
from gough.kinematics.elastic.connectors import elastic_model
from gough.kinematics.elastic.held import LOCKED, actuator_compliance
from gough.kinematics.elastic.kernels import joint_damping_kernel
from gough.kinematics.elastic.legs import LegAxis, damping, keeps_coupling, leg_axes, pushed
from gough.kinematics.elastic.modes import solved
from gough.kinematics.elastic.vibrating import Vibrating, vibrating_at
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.poses.given import finite
from gough.robot import Robot
from gough.robot.mechanism import MOVES

if TYPE_CHECKING:
    from control import StateSpace

AXES = MOVES[:3]
"""Along which the base shakes."""


def elastic_state_space(
    robot: Robot,
    pose: Any = None,
    *,
    actuators: Any = LOCKED,
    connectors: Mode | None = None,
    wrench: Any = None,
    damping_ratio: float = 0.0,
) -> StateSpace:
    """Small motions about a pose (7), by default home, where the actuators hold the machine.

    Inputs are for each leg `leg 1_force` [N] of its actuator beyond what holds it, or `leg
    1_stroke` [m] of one that is locked; a wrench on the platform `x_wrench` … `rz_wrench` [N, N m]
    in base axes at its origin; and the acceleration of the base `x_base` … `z_base` [m/s^2].
    Outputs are the platform's displacement against the base `x` … `rz` [m, rad], its acceleration
    against the world `x_acceleration` … `rz_acceleration` [m/s^2, rad/s^2], and for each leg its
    `length` [m], the `position` [m] and `speed` [m/s] of its piston and the `force` [N] behind it,
    where a sensor beside the actuator feels it. Legs whose piston a locked actuator holds rigidly
    have the length only.

    Dampers are those of the connectors, and the viscous friction of the joints; `damping_ratio` [1]
    adds that much to every mode. The other options are those of `gough.modes`.
    """
    model = elastic_model(robot, connectors)
    _refuse_frames(model)
    at = finite(model.robot.home if pose is None else pose, "pose", POSE.size)
    if at.ndim != 1:
        raise GoughError(f"pose has shape {at.shape}; expected (7,), one state")
    if not 0 <= damping_ratio < 1:
        raise GoughError(f"damping_ratio is {damping_ratio!r}; expected from 0 to below 1")
    vibrating = vibrating_at(model, at, actuators, wrench, rotors=False)
    squares, shapes = solved(model, vibrating.M, vibrating.K)
    compliance = actuator_compliance(model, actuators)
    legs = leg_axes(model, vibrating, at, compliance)
    D = damping(legs, _joint_damping(model, at))
    carried = shapes @ vibrating.M
    D += carried.T @ (2 * damping_ratio * np.sqrt(np.abs(squares))[:, None] * carried)
    return _Plant(vibrating, legs, compliance, D).system(model.robot.name.replace(".", "_"))


def _refuse_frames(model: Kernels) -> None:
    """Complain of a base or platform that yields: legs' lengths are not the platform's alone."""
    if model.structure.flexible:
        yielding = " and ".join(end for end, _ in model.structure.flexible)
        raise GoughError(
            f"{model.robot.name}: its {yielding} yields, and what legs measure and push is known "
            "between rigid frames only; expected no flexibility, or gough.modes"
        )


def _joint_damping(model: Kernels, pose: Array) -> Array:
    """Of the legs' joints (6, 6) [N s/m, …]; GoughError where one has no axes."""
    found = joint_damping_kernel(model.machines)(pose)
    if not np.isfinite(found).all():
        raise GoughError(
            f"{model.robot.name}: a leg lies along the first axis of its universal joint at the "
            f"pose {pose.tolist()}; expected another pose"
        )
    return np.asarray(found)


@dataclass(frozen=True)
class _Plant:
    """M z̈ + D ż + K z = B u, with a state more for each coupling stage that lags."""

    vibrating: Vibrating
    legs: list[LegAxis]
    compliance: Array
    """(actuators) [m/N]"""
    D: Array

    def system(self, name: str) -> StateSpace:
        """ẋ = A x + B u, y = C x + D u, with names of all signals."""
        n, inputs = len(self.D), self._inputs()
        A = self._rates()
        B = np.zeros((len(A), len(inputs)))
        B[n : 2 * n] = np.linalg.solve(self.vibrating.M, np.stack(list(inputs.values()), axis=1))
        rows = self._outputs(A, B, list(inputs))

        from control import StateSpace  # noqa: PLC0415  (slow to import)

        names, lagging = self.vibrating.coordinates, enumerate(self.legs, 1)
        return StateSpace(
            A,
            B,
            np.array([by_state for by_state, _ in rows.values()]),
            np.array([by_input for _, by_input in rows.values()]),
            states=[
                *names,
                *(f"{name}_rate" for name in names),
                *(f"leg {k}_coupling" for k, leg in lagging if keeps_coupling(leg)),
            ],
            inputs=list(inputs),
            outputs=list(rows),
            name=name,
        )

    def _rates(self) -> Array:
        """A of (z, ż, δ): a stage yields by δ, with c δ̇ = k₁ (u·z - δ) - k δ behind a spring k₁."""
        n, K = len(self.D), self.vibrating.K.copy()
        lagging = [leg for leg in self.legs if keeps_coupling(leg)]
        A = np.zeros((2 * n + len(lagging),) * 2)
        for j, leg in enumerate(lagging, 2 * n):
            stage, u = leg.connector.coupling, leg.compression
            assert stage is not None
            k_1, k, c = 1 / leg.before_coupling, stage.stiffness, stage.damping
            K += (k_1 - k_1 * k / (k_1 + k)) * np.outer(u, u)
            A[n : 2 * n, j] = k_1 * u
            A[j, :n], A[j, j] = k_1 / c * u, -(k_1 + k) / c
        A[:n, n : 2 * n] = np.eye(n)
        A[n : 2 * n, : 2 * n] = np.hstack([-K, -self.D])
        A[n : 2 * n] = np.linalg.solve(self.vibrating.M, A[n : 2 * n])
        return A

    def _inputs(self) -> dict[str, Array]:
        """Forces on all coordinates (n) of a unit of each input."""
        found = {}
        for k, leg in enumerate(self.legs):
            if leg.piston is not None:
                kind = "stroke" if self.compliance[k] == 0 else "force"
                found[f"leg {k + 1}_{kind}"] = leg.piston * pushed(leg, self.compliance[k])
        found |= dict(zip((f"{move}_wrench" for move in MOVES), np.eye(len(self.D)), strict=False))
        S = self.vibrating.momentum
        return found | {f"{axis}_base": -S[k] for k, axis in enumerate(AXES)}

    def _outputs(self, A: Array, B: Array, inputs: list[str]) -> dict[str, tuple[Array, Array]]:
        """What each output has of every state, and of every input at once."""
        n, none = len(self.D), np.zeros(len(inputs))
        found = {move: (np.eye(len(A))[k], none) for k, move in enumerate(MOVES)}
        for k, move in enumerate(MOVES, n):
            base = np.array([name == f"{move}_base" for name in inputs], dtype=float)
            found[f"{move}_acceleration"] = (A[k], B[k] + base)
        for k, leg in enumerate(self.legs):
            name = f"leg {k + 1}"
            found[f"{name}_length"] = (_by_state(leg.length, A), none)
            if leg.piston is None:
                continue
            position = _by_state(leg.piston, A)
            own = np.array([x in (f"{name}_force", f"{name}_stroke") for x in inputs], dtype=float)
            found[f"{name}_position"] = (position, none)
            found[f"{name}_speed"] = (np.roll(position, n), none)
            pushing = own * pushed(leg, self.compliance[k])
            found[f"{name}_force"] = (-position / leg.behind, pushing)
        return found


def _by_state(row: Array, A: Array) -> Array:
    """A row of coordinates as one of states."""
    return np.concatenate([row, np.zeros(len(A) - len(row))])
