"""Motion of all carriers, each of which is one rigid body, and of all that a description names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import casadi as ca
from casadi import cross, dot

from gough.equations.closure.assembled import Assembled, LegPosture, assembled
from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import admissible
from gough.equations.solvers.linear import is_for_boxes
from gough.equations.spatial.algebra import Value, derivative, unit
from gough.equations.spatial.attitude import angle_between, shortest_turn, vee
from gough.equations.spatial.pose import rate as pose_rate
from gough.equations.tree import description as tree
from gough.equations.tree.bodies import ZERO, BodyMotion, Twist


@dataclass(frozen=True)
class LinkFrames:
    """Rotation and origin [m] of every carrier, in the machine's axes."""

    by_link: dict[tree.LinkRef, tuple[Value, Value]]

    def axes(self, carrier: tree.LinkRef) -> Value:
        """Rotation matrix from a carrier's axes."""
        return self.by_link[carrier][0]

    def point(self, point: tree.Point) -> Value:
        """Where a point is."""
        R, p = self.by_link[point.carrier]
        return p + R @ point.at

    def pair_axes(self, pair: tree.Pair) -> list[Value]:
        """About which a joint turns."""
        sides = [side for side in (pair.first, pair.second) if isinstance(side, tree.LinkRef)]
        return [self.axes(side) @ axis for side, axis in zip(sides, pair.axes, strict=False)]

    def direction(self, line: tree.Line) -> Value:
        """From a line's near end to the far one."""
        if line.near.carrier == line.far.carrier:
            return self.axes(line.near.carrier) @ (line.far.at - line.near.at)
        return self.point(line.far) - self.point(line.near)


@dataclass(frozen=True)
class Velocities:
    """Velocity of the origin [m/s] and ω [rad/s] of every carrier, in the machine's axes."""

    frames: LinkFrames
    by_link: dict[tree.LinkRef, tuple[Value, Value]]
    q_dot: Sequence[Sequence[Value]]  # rates of all joints, leg by leg

    def point(self, point: tree.Point) -> Value:
        """Return the velocity of a point."""
        v, omega = self.by_link[point.carrier]
        return v + cross(omega, self.frames.axes(point.carrier) @ point.at)

    def on(self, base: Twist) -> Self:
        """Return these velocities, relative to a base, in the world."""
        by_link = {
            link: (v + base.v + cross(base.omega, self.frames.by_link[link][1]), omega + base.omega)
            for link, (v, omega) in self.by_link.items()
        }
        return replace(self, by_link=by_link)

    def of_pair(self, pair: tree.Pair, elsewhere: Value = ZERO) -> list[Value]:
        """Rates of a joint about each axis, or (3) all, and its slide; less a turn `elsewhere`."""
        sliding = [] if pair.slide is None else [self.q_dot[pair.slide.leg][pair.slide.link]]
        return [*self.turns_of(pair, elsewhere), *sliding]

    def turns_of(self, pair: tree.Pair, elsewhere: Value = ZERO) -> list[Value]:
        """Return the rates of a joint without that of its slide."""
        if not pair.turns:
            return []
        turning = self.turning(pair.second) - self.turning(pair.first) - elsewhere
        if not pair.axes:
            return [turning]
        axes = self.frames.pair_axes(pair)
        return _divided(axes, [dot(axis, turning) for axis in axes])

    def moment(self, pair: tree.Pair, efforts: Sequence[Value]) -> Value:
        """The moment whose power is that of efforts about the axes of a joint, or all ways."""
        if not pair.axes:
            return efforts[0]
        axes = self.frames.pair_axes(pair)
        parts = zip(_divided(axes, efforts), axes, strict=True)
        return sum((effort * axis for effort, axis in parts), ZERO)

    def turning(self, side: tree.LinkRef | tree.Line) -> Value:
        """Angular velocity; of what spins about a line without that."""
        if isinstance(side, tree.LinkRef):
            return self.by_link[side][1]
        along, speed = self.frames.direction(side), self.point
        return cross(along, speed(side.far) - speed(side.near)) / dot(along, along)


@dataclass(frozen=True)
class Accelerations:
    """Motion of every carrier, in its own axes, less gravity."""

    frames: LinkFrames
    by_link: dict[tree.LinkRef, BodyMotion]

    def point(self, point: tree.Point) -> Value:
        """Acceleration of a point less gravity, in the machine's axes."""
        return self.by_link[point.carrier].of_point(self.frames.axes(point.carrier), point.at)


def frames_at(machine: Machine, pose: Value) -> LinkFrames:
    """The frames of all carriers at a pose."""
    at = assembled(machine, pose)
    return frames_of(at.platform, at.legs)


def frames_of(platform: PlatformPlacement, legs: Sequence[LegPosture]) -> LinkFrames:
    """The frames of all carriers."""
    held = platform.rotation, platform.position
    frames = {tree.GROUND: (ca.DM.eye(3), ZERO), tree.PLATFORM: held}
    for number, leg in enumerate(legs):
        links = leg.link_frames()
        frames |= {tree.LinkRef(number, link): frame for link, frame in links.items()}
    return LinkFrames(frames)


def velocities_of(at: Assembled, twist: Twist) -> Velocities:
    """The velocities of all carriers."""
    q_dot = [leg.rates(twist) for leg in at.legs]
    return velocities_by(at, frames_of(at.platform, at.legs), q_dot, (twist.v, twist.omega))


def velocities_by(
    at: Assembled,
    frames: LinkFrames,
    q_dot: Sequence[Sequence[Value]],
    platform: tuple[Value, Value],
) -> Velocities:
    """The velocities of all carriers by those of all joints and of the platform."""
    velocities = {tree.GROUND: (ZERO, ZERO), tree.PLATFORM: platform}
    for number, leg in enumerate(at.legs):
        own = {c.link: frame for c, frame in frames.by_link.items() if c.leg == number}
        moving = leg.link_velocities(own, q_dot[number])
        velocities |= {tree.LinkRef(number, link): velocity for link, velocity in moving.items()}
    return Velocities(frames, velocities, q_dot)


def accelerations_of(at: Assembled, twist: Twist, acceleration: Twist) -> Accelerations:
    """The motions of all carriers; the acceleration is less gravity."""
    R, base = at.platform.rotation, at.machine.base_motion
    V, V_dot = at.in_world(twist, acceleration)
    own = BodyMotion.seen(BodyMotion(V.omega, V_dot.omega, V_dot.v), R)
    own = own if is_for_boxes() else replace(own, in_base=None)
    motions = {tree.GROUND: base, tree.PLATFORM: own}
    for number, leg in enumerate(at.legs):
        links = leg.motion(twist, acceleration, base).links
        motions |= {tree.LinkRef(number, link): motion for link, motion in links.items()}
    return Accelerations(frames_of(at.platform, at.legs), motions)


def _divided(axes: Sequence[Value], along: Sequence[Value]) -> list[Value]:
    """Components about one or two axes of a vector whose projections on them are given."""
    if len(axes) == 1:
        return list(along)
    c, (a, b) = dot(*axes), along
    return [(a - c * b) / (1 - c * c), (b - c * a) / (1 - c * c)]


# What the description names: joints, bodies, mass centres


def joint_centers(machine: Machine, pose: Value) -> Value:
    """Centre of every joint (k, 3) [m], base axes; of a slide two, one carried by either body.

    In the order of the description; a cylindrical joint is a slide, too.
    """
    frames = frames_at(machine, pose)
    centers = (tree.at_point(frames.point, center) for center in machine.description.centers)
    return ca.horzcat(*centers).T @ machine.frame_convention.axes


def body_frames(machine: Machine, pose: Value) -> Value:
    """Rotation and origin [m] of each body (k, 3, 4): of the frame in which its mesh is given.

    That is the base's frame, carried from home, of parts of a hexapod's legs their own. Rods that
    spin as they like turn the shortest way.
    """
    frames, S = frames_at(machine, pose), machine.frame_convention.axes
    bodies = machine.description.frames or machine.description.carried[1:]
    found = (_carried(frames, body) for body in bodies)
    return ca.vertcat(*(ca.horzcat(S.T @ R @ S, S.T @ p) for R, p in found))


def body_jacobians(machine: Machine, pose: Value) -> Value:
    """Return (k, 6, 6) from the platform's twist to those of `body_frames`, base axes.

    Velocity of the frame's origin and angular velocity; of a twist its admissible part counts. A
    wrench F on a body, about that origin, acts on the motors as the wrench Jᵀ F on the platform.
    """
    units = ca.horzsplit(admissible(machine, pose, ca.DM.eye(6)))
    moved = ca.horzcat(*(pose_rate(pose, unit) for unit in units))
    rates = derivative(lambda x: ca.vec(body_frames(machine, x)), pose, moved)
    frames, columns = ca.vertsplit(body_frames(machine, pose), 3), []
    for column in ca.horzsplit(rates):
        pairs = zip(frames, ca.vertsplit(ca.reshape(column, -1, 4), 3), strict=True)
        twists = (ca.vertcat(dF[:, 3], vee(dF[:, :3] @ F[:, :3].T)) for F, dF in pairs)
        columns.append(ca.vertcat(*twists))
    return ca.horzcat(*columns)


def _carried(frames: LinkFrames, body: tree.FixedFrame | tree.RodFixedFrame) -> tuple[Value, Value]:
    """Rotation and origin of what a body carries, in the machine's axes."""
    if isinstance(body, tree.FixedFrame):
        return frames.axes(body.origin.carrier) @ body.axes, frames.point(body.origin)
    R = shortest_turn(body.direction, unit(frames.direction(body.line)))
    return R @ body.axes, frames.point(body.line.near) - R @ body.near


def joint_tilts(machine: Machine, pose: Value) -> Value:
    """Return the tilt of every ball and universal joint from home (k) [rad], from 0 to π.

    The angle between a link and its direction at home, relative to the body to which the joint
    holds it.
    """
    frames, tilts = frames_at(machine, pose), machine.description.tilts
    pairs = ((frames.axes(t.beyond) @ t.at_home, frames.direction(t.link)) for t in tilts)
    return ca.vertcat(*(angle_between(*pair) for pair in pairs))


def mass_center_position(machine: Machine, pose: Value) -> Value:
    """Mass centres of the platform and of all bodies (k, 3) [m], base axes."""
    return _centers(machine, frames_at(machine, pose).point)


def mass_center_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """Velocities of the mass centres (k, 3) [m/s], base axes."""
    return _centers(machine, velocities_of(assembled(machine, pose), machine.twist(twist)).point)


def mass_center_acceleration(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Accelerations of the mass centres (k, 3) [m/s^2], without gravity, base axes."""
    V, V_dot = machine.twist(twist), machine.acceleration(acceleration)
    moving = accelerations_of(assembled(machine, pose), V, V_dot)
    return _centers(machine, lambda point: moving.point(point) + machine.gravity)


def momentum(machine: Machine, pose: Value, twist: Value) -> Value:
    """Linear momentum [kg m/s] and angular momentum about the base origin [kg m^2/s], 6x1.

    On a base that moves about the origin of the world, in world axes.
    """
    moving, base = velocities_of(assembled(machine, pose), machine.twist(twist)), machine.base
    if base is None:
        return machine.in_base_axes(momentum_of(machine, moving))
    found = momentum_of(machine, moving.on(base.twist))
    p = base.rotation @ found[0:3]
    return ca.vertcat(p, base.rotation @ found[3:6] + cross(base.position, p))


def momentum_of(machine: Machine, moving: Velocities) -> Value:
    """Return the momentum (6) of all masses, about the base's origin, in the machine's axes."""
    p = h = ZERO
    for carrier, body in machine.description.masses.items():
        (R, origin), (v, omega) = moving.frames.by_link[carrier], moving.by_link[carrier]
        ms = R @ body.ms
        own = body.mass * v + cross(omega, ms)
        p += own
        h += cross(origin, own) + cross(ms, v) + R @ (body.inertia @ (R.T @ omega))
    for rod in machine.description.loads.rods:
        ends = rod.line.near, rod.line.far
        (E, C), (v_E, v_C) = map(moving.frames.point, ends), map(moving.point, ends)
        p += rod.shared * (v_E + v_C)
        h += rod.shared * (cross(E, v_C) + cross(C, v_E))
    return ca.vertcat(p, h)


def _centers(machine: Machine, of_point: Callable[[tree.Point], Value]) -> Value:
    centers = (tree.at_point(of_point, center) for center in machine.description.bodies)
    return ca.horzcat(*centers).T @ machine.frame_convention.axes
