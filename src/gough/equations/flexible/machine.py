"""A machine with links that bend: a tree of links from the base, and the joints that close it.

A link's z axis is its joint's axis. Its coordinates z are the positions of the tree's joints, in
the order of the links, then the elastic ones η, link by link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gough.equations.spatial.algebra import Value
from gough.equations.tree.bodies import Body
from gough.equations.tree.joints import LinkJoint


@dataclass(frozen=True)
class Shapes:
    """Constants of the shapes Φ of n coordinates."""

    stiffness: Value
    """K (n x n) [SI]."""
    damping: Value
    """D (n x n) [SI]."""
    S: Value
    """∫ Φ dm (3 x n)."""
    A: tuple[Value, ...]
    """∫ r₀ Φ_kᵀ dm (3 x 3), by k."""
    B: tuple[tuple[Value, ...], ...]
    """∫ Φ_k Φ_lᵀ dm (3 x 3), by k and l."""
    last: Value
    """Where the last end is (3) [m] while nothing is bent."""
    way: Value
    """Displacement of the last end (3 x n) by η."""
    turn: Value
    """Turn of the last end (3 x n) by η."""

    @property
    def count(self) -> int:
        """n."""
        return int(self.stiffness.shape[0])


@dataclass(frozen=True)
class Spot:
    """A point of a link, or of the base: its place [m] from the link's origin, axes as at home.

    What is held by the last end of a link that bends moves and turns with that end, and its place
    is from there.
    """

    link: int
    place: Value
    at_end: bool = False


@dataclass(frozen=True)
class TreeLink:
    """A body with the joint that carries it, which is its origin."""

    joint: LinkJoint
    axes: Value
    """Its axes at home, as columns in those of the base (3x3)."""
    at_end: bool
    """Whether the last end of the link before carries it, which bends."""
    moves: bool = True
    """Whether its joint has a coordinate; else it is fixed to the link before."""
    shapes: Shapes | None = None

    @property
    def body(self) -> Body:
        """Its mass properties, where nothing is bent."""
        return self.joint.body


@dataclass(frozen=True)
class LoopJoint:
    """A joint that closes a loop: which ways (k x 3) and turns of its sides it keeps together.

    A pair of axes, one of either side, keeps its angle: their product is that at home.
    """

    first: Spot
    second: Spot
    ways: Value
    pairs: tuple[tuple[Value, Value], ...]


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

    first: Spot
    second: Spot
    axes: tuple[Value, ...]
    stiffness: Value
    slides: bool = False


@dataclass(frozen=True)
class LinkTree:
    """All of it; `driven` are the links whose joints have motors, in the robot's order."""

    links: tuple[TreeLink, ...]
    cuts: tuple[LoopJoint, ...]
    platform: Spot
    attitude: Value
    """The platform's rotation matrix at home."""
    gravity: Value
    driven: tuple[int, ...]
    springs: tuple[BearingSpring | FlexureSpring, ...] = ()

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
        return sum(int(cut.ways.shape[0]) + len(cut.pairs) for cut in self.cuts)
