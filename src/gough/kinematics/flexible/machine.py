"""A machine of which some links bend: its dynamics, deflections and natural frequencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.elastic.held import LOCKED, actuator_stiffness
from gough.kinematics.flexible.assembly import assembled, rigid_motion
from gough.kinematics.flexible.coordinates import Coordinates
from gough.kinematics.flexible.deflection import Deflected, deflected
from gough.kinematics.flexible.modes import FlexibleModes, flexible_modes
from gough.kinematics.flexible.rows import (
    MASSLESS,
    free_motions,
    held_acceleration,
    least,
    normal_modes,
    null_space,
    root_of,
)
from gough.model.flexible.beam import BeamStiffness, FlexibleLink
from gough.model.flexible.spanning import beams_of, check_beams
from gough.poses.given import finite
from gough.robot import Mechanism


class FlexibleMachine:
    """A machine of any kind with bodies that are beams: a floating frame each, small deformation.

    Its coordinates z are the positions of the joints of a tree that holds all bodies, then the
    elastic ones of each beam: displacement and turn [m, rad] of its last end, in its own axes, and
    the amplitudes of `modes` of its natural modes with both ends clamped [kg^(1/2) m]. A joint of
    the tree whose `bearing` yields has the strains of that among its positions; bearings and
    flexures are springs that home does not strain.

    Which bodies are beams their names say in `beams`, and if that is left out the robot's file. How
    many `modes` and `elements` each has, and its `damping` ratio, the file says too; what is given
    here is for all of them.
    """

    def __init__(
        self,
        robot: Mechanism,
        beams: Mapping[str, BeamStiffness] | None = None,
        *,
        modes: int | None = None,
        elements: int | None = None,
        damping: float | None = None,
    ) -> None:
        if not isinstance(robot, Mechanism):
            raise GoughError(
                f"flexible links are those of a machine of the schema gough/2; got {robot!r:.80}"
            )
        if beams is None:
            links = beams_of(robot)
        else:
            check_beams(robot, beams)
            links = {name: FlexibleLink(beam) for name, beam in beams.items()}
        for_all = _for_all(modes=modes, elements=elements, damping=damping)
        links = {name: replace(link, **for_all) for name, link in links.items()}
        self.robot = robot
        self._system = Coordinates(robot, tuple(links.items()))
        self.beams = {name: link.stiffness for name, link in links.items()}

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of z: of joints, and of each beam's elastic coordinates."""
        return self._system.names

    @property
    def motors(self) -> Array:
        """Which coordinates are those of the driven joints."""
        return self._system.motors.copy()

    def __repr__(self) -> str:
        return f"<gough flexible machine: {self.robot.name}, {len(self.coordinates)} coordinates>"

    def at(self, pose: Any = None) -> Array:
        """The coordinates z (n) of the machine at a pose (7), by default home, nothing bent."""
        return assembled(self._system, self._pose(pose))

    def pose(self, z: Any) -> Array:
        """The pose (7) of the platform."""
        return self._system.pose(self._state(z, "z"))

    def gaps(self, z: Any) -> Array:
        """How far its loops are open (..., m) [m, sines of angles]."""
        return np.asarray(self._system.closing(self._state(z, "z"))[0])

    def twist(self, z: Any, rate: Any) -> Array:
        """The twist (6) of the platform [m/s, rad/s], base axes."""
        _, _, rates, _ = self._system.platform(self._state(z, "z"))
        return np.asarray(rates @ self._state(rate, "rate"))

    def forward_dynamics(self, z: Any, rate: Any, force: Any, wrench: Any = None) -> Array:
        """Accelerations (..., n) of all coordinates under the motors' efforts.

        A wrench (..., 6) [N, N m] acts on the platform.
        """
        z, rate = self._state(z, "z"), self._state(rate, "rate")
        M, h = self._system.dynamics(z, rate, _six(wrench, "wrench"))
        _, C, drift = self._system.closing(z, rate)
        efforts = finite(force, "force", len(self.motors))
        given = np.zeros((*np.broadcast_shapes(h.shape[:-1], efforts.shape[:-1]), h.shape[-1]))
        given[..., self._system.motors] = efforts
        return held_acceleration(M, given - h, C, -drift)[0]

    def inverse_dynamics(
        self, z: Any, rate: Any, motors: Any, wrench: Any = None
    ) -> tuple[Array, Array]:
        """Efforts of the motors that give them accelerations, and accelerations of all coordinates.

        How the links swing on is not for the motors to say: it follows from z and rate.
        """
        z, rate = self._state(z, "z"), self._state(rate, "rate")
        M, h = self._system.dynamics(z, rate, _six(wrench, "wrench"))
        _, C, drift = self._system.closing(z, rate)
        wanted = finite(motors, "motors", len(self.motors))
        batch = np.broadcast_shapes(h.shape[:-1], wanted.shape[:-1])
        parts = (np.broadcast_to(part, (*batch, part.shape[-1])) for part in (-drift, wanted))
        ends = np.concatenate(tuple(parts), axis=-1)
        second, multipliers = held_acceleration(M, -h, self._system.with_motors(C), ends)
        return multipliers[..., self._system.gaps :], second

    def energy(self, z: Any, rate: Any) -> Array:
        """Kinetic, gravitational and elastic energy (..., 3) [J]."""
        return np.stack(
            self._system.energies(self._state(z, "z"), self._state(rate, "rate")), axis=-1
        )

    def deflected(
        self, pose: Any = None, twist: Any = None, acceleration: Any = None, wrench: Any = None
    ) -> Deflected:
        """The machine as loads bend it, without swinging; by default its weight at home.

        The motors are where the rigid machine has them at the pose. Inertia is that of the rigid
        machine's motion. A wrench (6) [N, N m] acts on the platform.
        """
        motion = _six(twist, "twist"), _six(acceleration, "acceleration")
        start = self.at(pose)
        rate, second = rigid_motion(self._system, start, *motion)
        return deflected(self._system, start, rate, second, _six(wrench, "wrench"))

    def led(self, pose: Any = None, twist: Any = None) -> tuple[Array, Array]:
        """Coordinates z (n) and rates of the machine led steadily through a pose at a twist.

        Its weight and inertia bend it, without swinging; the motors move as the rigid machine's.
        Refused where a motion moves no mass: it could not go on from there.
        """
        system, start = self._system, self.at(pose)
        speeds = _six(twist, "twist"), np.zeros(6)
        rate, second = rigid_motion(system, start, *speeds)
        bent = deflected(system, start, rate, second, np.zeros(6))
        root_of(system.mass_matrix(bent.z))
        _, C, _ = system.closing(bent.z)
        held = np.zeros(len(self.motors))
        return bent.z, rate + least(system.with_motors(C), np.r_[-C @ rate, held])

    def natural_frequencies(
        self, pose: Any = None, *, actuators: Any = LOCKED, wrench: Any = None
    ) -> Array:
        """Natural frequencies [Hz], the lowest first, about the machine as its loads bend it.

        The actuators are "locked", "free" under the efforts that hold the machine, or springs of a
        stiffness [N m/rad, N/m], all in series with the `stiffness` of their drives. A motion that
        falls, as a pendulum's upright, has the negative of its rate's share of a turn.
        """
        return self.vibration(pose, actuators=actuators, wrench=wrench)[0]

    def vibration(
        self, pose: Any = None, *, actuators: Any = LOCKED, wrench: Any = None
    ) -> tuple[Array, Array]:
        """The same frequencies (k) [Hz], and the modes (n, k) in z, of unit modal mass."""
        return self._vibration(self.deflected(pose, wrench=wrench), actuators, wrench)

    def modes(
        self, pose: Any = None, *, actuators: Any = LOCKED, wrench: Any = None
    ) -> FlexibleModes:
        """The same with what moves in each mode, the platform or the links, and which bend."""
        at = self.deflected(pose, wrench=wrench)
        return flexible_modes(self._system, at.z, at.pose, *self._vibration(at, actuators, wrench))

    def _vibration(self, at: Deflected, actuators: Any, wrench: Any) -> tuple[Array, Array]:
        system, stiffness = self._system, self._stiffness(actuators)
        rest = np.zeros(system.count)
        M, (_, C, _) = system.mass_matrix(at.z), system.closing(at.z)
        _, K = system.needed(at.z, rest, rest, _six(wrench, "wrench"), at.held)
        held = np.isinf(stiffness)
        springs = system.motors[~held]
        K[springs, springs] += stiffness[~held]
        ties = system.with_motors(C)[np.r_[np.full(len(C), True), held]]
        N = null_space(ties)
        if N.size and np.linalg.cond(N.T @ M @ N) > 1 / MASSLESS:  # else free ones stay exact
            N = free_motions(M, K, ties)
        squares, modes = normal_modes(N.T @ M @ N, N.T @ K @ N)
        return np.copysign(np.sqrt(np.abs(squares)), squares) / (2 * np.pi), N @ modes

    def _stiffness(self, actuators: Any) -> Array:
        """Of the driven joints [N m/rad, N/m], motors and drives in series; inf where held."""
        motors = actuator_stiffness(actuators, len(self.motors))
        drives = np.array([joint.springs.get("stiffness", np.inf) for joint in self.robot.driven])
        with np.errstate(divide="ignore"):
            return np.asarray(1 / (1 / motors + 1 / drives))

    def _pose(self, pose: Any) -> Array:
        at = finite(self.robot.home if pose is None else pose, "pose", 7)
        if at.ndim != 1:
            raise GoughError(f"pose has shape {at.shape}; expected (7,), one pose")
        return at

    def _state(self, value: Any, name: str) -> Array:
        return finite(value, name, self._system.count)


def _six(value: Any, name: str) -> Array:
    return np.zeros(6) if value is None else finite(value, name, 6)


def _for_all(**given: Any) -> dict[str, Any]:
    """What is given of all beams, refused where it is none of a beam's numbers."""
    for name, smallest in (("modes", 0), ("elements", 1)):
        count = given[name]
        if count is not None and (not isinstance(count, int) or count < smallest):
            raise GoughError(f"{name} is {count!r}; expected a whole number from {smallest} on")
    ratio = given["damping"]
    if ratio is not None and (not isinstance(ratio, int | float) or not 0 <= ratio <= 1):
        raise GoughError(f"damping is {ratio!r}; expected a ratio from 0 to 1")
    return {name: value for name, value in given.items() if value is not None}
