"""The messages of ROS 2 that a recording has: what they consist of, and how they are laid out.

They are in CDR, little endian: laid out once, filled with the numbers of all samples. A number
stands at a multiple of its size, counted from behind the first four bytes, which say how the rest
is written [OMG, DDS-XTypes 1.3, 7.4].
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from gough.arrays import AnyArray, Array
from gough.disk.sources import rendered

_LITTLE_ENDIAN = b"\0\1\0\0"

JOINT_STATE = "sensor_msgs/msg/JointState"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
TEXT = "std_msgs/msg/String"
NUMBER = "std_msgs/msg/Float64"
NUMBERS = "std_msgs/msg/Float64MultiArray"
_BETWEEN = "=" * 80 + "\n"  # line between a message and the next one in it


def definition(name: str) -> str:
    """Return the fields of a message, and of all messages that are in it."""
    listed = rendered(__name__, "messages.msg", {}).split(_BETWEEN)
    fields = dict(text.removeprefix("MSG: ").split("\n", 1) for text in listed)
    parts = [name]
    for part in parts:  # which grow on the way
        kinds = re.findall(r"[\w/]+(?=(?:\[\])? )", fields[part])
        parts += [kind for kind in kinds if kind in fields and kind not in parts]
    return _BETWEEN.join([fields[name], *(f"MSG: {part}\n{fields[part]}" for part in parts[1:])])


def joint_state(
    stamps: AnyArray, names: Sequence[str], positions: Array, speeds: Array | None, efforts: Array
) -> Layout:
    """sensor_msgs/msg/JointState: stamps (T,) [ns], and columns (T, joints)."""
    layout = Layout().stamp(stamps).text("").count(len(names))
    for name in names:
        layout.text(name)
    return layout.sequence(positions).sequence(speeds).sequence(efforts)


def transforms(stamps: AnyArray, links: Sequence[tuple[str, str]], poses: Array) -> Layout:
    """tf2_msgs/msg/TFMessage: poses (T, n, 7) of links in the frames of others, (parent, child)."""
    layout = Layout().count(len(links))
    for k, (parent, child) in enumerate(links):
        place, (w, *v) = poses[:, k, :3], (3, 4, 5, 6)
        layout.stamp(stamps).text(parent).text(child)
        layout.numbers(place).numbers(poses[:, k, [*v, w]])
    return layout


def numbers(values: Array, axes: Sequence[str]) -> Layout:
    """std_msgs/msg/Float64 (T,), or Float64MultiArray (T, …) with the names of its axes."""
    flat = values.reshape(len(values), -1)
    if not axes:
        return Layout().numbers(flat)
    layout, stride = Layout().count(len(axes)), flat.shape[1]
    for axis, size in zip(axes, values.shape[1:], strict=True):
        layout.text(axis).count(size).count(stride)
        stride //= max(size, 1)
    return layout.count(0).sequence(flat)


class Layout:
    """A message whose texts and lengths stay while its numbers change from sample to sample."""

    def __init__(self) -> None:
        self._body = bytearray()
        self._columns: list[tuple[int, AnyArray]] = []

    def count(self, value: int) -> Layout:
        """An unsigned whole number, such as the length of what follows."""
        self._align(4)
        self._body += value.to_bytes(4, "little")
        return self

    def text(self, text: str) -> Layout:
        """A text, with its length before it and a zero behind it."""
        content = text.encode() + b"\0"
        self.count(len(content))
        self._body += content
        return self

    def numbers(self, values: Array) -> Layout:
        """Numbers of each sample (T, n), one after the other."""
        return self._column(np.ascontiguousarray(values, "<f8"))

    def sequence(self, values: Array | None) -> Layout:
        """Append them with their number before them; an empty sequence if None."""
        self.count(0 if values is None else values.shape[1])
        return self if values is None else self.numbers(values)

    def stamp(self, nanoseconds: AnyArray) -> Layout:
        """The time of each sample (T,) [ns]: seconds, and nanoseconds beyond them."""
        parts = np.stack(np.divmod(nanoseconds, 10**9), axis=-1)
        return self._column(np.ascontiguousarray(parts, "<i4"))

    @property
    def size(self) -> int:
        """Number of bytes of a message."""
        return len(_LITTLE_ENDIAN) + len(self._body)

    def messages(self, samples: slice) -> AnyArray:
        """The messages of some of the samples, bytes (n, size)."""
        message = np.frombuffer(_LITTLE_ENDIAN + self._body, np.uint8)
        filled = np.tile(message, (samples.stop - samples.start, 1))
        for place, column in self._columns:
            rows, begin = column[samples].view(np.uint8), len(_LITTLE_ENDIAN) + place
            filled[:, begin : begin + rows.shape[1]] = rows
        return filled

    def _column(self, values: AnyArray) -> Layout:
        if values.shape[1]:
            self._align(values.itemsize)
            self._columns.append((len(self._body), values))
            self._body += bytes(values.itemsize * values.shape[1])
        return self

    def _align(self, size: int) -> None:
        self._body += bytes(-len(self._body) % size)
