"""Elements of XML files: their names and numbers, and the joints that close loops."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import RobotError, did_you_mean
from gough.exchange.importing.tree import FileClosure, FileFreedom, FileLink, placed
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


def place_of(position: Array, **turn: Any) -> Array:
    """Return the matrix of a place, by its rotation as `pose` takes it."""
    return placed(position, rotation(pose([0, 0, 0], **turn)).as_matrix())


def mass_properties(mass: float, place: Array, moments: Iterable[float]) -> PlainData:
    """Return mass, centre and inertia of a link, whose moments are on axes at a place in it."""
    xx, xy, xz, yy, yz, zz = moments
    R, I = place[:3, :3], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return {"mass": mass, "center": place[:3, 3], "inertia": R @ I @ R.T}


def closed_by(
    name: str, links: list[FileLink], ends: tuple[int, int], places: tuple[Array, Array],
    freedoms: Iterable[FileFreedom],
) -> FileClosure:  # fmt: skip
    """A joint that closes a loop: it hangs a massless link from one link, welded to the other."""
    links.append(FileLink(f"{name}.link", ends[0], places[0], tuple(freedoms)))
    return FileClosure(name, "all", (len(links) - 1, ends[1]), (np.eye(4), places[1]))


def tags_left_out(elements: Mapping[str, Xml.Element], known: Collection[str]) -> Iterator[str]:
    """Yield what is in named elements and not known, with their names."""
    tags = dict.fromkeys(child.tag for element in elements.values() for child in element)
    for tag in (tag for tag in tags if tag not in known):
        names = [name for name, element in elements.items() if element.find(tag) is not None]
        yield f"<{tag}> of {', '.join(names)}"
