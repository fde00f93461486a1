"""Travel of a machine from a pose along each of its degrees of freedom alone, and active limits."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.compiler.native.kernel import Kernel
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Several, Table, data_of, plain_value
from gough.kinematics.workspace.charts import Chart, centre_of, charts
from gough.kinematics.workspace.rays import walk
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, limited_by, margin_kernel
from gough.kinematics.workspace.stated_limits import ENDS, ends_of
from gough.model.kernels import Kernels, kernels_of
from gough.model.structure import structure_of
from gough.poses import Frames
from gough.poses.rows import frame_facts, frame_tables, pose_rows
from gough.robot import MOVES, Robot

SHOWN = {"m": ("m", 1.0), "rad": ("deg", 180 / math.pi)}
"""Unit in which tables show lengths and angles, and its conversion factor."""
_BEYOND = 1e-9
"""Distance behind the boundary, relative to its own, at which the active limit is evaluated."""


@dataclass(frozen=True)
class Travel(Displayable):
    """Travel from a centre along degrees of freedom, each alone and in both directions."""

    degrees_of_freedom: tuple[str, ...]
    """Their names, n of them: x, y, z, or rx, ry, rz about axes that are fixed in the base.

    With frames, the axes are those of the work frame, and rotations are about the tool's origin.
    """
    unit: str
    """Unit of the distances: m or rad."""
    centre: Array
    """(7) the platform's pose at the centre, in the base."""
    distances: Array
    """(n, 2) to the first pose that is not reachable, in the negative and positive direction."""
    active: AnyArray
    """(n, 2) active limits: indices of ENDS, or -1 where there is none."""
    ends: tuple[str, ...] = ENDS
    """Names of the limits."""
    frames: Frames | None = None
    """The work frame and the tool that count, if any were given."""
    listed = "degrees_of_freedom unit limited_by travel=distances"

    @property
    def limited_by(self) -> list[list[str | None]]:
        """Names of the limits that end them; None where no limit was met."""
        return [[self.ends[k] if k >= 0 else None for k in row] for row in self.active]

    @property
    def heading(self) -> tuple[str, str]:
        """Heading of the result."""
        return "travel", f"in {' '.join(self.degrees_of_freedom)}"

    def tables(self) -> list[Table]:
        """Distances in both directions of each axis, and the active limits."""
        unit, scale = SHOWN[self.unit]
        free = self.degrees_of_freedom
        names = (f"about {name[1:]}" if name in MOVES[3:] else name for name in free)
        parts = zip(names, scale * self.distances, self.limited_by, strict=True)
        rows = [(name, low, first, high, last) for name, (low, high), (first, last) in parts]
        heads = ("axis", f"negative [{unit}]", "limited by", f"positive [{unit}]", "limited by")
        return [Table.of("Travel" if self.unit == "m" else "Rotation", heads, rows)]


@dataclass(frozen=True)
class Travels(Several[Travel]):
    """Travel from a pose: parts for translations, for rotations, and for each mixed motion."""

    robot: Robot
    pose: Array
    """(7) the platform's pose in the base."""
    parts: tuple[Travel, ...]
    frames: Frames | None = None

    result_kind: ClassVar = "travel along each axis alone"

    @property
    def warnings(self) -> list[str]:
        """Degrees of freedom of the machine that no axis through the tool has."""
        found = [name for part in self.parts for name in part.degrees_of_freedom]
        free = structure_of(self.robot).degrees_of_freedom
        if len(found) >= len(free):
            return []
        return [
            f"{self.robot.name} moves in {' '.join(free)}: along or about the axes of the work "
            f"frame through this tool it moves in {' '.join(found)} only"
        ]

    def tables(self) -> list[Table]:
        """The pose, and the travel along each axis."""
        of_pose = Table.properties("Pose", pose_rows(self.pose, self.frames))
        of_parts = [table for part in self.parts for table in part.tables()]
        return [*frame_tables(self.frames), of_pose, *of_parts]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        facts = {**frame_facts(self.frames, self.pose), "travels": plain_value(self.parts)}
        return data_of(self, "robot pose warnings") | facts


def travel(
    robot: Robot | Kernels,
    pose: ArrayLike | None = None,
    *,
    frames: Frames | None = None,
    limits: Limits = ALL_LIMITS,
) -> Travels:
    """Compute the travel from `pose` (default home) along each degree of freedom alone.

    One record for translations, one for rotations, if the machine has them; degrees of freedom that
    are both have one each. With a variable twist basis (a tripod), dependent coordinates follow.

    `pose` is the platform's in the base. With `frames` the tool moves along the axes of the work
    frame, and rotates about its own origin: along and about those axes that are possible there.
    """
    robot = kernels_of(robot).own_robot("travel")
    kernel, centre = margin_kernel(robot, limits), centre_of(robot, pose)
    parts = []
    for chart in charts(robot, limits, centre, frames):
        free = chart.degrees_of_freedom
        axes = axes_of(len(free))
        exits = walk(chart, axes).exits
        both = (exits, behind(chart, kernel, axes, exits))
        distances, active = (x.reshape(2, -1).T for x in both)
        parts.append(Travel(free, chart.unit, centre, distances, active, ends_of(robot), frames))
    return Travels(robot, centre, tuple(parts), frames)


def axes_of(d: int) -> Array:
    """Return directions (2d, d) against all axes, and along them."""
    return np.concatenate([-np.eye(d), np.eye(d)])


def behind(chart: Chart, kernel: Kernel, directions: Array, exits: Array) -> AnyArray:
    """Return the limits violated just behind the boundary: indices of ENDS, or -1 for none."""
    return limited_by(np.asarray(kernel(chart.at(directions, exits * (1 + _BEYOND)))))
