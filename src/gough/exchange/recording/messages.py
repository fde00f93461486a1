"""The messages of ROS 2 that a recording has: what they consist of, and how they are laid out."""

from __future__ import annotations

from collections.abc import Sequence

from gough.arrays import AnyArray, Array
from gough.exchange.recording.cdr import Layout

_TIME = """
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
_HEADER = """
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
"""
JOINT_STATE = "sensor_msgs/msg/JointState"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
TEXT = "std_msgs/msg/String"
NUMBER = "std_msgs/msg/Float64"
NUMBERS = "std_msgs/msg/Float64MultiArray"
_PARTS: dict[str, tuple[str, ...]] = {
    JOINT_STATE: (
        """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
""",
        _HEADER,
        _TIME,
    ),
    TRANSFORMS: (
        "geometry_msgs/TransformStamped[] transforms\n",
        """
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
""",
        """
MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
""",
        """
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
""",
        """
MSG: geometry_msgs/Quaternion
float64 x 0
float64 y 0
float64 z 0
float64 w 1
""",
        _HEADER,
        _TIME,
    ),
    TEXT: ("string data\n",),
    NUMBER: ("float64 data\n",),
    NUMBERS: (
        """std_msgs/MultiArrayLayout layout
float64[] data
""",
        """
MSG: std_msgs/MultiArrayLayout
std_msgs/MultiArrayDimension[] dim
uint32 data_offset
""",
        """
MSG: std_msgs/MultiArrayDimension
string label
uint32 size
uint32 stride
""",
    ),
}
DEFINITIONS = {name: ("=" * 80).join(parts) for name, parts in _PARTS.items()}
"""By the names of messages: what they, and all that is in them, consist of."""


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
