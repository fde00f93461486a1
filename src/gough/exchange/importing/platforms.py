"""Which body of a drawing is the platform, and where its frame is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, did_you_mean
from gough.exchange.importing.assembling import Assembled
from gough.exchange.importing.drawing import Drawing
from gough.exchange.importing.tree import Tree
from gough.robot.mechanism import PLATFORM


@dataclass(frozen=True, eq=False)
class PlatformFrame:
    """The platform: its body's key, and the frame that is its pose, in the base frame at home."""

    body: str
    place: Array


def platform_of(tree: Tree, home: Assembled, drawing: Drawing, name: str | None) -> PlatformFrame:
    """The platform that a user names by one of its links or frames, or the one that must be it."""
    if name is None:
        called_so = PLATFORM in tree.frames and _moves(tree, drawing, PLATFORM)
        name = PLATFORM if called_so else _only(drawing)
    if name not in tree.frames:
        hint = did_you_mean(name, tree.frames)
        expected = "the name of a body, or of a frame on it"
        raise InputError(f"no such body{hint}", key="platform", value=name, expected=expected)
    if not _moves(tree, drawing, name):
        raise InputError("does not move", key="platform", value=name, expected="a moving body")
    link, place = tree.frames[name]
    return PlatformFrame(drawing.body_of(link), np.asarray(home.places[link] @ place))


def _moves(tree: Tree, drawing: Drawing, name: str) -> bool:
    return drawing.body_of(tree.frames[name][0]) != drawing.base


def _only(drawing: Drawing) -> str:
    """The body that is joined to more others than any, or the only one not joined to the base."""
    moving = [
        body for body, found in drawing.bodies.items() if body != drawing.base and found.links
    ]
    joints = {body: len(drawing.joints_of(body)) for body in moving}
    most = max(joints.values())
    likely = [body for body in moving if joints[body] == most > 2]
    if not likely:
        likely = [body for body in moving if not _on_base(drawing, body)]
    if len(likely) != 1:
        raise InputError(
            "which body is the platform cannot be told",
            key="platform",
            expected=f"the name of one of {', '.join(likely or moving)}",
        )
    return likely[0]


def _on_base(drawing: Drawing, body: str) -> bool:
    return any(drawing.base in joint.between for joint in drawing.joints_of(body))
