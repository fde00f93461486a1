"""XML as people read it: an element a line, indented, numbers as short as they can be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from gough._version import __version__
from gough.disk.sources import MARK
from gough.errors import GoughError

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""


@dataclass(frozen=True)
class Element:
    """An element with its attributes (none: left out), and either elements or a text in it."""

    tag: str
    attributes: dict[str, str | None]
    children: tuple[Element, ...] = ()
    text: str = ""


def element(
    tag: str, inside: Iterable[Element | None] | str = (), **attributes: str | None
) -> Element:
    """An element with attributes, and elements or a text in it."""
    if isinstance(inside, str):
        return Element(tag, attributes, text=inside)
    return Element(tag, attributes, tuple(child for child in inside if child is not None))


def document(root: Element, says: Iterable[str]) -> str:
    """A file, whose first lines say who made it, and what must be known of it.

    Raises GoughError where two things of a kind have the same name, as those of a robot may have
    that look like names that are made here.
    """
    _refuse_twins(root)
    lines = re.sub("-(?=-)", "- ", "\n     ".join(says))
    told = f"<!-- {MARK} {__version__}; {lines} -->"
    return "\n".join(['<?xml version="1.0"?>', told, *_lines(root, ""), ""])


def _refuse_twins(root: Element) -> None:
    seen: set[tuple[str, str]] = set()
    for part in _within(root):
        name = part.attributes.get("name")
        if name is None or part.tag == "material":
            continue
        if (part.tag, name) in seen:
            raise GoughError(
                f"two of {part.tag} would be called {name!r}; rename that of the robot"
            )
        seen.add((part.tag, name))


def _within(root: Element) -> Iterator[Element]:
    yield root
    for child in root.children:
        yield from _within(child)


def _lines(root: Element, indent: str) -> Iterator[str]:
    given = {name: value for name, value in root.attributes.items() if value is not None}
    start = "".join(f" {name}={_quoted(writable(value))}" for name, value in given.items())
    if root.children:
        yield f"{indent}<{root.tag}{start}>"
        for child in root.children:
            yield from _lines(child, indent + "  ")
        yield f"{indent}</{root.tag}>"
    elif root.text:
        yield f"{indent}<{root.tag}{start}>{escape(writable(root.text))}</{root.tag}>"
    else:
        yield f"{indent}<{root.tag}{start}/>"


def _quoted(text: str) -> str:
    """An attribute's value, in the quotes of which it has fewer."""
    safe = escape(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
    if text.count('"') > text.count("'"):
        return "'" + safe.replace("'", "&apos;") + "'"
    return '"' + safe.replace('"', "&quot;") + '"'


def writable(text: str) -> str:
    """The text; GoughError of one that XML has no way to write."""
    if found := _FORBIDDEN.search(text):
        raise GoughError(f"cannot write {text!r}: XML has no {found.group()!r}")
    return text
