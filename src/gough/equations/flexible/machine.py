"""A machine with links that bend: a tree of links from the base, and the joints that close it.

A link's z axis is its joint's axis. Its coordinates z are the positions of the tree's joints, in
the order of the links, then the elastic ones η, link by link. Motion goes outwards and forces go
inwards along the tree: the recursion of Luh, Walker and Paul (1980), with the elastic coordinates
of each link as further coordinates before the joints at its end [after Boyer & Coiffet 1996; Briot
& Khalil 2015, ch. 12]. Every vector is in its own link's axes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import ClassVar, Self

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.spatial.algebra import Value, angular, linear
from gough.equations.spatial.attitude import vee
from gough.equations.tree.bodies import ZERO, Body, BodyMotion, Force, inertial_force
from gough.equations.tree.joints import BASE, LinkJoint, LinkPlacement
from gough.equations.tree.springs import SpringLaw

ROUNDING = 1e-6
"""Fraction of a piece of a centreline by which a support at its end may seem to be beyond it."""


@dataclass(frozen=True)
class Shapes:
    """Constants of the shapes Φ of n coordinates."""

    stiffness: Value  # K (n x n) [SI]
    damping: Value  # D (n x n) [SI]
    S: Value  # ∫ Φ dm (3 x n)
    A: tuple[Value, ...]  # ∫ r₀ Φ_kᵀ dm (3 x 3), by k
    B: tuple[tuple[Value, ...], ...]  # ∫ Φ_k Φ_lᵀ dm (3 x 3), by k and l
    mass: Value  # ∫ Φᵀ Φ dm (n x n)
    last: Value  # where the last end is (3) [m] while nothing is bent
    way: Value  # displacement of the last end (3 x n) by η
    turn: Value  # turn of the last end (3 x n) by η

    @property
    def count(self) -> int:
        """n."""
        return int(self.stiffness.shape[0])

    def deformed(self, body: Body, eta: Value) -> Body:
        """The body's mass properties as it is bent."""
        B_eta = [_sum(self.B[k], eta) for k in range(self.count)]
        AB = [self.A[k].T + B_eta[k] / 2 for k in range(self.count)]
        half = _sum(AB, eta)
        return Body(body.mass, body.ms + self.S @ eta, body.sigma + half + half.T)


@dataclass(frozen=True)
class LinkAttachment:
    """A point of a link, or of the base: its place [m] from the link's origin, axes as at home.

    What is held by the last end of a link that bends moves and turns with that end, and its place
    is from there.
    """

    link: int
    place: Value
    at_end: bool = False
    way: Value | None = None  # its own displacement (3 x n) by η, link's axes; None: zero


@dataclass(frozen=True)
class TreeLink:
    """A body with the joint that carries it, which is its origin."""

    joint: LinkJoint
    axes: Value  # its axes at home, as columns in those of the base (3x3)
    at_end: bool  # whether the last end of the link before carries it, which bends
    moves: bool = True  # whether its joint has a coordinate; else it is fixed to the link before
    shapes: Shapes | None = None


@dataclass(frozen=True)
class LoopJoint:
    """A joint that closes a loop: the ways (k x 3) and pairs of axes whose angle it keeps."""

    first: LinkAttachment
    second: LinkAttachment
    ways: Value
    pairs: tuple[tuple[Value, Value], ...]

    @property
    def count(self) -> int:
        """Number of its rows."""
        return int(self.ways.shape[0]) + len(self.pairs)


@dataclass(frozen=True)
class Centreline:
    """Deflection of a beam across its line: cubics of equal pieces, by its coordinates η."""

    axes: Value  # axes of the beam as columns in those of its link: x along the line
    piece: float  # length of each piece [m]
    cubics: tuple[tuple[Value, Value], ...]
    """By piece, coefficients (4 x n) of the powers of a fraction of it, along y and along z."""

    def across(self, x: Value, eta: Value) -> Value:
        """Deflection (2) [m] at a place x [m]; NaN beyond the ends."""
        last = len(self.cubics) - 1
        fraction, chosen = x / self.piece - last, ca.horzcat(*(c @ eta for c in self.cubics[last]))
        for k in reversed(range(last)):
            here = x < (k + 1) * self.piece
            own = ca.horzcat(*(c @ eta for c in self.cubics[k]))
            chosen = ca.if_else(here, own, chosen)
            fraction = ca.if_else(here, x / self.piece - k, fraction)
        beyond = ca.fabs(x / self.piece - (last + 1) / 2) > (last + 1) / 2 + ROUNDING
        return ca.if_else(beyond, nan, chosen.T @ ca.vertcat(1, fraction, fraction**2, fraction**3))


@dataclass(frozen=True)
class Guide:
    """A piston in its cylinder, both of which bend: each carries an end of the other on its line.

    A link's origin is the first end of its beam: the cylinder's at its joint, the piston's inside.
    """

    links: tuple[int, int]
    lines: tuple[Centreline, Centreline]
    count: ClassVar[int] = 4


@dataclass(frozen=True)
class CoupledJoints:
    """A linear relation of joints: Σ coefficient · (z - home) = 0."""

    links: tuple[int, ...]  # links that the joints carry
    coefficients: Value
    count: ClassVar[int] = 1


@dataclass(frozen=True)
class BearingSpring:
    """An elastic bearing: stiffness [N/m, N m/rad] against each row that its joint opens."""

    rows: LoopJoint
    stiffness: Value


@dataclass(frozen=True)
class FlexureSpring:
    """A joint that resists its own motion from home: stiffness [N m/rad, N/m] of each freedom.

    `axes` are those of a slide or hinge, or both of a universal joint; a ball joint has none. They
    are in base axes with the machine at home, as are directions of other joints that close loops.
    """

    first: LinkAttachment
    second: LinkAttachment
    axes: tuple[Value, ...]
    stiffness: Value
    slides: bool = False


@dataclass(frozen=True)
class StretchedSpring:
    """A spring and a damper [N s/m] between two points, and their distance at home [m]."""

    ends: tuple[LinkAttachment, LinkAttachment]
    length: float
    law: SpringLaw
    damping: float


@dataclass(frozen=True)
class BesideJoint:
    """A spring beside the motor or bearing of a joint: the place of its coordinate."""

    place: int
    home: float
    law: SpringLaw


@dataclass(frozen=True)
class LinkTree:
    """All of it; `driven` are the links whose joints have motors, in the robot's order."""

    links: tuple[TreeLink, ...]
    cuts: tuple[LoopJoint | Guide | CoupledJoints, ...]
    platform: LinkAttachment
    attitude: Value  # the platform's rotation matrix at home
    gravity: Value
    driven: tuple[int, ...]
    springs: tuple[BearingSpring | FlexureSpring | StretchedSpring | BesideJoint, ...] = ()

    @property
    def joints(self) -> list[int]:
        """The links whose joints move, in the order of their coordinates."""
        return [k for k, link in enumerate(self.links) if link.moves]

    def parted(self, z: Value) -> tuple[dict[int, Value], dict[int, Value]]:
        """Joints' and elastic coordinates, rates or forces, by link."""
        joints = {k: z[place] for place, k in enumerate(self.joints)}
        return joints, {k: z[start : start + n] for k, start, n in self.elastic}

    @property
    def elastic(self) -> Iterator[tuple[int, int, int]]:
        """The links that bend: where their coordinates begin, and how many they are."""
        start = len(self.joints)
        for k, link in enumerate(self.links):
            if link.shapes is not None:
                yield k, start, link.shapes.count
                start += link.shapes.count

    @property
    def at_home(self) -> list[float]:
        """All coordinates with the machine at home, nothing bent."""
        joints = [float(self.links[k].joint.at_home) for k in self.joints]
        return joints + [0.0] * (self.size - len(joints))

    @property
    def outwards(self) -> list[int]:
        """The coordinates from the base outwards: of each link its joint, then its elastic ones."""
        joints = {k: [place] for place, k in enumerate(self.joints)}
        elastic = {k: list(range(start, start + n)) for k, start, n in self.elastic}
        every = range(len(self.links))
        return [place for k in every for place in joints.get(k, []) + elastic.get(k, [])]

    @property
    def size(self) -> int:
        """Number of coordinates."""
        bent = sum(link.shapes.count for link in self.links if link.shapes is not None)
        return len(self.joints) + bent

    @property
    def gaps(self) -> int:
        """Number of rows that close its loops."""
        return sum(cut.count for cut in self.cuts)


@dataclass(frozen=True)
class End:
    """An end of a bent link, in the link's axes.

    Its turn is Cayley's of the turn vector θ of the shapes: a rotation for any θ, and what small
    turns are up to θ³.
    """

    shapes: Shapes
    place: Value  # [m] from the link's origin
    theta: Value

    @classmethod
    def of(cls, shapes: Shapes, eta: Value) -> Self:
        """The last one, at elastic coordinates."""
        return cls(shapes, shapes.last + shapes.way @ eta, shapes.turn @ eta)

    @property
    def rotation(self) -> Value:
        """From its axes to the link's."""
        T = skew(self.theta)
        return ca.DM.eye(3) + self._k * (T + T @ T / 2)

    def carried(self, frame: BodyMotion, rate: Value, second: Value) -> BodyMotion:
        """Its motion, in its own axes, from the link's; rates and accelerations of η."""
        R, theta = self.rotation, self.theta
        way_rate, way_second = self.shapes.way @ rate, self.shapes.way @ second
        theta_rate, theta_second = self.shapes.turn @ rate, self.shapes.turn @ second
        v_dot = frame.v_dot + frame.U @ self.place + way_second
        v_dot += 2 * cross(frame.omega, way_rate)
        w = self._rate_matrix @ theta_rate
        w_dot = self._rate_matrix @ theta_second - self._k * dot(theta, theta_rate) / 2 * w
        before = R.T @ frame.omega
        omega_dot = R.T @ frame.omega_dot + cross(before, w) + w_dot
        return BodyMotion(before + w, omega_dot, R.T @ v_dot)

    def passed_on(self, force: Force) -> tuple[Force, Value]:
        """A force on the end, in its axes, as one on the link's frame and as those on η."""
        f, n = self.rotation @ force.f, self.rotation @ force.n
        turning = self._rate_matrix.T @ force.n
        eta_force = self.shapes.way.T @ f + self.shapes.turn.T @ turning
        return Force(f, n + cross(self.place, f)), eta_force

    @property
    def _k(self) -> Value:
        return 1 / (1 + dot(self.theta, self.theta) / 4)

    @property
    def _rate_matrix(self) -> Value:
        """W of the angular velocity W θ̇, in the end's axes."""
        return self._k * (ca.DM.eye(3) - skew(self.theta) / 2)


def forces(
    machine: LinkTree, z: Value, rate: Value, second: Value, wrench: Value, base: BodyMotion | None
) -> Value:
    """Forces by coordinate [N m, N, SI] of the open tree, on a base that moves against gravity."""
    tree = PlacedTree.of(machine, z)
    base = base or BodyMotion(ZERO, ZERO, -machine.gravity)
    motions = _motions(machine, tree, base, rate, second)
    needed, bending = _inertia(machine, tree, motions, rate, second)

    def bear(spot: LinkAttachment, force: Force) -> None:
        """Let a link bear a force on the frame that a spot is on, in its axes."""
        if spot.link == BASE:
            return
        if spot.at_end:
            force, on_eta = tree.ends[spot.link].passed_on(force)
            bending[spot.link] += on_eta
        needed[spot.link] += force

    bear(machine.platform, tree.in_axes(machine.platform, -wrench))
    for k in reversed(range(len(machine.links))):
        bear(tree.carriers[k], tree.places[k].passed_on(needed[k]))
    q_ddot, _ = machine.parted(second)
    joints = ((machine.links[k].joint, k) for k in machine.joints)
    efforts = [joint.along(needed[k]) + joint.armature * q_ddot[k] for joint, k in joints]
    return ca.vertcat(*efforts, *(bending[k] for k, _, _ in machine.elastic))


@dataclass(frozen=True)
class PlacedTree:
    """A tree at coordinates z."""

    eta: dict[int, Value]  # by link that bends, its elastic coordinates
    axes: dict[int, Value]  # by link, its axes at home, the base among them
    carriers: dict[int, LinkAttachment]  # by link, what carries it
    places: dict[int, LinkPlacement]  # by link, where it is in the frame of what carries it
    ends: dict[int, End]
    frames: dict[int, tuple[Value, Value]]
    """Rotation to base axes and origin [m] of every link, the base among them."""
    displaced: dict[int, Value]  # by link whose joint moves, its displacement from home [rad, m]

    @classmethod
    def of(cls, machine: LinkTree, z: Value) -> Self:
        """Its joints and ends, from the base outwards."""
        q, eta = machine.parted(z)
        displaced = {k: x - machine.links[k].joint.at_home for k, x in q.items()}
        ground = {BASE: ca.DM.eye(3)}, {BASE: (ca.DM.eye(3), ZERO)}
        tree = cls(eta, ground[0], {}, {}, {}, ground[1], displaced)
        for k, link in enumerate(machine.links):
            joint = link.joint
            tree.axes[k] = link.axes
            tree.carriers[k] = LinkAttachment(joint.before, ZERO, link.at_end)
            position = joint.position(q[k] if k in q else ca.SX(joint.at_home))
            tree.places[k] = place = joint.placed(position)
            R, p = tree.frame(tree.carriers[k])
            tree.frames[k] = R @ place.rotation, p + R @ place.origin
            if link.shapes is not None:
                tree.ends[k] = End.of(link.shapes, eta[k])
        return tree

    def frame(self, spot: LinkAttachment) -> tuple[Value, Value]:
        """Rotation to base axes and origin [m] of the link, or of its end, that a spot is on."""
        R, p = self.frames[spot.link]
        if spot.at_end:
            end = self.ends[spot.link]
            R, p = R @ end.rotation, p + R @ end.place
        return R, p

    def placed(self, spot: LinkAttachment) -> tuple[Value, Value]:
        """Rotation since home, in base axes, and place [m] in the base frame, of a spot."""
        R, p = self.frame(spot)
        turned = R @ self.axes[spot.link].T
        displaced = ZERO if spot.way is None else R @ (spot.way @ self.eta[spot.link])
        return turned, p + turned @ spot.place + displaced

    def in_axes(self, spot: LinkAttachment, wrench: Value) -> Force:
        """A wrench on a spot, in base axes, as one on the frame that it is on."""
        R, _ = self.frame(spot)
        f, n = R.T @ linear(wrench), R.T @ angular(wrench)
        return Force(f, n + cross(self.axes[spot.link].T @ spot.place, f))


def _motions(
    machine: LinkTree, tree: PlacedTree, base: BodyMotion, rate: Value, second: Value
) -> dict[int, BodyMotion]:
    """Each link's motion, from the base, which is one of them, outwards."""
    (q_dot, eta_dot), (q_ddot, eta_ddot) = machine.parted(rate), machine.parted(second)
    motions, none = {BASE: base}, ca.DM.zeros(1)
    for k, link in enumerate(machine.links):
        on = tree.carriers[k]
        held = motions[on.link]
        if on.at_end:
            held = tree.ends[on.link].carried(held, eta_dot[on.link], eta_ddot[on.link])
        rates = q_dot.get(k, none), q_ddot.get(k, none)
        motions[k] = link.joint.carried(tree.places[k], held, *rates)
    return motions


def _inertia(
    machine: LinkTree, tree: PlacedTree, motions: dict[int, BodyMotion], rate: Value, second: Value
) -> tuple[dict[int, Force], dict[int, Value]]:
    """Forces that every link needs to move and to stay bent as it is, by itself."""
    (_, eta_dot), (_, eta_ddot) = machine.parted(rate), machine.parted(second)
    needed, bending = {}, {}
    for k, link in enumerate(machine.links):
        if link.shapes is None:
            needed[k] = inertial_force(link.joint.body, motions[k])
            continue
        eta = tree.eta[k]
        bent = link.shapes.deformed(link.joint.body, eta)
        more, inertia = elastic_inertia(link.shapes, motions[k], eta, eta_dot[k], eta_ddot[k])
        needed[k] = inertial_force(bent, motions[k]) + more
        bending[k] = inertia + link.shapes.stiffness @ eta + link.shapes.damping @ eta_dot[k]
    return needed, bending


# A link that bends, in the axes of its floating frame: r = r₀ + Φ η, clamped at its first joint.
# The deformation is small: it is linear in the coordinates η, and so is the force that it takes, K
# η + D η̇. What inertia needs of the shapes Φ is constant [Shabana, Dynamics of Multibody Systems,
# §5].


def elastic_inertia(
    shapes: Shapes, motion: BodyMotion, eta: Value, rate: Value, second: Value
) -> tuple[Force, Value]:
    """Forces of a bent body beside those of a rigid one, and forces that move η.

    Every point accelerates by v̇ + U r + 2 ω x Φ η̇ + Φ η̈.
    """
    n, omega = shapes.count, skew(motion.omega)
    C = [shapes.A[k].T + _sum(shapes.B[k], eta) for k in range(n)]  # ∫ Φ_k rᵀ dm
    f = shapes.S @ second + 2 * omega @ (shapes.S @ rate)
    moved = 2 * omega @ _sum(C, rate) + _sum(C, second)
    eta_force = [
        dot(shapes.S[:, k], motion.v_dot)
        + _inner(motion.U, C[k])
        + 2 * _inner(omega, _sum(shapes.B[k], rate))
        + shapes.mass[k, :] @ second
        for k in range(n)
    ]
    return Force(f, 2 * vee(moved)), ca.vertcat(*eta_force)


def _inner(U: Value, C: Value) -> Value:
    """∫ Φ_kᵀ U r dm of C = ∫ Φ_k rᵀ dm."""
    return ca.sum1(ca.sum2(U * C))


def _sum(matrices: list[Value] | tuple[Value, ...], weights: Value) -> Value:
    return sum((M * weights[k] for k, M in enumerate(matrices)), ca.SX(3, 3))
