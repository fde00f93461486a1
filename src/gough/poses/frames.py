"""A work frame and a tool: user coordinates, of a tool in a chosen frame.

Makers of hexapods call the tool's origin the pivot point: rotations are about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.display.brief import Brief
from gough.errors import GoughError
from gough.poses.algebra import compose, inverse, joined, parts, relative
from gough.poses.given import check_batches, finite_or_none
from gough.poses.quaternions import conjugate, rotated

NOWHERE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
"""The identity pose, of a frame that coincides with the base's or the platform's."""


@dataclass(frozen=True, init=False, repr=False)
class Frames(Brief):
    """A work frame, by its pose in the base, and a tool, by its pose on the platform.

    Methods `tool_…` transform values of the platform, in the base, to those of the tool, in the
    work frame: velocities, accelerations and moments are then those at the tool's origin, on axes
    of the work frame. Methods `platform_…` transform them back. All are exact and take batches.

    >>> drill = Frames(tool=[0, 0, 0.2, 1, 0, 0, 0])
    >>> drill.tool_pose([0, 0, 1, 1, 0, 0, 0]).tolist()
    [0.0, 0.0, 1.2, 1.0, 0.0, 0.0, 0.0]
    """

    work: tuple[float, ...]
    tool: tuple[float, ...]

    def __init__(self, work: ArrayLike = NOWHERE, tool: ArrayLike = NOWHERE) -> None:
        for name, pose in (("work", work), ("tool", tool)):
            place, attitude = parts(pose, name)  # of length one
            if place.ndim != 1 or not np.isfinite(place).all():
                expected = "one pose of 7 finite numbers"
                raise GoughError(f"{name} has shape {np.shape(pose)}; expected {expected}")
            object.__setattr__(self, name, (*place.tolist(), *attitude.tolist()))

    def tool_pose(self, pose: ArrayLike) -> Array:
        """The tool's pose (..., 7) in the work frame, from the platform's in the base."""
        return compose(relative(self.work, pose), self.tool)

    def tool_twist(self, pose: ArrayLike, twist: ArrayLike) -> Array:
        """The tool's twist (..., 6) [m/s, rad/s], from the platform's pose and twist."""
        arm, (v, omega) = self._arm(pose, twist=twist)
        return self._on_work_axes(v + np.cross(omega, arm), omega)

    def tool_acceleration(
        self, pose: ArrayLike, twist: ArrayLike, acceleration: ArrayLike
    ) -> Array:
        """The tool's acceleration (..., 6) [m/s^2, rad/s^2], from the platform's motion."""
        arm, (_, omega), (a, alpha) = self._arm(pose, twist=twist, acceleration=acceleration)
        inwards = np.cross(omega, np.cross(omega, arm))
        return self._on_work_axes(a + np.cross(alpha, arm) + inwards, alpha)

    def tool_wrench(self, pose: ArrayLike, wrench: ArrayLike) -> Array:
        """The wrench (..., 6) [N, N m] about the tool's origin, from one at the platform's pose.

        The given one is about the platform's origin, on base axes.
        """
        arm, (force, moment) = self._arm(pose, wrench=wrench)
        return self._on_work_axes(force, moment - np.cross(arm, force))

    def platform_pose(self, pose: ArrayLike) -> Array:
        """The platform's pose (..., 7) in the base, from the tool's in the work frame."""
        return self._back.tool_pose(pose)

    def platform_twist(self, pose: ArrayLike, twist: ArrayLike) -> Array:
        """The platform's twist (..., 6) [m/s, rad/s], from the tool's pose and twist."""
        return self._back.tool_twist(pose, twist)

    def platform_acceleration(
        self, pose: ArrayLike, twist: ArrayLike, acceleration: ArrayLike
    ) -> Array:
        """The platform's acceleration (..., 6) [m/s^2, rad/s^2], from the tool's motion."""
        return self._back.tool_acceleration(pose, twist, acceleration)

    def platform_wrench(self, pose: ArrayLike, wrench: ArrayLike) -> Array:
        """The wrench (..., 6) [N, N m] about the platform's origin, from one at the tool's pose.

        The given one is about the tool's origin, on axes of the work frame.
        """
        return self._back.tool_wrench(pose, wrench)

    @cached_property
    def _back(self) -> Frames:
        """Inverse frames: of the platform on the tool, and of the base in the work frame."""
        return Frames(inverse(self.work), inverse(self.tool))

    def _arm(self, pose: ArrayLike, **halves: Any) -> tuple[Any, ...]:
        """From the platform's origin to the tool's [m], base axes; and vectors of six in halves."""
        _, attitude = parts(pose, "pose")
        rows = {name: finite_or_none(value, name, 6) for name, value in halves.items()}
        shapes = {name: array.shape[:-1] for name, array in rows.items()}
        check_batches(pose=attitude.shape[:-1], **shapes)
        arm = rotated(attitude, np.array(self.tool[:3]))
        return arm, *((array[..., :3], array[..., 3:]) for array in rows.values())

    def _on_work_axes(self, first: Array, second: Array) -> Array:
        back = conjugate(np.array(self.work[3:]))
        return joined(rotated(back, first), rotated(back, second))
