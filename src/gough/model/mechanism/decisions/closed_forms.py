"""Which steps solve a leg in closed form: by the kinds of joints on the way to each of its cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
from casadi import cross, dot

from gough.arrays import Array
from gough.equations.closure import closed_form_steps as forms
from gough.equations.closure.assembled import link_frames
from gough.equations.closure.closed_form_steps import Aim, Bring, ClosedFormStep, Extend, Reach
from gough.equations.closure.constraint_rows import CutJoint, CutRod
from gough.equations.machine import Leg
from gough.equations.spatial.algebra import Value, vector
from gough.equations.tree.joints import BASE, Helical, Revolute, Turn

Path = Sequence[int]
Steps = list[ClosedFormStep] | None  # None if there is no closed form

CONSTANT = 1e-10  # change over all samples, in sizes of the leg, below which a quantity is constant
TWIN = 1e-10  # joints whose positions differ by less on all samples [rad, m] stand alike


def steps_of(leg: Leg, postures: Sequence[Posture]) -> Steps:
    """Steps that solve a leg cut by cut, their signs still open; None if it has no closed form.

    Joints that are on no way to the platform, or stand as others do, follow these. The postures are
    of numbers, also where those of the leg are symbols. A screw's turns have none.
    """
    if any(isinstance(joint, Helical) for joint in leg.joints):
        return None
    steps: list[ClosedFormStep] = []
    solved: list[int] = []
    for k, cut in enumerate(leg.cuts):
        path = [j for j in path_to(leg, cut.link) if j not in solved]
        more = [] if cut.other is not None else _steps_to(leg, k, cut, path, postures)
        if more is None:
            return None
        steps += more
        solved += [j for step in more for j in step.joints]
    for j in range(len(leg.joints)):
        if j not in solved:
            follower = _follower(leg, j, solved, postures)
            if follower is None:
                return None
            steps.append(follower)
            solved.append(j)
    return steps


def has_root(step: ClosedFormStep) -> bool:
    """Whether a step has two solutions, of which a sign picks one."""
    return isinstance(step, Reach | Extend | Aim)


def path_to(leg: Leg, link: int | None) -> list[int]:
    """Joints from the base to a link; none to the platform."""
    path = []
    while link is not None and link != BASE:
        path.append(link)
        link = leg.joints[link].before
    return path[::-1]


def _steps_to(
    leg: Leg, number: int, cut: CutJoint, path: Path, postures: Sequence[Posture]
) -> Steps:
    """Steps for the joints on the way to a cut that are not solved yet."""
    if not path:
        return []
    if isinstance(cut, CutRod):
        return [Reach(path[0], number, cut.point, cut.length**2)] if len(path) == 1 else None
    kinds = "".join("R" if _is_hinge(leg, j) else "P" for j in path)
    if kinds in _KNOWN:
        return _KNOWN[kinds](leg, number, cut, path)
    return _as_if_one_link(leg, number, path, postures) if kinds[:3] in ("RRR", "PRR") else None


def _as_if_one_link(leg: Leg, number: int, path: Path, postures: Sequence[Posture]) -> Steps:
    """An arm, two hinges that meet, and links that move the cut as one would."""
    first, second, third = path[:3]
    stretch = _stretch(leg, number, path, postures)
    if stretch is None or not _meets_the_one_before(leg, third):
        return None
    hinge = leg.joints[second]
    elbow, squared = hinge.origin + hinge.rotation @ stretch.start, _squared(stretch.end)
    reach = Reach(first, number, elbow, squared)
    return [reach, Aim(second, third, number, stretch=stretch)]


def _stretch(
    leg: Leg, number: int, path: Path, postures: Sequence[Posture]
) -> forms.Stretch | None:
    """A point on a hinge's axis from which the cut is at a constant place in the next link."""
    _, first, second, *rest = path
    ways, places = [], []
    for at in postures:
        (R_first, p), (R, _) = at.frames[first], at.frames[second]
        ways.append(np.column_stack([R_first[:, 2], R]))
        places.append(at.cut_point(number) - p)
    found, *_ = np.linalg.lstsq(np.vstack(ways), np.concatenate(places), rcond=None)
    size = float(np.abs(found).max())
    if np.abs(np.vstack(ways) @ found - np.concatenate(places)).max() > CONSTANT * size:
        return None
    rates = _rates(postures, second, rest)
    return None if rates is None else _drawn_stretch(leg, number, first, second, rates)


def _rates(postures: Sequence[Posture], joint: int, others: Path) -> list[float] | None:
    """Return the rotation of each other joint per rotation of a joint, as in a parallelogram."""
    first, *later = (at.positions for at in postures)
    turns = (np.angle(np.exp(1j * (at - first))) for at in later)
    turned = max(turns, key=lambda turn: abs(turn[joint]))
    if abs(turned[joint]) < CONSTANT:  # it does not turn
        return None
    return [float(np.round(turned[k] / turned[joint])) for k in others]


def _drawn_stretch(
    leg: Leg, number: int, first: int, second: int, rates: list[float]
) -> forms.Stretch:
    """Return a stretch from the cut's motion at home, where the other hinges have these rates.

    It moves as a point of the second hinge's link would: a × (d - z s) = Σ rate aⱼ × (end - pⱼ).
    """
    frames = _frames(leg, [joint.at_home for joint in leg.joints])
    others = [j for j in path_to(leg, leg.cuts[number].link) if j > second]
    R, p = frames[leg.cuts[number].link]
    end = p + R @ leg.cuts[number].point
    (R_first, p_first), (R_second, p_second) = frames[first], frames[second]
    z, a, d = R_first[:, 2], R_second[:, 2], end - p_first
    moved = cross(a, end - p_second)
    for rate, j in zip(rates, others, strict=True):
        moved += rate * cross(frames[j][0][:, 2], end - frames[j][1])
    n = cross(a, z)
    s = dot(cross(a, d) - moved, n) / dot(n, n)
    return forms.Stretch(vector(0, 0, s), R_second.T @ (d - z * s))


def _follower(
    leg: Leg, joint: int, solved: Sequence[int], postures: Sequence[Posture]
) -> ClosedFormStep | None:
    """A step for a joint that stands as a solved one does, or turns back what that one turns."""
    for other in solved:
        x, y = (np.array([at.positions[j] for at in postures]) for j in (joint, other))
        if stand_alike(leg, joint, other, x - y):
            return forms.EqualJoints({joint: other})
        if _is_hinge(leg, joint) and stand_alike(leg, joint, other, x + y - (x[0] + y[0])):
            both = leg.joints[joint].drawn + leg.joints[other].drawn
            return forms.Opposite(joint, other, Turn.by(both))
    return None


def stand_alike(leg: Leg, joint: int, other: int, gaps: Array) -> bool:
    """Whether joints of one kind have gaps of nothing between them; hinges, of full turns."""
    if _is_hinge(leg, joint):
        gaps = np.angle(np.exp(1j * gaps))
    one_kind = type(leg.joints[joint]) is type(leg.joints[other])
    return one_kind and bool(np.abs(gaps).max() < TWIN)


class Posture:
    """A leg at one of the samples: positions from where the frames stand, and frames of links."""

    def __init__(self, leg: Leg, q: Array) -> None:
        self.leg = leg
        self.positions = q + [float(joint.drawn - joint.at_home) for joint in leg.joints]
        found = _frames(leg, q).items()
        self.frames = {k: (np.array(ca.DM(R)), np.array(ca.DM(p)).ravel()) for k, (R, p) in found}

    def cut_point(self, number: int) -> Array:
        """Position of a cut joint [m]."""
        cut = self.leg.cuts[number]
        R, p = self.frames[cut.link]
        return np.asarray(p + R @ np.array(cut.point).ravel())


def _frames(leg: Leg, q: Sequence[Value | float] | Array) -> dict[int, tuple[Value, Value]]:
    """Rotations and origins of a leg's links at joint positions, also of symbols."""
    pairs = zip(leg.joints, ca.vertsplit(ca.SX(ca.vertcat(*q))), strict=True)
    return link_frames(leg, [joint.placed(joint.position(x)) for joint, x in pairs])


def _arm_and_universal(leg: Leg, number: int, cut: CutJoint, path: Path) -> Steps:
    """A hinge or slide, and two hinges that meet at the elbow."""
    first, second, third = path
    if not _meets_the_one_before(leg, third):
        return None
    elbow, squared = leg.joints[second].origin, _squared(cut.point)
    return [Reach(first, number, elbow, squared), Aim(second, third, number)]


def _universal_and_slide(leg: Leg, number: int, cut: CutJoint, path: Path) -> Steps:
    first, second, slide = path
    if not _meets_the_one_before(leg, second):
        return None
    return [Extend(slide, first, number, across=False), Aim(first, second, number)]


def _hinge_and_slide(leg: Leg, number: int, cut: CutJoint, path: Path) -> Steps:
    """A slide across the axis of its hinge."""
    hinge, slide = path
    if _cosine_to_before(leg, slide):
        return None
    return [Extend(slide, hinge, number, across=True), Bring(hinge, number)]


def _slide_and_hinge(leg: Leg, number: int, cut: CutJoint, path: Path) -> Steps:
    """A slide across the axis of the hinge behind it."""
    slide, hinge = path
    if _cosine_to_before(leg, hinge) != 0.0:
        return None
    reach = Reach(slide, number, leg.joints[hinge].origin, _squared(cut.point))
    return [reach, Bring(hinge, number)]


def _two_hinges(leg: Leg, number: int, cut: CutJoint, path: Path) -> Steps:
    """Two hinges that meet, or that are parallel."""
    first, second = path
    if _meets_the_one_before(leg, second):
        return [Aim(first, second, number)]
    if abs(_cosine_to_before(leg, second)) != 1.0:
        return None
    elbow, squared = leg.joints[second].origin, _squared(cut.point[0:2])
    return [Reach(first, number, elbow, squared, across=True), Bring(second, number)]


_KNOWN: dict[str, Callable[[Leg, int, CutJoint, Path], Steps]] = {
    "RRR": _arm_and_universal,
    "PRR": _arm_and_universal,
    "RRP": _universal_and_slide,
    "RP": _hinge_and_slide,
    "PR": _slide_and_hinge,
    "RR": _two_hinges,
    "R": lambda leg, number, cut, path: [Bring(path[0], number)],
    "P": lambda leg, number, cut, path: [Bring(path[0], number)],
}
"""By the hinges (R) and slides (P) on the way from what is solved already to a cut."""


def _is_hinge(leg: Leg, joint: int) -> bool:
    return isinstance(leg.joints[joint], Revolute)


def _meets_the_one_before(leg: Leg, hinge: int) -> bool:
    """Whether a hinge's axis meets that of the hinge before at that one's origin."""
    return bool(leg.joints[hinge].origin.is_zero())


def _cosine_to_before(leg: Leg, joint: int) -> float:
    """Return the cosine between the axes of a joint and the one before; NaN if it may change."""
    cosine = ca.SX(leg.joints[joint].rotation[2, 2])
    return float(cosine) if cosine.is_constant() else np.nan


def _squared(a: Value) -> Value | float:
    squared = dot(a, a)
    return float(squared) if squared.is_constant() else squared
