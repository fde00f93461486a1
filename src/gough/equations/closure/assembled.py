"""A machine at a pose: its platform, its legs, and the motion that they admit.

The frame convention: a planar machine is turned so that it moves in the plane x, y; what never
changes is a constant; what the machine cannot do is left out: that part of an argument is not used.
Legs follow the platform [Briot & Khalil 2021, §2: (4), (5), and their time derivatives]; it moves
by V = T u, V̇ = T u̇ + Ṫ u [(1), (18); their Ψ is T]. The platform constraints of the legs are
K V = 0, K V̇ + κ = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import casadi as ca
from casadi import cross

from gough.equations.closure import constraint_rows as loops
from gough.equations.closure.elimination import Elimination
from gough.equations.machine import FrameConvention, Leg, Machine
from gough.equations.solvers.linear import bounded, solve
from gough.equations.spatial.algebra import Value, position, quaternion, reciprocal, rotation
from gough.equations.spatial.attitude import conjugate, quaternion_product
from gough.equations.tree import bodies
from gough.equations.tree.bodies import ZERO, BodyMotion, Force, Rigid, Twist, lever_matrix
from gough.equations.tree.joints import BASE, LinkPlacement, Position, Turn


def platform_at(machine: Machine, pose: Value) -> loops.PlatformPlacement:
    """Position [m] and rotation matrix of the platform, in the machine's axes."""
    convention = machine.frame_convention
    p = ca.SX(convention.axes @ position(pose))
    for k in convention.fixed:
        p[k] = convention.home_position[k]
    return loops.PlatformPlacement(p, _rotation(convention, pose))


def home(machine: Machine) -> Value:
    """The home pose, base axes."""
    convention = machine.frame_convention
    return ca.vertcat(convention.axes.T @ convention.home_position, convention.home_quaternion)


def _rotation(convention: FrameConvention, pose: Value) -> Value:
    """From the platform's axes, where it turns little those at home, to the machine's axes."""
    if convention.turning == "none":
        return ca.DM.eye(3)
    if convention.turning == "any":
        return convention.axes @ rotation(pose)
    turned = quaternion_product(quaternion(pose), conjugate(convention.home_quaternion))
    w, z = turned[0], convention.axes[2, :] @ turned[1:4]
    k = reciprocal(w * w + z * z)
    c, s = (w * w - z * z) * k, 2 * w * z * k
    return ca.blockcat([[c, -s, 0], [s, c, 0], [0, 0, 1]])


Spot = tuple[int, Value, Value]
"""A link, a point of it in its own frame, and that point's acceleration less gravity."""
Spots = Sequence[Spot]


@dataclass(frozen=True)
class LegPosture:
    """A leg in its place: joint positions, link frames, cut joints, and its rows to be solved.

    Its recursions from the base outwards are those of Luh, Walker and Paul (1980) and of Walker and
    Orin (1982), which Briot & Khalil (2021, §2) advise; vectors are in their own link's axes.
    """

    leg: Leg
    positions: Sequence[Position]
    places: list[LinkPlacement]
    cuts: list[loops.Held]  # its cut joints, and behind them its couplings
    rows: Elimination

    @property
    def joint_positions(self) -> list[Value]:
        """Positions of its joints as the machine's maker counts them [rad, m]."""
        return [joint.counted(x) for joint, x in zip(self.leg.joints, self.positions, strict=True)]

    @property
    def is_on_a_ball(self) -> bool:
        """Whether all that holds it is one ball joint at the platform."""
        cuts = [held.cut for held in self.cuts]
        return len(cuts) == 1 and type(cuts[0]) is loops.CutBall and cuts[0].other is None

    def link_frames(self) -> dict[int, tuple[Value, Value]]:
        """Rotation to the machine's axes and origin [m] of every link, the base among them."""
        return link_frames(self.leg, self.places)

    def link_velocities(
        self, frames: Mapping[int, tuple[Value, Value]], q_dot: Sequence[Value]
    ) -> dict[int, tuple[Value, Value]]:
        """Velocity of the origin and ω of every link, the base among them, machine's axes."""
        velocities = {BASE: (ZERO, ZERO)}
        for k, joint in enumerate(self.leg.joints):
            v, omega = velocities[joint.before]
            (R, p), (_, p_before) = frames[k], frames[joint.before]
            along, about = joint.column(ZERO)
            v = v + cross(omega, p - p_before) + R @ along * q_dot[k]
            velocities[k] = v, omega + R @ about * q_dot[k]
        return velocities

    def link_motions(
        self, q_dot: Sequence[Value], q_ddot: Sequence[Value], base: BodyMotion
    ) -> dict[int, BodyMotion]:
        """Each link's motion, from the base, which is one of them, outwards."""
        motions = {BASE: base}
        for k, (joint, place) in enumerate(zip(self.leg.joints, self.places, strict=True)):
            motions[k] = joint.carried(place, motions[joint.before], q_dot[k], q_ddot[k])
        return motions

    def _motions_in_base(
        self, q_dot: Sequence[Value], q_ddot: Sequence[Value], base: BodyMotion, held: Spots
    ) -> dict[int, BodyMotion]:
        """Each link's motion by vectors in the machine's axes, which are not turned on the way.

        Accelerations of the outer half of what leads to a point of the platform start there.
        """
        joints, frames = self.leg.joints, self.link_frames()
        turning = {BASE: (base.omega, base.omega_dot)}
        steps = list[Value]()  # of acceleration, from the origin of the link before
        for k, joint in enumerate(joints):
            (omega, omega_dot), (R, p) = turning[joint.before], frames[k]
            along, about = (R @ x for x in joint.column(ZERO))
            turned = cross(omega, about) * q_dot[k] + about * q_ddot[k]
            steps.append(lever_matrix(omega, omega_dot) @ (p - frames[joint.before][1])
                         + 2 * cross(omega, along) * q_dot[k] + along * q_ddot[k])  # fmt: skip
            turning[k] = omega + about * q_dot[k], omega_dot + turned
        v_dot = {BASE: base.v_dot}
        for link, point, acceleration in held:
            path = self._path(link)
            v_dot[link] = acceleration - lever_matrix(*turning[link]) @ (frames[link][0] @ point)
            for k in path[: len(path) // 2 - 1]:
                v_dot[joints[k].before] = v_dot[k] - steps[k]
        motions = {BASE: replace(base, in_base=base)}
        for k, joint in enumerate(joints):
            v_dot.setdefault(k, v_dot[joint.before] + steps[k])
            motions[k] = BodyMotion.seen(BodyMotion(*turning[k], v_dot[k]), frames[k][0])
        return motions

    def _path(self, link: int) -> list[int]:
        """A link and those that carry it, the outermost first."""
        path = [link]
        while (before := self.leg.joints[path[-1]].before) != BASE:
            path.append(before)
        return path

    def _held_by_platform(self, twist: Twist, acceleration: Twist) -> Spots:
        """Points of links with their accelerations, which are the platform's: rows close them."""
        U, found = lever_matrix(twist.omega, acceleration.omega), list[Spot]()
        used, first = {*self.leg.plan.driven_rows, *self.leg.plan.passive_rows}, 0
        for held in self.cuts:
            cut, closed = held.cut, used >= {first, first + 1, first + 2}
            ball = isinstance(cut, loops.CutBall) and cut.axes.shape[1] == 3
            if ball and closed and cut.other is None:
                found.append((cut.link, cut.point, acceleration.v + U @ held.lever))
            first += len(held.rows)
        return found

    def joint_forces(
        self, motions: Mapping[int, BodyMotion], more: Mapping[int, Sequence[Force]]
    ) -> list[Value]:
        """Forces in all joints of the free tree, as if driven; `more` is what else links need."""
        joints = self.leg.joints
        if self.leg.following is not None:
            return self._forces_in_base(motions, more)
        own = [bodies.inertial_force(joint.body, motions[k]) for k, joint in enumerate(joints)]
        needed = [sum(more.get(k, ()), force) for k, force in enumerate(own)]
        for k in reversed(range(len(joints))):
            before = joints[k].before
            if before != BASE:
                needed[before] += self.places[k].passed_on(needed[k])
        return [joint.along(force) for joint, force in zip(joints, needed, strict=True)]

    def _forces_in_base(
        self, motions: Mapping[int, BodyMotion], more: Mapping[int, Sequence[Force]]
    ) -> list[Value]:
        """Efforts of all joints, by forces in the machine's axes about the origin of each link."""
        joints, frames = self.leg.joints, self.link_frames()
        needed = []
        for k, joint in enumerate(joints):
            R, _ = frames[k]
            own = bodies.turned_inertial_force(joint.body, motions[k], R)
            needed.append(sum((force.turned(R) for force in more.get(k, ())), own))
        for k in reversed(range(len(joints))):
            before = joints[k].before
            if before != BASE:
                needed[before] += needed[k].about(frames[k][1] - frames[before][1])
        return [joint.along(force.turned(frames[k][0].T))
                for k, (joint, force) in enumerate(zip(joints, needed, strict=True))]  # fmt: skip

    def mass_matrix(self) -> list[list[Value]]:
        """The free tree's mass matrix, by composite bodies."""
        joints, places, n = self.leg.joints, self.places, len(self.leg.joints)
        M: list[list[Value]] = [[ca.DM.zeros(1)] * n for _ in range(n)]
        outer = [Rigid.of(joint.body) for joint in joints]  # each link with all that it carries
        for j in reversed(range(n)):
            force = joints[j].accelerating(outer[j])
            M[j][j] = joints[j].along(force) + joints[j].armature
            i = j
            while joints[i].before != BASE:
                force, i = places[i].passed_on(force), joints[i].before
                M[i][j] = M[j][i] = joints[i].along(force)
            if joints[j].before != BASE:
                outer[joints[j].before] += places[j].seen_from_before(outer[j])
        return M

    def rates(self, twist: Twist) -> list[Value]:
        """q̇ of A q̇ = B V [rad/s, m/s]."""
        if self.leg.following is not None:
            return ca.vertsplit(self.leg.following.first @ ca.vertcat(twist.v, twist.omega))
        return self.rows.solved(loops.followed(self.cuts, twist))

    def jacobian(self, T: Value) -> list[Value]:
        """G_i T: rates of a leg's joints by u, a row for each joint [Briot & Khalil 2021 (8)]."""
        if self.leg.following is not None:
            return ca.vertsplit(self.leg.following.first @ T)
        return self.rows.solved([row @ T for row in loops.platform_rows(self.cuts)])

    def motion(self, twist: Twist, acceleration: Twist, base: BodyMotion) -> LegMotion:
        """q̇, and q̈ of A q̈ = B V̇ + β - α; the acceleration is less gravity.

        Joints follow the platform's motion relative to the base, which closes the loops alike
        whether the base turns or not; links move as the base carries them.
        """
        q_dot, unturned = self.rates(twist), BodyMotion(ZERO, ZERO, base.v_dot)

        def outrun(q_ddot: Sequence[Value]) -> list[Value]:
            links = self.link_motions(q_dot, q_ddot, unturned)
            return loops.accelerated(self.cuts, links, q_dot, q_ddot, twist, acceleration)

        if self.leg.following is None:
            q_ddot = self.rows.solved_in_turn(outrun)
        else:
            relative = ca.vertcat(acceleration.v - base.v_dot, acceleration.omega)
            V = ca.vertcat(twist.v, twist.omega)
            q_ddot = ca.vertsplit(self.leg.following.second(V, relative))
            held = self._held_by_platform(twist, acceleration)
            return LegMotion(q_dot, q_ddot, self._motions_in_base(q_dot, q_ddot, base, held))
        return LegMotion(q_dot, q_ddot, self.link_motions(q_dot, q_ddot, base))

    def constraints(self) -> list[Value]:
        """K of K V = 0: a row for each that determines no joint."""
        if self.leg.following is None:
            weights = map(self.rows.left_over, self.leg.plan.left)
            return [loops.wrench_of(self.cuts, weight).T for weight in weights]
        rows, first = loops.platform_rows(self.cuts), self.leg.following.first
        return [rows[k] - ca.horzcat(*self.rows.A[k]) @ first for k in self.leg.plan.left]

    def first_moment(self) -> Value:
        """∫ r dm of all links, in the base frame [kg m]: what gravity acts on."""
        frames, joints = self.link_frames(), self.leg.joints
        parts = ((joint.body, *frames[k]) for k, joint in enumerate(joints))
        return sum((body.mass * p + R @ body.ms for body, R, p in parts), ZERO)


def link_frames(leg: Leg, places: Sequence[LinkPlacement]) -> dict[int, tuple[Value, Value]]:
    """Rotation to the machine's axes and origin [m] of every link, the base among them."""
    frames = {BASE: (ca.DM.eye(3), ZERO)}
    for k, (joint, place) in enumerate(zip(leg.joints, places, strict=True)):
        R, p = frames[joint.before]
        frames[k] = R @ place.rotation, p + R @ place.origin
    return frames


@dataclass(frozen=True)
class LegMotion:
    """Rates and accelerations of a leg's joints, and its links' motions, less gravity."""

    q_dot: list[Value]
    q_ddot: list[Value]
    links: dict[int, BodyMotion]


def posture(
    leg: Leg, positions: Sequence[Position], platform: loops.PlatformPlacement
) -> LegPosture:
    """One leg at these positions of its joints."""
    places = [joint.placed(x) for joint, x in zip(leg.joints, positions, strict=True)]
    cuts = [loops.placed(leg, places, platform, cut) for cut in leg.cuts]
    if leg.couplings:
        pairs = zip(leg.joints, positions, strict=True)
        displaced = [joint.counted(x) - joint.at_home for joint, x in pairs]
        cuts += [loops.coupled(coupling, displaced) for coupling in leg.couplings]
    A = loops.row_matrix(leg, cuts)
    return LegPosture(leg, positions, places, cuts, Elimination(leg.plan, A))


def posture_at(leg: Leg, q: Value, position: Value, rotation: Value) -> LegPosture:
    """A leg at joint positions as the machine's maker counts them [rad, m], closed or not."""
    positions = [joint.position(q[k]) for k, joint in enumerate(leg.joints)]
    return posture(leg, positions, loops.PlatformPlacement(position, rotation))


@dataclass(frozen=True)
class Assembled:
    """A machine at a pose, in its own axes."""

    machine: Machine
    platform: loops.PlatformPlacement
    legs: list[LegPosture]

    @cached_property
    def T(self) -> Value:
        """The twist basis, 6 x n."""
        return twist_basis(self.machine, self.legs)

    @cached_property
    def J(self) -> Value:
        """Rates of the driven joints by u, motors x n."""
        return self.machine.driven([leg.jacobian(self.T) for leg in self.legs])

    @property
    def constraint_matrix(self) -> Value:
        """K S⊥ᵀ: the platform constraints over the complement of the rows of S."""
        return _constraints(self.legs) @ self.machine.freedom.outside.T

    def in_world(self, twist: Twist, acceleration: Twist) -> tuple[Twist, Twist]:
        """Return the platform's motion in the world; its acceleration is less gravity."""
        base = self.machine.base
        if base is None:
            return twist, acceleration
        return base.carried(self.platform.position, twist, acceleration)

    def bias_acceleration(self, twist: Twist) -> Twist:
        """Ṫ u: the acceleration at u̇ = 0, less gravity."""
        machine, outside = self.machine, self.machine.freedom.outside
        rest = machine.less_gravity(Twist(ZERO, ZERO))
        if machine.freedom.T is not None:
            return rest
        kappa = ca.vertcat(*(_drifts(leg, twist, rest) for leg in self.legs))
        V_dot = -outside.T @ solve(self.constraint_matrix, kappa)
        return machine.less_gravity(Twist.of(V_dot))


class _At:
    """A machine at a pose: equal to another of the same machine and expressions."""

    def __init__(self, machine: Machine, pose: Value) -> None:
        self.machine, self.pose = machine, ca.SX(pose)
        self._key = (id(machine), *(x.element_hash() for x in self.pose.elements()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _At) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def assembled(machine: Machine, pose: Value) -> Assembled:
    """A machine at a pose: the inverse geometric model. Equations of one kernel share it."""
    return _assembled(_At(machine, pose))


@lru_cache(maxsize=8)
def _assembled(at: _At) -> Assembled:
    machine, pose = at.machine, at.pose
    platform = platform_at(machine, pose)
    found = [leg.positions(platform.position, platform.rotation) for leg in machine.legs]
    legs = [posture(leg, [*map(_bounded, x)], platform)
            for leg, x in zip(machine.legs, found, strict=True)]  # fmt: skip
    return Assembled(machine, platform, legs)


def _bounded(position: Position) -> Position:
    if type(position) is Turn:
        return Turn(*ca.vertsplit(bounded(ca.vertcat(position.cosine, position.sine))))
    return position if isinstance(position, Turn) else bounded(position)


def twist_basis(machine: Machine, legs: Sequence[LegPosture]) -> Value:
    """T of V = T u, 6 x n, where the legs are."""
    freedom = machine.freedom
    if freedom.T is not None:
        return freedom.T
    outside, K = freedom.outside, _constraints(legs)
    return freedom.inside - outside.T @ solve(K @ outside.T, K @ freedom.inside)


def _constraints(legs: Sequence[LegPosture]) -> Value:
    """K of K V = 0."""
    return ca.vertcat(*(row for at in legs for row in at.constraints()))


def _drifts(at: LegPosture, twist: Twist, rest: Twist) -> Value:
    """Return κ of a leg's platform constraints: their acceleration at V̇ = 0."""
    if not at.leg.plan.left:
        return ca.DM(0, 1)
    motion = at.motion(twist, rest, BodyMotion(ZERO, ZERO, rest.v))
    rates = motion.q_dot, motion.q_ddot
    gaps = loops.accelerated(at.cuts, motion.links, *rates, twist, rest)
    return ca.vertcat(*(gaps[row] for row in at.leg.plan.left))
