"""Small vibrations of machines with compliant links or bearings.

The coordinates are the platform's displacement, the strains of all bearings, the elastic
coordinates of all beams, and rotors. The geometric stiffness is along the degrees of freedom only.

Computed with NumPy, without a kernel: there are many coordinates, and few poses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.remembered import remembered
from gough.elastic.bodies import Bodies, Frames
from gough.elastic.body_jacobians import Following, following, frames_at, strains_of
from gough.elastic.coordinates import BEAM, BEARING, ROTOR
from gough.elastic.flexible.beam import ElasticBeam
from gough.elastic.flexible.rows import free_motions
from gough.elastic.kernels import geometric_kernel, holding_kernel
from gough.errors import GoughError
from gough.model.actuators import rotor_masses_of
from gough.model.machines import Machines
from gough.robot import Mechanism
from gough.robot.mechanism import MOVES

UNFELT = 1e-9
"""Rotation of a flexure per unit of spin below which they do not interact."""


@dataclass(frozen=True)
class HeldActuators:
    """Actuators as they are held: each (m)."""

    compliance: Array
    """[m/N, rad/(N m)] of what holds them: 0 if they are locked, inf if they are free."""
    drives: Array
    """[N/m, N m/rad] stiffness of drives and gears; inf if they are rigid."""
    rotors: Array
    """[kg, kg m^2] effective masses of rotors of actuators that are not locked."""

    @classmethod
    def of(cls, robot: Mechanism, compliance: Array, *, rotors: bool) -> HeldActuators:
        """Return the actuators of a robot, with its rotors if asked for."""
        moving = np.where(rotors & (compliance > 0), rotor_masses_of(robot), 0.0)
        return cls(compliance, np.array(robot.drive_stiffness), moving)

    @property
    def apart(self) -> AnyArray:
        """Rotors with a spring between them and their load (mask)."""
        return np.asarray((self.rotors > 0) & np.isfinite(self.drives))


@dataclass(frozen=True)
class Swinging:
    """A machine at one pose: M z̈ + D ż + K z = 0, of n coordinates under constraints."""

    M: Array
    D: Array
    """Damping of beams, and of viscous friction in joints."""
    K: Array
    free: Array
    """(n, k) the motions that constraints leave, as columns."""
    momentum: Array
    """(6, n)"""
    drives: Array
    """(m, n) motion of the driven joints."""


def swinging_coordinates(robot: Mechanism, held: HeldActuators) -> tuple[str, ...]:
    """Names of the coordinates: of platform, bearings, beams, and rotors on springs."""
    strains = (f"{one.joint} {MOVES[one.component]} {BEARING}" for one in strains_of(robot))
    spans = _bodies(robot).spans.items()
    bent = (f"{body} {name} {BEAM}" for body, span in spans for name in span.small.names)
    rotors = compress((f"{joint.name} {ROTOR}" for joint in robot.driven), held.apart)
    return (*MOVES, *strains, *bent, *rotors)


def beams_among(robot: Mechanism) -> tuple[ElasticBeam, ...]:
    """The beams among these coordinates."""
    start, found = len(MOVES) + len(strains_of(robot)), []
    for body, span in _bodies(robot).spans.items():
        places = slice(start, start + len(span.small.names))
        found.append(ElasticBeam(body, places, span.small.stiffness))
        start = places.stop
    return tuple(found)


def swinging_at(
    robot: Mechanism, poses: Array, wrench: Array, held: HeldActuators
) -> list[Swinging | None]:
    """Return the machine at poses (k, 7) under wrenches (k, 6); None where it cannot be held."""
    rigid = Machines(robot.with_rigid_links)
    geometric = geometric_kernel(rigid)(poses, holding_kernel(rigid)(poses, wrench))
    each = zip(poses, frames_at(robot, poses), geometric, strict=True)
    known = np.asarray(np.isfinite(geometric).all((-2, -1)))
    return [
        _at(robot, *state, held) if is_known else None
        for state, is_known in zip(each, known, strict=True)
    ]


def _at(
    robot: Mechanism, pose: Array, frames: Frames, geometric: Array, held: HeldActuators
) -> Swinging:
    at = following(robot, _bodies(robot), pose, frames).beside(int(held.apart.sum()))
    M, K, ties = at.B.T @ at.M @ at.B, _stiffness(robot, at, geometric), [*at.ties]
    drives = np.vstack([at.rates(joint.name) for joint in robot.driven])
    rotors = iter(np.eye(len(K))[len(K) - held.apart.sum() :])
    for row, k, c, mass in zip(drives, held.drives, held.compliance, held.rotors, strict=True):
        if mass and np.isfinite(k):
            rotor = next(rotors)
            M += mass * np.outer(rotor, rotor)
            K += k * np.outer(row - rotor, row - rotor) + np.outer(rotor, rotor) / c
            continue
        M += mass * np.outer(row, row)
        if 1 / k + c:
            K += np.outer(row, row) / (1 / k + c)
        else:
            ties.append(row)
    together = np.tile(np.eye(6), len(at.bodies.masses))
    momentum = together @ (at.M @ at.B)[: at.bodies.twists]
    free = free_motions(M, K, np.reshape(ties, (-1, len(K))))
    return Swinging(M, _damping(robot, at), K, free, momentum, drives)


def posture(robot: Mechanism, pose: Array) -> Following:
    """Motions of all bodies by all coordinates except rotors, at one pose (7)."""
    return following(robot, _bodies(robot), pose, frames_at(robot, pose[None])[0])


@remembered
def _bodies(robot: Mechanism) -> Bodies:
    return Bodies.of(robot)


def _stiffness(robot: Mechanism, at: Following, geometric: Array) -> Array:
    """(n, n) without the drives; the geometric part is along the degrees of freedom."""
    S = np.array(robot.platform.rows, dtype=float)
    strains = np.diag([one.stiffness for one in strains_of(robot)])
    loads = S.T @ ((geometric + geometric.T) / 2) @ S
    K = _among(at, loads, strains, at.bodies.stiffness())
    for joint in robot.joints:
        if not joint.is_driven and "stiffness" in joint.springs:
            _refuse_spinning(robot, at, joint.name)
            rates = at.rates(joint.name)
            K += joint.springs["stiffness"] * rates.T @ rates
    return K


def _damping(robot: Mechanism, at: Following) -> Array:
    """(n, n) [SI] of beams and joints."""
    strains = len(strains_of(robot))
    D = _among(at, np.zeros((6, 6)), np.zeros((strains, strains)), at.bodies.damping())
    for joint in robot.joints:
        if viscous := getattr(joint, "damping", None):
            rates = at.rates(joint.name)
            D += viscous * rates.T @ rates
    return D


def _among(at: Following, *blocks: Array) -> Array:
    """Blocks of the platform, of strains and of beams, in a matrix of all coordinates (n, n)."""
    found, start = np.zeros((at.B.shape[1],) * 2), 0
    for block in blocks:
        stop = start + len(block)
        found[start:stop, start:stop], start = block, stop
    return found


def _refuse_spinning(robot: Mechanism, at: Following, joint: str) -> None:
    """Refuse a flexure that resists a passive spin."""
    if np.abs(at.spun(joint)).max(initial=0.0) > UNFELT:
        raise GoughError(
            f"{robot.name}: the flexure {joint!r} bends a body between ball joints, beside "
            "compliant links or bearings; expected a universal joint at one end of the body"
        )
