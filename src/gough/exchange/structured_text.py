"""A robot's kernels as Structured Text (IEC 61131-3): function blocks for PLCs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gough.compiler.front.program import Program
from gough.compiler.source.structured_text import structured_text
from gough.disk.sources import write_sources
from gough.errors import GoughError
from gough.model.kernels import Kernels


def export_structured_text(
    model: Kernels, kernels: Sequence[str], directory: str | Path
) -> list[Path]:
    """Write each of a model's kernels into a folder as `KERNEL.st`; the paths of the files.

    A file has a function block of the kernel's name and all that it calls. Its inputs and outputs
    are LREAL, in arrays from 0, with their units in comments.
    """
    if not kernels:
        raise GoughError("Structured Text of no kernel; expected names, such as inverse_kinematics")
    programs = [Program.of(model.function(name)) for name in dict.fromkeys(kernels)]
    return write_sources(Path(directory), {f"{p.name}.st": structured_text(p) for p in programs})
