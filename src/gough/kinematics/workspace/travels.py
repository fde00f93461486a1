"""How far a machine can go from a pose along each of its freedoms alone, and what ends it there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.native.kernel import Kernel
from gough.kinematics.workspace.charts import Chart, centre_of, charts
from gough.kinematics.workspace.rays import Rays, walk
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, ended_by, margin_kernel
from gough.kinematics.workspace.stated import ENDS, ends_of
from gough.model.kernels import Kernels
from gough.shown.brief import brief

_BEYOND = 1e-9
"""How far behind the boundary, relative to its distance, the limit that ends it is read."""


@dataclass(frozen=True)
class Travel:
    """How far freedoms go from a centre, each alone and both ways."""

    freedoms: tuple[str, ...]
    """Their names, n of them: x, y, z, or rx, ry, rz about axes that are fixed in the base."""
    unit: str
    """Of the distances: m or rad."""
    centre: Array
    """(7) the pose from which they go."""
    distances: Array
    """(n, 2) to the first pose that is not reachable, in the negative and positive direction."""
    active: AnyArray
    """(n, 2) what ends them: indices of ENDS, or -1 where nothing was met."""
    ends: tuple[str, ...] = ENDS
    """What these are called."""

    __repr__ = brief

    @property
    def ended_by(self) -> list[list[str | None]]:
        """What ends them in words; None where nothing was met."""
        return [[self.ends[k] if k >= 0 else None for k in row] for row in self.active]


def travel(model: Kernels, pose: Any = None, *, limits: Limits = ALL_LIMITS) -> list[Travel]:
    """How far a machine goes from `pose` (default home) along each of its freedoms alone.

    One record for its translations, one for its rotations, as far as it has them; freedoms that are
    both have one each. Where the moves of a machine are not constant (a tripod), the rest follows.
    """
    robot = model.own_robot("travel")
    kernel = margin_kernel(robot, limits)
    return [along_axes(c, kernel)[0] for c in charts(robot, limits, centre_of(robot, pose))]


def along_axes(chart: Chart, kernel: Kernel) -> tuple[Travel, Rays]:
    """The travel in a chart, and the rays along which it was found: first all negative ones."""
    d = len(chart.freedoms)
    rays = walk(chart, axes_of(d))
    found = Travel(
        chart.freedoms,
        chart.unit,
        chart.centre,
        rays.exits.reshape(2, d).T,
        behind(chart, kernel, axes_of(d), rays.exits).reshape(2, d).T,
        ends_of(chart.robot),
    )
    return found, rays


def axes_of(d: int) -> Array:
    """(2d, d) against all axes, and along them."""
    return np.concatenate([-np.eye(d), np.eye(d)])


def behind(chart: Chart, kernel: Kernel, directions: Array, exits: Array) -> AnyArray:
    """What is violated just behind the boundary: indices of ENDS, or -1 if nothing is."""
    return ended_by(np.asarray(kernel(chart.at(directions, exits * (1 + _BEYOND)))))
