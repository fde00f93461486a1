"""Machines whose workspaces are known in closed form, and a slow second opinion on limits."""

from itertools import combinations

import numpy as np
from scipy.spatial.transform import Rotation

import gough

TINY = 1e-7


def bare(base, platform, home, **leg):
    """A machine of given joint centres and limits, without masses."""
    return gough.Model(
        gough.Robot.from_dict(
            {
                "schema": "gough/1",
                "name": "bare",
                "platform": {"mass": 1, "inertia": [1, 1, 1], "home": {"position": list(home)}},
                "leg": {"kind": "SPS"} | leg,
                "legs": [
                    {"base": np.asarray(a).tolist(), "platform": np.asarray(b).tolist()}
                    for a, b in zip(base, platform, strict=True)
                ],
            }
        )
    )


def ring(radius, count=6, height=0.0, start=0.0):
    angles = start + 2 * np.pi * np.arange(count) / count
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles + height], 1)


def shell(shortest=1.0, longest=2.0, height=1.4):
    """All legs nearly from one point to one point: a ball with a hole, around the origin."""
    return bare(ring(TINY), ring(TINY, start=0.3), (0, 0, height), stroke=[shortest, longest])


def lens(apart=1.0, longest=1.0):
    """Three legs from each of two points: where two balls meet."""
    left, right = ring(TINY, 3) - [apart / 2, 0, 0], ring(TINY, 3) + [apart / 2, 0, 0]
    platform = ring(TINY, start=0.3)
    return bare([*left, *right], platform, (0, 0, 0.2), stroke=[1e-3, longest])


def margins_by_hand(robot, pose):
    """The smallest slack of each family, in m, rad, rad, m, written without any shortcut."""
    R, R_home = (Rotation.from_quat(p[3:], scalar_first=True) for p in (pose, robot.home))
    base = np.array([leg.base for leg in robot.legs])
    b = np.array([leg.platform for leg in robot.legs])
    span, span_home = pose[:3] + R.apply(b) - base, robot.home[:3] + R_home.apply(b) - base
    carried = (R * R_home.inv()).apply(span_home)
    lengths = np.linalg.norm(span, axis=1)
    stroke, in_base, in_platform, clearance = [], [], [], []
    for k, leg in enumerate(robot.legs):
        stroke.append(min(lengths[k] - leg.stroke[0], leg.stroke[1] - lengths[k]))
        in_base.append(leg.base_joint_limit - angle(span[k], span_home[k]))
        in_platform.append(leg.platform_joint_limit - angle(span[k], carried[k]))
    for i, j in combinations(range(6), 2):
        apart = distance_by_cases(base[i], span[i], base[j], span[j])
        clearance.append(apart - robot.legs[i].radius - robot.legs[j].radius)
    return np.array([min(stroke), min(in_base), min(in_platform), min(clearance)])


def angle(a, b):
    return np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1))


def distance_by_cases(p, u, q, v):
    """Between two segments: an end and the other segment, or the lines where they are nearest."""
    s, t = np.linalg.lstsq(np.stack([u, -v], 1), q - p, rcond=None)[0]
    cases = [
        to_segment(p, q, v),
        to_segment(p + u, q, v),
        to_segment(q, p, u),
        to_segment(q + v, p, u),
    ]
    if 0 <= s <= 1 and 0 <= t <= 1:
        cases.append(np.linalg.norm(p + s * u - q - t * v))
    return min(cases)


def to_segment(point, start, along):
    share = np.clip((point - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(point - start - share * along)
