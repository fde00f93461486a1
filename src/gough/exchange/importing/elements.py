"""Elements of XML files: their names and numbers."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError, did_you_mean, joined
from gough.exchange.importing.file_machine import FileBody, placed
from gough.poses import pose, rotation

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def named(elements: Iterable[Xml.Element]) -> dict[str, Xml.Element]:
    """Return elements by their names, which each must have alone."""
    found: dict[str, Xml.Element] = {}
    for element in elements:
        name = element.get("name")
        if not name or name in found:
            of = f"a <{element.tag}>"
            problem = f"{of} with a name given twice" if name else f"{of} without a name"
            raise RobotError(problem, value=name, expected="a name of its own")
        found[name] = element
    return found


def refuse_unknown(what: str, name: str, known: Collection[str], key: str, expected: str) -> None:
    """Refuse a name that nothing has."""
    if name not in known:
        hint = did_you_mean(name, known)
        raise RobotError(f"no such {what}{hint}", key=key, value=name, expected=expected)


def numbers(text: str, count: int, where: str, endless: bool = False) -> Array:
    """Return the numbers of a text; only those that may be endless need not be finite."""
    try:
        found = np.array([float(word) for word in text.split()])
    except ValueError:
        found = np.array([np.nan])
    if not np.all(np.isfinite(found) | (endless & ~np.isnan(found))):
        raise RobotError("not a finite number", key=where, value=text, expected="a number")
    if len(found) != count:
        raise RobotError(f"not {count} numbers", key=where, value=text, expected=f"{count} numbers")
    return found


def said(element: Xml.Element, path: str) -> str | None:
    """Return the text of an element at a path, or of its attribute, "path@key", if there is any."""
    tags, _, key = path.partition("@")
    found = element.find(tags)
    if found is None:
        return None
    return found.get(key) if key else (found.text or "").strip() or None


def word(element: Xml.Element, path: str) -> str:
    """Return what an element says at a path, which must be a name."""
    if not (found := said(element, path)):
        name = element.get("name", "")
        raise RobotError(f"no {_tag(path)}", key=name, expected="the name of a link")
    return found


def number(
    element: Xml.Element, path: str, default: float = 0.0, *, endless: bool = False
) -> float:
    """Return the number that an element says at a path, or the default if it says none."""
    text = said(element, path)
    where = joined(element.get("name", ""), _tag(path))
    return default if text is None else float(numbers(text, 1, where, endless)[0])


def _tag(path: str) -> str:
    return f"<{path.replace('@', ' ')}>"


def place_of(position: Array, **turn: Any) -> Array:
    """Return the matrix of a place, by its rotation as `pose` takes it."""
    return placed(position, rotation(pose([0, 0, 0], **turn)).as_matrix())


def body_of(mass: float, place: Array, moments: Iterable[float]) -> FileBody:
    """Return a body in its own frame, whose moments are on axes at a place in it."""
    xx, xy, xz, yy, yz, zz = moments
    R, I = place[:3, :3], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return FileBody(np.eye(4), mass, place[:3, 3], R @ I @ R.T)


def of_names(words: str, names: Iterable[str]) -> Iterator[str]:
    """Yield words with the names that they are about, if there are any."""
    if found := ", ".join(names):
        yield f"{words} of {found}"


def tags_left_out(elements: Mapping[str, Xml.Element], known: Collection[str]) -> Iterator[str]:
    """Yield what is in named elements and not known, with their names."""
    tags = dict.fromkeys(child.tag for element in elements.values() for child in element)
    for tag in (tag for tag in tags if tag not in known):
        yield from of_names(f"<{tag}>", (n for n, e in elements.items() if e.find(tag) is not None))


def contents_left_out(top: Xml.Element, known: Collection[str]) -> Iterator[str]:
    """Yield the shapes of links in an element, and what else is in it and not known."""
    if shapes := len(top.findall("link/visual") + top.findall("link/collision")):
        yield f"geometry of {shapes} visuals and collisions"
    tags = dict.fromkeys(child.tag for child in top)
    yield from (f"<{tag}>" for tag in tags if tag not in known)
