"""Results as an MCAP file of ROS 2: joints, transforms, the machine itself, and every quantity."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from gough._version import __version__
from gough.analysis.results import Results
from gough.arrays import AnyArray, Array
from gough.disk.files import atomic_write
from gough.disk.sources import refuse_others, rendered
from gough.errors import GoughError
from gough.exchange.joint_states import joint_states
from gough.exchange.ros2 import messages
from gough.exchange.ros2.mcap_file import MAGIC, McapFile, Messages
from gough.exchange.ros2.messages import Layout
from gough.exchange.tree.urdf import urdf
from gough.poses import compose
from gough.poses.quaternions import of_euler, of_rotation_vector

START = 10**9  # the stamp of time zero [ns]: at stamp 0 itself `tf` would take "the latest" for it
_CHUNK = 2**22  # about so many bytes are a chunk of the file
_LIBRARY = f"gough {__version__}"
_BEGINNING = 64  # number of bytes from the beginning in which Gough's name occurs


def export_mcap(results: Results, path: str | Path, *, overwrite: bool = False) -> None:
    """Write results of one motion as an MCAP file of ROS 2, which Foxglove opens without ROS.

    `/robot_description` is the machine as URDF, `/joint_states` has all of its joints, passive ones
    too, `/tf` and `/tf_static` its links, and `/gough/NAME` every quantity by its name. Stamps
    are the results' times and one second. An existing file that is not a recording
    of Gough is refused, unless `overwrite`.
    """
    if not isinstance(results, Results):
        raise GoughError(f"{results!r:.80} has no recording; expected the results of one motion")
    path = Path(path)
    if not overwrite:
        refuse_others(path, lambda b: b.startswith(MAGIC) and b"gough " in b, _BEGINNING)
    stamps = START + np.round(results.time * 1e9).astype(np.int64)
    with atomic_write(path) as part, part.open("wb") as stream:
        file = McapFile(stream, profile="ros2", library=_LIBRARY)
        _write(file, list(_topics(results, stamps)))
        file.add_metadata("gough", results.about)
        file.finish()


@dataclass(frozen=True, eq=False)
class _Topic:
    """Messages of one kind, with a stamp each."""

    name: str
    message: str
    stamps: AnyArray
    layout: Layout
    about: dict[str, str] = field(default_factory=dict)

    def between(self, begin: int, end: int, channel: int) -> Messages:
        """Those from one time until before another [ns], as messages of a channel."""
        some = slice(*np.searchsorted(self.stamps, [begin, end]).tolist())
        return Messages(channel, self.stamps[some], self.layout.messages(some))


def _topics(results: Results, stamps: AnyArray) -> Iterator[_Topic]:
    text, latched = urdf(results.robot).text, rendered(__name__, "latched.yaml", {})
    once = {"offered_qos_profiles": latched}  # who comes later gets it, too (transient local)
    yield _Topic("/robot_description", messages.TEXT, stamps[:1], Layout().text(text), once)
    joints = [_joint(joint) for joint in ElementTree.fromstring(text).iter("joint")]
    fixed = [joint for joint in joints if joint.kind == "fixed"]
    links = _transforms(fixed, np.zeros((1, len(fixed))), stamps[:1])
    yield _Topic("/tf_static", messages.TRANSFORMS, stamps[:1], links, once)
    yield from _moving(results, stamps, [joint for joint in joints if joint.kind != "fixed"])
    for quantity in results.quantities.values():
        labels = json.dumps(quantity.columns, ensure_ascii=False)
        about = {"unit": quantity.unit, "description": quantity.meaning, "labels": labels}
        layout = messages.numbers(quantity.values, [axis.name for axis in quantity.axes])
        kind = messages.NUMBERS if quantity.axes else messages.NUMBER
        yield _Topic(f"/gough/{quantity.name}", kind, stamps, layout, about)


def _moving(results: Results, stamps: AnyArray, joints: list[UrdfJoint]) -> Iterator[_Topic]:
    """Joints and links, at all samples at which the machine can be."""
    twist = results.quantities.get("twist")
    states = joint_states(results.robot, results["pose"], None if twist is None else twist.values)
    efforts = np.full_like(states.positions, np.nan)
    efforts[:, states.driven] = results["force"]
    known = np.isfinite(states.positions).all(axis=-1)
    at, positions, turning = stamps[known], states.positions[known], [j.turns for j in joints]
    positions[:, turning] = np.unwrap(positions[:, turning], axis=0)
    speeds = None if states.velocities is None else states.velocities[known]
    state = messages.joint_state(at, states.names, positions, speeds, efforts[known])
    yield _Topic("/joint_states", messages.JOINT_STATE, at, state)
    yield _Topic("/tf", messages.TRANSFORMS, at, _transforms(joints, positions, at))


def _transforms(joints: list[UrdfJoint], positions: Array, stamps: AnyArray) -> Layout:
    poses = np.zeros((len(stamps), len(joints), 7))
    for k, joint in enumerate(joints):
        poses[:, k] = joint.poses(positions[:, k])
    return messages.transforms(stamps, [joint.links for joint in joints], poses)


def _write(file: McapFile, topics: list[_Topic]) -> None:
    """All messages, in chunks that follow each other in time."""
    schemas = {
        name: file.add_schema(name, "ros2msg", messages.definition(name))
        for name in dict.fromkeys(topic.message for topic in topics)
    }
    channels = [
        file.add_channel(topic.name, "cdr", schemas[topic.message], topic.about) for topic in topics
    ]
    stamps = np.unique(np.concatenate([topic.stamps for topic in topics]))
    at_once = max(1, _CHUNK // sum(topic.layout.size for topic in topics))
    for begin, end in pairwise([*stamps[::at_once].tolist(), stamps[-1] + 1]):
        pairs = zip(topics, channels, strict=True)
        file.add_chunk([topic.between(begin, end, channel) for topic, channel in pairs])


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint of a URDF file, between a link and the one that it carries."""

    kind: str
    links: tuple[str, str]
    origin: Array  # (7) where the joint is, as a pose in the first link's frame
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


def _joint(joint: ElementTree.Element) -> UrdfJoint:
    """A joint of a URDF file."""
    inside = {part.tag: part.attrib for part in joint}

    def numbers(tag: str, key: str, otherwise: str) -> Array:
        return np.array(inside.get(tag, {}).get(key, otherwise).split(), float)

    links = inside["parent"]["link"], inside["child"]["link"]
    place, rpy = numbers("origin", "xyz", "0 0 0"), numbers("origin", "rpy", "0 0 0")
    origin = np.concatenate([place, of_euler("xyz", rpy)])
    return UrdfJoint(joint.attrib["type"], links, origin, numbers("axis", "xyz", "1 0 0"))
