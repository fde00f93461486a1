"""Small vibrations of machines with compliant links or bearings, of their bodies at a pose.

Every body has a twist at the base's origin, in base axes; a beam the elastic coordinates of its
reduced finite elements beside that. All of them are one column x: the platform's twist, those of
the other bodies, then the elastic coordinates.

Joints constrain the second body to the first in all but their degrees of freedom. A compliant
bearing has a strain e of its own instead of a constraint. With the platform's displacement V
(translation and rotation vector, base axes) and the elastic coordinates η of the beams,
y = (V, e, η) moves all bodies: x = B y. Constraints beyond those that determine the bodies remain:
they couple V, e and η. The coordinates of vibration are y, and rotors. The geometric stiffness is
along the degrees of freedom only.

Computed with NumPy, without a kernel: there are many coordinates, and few poses.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, compress
from typing import Self

import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler import remembered
from gough.elastic.flexible import link_tree
from gough.elastic.flexible.beam import OF_SECTION, ElasticBeam, FlexibleLink, Reduced
from gough.elastic.flexible.coordinates import REPEATED, heavy_motions
from gough.elastic.flexible.platform import FlexiblePlatform
from gough.elastic.kernels import BEAM, BEARING, FRAME, ROTOR, geometric_kernel, holding_kernel
from gough.errors import GoughError, LegLengthError
from gough.kinematics.body_frames import body_poses
from gough.model import Kernels, structure_of
from gough.model.actuators import rotor_masses_of
from gough.model.mechanism.decisions.samples import null_space
from gough.model.mechanism.home.drawing import Drawing, DrawnJoint, drawn
from gough.model.mechanism.numbers.elastic import bearing_stiffness
from gough.model.mechanism.numbers.mass import Mass
from gough.poses.algebra import twist_transfer
from gough.poses.quaternions import rotation_matrix, unit
from gough.robot import BASE, MOVES, PLATFORM, Mechanism, Robot, as_mechanism
from gough.robot.checks import overlap_problem

COUPLED = 1e-9  # rotation of a flexure per unit of spin below which they do not interact
Matrices = dict[str, Array]
"""M, D, K (n, n) of M z̈ + D ż + K z = 0, `free` (n, k) the motions that constraints leave, as
columns, `momentum` (6, n), and `drives` (m, n), the motion of the driven joints."""
Frames = dict[str, tuple[Array, Array]]
"""Displacement of each body from home, by name: rotation and origin [m] of a carried base frame;
zero of the base."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """All bodies of a machine, whatever its pose."""

    robot: Mechanism
    drawing: Drawing
    masses: dict[str, Mass]  # the platform first, about the base's origin, at home
    spans: dict[str, link_tree.Span]
    links: dict[str, FlexibleLink]  # beams of the machine's file
    strains: dict[tuple[str, int], float]
    """Stiffness [N/m, N m/rad] of compliant bearings, by the joint and the component of its
    translation and rotation, in the joint's axes."""
    platform: FlexiblePlatform | None

    @property
    def twists(self) -> int:
        """Number of coordinates that are components of twists."""
        return 6 * len(self.masses)

    @cached_property
    def places(self) -> dict[str, slice]:
        """Places of the twists, by body."""
        return {name: slice(6 * k, 6 * k + 6) for k, name in enumerate(self.masses)}

    @cached_property
    def reduced(self) -> dict[str, Reduced | FlexiblePlatform]:
        """Bodies with elastic coordinates."""
        platform = {} if self.platform is None else {PLATFORM: self.platform}
        return platform | {name: span.small for name, span in self.spans.items()}

    @cached_property
    def elastic(self) -> dict[str, slice]:
        """Places of the elastic coordinates, by body."""
        sizes = (len(part.names) for part in self.reduced.values())
        ends = list(accumulate(sizes, initial=self.twists))
        return dict(zip(self.reduced, map(slice, ends, ends[1:]), strict=True))

    @cached_property
    def size(self) -> int:
        """Number of all coordinates."""
        return self.twists + sum(len(part.names) for part in self.reduced.values())

    def mass_matrix(self, frames: Frames) -> Array:
        """The mass matrix (n, n) [SI]."""
        M = np.zeros((self.size, self.size))
        for name, own in self.places.items():
            mass = self.masses[name].seen_from(*frames[name])
            ms = twist_transfer(mass.ms)[:3, 3:]
            rotational = np.trace(mass.sigma) * np.eye(3) - mass.sigma
            M[own, own] = np.block([[float(mass.mass) * np.eye(3), ms], [ms.T, rotational]])
        for name, own in self.elastic.items():
            (R, near), part = self._part(name, frames), self.reduced[name]
            linear, angular = R @ part.momentum[:3], R @ part.momentum[3:]
            mixed = np.vstack([linear, np.cross(near[:, None], linear, axis=0) + angular])
            M[self.places[name], own], M[own, self.places[name]] = mixed, mixed.T
            M[own, own] = part.mass
        return M

    def rates(self, joint: DrawnJoint, frames: Frames) -> Array:
        """Relative motion of a joint's second body (6, n): translation and rotation at its centre.

        In the joint's axes, x along its own; rotations of a universal joint are about its two axes,
        and about the direction across both.
        """
        if link_tree.is_telescope(joint, self.links):
            return self._telescope_rates(joint, frames)
        R, p = frames[joint.second if joint.first == BASE else joint.first]
        centre = p + R @ joint.at
        first, second = (self._motion(body, joint, centre, frames) for body in joint.between)
        turning = axes = R @ link_tree.joint_axes(joint)
        if joint.kind.axes > 1:
            ends = zip(joint.between, joint.axes, strict=True)
            a, b = (frames[body][0] @ axis for body, axis in ends)
            turning = np.linalg.inv(np.column_stack([a, b, np.cross(a, b)])).T
        moved = second - first
        return np.vstack([axes.T @ moved[:3], turning.T @ moved[3:]])

    def _telescope_rates(self, joint: DrawnJoint, frames: Frames) -> Array:
        """Those of a piston in its cylinder (6, n): each supports an end of the other.

        Rotations across their line are those of the second support about the first.
        """
        parts = sorted(joint.between, key=[*self.spans].index)  # a cylinder comes before its piston
        (axes, start), (_, inside) = (self._part(body, frames) for body in parts)
        cylinder, piston = (self.spans[body].small.length for body in parts)
        near = float(axes[:, 0] @ (inside - start))
        if problem := overlap_problem(near + piston, cylinder, piston):
            words = f"{self.robot.name}: {joint.name}: {problem}; expected another pose"
            raise LegLengthError(words)
        first, second = joint.between
        inner, outer = (
            axes.T @ (self._section(second, at, frames) - self._section(first, at, frames))
            for at in (start + axes[:, 0] * x for x in (near, cylinder))
        )
        along = np.sign(axes[:, 0] @ frames[first][0] @ joint.axes[0])
        _, y, z = (outer - inner) / (cylinder - near)
        about = np.zeros(self.size)
        about[self.places[second]] = np.r_[np.zeros(3), axes[:, 0]]
        about[self.places[first]] = -about[self.places[second]]
        return np.vstack([along * inner[0], inner[1:], about, -z, y])

    def _section(self, body: str, at: Array, frames: Frames) -> Array:
        """Motion (3, n) of the section of a beam at a point of its line, base axes."""
        moved = np.zeros((3, self.size))
        (R, near), small = self._part(body, frames), self.spans[body].small
        moved[:, self.places[body]] = twist_transfer(at)[:3]
        moved[:, self.elastic[body]] = R @ small.moved(float(R[:, 0] @ (at - near)))
        return moved

    def centre_motion(self, joint: DrawnJoint, body: str, frames: Frames) -> Array:
        """Motion of a joint's centre (3, n) as a point of a body."""
        R, p = frames[body]
        return self._motion(body, joint, p + R @ joint.at, frames)[:3]

    def line(self, beam: str, frames: Frames) -> tuple[Array, Array]:
        """Points (k, 3) along the undeformed beam, and their motion (k, 3, n)."""
        (R, near), (turned, p), span = self._part(beam, frames), frames[beam], self.spans[beam]
        points, (_, _, count) = span.small.points, span.small.points.shapes.shape
        sections = points.places.reshape(-1, OF_SECTION, 3).mean(1) @ R.T
        bent = R @ points.shapes.reshape(-1, OF_SECTION, 3, count).mean(1)
        places = np.vstack([near, near + sections, p + turned @ span.far])
        moved = np.zeros((len(places), 3, self.size))
        moved[:, :, self.places[beam]] = twist_transfer(places)[:, :3]
        moved[1:, :, self.elastic[beam]] = [*bent, R @ span.small.end[:3]]
        return places, moved

    def _motion(self, body: str, joint: DrawnJoint, centre: Array, frames: Frames) -> Array:
        """Motion of a body at a joint's centre (6, n), base axes."""
        moved = np.zeros((6, self.size))
        if body == BASE:
            return moved
        moved[:, self.places[body]] = twist_transfer(centre)
        if body == PLATFORM and self.platform is not None:
            R, _ = self._part(body, frames)
            moved[:3, self.elastic[body]] = R @ self.platform.ways[joint.name]
        at_near_end = body in self.spans and (  # which the twist moves
            np.linalg.norm(joint.at - self.spans[body].near)
            < link_tree.TOGETHER * self.drawing.size
        )
        if body in self.spans and not at_near_end:
            (R, _), (turned, p), span = self._part(body, frames), frames[body], self.spans[body]
            end = np.vstack([R @ span.small.end[:3], R @ span.small.end[3:]])
            moved[:, self.elastic[body]] = twist_transfer(centre - p - turned @ span.far) @ end
        return moved

    def _part(self, body: str, frames: Frames) -> tuple[Array, Array]:
        """Own axes of a beam or of the platform, and the place of its near end or its origin."""
        (R, p), drawing = frames[body], self.drawing
        if body == PLATFORM:
            return R @ drawing.rotation, p + R @ drawing.position
        return R @ self.spans[body].axes, p + R @ self.spans[body].near


@dataclass(frozen=True)
class BodyMotions:
    """Motions of a machine's bodies at a pose."""

    bodies: Bodies
    frames: Frames
    M: Array  # (x, x) of all bodies
    B: Array  # (x, y)
    ties: Array  # (k, y) remaining constraint rows: their products with ẏ are zero
    spins: Array  # (x, s) passive degrees of freedom: rods that spin between ball joints

    def beside(self, count: int) -> Self:
        """Return this with further coordinates at the end that move no body."""
        B, ties = (np.hstack([rows, np.zeros((len(rows), count))]) for rows in (self.B, self.ties))
        return replace(self, B=B, ties=ties)

    def rates(self, joint: str) -> Array:
        """Rates of a joint along its degrees of freedom by all coordinates of bodies (f, x)."""
        found = next(j for j in self.bodies.drawing.described.joints if j.name == joint)
        return self.bodies.rates(found, self.frames)[[*found.kind.free]]


@remembered
def bodies_of(robot: Robot) -> Bodies:
    """Return the bodies of a robot, with its beams and bearings."""
    own = as_mechanism(robot)
    strains = {
        (joint.name, component): stiffness
        for joint in own.joints
        for component, stiffness in bearing_stiffness(joint, joint.springs).items()
    }
    masses, spans = link_tree.masses_at_home(own), link_tree.spans_of(own)
    beams, platform = link_tree.beams_of(own), FlexiblePlatform.of(own)
    return Bodies(own, drawn(own), masses, spans, beams, strains, platform)


def motions_at(robot: Robot, poses: Array) -> list[BodyMotions]:
    """Return the motions of a robot's bodies at poses (k, 7)."""
    pairs = zip(poses, _frames_at(robot, poses), strict=True)
    return [_motions(bodies_of(robot), pose, frames) for pose, frames in pairs]


def _motions(bodies: Bodies, pose: Array, frames: Frames) -> BodyMotions:
    twists = bodies.twists
    rows, strained = _constraints(bodies, frames)
    M, platform = bodies.mass_matrix(frames), twist_transfer(-pose[:3])
    given = np.hstack([-rows[:, :6] @ platform, strained, -rows[:, twists:]])
    U, sizes, Vt = np.linalg.svd(rows[:, 6:twists])
    rank = int((sizes > REPEATED * sizes.max(initial=0.0)).sum())
    B = np.zeros((bodies.size, given.shape[1]))
    B[:6, :6] = platform
    B[6:twists] = Vt[:rank].T @ (U[:, :rank].T @ given / sizes[:rank, None])
    B[twists:, 6 + strained.shape[1] :] = np.eye(bodies.size - twists)
    spins = np.zeros((bodies.size, len(Vt) - rank))
    spins[6:twists] = Vt[rank:].T
    B -= spins @ np.linalg.pinv(spins.T @ M @ spins) @ (spins.T @ M @ B)  # without momentum
    return BodyMotions(bodies, frames, M, B, U[:, rank:].T @ given, spins)


def _constraints(bodies: Bodies, frames: Frames) -> tuple[Array, Array]:
    """Constraint rows of the joints, by the coordinates of bodies, and the strains in them."""
    units, rows, strained = np.eye(len(bodies.strains)), [], []
    strains, none = dict(zip(bodies.strains, units, strict=True)), np.zeros(len(units))
    for joint in bodies.drawing.described.joints:
        held = [*joint.kind.carried]
        rows.append(bodies.rates(joint, frames)[held])
        strained += [strains.get((joint.name, component), none) for component in held]
    by_name = {joint.name: joint for joint in bodies.drawing.described.joints}
    for weights in bodies.drawing.couplings.values():
        pairs = ((by_name[name], weight) for name, weight in weights.items())
        rows.append(sum(w * bodies.rates(j, frames)[[*j.kind.free]] for j, w in pairs))
        strained.append(none)
    return np.vstack(rows), np.array(strained)


def _frames_at(robot: Robot, poses: Array) -> list[Frames]:
    """Return the displacements of all bodies at poses (k, 7)."""
    both = np.vstack([robot.home, poses])  # frames of a hexapod's legs are not the base's at home
    frames = np.concatenate([both[:, None], body_poses(robot.with_rigid_links, both)], axis=1)
    R, p = rotation_matrix(unit(frames[..., 3:])), frames[..., :3]
    turned = R[1:] @ np.swapaxes(R[0], -1, -2)
    moved = p[1:] - np.squeeze(turned @ p[0, ..., None], -1)
    names = [PLATFORM, *(body.name for body in as_mechanism(robot).bodies)]
    still = {BASE: (np.eye(3), np.zeros(3))}
    return [
        still | dict(zip(names, zip(*at, strict=True), strict=True))
        for at in zip(turned, moved, strict=True)
    ]


@dataclass(frozen=True)
class ActuatorSupports:
    """Supports of the actuators: each (m)."""

    compliance: Array  # [m/N, rad/(N m)] of what holds them: 0 if locked, inf if free
    drives: Array  # [N/m, N m/rad] stiffness of drives and gears; inf if they are rigid
    rotors: Array  # [kg, kg m^2] effective masses of rotors of actuators that are not locked

    @classmethod
    def of(cls, robot: Robot, compliance: Array, *, rotors: bool) -> Self:
        """Return those of a robot at home, with its rotors if asked for."""
        moving = np.where(rotors & (compliance > 0), rotor_masses_of(robot), 0.0)
        return cls(compliance, np.array(robot.drive_stiffness_at(robot.home)), moving)

    @property
    def apart(self) -> AnyArray:
        """Rotors with a spring between them and their load (mask)."""
        return np.asarray((self.rotors > 0) & np.isfinite(self.drives))


def link_coordinates(robot: Robot, supports: ActuatorSupports) -> tuple[str, ...]:
    """Names of the coordinates: of platform, bearings, beams, and rotors on springs."""
    bodies = bodies_of(robot)
    strains = (f"{joint} {MOVES[component]} {BEARING}" for joint, component in bodies.strains)
    kinds = {PLATFORM: FRAME}
    named = ((body, name) for body, part in bodies.reduced.items() for name in part.names)
    bent = (f"{body} {name} {kinds.get(body, BEAM)}" for body, name in named)
    rotors = compress((f"{motor.name} {ROTOR}" for motor in robot.actuators), supports.apart)
    return (*MOVES, *strains, *bent, *rotors)


def beams_among(robot: Robot) -> tuple[ElasticBeam, ...]:
    """The beams among these coordinates."""
    bodies = bodies_of(robot)
    before = len(MOVES) + len(bodies.strains) - bodies.twists
    places = {k: slice(x.start + before, x.stop + before) for k, x in bodies.elastic.items()}
    return tuple(ElasticBeam(k, own, bodies.reduced[k].stiffness) for k, own in places.items())


def link_matrices(
    robot: Robot, poses: Array, wrench: Array, supports: ActuatorSupports
) -> list[Matrices | None]:
    """Return those at poses (k, 7) under wrenches (k, 6); None where it cannot be held.

    None also where legs are too long or too short for their parts; refused if it is the only pose.
    """
    if structure_of(robot).has_loaded_springs:
        raise GoughError(
            f"{robot.name}: springs between bodies or beside joints deform its compliant links and "
            "bearings; expected natural_modes of gough.FlexibleMachine(robot), which has them"
        )
    rigid = Kernels(robot.with_rigid_links)
    if robot.has_extensible_legs:
        force = rigid.inverse_dynamics(poses, np.zeros(6), np.zeros(6), wrench)
    else:
        force = holding_kernel(rigid.machines)(poses, wrench)
    geometric = geometric_kernel(rigid.machines)(poses, force)

    def at(pose: Array, frames: Frames, loads: Array) -> Matrices | None:
        if not (np.isfinite(loads).all() and np.isfinite([p for _, p in frames.values()]).all()):
            return None
        try:
            drives = np.array(robot.drive_stiffness_at(pose))
            own = _motions(bodies_of(robot), pose, frames)
        except LegLengthError:
            if len(poses) == 1:
                raise
            return None
        return _at_pose(own, loads, replace(supports, drives=drives))

    return [*map(at, poses, _frames_at(robot, poses), geometric)]


def _at_pose(own: BodyMotions, geometric: Array, supports: ActuatorSupports) -> Matrices:
    at = own.beside(int(supports.apart.sum()))
    M, K, ties = at.B.T @ at.M @ at.B, _stiffness(at, geometric), [*at.ties]
    drives = np.vstack([at.rates(joint.name) @ at.B for joint in at.bodies.robot.driven])
    for joint in at.bodies.robot.joints:
        if inertia := getattr(joint, "armature", None):
            rates = at.rates(joint.name) @ at.B
            M += inertia * rates.T @ rates
    rotors = iter(np.eye(len(K))[len(K) - supports.apart.sum() :])
    held = zip(drives, supports.drives, supports.compliance, supports.rotors, strict=True)
    for row, k, c, mass in held:
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
    return {
        "M": M,
        "D": _damping(at),
        "K": K,
        "free": heavy_motions(M, K, null_space(np.reshape(ties, (-1, len(K))), REPEATED)),
        "momentum": np.tile(np.eye(6), len(at.bodies.masses)) @ (at.M @ at.B)[: at.bodies.twists],
        "drives": drives,
    }


def _stiffness(at: BodyMotions, geometric: Array) -> Array:
    """(n, n) without the drives; the geometric part is along the degrees of freedom."""
    robot, strains = at.bodies.robot, np.diag([*at.bodies.strains.values()])
    S = robot.freedom_rows
    loads = S.T @ ((geometric + geometric.T) / 2) @ S
    K = _among(at, loads, strains, *(part.stiffness for part in at.bodies.reduced.values()))
    for joint in robot.joints:
        if not joint.is_driven and "stiffness" in joint.springs:
            rates = at.rates(joint.name)
            if np.abs(rates @ at.spins).max(initial=0.0) > COUPLED:
                raise GoughError(
                    f"{robot.name}: the flexure {joint.name!r} bends a body between ball joints, "
                    "beside compliant links or bearings; expected a universal joint at one end of "
                    "the body"
                )
            K += joint.springs["stiffness"] * (rates @ at.B).T @ (rates @ at.B)
    return K


def _damping(at: BodyMotions) -> Array:
    """(n, n) [SI] of beams and joints."""
    before = np.zeros((6 + len(at.bodies.strains),) * 2)
    D = _among(at, before, *(part.damping for part in at.bodies.reduced.values()))
    for joint in at.bodies.robot.joints:
        if viscous := getattr(joint, "damping", None):
            rates = at.rates(joint.name) @ at.B
            D += viscous * rates.T @ rates
    return D


def _among(at: BodyMotions, *blocks: Array) -> Array:
    """Blocks of the platform, of strains and of beams, in a matrix of all coordinates (n, n)."""
    from scipy.linalg import block_diag  # noqa: PLC0415  (slow to import)

    rest = at.B.shape[1] - sum(map(len, blocks))
    return np.asarray(block_diag(*blocks, np.zeros((rest, rest))))
