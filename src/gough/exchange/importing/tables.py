"""Robot files of few digits, as printed tables have: joints are changed until the loops close."""

from __future__ import annotations

from typing import cast

import numpy as np

from gough.errors import RobotError
from gough.exchange.importing.elements import closed_by
from gough.exchange.importing.robot_file import numbers
from gough.exchange.importing.rounding import agreeing
from gough.exchange.importing.tree import FileFreedom, FileLink, FileTree, Kind, assembled
from gough.robot import Mechanism, Robot
from gough.robot.home.spanning import spanning_tree
from gough.robot.mechanism import BASE, Joint


def with_closed_loops(robot: Robot) -> tuple[Mechanism, tuple[str, ...]]:
    """Return a mechanism with the minimum change of joints that closes its loops, and notes."""
    plain = isinstance(robot, Mechanism) and not any(j.kind.is_screw for j in robot.joints)
    changed = agreeing(_tree(cast(Mechanism, robot))) if plain else None
    if changed is None:
        expected = "a mechanism whose loops agree to the digits of its numbers alone"
        raise RobotError("a robot file without loops to close", expected=expected)
    home, data = assembled(changed), robot.to_dict()
    joints = {joint["name"]: joint for joint in data["joints"]}
    for owner, freedom in changed.freedoms.items():
        place, (name, number) = home.behind[owner], freedom.name.rsplit("/", 1)
        joints[name]["at"] = numbers((place @ [*freedom.at, 1.0])[:3])
        for key in {"axis", "axes"} & joints[name].keys():
            lines = [*np.atleast_2d(joints[name][key])]
            lines[int(number)] = place[:3, :3] @ freedom.axis
            joints[name][key] = numbers(np.array(lines if key == "axes" else lines[0]))
    data["notes"] = " ".join(filter(None, (data.get("notes"), *changed.assumed)))
    return cast(Mechanism, Robot.from_dict(data)), changed.assumed


def _tree(robot: Mechanism) -> FileTree:
    """The mechanism at home, all links with the frame of the base."""
    links, known, kept = [FileLink(BASE, 0, np.eye(4))], {BASE: 0}, spanning_tree(robot.joints)
    for joint, carrier, body in kept:
        known[body] = len(links)
        links.append(FileLink(body, known[carrier], np.eye(4), _freedoms(joint, carrier)))
    closures = []
    for joint in (j for j in robot.joints if all(j is not branch.joint for branch in kept)):
        ends, same = (known[joint.first], known[joint.second]), (np.eye(4), np.eye(4))
        freedoms = _freedoms(joint, joint.first)
        closures.append(closed_by(joint.name, links, ends, same, freedoms))
    return FileTree(robot.name, robot.gravity, tuple(links), tuple(closures), {}, ())


def _freedoms(joint: Joint, carrier: str) -> tuple[FileFreedom, ...]:
    """Degrees of freedom from a body on, each by its joint's name and the number of its axis."""
    at, lines = np.array(joint.at), [np.array(x) / np.linalg.norm(x) for x in joint.lines]
    steps = joint.kind.steps[:: 1 if carrier == joint.first else -1]
    pairs = [(cast(Kind, step.kind), step.axis) for step in steps]
    lines = lines or [*np.eye(3)]
    return tuple(FileFreedom(f"{joint.name}/{k}", kind, at, lines[k]) for kind, k in pairs)
