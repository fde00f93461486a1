"""Slices through a workspace, and maps of a number over them: two coordinates of the pose vary.

Dependent coordinates are those of home, or follow: a tripod moves sideways as it tilts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.digits import short_decimal
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table, data_of, vector
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import has_constant_basis
from gough.kinematics.freedoms.path_following import followed_to
from gough.kinematics.workspace.charts import box_to_search, centre_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, margin_kernel
from gough.kinematics.workspace.stated_limits import ENDS, ends_of
from gough.kinematics.workspace.travels import SHOWN
from gough.memory import require_memory
from gough.model.kernels import Kernels, kernels_of
from gough.poses import euler
from gough.poses import pose as make_pose
from gough.robot import MOVES, Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COORDINATES = ("x", "y", "z", "roll", "pitch", "yaw")
"""Coordinates of a pose: position [m], angles about fixed axes, R = Rz(yaw) Ry(pitch) Rx(roll)."""
_ANGLES = np.pi * np.array([[-1, 1], [-0.5, 0.5], [-1, 1]])
"""Ranges of roll, pitch and yaw."""
_COARSE = 120
_BORDER = 0.12
_BYTES = 384
"""Memory of a point [bytes]: coordinates, pose with intermediate results, margins."""


@dataclass(frozen=True)
class Slice(Displayable):
    """Margins over a rectangle of two coordinates, m for x y z, rad for angles."""

    axes: tuple[str, str]
    fixed: dict[str, float]
    """The other coordinates in which the machine moves."""
    first: Array
    """(n) values of the first coordinate."""
    second: Array
    """(n) values of the second one."""
    margins: Array
    """(n, n, 5) in the order of FAMILIES; the first axis is that of the first coordinate."""
    ends: tuple[str, ...] = ENDS
    """Names of the families, and of the end of assembly."""

    @property
    def units(self) -> tuple[str, str]:
        """Units of the two coordinates: m or rad."""
        first, second = ("rad" if is_angle(name) else "m" for name in self.axes)
        return first, second

    @property
    def inside(self) -> AnyArray:
        """(n, n) whether points are reachable."""
        return np.asarray((self.margins >= 0).all(-1))

    @property
    def area(self) -> float:
        """Reachable area, by counting grid points; in the units of the two coordinates."""
        cell = (self.first[1] - self.first[0]) * (self.second[1] - self.second[0])
        return float(self.inside.sum() * cell)

    @property
    def extent(self) -> tuple[list[float] | None, list[float] | None]:
        """Minimum and maximum reachable value of each coordinate; None without any."""
        found = _extent(self.first, self.second, self.inside)
        return (None, None) if found is None else (found[0].tolist(), found[1].tolist())

    @property
    def heading(self) -> tuple[str, str]:
        """Kind of result, axes and constant coordinates."""
        at = ", ".join(map(self.fixed_words, self.fixed))
        return "slice of the workspace", f"{' '.join(self.axes)} at {at}"

    def fixed_words(self, name: str) -> str:
        """Return a constant coordinate in words."""
        unit, scale = shown(name)
        return f"{name} = {short_decimal(self.fixed[name] * scale)} {unit}"

    def tables(self) -> list[Table]:
        """The area and the extent."""
        units, scales = zip(*map(shown, self.axes), strict=True)
        area_unit = f"{units[0]}²" if units[0] == units[1] else " ".join(units)
        rows: Rows = [("area", self.area * math.prod(scales), area_unit)]
        for axis, ends, unit, scale in zip(self.axes, self.extent, units, scales, strict=True):
            words = "nothing" if ends is None else vector(x * scale for x in ends)
            rows.append((f"{axis} from, to", words, unit))
        return [Table.properties("", rows)]

    def plot(self, *, title: str = "", ax: Axes | None = None) -> Axes:
        """Plot the reachable part, the violated limits around it and lines of equal margin."""
        from gough.kinematics.workspace.plots import plot_parts  # noqa: PLC0415  (slow to import)

        return plot_parts([self], title, ax)[0]

    def to_dict(self) -> PlainData:
        """The area and the extent as plain data."""
        extent = dict(zip(("first", "second"), self.extent, strict=True))
        return data_of(self, "axes units fixed area") | extent


def workspace_slice(
    robot: Robot | Kernels,
    axes: tuple[str, str],
    pose: ArrayLike | None = None,
    *,
    limits: Limits = ALL_LIMITS,
    resolution: int = 400,
) -> Slice:
    """Compute margins where two coordinates vary and the others are those of `pose` (default home).

    `axes` are two of x, y, z, roll, pitch, yaw in which the machine moves; rx, ry, rz are other
    names of the angles. The rectangle contains all reachable points of that plane, with a border
    around it.
    """
    model = kernels_of(robot)
    robot = model.own_robot("a slice")
    first, second = (index_of(name) for name in axes)
    if first == second:
        expected = f"two of {', '.join(COORDINATES)}"
        raise GoughError(f"cannot slice along {axes[0]!r} and {axes[1]!r}; expected {expected}")
    _check_moves(model, [MOVES[first], MOVES[second]])
    if resolution < 2:
        raise GoughError(f"resolution is {resolution}; expected at least 2 points along an axis")
    require_memory(_BYTES * resolution**2, f"slices of {resolution:,} by {resolution:,} points")
    start = centre_of(robot, pose)
    coordinates = _coordinates(start)
    kernel = margin_kernel(robot, limits)

    def look(ranges: Array, count: int) -> tuple[Array, Array, Array]:
        a, b = np.linspace(ranges[:, 0], ranges[:, 1], count).T
        return a, b, kernel(_poses(robot, start, (first, second), a, b))

    turning = max(first, second) >= 3 or not has_constant_basis(robot)
    box = np.stack(box_to_search(robot, limits, start, turning), -1)
    ranges = np.concatenate([box, _ANGLES])[[first, second]]
    for _ in range(2):
        ranges = _around(*look(ranges, _COARSE), ranges)
    a, b, found = look(ranges, resolution)
    stay = [k for k in free_coordinates(model) if k not in (first, second)]
    fixed = {COORDINATES[k]: float(coordinates[k]) for k in stay}
    return Slice(axes, fixed, a, b, found, ends_of(robot))


def slice_at(
    robot: Robot | Kernels,
    pose: ArrayLike,
    name: str,
    value: float,
    axes: tuple[str, str] | None = None,
    **options: Any,
) -> Slice:
    """Compute the slice at a value [m, rad] of one coordinate, the others as in `pose`.

    Without `axes` two others vary: those of its own kind, or the remaining ones. Options are those
    of `workspace_slice`.
    """
    model = kernels_of(robot)
    pair = _varied(model, name, axes)
    start = centre_of(model.own_robot("a slice"), pose)
    coordinates = _coordinates(start)
    coordinates[index_of(name)] = value
    start = make_pose(coordinates[:3], rpy=coordinates[3:]) if is_angle(name) else start.copy()
    start[:3] = coordinates[:3]
    return workspace_slice(model, pair, start, **options)


def _varied(model: Kernels, fixed: str, asked: tuple[str, str] | None) -> tuple[str, str]:
    stays, free = index_of(fixed), free_coordinates(model)
    _check_moves(model, [MOVES[stays]])
    if asked is not None:
        if stays in map(index_of, asked):
            raise GoughError(f"{fixed} is fixed and cannot vary; expected two other axes")
        return asked
    others = [k for k in free if k != stays]
    alike = [k for k in others if (k < 3) == (stays < 3)]
    pair = [COORDINATES[k] for k in (alike if len(alike) == 2 else others)]
    if len(pair) != 2:
        raise GoughError(f"{', '.join(pair)} remain; give two of them as axes")
    return pair[0], pair[1]


def free_coordinates(model: Kernels) -> list[int]:
    """Which of the coordinates a machine moves in; all of one whose moves are rows."""
    free = model.structure.degrees_of_freedom
    named = set(free) <= set(MOVES)
    return [k for k, move in enumerate(MOVES) if move in free or not named]


def is_angle(name: str) -> bool:
    """Whether a coordinate is an angle."""
    return index_of(name) >= 3


def shown(name: str) -> tuple[str, float]:
    """Return the unit in which a coordinate is shown, and its conversion factor."""
    return SHOWN["rad" if is_angle(name) else "m"]


def index_of(name: str) -> int:
    """Return the index of a coordinate."""
    for names in (COORDINATES, MOVES):
        if name in names:
            return names.index(name)
    raise GoughError(f"unknown coordinate {name!r}; expected one of {', '.join(COORDINATES)}")


def _coordinates(pose: Array) -> Array:
    return np.concatenate([pose[:3], euler(pose, "xyz")])


def _poses(robot: Robot, start: Array, varied: tuple[int, int], a: Array, b: Array) -> Array:
    """Poses (n, m, 7) from `start` with the values a, b of the two varied coordinates."""
    grid = np.broadcast_to(_coordinates(start), (len(a), len(b), len(COORDINATES))).copy()
    grid[..., varied[0]], grid[..., varied[1]] = a[:, None], b
    flat = grid.reshape(-1, len(COORDINATES))
    asked = make_pose(flat[:, :3], rpy=flat[:, 3:])
    return followed_to(robot, start, asked).reshape(len(a), len(b), -1)


def _check_moves(model: Kernels, needed: list[str]) -> None:
    """Refuse a slice along a coordinate in which the machine does not move; rows are exempt."""
    free = [MOVES[k] for k in free_coordinates(model)]
    lacking = [move for move in needed if move not in free]
    if lacking:
        problem = f"{model.robot.name} moves in {', '.join(free)}, not in {', '.join(lacking)}"
        raise GoughError(f"{problem}; expected a slice along coordinates in which it moves")


def _around(a: Array, b: Array, margins: Array, ranges: Array) -> Array:
    """The rectangle of the reachable points, with a border; the old one if there are none."""
    tight = _extent(a, b, np.asarray((margins >= 0).all(-1)))
    if tight is None:
        return ranges
    border = _BORDER * (tight[:, 1] - tight[:, 0]) + np.array([a[1] - a[0], b[1] - b[0]])
    return np.stack([tight[:, 0] - border, tight[:, 1] + border], -1)


def _extent(a: Array, b: Array, inside: AnyArray) -> Array | None:
    """Minimum and maximum (2, 2) of two coordinates over the points (n, m) inside, if any."""
    if not inside.any():
        return None
    return np.array([[hit.min(), hit.max()] for hit in (a[inside.any(1)], b[inside.any(0)])])


RESOLUTION = 240
"""Number of poses along each axis of a map."""


@dataclass(frozen=True)
class Map(Displayable):
    """A number over the reachable part of a slice."""

    meaning: str
    unit: str
    slice: Slice
    values: Array
    """(n, n) as the margins of the slice; NaN where nothing is reachable."""
    listed = """meaning unit values axes=slice.axes units=slice.units fixed=slice.fixed
        first=slice.first second=slice.second"""

    @property
    def heading(self) -> tuple[str, str]:
        """The plane, and the mapped quantity."""
        return f"map over {' and '.join(self.slice.axes)}", self.meaning

    def tables(self) -> list[Table]:
        """Minimum and maximum, each with its place."""
        rows: Rows = []
        part = self.slice
        if np.isfinite(self.values).any():
            for word, find in (("minimum", np.nanargmin), ("maximum", np.nanargmax)):
                i, j = np.unravel_index(find(self.values), self.values.shape)
                rows.append((word, float(self.values[i, j]), self.unit))
                at = zip(part.axes, (part.first[i], part.second[j]), part.units, strict=True)
                rows += [(f"  at {axis}", float(value), unit) for axis, value, unit in at]
        return [Table.properties("", rows or [("", "nothing reachable", "")])]

    def plot(self, *, title: str = "", ax: Axes | None = None) -> Axes:
        """Plot the map with contour lines, and return the axes."""
        from gough.kinematics.workspace.plots import plot_map  # noqa: PLC0415  (slow to import)

        return plot_map(self, title=title, ax=ax)


def mapped(
    model: Kernels,
    cut: Slice,
    pose: ArrayLike | None,
    of_poses: Callable[[Array], Array],
    words: str,
    unit: str,
) -> Map:
    """Map a function of poses (k, 7) over the reachable part of a slice through a pose."""
    inside = cut.inside
    values = np.full(inside.shape, np.nan)
    if inside.any():
        robot, varied = model.own_robot("a slice"), (index_of(cut.axes[0]), index_of(cut.axes[1]))
        poses = _poses(robot, centre_of(robot, pose), varied, cut.first, cut.second)
        values[inside] = of_poses(poses[inside])
    return Map(words, unit, cut, values)
