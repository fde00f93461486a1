"""Where a URDF puts its links: each in the frame of the one that carries it."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from gough.arrays import Array
from gough.poses import compose
from gough.poses.quaternions import of_euler, of_rotation_vector


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint of a URDF file, between a link and the one that it carries."""

    name: str
    kind: str
    links: tuple[str, str]
    origin: Array
    """(7) where the joint is, as a pose in the first link's frame."""
    axis: Array

    @property
    def turns(self) -> bool:
        """Whether its position is an angle."""
        return self.kind in ("revolute", "continuous")

    def poses(self, positions: Array) -> Array:
        """(T, 7) of the second link in the frame of the first, at positions (T,) [rad, m]."""
        steps, moved = positions[:, None] * self.axis, np.zeros((len(positions), 7))
        moved[:, :3] = 0.0 if self.turns else steps
        moved[:, 3:] = of_rotation_vector(steps) if self.turns else [1.0, 0.0, 0.0, 0.0]
        return compose(self.origin, moved)


def urdf_joints(text: str) -> list[UrdfJoint]:
    """The joints of a URDF file, fixed ones too, in its order."""
    return [_joint(joint) for joint in ElementTree.fromstring(text).iter("joint")]


def _joint(joint: ElementTree.Element) -> UrdfJoint:
    place, turn = (_numbers(joint.find("origin"), key, "0 0 0") for key in ("xyz", "rpy"))
    first, second = (joint.find(end) for end in ("parent", "child"))
    assert first is not None
    assert second is not None
    return UrdfJoint(
        joint.attrib["name"],
        joint.attrib["type"],
        (first.attrib["link"], second.attrib["link"]),
        np.concatenate([place, of_euler("xyz", turn)]),
        _numbers(joint.find("axis"), "xyz", "1 0 0"),
    )


def _numbers(element: ElementTree.Element | None, key: str, otherwise: str) -> Array:
    text = otherwise if element is None else element.get(key, otherwise)
    return np.array([float(number) for number in text.split()])
