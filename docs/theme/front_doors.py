"""An extension of Griffe, which reads sources for the API pages and does not run them.

It learns what a room offers from the stub of its front door, what a key of a file means from its
`Field`, and that lines after `>>>` are code.
"""

import ast
import re
from typing import Any

from griffe import Attribute, Docstring, ExprCall, ExprKeyword, Extension, Module, Object

DOCTEST = re.compile(r"^>>> (?:.+\n?)+", re.M)


class FrontDoors(Extension):
    """Additions of the API pages to docstrings."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Name what each `__init__.pyi` takes from its room."""
        for room in (pkg, *pkg.modules.values()):
            if room.is_init_module and not room.is_alias:
                own = (name for name, path in room.imports.items() if path.startswith(pkg.name))
                room.exports = list(own)

    def on_attribute(self, *, attr: Attribute, **_: Any) -> None:
        """Take the description of a field for its docstring."""
        if attr.docstring is None and isinstance(attr.value, ExprCall):
            for part in attr.value.arguments:
                if isinstance(part, ExprKeyword) and part.name == "description":
                    attr.docstring = Docstring(_text(str(part.value)), parent=attr)

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fence the code in a docstring."""
        if obj.docstring:
            text = DOCTEST.sub(lambda code: f"```pycon\n{code[0]}\n```\n", obj.docstring.value)
            obj.docstring.value = text


def _text(source: str) -> str:
    """Return the value of a literal; other expressions as they are written."""
    try:
        return str(ast.literal_eval(source))
    except (ValueError, SyntaxError):
        return source
