"""A leg drawn at home: from the places of its joints follow the axes of joints and links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import InputError
from gough.robot.legs.chain import Chain
from gough.robot.legs.places import CLOSE, needed_axis


@dataclass(frozen=True, eq=False)
class DrawnLeg:
    """A leg whose joints have their places at home, and the directions that follow from these."""

    chain: Chain
    name: str
    """What stands behind the names of its joints and links."""
    places: list[Array]

    def slid(self, k: int) -> bool:
        """Whether a link is behind a slide."""
        return self.chain.joints[k].kind.slides

    def joint_axes(self, k: int) -> tuple[Array, ...]:
        """The axes of a joint: of a universal joint two, of a ball none."""
        joint = self.chain.joints[k]
        if joint.kind.axes > 1:
            return joint.axes or self._universal(k)
        if joint.bar is not None:
            return (_across(self.bars_apart(joint.bar), self.along(joint.bar), joint.key),)
        if joint.kind.slides and joint.axis is None:
            return (self._slide(k),)
        return () if not joint.kind.axes else (needed_axis(self.chain, k),)

    def along(self, k: int) -> Array:
        """Where a link points: along its slide, to its next joint, or along that joint's axis."""
        if self.slid(k):
            return self.joint_axes(k)[0]
        if self._apart(k, k + 1):
            return _unit(self.places[k + 1] - self.places[k])
        following = self.chain.joints[k + 1]
        if not following.kind.axes:
            raise InputError(
                "it points nowhere: its joints are at one place, and the second has no axis",
                key=self.chain.links[k].key,
                expected="a length, or an end",
            )
        if following.kind.axes > 1:
            return following.axes[0] if following.axes else needed_axis(self.chain, k + 1)
        return self.joint_axes(k + 1)[0]

    def link_axes(self, k: int) -> Array:
        """The axes of a link's frame as columns: z along the link, x along axis × z."""
        z = self.along(k)
        sideways = (np.cross(axis, z) for axis in self._axes_before(k))
        x = next(_unit(across) for across in sideways if np.linalg.norm(across) > CLOSE)
        y = np.cross(z, x)
        return np.column_stack([x, -y if self.chain.mirrored else y, z])

    def bars_apart(self, k: int) -> Array:
        """From one bar of a parallelogram to the other."""
        link = self.chain.links[k]
        if link.across is not None:
            return link.across
        for joint in reversed(self.chain.joints[: k + 1]):
            if joint.kind.is_hinged and joint.axis is not None and joint.bar is None:
                return joint.axis
        raise InputError(
            "missing, and there is no hinge before the parallelogram",
            key=f"{link.key}.across",
            expected="a direction in the base frame",
        )

    def _axes_before(self, k: int) -> list[Array]:
        """Axes across a link, perhaps: of the hinges before it, nearest first; else any."""
        turning = [j for j in range(k, -1, -1) if self.chain.joints[j].kind.is_hinged]
        return [*(self.joint_axes(j)[0] for j in turning), *self.chain.any_axes]

    def _universal(self, k: int) -> tuple[Array, Array]:
        """The given axis, and one across it and the link; the last joint's is the platform's."""
        axis, key = needed_axis(self.chain, k), self.chain.joints[k].key
        if k == len(self.chain.links):
            return _across(axis, self.along(k - 1), key), axis
        return axis, _across(axis, self.along(k), key)

    def _slide(self, k: int) -> Array:
        """From a slide to the next joint; of the last one, from the joint before it."""
        for start, end in ((k, k + 1), (k - 1, k)):
            if start >= 0 and end < len(self.places) and self._apart(start, end):
                return _unit(self.places[end] - self.places[start])
        return needed_axis(self.chain, k)

    def _apart(self, start: int, end: int) -> bool:
        return bool(np.linalg.norm(self.places[end] - self.places[start]) > 0.0)


def _across(axis: Array, link: Array, key: str) -> Array:
    across = np.cross(axis, link)
    if np.linalg.norm(across) < 1e-6:
        raise InputError(
            "its axis is parallel to its link at home",
            key=key,
            value=axis.tolist(),
            expected="an axis across the link",
        )
    return _unit(across)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))
