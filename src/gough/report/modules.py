"""One script of many modules, so that a page is a single file.

Browsers refuse to import modules beside a page that is opened from a disk. So the modules are
written one after the other, each after those that it imports and inside a function of its own:
what it exports is what the function returns, and what it imports is taken from there. Comments on
lines of their own are left out. The files themselves are plain ES modules, which a server can give
to a browser as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?=(?:const|(?:async )?function) (\w+))", re.MULTILINE)


def joined(start: str, read: Callable[[str], str]) -> str:
    """The script of a module and of all that it needs; `read` gives a module's text by name."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in modules:
            text = read(name)
            for _, needed in _IMPORT.findall(text):
                add(needed)
            modules[name] = _enclosed(name, text)

    add(start)
    return "\n".join(["const modules = {};", *modules.values()])


def _enclosed(name: str, text: str) -> str:
    exported = ", ".join(_EXPORT.findall(text))
    body = _IMPORT.sub(r"const { \1 } = modules.\2;", _COMMENT.sub("", text))
    body = _EXPORT.sub("", body).strip()
    return f"modules.{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();"
