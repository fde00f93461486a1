"""Two families of poses around a centre: its translations, and its rotations.

A chart tells how to walk along rays from the centre, how far rays can go, how much volume lies
along them, and how to draw poses evenly. Rotations turn about axes through the platform's origin
that are fixed in the base; distance is the angle. Their volume is the invariant one, which for
small angles is that of the rotation vector [rad³]; all rotations have 8π².
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.spatial import pose as symbolic
from gough.errors import GoughError
from gough.kinematics.workspace.bounds import is_bounded, reachable_box
from gough.kinematics.workspace.ray_crossings import Crossings, along_rotations, along_translations
from gough.kinematics.workspace.reach import Limits, margin_function
from gough.kinematics.workspace.stated import keys_of, known_limits
from gough.model.definition import POSE
from gough.model.structure import structure_of
from gough.poses import displace
from gough.poses import pose as make_pose
from gough.robot import Hexapod, Robot
from gough.robot.mechanism import MOVES

Kind = Literal["position", "orientation"]


@dataclass(frozen=True)
class Chart:
    """Poses around a centre, by direction and distance."""

    kind: Kind
    centre: Array
    """(7) the pose at distance zero."""
    least: Kernel
    """(centre, direction, distance) -> the smallest margin there."""
    reach: Callable[[Array], Array]
    """Directions (n, 3) -> the distance (n) beyond which nothing is reachable."""
    crossings: Crossings
    """Directions (n, 3) -> distances (n, k) at which limits may begin or end to hold."""
    complete: bool
    """Whether these are the crossings of all limits."""
    radial: Callable[[Array], Array]
    """Distance -> volume per solid angle up to there."""
    at: Callable[[Array, Array], Array]
    """Directions (..., 3), distances (...) -> poses (..., 7)."""
    draw: Callable[[Array], Array]
    """Points of the unit cube (n, 3) -> poses (n, 7), spread evenly over `total`."""
    total: float
    """The volume from which `draw` draws."""

    @property
    def unit(self) -> str:
        """The unit of distances; that of volumes is its cube."""
        return "m" if self.kind == "position" else "rad"


def _check_moves(robot: Robot, needed: tuple[str, ...], what: str) -> None:
    """Refuse a workspace in which a machine cannot move all ways."""
    free = structure_of(robot).freedoms
    if not set(needed) <= set(free):
        raise GoughError(
            f"{robot.name} moves in {', '.join(free)}; expected {', '.join(needed)} for a "
            f"workspace of {what}. workspace_slice shows two coordinates in which it moves"
        )


def centre_of(robot: Robot, pose: Any) -> Array:
    """The pose (7) around which to look: the one given, or home."""
    centre = np.array(robot.home if pose is None else pose, dtype=float)
    if centre.shape != (7,) or not np.isfinite(centre).all():
        raise GoughError(f"pose is {centre.tolist()}; expected seven finite numbers")
    return centre


def translations(robot: Robot, limits: Limits, centre: Array) -> Chart:
    """All positions with the attitude of the centre."""
    _check_moves(robot, MOVES[:3], "positions")
    if not is_bounded(robot) or (isinstance(robot, Hexapod) and "stroke" not in limits.families):
        raise GoughError(
            f"{robot.name}: no leg has a stroke that counts, so its positions have no bounds; "
            "expected `stroke = [shortest, longest]` in [leg] or [[legs]] of the robot file"
        )
    low, high = reachable_box(robot, centre)
    place, attitude = centre[:3], centre[3:]

    def reach(directions: Array) -> Array:
        """Where rays leave the box."""
        with np.errstate(divide="ignore", invalid="ignore"):
            walls = np.fmax((low - place) / directions, (high - place) / directions)
        return np.asarray(np.fmax(np.nanmin(walls, axis=-1), 0.0))

    def at(directions: Array, distances: Array) -> Array:
        return make_pose(place + directions * distances[..., None], quaternion=attitude)

    def draw(cube: Array) -> Array:
        return make_pose(low + cube * (high - low), quaternion=attitude)

    total = float(np.prod(high - low))
    return Chart(
        "position", centre, _least_kernel(robot, limits, "position"),
        reach, *along_translations(robot, limits, centre), lambda r: r**3 / 3, at, draw, total,
    )  # fmt: skip


def rotations(robot: Robot, limits: Limits, centre: Array) -> Chart:
    """All attitudes at the position of the centre."""
    _check_moves(robot, MOVES[3:], "attitudes")
    if not known_limits(robot, limits.families):
        keys = ", ".join(keys_of(robot).values())
        raise GoughError(
            f"{robot.name}: no leg has a limit that counts; expected some of {keys} in [leg] or "
            "[[legs]] of the robot file"
        )

    def at(directions: Array, distances: Array) -> Array:
        turns = directions * distances[..., None]
        return displace(centre, np.concatenate([np.zeros_like(turns), turns], -1))

    def draw(cube: Array) -> Array:
        return make_pose(centre[:3], quaternion=_even_quaternions(cube))

    return Chart(
        "orientation", centre, _least_kernel(robot, limits, "orientation"),
        lambda directions: np.full(len(directions), np.pi),
        *along_rotations(robot, limits, centre),
        lambda r: 2 * (r - np.sin(r)), at, draw, 8 * np.pi**2,
    )  # fmt: skip


@compiled
def _least_kernel(robot: Robot, limits: Limits, kind: Kind) -> Kernel:
    margins = margin_function(robot, limits)

    def equation(centre: Any, direction: Any, distance: Any) -> Any:
        way, still = distance * direction, ca.DM.zeros(3)
        step = ca.vertcat(way, still) if kind == "position" else ca.vertcat(still, way)
        found = margins(symbolic.displace(centre, step))
        return ca.if_else(ca.sum(found) >= -ca.inf, ca.mmin(found), -1)

    return Kernel.from_equation(
        f"least_margin_by_{kind}",
        equation,
        [POSE, Argument("direction", (3,)), Argument("distance")],
        [Argument("least", (), "1", "the smallest margin; negative where there is no pose")],
        "The smallest margin at a distance from a centre.",
    )


def _even_quaternions(cube: Array) -> Array:
    """Unit quaternions spread evenly over all rotations [Shoemake 1992]."""
    u, v, w = cube[:, 0], 2 * np.pi * cube[:, 1], 2 * np.pi * cube[:, 2]
    a, b = np.sqrt(1 - u), np.sqrt(u)
    return np.stack([b * np.cos(w), a * np.sin(v), a * np.cos(v), b * np.sin(w)], -1)
