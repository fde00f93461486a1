"""Files of machines for other programs: XML an element a line, remarks, and the robot itself."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, fromstring, indent, tostring
from xml.sax.saxutils import escape

from gough._version import __version__
from gough.disk.sources import MARK, as_made, rendered
from gough.errors import GoughError, InputError
from gough.exchange.tree.machine_tree import MachineTree, freedoms
from gough.exchange.tree.visuals import Visuals, as_file_name, rgba
from gough.fields.user_files import parsed
from gough.robot import BASE, PLATFORM, Robot
from gough.robot.home.configuration import ORIGIN, UPRIGHT
from gough.robot.writing import plain_facts

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""
_ESCAPED = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"}
_BEGINS, _ENDS = "<!-- robot ", " -->\n"
"""No attribute has a < in it and no comment two hyphens together: a comment begins here alone."""
_TILTS, _COMPLIANT = "limits of balls and universal joints", "compliance of legs, links and drives"
ELECTRIC = "windings, efficiencies and torque offsets of motors"
_NOT_SIMULATED = {
    **dict.fromkeys(("limit", "base_joint_limit", "platform_joint_limit"), _TILTS),
    **dict.fromkeys(("stiffness", "bearing", "beam", "connector", "screw"), _COMPLIANT),
    **dict.fromkeys(("flexibility", "joint_stiffness"), _COMPLIANT),
    "spring": "springs of joints",
    "springs": "springs between bodies",
    "armature": "armatures",
    "couplings": "couplings of joints",
    "drive": "rotors, gears and windings of motors",
    "stop": "stiffness and restitution of end stops",
}
"""Keys of robots, legs, bodies and joints that formats have no place for, in words."""


@dataclass(frozen=True)
class Export:
    """A machine in another format."""

    texts: dict[str, str]
    """By the names of files; the first is the machine."""
    remarks: list[str]
    """Differences between the format and the machine."""

    def __repr__(self) -> str:
        return f"<gough export: {', '.join(self.texts)}>"

    @property
    def text(self) -> str:
        """The file that is the machine."""
        return next(iter(self.texts.values()))


def exported(
    tree: MachineTree,
    visuals: Visuals,
    template: str,
    remarks: list[str],
    facts: Mapping[str, object],
    **beside: str,
) -> Export:
    """A machine's file, with the robot in it, texts beside it by suffix, and meshes."""
    root = parsed_element(filled(tree, visuals, f"{template}.xml", facts))
    robot, suffix = tree.robot, "xml" if template == "mjcf" else template
    name = as_file_name(robot.name)
    texts = {suffix: document(root, [robot.name, *remarks]) + robot_comment(robot), **beside}
    files = {f"{name}.{ending}": content for ending, content in texts.items()}
    return Export(files | visuals.texts, remarks)


def filled(tree: MachineTree, visuals: Visuals, template: str, facts: Mapping[str, object]) -> str:
    """A template, which knows the tree, its visuals and the words below, and more `facts`."""
    known = {
        "tree": tree,
        "visuals": visuals,
        "base": BASE,
        "platform": PLATFORM,
        "zero": ORIGIN,
        "upright": UPRIGHT,
        "freedoms": freedoms,
        "rgba": rgba,
        "text": text,
        "xml": in_attribute,
    }
    return rendered(__name__, template, {**known, **facts})


def not_simulated(tree: MachineTree, **said: str) -> list[str]:
    """List what the robot file says and a simulation of the tree leaves out.

    `said` has keys that the format has a place for, and what it leaves out of them.
    """
    facts = plain_facts(tree.robot)
    parts = [part for name in ("legs", "bodies", "joints") for part in facts.get(name, ())]
    parts += [part[key] for part in parts for key in ("cylinder", "piston") if key in part]
    keys = {
        "spring" if key == "stiffness" and "type" in part and not part.get("driven") else key
        for part in (facts, *parts)
        for key in part
        if part[key] != {}
    }
    words = _NOT_SIMULATED | said
    return [
        f"not simulated: {line}" for line in sorted({words.get(key, "") for key in keys}) if line
    ]


def robot_comment(robot: Robot) -> str:
    """Return the comment that ends an XML file: the robot to the last bit, in JSON without --."""
    return _BEGINS + json.dumps(robot.to_dict()).replace("--", r"-\u002d") + _ENDS


def has_robot_comment(text: str) -> bool:
    """Whether there is a robot in the text of a file."""
    return _BEGINS in text


def robot_in_comment(text: str) -> Robot | None:
    """Return the robot in the text of a file; None if there is none, or the text was changed."""
    if not (has_robot_comment(text) and as_made(text)):
        return None
    data = parsed(text.rpartition(_BEGINS)[2].removesuffix(_ENDS), ".json")
    if not isinstance(data, dict):
        raise InputError("not a robot in its last comment", value=data, expected="a robot file")
    return Robot.from_dict(data)


def text(*values: float) -> str:
    """Numbers with blanks between them, each with as many digits as it takes to find it again."""
    short = (repr(float(value)).removesuffix(".0") for value in values)
    return " ".join("0" if number == "-0" else number for number in short)


def parsed_element(text: str) -> Element:
    """An element with others in it, of their text, whose indentation does not count."""
    root = fromstring(text)
    for part in root.iter():
        part.text, part.tail = part.text if (part.text or "").strip() else None, None
    return root


def document(root: Element, says: Iterable[str]) -> str:
    """A file, whose first lines say who made it, and what must be known of it.

    Raises GoughError where two things of a kind have the same name, as those of a robot may have
    that look like names that are made here.
    """
    seen: set[tuple[str, str]] = set()
    again = {id(part) for outer in root.iter("ros2_control") for part in outer.iter()}
    for part in (part for part in root.iter() if id(part) not in again):
        named = part.tag, part.get("name", "")
        if named in seen:
            problem = f"two of {part.tag} would be called {named[1]!r}"
            raise GoughError(f"{problem}; rename that of the robot")
        if part.get("name") is not None and part.tag != "material":
            seen.add(named)
    lines = re.sub("-(?=-)", "- ", "\n     ".join(says))
    return f'<?xml version="1.0"?>\n<!-- {MARK} {__version__}; {lines} -->\n{xml_text(root)}'


def xml_text(root: Element) -> str:
    """The lines of an element; GoughError of a text that XML has no way to write."""
    for part in root.iter():
        for text in (*part.attrib.values(), part.text or ""):
            _writable(text)
    indent(root)
    return tostring(root, "unicode") + "\n"


def in_attribute(text: str) -> str:
    """A text as the value of an attribute; GoughError where XML has no way to write it."""
    return escape(_writable(text), _ESCAPED)


def _writable(text: str) -> str:
    if found := _FORBIDDEN.search(text):
        raise GoughError(f"cannot write {text!r}: XML has no {found.group()!r}")
    return text
