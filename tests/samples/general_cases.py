"""The reference machines of tests/data/general, as descriptions that Gough reads."""

import json
from functools import cache
from pathlib import Path

import numpy as np
from drawings import Body, Joint, Mechanism, Platform

FOLDER = Path(__file__).parents[1] / "data" / "general"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


@cache
def case(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


@cache
def mechanism(name):
    """Draw a reference machine at home: where its spanning tree puts everything."""
    data = case(name)["machine"]
    frames = _frames_at_home(data)
    bodies = {body["name"]: body for body in data["bodies"]}
    platform = bodies.pop(data["platform"])
    R, p = frames[data["platform"]]
    return Mechanism(
        name=data["name"],
        gravity=tuple(data["gravity"]),
        platform=Platform(
            mass=platform["mass"],
            center_of_mass=tuple(platform["com"]),
            inertia=_tuples(platform["inertia"]),
            position=tuple(p),
            quaternion=tuple(_quaternion(R)),
            moves=tuple(map(tuple, data["reduced"])),
        ),
        bodies=tuple(_body(body, *frames[name]) for name, body in bodies.items()),
        joints=tuple(_joint(joint, frames, data["platform"]) for joint in data["joints"]),
    )


def _body(body, R, p):
    center = R @ body["com"] + p
    inertia = R @ np.array(body["inertia"]) @ R.T
    return Body(body["name"], body["mass"], tuple(center), _tuples((inertia + inertia.T) / 2))


def _joint(joint, frames, platform):
    R, p = frames[joint["parent"]]
    at, axes = p + R @ joint["parent_frame"]["p"], R @ np.array(joint["parent_frame"]["R"])
    R_child, _ = frames[joint["child"]]
    child_axes = R_child @ np.array(joint["child_frame"]["R"])
    drawn = {"R": [axes[:, 2]], "P": [axes[:, 2]], "U": [axes[:, 0], child_axes[:, 1]], "S": []}
    home = joint["home"]
    return Joint(
        joint["name"],
        joint["type"],
        tuple("platform" if b == platform else b for b in (joint["parent"], joint["child"])),
        tuple(at),
        tuple(map(tuple, drawn[joint["type"]])),
        joint["actuated"],
        home if isinstance(home, float) else 0.0,
    )


def _frames_at_home(data):
    frames = {"base": (np.eye(3), np.zeros(3))}
    for joint in (j for j in data["joints"] if not j["loop"]):
        R, p = frames[joint["parent"]]
        parent, child = joint["parent_frame"], joint["child_frame"]
        turn, slide = _at_home(joint["type"], joint["home"])
        R_joint = R @ np.array(parent["R"])
        R_child = R_joint @ turn @ np.array(child["R"]).T
        frames[joint["child"]] = (
            R_child,
            p + R @ parent["p"] + R_joint @ slide - R_child @ child["p"],
        )
    return frames


def _at_home(kind, home):
    if kind == "P":
        return np.eye(3), np.array([0, 0, home])
    if kind == "S":
        return _rotation(home), np.zeros(3)
    if kind == "U":
        return _about("x", home[0]) @ _about("y", home[1]), np.zeros(3)
    return _about("z", home), np.zeros(3)


def _about(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    shift = {"x": 0, "y": 1, "z": 2}[axis]
    return np.roll(np.roll(R, shift, 0), shift, 1)


def _rotation(q):
    w, v = q[0], np.array(q[1:])
    hat = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * hat + 2 * hat @ hat


def _quaternion(R):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return w, x, y, z


def _tuples(matrix):
    return tuple(tuple(float(x) for x in row) for row in matrix)
