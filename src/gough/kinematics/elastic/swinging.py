"""Small vibrations of machines whose links bend or whose bearings yield.

The coordinates are the platform's displacement, the strains of all bearings, the elastic
coordinates of all beams, and rotors. The geometric part is that of the moves alone.

Number by number, without a kernel: there are many coordinates, and few poses are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.remembered import remembered
from gough.errors import GoughError
from gough.kinematics.elastic.bodies import Bodies, Frames
from gough.kinematics.elastic.coordinates import BEAM, BEARING, ROTOR
from gough.kinematics.elastic.following import Following, following, frames_at, strains_of
from gough.kinematics.elastic.kernels import geometric_kernel, holding_kernel
from gough.kinematics.flexible.rows import null_space
from gough.model.actuators import rotor_masses_of
from gough.model.machines import Machines
from gough.robot import Mechanism
from gough.robot.mechanism import MOVES

MASSLESS = 1e-12
"""A motion with less of the largest mass has none."""
UNFELT = 1e-9
"""A spin that moves a flexure by less, beside a turn, is not felt by it."""


@dataclass(frozen=True)
class Held:
    """How actuators are held: each (m)."""

    compliance: Array
    """[m/N, rad/(N m)] of what holds them: 0 if they are locked, inf if they are free."""
    drives: Array
    """[N/m, N m/rad] stiffness of drives and gears; inf if they are rigid."""
    rotors: Array
    """[kg, kg m^2] what rotors weigh, of actuators that are not locked."""

    @classmethod
    def of(cls, robot: Mechanism, compliance: Array) -> Held:
        """Those of a robot."""
        drives = [joint.springs.get("stiffness", np.inf) for joint in robot.driven]
        rotors = np.where(compliance > 0, rotor_masses_of(robot), 0.0)
        return cls(compliance, np.array(drives), rotors)

    @property
    def apart(self) -> AnyArray:
        """Which rotors a spring parts from what they drive."""
        return np.asarray((self.rotors > 0) & np.isfinite(self.drives))


@dataclass(frozen=True)
class Swinging:
    """A machine at one pose: M z̈ + K z = 0, of n coordinates that ties hold together."""

    M: Array
    K: Array
    free: Array
    """(n, k) the motions that ties leave, as columns."""
    momentum: Array
    """(6, n)"""


def swinging_coordinates(robot: Mechanism, held: Held) -> tuple[str, ...]:
    """Of the platform, of bearings and beams, and of the rotors that springs part from the rest."""
    strains = (f"{one.joint} {MOVES[one.component]} {BEARING}" for one in strains_of(robot))
    spans = _bodies(robot).spans.items()
    bent = (f"{body} {name} {BEAM}" for body, span in spans for name in span.small.names)
    rotors = compress((f"{joint.name} {ROTOR}" for joint in robot.driven), held.apart)
    return (*MOVES, *strains, *bent, *rotors)


def swinging_at(robot: Mechanism, poses: Array, wrench: Array, held: Held) -> list[Swinging]:
    """The matrices at poses (k, 7) under wrenches (k, 6) on the platform."""
    rigid = Machines(robot.with_rigid_links)
    geometric = geometric_kernel(rigid)(poses, holding_kernel(rigid)(poses, wrench))
    for pose in poses[~np.isfinite(geometric).all((-2, -1))]:
        raise GoughError(
            f"{robot.name}: its actuators cannot hold it at the pose {pose.tolist()}; "
            "expected one that is not singular"
        )
    each = zip(poses, frames_at(robot, poses), geometric, strict=True)
    return [_at(robot, *state, held) for state in each]


def _at(robot: Mechanism, pose: Array, frames: Frames, geometric: Array, held: Held) -> Swinging:
    at = following(robot, _bodies(robot), pose, frames)
    M, K = at.B.T @ at.M @ at.B, _stiffness(robot, at, geometric)
    together = np.tile(np.eye(6), len(at.bodies.masses))
    momentum = together @ (at.M @ at.B)[: at.bodies.twists]
    drives = np.vstack([at.rates(joint.name) for joint in robot.driven])
    return _driven(M, K, at.ties, momentum, drives, held)


def posture(robot: Mechanism, pose: Array) -> Following:
    """How all bodies follow the coordinates but rotors, at one pose (7)."""
    return following(robot, _bodies(robot), pose, frames_at(robot, pose[None])[0])


@remembered
def _bodies(robot: Mechanism) -> Bodies:
    return Bodies.of(robot)


def _stiffness(robot: Mechanism, at: Following, geometric: Array) -> Array:
    """(n, n) of all but the drives; the geometric part is along the moves."""
    S, strains = np.array(robot.platform.rows, dtype=float), strains_of(robot)
    K = np.zeros((at.B.shape[1],) * 2)
    K[:6, :6] = S.T @ ((geometric + geometric.T) / 2) @ S
    last = 6 + len(strains)
    K[6:last, 6:last] = np.diag([one.stiffness for one in strains])
    K[last:, last:] = at.bodies.stiffness()
    for joint in robot.joints:
        if not joint.is_driven and "stiffness" in joint.springs:
            _refuse_spinning(robot, at, joint.name)
            rates = at.rates(joint.name)
            K += joint.springs["stiffness"] * rates.T @ rates
    return K


def _refuse_spinning(robot: Mechanism, at: Following, joint: str) -> None:
    """Refuse a flexure that holds what spins as it likes otherwise."""
    if np.abs(at.spun(joint)).max(initial=0.0) > UNFELT:
        raise GoughError(
            f"{robot.name}: the flexure {joint!r} bends a body between ball joints, beside links "
            "or bearings that yield; expected a universal joint at one end of the body"
        )


def _driven(
    M: Array, K: Array, ties: Array, momentum: Array, drives: Array, held: Held
) -> Swinging:
    """With drives that move by rows (m, n), and rotors that springs part from them."""
    apart = held.apart
    with np.errstate(divide="ignore"):
        springs = np.where(apart, held.drives, 1 / (1 / held.drives + held.compliance))
        holding = 1 / held.compliance[apart]
    locked = np.isinf(springs)
    rotors = np.where(apart, 0.0, held.rotors)
    K = K + drives[~locked].T @ (springs[~locked, None] * drives[~locked])
    M = M + drives.T @ (rotors[:, None] * drives)
    coupled = -(held.drives[apart, None] * drives[apart]).T
    none = np.zeros_like(coupled)
    K = np.block([[K, coupled], [coupled.T, np.diag(held.drives[apart] + holding)]])
    M = np.block([[M, none], [none.T, np.diag(held.rotors[apart])]])
    ties, momentum = (
        np.hstack([rows, np.zeros((len(rows), none.shape[1]))])
        for rows in (np.vstack([ties, drives[locked]]), momentum)
    )
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
