"""A machine with links that bend: a tree of links from the base, and the joints that close it.

With the machine at home the axes of all links are those of the base. Its coordinates z are the
positions of the tree's joints, in the order of the links, then the elastic ones η, link by link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gough.equations.flexible.joints import Joint
from gough.equations.flexible.shapes import Shapes
from gough.equations.mechanism.bodies import Body
from gough.equations.spatial.algebra import Value

BASE = -1
"""The link before those that stand on the base."""


@dataclass(frozen=True)
class Spot:
    """A point of a link, or of the base: its place [m] from the link's origin.

    What is held by the last end of a link that bends moves and turns with that end, and its place
    is from there.
    """

    link: int
    place: Value
    at_end: bool = False


@dataclass(frozen=True)
class Link:
    """A body with the joint that carries it, which is its origin."""

    carrier: Spot
    joint: Joint
    body: Body
    shapes: Shapes | None = None


@dataclass(frozen=True)
class Cut:
    """A joint that closes a loop: which ways (k x 3) and turns of its sides it keeps together.

    A pair of axes, one of either side, keeps its angle: their product is that at home.
    """

    first: Spot
    second: Spot
    ways: Value
    pairs: tuple[tuple[Value, Value], ...]


@dataclass(frozen=True)
class Bearing:
    """A bearing that yields: stiffness [N/m, N m/rad] against each row that its joint opens."""

    rows: Cut
    stiffness: Value


@dataclass(frozen=True)
class Flexure:
    """A joint that resists its own motion from home: stiffness [N m/rad, N/m] of each freedom.

    `axes` are those of a slide or hinge, or both of a universal joint; a ball joint has none.
    """

    first: Spot
    second: Spot
    axes: tuple[Value, ...]
    stiffness: Value
    slides: bool = False


@dataclass(frozen=True)
class Machine:
    """All of it; `driven` are the links whose joints have motors, in the robot's order."""

    links: tuple[Link, ...]
    cuts: tuple[Cut, ...]
    platform: Spot
    attitude: Value
    """The platform's rotation matrix at home."""
    gravity: Value
    driven: tuple[int, ...]
    springs: tuple[Bearing | Flexure, ...] = ()

    @property
    def joints(self) -> list[int]:
        """The links whose joints move, in the order of their coordinates."""
        return [k for k, link in enumerate(self.links) if link.joint.moves]

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
        joints = [self.links[k].joint.at_home for k in self.joints]
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
        """How many coordinates there are."""
        bent = sum(link.shapes.count for link in self.links if link.shapes is not None)
        return len(self.joints) + bent

    @property
    def gaps(self) -> int:
        """How many rows close its loops."""
        return sum(int(cut.ways.shape[0]) + len(cut.pairs) for cut in self.cuts)
