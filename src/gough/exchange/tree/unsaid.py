"""What a format has no place for: kept beside the machine, so that nothing is lost, and told."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

from gough.exchange.tree.drawing import UPRIGHT
from gough.exchange.tree.spanning import Tree
from gough.robot import Hexapod
from gough.robot.appearance import PARTS
from gough.robot.writing import plain_facts

Facts = dict[str, Any]
_OF_BODIES = {"name", "mass", "center_of_mass", "inertia"}
_OF_JOINTS = {"name", "type", "between", "at", "axis", "axes", "driven"}
_OF_LEGS = {"kind", "base", "platform"}
_USUALLY_ZERO = ("damping", "friction", "position_at_home")
_NOT_SIMULATED = {
    "limit": "limits of balls and universal joints",
    "stiffness": "springs",
    "bearing": "springs",
    "beam": "springs",
    "drive": "motors behind the joints",
    "stop": "end stops",
    "connector": "springs",
    "screw": "springs",
    "joint_stiffness": "springs",
    "base_joint_limit": "limits of balls and universal joints",
    "platform_joint_limit": "limits of balls and universal joints",
}
"""Keys of robot files that would matter to who simulates the machine, in words."""


def unsaid(tree: Tree, said: Set[str]) -> dict[str, Facts]:
    """Keys of the robot file that a format does not say, with their values, by what has them.

    "robot" itself, "body NAME" and "joint NAME", or "leg" (what all legs share) and "leg K" of a
    hexapod; `said` are keys of these that the format has a place for.
    """
    found = dict(_of_hexapod(tree, said) if isinstance(tree.robot, Hexapod) else _parts(tree, said))
    return {name: facts for name, facts in found.items() if facts}


def told(tree: Tree, facts: dict[str, Facts], closes: bool = False) -> list[str]:
    """What whoever simulates the file must know of what it does not say.

    `closes`: whether the format closes loops by joints that are as others are.
    """
    keys = {key for part in facts.values() for key in part}
    lines = sorted({_NOT_SIMULATED[key] for key in keys & _NOT_SIMULATED.keys()})
    resisting = [joint.name for joint in tree.cut if joint.damping or joint.friction]
    limited = [joint.name for joint in tree.cut if any(t.range for t in joint.travel)]
    for word, names in (("friction", resisting), ("limits", limited)):
        if names and not closes:
            lines.append(f"{word} of {', '.join(names)}, which close loops")
    return [f"not simulated: {line}" for line in lines]


def _parts(tree: Tree, said: Set[str]) -> Iterator[tuple[str, Facts]]:
    facts = plain_facts(tree.robot)
    yield "robot", _heading(facts, said)
    exact = tree.robot.platform.home.quaternion == UPRIGHT
    for body in facts["bodies"]:
        yield f"body {body['name']}", _without(body, _said_of(body) if exact else {"name"})
    cut = {joint.name for joint in tree.cut}
    drawn = {joint.name: joint for joint in tree.drawing.joints}
    turned = {j.name for j in tree.joints if j.bodies != drawn[j.name].bodies}
    for joint in facts["joints"]:
        name = joint["name"]
        known = _OF_JOINTS if name in cut else _OF_JOINTS | said
        known = known - {"between", "axis", "axes"} if name in turned else known
        if not exact or joint["type"] == "fixed":  # rounded, or a part of the body that it carries
            known = {"name"}
        yield f"joint {name}", _not_usual(_without(joint, known))


def _of_hexapod(tree: Tree, said: Set[str]) -> Iterator[tuple[str, Facts]]:
    facts = tree.robot.to_dict()
    yield "robot", _heading(facts, said)
    yield "leg", _of_leg(facts["leg"], said)
    for k, leg in enumerate(facts["legs"], 1):
        yield f"leg {k}", _of_leg(leg, said)


def _of_leg(leg: Facts, said: Set[str]) -> Facts:
    parts = {part: _without(leg[part], _said_of(leg[part])) for part in PARTS if part in leg}
    rest = _without(leg, {*_OF_LEGS, *PARTS, *said})
    return rest | {part: facts for part, facts in parts.items() if facts}


def _said_of(body: Facts) -> Set[str]:
    """What all formats say of a body: nobody says where nothing has its mass centre."""
    return _OF_BODIES if body["mass"] else _OF_BODIES - {"center_of_mass"}


def _heading(facts: Facts, said: Set[str]) -> Facts:
    """What the robot says of itself as a whole, and of its platform."""
    platform = _without(facts["platform"], _OF_BODIES | said)
    rest = _without(facts, {"platform", "bodies", "joints", "leg", "legs", *said})
    return rest | ({"platform": platform} if platform else {}) | _order(facts)


def _order(facts: Facts) -> Facts:
    """The names of bodies and joints in the order of the robot file, which a tree does not keep."""
    parts = {key: facts.get(key, []) for key in ("bodies", "joints")}
    return {key: [part["name"] for part in found] for key, found in parts.items() if found}


def _not_usual(joint: Facts) -> Facts:
    """Without numbers that are zero where they are left out."""
    return {key: value for key, value in joint.items() if value or key not in _USUALLY_ZERO}


def _without(facts: Facts, keys: Set[str]) -> Facts:
    return {key: value for key, value in facts.items() if key not in keys}
