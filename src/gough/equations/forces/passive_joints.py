"""Friction, damping and springs, of joints and between bodies, and their wrench on the platform.

Dry friction fades to zero below a speed, so that it is smooth. The wrench on the platform is the
one whose power is that of all joints together. A rod with balls at both ends does not spin about
itself. A spring resists the displacement of its joint from home: about each axis, about all axes,
or along its slide. Those at the ends of a line, which spins freely or extends, each resist rotation
across it, and together, in series, rotation about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.closure.assembled import Assembled, assembled
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import actuation_matrix, joint_velocity, twist_basis
from gough.equations.motion.motions import LinkFrames, Velocities, frames_of, velocities_of
from gough.equations.solvers.linear import is_for_boxes, solve
from gough.equations.spatial import attitude
from gough.equations.spatial.algebra import Value, norm, unit
from gough.equations.tree import description as tree
from gough.equations.tree.bodies import ZERO, Twist
from gough.equations.tree.springs import LineSpring, ParallelSpring

if TYPE_CHECKING:
    from gough.equations.forces.capacity import RequiredForces

Equation = Callable[..., Value]
STILL = Twist(ZERO, ZERO)
TURNING_FADE, SLIDING_FADE = 1e-2, 1e-3  # small beside the working speed of any joint [rad/s, m/s]


class DisplacedSpring(NamedTuple):
    """A spring as it is displaced."""

    force: Value  # against the displacement [N m, N]
    energy: Value  # beyond that at home [J]
    rate: Value  # rate of the displacement, along each axis of the force
    damping: Value | float = 0.0  # viscous, beside it


def spring_energy(machine: Machine, pose: Value) -> Value:
    """Energy [J] of all springs beyond that at home."""
    if not (machine.flexures or machine.loaded):
        return ca.DM(0)
    springs = Displaced(assembled(machine, pose)).springs()
    return sum((spring.energy for spring in springs), ca.DM(0))


def spring_wrench(machine: Machine, pose: Value, twist: Value | None = None) -> Value:
    """The wrench (6) [N, N m] of all springs on the platform, whose power is theirs.

    With a twist, also that of the dampers beside springs between bodies.
    """
    if not (machine.flexures or machine.loaded):
        return ca.DM.zeros(6)
    V = ca.SX.sym("V", 6)
    springs = Displaced(assembled(machine, pose)).springs(Twist.of(V))
    power = sum((dot(spring.force, spring.rate) for spring in springs), ca.DM(0))
    wrench = -ca.gradient(power, V)
    if twist is not None:
        now = machine.twist(twist)
        lost = sum((s.damping * dot(s.rate, s.rate) / 2 for s in springs), ca.SX(0))
        wrench -= ca.substitute(ca.gradient(lost, V), V, ca.vertcat(now.v, now.omega))
    return machine.in_base_axes(wrench)


@dataclass(frozen=True)
class Displaced:
    """A machine somewhere, as its joints see it from home."""

    at: Assembled

    def springs(self, twist: Twist = STILL) -> list[DisplacedSpring]:
        """Return all springs, with their rates at a twist of the platform."""
        rates = velocities_of(self.at, twist)
        found = []
        for spring in self.at.machine.flexures:
            if isinstance(spring, tree.LineTorsion):
                sides = (spring.first, spring.second, spring.line)
                angle, rate = self.twisted(spring, [rates.turning(side) for side in sides])
                moved = [(angle, rate)]
            else:
                pairs = self.displacements(spring.pair), rates.of_pair(spring.pair)
                moved = list(zip(*pairs, strict=True))
            k = spring.stiffness
            found += [DisplacedSpring(k * x, k * dot(x, x) / 2, rate) for x, rate in moved]
        return found + [self.loaded(spring, rates) for spring in self.at.machine.loaded]

    def loaded(self, spring: LineSpring | ParallelSpring, rates: Velocities) -> DisplacedSpring:
        """Return a spring between bodies, or beside the motor or bearing of a joint."""
        if isinstance(spring, ParallelSpring):
            pair, step = spring.pair, spring.step
            if step is None:
                (x,), (rate,) = self.displacements(pair), rates.of_pair(pair)
            else:
                x, rate = self.displacement(step), rates.q_dot[step.leg][step.link]
            return DisplacedSpring(spring.law.force(x), spring.law.energy(x), rate)
        way, speed = self.line(spring, self.frames.point), self.line(spring, rates.point)
        length = norm(way)
        x = length - spring.length
        rate = dot(way, speed) / length
        return DisplacedSpring(spring.law.force(x), spring.law.energy(x), rate, spring.damping)

    def line(self, spring: LineSpring, of_point: Callable[[tree.Point], Value]) -> Value:
        """From a spring's start to its end: what both have, such as positions, as a difference."""
        start, end = (tree.at_point(of_point, spot) for spot in spring.ends)
        return end - start

    @cached_property
    def frames(self) -> LinkFrames:
        """Where all carriers are."""
        return frames_of(self.at.platform, self.at.legs)

    @cached_property
    def at_home(self) -> dict[tree.LinkRef, tree.FixedFrame]:
        """Machine's frame at home, as fixed in each carrier."""
        bodies = self.at.machine.description.carried
        return {body.origin.carrier: body for body in bodies if isinstance(body, tree.FixedFrame)}

    def displacements(self, pair: tree.Pair) -> list[Value]:
        """Return the displacements of a joint, in the order and axes of its rates [rad, m]."""
        found = self.turns_of(pair)
        if pair.slide is not None:
            found.append(self.displacement(pair.slide))
        return found

    def displacement(self, joint: tree.LinkRef) -> Value:
        """Return the displacement of a leg's own joint [rad, m]."""
        at = self.at.legs[joint.leg]
        return at.joint_positions[joint.link] - at.leg.joints[joint.link].at_home

    def turns_of(self, pair: tree.Pair) -> list[Value]:
        """About each axis, or (3) all ways."""
        if not pair.turns:
            return []
        first, second = self._since_home(pair.first), self._since_home(pair.second)
        axes = self.frames.pair_axes(pair)
        if len(axes) == 2:
            (a, b), D = axes, first @ second.T
            return [attitude.angle_from(a, D @ b, b), attitude.angle_from(b, a, D.T @ a)]
        if axes:
            return [attitude.angle_about(axes[0], first, second)]
        if not isinstance(pair.first, tree.Line) and not isinstance(pair.second, tree.Line):
            return [attitude.rotation_vector(second @ first.T)]
        line, other, sign = tree.line_of(pair)
        stood = self._since_home(other) @ self._direction_at_home(line)
        return [sign * attitude.turn_from(stood, unit(self.frames.direction(line)))]

    def _since_home(self, side: tree.LinkRef | tree.Line) -> Value:
        """The rotation since home; of a line that spins as it likes the shortest one."""
        if isinstance(side, tree.Line):
            now = unit(self.frames.direction(side))
            return attitude.shortest_turn(self._direction_at_home(side), now)
        if side == tree.GROUND:
            return self.frames.axes(tree.GROUND)
        return self.frames.axes(side) @ self.at_home[side].axes

    def _direction_at_home(self, line: tree.Line) -> Value:
        def place(point: tree.Point) -> Value:
            if point.carrier == tree.GROUND:
                return point.at
            seen = self.at_home[point.carrier]
            return seen.axes.T @ (point.at - seen.origin.at)

        return unit(place(line.far) - place(line.near))

    def twisted(self, spring: tree.LineTorsion, turns: Sequence[Value]) -> tuple[Value, Value]:
        """Angle between two carriers about their line, and its rate; `turns` are the ω of all."""
        line, first, second = spring.line, spring.first, spring.second
        d_home = self._direction_at_home(line)
        R, S, d = ca.SX.sym("R", 3, 3), ca.SX.sym("S", 3, 3), ca.SX.sym("d", 3)
        carried = [attitude.shortest_turn(A @ d_home, d) @ A for A in (R, S)]
        angle = attitude.angle_about(d, *carried)
        at = [self._since_home(first), self._since_home(second), unit(self.frames.direction(line))]
        turning = [skew(omega) @ A for omega, A in zip(turns[:2], at, strict=False)]
        moved = [*turning, cross(turns[2], at[2])]
        symbols = ca.vertcat(ca.vec(R), ca.vec(S), d)
        along = ca.SX.sym("along", 21)
        rate = ca.jtimes(angle, symbols, along)
        values, rates = (ca.densify(ca.vertcat(*map(ca.vec, x))) for x in (at, moved))
        angle, rate = ca.substitute([angle, rate], [symbols, along], [values, rates])
        return angle, rate


@dataclass(frozen=True)
class FrictionLaw:
    """Friction in a joint: viscous [N m s/rad, N s/m] and dry [N m, N].

    In a universal joint it holds for each of the two axes, in a ball joint for the turning as a
    whole.
    """

    joint: int  # number of the joint in the description
    damping: Value
    friction: Value
    place: str = ""  # prefix of the keys `damping` and `friction` in the robot file
    of_transmission: bool = False
    """Whether it is that of an actuator's transmission, which a plant may model by itself."""

    @property
    def viscous(self) -> FrictionLaw:
        """Viscous part of this friction."""
        return replace(self, friction=ca.DM(0))


def friction_wrench(
    machine: Machine, laws: Sequence[FrictionLaw], pose: Value, twist: Value
) -> Value:
    """Return the wrench (6) [N, N m] of all joints' friction on the platform."""
    if not laws:
        return ca.DM.zeros(6)
    at, V = assembled(machine, pose), ca.SX.sym("V", 6)
    as_they_move = velocities_of(at, machine.twist(twist))
    as_they_may = velocities_of(at, Twist.of(V))
    powers: dict[int, Value] = {}  # of each leg: so are its numbers not needed beside the others'
    for law in laws:
        pair = machine.description.pairs[law.joint]
        slides, sides = is_sliding(machine, law), (pair.first, pair.second)
        leg = max((side.leg for side in sides if isinstance(side, tree.LinkRef)), default=-1)
        for moves, may in zip(as_they_move.of_pair(pair), as_they_may.of_pair(pair), strict=True):
            power = ca.dot(may, resistance(law, moves, slides=slides))
            powers[leg] = powers.get(leg, ca.SX(0)) + power
    wrenches = [ca.gradient(power, V) for power in powers.values()]
    return machine.in_base_axes(-sum(wrenches[1:], wrenches[0]))


def dry_friction(machine: Machine, pose: Value, twist: Value) -> tuple[Value, Value]:
    """Return wrenches (6, m) of all dry friction in full, and shares (m) of each, from -1 to 1."""
    at, V = assembled(machine, pose), ca.SX.sym("V", 6)
    rates, any_rates = (velocities_of(at, own) for own in (machine.twist(twist), Twist.of(V)))
    wrenches, shares = [ca.SX(6, 0)], [ca.SX(0, 1)]
    for law in machine.frictions:
        pair = machine.description.pairs[law.joint]
        dry = replace(law, damping=ca.SX(0), friction=ca.SX(1))
        slides = is_sliding(machine, law)
        for rate, any_rate in zip(rates.of_pair(pair), any_rates.of_pair(pair), strict=True):
            if not ca.SX(law.friction).is_zero():
                wrenches += [-law.friction * ca.gradient(x, V) for x in ca.vertsplit(any_rate)]
                shares.append(resistance(dry, rate, slides=slides))
    return machine.in_base_axes(ca.horzcat(*wrenches)), ca.vertcat(*shares)


def is_sliding(machine: Machine, law: FrictionLaw) -> bool:
    """Whether a joint has a coordinate that is a length; that of a screw is an angle."""
    slide = machine.description.pairs[law.joint].slide
    return slide is not None and not machine.legs[slide.leg].joints[slide.link].turns


def resistance(law: FrictionLaw, rate: Value, *, slides: bool) -> Value:
    """Return the friction effort [N m, N] against a rate [rad/s, m/s].

    Over boxes a component x of a rate that is y across it, with the fade, is that of the sine of an
    angle, in which x occurs once.
    """
    fade = SLIDING_FADE if slides else TURNING_FADE
    if is_for_boxes():
        each = ca.vertsplit(rate)
        squares = ([y**2 for y in each if y is not x] for x in each)
        across = (ca.sqrt(sum(own, ca.SX(fade**2))) for own in squares)
        shares = (ca.sin(ca.atan2(x, y)) for x, y in zip(each, across, strict=True))
        return law.damping * rate + law.friction * ca.vertcat(*shares)
    return (law.damping + law.friction / ca.sqrt(dot(rate, rate) + fade**2)) * rate


def joint_wrench(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return the wrench (6) [N, N m] on the platform of all friction, damping and springs.

    Of the joints, and of springs and dampers between bodies, as far as the robot file states them:
    what `actuator_force` has beside the inverse dynamics of the rigid bodies.
    """
    friction = friction_wrench(machine, machine.frictions, pose, twist)
    return spring_wrench(machine, pose, twist) + friction


def resists(machine: Machine) -> bool:
    """Whether a machine states friction, damping or springs."""
    return bool(machine.frictions or machine.flexures or machine.loaded)


def without_dry_friction(machine: Machine) -> Machine:
    """Return a machine with the viscous part of its friction alone."""
    viscous = (law.viscous for law in machine.frictions if not ca.SX(law.damping).is_zero())
    return replace(machine, frictions=tuple(viscous))


def with_joints(inverse_dynamics: Equation) -> Equation:
    """Add friction, damping and springs of the joints, if stated, to the inverse dynamics.

    Over boxes actuators exert that of each dry friction in full, times its share, apart from the
    rest: friction of a motor's own joint is then not spread over other motors by bounds of J.
    """

    def equation(
        machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
    ) -> Value:
        apart = is_for_boxes() and len(machine.motors) == machine.dof
        smooth = without_dry_friction(machine) if apart else machine
        loaded = wrench + joint_wrench(smooth, pose, twist)
        found = inverse_dynamics(smooth, pose, twist, acceleration, loaded)
        wrenches, shares = dry_friction(machine, pose, twist) if apart else [ca.SX(0, 1)] * 2
        if not shares.numel():
            return found
        J, T = actuation_matrix(machine, pose), twist_basis(machine, pose)
        return found - solve(J.T, T.T @ wrenches) @ shares

    return equation


def power_with_joints(inverse_dynamics: Equation) -> Equation:
    """Return the mechanical power (n) [W] of each actuator: its force, as above, times its rate."""
    force = with_joints(inverse_dynamics)

    def equation(machine: Machine, pose: Value, twist: Value, *rest: Value) -> Value:
        return force(machine, pose, twist, *rest) * joint_velocity(machine, pose, twist)

    return equation


def required_with_joints(required_forces: RequiredForces) -> RequiredForces:
    """Add friction, damping and springs of the joints to the required forces of rigid bodies."""

    def equation(machine: Machine, *motion: Value) -> tuple[Value, Value]:
        across, along = required_forces(machine, *motion)
        pose, twist, _ = motion
        return across - twist_basis(machine, pose).T @ joint_wrench(machine, pose, twist), along

    return equation
