"""Displacements of points and beams in the mode shapes, at one pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.elastic.coordinates import LINK, leg_of
from gough.elastic.flexible.link_tree import has_compliant_links
from gough.elastic.link_vibration import posture
from gough.errors import GoughError
from gough.kinematics.freedoms.path_following import followed
from gough.model.structure import structure_of
from gough.plots.shapes import Bar, Shape, shape_of
from gough.robot.mechanism import BASE

if TYPE_CHECKING:
    from gough.elastic.natural_modes import NaturalModes

_TOGETHER = 1e-6
"""Distance below which points coincide, relative to the figure's size."""


@dataclass(frozen=True)
class Swings:
    """A machine displaced in its mode shapes, for figures."""

    found: NaturalModes
    shape: Shape
    ways: Array | None
    """(n, k, 3) displacements of its points in each shape, with compliant links or bearings; None
    where all points follow the platform."""
    lines: dict[str, tuple[Array, Array]]
    """Points (g, 3) [m] along each beam, and their displacements (n, g, 3) in each shape."""

    def points(self, mode: int, factors: Array) -> Array:
        """Its points (f, k, 3) [m] when it is displaced by the shape of a mode times factors."""
        at = self.found.pose
        if self.ways is None:
            steps = np.multiply.outer(factors, self.found.displacements[mode])
            return self.shape.points(followed(self.found.robot, at, steps))
        return np.asarray(self.shape.points(at) + np.multiply.outer(factors, self.ways[mode]))

    def bars(self, mode: int, factor: float) -> list[tuple[Bar, Array]]:
        """Its bars as lines (g, 3) [m]; those from a beam's first joint bend as the beam does."""
        (points,) = self.points(mode, np.array([factor]))
        rest, found = self.shape.points(self.found.pose), []
        for bar in self.shape.bars:
            ends = [bar.start, bar.end]
            line = points[ends]
            if bar.body in self.lines:
                places, ways = self.lines[bar.body]
                apart = np.linalg.norm(rest[ends] - places[0], axis=1).min()
                if apart < _TOGETHER * self.shape.reach:
                    line = places + factor * ways[mode]
            found.append((bar, line))
        return found

    @property
    def largest(self) -> Array:
        """(n) [m] maximum displacement of a joint, a piston or a beam in each shape."""
        found = self.found
        arms = self.shape.points(found.pose)[list(self.shape.platform)] - found.pose[:3]
        way, turn = found.displacements[:, None, :3], found.displacements[:, None, 3:]
        moved = [way + np.cross(turn, arms), *(ways for _, ways in self.lines.values())]
        if self.ways is not None:
            moved.append(self.ways)
        inner = np.abs(found.shapes[:, [leg_of(name) is not None for name in found.coordinates]])
        sizes = [np.linalg.norm(ways, axis=-1) for ways in moved]
        return np.asarray(np.concatenate([*sizes, inner], axis=1).max(axis=1))


def swings(found: NaturalModes) -> Swings:
    """Return the mode shapes of a machine at one pose, for figures."""
    robot = found.robot
    if LINK in found.parts:
        raise GoughError(
            f"{robot.name}: shapes about a state deflected by loads are not plotted; expected "
            "gough.natural_modes(robot), where beams are those of the robot's file"
        )
    if not has_compliant_links(robot):
        return Swings(found, shape_of(robot, found.pose), None, {})
    shape, at = shape_of(robot.with_rigid_links, found.pose), posture(robot, found.pose)
    structure = structure_of(robot.with_rigid_links)
    assert shape.means is not None
    joints = {joint.name: joint for joint in at.bodies.drawing.described.joints}
    x = at.B @ found.shapes[:, : at.B.shape[1]].T
    centers = np.array(
        [
            at.bodies.way(joints[one.joint], _moving(one.bodies), at.frames) @ x
            for one in structure.centers
        ]
    )
    lines = {body: at.bodies.line(body, at.frames) for body in at.bodies.spans}
    return Swings(
        found,
        shape,
        np.einsum("kc,cin->nki", shape.means.weights, centers),
        {body: (places, np.moveaxis(moved @ x, -1, 0)) for body, (places, moved) in lines.items()},
    )


def _moving(bodies: tuple[str, ...]) -> str:
    """One of the bodies that share a point: a moving one if there is one."""
    return next((body for body in bodies if body != BASE), BASE)
