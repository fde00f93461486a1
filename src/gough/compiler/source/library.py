"""Programs that are written into one pair of files, header and source."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Self

from gough._version import __version__
from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program
from gough.disk.plain_data import PlainData
from gough.disk.sources import MARK
from gough.errors import GoughError

Signature = PlainData


@dataclass(frozen=True)
class Library:
    """Programs with a name for all of them; routines that several call are written once."""

    name: str
    programs: tuple[Program, ...]
    single: bool = False
    """Whether numbers are of single precision."""
    parameter_names: tuple[str, ...] = ()
    """Names of the elements of an input `parameters`, for the header."""
    prefix: str = ""
    """Prefix of the names of its functions."""

    @classmethod
    def of(cls, what: Program | Self) -> Library:
        """A library, or a program as one."""
        return cls(what.name, (what,)) if isinstance(what, Program) else what

    @property
    def origin(self) -> str:
        """Origin of the programs."""
        return "; ".join(dict.fromkeys(program.origin for program in self.programs))


def is_single(dtype: str) -> bool:
    """Whether numbers of a type are of single precision; GoughError of a type that is not known."""
    if dtype not in ("float64", "float32"):
        raise GoughError(f"cannot export {dtype!r}; expected 'float64' or 'float32'")
    return dtype == "float32"


def c_identifier(name: str) -> str:
    """A name as letters, digits and single _, beginning with a letter."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return plain if re.match(r"[A-Za-z]", plain) else f"robot_{plain}".rstrip("_")


def index_names(names: tuple[str, ...]) -> list[str]:
    """Names of numbers as constants of C: LEGS_0_BASE_X of legs[0].base.x, each another one."""
    plain = [c_identifier(name).upper() for name in names]
    count = Counter(plain)
    return [name if count[name] == 1 else f"{name}_{k}" for k, name in enumerate(plain)]


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
