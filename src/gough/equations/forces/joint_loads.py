"""Friction, damping and springs of the joints, and springs between bodies, as loads of bodies.

A joint of a leg's tree resists by an effort of its own. In others, which close loops or turn all
ways, the first body turns the second and is turned back. What turns a rod is a pair of forces at
its ends; about itself a rod or leg that spins as it likes is taken not to turn, whatever turns it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi as ca
from casadi import cross, dot

from gough.equations.closure.assembled import Assembled
from gough.equations.forces.passive_joints import Displaced, FrictionLaw, is_sliding, resistance
from gough.equations.machine import Machine
from gough.equations.motion.motions import LinkFrames, Velocities, velocities_of
from gough.equations.spatial.algebra import Value, unit
from gough.equations.tree import description as tree
from gough.equations.tree.bodies import ZERO, Force, Twist
from gough.equations.tree.joints import BASE
from gough.equations.tree.springs import LineSpring, linear_law


class Effort(NamedTuple):
    """Effort of a joint of a leg's tree."""

    joint: tree.LinkRef  # leg and number
    value: Value  # against its rate [N m, N]


class Turning(NamedTuple):
    """Moment of a joint's first body on its second, besides the constraint forces."""

    joint: int  # its place in the description
    moment: Value  # [N m], in the machine's axes


class Pull(NamedTuple):
    """Force of a spring between bodies at one of its ends."""

    spot: tree.BodyPoint
    member: int  # its body among the members, and the rods behind these
    force: Value  # [N], in the machine's axes


class LegLoads(NamedTuple):
    """Loads of one leg by friction, damping and springs of the joints."""

    efforts: dict[int, Value]  # efforts of its own joints [N m, N]
    links: dict[int, list[Force]]  # forces on its links, each in its own frame


UNLOADED = LegLoads({}, {})


@dataclass(frozen=True)
class JointLoads:
    """All loads of a machine's joints, somewhere in motion."""

    machine: Machine
    frames: LinkFrames
    efforts: Sequence[Effort] = ()
    turnings: Sequence[Turning] = ()
    pulls: Sequence[Pull] = ()

    def of_leg(self, number: int) -> LegLoads:
        """Return the loads of one leg."""
        efforts = dict[int, Value]()
        for (leg, joint), effort in (*self.efforts, *self._turning_efforts):
            if leg == number:
                efforts[joint] = efforts.get(joint, 0) + effort
        links = dict[int, list[Force]]()
        for point, force in self._pushes:
            if point.carrier.leg == number:
                f = -self.frames.axes(point.carrier).T @ force
                links.setdefault(point.carrier.link, []).append(Force(f, cross(point.at, f)))
        return LegLoads(efforts, links)

    @property
    def of_platform(self) -> Value:
        """Return the wrench on the platform (6) [N, N m], about its origin, machine's axes."""
        f = n = ZERO
        for carrier, moment in self._moments:
            if carrier == tree.PLATFORM:
                n -= moment
        for point, force in self._pushes:
            if point.carrier == tree.PLATFORM:
                f, n = f - force, n - cross(self.frames.axes(tree.PLATFORM) @ point.at, force)
        return ca.vertcat(f, n)

    @cached_property
    def couples(self) -> dict[int, Value]:
        """By rod, the force [N] that turns it, with its opposite, at its far end."""
        found = dict[int, Value]()
        for rod, _, moment in self._sides(of_rods=True):
            line = self.machine.description.loads.rods[rod].line
            d = self.frames.direction(line)
            found[rod] = found.get(rod, ZERO) + cross(moment, d) / dot(d, d)
        return found

    def pulled(self, number: int, *, rod: bool = False) -> list[Pull]:
        """Return the forces of springs on a member, or on a rod."""
        place = number + len(self.machine.description.loads.members) * rod
        return [pull for pull in self.pulls if pull.member == place]

    def through(self, passage: tree.Passage) -> Value:
        """The moment [N m] that passes through a joint, as what passes there is counted."""
        total, bearings = ZERO, self.machine.description.loads.bearings
        for joint, moment in self.turnings:
            if bearings[joint].passed == passage:
                total += bearings[joint].sign * moment
        return total

    @property
    def spinning(self) -> Iterator[tuple[int, Value]]:
        """Members that spin as they like, and moments [N m] about themselves that do not count."""
        for member, line, moment in self._sides(of_rods=False):
            if line is not None:
                yield member, moment - self._across(line, moment)

    @cached_property
    def _moments(self) -> list[tuple[tree.LinkRef, Value]]:
        """Moments on carriers [N m]."""
        members = self.machine.description.loads.members
        return [
            (members[member].carrier, moment if line is None else self._across(line, moment))
            for member, line, moment in self._sides(of_rods=False)
        ]

    @property
    def _pushes(self) -> Iterator[tuple[tree.Point, Value]]:
        """Forces on points of carriers [N]: those of springs, and at the ends of rods."""
        for spot, _, force in self.pulls:
            if isinstance(spot, tree.Point):
                yield spot, force
                continue
            yield spot.line.near, (1 - spot.share) * force
            yield spot.line.far, spot.share * force
        for rod, force in self.couples.items():
            line = self.machine.description.loads.rods[rod].line
            yield line.near, -force
            yield line.far, force

    @property
    def _turning_efforts(self) -> Iterator[Effort]:
        """Efforts in the hinges of a leg by which the links turn that moments act on."""
        for carrier, moment in self._moments:
            number, link = carrier if carrier != tree.PLATFORM else tree.GROUND
            while link != BASE:
                joint = self.machine.legs[number].joints[link]
                if joint.turns:
                    axis = self.frames.axes(tree.LinkRef(number, link))[:, 2]
                    yield Effort(tree.LinkRef(number, link), -dot(axis, moment))
                link = joint.before

    def _across(self, line: tree.Line, moment: Value) -> Value:
        """The part of a moment across a line."""
        d = unit(self.frames.direction(line))
        return moment - d * dot(d, moment)

    def _sides(self, *, of_rods: bool) -> Iterator[tuple[int, tree.Line | None, Value]]:
        """Rods or members with the moments on them, and the lines about which they spin."""
        description = self.machine.description
        count = len(description.loads.members)
        for joint, moment in self.turnings:
            bearing, pair = description.loads.bearings[joint], description.pairs[joint]
            ends = zip(bearing.sides, (pair.first, pair.second), (-moment, moment), strict=True)
            for side, end, n in ends:
                if (side >= count) == of_rods:
                    yield side - count * of_rods, end if isinstance(end, tree.Line) else None, n


def joint_loads(at: Assembled, twist: Twist) -> JointLoads:
    """The loads of all joints that state friction, damping or springs; none of others."""
    machine, rates = at.machine, velocities_of(at, twist)
    parts = [*_of_friction(machine, rates), *_of_springs(machine, rates, Displaced(at))]
    return JointLoads(
        machine,
        rates.frames,
        [part for part in parts if isinstance(part, Effort)],
        [part for part in parts if isinstance(part, Turning)],
        [part for part in parts if isinstance(part, Pull)],
    )


def _of_friction(machine: Machine, rates: Velocities) -> Iterator[Effort | Turning]:
    for law in machine.frictions:
        pair, slides = machine.description.pairs[law.joint], is_sliding(machine, law)
        slide, hinges = _own_joints(machine, law.joint, pair)
        for joint in (*slide, *hinges):
            rate = rates.q_dot[joint.leg][joint.link]
            yield Effort(joint, resistance(law, rate, slides=slides))
        if pair.turns and not hinges:
            efforts = [resistance(law, rate, slides=slides) for rate in rates.turns_of(pair)]
            yield Turning(law.joint, -rates.moment(pair, efforts))


def _of_springs(
    machine: Machine, rates: Velocities, displaced: Displaced
) -> Iterator[Effort | Turning | Pull]:
    for spring in (*machine.flexures, *machine.loaded):
        if isinstance(spring, tree.LineTorsion):
            yield from _of_torsion(machine, spring, displaced)
            continue
        if isinstance(spring, LineSpring):
            found, way = displaced.loaded(spring, rates), displaced.line(spring, rates.frames.point)
            tension = (found.force + found.damping * found.rate) * unit(way)
            yield from map(Pull, spring.ends, spring.members, (tension, -tension))
            continue
        if isinstance(spring, tree.Flexure):
            law = linear_law(ca.DM(0), spring.stiffness)
        else:
            law = spring.law
        slide, hinges = _own_joints(machine, spring.joint, spring.pair)
        for joint in (*slide, *hinges):
            yield Effort(joint, law.force(displaced.displacement(joint)))
        if spring.pair.turns and not hinges:
            efforts = [law.force(x) for x in displaced.turns_of(spring.pair)]
            yield Turning(spring.joint, -rates.moment(spring.pair, efforts))


def _own_joints(
    machine: Machine, joint: int, pair: tree.Pair
) -> tuple[tuple[tree.LinkRef, ...], tuple[tree.LinkRef, ...]]:
    """Slide and hinges of a leg's tree that a joint consists of; no hinges of other joints."""
    slide = () if pair.slide is None else (pair.slide,)
    bearing = machine.description.loads.bearings[joint]
    if not (pair.axes and isinstance(bearing.passed, tree.Branch)):
        return slide, ()
    outer = machine.description.loads.members[bearing.passed.member].carrier
    joints = machine.legs[outer.leg].joints
    path, link = list[tree.LinkRef](), outer.link
    while len(path) < len(pair.axes):
        if (here := tree.LinkRef(outer.leg, link)) not in slide:
            path.append(here)
        link = joints[link].before
    return slide, tuple(path)


def is_of_motor(machine: Machine, law: FrictionLaw) -> bool:
    """Whether a friction law is of a joint all of whose motion is that of a motor."""
    pair = machine.description.pairs[law.joint]
    slide, hinges = _own_joints(machine, law.joint, pair)
    return bool(hinges or not pair.turns) and {*slide, *hinges} <= {*machine.motors}


def _of_torsion(machine: Machine, spring: tree.LineTorsion, at: Displaced) -> Iterator[Turning]:
    """Yield the moments of a torsion spring between two carriers, in the joints at both ends."""
    ends = [ca.SX.sym("omega", 3) for _ in spring.joints]
    angle, rate = at.twisted(spring, [*ends, ZERO])
    for joint, omega in zip(spring.joints, ends, strict=True):
        if joint is not None:
            moment = -spring.stiffness * angle * ca.gradient(rate, omega)
            held = machine.description.pairs[joint].second
            yield Turning(joint, -moment if isinstance(held, tree.Line) else moment)
