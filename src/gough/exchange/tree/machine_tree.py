"""One tree of all bodies, from the base: the joints that are left over close its loops.

What is cut is a ball joint where there is one.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from gough.equations.actuators.drive import DriveLaw, reduction, reflected_damping, reflected_mass
from gough.errors import GoughError
from gough.model.actuators import as_screw
from gough.robot import (
    BASE,
    Drive,
    GearDrive,
    HomeConfiguration,
    HomeJoint,
    Mechanism,
    Robot,
    Stop,
    spanning_tree,
)
from gough.robot.home.configuration import ANYWHERE, HomeBody, Point, Travel, point, total
from gough.robot.home.spanning import kept_first

_POINTS_APART = 0.1  # metres between the two points that hold a hinge
_RESERVED = ("world", "universe")
ClosureKind = Literal["point", "fixed", "continuous", "prismatic"]


@dataclass(frozen=True)
class Closure:
    """A closure between two bodies: a common point, or a common frame but for what moves in it."""

    name: str
    bodies: tuple[str, str]
    places: tuple[Point, Point]  # in the frame of either body [m]
    kind: ClosureKind = "point"
    axis: tuple[float, ...] | None = None
    """About or along which the second body moves, base frame, at home."""


class Rotor(NamedTuple):
    """A motor with its gear and screw, as its joint feels them: linear or angular units."""

    inertia: float  # [kg m^2, kg]
    damping: float  # [N m s/rad, N s/m]
    friction: float  # dry friction, whatever the load [N m, N]


NO_ROTOR = Rotor(0.0, 0.0, 0.0)


def _rotor(drive: Drive | GearDrive) -> Rotor:
    law = DriveLaw(**as_screw(drive))
    dry = reduction(law) * (law.rotor_friction + law.screw_friction / law.gear_ratio)
    return Rotor(float(reflected_mass(law)), float(reflected_damping(law)), float(dry))


@dataclass(frozen=True)
class MachineTree:
    """A machine as a tree, and what closes its loops."""

    home: HomeConfiguration
    joints: tuple[HomeJoint, ...]
    """Joints of the tree, depth first: each from the body nearer to the base to the other."""
    cut: tuple[HomeJoint, ...]  # the others, in the order of the robot file
    closures: tuple[Closure, ...] = ()  # their substitutes in formats that have no such joints

    @property
    def robot(self) -> Robot:
        """Whose tree it is."""
        return self.home.robot

    def carried(self, body: str) -> list[HomeJoint]:
        """The joints of the tree that begin at a body, or at the base."""
        return [joint for joint in self.joints if joint.first == body]

    @property
    def driven(self) -> list[HomeJoint]:
        """Those with a motor, in the order of positions and efforts."""
        order = [joint.name for joint in self.home.joints]
        return sorted((j for j in self.joints if j.driven), key=lambda j: order.index(j.name))

    @property
    def rotors(self) -> dict[str, Rotor]:
        """Rotors, gears and screws of stated motors, by the names of joints."""
        motors = zip(self.driven, self.robot.actuators, strict=True)
        return {joint.name: _rotor(a.drive) for joint, a in motors if a.drive is not None}

    @property
    def stops(self) -> dict[str, Stop]:
        """End stops by the names of driven joints."""
        motors = zip(self.driven, self.robot.actuators, strict=True)
        return {joint.name: a.stop for joint, a in motors if a.stop is not None}


@dataclass(frozen=True)
class Freedom:
    """A hinge, a slide or a ball."""

    name: str
    kind: Literal["hinge", "slide", "screw", "ball"]
    axis: tuple[float, float, float] | None  # base frame, at home; none of a ball
    travel: Travel = ANYWHERE


def freedoms(joint: HomeJoint) -> list[Freedom]:
    """A joint from its first body to its second; where there are two they are NAME.1 and NAME.2."""
    kind = joint.kind
    if kind.is_ball:
        return [Freedom(joint.name, "ball", None)]
    travels = joint.travel or (ANYWHERE,) * len(kind.steps)
    parts = zip(kind.step_names(joint.name), kind.steps, travels, strict=True)
    return [Freedom(name, step.kind, joint.axes[step.axis], travel) for name, step, travel in parts]


def tree_of(robot: Robot) -> MachineTree:
    """The machine as a tree."""
    if not isinstance(robot, Robot):
        raise GoughError(f"expected a Robot, such as gough.load(...); got {robot!r:.80}")
    home = robot.bodies_and_joints
    if isinstance(robot, Mechanism) and {*(robot.branch or ())} - {1}:
        from gough.exchange.joint_states import in_branch  # noqa: PLC0415  (which needs trees)

        home = in_branch(home)
    if screw := next((joint for joint in home.joints if joint.kind.is_screw), None):
        raise GoughError(f"{screw.name}: a screw joint, which files of other tools lack here")
    for body in home.bodies:  # other programs have one name for one thing, and names of their own
        if body in {joint.name for joint in home.joints}:
            raise GoughError(f"{robot.name}: a body and a joint called {body}; rename one")
        if body in _RESERVED:
            raise GoughError(f"{robot.name}: a body called {body}, as the world is; rename it")
    branches = spanning_tree(sorted(home.joints, key=kept_first))
    if loose := home.bodies.keys() - {branch.body for branch in branches}:
        raise GoughError(f"{robot.name}: no way from the base to {', '.join(sorted(loose))}")
    in_tree = {branch.joint.name for branch in branches}
    cut = tuple(joint for joint in home.joints if joint.name not in in_tree)
    if motors := [joint.name for joint in cut if joint.driven]:
        problem = f"{robot.name}: the motors of {', '.join(motors)} close loops of motors"
        expected = "a way from the base to every body that leaves no driven joint out"
        raise GoughError(f"{problem}; expected {expected}")
    return MachineTree(home, tuple(_hung(home, in_tree, BASE)), cut)


def closed(tree: MachineTree, *, by_points: bool = True, sharing_mass: bool = False) -> MachineTree:
    """The tree with its loops closed at points: a ball at one, a hinge at two on its axis.

    Or else by hinges, slides and welds alone, as URDF+ has them. Any other joint, and any with
    friction, a spring or a range, goes into the tree, with a body beyond it that is welded to where
    it belongs: a massless one, or one that has its share of the mass there.
    """
    bodies, halves, closures = dict(tree.home.bodies), dict[str, HomeJoint](), list[Closure]()
    for joint in (j.turned_round if j.second == BASE else j for j in tree.cut):
        (first, second), axis = joint.between, joint.axes[0] if joint.axes else None
        kind: ClosureKind | None = joint.kind.urdf_loop
        if by_points:
            kind = "point" if joint.type in "SR" else "fixed" if joint.kind.is_fixed else None
        if kind is None or not joint.is_bare:
            half = f"{joint.name}.half"
            bodies[half] = HomeBody.massless(half, tree.home.frame(second))
            halves[joint.name] = replace(joint, between=(first, half))
            places = joint.places[1], joint.places[1]
            closures.append(Closure(joint.name, (half, second), places, "fixed"))
            continue
        closures.append(Closure(joint.name, joint.between, joint.places, kind, axis))
        if kind == "point" and axis:
            frames = map(tree.home.frame, joint.between)
            one, other = (
                point(map(total, place, _POINTS_APART * frame.seen_direction(axis)))
                for place, frame in zip(joint.places, frames, strict=True)
            )
            closures.append(Closure(f"{joint.name}.axis", joint.between, (one, other)))
    if sharing_mass:
        pairs = [closure.bodies for closure in closures if closure.name in halves]
        for name in {body for _, body in pairs}:
            shares = [half for half, body in pairs if body == name]
            part = _scaled(bodies[name], 1.0 / (len(shares) + 2))
            bodies |= {half: replace(part, name=half) for half in shares}
            bodies[name] = _scaled(part, 2.0)  # the heaviest of them
    joints = tuple(halves.get(joint.name, joint) for joint in tree.home.joints)
    home = replace(tree.home, bodies=bodies, joints=joints)
    in_tree = {joint.name for joint in tree.joints} | halves.keys()
    cut = tuple(joint for joint in tree.cut if joint.name not in halves)
    return MachineTree(home, tuple(_hung(home, in_tree, BASE)), cut, tuple(closures))


def _scaled(body: HomeBody, factor: float) -> HomeBody:
    """A body of the same shape and another mass."""
    xx, yy, zz = (point(factor * moment for moment in row) for row in body.inertia)
    return replace(body, mass=factor * body.mass, inertia=(xx, yy, zz))


def _hung(
    home: HomeConfiguration, in_tree: set[str], body: str, above: str = ""
) -> list[HomeJoint]:
    """The joints beyond a body, depth first."""
    found = []
    for joint in home.joints:
        if joint.name in in_tree and joint.name != above and joint.joins(body):
            outward = joint if joint.first == body else joint.turned_round
            found += [outward, *_hung(home, in_tree, outward.second, joint.name)]
    return found
