"""A robot's kernel as source files: C99 with an example, or CUDA with its signature."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from gough.compiler.program import Program
from gough.compiler.source import MARK, c_example, c_header, c_source, cuda_source
from gough.disk import cannot_write, whole
from gough.errors import GoughError
from gough.model import Model
from gough.robot import Robot

_HEAD = 300
"""So many bytes at the beginning of a file are looked at."""


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
    if dtype not in ("float64", "float32"):
        raise GoughError(f"cannot export {dtype!r}; expected 'float64' or 'float32'")
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
    return write_sources(Path(directory), texts)


def write_sources(directory: Path, texts: dict[str, str]) -> list[Path]:
    """Write files of source text, all or none; a file that Gough did not make is not replaced."""
    paths = [directory / name for name in texts]
    for path in paths:
        if not _may_be_replaced(path):
            raise GoughError(f"{path}: not made by Gough; move it away, or give another folder")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(directory, error) from None
    with ExitStack() as drafts:
        for path, text in zip(paths, texts.values(), strict=True):
            drafts.enter_context(whole(path)).write_text(text, encoding="utf-8")
    return paths


def _may_be_replaced(path: Path) -> bool:
    """Whether there is nothing, or a file that says in its first lines that Gough made it."""
    try:
        with path.open("rb") as file:
            return not path.is_symlink() and MARK.encode() in file.read(_HEAD)
    except (FileNotFoundError, NotADirectoryError):
        return not path.is_symlink()
    except OSError:
        return False
