"""One tree of all bodies, from the base: the joints that are left over close its loops.

Joints with few freedoms stay in the tree and driven ones first of all, so that what is cut is a
ball joint where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gough.errors import GoughError
from gough.exchange.tree.drawing import Drawing, DrawnBody, DrawnJoint
from gough.exchange.tree.drawn_hexapod import drawn_hexapod
from gough.exchange.tree.drawn_mechanism import drawn_mechanism
from gough.exchange.tree.points import Point, point, total
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.mechanism import BASE

_POINTS_APART = 0.1
"""Metres between the two points that hold a hinge."""
_RESERVED = ("world", "universe")


@dataclass(frozen=True)
class Tree:
    """A machine as a tree, and what closes its loops."""

    drawing: Drawing
    joints: tuple[DrawnJoint, ...]
    """Of the tree, depth first: each from the body that is nearer to the base to the other."""
    cut: tuple[DrawnJoint, ...]
    """The others, in the order of the robot file."""

    @property
    def robot(self) -> Robot:
        """Whose tree it is."""
        return self.drawing.robot

    def carried(self, body: str) -> list[DrawnJoint]:
        """The joints of the tree that begin at a body, or at the base."""
        return [joint for joint in self.joints if joint.bodies[0] == body]

    @property
    def driven(self) -> list[DrawnJoint]:
        """Those with a motor, in the order of positions and efforts."""
        order = [joint.name for joint in self.drawing.joints]
        return sorted((j for j in self.joints if j.driven), key=lambda j: order.index(j.name))


@dataclass(frozen=True)
class Closure:
    """What is the same in two bodies: a point, or a frame but for what moves in it."""

    name: str
    bodies: tuple[str, str]
    places: tuple[Point, Point]
    """In the frame of either body [m]."""
    kind: Literal["point", "fixed", "continuous", "prismatic"] = "point"
    axis: tuple[float, ...] | None = None
    """About or along which the second body moves, base frame, at home."""


def tree_of(robot: Robot) -> Tree:
    """The machine as a tree."""
    if isinstance(robot, Hexapod):
        drawing = drawn_hexapod(robot)
    elif isinstance(robot, Mechanism):
        drawing = drawn_mechanism(robot)
    else:
        raise GoughError(f"expected a Robot, such as gough.load(...); got {robot!r:.80}")
    _refuse_names(drawing)
    kept = _spanning(drawing)
    cut = tuple(joint for joint in drawing.joints if joint.name not in kept)
    if motors := [joint.name for joint in cut if joint.driven]:
        raise GoughError(
            f"{robot.name}: the motors of {', '.join(motors)} close loops of motors; expected a "
            "way from the base to every body that leaves no driven joint out"
        )
    hung = tuple(_hung(drawing, kept, BASE))
    if loose := drawing.bodies.keys() - {joint.bodies[1] for joint in hung}:
        raise GoughError(f"{robot.name}: no way from the base to {', '.join(sorted(loose))}")
    return Tree(drawing, hung, cut)


def closed_by_points(tree: Tree) -> tuple[Tree, list[Closure]]:
    """The tree with its loops closed at points: a ball at one, a hinge at two on its axis.

    Any other joint goes into the tree, with a massless body beyond it that is welded.
    """
    closures: list[Closure] = []
    for joint in tree.cut:
        if joint.type in "SR":
            closures += _points(tree.drawing, joint)
        elif joint.kind.is_fixed:
            closures.append(Closure(joint.name, joint.bodies, joint.places, "fixed"))
        else:
            tree, weld = _with_half(tree, joint)
            closures.append(weld)
    return tree, closures


def closed_by_hinges_and_slides(tree: Tree) -> tuple[Tree, list[Closure]]:
    """The tree with its loops closed by hinges, slides and welds alone, as URDF+ has them."""
    closures: list[Closure] = []
    for joint in tree.cut:
        kind, axis = joint.kind.urdf_loop, joint.axes[0] if joint.axes else None
        if kind is not None:
            closures.append(Closure(joint.name, joint.bodies, joint.places, kind, axis))
        else:
            tree, weld = _with_half(tree, joint)
            closures.append(weld)
    return tree, closures


def _refuse_names(drawing: Drawing) -> None:
    """Other programs have one name for one thing, and names of their own."""
    joints = {joint.name for joint in drawing.joints}
    for body in drawing.bodies:
        if body in joints:
            raise GoughError(f"{drawing.robot.name}: a body and a joint called {body}; rename one")
        if body in _RESERVED:
            raise GoughError(
                f"{drawing.robot.name}: a body called {body}, as the world is; rename it"
            )


def _spanning(drawing: Drawing) -> set[str]:
    """Names of the joints that reach every body, and close no loop [Kruskal 1956]."""
    groups = {name: {name} for name in (BASE, *drawing.bodies)}
    kept = set()
    for joint in sorted(drawing.joints, key=lambda j: (not j.driven, len(j.kind.free))):
        first, second = (groups[body] for body in joint.bodies)
        if first is not second:
            kept.add(joint.name)
            for body in second:
                groups[body] = first
            first |= second
    return kept


def _hung(drawing: Drawing, kept: set[str], body: str, above: str = "") -> list[DrawnJoint]:
    """The joints beyond a body, depth first."""
    found = []
    for joint in drawing.joints:
        if joint.name in kept and joint.name != above and body in joint.bodies:
            outward = joint if joint.bodies[0] == body else joint.turned_round
            found += [outward, *_hung(drawing, kept, outward.bodies[1], joint.name)]
    return found


def _points(drawing: Drawing, joint: DrawnJoint) -> list[Closure]:
    """One point for a ball; for a hinge one more, on its axis."""
    centre = Closure(joint.name, joint.bodies, joint.places)
    if joint.kind.is_ball:
        return [centre]
    axes = [drawing.frame(body).seen_direction(joint.axes[0]) for body in joint.bodies]
    first, second = (
        point(map(total, place, _POINTS_APART * axis))
        for place, axis in zip(joint.places, axes, strict=True)
    )
    return [centre, Closure(f"{joint.name}.axis", joint.bodies, (first, second))]


def _with_half(tree: Tree, joint: DrawnJoint) -> tuple[Tree, Closure]:
    """The tree with a cut joint in it: a massless body beyond it, welded to where it belongs."""
    first, second = joint.bodies
    name = f"{joint.name}.half"
    frame = tree.drawing.frame(second)
    half = DrawnBody.massless(name, frame)
    drawing = replace(tree.drawing, bodies={**tree.drawing.bodies, name: half})
    added = replace(joint, bodies=(first, name))
    kept = {j.name for j in tree.joints} | {joint.name}
    joints = tuple(added if j.name == joint.name else j for j in drawing.joints)
    drawing = replace(drawing, joints=joints)
    weld = Closure(joint.name, (name, second), (joint.places[1], joint.places[1]), "fixed")
    cut = tuple(j for j in tree.cut if j.name != joint.name)
    return Tree(drawing, tuple(_hung(drawing, kept, BASE)), cut), weld
