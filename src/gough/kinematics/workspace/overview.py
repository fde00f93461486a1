"""Workspace of a machine in its own degrees of freedom: volume or area, travel, rotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.digits import with_error
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, vector
from gough.display.brief import brief
from gough.kinematics.samples import rows_of_freedoms
from gough.kinematics.workspace.bounds import is_bounded
from gough.kinematics.workspace.charts import Kind, centre_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.travels import SHOWN, Travel, travel
from gough.kinematics.workspace.workspace import (
    Workspace,
    constant_orientation_workspace,
    orientation_workspace,
)
from gough.model.kernels import Kernels, kernels_of
from gough.poses.rows import pose_rows
from gough.robot import Robot
from gough.robot.mechanism import MOVES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WORDS = {
    "orientation": "orientation workspace",
    "position": "constant-orientation workspace",
}


@dataclass(frozen=True)
class WorkspaceOverview(Displayable):
    """A machine's workspace around a pose, if it has a volume or an area, and its travel."""

    model: Kernels
    asked: Array
    """(7) the requested centre."""
    limits: Limits
    space: Workspace | None
    """Volume or area; None where positions have no bounds, or with one degree of freedom only."""
    travels: tuple[Travel, ...]
    """Travel from the centre along each degree of freedom alone."""

    __repr__ = brief

    @property
    def centre(self) -> Array:
        """(7) the centre."""
        return self.asked if self.space is None else self.space.centre

    @property
    def warnings(self) -> list[str]:
        """Notes on a machine without all degrees of freedom: what is shown, what is left out."""
        robot, free = self.model.robot, self.model.structure.degrees_of_freedom
        found = []
        if len(free) < len(MOVES):
            measure = "" if self.space is None else f"the {self._word} of its workspace and "
            found.append(
                f"{robot.name} moves in {' '.join(free)}: this is {measure}its travel along each"
            )
        if self.space is None and _counts(self.model)[0] and not is_bounded(robot, self.limits):
            found.append(
                "no leg has a maximum length, so positions have no bounds and no volume: unlimited "
                "travel ends at the edge of the search"
            )
        if not np.allclose(self.centre, self.asked):
            found.append("the pose is not reachable: results are about the centre stated above")
        return found

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what this is."""
        space = self.space
        if space is None:
            return self.model.robot.name, "workspace"
        in_plane = len(space.degrees_of_freedom) == 2
        return (
            self.model.robot.name,
            f"workspace in {', '.join(space.degrees_of_freedom)}"
            if in_plane
            else _WORDS[space.kind],
        )

    @property
    def _word(self) -> str:
        assert self.space is not None
        return "volume" if len(self.space.degrees_of_freedom) == 3 else "area"

    def tables(self) -> list[Table]:
        """The volume or area and the travels."""
        space, of_travel = self.space, [table for part in self.travels for table in part.tables()]
        rows = [(f"centre: {name}", value, unit) for name, value, unit in pose_rows(self.centre)]
        if space is not None:
            unit, scale = SHOWN[space.unit]
            power, round_thing = ("³", "ball") if self._word == "volume" else ("²", "disc")
            size = with_error(space.measure, space.measure_error)
            rows.append((self._word, size, f"{space.unit}{power}"))
            if space.kind == "orientation":
                rows.append(("share of all rotations", 100 * space.volume / (8 * math.pi**2), "%"))
            else:
                rows += [
                    (f"{axis} from, to", vector(ends), "m")
                    for axis, ends in zip(space.degrees_of_freedom, space.extent, strict=True)
                ]
            rows.append(
                (f"inscribed {round_thing} around the centre", space.inscribed * scale, unit)
            )
            gaps = "no" if space.star_shaped else "yes"
            rows.append(("gaps along rays from the centre", gaps, ""))
        return [Table.properties("", rows), *of_travel]

    def to_dict(self) -> PlainData:
        """Everything as plain data; the first of the travels is that of the workspace."""
        first, *others = self.travels
        facts: PlainData = {"kind": "position" if first.unit == "m" else "orientation"}
        if (space := self.space) is not None:
            facts |= {
                self._word: space.measure,
                f"{self._word}_error": space.measure_error,
                "extent": space.extent,
                "inscribed": space.inscribed,
                "star_shaped": space.star_shaped,
            }
        facts |= {"centre": first.centre, **first.to_dict()}
        for part in others:
            facts["rotation" if part.unit == "rad" else part.degrees_of_freedom[0]] = part.to_dict()
        return facts | {"warnings": self.warnings}

    def plot(self, *, ax: Sequence[Axes] | None = None) -> list[Axes]:
        """Plot the boundary and slices, or slices only, through the centre; return the axes."""
        from gough.kinematics.workspace.plots import (  # noqa: PLC0415  (matplotlib is slow)
            plot_slices,
            plot_workspace,
        )

        given: Any = {"limits": self.limits, "title": ": ".join(self.heading), "ax": ax}
        if self.space is None:
            return plot_slices(self.model, self.centre, **given)
        return plot_workspace(self.model, self.space, **given)


def workspace_overview(
    robot: Robot | Kernels,
    pose: ArrayLike | None = None,
    *,
    orientation: bool = False,
    limits: Limits = ALL_LIMITS,
    **options: Any,
) -> WorkspaceOverview:
    """Compute the workspace and travel of a machine around a pose (7), by default home.

    Positions at the pose's orientation, where the machine moves in two or three directions and has
    bounds; else, or with `orientation`, rotations at its position. Options are those of
    `constant_orientation_workspace`.
    """
    model = kernels_of(robot)
    robot = model.own_robot("a workspace")
    asked = centre_of(robot, pose)
    kind: Kind | None = "orientation" if orientation else _kind(model, limits)
    find = {"position": constant_orientation_workspace, "orientation": orientation_workspace}
    space = None if kind is None else find[kind](model, asked, limits=limits, **options)
    travels = travel(model, asked if space is None else space.centre, limits=limits)
    kept = tuple(part for part in travels if part.unit == "rad" or not orientation)
    return WorkspaceOverview(model, asked, limits, space, kept)


def _kind(model: Kernels, limits: Limits) -> Kind | None:
    ways, turns = _counts(model)
    if ways >= 2 and (is_bounded(model.robot, limits) or model.robot.has_extensible_legs):
        return "position"
    return "orientation" if turns == 3 and not ways else None


def _counts(model: Kernels) -> tuple[int, int]:
    """Numbers of the translational and of the rotational degrees of freedom of a machine."""
    rows = rows_of_freedoms(model.own_robot("freedoms"))
    return int((~rows[:, 3:].any(1)).sum()), int((~rows[:, :3].any(1)).sum())
