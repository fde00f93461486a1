"""A robot's kernel as source files: C99 with an example, or CUDA with its signature."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from gough.compiler.front.program import Program
from gough.compiler.source.c import c_example, c_header, c_source
from gough.compiler.source.cuda import cuda_source
from gough.disk.sources import write_sources
from gough.errors import GoughError
from gough.model.kernels import Kernels


def export_kernel(
    model: Kernels, kernel: str, language: str, directory: str | Path, *, dtype: str = "float64"
) -> list[Path]:
    """Write a model's kernel into a folder, which is made if need be; the paths of the files.

    C99: `KERNEL.c`, `KERNEL.h` and `KERNEL_example.c`, which calls it at the home pose.
    CUDA: `KERNEL.cu` and `KERNEL.json`, for `gough.compiler.GpuKernel.load`.
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
