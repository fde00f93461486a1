"""From legs in short to bodies and joints, drawn at home in base coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import InputError
from gough.fields.table import read
from gough.poses import transform
from gough.robot.legs.axes import Drawn
from gough.robot.legs.chain import SLIDING, Chain, ChainJoint, chain_of, copies_of, mirror
from gough.robot.legs.places import CLOSE, joint_places
from gough.robot.legs.tables import Leg, Pattern
from gough.robot.mechanism import BASE, AnyJoint, Body, Joint

Drawings = tuple[list[Body], list[Joint]]
_ALONE = (("", 0.0),)
_BARS = (("a", -0.5), ("b", 0.5))


def expanded(legs: Sequence[Leg], pattern: Pattern | None, home: Sequence[float]) -> Drawings:
    """The bodies and joints of all legs, with the platform at its home pose.

    Complaints have keys such as legs[0].links[1].length.
    """
    bodies: list[Body] = []
    joints: list[Joint] = []
    for chain, name in _named(list(_chains(legs, pattern))):
        leg = _Leg(chain, name, home)
        bodies += leg.bodies()
        joints += leg.joints()
    return bodies, joints


def _chains(legs: Sequence[Leg], pattern: Pattern | None) -> Iterator[Chain]:
    repeated = pattern or Pattern(copies=1)
    chains, counts = [], []
    for k, leg in enumerate(legs):
        chain, count = chain_of(leg, f"legs[{k}]"), leg.copies or repeated.copies
        images = [chain]
        if repeated.mirror is not None and leg.copies is None:
            images.append(chain.moved(mirror(np.array(repeated.mirror))))
        chains += images
        counts += [count] * len(images)
    return copies_of(chains, counts, np.array(repeated.about))


def _named(chains: list[Chain]) -> Iterator[tuple[Chain, str]]:
    """The legs and what stands behind the names of their parts: a number, or their own name."""
    numbers: dict[str | None, int] = {}
    names = [chain.name for chain in chains]
    for chain in chains:
        number = numbers[chain.name] = numbers.get(chain.name, 0) + 1
        if chain.name is None:
            yield chain, str(number)
        else:
            yield chain, chain.name if names.count(chain.name) == 1 else f"{chain.name}-{number}"


class _Leg:
    """One leg on its way to bodies and joints."""

    def __init__(self, chain: Chain, name: str, home: Sequence[float]) -> None:
        places = joint_places(chain, transform(home, chain.platform))
        self._chain, self._name, self._drawn = chain, name, Drawn(chain, places)
        for before, after in zip(chain.links, chain.links[1:], strict=False):
            if before.record.parallelogram and after.record.parallelogram:
                raise InputError(
                    "two parallelograms in a row",
                    key=f"{after.key}.parallelogram",
                    expected="a link between them",
                )

    def bodies(self) -> Iterator[Body]:
        """Its links."""
        for k, link in enumerate(self._chain.links):
            axes, record = self._drawn.link_axes(k), link.record
            inertia = axes @ np.array(record.inertia) @ axes.T
            for side, offset in self._sides(k):
                yield Body(
                    name=self._body(k, side),
                    mass=record.mass,
                    center_of_mass=self._center(k, axes) + offset,
                    inertia=(inertia + inertia.T) / 2.0,
                    radius=record.radius,
                )

    def joints(self) -> Iterator[Joint]:
        """Its joints, twice where a parallelogram begins or ends."""
        for k, joint in enumerate(self._chain.joints):
            beside = [j for j in (k - 1, k) if 0 <= j < len(self._chain.links)]
            doubled = [j for j in beside if self._chain.links[j].record.parallelogram]
            if doubled and joint.driven:
                raise InputError(
                    "a motor at the end of a parallelogram, where there are two joints",
                    key=joint.key,
                    value=f"{joint.type}*",
                    expected="a joint without a motor, or a link between",
                )
            for side, offset in self._sides(doubled[0]) if doubled else self._sides(None):
                yield self._joint(k, joint, side, offset)

    def _joint(self, k: int, joint: ChainJoint, side: str, offset: Array) -> Joint:
        axes = self._drawn.joint_axes(k)
        facts: dict[str, Any] = {
            "name": f"{joint.name}-{self._name}{side}",
            "type": joint.type,
            "between": (self._body(k - 1, side), self._body(k, side)),
            "at": self._drawn.places[k] + offset,
        }
        if axes:
            facts |= {"axes": axes} if joint.type == "U" else {"axis": axes[0]}
        if joint.type in ("R", "P"):
            facts |= {"driven": joint.driven, "position_at_home": self._position(k)}
        try:
            drawn: Joint = read(AnyJoint, facts | joint.facts)
        except InputError as error:
            raise _as_written(error, joint) from None
        return drawn

    def _position(self, k: int) -> float:
        """The angle of a hinge from where it is zero, or how far a slide is out."""
        joint, last = self._chain.joints[k], len(self._chain.links)
        (axis,) = self._drawn.joint_axes(k)
        if joint.type in SLIDING:
            places = self._drawn.places
            return float(axis @ (places[k + 1] - places[k])) if k < last else 0.0
        if joint.zero is None or k == last:
            return 0.0
        return _angle(axis, joint.zero, self._drawn.along(k), joint.written["zero"])

    def _body(self, k: int, side: str) -> str:
        """The name of a link, or of what the leg's first and last joint are fixed to."""
        if k < 0:
            return BASE
        if k == len(self._chain.links):
            return self._chain.to
        link = self._chain.links[k].record
        return f"{link.name}-{self._name}{side if link.parallelogram else ''}"

    def _sides(self, k: int | None) -> Iterator[tuple[str, Array]]:
        """The bars of a parallelogram and how far they are from the middle, or one link."""
        width = None if k is None else self._chain.links[k].record.parallelogram
        apart = np.zeros(3) if k is None or width is None else width * self._drawn.bars_apart(k)
        for side, share in _ALONE if width is None else _BARS:
            yield side, share * apart

    def _center(self, k: int, axes: Array) -> Array:
        """The mass centre of a link: behind a slide it counts from the link's second joint."""
        given, slid = self._chain.links[k].record.center_of_mass, self._slid(k)
        origin = self._drawn.places[k + 1 if slid else k]
        if given is None:
            return origin
        if isinstance(given, float):
            return origin + axes[:, 2] * (-given if slid else given)
        return origin + axes @ np.array(given)

    def _slid(self, k: int) -> bool:
        return self._chain.joints[k].type in SLIDING


def _angle(axis: Array, zero: Array, link: Array, key: str) -> float:
    """The angle about an axis from one direction to another [rad]."""
    start, end = zero - axis * (axis @ zero), link - axis * (axis @ link)
    if min(np.linalg.norm(start), np.linalg.norm(end)) < CLOSE:
        raise InputError(
            "along the hinge's axis",
            key=f"{key}.zero",
            value=zero.tolist(),
            expected="a direction across it",
        )
    return float(np.arctan2(axis @ np.cross(start, end), start @ end))


def _as_written(error: InputError, joint: ChainJoint) -> InputError:
    """The complaint about a drawn joint with its key where the user wrote it."""
    found = [
        problem.inside(joint.written.get(problem.key.split(".")[0].split("[")[0], joint.key))
        for problem in error.problems
    ]
    return InputError.together(found)
