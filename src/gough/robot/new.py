"""New robot files: one of each kind, with the meaning of every key, to be made one's own."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Final

from gough.fields.commented import HEAD, commented
from gough.robot.files import library_names, path_of, read

HEXAPOD: Final = "hexapod"
_TEMPLATE = Path(__file__).parent / "templates" / "hexapod.toml"
_OF_THE_LIBRARY = re.compile(
    r'^(#:schema [^\n]*|reference = [^\n]*|notes = """.*?""")\n', re.M | re.S
)


@cache
def kinds() -> tuple[str, ...]:
    """The kinds of machine that a new file can begin as: a hexapod, or one of the library."""
    others = (name for name in library_names() if read(name)["schema"] == "gough/2")
    return (HEXAPOD, *others)


def new_robot(kind: str, name: str) -> str:
    """The text of a robot file of a kind, under a name of one's own."""
    if kind == HEXAPOD:
        title, text = "A hexapod with extensible legs.", _TEMPLATE.read_text("utf-8")
    else:
        title = f"Begun as the machine {kind} of Gough's library; 'gough show {kind}' shows it."
        text = _OF_THE_LIBRARY.sub("", path_of(kind).read_text("utf-8"))
    named = re.sub(
        r'^name = ".*"$',
        lambda _: f"name = {json.dumps(name, ensure_ascii=False)}",
        text,
        count=1,
        flags=re.M,
    )
    version = 1 if kind == HEXAPOD else 2
    schema = Path(__file__).with_name(f"gough-{version}.schema.json").read_text("utf-8")
    return HEAD.format(title=title) + commented(named, json.loads(schema))
