"""Families of poses around a centre: translations, rotations, or one other degree of freedom.

A chart gives the poses along rays from the centre, and the maximum length of rays. Its directions
are in the machine's degrees of freedom: three numbers where it moves in x, y, z, two where it moves
in a plane, one for a degree of freedom alone. The others stay, and dependent coordinates follow.
Rotations are about axes through a pivot, by default the platform's origin, that are fixed in the
base; distance is the angle.

A chart of two or three degrees of freedom has a volume or an area. The volume of rotations is the
invariant one, which for small angles is that of the rotation vector [rad³]; all have 8π².
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise, product
from typing import Literal

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import about as step_about
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import closed_poses, has_constant_basis
from gough.kinematics.freedoms.path_following import followed, followed_to, path_following
from gough.kinematics.size import joints_of
from gough.kinematics.workspace.ray_crossings import Crossings, along_rotations, along_translations
from gough.kinematics.workspace.reach import Limits, margins_function
from gough.kinematics.workspace.stated_limits import stated_limits
from gough.model import Machines, machine_of, structure_of
from gough.model.definition import POSE
from gough.model.mechanism.kept import findings
from gough.poses import Frames, inverse, transform
from gough.poses import pose as make_pose
from gough.poses.algebra import about
from gough.poses.given import check_quaternions, finite
from gough.poses.quaternions import rotated, unit
from gough.robot import BASE, MOVES, PLATFORM, HomeConfiguration, HomeJoint, Mechanism, Robot

Axes = tuple[tuple[str, ...], Array]
"""Names of d axes; (d, 6) translation of the pivot and rotation for one unit of each, base axes."""

NO_POSE = np.nextafter(-1.0, -2.0)
"""The minimum margin where there is no pose: no other margin has this last digit but by chance."""
_SAME = 1e-9
"""Part of an axis that counts as zero."""
Kind = Literal["position", "orientation"]


@dataclass(frozen=True)
class Chart:
    """Poses around a centre, by direction and distance, along d degrees of freedom of a machine."""

    robot: Robot
    limits: Limits
    centre: Array
    """(7) the pose at distance zero."""
    degrees_of_freedom: tuple[str, ...]
    """Their names."""
    basis: Array
    """(d, 6) translation of the pivot and rotation for one unit of each, in base axes."""
    pivot: tuple[float, ...] = (0.0, 0.0, 0.0)
    """(3) the point of the platform [m] that translates, and about which it rotates."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @property
    def kind(self) -> Kind:
        """Positions, or orientations."""
        return "position" if self.basis[:, :3].any() else "orientation"

    @property
    def unit(self) -> str:
        """The unit of distances; that of volumes is its cube."""
        return "m" if self.kind == "position" else "rad"

    @property
    def start(self) -> Array:
        """(d) the centre in its coordinates: a position, or zero rotation."""
        return self.basis[:, :3] @ self.centre[:3]

    def radial(self, distance: Array) -> Array:
        """Volume or area per angle along a ray up to a distance."""
        d = len(self.degrees_of_freedom)
        if self.kind == "orientation" and d == 3:
            return np.asarray(2 * (distance - np.sin(distance)))
        return np.asarray(distance**d / d)

    def reach(self, directions: Array) -> Array:
        """Return the distances (n) at which rays (n, d) leave the box, or reach half a turn."""
        steps = directions @ self.basis
        with np.errstate(divide="ignore", invalid="ignore"):
            walls = np.fmax(*((wall - self.centre[:3]) / steps[:, :3] for wall in self._box))
            half_turn = np.pi / np.linalg.norm(steps[:, 3:], axis=-1)
        return np.asarray(np.fmax(np.fmin(np.nanmin(walls, axis=-1), half_turn), 0.0))

    def least(self, steps: Array, distances: Array) -> Array:
        """Return minimum margins (...) at `directions @ basis` (..., 6) and distances (...)."""
        return np.asarray(self._kernel(self.centre, self.pivot, steps, distances), dtype=float)

    @cached_property
    def ends_once(self) -> bool:
        """Whether there is no pose on a ray beyond the first place without one.

        Legs that iterate follow their branch straight from home, and find none where it ends on the
        way. Those in closed form may have a gap, and so may platforms with coordinates that follow
        from others: their way from home is no ray.
        """
        if not isinstance(self.robot, Mechanism) or not findings(self.robot).iterates:
            return False
        machine, away = machine_of(self.robot), np.abs(self.centre - self.robot.home).max()
        straight = away < _SAME and machine.freedom.T is not None
        return straight and all(leg.iterated for leg in machine.legs)

    def at(self, directions: Array, distances: Array) -> Array:
        """Return poses (..., 7) at directions (..., d) and distances (...)."""
        steps = directions @ self.basis * distances[..., None]
        return followed(self.robot, self.centre, about(self.pivot, self.centre, steps))

    def crossings(self, directions: Array, reaches: Array) -> Array:
        """Return distances (n, k) up to the maximum ones (n) at which limits may change."""
        steps = directions @ self.basis
        crossings, _ = self._crossings
        return crossings(steps[:, :3] if self.kind == "position" else steps[:, 3:], reaches)

    @property
    def complete(self) -> bool:
        """Whether the crossings are those of all limits."""
        return self._crossings[1]

    @property
    def ranges(self) -> tuple[Array, Array]:
        """The minimum and maximum (d) of the coordinates of all positions to search."""
        corners = np.array(list(product(*zip(*self._box, strict=True)))) @ self.basis[:, :3].T
        return corners.min(0), corners.max(0)

    def draw(self, cube: Array) -> Array:
        """Return poses (n, 7) of points of the unit cube (n, d), evenly distributed."""
        if self.kind == "orientation":
            u, v, w = cube[:, 0], 2 * np.pi * cube[:, 1], 2 * np.pi * cube[:, 2]
            a, b = np.sqrt(1 - u), np.sqrt(u)  # even over all rotations [Shoemake 1992]
            even = np.stack([b * np.cos(w), a * np.sin(v), a * np.cos(v), b * np.sin(w)], -1)
            drawn = make_pose(self.centre[:3], quaternion=even)
        else:
            low, high = self.ranges
            moved = (low + cube * (high - low) - self.start) @ self.basis[:, :3]
            drawn = make_pose(self.centre[:3] + moved, quaternion=self.centre[3:])
        return followed_to(self.robot, self.centre, drawn)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """Box of the positions: infinite, if it only rotates."""
        if self.kind == "orientation":
            return np.full(3, -np.inf), np.full(3, np.inf)
        turns = bool(self.basis[:, 3:].any()) or not has_constant_basis(self.robot)
        return box_to_search(self.robot, self.limits, self.centre, turns)

    @cached_property
    def _crossings(self) -> tuple[Crossings, bool]:
        if not self.robot.extensible_legs:  # none known: rays are evaluated in equal steps
            return lambda directions, _: np.empty((len(directions), 0)), False
        if self.kind == "position":
            return along_translations(self.robot, self.limits, self.centre)
        return along_rotations(self.robot, self.limits, self.centre, np.array(self.pivot))

    @cached_property
    def _kernel(self) -> Kernel:
        return _least_kernel(self.robot, self.limits)


def centre_of(robot: Robot, pose: ArrayLike | None) -> Array:
    """Return the central pose (7): the one given, or home, as a possible pose.

    Its quaternion, of any length but zero, becomes one of unit length.
    """
    centre = finite(robot.home if pose is None else pose, "pose", 7)
    if centre.shape != (7,):
        raise GoughError(f"pose has shape {centre.shape}; expected seven finite numbers")
    check_quaternions(centre[3:])
    centre[3:] = unit(centre[3:])
    possible, _ = closed_poses(robot, centre)
    return possible if np.isfinite(possible).all() else centre


def charts(
    robot: Robot, limits: Limits, centre: Array, frames: Frames | None = None
) -> list[Chart]:
    """Return charts of all degrees of freedom: translations, rotations, each that is both.

    With frames, of the axes of the work frame along or about which the machine can move its tool.
    """
    if frames is not None:
        axes = axes_in(robot, centre, frames)
        return [Chart(robot, limits, centre, *group, frames.tool[:3]) for group in axes]
    ways, turns = translating(robot), turning(robot)
    others = [[k] for k in range(len(robot.freedom_rows)) if k not in (*ways, *turns)]
    groups = (group for group in (ways, turns, *others) if group)
    return [Chart(robot, limits, centre, *own_axes(robot, group)) for group in groups]


def translating(robot: Robot) -> list[int]:
    """Return the numbers of the degrees of freedom that are translations."""
    return [k for k, row in enumerate(robot.freedom_rows) if not row[3:].any()]


def turning(robot: Robot) -> list[int]:
    """Return the numbers of the degrees of freedom that are rotations."""
    return [k for k, row in enumerate(robot.freedom_rows) if not row[:3].any()]


def own_axes(robot: Robot, numbers: list[int] | None = None) -> Axes:
    """Return the axes of all degrees of freedom of a machine, or of some."""
    names, steps = structure_of(robot).degrees_of_freedom, np.linalg.pinv(robot.freedom_rows).T
    chosen = list(range(len(names))) if numbers is None else numbers
    return tuple(names[k] for k in chosen), np.asarray(steps[chosen], dtype=float)


@compiled
def _least_kernel(robot: Robot, limits: Limits) -> Kernel:
    stated, after = stated_limits(robot, limits.families), path_following(robot)
    margins = margins_function(Machines(robot), stated, limits)

    def equation(centre: Value, pivot: Value, direction: Value, distance: Value) -> Value:
        found = margins(after(centre, step_about(pivot, centre, distance * direction)))
        return ca.if_else(ca.sum(found) >= -ca.inf, ca.mmin(found), NO_POSE)

    pivot = Argument("pivot", (3,), "m", "a point of the platform")
    along = Argument("direction", (6,), "", "translation of the pivot, and rotation, base axes")
    least = Argument("least", (), "1", "the minimum margin; negative where there is no pose")
    inputs = [POSE, pivot, along, Argument("distance")]
    doc = "The minimum margin at a distance from a centre."
    return Kernel.from_equation("least_margin", equation, inputs, [least], doc)


def axes_in(robot: Robot, centre: Array, frames: Frames) -> list[Axes]:
    """Return axes of a work frame along which the tool can move from a centre, or rotate about.

    A hexapod has all six. A Delta moves along the axes of any work frame; a planar machine along
    those that lie in its plane, and it rotates about an axis across that, wherever the tool is.
    """
    if any(frames.tool[:3]) and not has_constant_basis(robot):
        raise GoughError(
            f"{robot.name}: its degrees of freedom change with its pose, so a tool beside the "
            f"platform's origin does not stay on an axis; got a tool at {list(frames.tool[:3])} m, "
            "expected one at [0, 0, 0]"
        )
    turn = rotated(np.array(frames.work[3:]), np.eye(3))
    steps = np.asarray(np.kron(np.eye(2), turn), dtype=float)
    arm = rotated(unit(centre[3:]), np.array(frames.tool[:3]))
    of_origin = np.hstack([steps[:, :3] - np.cross(steps[:, 3:], arm), steps[:, 3:]])
    lacking = np.abs(of_origin @ impossible_part(robot).T).max(1)
    possible = [k for k in range(len(MOVES)) if lacking[k] < _SAME]
    if not possible:
        free = ", ".join(structure_of(robot).degrees_of_freedom)
        raise GoughError(
            f"{robot.name} moves in {free}: along no axis of this work frame, and about none "
            "through this tool; expected axes parallel to its own, or a tool at the platform's "
            "origin"
        )
    groups = ([k for k in possible if k < 3], [k for k in possible if k >= 3])
    return [(tuple(MOVES[k] for k in group), steps[group]) for group in groups if group]


def impossible_part(robot: Robot) -> Array:
    """Return the matrix (6, 6) from a small step of the platform to its impossible part."""
    rows = robot.freedom_rows
    return np.asarray(np.eye(len(MOVES)) - np.linalg.pinv(rows) @ rows)


def box_to_search(robot: Robot, limits: Limits, centre: Array, turns: bool) -> tuple[Array, Array]:
    """Return the box of positions to search: that of the longest legs, or one around the centre.

    The first is the intersection of the boxes around the spheres on which the legs are longest, at
    the centre's orientation or, if the platform `turns`, at every one. GoughError if it is empty.
    """
    if not is_bounded(robot, limits):
        far = 2 * farthest_foot(robot)
        return centre[:3] - far, centre[:3] + far
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    for foot, wrist, longest in _longest_legs(robot):
        middle = foot if turns else centre[:3] - transform(centre, wrist) + foot
        reach = longest + np.linalg.norm(wrist) if turns else longest
        low, high = np.maximum(low, middle - reach), np.minimum(high, middle + reach)
    if not (low <= high).all():
        raise GoughError(
            f"{robot.name}: no position is reachable with the orientation {centre[3:].tolist()}: "
            "the longest strokes have no position in common"
        )
    return low, high


def is_bounded(robot: Robot, limits: Limits) -> bool:
    """Whether there is a leg with a maximum length among the limits that count."""
    counts = "stroke" in limits.families or not robot.has_extensible_legs
    return counts and next(_longest_legs(robot), None) is not None


def farthest_foot(robot: Robot) -> float:
    """Return the maximum distance of a joint of the base from its origin [m]."""
    return float(np.linalg.norm(joints_of(robot, BASE), axis=-1).max())


def _longest_legs(robot: Robot) -> Iterator[tuple[Array, Array, float]]:
    """Yield ends, in base and platform frame, and maximum length [m] of each limited leg."""
    if legs := robot.extensible_legs:  # whose slides only extend them
        for leg in legs:
            if leg.stroke is not None:
                yield np.array(leg.base), np.array(leg.platform), leg.stroke[1]
        return
    for chain in _chains(robot.bodies_and_joints):
        places = [np.array(joint.at) for joint in chain]
        links = (float(np.linalg.norm(b - a)) for a, b in pairwise(places))
        length = sum(links) + sum(map(_travel, chain))
        if np.isfinite(length):
            yield places[0], transform(inverse(robot.home), places[-1]), length


def _chains(home: HomeConfiguration) -> Iterator[list[HomeJoint]]:
    """Yield the shortest chain of joints to the platform for each joint at the base."""
    for first in (joint for joint in home.joints if joint.joins(BASE)):
        waiting, seen = [([first], first.beyond(BASE))], {BASE}
        while waiting:
            chain, body = waiting.pop(0)
            if body == PLATFORM:
                yield chain
                break
            seen.add(body)
            onwards = [j for j in home.joints if j.joins(body) and j.beyond(body) not in seen]
            waiting += [([*chain, j], j.beyond(body)) for j in onwards if j not in chain]


def _travel(joint: HomeJoint) -> float:
    """Maximum extension of a leg by a joint, from home [m]."""
    if not joint.kind.slides:
        return 0.0
    travel = joint.travel[-1].from_home if joint.travel else None
    return np.inf if travel is None else max(map(abs, travel)) * (abs(joint.lead) or 1.0)
