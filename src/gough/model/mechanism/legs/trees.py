"""Legs of a machine: what is connected without base and platform, as trees from the base.

Universal, cylindrical and ball joints inside a leg become hinges and slides with massless links
between them. Where a leg meets the platform, or itself, it has cut joints. A rod with
balls at both ends is no body of a leg but a cut joint. Joints that are coupled are in one leg.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.arrays import Array, across_axis, direction_of, length_of
from gough.errors import RobotError
from gough.model.mechanism.home.drawing import Couplings, Drawing, DrawnJoint
from gough.model.mechanism.home.rods import Rod, holds
from gough.model.mechanism.numbers.mass import NOTHING, Mass
from gough.model.mechanism.numbers.traced import drawn_values
from gough.robot import BASE, PLATFORM, connected, spanning_tree
from gough.robot.home.spanning import kept_first

GROUND = -1  # the link before a leg's first joint
PARALLEL = 1e-9
"""Axes at a smaller angle are parallel; what is nearer to one, in machine sizes, is on it."""


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A hinge, slide or screw with the link it carries, in the home configuration's axes."""

    name: str
    kind: str
    before: int
    axis: Array
    at: Array
    mass: Mass
    driven: bool = False
    at_home: Any = 0.0
    lead: Any = 0.0
    coupled: bool = False


@dataclass(frozen=True, eq=False)
class TreeCut:
    """A cut joint (R, U, S), a weld, or a rod, between a link and the platform or a link."""

    name: str
    type: str
    link: int
    other: int | None
    at: Array  # on the link's side
    held: Array  # on the other side: a rod's far end, else the same point
    axis: Array | None = None
    held_axis: Array | None = None
    shared_mass: Any = 0.0


@dataclass(eq=False)
class LegTree:
    """A leg."""

    joints: list[TreeJoint] = field(default_factory=list)
    cuts: list[TreeCut] = field(default_factory=list)
    links: dict[str, int] = field(default_factory=lambda: {BASE: GROUND})  # by body, its link
    held_by: dict[str, str] = field(default_factory=dict)  # by body, the joint that holds it
    couplings: Couplings = field(default_factory=dict)


def legs_of(drawing: Drawing, rods: tuple[Rod, ...]) -> list[LegTree]:
    """Return all legs, in the order of their joints in the home configuration."""
    taken = {rod.name for rod in rods}
    joints = [j for j in drawing.joints if not {*j.between} & taken]
    own = {j.name: ({*j.between} - {BASE, PLATFORM}) | _ties(drawing, j) for j in joints}
    groups = connected([*own.values(), *({*rod.ends} - {BASE, PLATFORM} for rod in rods)])
    if loose := drawing.bodies.keys() - taken - {PLATFORM}.union(*groups):
        raise RobotError("a body without joints", key=min(loose), expected="joints that hold it")
    trees = []
    for group in groups:
        inside = [j for j in joints if group & own[j.name]]
        trees.append(_tree(drawing, group, inside, [rod for rod in rods if group & set(rod.ends)]))
    for joint in joints:
        if {*joint.between} == {BASE, PLATFORM} and not joint.coupled:
            trees.append(_tree(drawing, set(), [joint], []))
    trees += [_tree(drawing, set(), [], [r]) for r in rods if set(r.ends) == {BASE, PLATFORM}]
    return trees


def _ties(drawing: Drawing, joint: DrawnJoint) -> set[str]:
    """Return a mark of each coupling of a joint, which no body has for a name."""
    return {f"\n{name}" for name, weights in drawing.couplings.items() if joint.name in weights}


def _tree(drawing: Drawing, group: set[str], joints: list[DrawnJoint], rods: list[Rod]) -> LegTree:
    names, couplings = {joint.name for joint in joints}, drawing.couplings.items()
    tree = LegTree(couplings={k: weights for k, weights in couplings if names.issuperset(weights)})
    group = group & drawing.bodies.keys()
    rest = sorted(joints, key=kept_first)
    branches = spanning_tree(rest, within=group)
    if lost := group - {branch.body for branch in branches}:
        expected = "joints on a way to the base that does not pass the platform"
        problem = "a body that only rods or the platform hold"
        raise RobotError(problem, key=min(lost), expected=expected)
    for joint, carrier, body in branches:
        rest.remove(joint)
        along = _along(body, joint.at, rest)
        tree.links[body] = _grown(tree, joint, carrier, drawing.bodies[body], along)
        tree.held_by[body] = joint.name
    for joint in (j for j in joints if j in rest):
        tree.cuts.append(_cut(tree, joint, drawing.size))
    tree.cuts += [_rod_cut(tree, rod) for rod in rods]
    return tree


def _along(body: str, at: Array, rest: Iterable[DrawnJoint]) -> Array:
    """The direction of a link from its joint: of its slide, or to the next joint."""
    for joint in rest:
        if joint.joins(body):
            way = joint.axes[0] if joint.kind.slides else joint.at - at
            if way.any():
                return direction_of(way)
    return np.array([0.0, 0.0, 1.0])


def _grown(tree: LegTree, joint: DrawnJoint, carrier: str, mass: Mass, along: Array) -> int:
    """Add a joint's hinges and slides to the tree; the last one carries the body."""
    link = tree.links[carrier]
    names = joint.kind.step_names(joint.name)
    facts = joint.driven, joint.at_home, joint.lead, joint.coupled
    steps = joint_steps(joint, joint.first == carrier, along)
    for name, (kind, axis) in zip(names, steps, strict=True):
        body = mass if name == names[-1] else NOTHING
        tree.joints.append(TreeJoint(name, kind, link, axis, joint.at, body, *facts))
        link = len(tree.joints) - 1
    return link


def joint_steps(joint: DrawnJoint, forward: bool, along: Array) -> list[tuple[str, Array]]:
    """A joint's one-freedom parts from the carrier outwards: their kinds and axes.

    Positions count from the first body to the second: against the grain an axis is turned round.
    """
    sign = 1.0 if forward else -1.0
    axes = [sign * axis for axis in (joint.axes if forward else joint.axes[::-1])]
    if joint.kind.is_ball:
        x = np.eye(3)[int(np.argmin(np.abs(drawn_values(along))))]
        x = direction_of(across_axis(x, along))
        axes = [x, np.cross(along, x), along]  # it spins about its link
    return [(step.kind, axes[step.axis]) for step in joint.kind.steps]


def _cut(tree: LegTree, joint: DrawnJoint, size: float) -> TreeCut:
    """Turn a joint that closes a loop into a cut; what cannot be cut is kept, and welded."""
    near, far = sorted(joint.between, key=holds)
    other = None if far == PLATFORM else tree.links[far]
    kept = joint.driven or joint.coupled or joint.has_inertia
    if kept or not joint.kind.can_be_cut:
        link = _grown(tree, joint, near, NOTHING, np.array([0.0, 0.0, 1.0]))
        return TreeCut(joint.name, "weld", link, other, joint.at, joint.at)
    axes = joint.axes if near == joint.first else joint.axes[::-1]
    axis, held_axis = (axes[0], axes[-1]) if axes else (None, None)
    link = tree.links[near]
    at = _off_the_axis_before(tree, link, joint, size) if joint.type == "R" else joint.at
    return TreeCut(joint.name, joint.type, link, other, at, at, axis, held_axis)


def _off_the_axis_before(tree: LegTree, link: int, joint: DrawnJoint, size: float) -> Array:
    """Return a point of a hinge that is not on the axis of the hinge before."""
    if link == GROUND:
        return joint.at
    before = tree.joints[link]
    distance = length_of(np.cross(joint.at - before.at, before.axis))
    return joint.at if distance > PARALLEL * size else joint.at + size * joint.axes[0]


def _rod_cut(tree: LegTree, rod: Rod) -> TreeCut:
    (near, far), (at, held) = rod.ends, rod.points
    other = None if far == PLATFORM else tree.links[far]
    link = tree.links[near]
    return TreeCut(rod.name, "rod", link, other, at, held, shared_mass=rod.masses["shared"])
