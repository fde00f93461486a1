"""A robot's kernel as source files: C99, CUDA, JavaScript, or JavaScript around WebAssembly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gough.compiler.front.program import Program
from gough.compiler.source.c import c_example, c_header, c_source
from gough.compiler.source.cuda import cuda_source
from gough.compiler.source.javascript import javascript_source
from gough.compiler.source.webassembly import webassembly_source
from gough.disk.sources import write_sources
from gough.errors import GoughError
from gough.model.kernels import Kernels

Texts = dict[str, str]
"""By the names of files."""


def export_kernel(
    model: Kernels, kernel: str, language: str, directory: str | Path, *, dtype: str = "float64"
) -> list[Path]:
    """Write a model's kernel into a folder, which is made if need be; the paths of the files.

    C99 ("c"): `KERNEL.c`, `KERNEL.h` and `KERNEL_example.c`, which calls it at the home pose.
    CUDA ("cuda"): `KERNEL.cu` and `KERNEL.json`, for `gough.compiler.GpuKernel.load`.
    JavaScript ("js"): `KERNEL.js`, a module of one function.
    WebAssembly ("wasm"): `KERNEL_batch.js`, a module that holds it, for many samples at once.
    """
    if language not in _WRITERS:
        expected = ", ".join(repr(known) for known in _WRITERS)
        raise GoughError(f"cannot export to {language!r}; expected one of {expected}")
    if dtype not in ("float64", "float32"):
        raise GoughError(f"cannot export {dtype!r}; expected 'float64' or 'float32'")
    if language != "cuda" and dtype != "float64":
        raise GoughError(f"{dtype} is for CUDA; the other languages have float64 only")
    program = Program.of(model.function(kernel))
    return write_sources(Path(directory), _WRITERS[language](program, model, dtype))


def _c(program: Program, model: Kernels, _: str) -> Texts:
    values = {"pose": np.array(model.robot.home), "parameters": model.parameters}
    return {
        f"{program.name}.h": c_header(program),
        f"{program.name}.c": c_source(program),
        f"{program.name}_example.c": c_example(program, values),
    }


def _cuda(program: Program, _: Kernels, dtype: str) -> Texts:
    source, signature = cuda_source(program, dtype)
    described = json.dumps(signature, indent=2) + "\n"
    return {f"{program.name}.cu": source, f"{program.name}.json": described}


def _javascript(program: Program, _model: Kernels, _dtype: str) -> Texts:
    return {f"{program.name}.js": javascript_source(program)}


def _webassembly(program: Program, _model: Kernels, _dtype: str) -> Texts:
    return {f"{program.name}_batch.js": webassembly_source(program)}


_WRITERS: dict[str, Callable[[Program, Kernels, str], Texts]] = {
    "c": _c, "cuda": _cuda, "js": _javascript, "wasm": _webassembly,
}  # fmt: skip
