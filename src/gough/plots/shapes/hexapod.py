"""What a hexapod looks like: telescopes between two plates."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.plots.shapes.shape import (
    BASE,
    PLATFORM,
    USUAL_RADIUS,
    Ball,
    Bar,
    Label,
    Shape,
    bounds,
    corners,
    sleeve_length,
)
from gough.poses import transform
from gough.robot import Hexapod
from gough.robot.appearance import part_name


def hexapod_shape(robot: Hexapod, poses: Array) -> Shape:
    """A hexapod while it goes through poses (n, 7)."""
    base = np.array([leg.base for leg in robot.legs])
    platform = np.array([leg.platform for leg in robot.legs])
    count = len(robot.legs)

    def points(pose: Array) -> Array:
        tops = transform(np.asarray(pose)[..., None, :], platform)
        return np.concatenate([np.broadcast_to(base, tops.shape), tops], axis=-2)

    seen = points(poses)
    target, reach = bounds(seen)
    lengths = np.linalg.norm(seen[:, count:] - seen[:, :count], axis=-1).min(axis=0).tolist()
    radii = [leg.radius or USUAL_RADIUS * reach for leg in robot.legs]
    strokes = [leg.stroke[0] if leg.stroke else None for leg in robot.legs]
    bars = tuple(
        Bar(
            k,
            count + k,
            radius,
            part_name(k, "piston"),
            k,
            sleeve=sleeve_length(shortest, seen),
            sleeve_of=part_name(k, "cylinder"),
        )
        for k, (radius, shortest, seen) in enumerate(zip(radii, strokes, lengths, strict=True))
    )
    feet, tops = tuple(range(count)), tuple(range(count, 2 * count))
    return Shape(
        points,
        base=feet,
        platform=tops,
        bars=bars,
        balls=tuple(
            ball
            for k, radius in enumerate(radii)
            for ball in (
                Ball(k, 1.1 * radius, part_name(k, "base joint"), k),
                Ball(count + k, 0.95 * radius, part_name(k, "platform joint"), k),
            )
        ),
        labels=tuple(Label(str(k + 1), k, count + k) for k in feet),
        plates={BASE: tuple(corners(base)), PLATFORM: tuple(count + k for k in corners(platform))},
        target=target,
        reach=reach,
    )
