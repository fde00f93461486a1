"""A tree of bodies and joints from the base outwards: all other joints close its loops.

The caller gives joints in the order in which they are to be kept. The order determines the tree.
"""

from collections.abc import Collection, Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar

from gough.errors import RobotError
from gough.robot.joint_kinds import BetweenBodies, JointKind
from gough.robot.mechanism import BASE, PLATFORM

J = TypeVar("J", bound=BetweenBodies)
T = TypeVar("T")


class Motored(Protocol):
    """A joint with or without a motor."""

    @property
    def driven(self) -> bool: ...  # noqa: D102
    @property
    def coupled(self) -> bool: ...  # noqa: D102
    @property
    def kind(self) -> JointKind: ...  # noqa: D102


class Branch(NamedTuple, Generic[J]):
    """A joint of a tree: the body that it carries, and the one nearer to the root."""

    joint: J
    carrier: str
    body: str


def kept_first(joint: Motored) -> tuple[bool, bool, int]:
    """Return the sort key of a tree: motors, coupled joints, few degrees of freedom.

    A joint with many is the cheapest to cut, and files of other tools close loops by ball joints.
    """
    return not joint.driven, not joint.coupled, len(joint.kind.free)


def welds_kept_first(joint: Motored) -> tuple[bool, bool, bool, int]:
    """Return the sort key of a tree with beams: first fixed joints, which may carry a beam."""
    return (not joint.kind.is_fixed, *kept_first(joint))


def spanning_tree(
    joints: Iterable[J], root: str = BASE, within: Collection[str] | None = None
) -> list[Branch[J]]:
    """Return the joints that connect bodies to the root without closing a loop.

    Of all joints that lead to a new body, the first is always taken [Prim 1957]. `within` are the
    bodies that may be reached, by default all.
    """
    rest, reached = list(joints), {root}
    if within is not None:
        rest = [joint for joint in rest if {root, *within}.issuperset(joint.between)]
    tree: list[Branch[J]] = []
    while True:
        for joint in rest:
            carrier = next((body for body in joint.between if body in reached), None)
            if carrier is not None and joint.beyond(carrier) not in reached:
                break
        else:
            return tree
        rest.remove(joint)
        tree.append(Branch(joint, carrier, joint.beyond(carrier)))
        reached.add(joint.beyond(carrier))


def connected(sets: Iterable[set[T]]) -> list[set[T]]:
    """Return the unions of sets that share members, in the order of the first of each."""
    found: list[set[T]] = []
    for own in sets:
        met = [group for group in found if group & own]
        union = own.union(*met)
        at = found.index(met[0]) if met else len(found)
        found[at : at + 1] = [union]
        found = [group for group in found if group is union or not group & own]
    return [group for group in found if group]


def welded(bodies: Iterable[str], joints: Iterable[BetweenBodies]) -> dict[str, str]:
    """Return a representative of the bodies fixed to each: base, platform or the first of them."""
    names = {name: name for name in (BASE, PLATFORM, *bodies)}
    for joint in joints:
        if joint.kind.is_fixed:
            pair = [names[body] for body in joint.between]
            if {*pair} == {BASE, PLATFORM}:
                expected = "joints between them that move"
                problem = "the platform is fixed to the base"
                raise RobotError(problem, key=joint.name, expected=expected)
            representative = next((name for name in pair if name in (BASE, PLATFORM)), pair[0])
            names = {body: representative if now in pair else now for body, now in names.items()}
    return names
