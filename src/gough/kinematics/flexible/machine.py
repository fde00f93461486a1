"""A machine of which some links bend: its dynamics, deflections and natural frequencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.elastic.held import actuator_stiffness
from gough.kinematics.flexible import kernels
from gough.kinematics.flexible.assembly import assembled, rigid_motion
from gough.kinematics.flexible.rows import held_acceleration, least, null_space
from gough.model.flexible.beam import BeamStiffness
from gough.model.flexible.spanning import beams_of, check_beams, spanned
from gough.poses.given import finite
from gough.robot import Mechanism
from gough.shown.brief import brief

STEPS = 30
"""Newton's, to a deflected state: a few do if the deformation is small."""
SETTLED = 1e-12
"""A smaller step, beside one radian or machine sizes, is the last."""
UNHELD = 1e-13
"""A stiffness beside the largest one that is none: rods spin between balls."""
FAR = 0.5
"""Coordinates [rad, m] that loads move farther have not been bent but fall."""
BALANCED = 1e-6
"""Force that nothing bears, beside the largest one."""


@dataclass(frozen=True)
class Deflected:
    """A machine that is bent by its loads."""

    z: Array
    """(n) coordinates."""
    force: Array
    """Efforts of the motors [N m, N]."""
    held: Array
    """Forces in the rows that close its loops."""
    pose: Array
    """(7) of the platform."""

    __repr__ = brief


class FlexibleMachine:
    """A machine of any kind with bodies that are beams: a floating frame each, small deformation.

    Its coordinates z are the positions of the joints of a tree that holds all bodies, then the
    elastic ones of each beam: displacement and turn [m, rad] of its last end, in its own axes, and
    the amplitudes of `modes` of its natural modes with both ends clamped [kg^(1/2) m].

    Which bodies are beams their names say in `beams`, and if that is left out the robot's file. All
    else is rigid here: flexures and the `bearing` of joints are left to `gough.stiffness`.
    """

    def __init__(
        self,
        robot: Mechanism,
        beams: Mapping[str, BeamStiffness] | None = None,
        *,
        modes: int = 2,
        elements: int = 8,
    ) -> None:
        if not isinstance(robot, Mechanism):
            raise GoughError(
                f"flexible links are those of a machine of the schema gough/2; got {robot!r:.80}"
            )
        self.beams = beams_of(robot) if beams is None else dict(beams)
        check_beams(robot, self.beams)
        _check_count("modes", modes, 0)
        _check_count("elements", elements, 1)
        self.robot = robot
        self._made_of = robot, tuple(self.beams.items()), modes, elements
        found = spanned(*self._made_of)
        self.coordinates = found.coordinates
        """Their names: of joints, and of each beam's elastic coordinates."""
        self._machine = found.machine
        joints = found.machine.joints
        self.motors = np.array([joints.index(k) for k in found.machine.driven], dtype=int)
        """Which coordinates the driven joints are."""
        self.joints = len(joints)
        """How many coordinates are joints; the others are elastic."""
        self.positions_at_home = np.array([found.machine.links[k].joint.at_home for k in joints])
        """Of the joints [rad, m]."""
        self.moves = np.array(robot.platform.rows, dtype=float)
        """Rows of what the platform can do."""

    def __repr__(self) -> str:
        return f"<gough flexible machine: {self.robot.name}, {len(self.coordinates)} coordinates>"

    def at(self, pose: Any = None) -> Array:
        """The coordinates z (n) of the machine at a pose (7), by default home, nothing bent."""
        return assembled(self, self._pose(pose))

    def pose(self, z: Any) -> Array:
        """The pose (7) of the platform."""
        from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

        position, R, _, _ = self.platform(self._state(z, "z"))
        x, y, z_, w = Rotation.from_matrix(R).as_quat()
        return np.array([*position, w, x, y, z_])

    def forward_dynamics(self, z: Any, rate: Any, force: Any, wrench: Any = None) -> Array:
        """Accelerations (..., n) of all coordinates under the motors' efforts.

        A wrench (..., 6) [N, N m] acts on the platform.
        """
        z, rate = self._state(z, "z"), self._state(rate, "rate")
        M, h = self._dynamics(z, rate, _six(wrench, "wrench"))
        _, C, drift = self.closing(z, rate)
        given = np.zeros(np.broadcast_shapes(h.shape[:-1], np.shape(force)[:-1]) + h.shape[-1:])
        given[..., self.motors] = finite(force, "force", len(self.motors))
        return held_acceleration(M, given - h, C, -drift)[0]

    def inverse_dynamics(
        self, z: Any, rate: Any, motors: Any, wrench: Any = None
    ) -> tuple[Array, Array]:
        """Efforts of the motors that give them accelerations, and accelerations of all coordinates.

        How the links swing on is not for the motors to say: it follows from z and rate.
        """
        z, rate = self._state(z, "z"), self._state(rate, "rate")
        M, h = self._dynamics(z, rate, _six(wrench, "wrench"))
        _, C, drift = self.closing(z, rate)
        wanted = finite(motors, "motors", len(self.motors))
        rows, ends = self._with_motors(C), np.broadcast_to(-drift, (*h.shape[:-1], C.shape[-2]))
        wanted = np.broadcast_to(wanted, (*h.shape[:-1], len(self.motors)))
        accelerations, multipliers = held_acceleration(
            M, -h, rows, np.concatenate([ends, wanted], axis=-1)
        )
        return multipliers[..., C.shape[-2] :], accelerations

    def energy(self, z: Any, rate: Any) -> Array:
        """Kinetic, gravitational and elastic energy (..., 3) [J]."""
        return np.stack(self._energies(self._state(z, "z"), self._state(rate, "rate")), axis=-1)

    def deflected(
        self, pose: Any = None, twist: Any = None, acceleration: Any = None, wrench: Any = None
    ) -> Deflected:
        """The machine as loads bend it, without swinging; by default its weight at home.

        The motors are where the rigid machine has them at the pose. Inertia is that of the rigid
        machine's motion. A wrench (6) [N, N m] acts on the platform.
        """
        motion = _six(twist, "twist"), _six(acceleration, "acceleration")
        start = self.at(pose)
        rate, second = rigid_motion(self, start, *motion)
        return self._settled(start, rate, second, _six(wrench, "wrench"))

    def natural_frequencies(
        self, pose: Any = None, *, actuators: Any = "locked", wrench: Any = None
    ) -> Array:
        """Natural frequencies [Hz], the lowest first, about the machine as its loads bend it.

        The actuators are "locked", "free" under the efforts that hold the machine, or springs of a
        stiffness [N m/rad, N/m], all in series with the `stiffness` of their drives. A motion that
        falls, as a pendulum's upright, has the negative of its rate's share of a turn.
        """
        return self.vibration(pose, actuators=actuators, wrench=wrench)[0]

    def vibration(
        self, pose: Any = None, *, actuators: Any = "locked", wrench: Any = None
    ) -> tuple[Array, Array]:
        """The same frequencies (k) [Hz], and the modes (n, k) in z, of unit modal mass."""
        from scipy.linalg import eigh  # noqa: PLC0415  (slow to import)

        stiffness = self._stiffness(actuators)
        at, rest = self.deflected(pose, wrench=wrench), np.zeros(len(self.coordinates))
        M, _ = self._dynamics(at.z)
        _, C, _ = self.closing(at.z, rest)
        _, K = self._needed(at.z, rest, rest, _six(wrench, "wrench"), at.held)
        held = np.isinf(stiffness)
        K[self.motors[~held], self.motors[~held]] += stiffness[~held]
        N = null_space(self._with_motors(C)[np.r_[np.full(len(C), True), held]])
        squares, modes = eigh(N.T @ (K + K.T) @ N / 2, N.T @ M @ N)
        return np.copysign(np.sqrt(np.abs(squares)), squares) / (2 * np.pi), N @ modes

    def closing(self, z: Array, rate: Array) -> Any:
        """Gaps of the loops, rows C, and their drift κ."""
        if self._machine.cuts:
            return self._closing(z, rate)
        none = np.zeros((*z.shape[:-1], 0))
        return none, np.zeros((*none.shape, len(self.coordinates))), none

    def platform(self, z: Array, rate: Array | None = None) -> Any:
        """The platform's position, rotation, twist by rates, and acceleration at z̈ = 0."""
        return self._platform(z, np.zeros_like(z) if rate is None else rate)

    def _settled(self, start: Array, rate: Array, second: Array, wrench: Array) -> Deflected:
        """Newton's steps to where loads and links balance, the motors being held."""
        z, held, rest = start, np.zeros(self._machine.gaps), np.zeros_like(start)
        for _ in range(STEPS):
            gaps, C, _ = self.closing(z, rest)
            needed, K = self._needed(z, rate, second, wrench, held)
            A = self._with_motors(C)
            closing = least(A, np.r_[-gaps, np.zeros(len(self.motors))])
            N = null_space(A)
            step = closing - N @ least(N.T @ K @ N, N.T @ (needed + K @ closing), UNHELD)
            z = z + step
            if np.abs(z - start).max(initial=0.0) > FAR:
                break
            multipliers = least(A.T, needed + K @ step)
            held, force = multipliers[: len(C)], multipliers[len(C) :]
            if np.abs(step).max(initial=0.0) < SETTLED * max(1.0, np.abs(z).max()):
                left = np.abs(needed + K @ step - A.T @ multipliers).max(initial=0.0)
                rounding = SETTLED * np.abs(K).max(initial=0.0)
                if left <= BALANCED * np.abs(needed).max(initial=0.0) + rounding:
                    return Deflected(z, force, held, self.pose(z))
                break
        raise GoughError(
            f"{self.robot.name}: no state near by in which its links bear the loads; "
            "expected links that bend little, and nothing that can fall with its motors held"
        )

    def _stiffness(self, actuators: Any) -> Array:
        """Of the driven joints [N m/rad, N/m], motors and drives in series; inf where held."""
        motors = actuator_stiffness(actuators, len(self.motors))
        drives = np.array([joint.springs.get("stiffness", np.inf) for joint in self.robot.driven])
        with np.errstate(divide="ignore"):
            return np.asarray(1 / (1 / motors + 1 / drives))

    def _needed(
        self, z: Array, rate: Array, second: Array, wrench: Array, held: Array
    ) -> tuple[Array, Array]:
        """M z̈ + h, and the derivatives of M z̈ + h - Cᵀ λ by z at held forces λ."""
        needed, K = self._tangent(z, rate, second, wrench)
        return needed, K - self._closing_tangent(z, held) if self._machine.cuts else K

    def _with_motors(self, C: Array) -> Array:
        """Rows C, and those that hold the motors."""
        motors = np.eye(len(self.coordinates))[self.motors]
        return np.concatenate([C, np.broadcast_to(motors, (*C.shape[:-2], *motors.shape))], axis=-2)

    def _pose(self, pose: Any) -> Array:
        at = finite(self.robot.home if pose is None else pose, "pose", 7)
        if at.ndim != 1:
            raise GoughError(f"pose has shape {at.shape}; expected (7,), one pose")
        return at

    def _state(self, value: Any, name: str) -> Array:
        return finite(value, name, len(self.coordinates))

    @cached_property
    def _dynamics(self) -> Any:
        return kernels.dynamics_kernel(*self._made_of)

    @cached_property
    def _closing(self) -> Any:
        return kernels.closing_kernel(*self._made_of)

    @cached_property
    def _closing_tangent(self) -> Any:
        return kernels.closing_tangent_kernel(*self._made_of)

    @cached_property
    def _platform(self) -> Any:
        return kernels.platform_kernel(*self._made_of)

    @cached_property
    def _tangent(self) -> Any:
        return kernels.tangent_kernel(*self._made_of)

    @cached_property
    def _energies(self) -> Any:
        return kernels.energy_kernel(*self._made_of)


def _six(value: Any, name: str) -> Array:
    return np.zeros(6) if value is None else finite(value, name, 6)


def _check_count(name: str, value: int, smallest: int) -> None:
    if not isinstance(value, int) or value < smallest:
        raise GoughError(f"{name} is {value!r}; expected a whole number from {smallest} on")
