"""Appearance of a hexapod: telescopes between two plates."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.plots.shapes.shape import (
    USUAL_RADIUS,
    Bar,
    JointBall,
    Label,
    Shape,
    bounds,
    corners,
    sleeve_length,
)
from gough.poses import transform
from gough.robot import Robot
from gough.robot.home.of_robots import joint_names, part_names
from gough.robot.mechanism import BASE, PLATFORM


def hexapod_shape(robot: Robot, poses: Array) -> Shape:
    """A hexapod while it goes through poses (n, 7)."""
    legs = robot.extensible_legs
    base = np.array([leg.base for leg in legs])
    platform = np.array([leg.platform for leg in legs])
    count = len(legs)

    def points(pose: Array) -> Array:
        tops = transform(np.asarray(pose)[..., None, :], platform)
        return np.concatenate([np.broadcast_to(base, tops.shape), tops], axis=-2)

    seen = points(poses)
    target, reach = bounds(seen)
    lengths = np.linalg.norm(seen[:, count:] - seen[:, :count], axis=-1).min(axis=0).tolist()
    radii = [leg.radius or USUAL_RADIUS * reach for leg in legs]
    bars = []
    for k, (leg, length) in enumerate(zip(legs, lengths, strict=True)):
        cylinder, piston = part_names(k + 1)[:2]
        sleeve = sleeve_length(leg.stroke[0] if leg.stroke else None, length)
        bars.append(Bar(k, count + k, radii[k], piston, k, sleeve=sleeve, sleeve_of=cylinder))
    feet, tops = tuple(range(count)), tuple(range(count, 2 * count))
    return Shape(
        points,
        base=feet,
        platform=tops,
        bars=tuple(bars),
        balls=tuple(
            ball
            for k, radius in enumerate(radii)
            for ball in (
                JointBall(k, 1.1 * radius, joint_names(k + 1)[0], k),
                JointBall(count + k, 0.95 * radius, joint_names(k + 1)[2], k),
            )
        ),
        labels=tuple(Label(str(k + 1), k, count + k) for k in feet),
        plates={BASE: tuple(corners(base)), PLATFORM: tuple(count + k for k in corners(platform))},
        target=target,
        reach=reach,
    )
