"""A robot's kernel as source files: C99 with an example, or CUDA with its signature."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from gough.compiler.front.program import Program
from gough.compiler.source.text import MARK, c_example, c_header, c_source, cuda_source
from gough.disk.files import cannot_write, read_regular, whole
from gough.errors import GoughError
from gough.model.kernels import Kernels

_STAMP = re.compile(rf'({MARK} [^\s,;"]+)(, sha256 [0-9a-f]+)?')
"""The mark with the version and, in a file, a checksum of the text without that checksum."""
_MOST_BYTES = 2**26
"""What is longer is no source text of Gough."""


def export_kernel(
    model: Kernels, kernel: str, language: str, directory: str | Path, *, dtype: str = "float64"
) -> list[Path]:
    """Write a model's kernel into a folder, which is made if need be; the paths of the files.

    C99: `KERNEL.c`, `KERNEL.h` and `KERNEL_example.c`, which calls it at the home pose.
    CUDA: `KERNEL.cu` and `KERNEL.json`, for `gough.compiler.source.gpu.GpuKernel.load`.
    """
    if language not in ("c", "cuda"):
        raise GoughError(f"cannot export to {language!r}; expected 'c' or 'cuda'")
    if dtype not in ("float64", "float32"):
        raise GoughError(f"cannot export {dtype!r}; expected 'float64' or 'float32'")
    if language == "c" and dtype != "float64":
        raise GoughError(f"C is exported in float64 only, not {dtype}; CUDA in both")
    program = Program.of(model.function(kernel))
    if language == "c":
        values = {"pose": np.array(model.robot.home), "parameters": model.parameters}
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
    """Write files of source text, all or none; a file that is not as Gough made it stays."""
    paths = [directory / name for name in texts]
    for path in paths:
        _refuse_others(path)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(directory, error) from None
    with ExitStack() as drafts:
        for path, text in zip(paths, texts.values(), strict=True):
            drafts.enter_context(whole(path)).write_text(_stamped(text), encoding="utf-8")
    return paths


def _refuse_others(path: Path) -> None:
    """Refuse what is in the place of a file, unless it is as Gough made it."""
    try:
        text = read_regular(path, _MOST_BYTES).decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        text = ""
    if MARK in text and text == _stamped(text):
        return
    why = "changed since Gough made it" if MARK in text else "not made by Gough"
    raise GoughError(f"{path}: {why}; move it away, or give another folder")


def _stamped(text: str) -> str:
    """The text with its checksum behind the mark, by which a change is noticed."""
    bare = _STAMP.sub(r"\1", text, count=1)
    checksum = hashlib.sha256(bare.encode()).hexdigest()[:16]
    return _STAMP.sub(rf"\1, sha256 {checksum}", bare, count=1)
