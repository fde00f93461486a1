"""A program as CUDA text for GPUs: a kernel over samples, one thread each."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program
from gough.compiler.source.c import C
from gough.compiler.source.language import banner, braces
from gough.compiler.source.library import Signature, signature

_CONSTANTS = """#ifndef NAN  /* the run-time compiler has no math.h */
#define NAN (__int_as_float(0x7fffffff))
#define INFINITY (__int_as_float(0x7f800000))
#endif
"""


class _Double(C):
    private = "static __device__ void"


class _Single(_Double):
    real, suffix = "float", "f"


_LANGUAGES = {np.dtype(np.float64): _Double, np.dtype(np.float32): _Single}


def cuda_source(program: Program, dtype: Any = np.float64) -> tuple[str, Signature]:
    """CUDA text and its signature (plain data).

    Every array comes with two strides, in numbers: from sample to sample and from element to
    element. Structure-of-arrays data (1, n) makes a warp read adjacent memory; a sample stride
    of 0 repeats one sample for all.
    """
    language = _LANGUAGES[np.dtype(dtype)](program)
    inputs = [f"in{k}" for k in range(len(program.inputs))]
    outputs = [f"out{k}" for k in range(len(program.outputs))]
    parameters = ["const long long n"]
    for name in inputs:
        parameters += [f"const {language.real} *__restrict__ {name}", *_stride_parameters(name)]
    for name in outputs:
        parameters += [f"{language.real} *__restrict__ {name}", *_stride_parameters(name)]
    body = [
        "const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;",
        "if (i >= n) return;",
        *language.assigned(
            program, _strided(program.inputs, inputs), _strided(program.outputs, outputs)
        ),
    ]
    listed = ",\n    ".join(parameters)
    main = f'extern "C" __global__ void {program.name}(\n    {listed})\n{braces(body)}'
    parts = [banner(program), _CONSTANTS, *language.functions(), main]
    return "\n".join(parts) + "\n", signature(program, np.dtype(dtype).name)


def _strided(arguments: tuple[Argument, ...], names: list[str]) -> list[str]:
    return [
        f"{name}[i * {name}_sample + {k} * {name}_element]"
        for a, name in zip(arguments, names, strict=True)
        for k in range(a.size)
    ]


def _stride_parameters(name: str) -> list[str]:
    return [f"const long long {name}_sample", f"const long long {name}_element"]
