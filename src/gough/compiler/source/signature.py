"""What an exported function takes and gives, in plain data: for those who call it."""

from __future__ import annotations

from typing import Any

from gough._version import __version__
from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program
from gough.disk.sources import MARK

Signature = dict[str, Any]


def signature(program: Program, dtype: str = "float64") -> Signature:
    """Name, documentation and arguments of a program."""
    return {
        "comment": "; ".join(filter(None, [f"{MARK} {__version__}", program.origin])),
        "name": program.name,
        "dtype": dtype,
        "doc": program.doc.strip(),
        "inputs": [_described(a) for a in program.inputs],
        "outputs": [_described(a) for a in program.outputs],
    }


def _described(argument: Argument) -> Signature:
    fields = ("name", "unit", "meaning", "optional")
    return {"shape": list(argument.shape), **{f: getattr(argument, f) for f in fields}}
