"""New study files: a small motion that the machine can do, with the meaning of every key."""

from __future__ import annotations

import json
from pathlib import Path
from string import Template

from gough.fields.commented import HEAD, commented
from gough.kinematics.size import machine_size
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.robot.mechanism import MOVES

_TEMPLATE = Path(__file__).parent / "templates" / "study.toml"
_SCHEMA = Path(__file__).with_name("gough-study-1.schema.json")
_TITLE = "A study: what a motion and its loads ask of a machine."
_WAY = 0.1
"""How far the platform goes, of the machine's size."""


def new_study(name: str, robot: Robot, source: str) -> str:
    """The text of a study file of a robot, which the file calls by its name or path."""
    template = Template(_TEMPLATE.read_text("utf-8"))
    text = template.substitute(name=_quoted(name), robot=_quoted(source), motion=_motion(robot))
    return HEAD.format(title=_TITLE) + commented(text, json.loads(_SCHEMA.read_text("utf-8")))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _motion(robot: Robot) -> str:
    """A short way along one of the machine's freedoms, a turn if it has none that is straight."""
    freedoms = structure_of(robot).freedoms
    for move in ("z", "x", "y"):
        if move in freedoms:
            way = f'"{float(f"{_WAY * machine_size(robot):.1g}") * 1e3:g} mm"'
            displacement = ", ".join(way if axis == move else "0" for axis in "xyz")
            return _table("line", f"displacement = [{displacement}]", 'profile = "quintic"')
    for move in MOVES[3:]:
        if move in freedoms:
            axis = [int(turn == move) for turn in MOVES[3:]]
            return _table("rotation", f"axis = {axis}", 'angle = "5 deg"', 'profile = "quintic"')
    return _table("hold")


def _table(kind: str, *keys: str) -> str:
    return "\n".join(("[motion]", f'kind = "{kind}"', *keys, 'duration = "1 s"'))
