"""Robot files of few digits, as printed tables have: joints are changed until the loops close."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from gough.errors import RobotError
from gough.exchange.importing.elements import closed_by
from gough.exchange.importing.robot_file import numbers
from gough.exchange.importing.rounding import agreeing
from gough.exchange.importing.tree import (
    ROUNDED,
    FileCoupling,
    FileFreedom,
    FileLink,
    FileTree,
    Kind,
    assembled,
    drawn,
    placed,
)
from gough.model.mechanism import analysed
from gough.robot import BASE, Joint, Mechanism, Robot, spanning_tree


def with_closed_loops(robot: Robot) -> tuple[Mechanism, tuple[str, ...]]:
    """Return a mechanism with the minimum change of joints that closes its loops, and notes."""
    expected = "a mechanism of other joints whose loops agree to the digits of its numbers"
    if not isinstance(robot, Mechanism):
        raise RobotError("a hexapod, which has no loops to close", expected=expected)
    if screws := [joint.name for joint in robot.joints if joint.kind.is_screw]:
        raise RobotError("a screw in loops to close", key=screws[0], expected=expected)
    tree = _tree(robot)
    changed = agreeing(tree)
    if changed is tree:
        raise RobotError("its loops agree as they are", expected=expected)
    if changed is None:
        most = f"{ROUNDED * drawn(tree).size:.1g} m and {ROUNDED:g} rad"
        problem = f"no change of joints of up to {most} closes its loops"
        raise RobotError(problem, expected=expected)
    home, data = assembled(changed), robot.to_dict()
    joints = {joint["name"]: joint for joint in data["joints"]}
    for owner, freedom in changed.freedoms.items():
        place, (name, number) = home.behind[owner], freedom.name.rsplit("/", 1)
        joints[name]["at"] = numbers((place @ [*freedom.at, 1.0])[:3])
        for key in {"axis", "axes"} & joints[name].keys():
            lines = [*np.atleast_2d(joints[name][key])]
            lines[int(number)] = place[:3, :3] @ freedom.axis
            joints[name][key] = numbers(np.array(lines if key == "axes" else lines[0]))
    notes = *changed.assumed, *analysed(cast(Mechanism, Robot.from_dict(data))).left_out
    data["notes"] = " ".join(filter(None, (data.get("notes"), *notes)))
    return cast(Mechanism, Robot.from_dict(data)), notes


def _tree(robot: Mechanism) -> FileTree:
    """The mechanism at home, all links with the frame of the base.

    Mass centres count for its size: joints of a spherical mechanism may be in one point.
    """
    links, known, kept = [FileLink(BASE, 0, np.eye(4))], {BASE: 0}, spanning_tree(robot.joints)
    for joint, carrier, body in kept:
        known[body] = len(links)
        links.append(FileLink(body, known[carrier], np.eye(4), _freedoms(joint, carrier)))
    closures = []
    for joint in (j for j in robot.joints if all(j is not branch.joint for branch in kept)):
        ends, same = (known[joint.first], known[joint.second]), (np.eye(4), np.eye(4))
        freedoms = _freedoms(joint, joint.first)
        closures.append(closed_by(joint.name, links, ends, same, freedoms))
    couplings = tuple(
        FileCoupling(c.name, tuple(f"{joint}/0" for joint in c.joints), c.weights)
        for c in robot.couplings
    )
    centers = [placed(np.array(body.center_of_mass)) for body in robot.bodies if body.mass]
    links += [FileLink(f"/{k}", 0, center) for k, center in enumerate(centers)]
    tree = FileTree(robot.name, robot.gravity, tuple(links), tuple(closures), {}, ())
    return replace(tree, couplings=couplings)


def _freedoms(joint: Joint, carrier: str) -> tuple[FileFreedom, ...]:
    """Degrees of freedom from a body on, each by its joint's name and the number of its axis."""
    at, lines = np.array(joint.at), [np.array(x) / np.linalg.norm(x) for x in joint.lines]
    steps = joint.kind.steps[:: 1 if carrier == joint.first else -1]
    pairs = [(cast(Kind, step.kind), step.axis) for step in steps]
    lines = lines or [*np.eye(3)]
    return tuple(FileFreedom(f"{joint.name}/{k}", kind, at, lines[k]) for kind, k in pairs)
