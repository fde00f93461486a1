"""The planar 3-RPR with six real assembly modes of Innocenti and Parenti-Castelli.

Many later papers have its numbers, such as those of Wenger and Chablat: base joints at (0, 0),
(15.91, 0) and (0, 10), a platform with sides 17.04, 16.54 and 20.84, legs of 14.98, 15.38 and 12,
and six solutions with three decimals of the place of the platform's first joint and of its angle.
Their unit is a decimetre here. At the printed solutions the first leg is 14.979 long, so that the
printed lengths are rounded: solutions differ by as much.

That such a robot goes from one solution to another without a singularity is what many of these
papers are about: such a motion is proved. And at a constant angle its singularities are a conic
[Sefrioui and Gosselin 1995]: the maximum square without any follows from that in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import gough
from benchmarks.published.comparison import Comparison, cpu_time
from gough.arrays import Array

BASE = np.array([(0.0, 0.0), (15.91, 0.0), (0.0, 10.0)])
SIDES = (17.04, 16.54, 20.84)
LENGTHS = np.array([14.98, 15.38, 12.0])
PRINTED = np.array([
    (-8.715, 12.183, -0.987),
    (-5.495, -13.935, -0.047),
    (-14.894, 1.596, 0.244),
    (-13.417, -6.660, 0.585),
    (14.920, -1.337, 1.001),
    (14.673, -3.013, 2.133),
])  # fmt: skip
"""x, y, angle [rad] of all solutions."""
UNIT = 0.1
"""Length of their unit [m]."""
SOURCE = "3-RPR of Innocenti and Parenti-Castelli; the error is the maximum of place and angle"


def platform_joints() -> Array:
    """Joints of the platform (3, 2) from its first one, which is its origin."""
    first, second, third = SIDES
    angle = np.arccos((first**2 + third**2 - second**2) / (2 * first * third))
    return np.array([(0, 0), (first, 0), (third * np.cos(angle), third * np.sin(angle))])


GOSSELIN = np.array([(-15, -5 * 3**0.5), (15, -5 * 3**0.5), (0, 10 * 3**0.5)])
"""Base joints of the 3-RPR of Gosselin and Jean 1996; those of its platform are at a third."""


def machine(
    x: float = 14.0,
    y: float = -1.0,
    turn: float = 1.0,
    base: Array = BASE,
    arms: Array | None = None,
    **limits: Any,
) -> gough.Robot:
    """The machine at home in a pose [their unit, rad], by default near the fifth solution."""
    c, s = np.cos(turn), np.sin(turn)
    arms = platform_joints() if arms is None else arms
    ends = arms @ np.array([[c, s], [-s, c]]) + [x, y]
    up, joints, bodies = [0, 0, 1], list[dict[str, Any]](), list[dict[str, Any]]()
    for k, (foot, head) in enumerate(zip(base, ends, strict=True)):
        along, tube, rod = head - foot, f"tube {k}", f"rod {k}"
        start, end = ([*(UNIT * point), 0.0] for point in (foot, head))
        home = UNIT * float(np.linalg.norm(along))
        bodies += [{"name": tube}, {"name": rod}]
        slide = {"axis": [*along, 0.0], "driven": True, "position_at_home": home} | limits
        joints += [
            {"name": f"A{k}", "type": "R", "between": ["base", tube], "at": start, "axis": up},
            {"name": f"P{k}", "type": "P", "between": [tube, rod], "at": start} | slide,
            {"name": f"B{k}", "type": "R", "between": [rod, "platform"], "at": end, "axis": up},
        ]
    home = {"position": [UNIT * x, UNIT * y, 0], "rpy": [0, 0, turn]}
    platform = {"mass": 1.0, "inertia": [1, 1, 1], "home": home, "moves": ["x", "y", "rz"]}
    parts = {"platform": platform, "bodies": bodies, "joints": joints}
    return gough.Robot.from_dict({"schema": "gough/2", "name": "planar-3rpr", **parts})


def compared() -> Iterator[Comparison]:
    """Yield the number of real solutions, and how far each is from the printed one."""
    robot = machine()
    found = gough.kinematics.assembly_modes(robot, UNIT * LENGTHS)
    spent = cpu_time(lambda: gough.kinematics.assembly_modes(robot, UNIT * LENGTHS), 5)
    case, count = "3-RPR", len(found.poses)
    yield Comparison(case, "real assembly modes", SOURCE, 6, count, abs(count - 6) / 6, spent)
    turns = 2 * np.arctan2(found.poses[:, 6], found.poses[:, 3])
    ours = np.column_stack([found.poses[:, :2] / UNIT, np.angle(np.exp(1j * turns))])
    for number, printed in enumerate(PRINTED, 1):
        off = np.abs(ours - printed) / [LENGTHS[0], LENGTHS[0], 1.0]
        nearest = int(np.argmin(off.max(axis=1)))
        pair, error = (printed[2], ours[nearest, 2]), off[nearest].max()
        yield Comparison(case, f"solution {number}, angle [rad]", SOURCE, *pair, error, 0.0)
    third, sixth = (ours[np.abs(ours[:, 2] - angle).argmin()] for angle in PRINTED[[2, 5], 2])
    share = 1 - changed(third, sixth).share_undecided
    words = "share of the motion from solution 3 to 6 proved to be regular"
    yield Comparison(case, words, SOURCE, 1.0, share, 1 - share, 0.0)
    reference, box = square(*sixth), maximum_square(*sixth)
    for words, scale in (("proved", box.scale), ("not proved", box.not_proved)):
        what = f"half side of a square around solution 6, {words} to be regular"
        off = abs(scale * MOST / reference - 1)
        yield Comparison(case, what, SOURCE, reference, scale * MOST, off, 0.0)


SINGULARITY = gough.kinematics.Limits(families=("singularity",))
MOST = 20.0
"""Half side of a square that has singularities [their unit]."""


def changed(first: Array, last: Array) -> gough.MotionProof:
    """Prove the straight motion from one solution to another: on the side of the last one."""
    poses = [gough.pose([UNIT * x, UNIT * y, 0], rpy=[0, 0, turn]) for x, y, turn in (first, last)]
    motion = gough.motion.waypoints([0.0, 1.0], poses, stops=True)
    return gough.prove_motion(machine(*last), motion, limits=SINGULARITY)


def maximum_square(x: float, y: float, turn: float) -> gough.kinematics.MaximumBox:
    """Find the maximum square around a pose that is proved to have no singularity."""
    sides = [UNIT * MOST, UNIT * MOST, 0.0]
    return gough.kinematics.maximum_box(
        machine(x, y, turn), sides, limits=SINGULARITY, tolerance=1e-4, at_most=20_000
    )


def square(x: float, y: float, turn: float) -> float:
    """Half side of the maximum square around a pose that no singularity touches: closed form.

    Lines of legs d_k = p + b_k - a_k meet in a point, or are parallel, where the determinant of
    rows (d_k, b_k x d_k) is zero: of second degree in p. The point of this conic that is nearest,
    by the maximum of both coordinates, is in a diagonal, or has a level or upright tangent.
    """
    c, s = np.cos(turn), np.sin(turn)
    arms = platform_joints() @ np.array([[c, s], [-s, c]])

    def determinant(p: Array) -> float:
        d = np.array([x, y]) + p + arms - BASE
        return float(
            np.linalg.det(np.column_stack([d, arms[:, 0] * d[:, 1] - arms[:, 1] * d[:, 0]]))
        )

    places = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1)], float) * 10
    powers = np.array([(u * u, u * v, v * v, u, v, 1.0) for u, v in places])
    A, B, C, D, E, F = np.linalg.solve(powers, [determinant(p) for p in places])
    near = [abs(root) for sign in (1, -1) for root in _roots(A + sign * B + C, D + sign * E, F)]
    for a, b, e, d, g in ((A, B, C, D, E), (C, B, A, E, D)):  # u = -(b v + d) / 2a: a level tangent
        tops = _roots(e - b * b / (4 * a), g - b * d / (2 * a), F - d * d / (4 * a))
        near += [abs(v) for v in tops if abs(b * v + d) <= abs(2 * a * v)]
    return float(min(near))


def _roots(*polynomial: float) -> list[float]:
    return [float(root.real) for root in np.roots(polynomial) if abs(root.imag) < 1e-12]
