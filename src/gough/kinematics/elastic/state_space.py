"""A hexapod on yielding legs as a linear system of python-control, for isolation and control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.equations.actuators.connector import Mode
from gough.errors import GoughError
from gough.kinematics.elastic.given import Actuators, actuator_compliance, elastic_model
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
    actuators: Actuators = "locked",
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
    at = finite(model.robot.home if pose is None else pose, "pose", POSE.size)
    if at.ndim != 1:
        raise GoughError(f"pose has shape {at.shape}; expected (7,), one state")
    if not 0 <= damping_ratio < 1:
        raise GoughError(f"damping_ratio is {damping_ratio!r}; expected from 0 to below 1")
    vibrating = vibrating_at(model, at, actuators, wrench)
    squares, shapes = solved(model, vibrating.M, vibrating.K)
    compliance = actuator_compliance(actuators, model.structure.actuators)
    legs = leg_axes(model, vibrating, at, compliance)
    D = damping(legs, _joint_damping(model, at))
    carried = shapes @ vibrating.M
    D += carried.T @ (2 * damping_ratio * np.sqrt(np.abs(squares))[:, None] * carried)
    return _system(model, _Plant.of(vibrating, D, legs, compliance))


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
    """M z̈ + D ż + K z - P δ = B u, with δ̇ = Q z - R δ of coupling stages that lag."""

    vibrating: Vibrating
    legs: list[LegAxis]
    compliance: Array
    rates: Array
    """State matrix of (z, ż, δ)."""
    inputs: dict[str, Array]
    """Generalised forces of a unit of each input (n)."""

    @classmethod
    def of(cls, vibrating: Vibrating, D: Array, legs: list[LegAxis], compliance: Array) -> _Plant:
        M, K, n = vibrating.M, vibrating.K.copy(), len(vibrating.M)
        lagging = [leg for leg in legs if keeps_coupling(leg)]
        P, Q, R = np.zeros((n, len(lagging))), np.zeros((len(lagging), n)), np.zeros(len(lagging))
        for j, leg in enumerate(lagging):
            coupling, u = leg.connector.coupling, leg.compression
            assert coupling is not None
            before = 1 / leg.before_coupling
            at_rest = 1 / (leg.before_coupling + 1 / coupling.stiffness)
            K += (before - at_rest) * np.outer(u, u)
            P[:, j], Q[j] = before * u, before / coupling.damping * u
            R[j] = (before + coupling.stiffness) / coupling.damping
        by_mass = np.linalg.solve(M, np.hstack([-K, -D, P]))
        rates = np.zeros((2 * n + len(R),) * 2)
        rates[:n, n : 2 * n] = np.eye(n)
        rates[n : 2 * n] = by_mass
        rates[2 * n :, :n], rates[2 * n :, 2 * n :] = Q, -np.diag(R)
        return cls(vibrating, legs, compliance, rates, _inputs(vibrating, legs, compliance))


def _inputs(vibrating: Vibrating, legs: list[LegAxis], compliance: Array) -> dict[str, Array]:
    found = {}
    for k, leg in enumerate(legs):
        if leg.piston is not None:
            kind = "stroke" if compliance[k] == 0 else "force"
            found[f"leg {k + 1}_{kind}"] = leg.piston * pushed(leg, compliance[k])
    unit = np.eye(len(vibrating.M))
    found |= {f"{move}_wrench": unit[k] for k, move in enumerate(MOVES)}
    return found | {f"{axis}_base": -vibrating.momentum[k] for k, axis in enumerate(AXES)}


def _system(model: Kernels, plant: _Plant) -> StateSpace:
    n, A = len(plant.vibrating.M), plant.rates
    forces = np.stack(list(plant.inputs.values()), axis=1)
    B = np.zeros((len(A), forces.shape[1]))
    B[n : 2 * n] = np.linalg.solve(plant.vibrating.M, forces)
    rows = _outputs(plant, A, B)

    from control import StateSpace  # noqa: PLC0415  (slow to import)

    names = plant.vibrating.coordinates
    lagging = [f"leg {k}_coupling" for k, leg in enumerate(plant.legs, 1) if keeps_coupling(leg)]
    return StateSpace(
        A,
        B,
        np.array([C for C, _ in rows.values()]),
        np.array([D for _, D in rows.values()]),
        states=[*names, *(f"{name}_rate" for name in names), *lagging],
        inputs=list(plant.inputs),
        outputs=list(rows),
        name=model.robot.name.replace(".", "_"),
    )


def _outputs(plant: _Plant, A: Array, B: Array) -> dict[str, tuple[Array, Array]]:
    """Rows of C and D by name."""
    n, inputs = len(plant.vibrating.M), list(plant.inputs)
    unit, none = np.eye(len(A)), np.zeros(len(inputs))
    found = {move: (unit[k], none) for k, move in enumerate(MOVES)}
    for k, move in enumerate(MOVES):
        base = np.array([name == f"{move}_base" for name in inputs], dtype=float)
        found[f"{move}_acceleration"] = (A[n + k], B[n + k] + base)
    for k, leg in enumerate(plant.legs):
        name = f"leg {k + 1}"
        found[f"{name}_length"] = (_by_state(leg.length, A), none)
        if leg.piston is None:
            continue
        position = _by_state(leg.piston, A)
        own = np.array([x in (f"{name}_force", f"{name}_stroke") for x in inputs], dtype=float)
        pushing = own * pushed(leg, plant.compliance[k])
        found[f"{name}_position"] = (position, none)
        found[f"{name}_speed"] = (np.roll(position, n), none)
        found[f"{name}_force"] = (-position / leg.behind, pushing)
    return found


def _by_state(row: Array, A: Array) -> Array:
    return np.concatenate([row, np.zeros(len(A) - len(row))])
