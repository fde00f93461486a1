"""What an MJCF file says and names, looked at before MuJoCo opens any of it.

MuJoCo waits for pipes, reads files anywhere, and takes a number that is none for one not given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

from gough.errors import InputError, about_file
from gough.exchange.importing.safe_xml import MOST_BYTES, parsed_xml
from gough.exchange.importing.tree import MOST_LINKS
from gough.fields.user_files import read_text, within

MOST_FILES = 100
_WANTED = "an MJCF file"
_FOLDERS = ("meshdir", "texturedir", "assetdir")
_NAMES = ("name", "model")
_NAN = re.compile(r"[+-]?nan(\(\w*\))?", re.IGNORECASE)


def refuse_unfit_files(root: Xml.Element, path: Path) -> None:
    """Refuse numbers that are not finite, and files elsewhere or that are none.

    Other MJCF files may be in the folder of the first one alone; meshes and the like anywhere, but
    each must be a regular file.
    """
    waiting, seen = [(root, path)], {path}
    folders, assets = {path.parent}, list[str]()
    while waiting:
        top, file = waiting.pop()
        with about_file(file):
            found = dict.fromkeys(_included(top, path, file))
            for element in top.iter():
                _refuse_unfit_numbers(element)
                folders |= {path.parent / element.get(key, "") for key in _FOLDERS}
                assets += _files(element)
        for inner in found.keys() - seen:
            text = read_text(inner, _WANTED, MOST_BYTES)
            waiting.append((parsed_xml(text, inner, _WANTED), inner))
        seen |= found.keys()
        if len(seen) > MOST_FILES:
            raise InputError("too many files", file=path, expected=f"at most {MOST_FILES}")
    with about_file(path):
        _refuse_irregular(assets, folders)


def _included(top: Xml.Element, path: Path, file: Path) -> Iterator[Path]:
    """The MJCF files that a file names, where they are; MuJoCo says so if one is not there."""
    for element in (*top.iter("include"), *top.iter("model")):
        if name := element.get("file"):
            places = [within(folder, name) for folder in (path.parent, file.parent)]
            yield from [place for place in places if place.exists()][:1]


def _files(element: Xml.Element) -> list[str]:
    """The files that an element names, but for MJCF files."""
    if element.tag in ("include", "model"):
        return []
    return [value for key, value in element.items() if key.startswith("file") and value]


def _refuse_irregular(names: list[str], folders: set[Path]) -> None:
    """Refuse pipes and devices, in all folders where a file may be."""
    for name in dict.fromkeys(names):
        for place in (folder / part for folder in folders for part in (name, Path(name).name)):
            if place.exists() and not place.is_file():
                raise InputError("not a regular file", value=str(place), expected="a file")


def _refuse_unfit_numbers(element: Xml.Element) -> None:
    for key, value in element.items():
        where = f"<{element.tag} {key}>"
        if key not in _NAMES and not all(map(_finite, value.split())):
            raise InputError("not a finite number", key=where, value=value, expected="numbers")
        if key == "count" and any(float(n) > MOST_LINKS for n in re.findall(r"\d+", value)):
            expected = f"at most {MOST_LINKS:,}"
            raise InputError("too many", key=where, value=value, expected=expected)


def _finite(word: str) -> bool:
    """Whether a word is anything but a number that is not finite."""
    try:
        return math.isfinite(float(word))
    except ValueError:
        return not _NAN.fullmatch(word)
