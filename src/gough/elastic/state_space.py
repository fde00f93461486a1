"""A compliant machine as a linear system of python-control, and its active damping.

Each leg feeds back what a sensor at its actuator measures. Integral force feedback lets the
actuator follow the force in its leg, u = -g ∫ F dt; velocity feedback makes it a damper, u = -g v
[Preumont 2011, chapters 5 and 8].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.checks import require_not_negative, require_row
from gough.elastic import kernels
from gough.elastic.response import named_places
from gough.elastic.vibrating import Vibrating, vibrating_at
from gough.equations.legs.extensible import Mode, springs_of
from gough.errors import GoughError
from gough.kinematics.state_space import linear_system, signal_name, signal_names
from gough.model import Kernels, machine_of
from gough.one_thread import one_thread
from gough.poses.algebra import transform, twist_transfer
from gough.poses.given import array_of_numbers
from gough.robot import MOVES, Connector, Robot

if TYPE_CHECKING:
    from control import StateSpace

TURNS = MOVES[3:]  # rotations by which the base tilts
Law = Literal["integral force", "integral push", "velocity"]
LAWS: dict[str, tuple[str, ...]] = {
    "integral force": ("force", "torque"),
    "integral push": ("push",),
    "velocity": ("speed", "rate"),
}
"""Measured signals that each law feeds back, of slides and of hinges."""


def elastic_state_space(
    robot: Robot | Kernels,
    pose: ArrayLike | None = None,
    *,
    actuators: ArrayLike = kernels.LOCKED,
    connectors: Mode | None = None,
    wrench: ArrayLike | None = None,
    damping_ratio: float = 0.0,
    tool: ArrayLike = (0.0, 0.0, 0.0),
    pivot: ArrayLike = (0.0, 0.0, 0.0),
) -> StateSpace:
    """Linearise a compliant machine about a pose (7), by default home, held by its actuators.

    Signals of the platform are those of its point `tool` [m], platform frame; the base rotates
    about the point `pivot` [m], base frame. All axes are the base's.

    Inputs are for each actuator, by its name, `leg 1_force` [N] beyond the holding force, or `leg
    1_stroke` [m] of a locked one (of hinges `torque` [N m] and `turn` [rad]); a wrench
    `x_wrench` … `rz_wrench` [N, N m]; the acceleration of the base `x_base` … `rz_base`
    [m/s^2, rad/s^2], and its angles `rx_tilt` … `rz_tilt` [rad], by which gravity rotates in it.
    Outputs are the displacement against the base `x` … `rz` [m, rad], the acceleration against
    the world `x_acceleration` … `rz_acceleration` [m/s^2, rad/s^2], and for each actuator the
    `position` [m] and `speed` [m/s] of its output and the `force` [N] behind that, as measured by
    a sensor beside the actuator (of hinges `angle`, `rate`, `torque`). Legs of hexapods also have
    their `length` [m] and, with a compliant connector, its `push` [N], as measured by a sensor
    between piston and platform; those whose piston a locked actuator holds have these only.

    Dampers are those of connectors, of beams and between bodies, and the viscous friction of
    joints; `damping_ratio` [–] is added to every mode. With compliant links or bearings, the
    states are the modes, legs have no `length`, and a locked actuator whose drive is rigid has no
    signals. The other options are those of `gough.natural_modes`.

    >>> import gough
    >>> system = gough.elastic_state_space(gough.load("demo-hexapod"), damping_ratio=0.01)
    >>> system.nstates
    42
    """
    model = kernels.elastic_model(robot, connectors)
    if model.structure.flexible:
        ends = " and ".join(end for end, _ in model.structure.flexible)
        raise GoughError(
            f"{model.robot.name}: compliant {ends}; lengths and forces of the legs are known "
            "between rigid frames only; expected no flexibility, or gough.natural_modes"
        )
    at = kernels.one_pose(model.robot, pose, "one state")
    if not 0 <= damping_ratio < 1:
        raise GoughError(f"damping_ratio is {damping_ratio!r}; expected from 0 to below 1")
    with one_thread():
        vibrating = vibrating_at(model, at, actuators, wrench, rotors=False)
        squares, shapes = vibrating.natural_modes()
    if vibrating.free is not None:
        vibrating, shapes = vibrating.in_modes(squares, shapes), np.eye(len(shapes))
    axes = driven_axes(model, vibrating, kernels.actuator_compliance(model.robot, actuators))
    D = leg_damping(axes, len(vibrating.M)) + _joint_damping(model, vibrating, at)
    by_mode = shapes @ vibrating.M
    D += by_mode.T @ (2 * damping_ratio * np.sqrt(np.abs(squares))[:, None] * by_mode)
    one_point = partial(require_row, size=3, expected="(3,), one point of finite numbers [m]")
    at_tool, about = one_point("tool", tool), one_point("pivot", pivot)
    plant = _Plant(vibrating, axes, D, transform(at, at_tool), about)
    return plant.system(signal_name(model.robot.name))


def _joint_damping(model: Kernels, vibrating: Vibrating, pose: Array) -> Array:
    """Damping of the legs' joints (n, n) [N s/m, …]; GoughError where one has no axes."""
    if vibrating.D is not None:
        return vibrating.D
    found = kernels.joint_damping_kernel(model.machines)(pose)
    if not np.isfinite(found).all():
        raise GoughError(
            f"{model.robot.name}: a leg lies along the first axis of its universal joint at the "
            f"pose {pose.tolist()}; expected another pose"
        )
    return np.asarray(vibrating.twist_basis.T @ found @ vibrating.twist_basis)


class AxisSignals(NamedTuple):
    """Names of an actuator's signals."""

    force: str
    stroke: str
    position: str
    speed: str


SLIDE = AxisSignals("force", "stroke", "position", "speed")
HINGE = AxisSignals("torque", "turn", "angle", "rate")


@dataclass(frozen=True)
class DrivenAxis:
    """One driven joint. Rows are by the machine's coordinates (n)."""

    name: str
    signals: AxisSignals
    compliance: float  # [m/N, rad/(N m)] of what holds the actuator: 0 if locked, inf if free
    piston: Array | None  # motion of the actuator's output: with the platform or alone; None: held
    behind: float  # compliance [m/N, rad/(N m)] between the base and that output; inf if free

    @property
    def gain(self) -> float:
        """Force on the joint per force of its actuator; per stroke [N/m] of a locked one."""
        if self.compliance == 0:
            return 1 / self.behind
        return 1.0 if self.compliance == inf else self.compliance / self.behind


@dataclass(frozen=True)
class LegAxis(DrivenAxis):
    """One leg of a hexapod along its axis."""

    length: Array  # change of its length, from joint to joint
    stage: Array | None  # motion of its decoupling stage
    connector: Connector
    ahead: float  # compliance [m/N] between the piston and the platform; zero of a rigid connector
    before_coupling: float  # part of it before the coupling stage, with the joint's [m/N]

    @property
    def compression(self) -> Array:
        """Compression of its connector."""
        return -self.length if self.piston is None else self.piston - self.length

    @property
    def lags(self) -> bool:
        """Whether the coupling stage's compression lags: a spring before it, and a damper in it."""
        coupling = self.connector.coupling
        return coupling is not None and coupling.damping > 0 and self.before_coupling > 0

    @property
    def parallel_damping(self) -> float:
        """Damper [N s/m] of a coupling stage that the connector's compression presses directly."""
        coupling = self.connector.coupling
        return 0.0 if coupling is None or self.before_coupling > 0 else coupling.damping


def driven_axes(model: Kernels, vibrating: Vibrating, compliance: Array) -> list[DrivenAxis]:
    """Axes of a machine at a pose, whose actuators have a compliance (n) [m/N, rad/(N m)]."""
    rows = vibrating.drives
    if rows is None and model.robot.extensible_legs:
        return [*_leg_axes(model, vibrating, compliance)]
    if rows is None:
        rows = model.jacobian(vibrating.pose) @ vibrating.twist_basis
    stiffness = np.array(model.robot.drive_stiffness_at(vibrating.pose))
    driven, behind = model.structure.driven, 1 / stiffness + compliance
    names = signal_names(joint.name for joint in driven)
    kinds = (HINGE if joint.turns else SLIDE for joint in driven)
    outputs = (row if c else None for row, c in zip(rows, behind, strict=True))
    return list(map(DrivenAxis, names, kinds, compliance.tolist(), outputs, behind.tolist()))


def _leg_axes(model: Kernels, vibrating: Vibrating, compliance: Array) -> Iterator[LegAxis]:
    hexapod, pose = machine_of(model.robot).hexapod, vibrating.pose
    names, J = vibrating.coordinates, model.jacobian(pose)
    lengths = model.inverse_kinematics(pose)
    legs = zip(model.robot.extensible_legs, model.structure.driven, strict=True)
    for k, (leg, joint) in enumerate(legs):
        springs = springs_of(hexapod, k)
        row = np.concatenate([J[k], np.zeros(len(names) - J.shape[1])])
        behind = float(springs.behind(ca.DM(lengths[k]))) + compliance[k]
        ahead, piston = float(springs.ahead()), _unit(names, f"{joint.name} piston")
        if springs.connector.is_rigid:
            piston, behind, ahead = row, behind + ahead, 0.0
        stage, connector = _unit(names, f"{joint.name} stage"), leg.connector or Connector()
        K_L = springs.connector.stiffness  # with the joint, in series with the coupling stage
        before = float(springs.bearing) + (0.0 if K_L is None else float(1 / K_L))
        held = float(compliance[k])
        yield LegAxis(joint.name, SLIDE, held, piston, behind, row, stage, connector, ahead, before)


def leg_damping(axes: list[DrivenAxis], size: int) -> Array:
    """Damping matrix of the connectors (n, n) [N s/m], without coupling stages behind springs."""
    D = np.zeros((size, size))
    for leg in axes:
        if not isinstance(leg, LegAxis):
            continue
        if leg.piston is not None:
            D += leg.connector.damping * np.outer(leg.piston, leg.piston)
        if leg.stage is not None and leg.connector.decoupling is not None:
            against = leg.stage - leg.length
            D += leg.connector.decoupling.damping * np.outer(against, against)
        D += leg.parallel_damping * np.outer(leg.compression, leg.compression)
    return D


def _unit(names: tuple[str, ...], name: str) -> Array | None:
    """The row of one coordinate; None if there is none of that name."""
    return np.eye(len(names))[names.index(name)] if name in names else None


@dataclass(frozen=True)
class _Plant:
    """M z̈ + D ż + K z = B u, with an additional state for each coupling stage that lags."""

    vibrating: Vibrating
    axes: list[DrivenAxis]
    D: Array
    tool: Array  # (3) point of the platform whose signals these are [m], base axes
    pivot: Array  # (3) point about which the base rotates [m]

    @cached_property
    def motion(self) -> Array:
        """(6, n) motion of the tool, by the coordinates."""
        arm = self.tool - self.vibrating.pose[:3]
        return np.asarray(twist_transfer(arm) @ self.vibrating.twist_basis)

    def system(self, name: str) -> StateSpace:
        """ẋ = A x + B u, y = C x + D u, with names of all signals."""
        n, inputs = len(self.D), self._inputs()
        A = self._rates()
        B = np.zeros((len(A), len(inputs)))
        B[n : 2 * n] = np.linalg.solve(self.vibrating.M, np.stack(list(inputs.values()), axis=1))
        rows = self._outputs(A, B, list(inputs))
        C, D = map(np.array, zip(*rows.values(), strict=True))
        names = self.vibrating.coordinates
        lags = (f"{leg.name}_coupling" for leg in self._lagging)
        states = [*names, *(f"{name}_rate" for name in names), *lags]
        signals = {"states": states, "inputs": list(inputs), "outputs": list(rows)}
        return linear_system(A, B, C, D, **signals, name=name)

    def _rates(self) -> Array:
        """A of (z, ż, δ): compression δ of a stage, c δ̇ = k₁ (u·z - δ) - k δ behind a spring k₁."""
        n, K = len(self.D), self.vibrating.K.copy()
        A = np.zeros((2 * n + len(self._lagging),) * 2)
        for j, leg in enumerate(self._lagging, 2 * n):
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
        """Forces on all coordinates (n) for a unit of each input."""
        found = {}
        for axis in self.axes:
            if axis.piston is not None:
                kind = axis.signals.stroke if axis.compliance == 0 else axis.signals.force
                found[f"{axis.name}_{kind}"] = axis.piston * axis.gain
        S = self.vibrating.momentum
        turned = -twist_transfer(self.vibrating.robot.gravity)[:3, 3:]  # to g - θ × g, by angles θ
        for names, kind, forces in (
            (MOVES, "wrench", self.motion),
            (MOVES, "base", (-S.T @ twist_transfer(-self.pivot)).T),
            (TURNS, "tilt", (S[:3].T @ turned).T),
        ):
            found |= {f"{name}_{kind}": row for name, row in zip(names, forces, strict=True)}
        return found

    def _outputs(self, A: Array, B: Array, inputs: list[str]) -> dict[str, tuple[Array, Array]]:
        """Rows of each output: by all states, and by all inputs."""
        n, none, motion = len(self.D), np.zeros(len(inputs)), self.motion
        found = {move: (_by_state(row, A), none) for move, row in zip(MOVES, motion, strict=True)}
        base = [inputs.index(f"{move}_base") for move in MOVES]
        carried = twist_transfer(self.tool - self.pivot)  # with the base, if it were rigid
        for move, row, with_base in zip(MOVES, motion, carried, strict=True):
            by_input = row @ B[n : 2 * n]
            by_input[base] += with_base
            found[f"{move}_acceleration"] = (row @ A[n : 2 * n], by_input)
        for axis in self.axes:
            if isinstance(axis, LegAxis):
                found[f"{axis.name}_length"] = (_by_state(axis.length, A), none)
                if axis.ahead > 0:
                    found[f"{axis.name}_push"] = (self._push(axis, A), none)
            if axis.piston is None:
                continue
            position, words = _by_state(axis.piston, A), axis.signals
            names = [f"{axis.name}_{kind}" for kind in (words.force, words.stroke)]
            own = np.array([name in names for name in inputs], dtype=float)
            found[f"{axis.name}_{words.position}"] = (position, none)
            found[f"{axis.name}_{words.speed}"] = (np.roll(position, n), none)
            found[f"{axis.name}_{words.force}"] = (-position / axis.behind, own * axis.gain)
        return found

    def _push(self, leg: LegAxis, A: Array) -> Array:
        """Row of a connector's force by the states: of its springs, and of a damper in parallel."""
        n, pressed = len(self.D), _by_state(leg.compression, A)
        if not leg.lags:
            return pressed / leg.ahead + leg.parallel_damping * np.roll(pressed, n)
        lag = np.eye(len(A))[2 * n + [other.name for other in self._lagging].index(leg.name)]
        return np.asarray((pressed - lag) / leg.before_coupling)

    @property
    def _lagging(self) -> list[LegAxis]:
        """Legs whose coupling stages have a state each."""
        return [leg for leg in self.axes if isinstance(leg, LegAxis) and leg.lags]


def _by_state(row: Array, A: Array) -> Array:
    """A row of coordinates as one of states."""
    return np.concatenate([row, np.zeros(len(A) - len(row))])


def damped(system: StateSpace, law: Law, gain: float, leak: float = 0.0) -> StateSpace:
    """Close the same feedback around each leg of an `elastic_state_space`; its signals stay.

    "integral force": u = -gain ∫ F dt of the force F beside the actuator, gain in 1/s, or in
    m/(N s) of locked actuators, whose input is a stroke; "integral push" of that in the connectors,
    which sensors between piston and platform measure. Integrals fade by `leak` [1/s]. "velocity":
    u = -gain v of the piston's speed v, gain in N s/m, or in s for locked ones. Hinges have torques
    and angles instead.
    """
    if law not in LAWS:
        raise GoughError(f"law is {law!r}; expected one of {', '.join(LAWS)}")
    inputs, outputs = system.input_labels, system.output_labels
    locked = any(name.endswith(("_stroke", "_turn")) for name in inputs)
    acting = named_places(inputs, ("stroke", "turn") if locked else ("force", "torque"), "inputs")
    measured = named_places(outputs, LAWS[law], "outputs")
    if len(measured) != len(acting):
        raise GoughError(
            f"{len(measured)} of {len(acting)} actuators measure what {law!r} needs; expected all "
            "of them"
        )
    gain, leak = require_not_negative("gain", gain), require_not_negative("leak", leak)
    A, B, C, D, states = system.A, system.B, system.C, system.D, system.state_labels
    B_u, C_y, D_u, D_y = B[:, acting], C[measured], D[:, acting], D[measured]
    if law == "velocity":  # a speed follows no input at once
        A, C = A - gain * B_u @ C_y, C - gain * D_u @ C_y
    else:
        fading = leak * np.eye(len(measured))
        A = np.block([[A, -gain * B_u], [C_y, -gain * D_y[:, acting] - fading]])
        B, C = np.vstack([B, D_y]), np.hstack([C, -gain * D_u])
        states = [*states, *(f"{outputs[k]}_integral" for k in measured)]
    names = {"states": states, "inputs": inputs, "outputs": outputs, "name": system.name}
    return linear_system(A, B, C, D, **names)


def root_locus(system: StateSpace, law: Law, gains: ArrayLike, leak: float = 0.0) -> AnyArray:
    """Poles (g, n) [rad/s] of the damped system at gains (g), sorted by their frequency."""
    known = array_of_numbers(gains, "gains")
    found = np.array([damped(system, law, gain, leak).poles() for gain in np.atleast_1d(known)])
    return np.take_along_axis(found, np.argsort(np.abs(found), axis=-1), axis=-1)
