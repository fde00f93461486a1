"""Robots from files of other tools, and what of these files was left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from gough.disk.sources import as_made
from gough.display.brief import brief
from gough.errors import InputError, RobotError, about_file
from gough.exchange.importing.assembling import ClosedTree, assembled
from gough.exchange.importing.drawing import NOTHING, ImportedDrawing, drawing_of, platform_of
from gough.exchange.importing.fusing import fused
from gough.exchange.importing.hexapods import hexapod_facts, straightened
from gough.exchange.importing.loop_file import read_loop_text
from gough.exchange.importing.machine import Facts, left_out_of, machine_facts, number
from gough.exchange.importing.mjcf_process import read_mjcf
from gough.exchange.importing.safe_xml import MOST_BYTES, parsed_xml
from gough.exchange.importing.tree import MOST_LINKS, FileFreedom, FileTree
from gough.exchange.importing.urdf import urdf_tree
from gough.exchange.tree.carried import carried, carries
from gough.fields.user_files import read_text
from gough.model.mechanism import analysed, possible_moves
from gough.one_thread import one_thread
from gough.robot import Mechanism, Robot
from gough.robot.mechanism import PLATFORM

MOST_FREEDOMS = 100
"""Maximum number of degrees of freedom of all joints together: a hexapod has 42."""
_WANTED = "an MJCF or URDF file"
_LARGEST = 1e12
_FELT = 1e-9
"""Masses below this share of the machine's are placeholders that another tool requires."""
_SEEN = 1e-9
"""Gaps below this share of the machine's size count as closed loops."""

_NOT_TAKEN = "the robot file in its comment, because it was changed, or another platform was given"
_ROUNDED = 1e-4
"""Error of home beyond a range that rounded digits of a file may cause [rad, machine sizes]."""


@dataclass(frozen=True)
class Imported:
    """A robot of a file of another tool, and what was left out, a line each."""

    robot: Robot
    left_out: tuple[str, ...]

    __repr__ = brief


def from_mjcf(path: str | Path, *, platform: str | None = None) -> Robot:
    """Return the robot of an MJCF file, whose loops `connect`s and `weld`s close.

    `platform` names the body, or a site on it, that is the platform: needed only where several
    could be. What was left out stands in the robot's notes. Needs the package mujoco.
    """
    return imported(path, platform=platform).robot


def from_urdf(
    path: str | Path, *, loops: str | Path | None = None, platform: str | None = None
) -> Robot:
    """Return the robot of a URDF file and of the YAML file that closes its loops.

    `loops` is a file like `robot.yaml` of Gepetto's example-parallel-robots; `platform` names the
    link that is the platform: needed only where several could be. What was left out stands in the
    robot's notes. Needs the package pyyaml.
    """
    return imported(path, loops=loops, platform=platform).robot


@one_thread()
def imported(
    path: str | Path, *, loops: str | Path | None = None, platform: str | None = None
) -> Imported:
    """Return the robot of an MJCF or URDF file; its first element decides which.

    A file that Gough wrote, SDF too, has in it the robot that it was made of. If it was changed
    since, or another platform is asked for, it is read as a file of others.
    """
    _refuse_unnamed(path, loops, platform)
    file, beside = Path(path), None if loops is None else Path(loops)
    text = read_text(file, _WANTED, MOST_BYTES)
    root = parsed_xml(text, file, _WANTED)
    own = None if platform not in (None, PLATFORM) else _own(text, file, beside)
    if own is not None:
        return Imported(own, ())
    _refuse_unfit(root, file, beside)
    _refuse_many(root, file)
    with np.errstate(over="ignore", invalid="ignore"):  # such numbers are refused in a moment
        tree = read_mjcf(root, file) if beside is None else urdf_tree(root, file, beside)
    if carries(text):
        tree = replace(tree, left_out=(*tree.left_out, _NOT_TAKEN))
    with about_file(file):
        return _imported(tree, file, platform)


def _own(text: str, file: Path, loops: Path | None) -> Robot | None:
    """The robot that Gough wrote into a file, unless that or the file of its loops was changed."""
    with about_file(file):
        robot = carried(text)
    if robot is None or loops is None:
        return robot
    beside = read_loop_text(loops)
    return robot if as_made(beside) and robot.identity in beside else None


def _refuse_unnamed(path: object, loops: object, platform: object) -> None:
    for given in (path, "" if loops is None else loops):
        if not isinstance(given, str | Path):
            raise InputError("not a path", value=given, expected="the name of a file")
    if not isinstance(platform, str | None):
        expected = "the name of a body, or of a frame on it"
        raise InputError("not a name", key="platform", value=platform, expected=expected)


def _refuse_unfit(root: Element, file: Path, loops: Path | None) -> None:
    top, near = root.tag, file.with_suffix(".yaml")
    if top not in ("mujoco", "robot"):
        raise InputError(f"<{top}> at its top", file=file, expected="<mujoco> or <robot>")
    if top == "mujoco" and loops is not None:
        raise InputError("loops beside an MJCF file", file=loops, expected="those in the file")
    if top == "robot" and root.find("loop") is not None:
        expected = "URDF and a file of loops, or MJCF"
        raise InputError("URDF+, which has its loops in itself", file=file, expected=expected)
    if top == "robot" and loops is None:
        expected = f"a file of loops, too{f', perhaps {near}' if near.exists() else ''}"
        raise InputError("URDF has no loops of its own", file=file, expected=expected)


def _refuse_many(root: Element, file: Path) -> None:
    """Refuse more links than a machine has before anything is made of them."""
    for tag in ("link", "joint", "body", "site"):
        count = sum(1 for _ in root.iter(tag))
        if count > MOST_LINKS:
            raise InputError(f"{count:,} of <{tag}>", file=file, expected=f"at most {MOST_LINKS:,}")


def _imported(tree: FileTree, file: Path, platform: str | None) -> Imported:
    _refuse_without_motors(tree)
    _refuse_wild(tree)
    home = assembled(tree)
    drawing = fused(_with_home_inside(_without_dust(drawing_of(tree, home))))
    _refuse_chain(drawing)
    chosen = platform_of(tree, home, drawing, platform)
    drawing = straightened(drawing, chosen)
    left_out = (*tree.left_out, *drawing.left_out, *left_out_of(drawing))
    heading = {
        "name": tree.name,
        "reference": f"Imported from {file.name}.",
        "notes": _notes(tree, home, left_out),
        "gravity": list(tree.gravity),
    }
    hexapod = hexapod_facts(drawing, chosen)
    if hexapod is not None:
        return Imported(Robot.from_dict({"schema": "gough/1", **heading, **hexapod}), left_out)
    return Imported(_mechanism({**heading, **machine_facts(drawing, chosen)}), left_out)


def _mechanism(facts: Facts) -> Robot:
    """The machine with the moves that its joints leave to its platform."""
    facts = {"schema": "gough/2", **facts}
    drawn = Robot.from_dict(facts)
    assert isinstance(drawn, Mechanism)
    moves = list(possible_moves(drawn))
    if not moves:
        problem = "cannot move: its joints hold it in this pose"
        raise RobotError(problem, key="platform", expected="a body that they leave a freedom")
    facts["platform"] = {**facts["platform"], "moves": moves}
    robot = Robot.from_dict(facts)
    assert isinstance(robot, Mechanism)
    analysed(robot)
    return robot


def _notes(tree: FileTree, home: ClosedTree, left_out: tuple[str, ...]) -> str:
    lines = [f"Left out: {'; '.join(left_out)}."] if left_out else []
    lines += tree.assumed
    if home.gap > _SEEN * home.size:
        lines.append(
            f"The file draws loops that are {home.gap:.3g} m or rad open: home is near to that."
        )
    return " ".join(lines)


def _without_dust(drawing: ImportedDrawing) -> ImportedDrawing:
    """Return the configuration without placeholder masses of bodies, and list these."""
    moving = {key: body for key, body in drawing.bodies.items() if key != drawing.base}
    least = _FELT * sum(body.mass for body in moving.values())
    dust = {key: body for key, body in moving.items() if 0.0 < body.mass <= least}
    bare = {key: replace(NOTHING, links=body.links) for key, body in dust.items()}
    told = [f"mass of {key}, {body.mass:.3g} kg" for key, body in dust.items()]
    left_out = (*drawing.left_out, *told)
    return replace(drawing, bodies=drawing.bodies | bare, left_out=left_out)


def _with_home_inside(drawing: ImportedDrawing) -> ImportedDrawing:
    """Return the configuration with ranges that include home despite rounding, and list these."""
    joints, told = [], []
    for joint in drawing.joints:
        freedoms = tuple(_reaching_home(freedom, drawing.size) for freedom in joint.freedoms)
        pairs = zip(joint.freedoms, freedoms, strict=True)
        told += [
            f"that home is just outside the range of {old.name}"
            for old, new in pairs
            if old is not new
        ]
        joints.append(replace(joint, freedoms=freedoms))
    return replace(drawing, joints=tuple(joints), left_out=(*drawing.left_out, *told))


def _reaching_home(freedom: FileFreedom, size: float) -> FileFreedom:
    """A freedom whose range goes as far as home, if it nearly does."""
    if freedom.travel is None or freedom.kind not in ("hinge", "slide"):
        return freedom
    low, high = freedom.travel
    beyond = max(low - freedom.zero, freedom.zero - high)
    if not 0.0 < beyond <= _ROUNDED * (1.0 if freedom.kind == "hinge" else size):
        return freedom
    home = number(freedom.zero)
    return replace(freedom, travel=(min(low, home), max(high, home)))


def _refuse_wild(tree: FileTree) -> None:
    """Refuse numbers that cannot be computed with, and too many degrees of freedom."""
    count = sum(f.motions.shape[1] for link in tree.links for f in link.freedoms)
    if max(count, len(tree.closures)) > MOST_FREEDOMS:
        problem = f"{count} degrees of freedom of its joints, and {len(tree.closures)} loops"
        raise RobotError(problem, expected=f"at most {MOST_FREEDOMS} of each")
    found = {closure.name: [*closure.places] for closure in tree.closures}
    for link in tree.links:
        found[link.name] = [link.place, link.center, link.inertia, np.array(link.mass)]
        found[link.name] += [freedom.at for freedom in link.freedoms]
    for name, numbers in found.items():
        if not all(np.all(np.abs(number) < _LARGEST) for number in numbers):
            problem = f"a number that is not finite, or above {_LARGEST:g}"
            raise RobotError(problem, key=name, expected="metres, kilograms and kg m^2")


def _refuse_without_motors(tree: FileTree) -> None:
    if not any(freedom.motor is not None for link in tree.links for freedom in link.freedoms):
        raise RobotError(
            "no joint is driven", expected="<actuator> of MJCF, or name_mot in the file of loops"
        )


def _refuse_chain(drawing: ImportedDrawing) -> None:
    if len(drawing.joints) < len(drawing.bodies):
        raise RobotError(
            "a chain or a tree without a closed loop, and so no parallel robot",
            expected="loops closed by <connect> or <weld>, or by a file of loops",
        )
