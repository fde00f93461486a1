"""Displacements of points and beams in the mode shapes, at one pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.elastic.kernels import LINK, leg_of
from gough.elastic.link_vibration import motions_at
from gough.errors import GoughError
from gough.kinematics.freedoms.path_following import followed
from gough.model.structure import structure_of
from gough.plots.shapes import Bar, Shape, shape_of, with_springs
from gough.robot import BASE, PLATFORM

if TYPE_CHECKING:
    from gough.elastic.natural_modes import NaturalModes

_TOGETHER = 1e-6  # distance below which points coincide, relative to the figure's size


@dataclass(frozen=True)
class ModeShapes:
    """A machine displaced in its mode shapes, for figures."""

    found: NaturalModes
    shape: Shape
    shifts: Array | None
    """(n, k, 3) displacements of its points in each shape, with compliant links or bearings; None
    where all points follow the platform."""
    lines: dict[str, tuple[Array, Array]]
    """Points (g, 3) [m] along each beam, and their displacements (n, g, 3) in each shape."""

    def points(self, mode: int, factors: Array) -> Array:
        """Its points (f, k, 3) [m] when it is displaced by the shape of a mode times factors."""
        at = self.found.pose
        if self.shifts is None:
            steps = np.multiply.outer(factors, self.found.displacements[mode])
            return self.shape.points(followed(self.found.robot, at, steps))
        return np.asarray(self.shape.points(at) + np.multiply.outer(factors, self.shifts[mode]))

    def bars(self, mode: int, factor: float) -> list[tuple[Bar, Array]]:
        """Its bars as lines (g, 3) [m]; those from a beam's first joint bend as the beam does."""
        (points,) = self.points(mode, np.array([factor]))
        rest, found = self.shape.points(self.found.pose), []
        for bar in self.shape.bars:
            ends = [bar.start, bar.end]
            line = points[ends]
            if {bar.body, bar.sleeve_of} <= self.lines.keys():  # a telescope
                (first, moved), (places, shifts) = self.lines[bar.sleeve_of], self.lines[bar.body]
                outside = (first - places[0]) @ (places[-1] - first[0]) < 0
                before = first[outside] + factor * moved[mode][outside]
                line = np.vstack([before, places + factor * shifts[mode]])
            elif bar.body in self.lines:
                places, shifts = self.lines[bar.body]
                apart = np.linalg.norm(rest[ends] - places[0], axis=1).min()
                if apart < _TOGETHER * self.shape.reach:
                    line = places + factor * shifts[mode]
            found.append((bar, line))
        return found

    @property
    def largest(self) -> Array:
        """(n) [m] maximum displacement of a joint, a piston or a beam in each shape."""
        found = self.found
        arms = self.shape.points(found.pose)[list(self.shape.platform)] - found.pose[:3]
        along, about = found.displacements[:, None, :3], found.displacements[:, None, 3:]
        moved = [along + np.cross(about, arms), *(shifts for _, shifts in self.lines.values())]
        if self.shifts is not None:
            moved.append(self.shifts)
        inner = np.abs(found.shapes[:, [leg_of(name) is not None for name in found.coordinates]])
        sizes = [np.linalg.norm(shifts, axis=-1) for shifts in moved]
        return np.asarray(np.concatenate([*sizes, inner], axis=1).max(axis=1))


def mode_shapes_of(found: NaturalModes) -> ModeShapes:
    """Return the mode shapes of a machine at one pose, for figures."""
    robot = found.robot
    if LINK in found.parts:
        raise GoughError(
            f"{robot.name}: shapes about a state deflected by loads are not plotted; expected "
            "gough.natural_modes(robot), where beams are those of the robot's file"
        )
    if not robot.has_compliant_links:
        return ModeShapes(found, with_springs(robot, shape_of(robot, found.pose)), None, {})
    shape, (at,) = shape_of(robot.with_rigid_links, found.pose), motions_at(robot, found.pose[None])
    joints = {joint.name: joint for joint in at.bodies.drawing.described.joints}
    x = at.B @ found.shapes[:, : at.B.shape[1]].T
    if shape.means is None:  # joints of a hexapod's base, then those of its platform
        pairs = [(joint, BASE) for joint in joints.values() if joint.joins(BASE)]
        pairs += [(joint, PLATFORM) for joint in joints.values() if joint.joins(PLATFORM)]
    else:
        centers = structure_of(robot.with_rigid_links).centers
        moving = (next((body for body in one.bodies if body != BASE), BASE) for one in centers)
        pairs = [(joints[one.joint], body) for one, body in zip(centers, moving, strict=True)]
    moved = [at.bodies.centre_motion(joint, body, at.frames) @ x for joint, body in pairs]
    weights = np.eye(len(moved)) if shape.means is None else shape.means.weights
    lines = {body: at.bodies.line(body, at.frames) for body in at.bodies.spans}
    return ModeShapes(
        found,
        shape,
        np.einsum("kc,cin->nki", weights, moved),
        {body: (places, np.moveaxis(moved @ x, -1, 0)) for body, (places, moved) in lines.items()},
    )
