"""A machine with flexible links: its dynamics, deflections and natural frequencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from gough import poses
from gough.arrays import Array
from gough.checks import require_integer
from gough.display import Displayable, Table
from gough.elastic.flexible.beam import BeamStiffness
from gough.elastic.flexible.coordinates import (
    MASSLESS,
    REPEATED,
    UNHELD,
    Coordinates,
    heavy_motions,
    held_acceleration,
    least_norm,
    root_of,
    without_spins,
)
from gough.elastic.flexible.link_tree import beams_of
from gough.elastic.kernels import LINK, LOCKED, actuator_compliance, one_pose, six_or_zero
from gough.elastic.vibrating import Vibrating, platform_shares
from gough.errors import GoughError, LegLengthError, RobotError
from gough.model.mechanism.decisions.samples import null_space
from gough.poses.given import finite
from gough.poses.rows import pose_rows
from gough.robot import MOVES, Robot, as_mechanism

SOLVING_STEPS = 30  # maximum number of Newton's steps: a few suffice if the deformation is small
SETTLED = 1e-12  # step of the coordinates [rad, m] below which Newton's method has converged
FAR = 0.5  # maximum change of a coordinate [rad, m] by bending; beyond it the machine falls
BALANCED = 1e-6  # maximum unbalanced force, relative to the maximum force
STAGES = 8  # number of stages from home to a pose, so that every joint stays on its branch
STEPS = 20
CLOSED = 1e-11  # gaps and displacements that count as zero [m, rad]
IMPOSSIBLE = 1e-6  # maximum part of a motion that the joints may fail to follow


@final
@dataclass(frozen=True)
class BentVibrating(Vibrating):
    """Small vibrations in the coordinates of a FlexibleMachine."""

    def participation(self, shapes: Array) -> tuple[tuple[str, ...], Array]:
        """The platform's six directions, about its mass centre, and all links together."""
        platform = platform_shares(self.robot, self.pose, shapes @ self.twist_basis.T)
        links = 1 - platform.sum(-1, keepdims=True)
        return (*MOVES, LINK), np.concatenate([platform, links], axis=-1)


class FlexibleMachine(Coordinates):
    """A robot with bodies that are beams: a floating frame each, small deformation.

    Its coordinates z are the positions of the joints of a tree that holds all bodies, then the
    elastic ones of each beam: displacement and rotation [m, rad] of its last end, in its own axes,
    and the amplitudes of `modes` of its natural modes with both ends clamped [kg^(1/2) m]. A joint
    of the tree with a compliant `bearing` has the strains of that among its positions; bearings
    and flexures are springs that are relaxed at home.

    `beams` gives the bodies that are beams by their names; by default those of the robot's file.
    The numbers of `modes` and `elements` of each, or of `segments` with springs between them, and
    its `damping` ratio, are also in the file; values given here are for all of them.

    >>> import gough
    >>> beams = {"crank-left": gough.BeamStiffness(bending=(120.0, None), side=(1, 0, 0))}
    >>> machine = gough.FlexibleMachine(gough.load("five-bar"), beams, modes=1)
    >>> bool(gough.natural_modes(machine).frequencies[0] > 10)  # [Hz]
    True
    """

    def __init__(
        self,
        robot: Robot,
        beams: Mapping[str, BeamStiffness] | None = None,
        *,
        modes: int | None = None,
        elements: int | None = None,
        segments: int | None = None,
        damping: float | None = None,
    ) -> None:
        if not isinstance(robot, Robot):
            raise GoughError(f"flexible links are those of a robot; got {robot!r:.80}")
        self._stated, mechanism = robot, as_mechanism(robot)
        if {*(mechanism.branch or ())} - {1}:
            expected = "no branch: joints as coordinates start at the home configuration"
            raise RobotError(robot.name, key="branch", value=mechanism.branch, expected=expected)
        for_all = _for_all(modes=modes, elements=elements, segments=segments, damping=damping)
        given = beams_of(mechanism, beams).items()
        links = {name: replace(link, **for_all) for name, link in given}
        cut = [name for name, link in links.items() if link.segments is not None]
        if cut and (beside := for_all.keys() & {"modes", "elements"}):
            expected = "without modes and elements: all motions of its segments count"
            raise GoughError(f"{min(beside)} given for {cut[0]}, a beam of segments; {expected}")
        super().__init__(mechanism, tuple(links.items()))
        self.beams = {name: link.stiffness for name, link in links.items()}

    def __repr__(self) -> str:
        return f"<gough flexible machine: {self.robot.name}, {len(self.coordinates)} coordinates>"

    def at(self, pose: ArrayLike | None = None) -> Array:
        """Return the coordinates z (n) of the undeformed machine at a pose (7), by default home.

        Only the components of the pose along its degrees of freedom count; the others follow.
        """
        z, rigid = np.zeros(self.tree.size), np.array(self.rigid.tree.at_home)
        home, wanted = np.asarray(self.robot.home, dtype=float), one_pose(self.robot, pose)
        for share in np.linspace(0.0, 1.0, STAGES + 1):
            rigid = _closed(self.rigid, rigid, poses.interpolate(home, wanted, share))
        z[self.unstrained] = rigid
        return z

    def gaps(self, z: ArrayLike) -> Array:
        """Gaps of its loops (..., m) [m, sines of angles]."""
        return np.asarray(self.closing(self._state(z, "z"))[0])

    def twist(self, z: ArrayLike, rate: ArrayLike) -> Array:
        """The twist (6) of the platform [m/s, rad/s], base axes."""
        _, _, rates, _ = self.platform(self._state(z, "z"))
        return np.asarray(rates @ self._state(rate, "rate"))

    def forward_dynamics(
        self, z: ArrayLike, rate: ArrayLike, force: ArrayLike, wrench: ArrayLike | None = None
    ) -> Array:
        """Accelerations (..., n) under the motors' efforts and a wrench (..., 6) [N, N m]."""
        M, h, C, drift = self._dynamics(z, rate, wrench)
        efforts = finite(force, "force", len(self.motors))
        given = np.zeros((*np.broadcast_shapes(h.shape[:-1], efforts.shape[:-1]), h.shape[-1]))
        given[..., self.motors] = efforts
        return held_acceleration(M, given - h, C, -drift)[0]

    def inverse_dynamics(
        self, z: ArrayLike, rate: ArrayLike, motors: ArrayLike, wrench: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """Return the motors' efforts for their accelerations, and accelerations of all coordinates.

        The motors do not determine the vibration of the links: it follows from z and rate.
        """
        M, h, C, drift = self._dynamics(z, rate, wrench)
        wanted = finite(motors, "motors", len(self.motors))
        batch = np.broadcast_shapes(h.shape[:-1], wanted.shape[:-1])
        parts = (np.broadcast_to(part, (*batch, part.shape[-1])) for part in (-drift, wanted))
        ends = np.concatenate(tuple(parts), axis=-1)
        second, multipliers = held_acceleration(M, -h, self.with_motors(C), ends)
        return multipliers[..., self.tree.gaps :], second

    def _dynamics(
        self, z: ArrayLike, rate: ArrayLike, wrench: ArrayLike | None
    ) -> tuple[Array, Array, Array, Array]:
        """M, h, C and κ of M z̈ + h = Bᵀ τ + Cᵀ λ and C z̈ + κ = 0."""
        state = self._state(z, "z"), self._state(rate, "rate")
        M, h = self.kernel("dynamics")(*state, six_or_zero(wrench))
        _, C, drift = self.closing(*state)
        return M, h, C, drift

    def energy(self, z: ArrayLike, rate: ArrayLike) -> Array:
        """Kinetic, gravitational and elastic energy (..., 3) [J]."""
        state = self._state(z, "z"), self._state(rate, "rate")
        return np.stack(self.kernel("energy")(*state), axis=-1)

    def deflected(
        self,
        pose: ArrayLike | None = None,
        twist: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
    ) -> Deflected:
        """Return the machine deflected by loads, without vibration; by default its weight at home.

        The motors are where the rigid machine has them at the pose. Inertia is that of the rigid
        machine's motion. A wrench (6) [N, N m] acts on the platform.
        """
        motion = six_or_zero(twist, "twist"), six_or_zero(acceleration, "acceleration")
        start = self.at(pose)
        return self._deflected(start, *self.rigid_motion(start, *motion), six_or_zero(wrench))

    def steady_motion(
        self, pose: ArrayLike | None = None, twist: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """Return the coordinates z (n) and rates of a steady motion through a pose at a twist.

        Its weight and inertia deflect it, without vibration; the motors move as those of the rigid
        machine. Refused where a motion moves no mass: its acceleration would not be determined.
        """
        start = self.at(pose)
        rate, second = self.rigid_motion(start, six_or_zero(twist, "twist"), np.zeros(6))
        z = self._deflected(start, rate, second, np.zeros(6)).z
        root_of(self.mass_matrix(z))
        _, C, _ = self.closing(z)
        held = np.zeros(len(self.motors))
        return z, rate + least_norm(self.with_motors(C), np.r_[-C @ rate, held])

    def vibrating(
        self,
        pose: ArrayLike | None = None,
        *,
        actuators: ArrayLike = LOCKED,
        wrench: ArrayLike | None = None,
    ) -> Vibrating:
        """Return the matrices of small vibrations about the state deflected by loads at a pose (7).

        The actuators are "locked", "free" under the efforts that hold the machine, or springs of a
        stiffness [N m/rad, N/m], all in series with the `stiffness` of their drives. Passive spins
        without stiffness are left out.
        """
        at = self.deflected(pose, wrench=wrench)
        given, rest = actuator_compliance(self.robot, actuators), np.zeros(self.tree.size)
        with np.errstate(divide="ignore"):
            drives = np.array(self._stated.drive_stiffness_at(one_pose(self.robot, pose)))
            stiffness = np.asarray(1 / (given + 1 / drives))
        M, (_, C, _) = self.mass_matrix(at.z), self.closing(at.z)
        _, K = self.needed(at.z, rest, rest, six_or_zero(wrench), at.held)
        held = np.isinf(stiffness)
        springs = self.motors[~held]
        K[springs, springs] += stiffness[~held]
        K = (K + K.T) / 2
        ties = self.with_motors(C)[np.r_[np.full(len(C), True), held]]
        _, _, twist_basis, _ = self.platform(at.z)
        N = without_spins(M, K, null_space(ties, REPEATED), self.with_motors(twist_basis))
        if N.size and np.linalg.cond(N.T @ M @ N) > 1 / MASSLESS:  # else free ones stay exact
            N = heavy_motions(M, K, N)
        matrices = M, K, twist_basis, self.momentum(at.z), N
        return BentVibrating(self.robot, at.pose, self.coordinates, *matrices, beams=self.bending)

    def rigid_motion(self, z: Array, twist: Array, acceleration: Array) -> tuple[Array, Array]:
        """Rates and accelerations of the undeformed machine's coordinates for a platform motion."""
        firm, places, (rate, second) = self.rigid, self.unstrained, np.zeros((2, len(z)))
        at = z[places]
        rate[places] = _moved(firm, at, np.zeros_like(at), twist, "twist")
        second[places] = _moved(firm, at, rate[places], acceleration, "acceleration")
        return rate, second

    def _deflected(self, start: Array, rate: Array, second: Array, wrench: Array) -> Deflected:
        """Return the machine deflected by its weight, by inertia at these rates and by a wrench.

        Newton's method from coordinates z to M z̈ + h = Bᵀ τ + Cᵀ λ with closed loops. Joints that
        move although all motors of a rigid machine are locked, and that no spring pulls, stay where
        they are.
        """
        z, held, is_rigid = start, np.zeros(self.tree.gaps), self._is_rigid(start)
        while_held = np.zeros(len(self.motors))
        for _ in range(SOLVING_STEPS):
            gaps, C, _ = self.closing(z)
            needed, K = self.needed(z, rate, second, wrench, held)
            A = self.with_motors(C)
            closing = least_norm(A, np.r_[-gaps, while_held])
            N = null_space(A, REPEATED)[:, : 0 if is_rigid else None]
            step = closing - N @ least_norm(N.T @ K @ N, N.T @ (needed + K @ closing), UNHELD)
            z = z + step
            if np.abs(z - start).max() > FAR:
                break
            borne = needed + K @ step
            multipliers = least_norm(A.T, borne)
            held, force = np.split(multipliers, [self.tree.gaps])
            if np.abs(step).max() < SETTLED * max(1.0, np.abs(z).max()):
                left = np.abs(borne - A.T @ multipliers).max()
                if (
                    not is_rigid
                    and left > BALANCED * np.abs(needed).max() + SETTLED * np.abs(K).max()
                ):
                    break
                return Deflected(self.robot, z, force, held, self.pose(z))
        raise GoughError(
            f"{self.robot.name}: no state near by in which its links bear the loads; "
            "expected links that bend little, and no motion left with the motors locked"
        )

    def _is_rigid(self, z: Array) -> bool:
        """Whether nothing bends, and no spring pulls, while all motors are locked."""
        has_joints_alone = len(self.unstrained) == self.joints == len(z)
        if not (has_joints_alone and self.tree.springs):
            return has_joints_alone
        N = null_space(self.with_motors(self.closing(z)[1]), REPEATED)
        strain = np.column_stack(self._symbolic("strain", z))
        return bool((np.abs(N.T @ strain) <= REPEATED * np.abs(strain).max(axis=0)).all())

    def _state(self, value: ArrayLike, name: str) -> Array:
        return finite(value, name, self.tree.size)


def _for_all(**given: float | None) -> dict[str, Any]:
    """Return the numbers given for all beams; refuse values that a beam cannot have."""
    for name, least_count in (("modes", 0), ("elements", 1), ("segments", 2)):
        if given[name] is not None:
            require_integer(name, given[name], least=least_count)
    ratio = given["damping"]
    if ratio is not None and (not isinstance(ratio, int | float) or not 0 <= ratio <= 1):
        raise GoughError(f"damping is {ratio!r}; expected a ratio from 0 to 1")
    return {name: value for name, value in given.items() if value is not None}


def _closed(system: Coordinates, z: Array, pose: Array) -> Array:
    for _ in range(STEPS):
        gaps, C, _ = system.closing(z)
        _, _, rates, _ = system.platform(z)
        lacking = np.r_[-gaps, system.dof_rows @ poses.difference(pose, system.pose(z))]
        if not np.isfinite(lacking).all():
            raise LegLengthError(
                f"{system.robot.name}: a piston leaves its cylinder, or a part is longer than its "
                f"leg, on the way to the pose {np.round(pose, 6).tolist()}; expected another pose"
            )
        if np.abs(lacking).max() < CLOSED:
            return z
        rows = np.vstack([C, system.dof_rows @ rates])[:, : system.joints]
        z = z.copy()
        z[: system.joints] += least_norm(rows, lacking)
    raise GoughError(
        f"{system.robot.name} does not reach the pose {np.round(pose, 6).tolist()}: "
        f"{np.abs(lacking).max():.2g} m or rad are lacking"
    )


def _moved(system: Coordinates, z: Array, rate: Array, wanted: Array, name: str) -> Array:
    """Rates of the joints for a twist of the platform, or with rates their accelerations."""
    _, C, drift = system.closing(z, rate)
    _, _, rates, platform_drift = system.platform(z, rate)
    rows = np.vstack([C, system.dof_rows @ rates])[:, : system.joints]
    given = np.r_[-drift, system.dof_rows @ (wanted - platform_drift)]
    moved = np.zeros_like(z)
    moved[: system.joints] = least_norm(rows, given)
    lacking = np.abs(rows @ moved[: system.joints] - given).max()
    if lacking > IMPOSSIBLE * max(1.0, np.abs(given).max()):
        raise GoughError(
            f"{system.robot.name} cannot do the {name} {wanted.tolist()}: {lacking:.2g} is lacking"
        )
    return moved


@dataclass(frozen=True)
class Deflected(Displayable):
    """A machine deflected by its loads."""

    robot: Robot
    z: Array
    """(n) coordinates."""
    force: Array
    """Efforts of the motors [N m, N]."""
    held: Array
    """Constraint forces in the loop-closure rows."""
    pose: Array
    """(7) of the platform."""

    result_kind: ClassVar = "deflected by its loads"
    listed: ClassVar = "z force held pose"

    def tables(self) -> list[Table]:
        """The platform's pose, and efforts of the motors."""
        efforts = [
            (f"effort of {motor.name}", float(effort), "N m" if motor.turns else "N")
            for motor, effort in zip(self.robot.actuators, self.force, strict=True)
        ]
        return [Table.properties("", [*pose_rows(self.pose), *efforts])]
