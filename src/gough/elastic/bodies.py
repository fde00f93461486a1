"""The bodies of a machine at a pose, each free to move: their masses, and their motion at joints.

Every body has a twist at the base's origin, in base axes; a beam the elastic coordinates of its
reduced finite elements beside that. All of them are one column x: the platform's twist, those of
the other bodies, then the elastic coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.elastic.flexible.craig_bampton import OF_SECTION
from gough.elastic.flexible.link_tree import TOGETHER, Span, masses_at_home, spans_of
from gough.model.mechanism.drawing import Drawing, DrawnJoint, drawn
from gough.model.mechanism.frames import across
from gough.model.mechanism.mass import Mass
from gough.robot import Mechanism
from gough.robot.mechanism import BASE

Frames = dict[str, tuple[Array, Array]]
"""Displacement of each body from home, by name: rotation and origin [m] of a carried base frame."""


@dataclass(frozen=True, eq=False)
class Bodies:
    """All bodies of a machine, whatever its pose."""

    drawing: Drawing
    masses: dict[str, Mass]
    """The platform first, about the base's origin, at home."""
    spans: dict[str, Span]

    @classmethod
    def of(cls, robot: Mechanism) -> Bodies:
        """Return the bodies of a robot, with its beams."""
        return cls(drawn(robot), masses_at_home(robot), spans_of(robot))

    @property
    def twists(self) -> int:
        """Number of coordinates that are components of twists."""
        return 6 * len(self.masses)

    @cached_property
    def places(self) -> dict[str, slice]:
        """Places of the twists, by body."""
        return {name: slice(6 * k, 6 * k + 6) for k, name in enumerate(self.masses)}

    @cached_property
    def elastic(self) -> dict[str, slice]:
        """Places of the elastic coordinates, by beam."""
        found, start = dict[str, slice](), self.twists
        for name, span in self.spans.items():
            found[name] = slice(start, start + len(span.small.names))
            start = found[name].stop
        return found

    @property
    def size(self) -> int:
        """Number of all coordinates."""
        return self.twists + sum(len(span.small.names) for span in self.spans.values())

    def mass_matrix(self, frames: Frames) -> Array:
        """The mass matrix (n, n) [SI]."""
        M = np.zeros((self.size, self.size))
        for name, own in self.places.items():
            M[own, own] = _inertia(self.masses[name].seen_from(*frames[name]))
        for name, own in self.elastic.items():
            (R, near), span = self._beam(name, frames), self.spans[name]
            points = span.small.points
            momentum = points.masses[:, None, None] * points.shapes
            way = R @ momentum.sum(0)
            turn = R @ np.cross(points.places[:, :, None], momentum, axis=1).sum(0)
            mixed = np.vstack([way, np.cross(near[:, None], way, axis=0) + turn])
            M[self.places[name], own], M[own, self.places[name]] = mixed, mixed.T
            M[own, own] = span.small.mass_matrix
        return M

    def stiffness(self) -> Array:
        """Stiffness of the beams (m, m) [SI], by the elastic coordinates alone."""
        return _diagonal([span.small.stiffness for span in self.spans.values()])

    def damping(self) -> Array:
        """Damping of the beams (m, m) [SI], by the elastic coordinates alone."""
        return _diagonal([span.small.damping for span in self.spans.values()])

    def rates(self, joint: DrawnJoint, frames: Frames) -> Array:
        """Relative motion of a joint's second body (6, n): translation and rotation at its centre.

        In the joint's axes, x along its own; rotations of a universal joint are about its two axes,
        and about the direction across both.
        """
        R, p = frames[joint.second if joint.first == BASE else joint.first]
        between, centre = (joint.first, joint.second), p + R @ joint.at
        first, second = (self._motion(body, joint, centre, frames) for body in between)
        x = joint.axes[0] if joint.axes else np.array([1.0, 0.0, 0.0])
        axes = R @ np.column_stack([x, across(x)])
        turning = axes
        if joint.kind.axes > 1:
            ends = zip(between, joint.axes, strict=True)
            a, b = (_axes(body, frames) @ axis for body, axis in ends)
            turning = np.linalg.inv(np.column_stack([a, b, np.cross(a, b)])).T
        moved = second - first
        return np.vstack([axes.T @ moved[:3], turning.T @ moved[3:]])

    def way(self, joint: DrawnJoint, body: str, frames: Frames) -> Array:
        """Motion of a joint's centre (3, n) as a point of a body."""
        R, p = (np.eye(3), np.zeros(3)) if body == BASE else frames[body]
        return self._motion(body, joint, p + R @ joint.at, frames)[:3]

    def line(self, beam: str, frames: Frames) -> tuple[Array, Array]:
        """Points (k, 3) along the undeformed beam, and their motion (k, 3, n)."""
        (R, near), (turned, p), span = self._beam(beam, frames), frames[beam], self.spans[beam]
        points, (_, _, count) = span.small.points, span.small.points.shapes.shape
        sections = points.places.reshape(-1, OF_SECTION, 3).mean(1) @ R.T
        bent = R @ points.shapes.reshape(-1, OF_SECTION, 3, count).mean(1)
        places = np.vstack([near, near + sections, p + turned @ span.far])
        moved = np.zeros((len(places), 3, self.size))
        moved[:, :, self.places[beam]] = carried(places)[:, :3]
        moved[1:, :, self.elastic[beam]] = [*bent, R @ span.small.end[:3]]
        return places, moved

    def _motion(self, body: str, joint: DrawnJoint, centre: Array, frames: Frames) -> Array:
        """Motion of a body at a joint's centre (6, n), base axes."""
        moved = np.zeros((6, self.size))
        if body == BASE:
            return moved
        moved[:, self.places[body]] = carried(centre)
        if body in self.spans and not self._held_by(body, joint):
            (R, _), (turned, p), span = self._beam(body, frames), frames[body], self.spans[body]
            end = np.vstack([R @ span.small.end[:3], R @ span.small.end[3:]])
            moved[:, self.elastic[body]] = carried(centre - p - turned @ span.far) @ end
        return moved

    def _held_by(self, body: str, joint: DrawnJoint) -> bool:
        """Whether a joint is at a beam's near end, which its twist moves."""
        apart = np.linalg.norm(joint.at - self.spans[body].near)
        return bool(apart < TOGETHER * self.drawing.size)

    def _beam(self, body: str, frames: Frames) -> tuple[Array, Array]:
        """A beam's own axes, and the place of its near end."""
        (R, p), span = frames[body], self.spans[body]
        return R @ span.axes, p + R @ span.near


def _diagonal(blocks: list[Array]) -> Array:
    from scipy.linalg import block_diag  # noqa: PLC0415  (slow to import)

    return np.asarray(block_diag(*blocks)) if blocks else np.zeros((0, 0))


def _axes(body: str, frames: Frames) -> Array:
    return np.eye(3) if body == BASE else frames[body][0]


def _inertia(mass: Mass) -> Array:
    """Inertia matrix (6, 6) of a body, for its twist at the origin of its mass properties."""
    ms = carried(mass.ms)[:3, 3:]
    turning = np.trace(mass.sigma) * np.eye(3) - mass.sigma
    return np.block([[float(mass.mass) * np.eye(3), ms], [ms.T, turning]])


def carried(arm: ArrayLike) -> Array:
    """The twist (..., 6, 6) of a point at the end of an arm (..., 3) [m], by that of the other end.

    v + ω × arm, and ω. Its transpose takes a wrench the other way.
    """
    lever = np.asarray(arm, dtype=float)
    found = np.broadcast_to(np.eye(6), (*lever.shape[:-1], 6, 6)).copy()
    found[..., :3, 3:] = -np.cross(np.eye(3), lever[..., None, :])
    return found
