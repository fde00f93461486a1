"""What `gough export` writes: a row for each format, with the options that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    facts: dict[str, Any] = field(default_factory=dict)
    """What else is to be told of what was written; a writer adds to it."""


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


def _kernels(asked: Asked) -> list[Path]:
    from gough.exchange.source import export_kernels
    from gough.kinematics.model import Model

    everything = bool(asked.options.get("--all"))
    if everything == bool(asked.parts):
        wanted = "names of kernels, or --all"
        raise usage_error(f"--to {asked.format} writes kernels; expected {wanted}")
    model = Model(asked.robot, parametric=bool(asked.options.get("--parametric")))
    dtype = "float32" if asked.options.get("--float32") else "float64"
    parts = None if everything else asked.parts
    if "controller" in asked.parts:
        raise usage_error(
            "a controller needs gains; gough tune ROBOT --kind KIND --export DIR finds them, and "
            "writes it with them"
        )
    done = export_kernels(model, parts, asked.format.value, asked.directory, dtype=dtype)
    asked.facts["operations"] = {
        name: {"one pass": once, "at most": most} for name, (once, most) in done.operations.items()
    }
    asked.facts["left out"] = done.left_out
    return done.paths


_OF_KERNELS = frozenset({"--all", "--parametric"})
_WRITERS = {
    Format.C: Writer(_kernels, _OF_KERNELS | {"--float32"}),
    Format.CUDA: Writer(_kernels, _OF_KERNELS | {"--float32"}),
    Format.JAVASCRIPT: Writer(_kernels, _OF_KERNELS),
    Format.WEBASSEMBLY: Writer(_kernels, _OF_KERNELS),
}
