"""New design files: a few numbers of a machine and a small box, with the meaning of every key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Template

from gough.fields.commented import HEAD, commented
from gough.fields.units import Dimension
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.kinematics.size import machine_size
from gough.model.structure import structure_of
from gough.model.variables import variables
from gough.robot import Robot
from gough.robot.mechanism import MOVES

_TEMPLATE = Path(__file__).parent / "templates" / "design.toml"
_SCHEMA = Path(__file__).with_name("gough-design-1.schema.json")
_TITLE = "A design: what may change of a machine, what it must do, what must hold, what is best."
_WAY, _TURN = 0.05, 3.0
"""How far the box reaches each way: of the machine's size, and in degrees."""
_LEAST, _LARGEST = 0.7, 1.3
"""What a number may become, of what it is."""
_SIZES = (
    re.compile(r"symmetric\..*radius|legs?(\[0\])?\.links\[\d+\]\.length"),
    re.compile(r"platform\.home\.position\.z"),
    re.compile(r"platform\.mass"),
)
"""Numbers that may be variables: those of the first kind that the file states."""


def new_design(name: str, robot: Robot, source: str) -> str:
    """The text of a design file of a robot, which the file calls by its name or path."""
    template = Template(_TEMPLATE.read_text("utf-8"))
    text = template.substitute(
        name=json.dumps(name, ensure_ascii=False),
        robot=json.dumps(source, ensure_ascii=False),
        variables="\n".join(_variables(robot)),
        box=_box(robot),
        limits="0.0" if has_constant_moves(robot) else "false",
    )
    return HEAD.format(title=_TITLE) + commented(text, json.loads(_SCHEMA.read_text("utf-8")))


def _variables(robot: Robot) -> list[str]:
    """Sizes of the machine; its mass alone where its moves depend on the pose."""
    stated = variables(robot)
    own = dict(zip(stated.names, stated.values.tolist(), strict=True))
    kinds = _SIZES if has_constant_moves(robot) else _SIZES[-1:]
    each = ([name for name in own if kind.fullmatch(name) and own[name] > 0] for kind in kinds)
    return [_variable(name, own[name], stated.dimension(name)) for name in next(filter(None, each))]


def _variable(name: str, value: float, dimension: Dimension) -> str:
    least, largest = (f'"{share * value:.4g} {dimension.unit}"' for share in (_LEAST, _LARGEST))
    return f"[[variables]]\nnumber = {json.dumps(name)}\nrange = [{least}, {largest}]\n"


def _box(robot: Robot) -> str:
    """A little along each freedom; home alone where these depend on the pose."""
    freedoms = structure_of(robot).freedoms if has_constant_moves(robot) else ()
    way = f'"{float(f"{_WAY * machine_size(robot):.1g}") * 1e3:g} mm"'
    sizes = dict.fromkeys(MOVES[:3], way) | dict.fromkeys(MOVES[3:], f'"{_TURN:g} deg"')
    names = dict(zip(MOVES, ("x", "y", "z", "roll", "pitch", "yaw"), strict=True))
    ranges = [f"{names[move]} = {sizes[move]}" for move in MOVES if move in freedoms]
    return f"{{ {', '.join([*ranges, 'points = 2'])} }}"
