"""A robot's kernel as source files: C99 with an example, or CUDA with its signature."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import numpy as np

from gough.compiler.program import Program
from gough.compiler.source import c_example, c_header, c_source, cuda_source
from gough.errors import GoughError
from gough.model import Model
from gough.robot import Robot


def export_kernel(
    robot: Robot,
    kernel: str,
    language: str,
    directory: str | Path,
    *,
    dtype: str = "float64",
    parametric: bool = False,
) -> list[Path]:
    """Write a kernel into a folder, which is made if need be; the paths of the files.

    C99: `KERNEL.c`, `KERNEL.h` and `KERNEL_example.c`, which calls it at the home pose.
    CUDA: `KERNEL.cu` and `KERNEL.json`, for `gough.compiler.gpu.GpuKernel.load`.
    """
    if language not in ("c", "cuda"):
        raise GoughError(f"cannot export to {language!r}; expected 'c' or 'cuda'")
    if language == "c" and dtype != "float64":
        raise GoughError(f"C is exported in float64 only, not {dtype}; CUDA in both")
    model = Model(robot, parametric=parametric)
    program = Program.of(model.function(kernel))
    if language == "c":
        values = {"pose": np.array(robot.home), "parameters": model.parameters}
        texts = {
            f"{kernel}.h": c_header(program),
            f"{kernel}.c": c_source(program),
            f"{kernel}_example.c": c_example(program, values),
        }
    else:
        source, signature = cuda_source(program, dtype)
        texts = {f"{kernel}.cu": source, f"{kernel}.json": json.dumps(signature, indent=2) + "\n"}
    return write_texts(Path(directory), texts)


def write_texts(directory: Path, texts: dict[str, str]) -> list[Path]:
    """Write all files into a folder, which is made if need be, or none; their paths."""
    paths = [directory / name for name in texts]
    drafts = [path.with_name(f".{path.name}.part") for path in paths]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for draft, text in zip(drafts, texts.values(), strict=True):
            draft.write_text(text, encoding="utf-8")
        for draft, path in zip(drafts, paths, strict=True):
            draft.replace(path)
    except OSError as error:
        for draft in drafts:
            with contextlib.suppress(OSError):
                draft.unlink()
        raise GoughError(f"{directory}: cannot be written: {error.strerror}") from None
    return paths
