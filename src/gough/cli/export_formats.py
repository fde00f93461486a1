"""What `gough export` writes: a row for each format, with the options that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.cli.output import usage_error, wrong_usage

if TYPE_CHECKING:
    from gough.robot import Robot


class Format(StrEnum):
    """What a machine, or a part of it, can be written as."""

    C = "c"
    CUDA = "cuda"
    JAVASCRIPT = "js"
    WEBASSEMBLY = "wasm"
    STRUCTURED_TEXT = "st"
    LINUXCNC = "linuxcnc"


@dataclass(frozen=True)
class Asked:
    """What a user asked to be exported."""

    robot: Robot
    parts: list[str]
    """Of the machine: names of kernels, say; none: all of it."""
    format: Format
    directory: Path
    options: Mapping[str, Any]
    """Those that were given, by their names on the command line."""


@dataclass(frozen=True)
class Writer:
    """How one format is written, and which options it takes."""

    write: Callable[[Asked], list[Path]]
    options: frozenset[str] = frozenset()


def written(asked: Asked) -> list[Path]:
    """Write it; the paths of the files. An option that the format does not take is refused."""
    writer = _WRITERS[asked.format]
    for option in asked.options:
        if option not in writer.options:
            takers = ", ".join(f for f, other in _WRITERS.items() if option in other.options)
            raise wrong_usage(option, f"not for --to {asked.format}; for {takers}")
    return writer.write(asked)


def _kernel(asked: Asked) -> list[Path]:
    from gough.exchange.source import export_kernel
    from gough.kinematics.model import Model

    if len(asked.parts) != 1:
        raise usage_error(f"--to {asked.format} writes one kernel; got {len(asked.parts)} names")
    model = Model(asked.robot, parametric=bool(asked.options.get("--parametric")))
    dtype = "float32" if asked.options.get("--float32") else "float64"
    return export_kernel(model, asked.parts[0], asked.format.value, asked.directory, dtype=dtype)


def _structured_text(asked: Asked) -> list[Path]:
    from gough.exchange.structured_text import export_structured_text
    from gough.kinematics.model import Model

    model = Model(asked.robot, parametric=bool(asked.options.get("--parametric")))
    return export_structured_text(model, asked.parts, asked.directory)


def _linuxcnc(asked: Asked) -> list[Path]:
    from gough.exchange.linuxcnc.component import export_linuxcnc

    if asked.parts:
        raise usage_error(f"--to {asked.format} writes the machine, no parts; got {asked.parts[0]}")
    return export_linuxcnc(asked.robot, asked.directory)


_WRITERS = {
    Format.C: Writer(_kernel, frozenset({"--parametric"})),
    Format.CUDA: Writer(_kernel, frozenset({"--parametric", "--float32"})),
    Format.JAVASCRIPT: Writer(_kernel, frozenset({"--parametric"})),
    Format.WEBASSEMBLY: Writer(_kernel, frozenset({"--parametric"})),
    Format.STRUCTURED_TEXT: Writer(_structured_text, frozenset({"--parametric"})),
    Format.LINUXCNC: Writer(_linuxcnc),
}
