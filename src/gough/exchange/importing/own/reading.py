"""Whether files are as Gough wrote them, and the robot's data if they are."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from gough.disk.sources import as_made
from gough.errors import about_file
from gough.exchange.importing.loop_file import MOST_BYTES, WANTED, loop_table
from gough.exchange.importing.own.mjcf_file import written_mjcf
from gough.exchange.importing.own.rebuilt import rebuilt
from gough.exchange.importing.own.urdf_file import written_urdf
from gough.exchange.importing.own.written import Facts
from gough.fields.user_files import read_text

_NOT_OWN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What comes of a file with the checksum of Gough's own that says something else: anybody can make
one, and it is read as everybody else's."""


def own_data(root: Xml.Element, text: str, loops: Path | None) -> Facts | None:
    """The data of a robot file, of files that Gough wrote; None if others did, or changed them.

    `text` is that of the file whose top element is the root.
    """
    if not as_made(text):
        return None
    with suppress(*_NOT_OWN):
        return _rebuilt(root, loops)
    return None


def _rebuilt(root: Xml.Element, loops: Path | None) -> Facts | None:
    if loops is None:
        return rebuilt(written_mjcf(root))
    beside = read_text(loops, WANTED, MOST_BYTES)
    if not as_made(beside):
        return None
    with about_file(loops):
        table = loop_table(beside, typed=True)
    return rebuilt(written_urdf(root, table)) if _belongs(table, root) else None


def _belongs(loops: dict[str, Any], root: Xml.Element) -> bool:
    """Whether a file of loops was written beside a URDF file that has no loops itself."""
    links = {link.get("name") for link in root.findall("link")}
    frames = {frame for pair in loops["closed_loop"] for frame in pair}
    same = loops["gough"]["robot"]["name"] == root.get("name")
    return same and frames <= links and root.find("loop") is None
