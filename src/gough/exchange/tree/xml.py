"""XML as people read it: an element a line, indented."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, indent, tostring

from gough._version import __version__
from gough.disk.sources import MARK
from gough.errors import GoughError

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""


def text(*values: float) -> str:
    """Numbers with blanks between them, each with as many digits as it takes to find it again."""
    return " ".join(map(_number, values))


def _number(value: float) -> str:
    short = repr(float(value)).removesuffix(".0")
    return "0" if short == "-0" else short


def element(
    tag: str, inside: Iterable[Element | None] | str = (), **attributes: str | None
) -> Element:
    """An element with attributes, and elements or a text in it; what is None is left out."""
    made = Element(tag, {key: value for key, value in attributes.items() if value is not None})
    if isinstance(inside, str):
        made.text = inside
    else:
        made.extend(child for child in inside if child is not None)
    return made


def document(root: Element, says: Iterable[str]) -> str:
    """A file, whose first lines say who made it, and what must be known of it.

    Raises GoughError where two things of a kind have the same name, as those of a robot may have
    that look like names that are made here.
    """
    _refuse_twins(root)
    lines = re.sub("-(?=-)", "- ", "\n     ".join(says))
    return f'<?xml version="1.0"?>\n<!-- {MARK} {__version__}; {lines} -->\n{xml_text(root)}'


def _refuse_twins(root: Element) -> None:
    seen: set[tuple[str, str]] = set()
    for part in root.iter():
        name = part.get("name")
        if name is None or part.tag == "material":
            continue
        if (part.tag, name) in seen:
            raise GoughError(
                f"two of {part.tag} would be called {name!r}; rename that of the robot"
            )
        seen.add((part.tag, name))


def xml_text(root: Element) -> str:
    """The lines of an element; GoughError of a text that XML has no way to write."""
    for part in root.iter():
        for text in (*part.attrib.values(), part.text or ""):
            if found := _FORBIDDEN.search(text):
                raise GoughError(f"cannot write {text!r}: XML has no {found.group()!r}")
    indent(root)
    return tostring(root, "unicode") + "\n"
