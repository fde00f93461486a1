"""Which steps solve a leg in closed form: by the kinds of joints on the way to each of its tips."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from gough.equations.mechanism.dyads import Aim, Extend, Reach, ReachAlong, Shift, Step, Swing
from gough.equations.mechanism.joints import BASE, Hinge
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.tips import Rod, Tip, Weld
from gough.equations.spatial.algebra import Value

Path = Sequence[int]


def steps_of(leg: Leg) -> list[Step] | None:
    """Steps that solve a leg tip by tip, their signs still open; None if it has no closed form."""
    steps: list[Step] = []
    solved: set[int] = set()
    for number, tip in enumerate(leg.tips):
        path = [j for j in _path(leg, tip.link) if j not in solved]
        more = _steps_to(leg, number, tip, path)
        if more is None:
            return None
        steps += more
        solved |= set(path)
    return steps if len(solved) == len(leg.joints) else None


def has_root(step: Step) -> bool:
    """Whether a step has two solutions, of which a sign picks one."""
    return isinstance(step, Reach | ReachAlong | Extend | Aim)


def _path(leg: Leg, link: int) -> list[int]:
    """Joints from the base to a link."""
    path = []
    while link != BASE:
        path.append(link)
        link = leg.joints[link].before
    return path[::-1]


def _steps_to(leg: Leg, number: int, tip: Tip, path: Path) -> list[Step] | None:
    """Steps for the joints on the way to a tip that are not solved yet."""
    if tip.other is not None or isinstance(tip, Weld):
        return None
    if not path:
        return []
    if isinstance(tip, Rod):
        return [_reach(leg, path[0], number, tip.point, tip.length**2)] if len(path) == 1 else None
    kinds = "".join("R" if _is_hinge(leg, j) else "P" for j in path)
    return _KNOWN[kinds](leg, number, tip, path) if kinds in _KNOWN else None


def _arm_and_universal(leg: Leg, number: int, tip: Tip, path: Path) -> list[Step] | None:
    """A hinge or slide, and two hinges that meet at the elbow."""
    first, second, third = path
    if not _meets_the_one_before(leg, third):
        return None
    elbow, squared = leg.joints[second].origin, _squared(tip.point)
    return [_reach(leg, first, number, elbow, squared), Aim(second, third, number)]


def _universal_and_slide(leg: Leg, number: int, tip: Tip, path: Path) -> list[Step] | None:
    first, second, slide = path
    if not _meets_the_one_before(leg, second):
        return None
    return [Extend(slide, first, number, across=False), Aim(first, second, number)]


def _hinge_and_slide(leg: Leg, number: int, tip: Tip, path: Path) -> list[Step] | None:
    """A slide across the axis of its hinge."""
    hinge, slide = path
    if _cosine_to_before(leg, slide):
        return None
    return [Extend(slide, hinge, number, across=True), Swing(hinge, number)]


def _two_hinges(leg: Leg, number: int, tip: Tip, path: Path) -> list[Step] | None:
    """Two hinges that meet, or that are parallel."""
    first, second = path
    if _meets_the_one_before(leg, second):
        return [Aim(first, second, number)]
    if abs(_cosine_to_before(leg, second)) != 1.0:
        return None
    elbow, squared = leg.joints[second].origin, _squared(tip.point[0:2])
    return [Reach(first, number, elbow, squared, across=True), Swing(second, number)]


def _hinge(leg: Leg, number: int, tip: Tip, path: Path) -> list[Step] | None:
    return [Swing(path[0], number)]


def _slide(leg: Leg, number: int, tip: Tip, path: Path) -> list[Step] | None:
    return [Shift(path[0], number)]


_KNOWN: dict[str, Callable[[Leg, int, Tip, Path], list[Step] | None]] = {
    "RRR": _arm_and_universal,
    "PRR": _arm_and_universal,
    "RRP": _universal_and_slide,
    "RP": _hinge_and_slide,
    "RR": _two_hinges,
    "R": _hinge,
    "P": _slide,
}
"""By the hinges (R) and slides (P) on the way from what is solved already to a tip."""


def _reach(leg: Leg, joint: int, tip: int, point: Value, squared_distance: float) -> Step:
    if _is_hinge(leg, joint):
        return Reach(joint, tip, point, squared_distance, across=False)
    return ReachAlong(joint, tip, point, squared_distance)


def _is_hinge(leg: Leg, joint: int) -> bool:
    return isinstance(leg.joints[joint], Hinge)


def _meets_the_one_before(leg: Leg, hinge: int) -> bool:
    """Whether a hinge's axis meets that of the hinge before at that one's origin."""
    return not np.array(leg.joints[hinge].origin).any()


def _cosine_to_before(leg: Leg, joint: int) -> float:
    """Of the angle between a joint's axis and that of the joint before."""
    return float(leg.joints[joint].rotation[2, 2])


def _squared(vector: Value) -> float:
    return float(ca.dot(vector, vector))
