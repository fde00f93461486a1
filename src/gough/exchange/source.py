"""A robot's kernels as source files: C99, CUDA, JavaScript, WebAssembly, Structured Text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from reprlib import repr as short
from typing import Any, NamedTuple

from gough.compiler.front.function import Function
from gough.compiler.front.joined import joined
from gough.compiler.front.program import Program
from gough.compiler.front.rebuilt import for_single_precision, sharing_routines
from gough.compiler.source.c import c_example, c_header, c_source
from gough.compiler.source.cuda import cuda_source
from gough.compiler.source.javascript import javascript_source
from gough.compiler.source.library import Library, c_identifier, is_single
from gough.compiler.source.structured_text import structured_text
from gough.compiler.source.webassembly import webassembly_source
from gough.disk.sources import Texts, write_sources
from gough.errors import CompilerError, GoughError
from gough.exchange.example_state import example_state
from gough.kinematics.forward.kernel import STEP
from gough.kinematics.forward.precision import DOUBLE, SINGLE
from gough.kinematics.forward.tracking import tracking_function
from gough.model.kernels import Kernels

FORWARD = "forward_kinematics"
"""What can be exported beside kernels."""
_OF_ROUNDING = frozenset({"is_singular", "constraint_pivot"})
"""Kernels that tell what vanishes from what double precision leaves of it."""


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    paths: list[Path]
    operations: dict[str, tuple[int, int]]
    """Of each function: scalar operations with one pass of each iteration, and at most."""
    left_out: dict[str, str]
    """Kernels that cannot be written so, and why."""


def export_kernel(
    model: Kernels, kernel: str, language: str, directory: str | Path, *, dtype: str = "float64"
) -> list[Path]:
    """Write a model's kernel into a folder, which is made if need be; the paths of the files.

    C99 ("c"): `KERNEL.c`, `KERNEL.h` and `KERNEL_example.c`, which calls it at the home pose.
    CUDA ("cuda"): `KERNEL.cu` and `KERNEL.json`, for `gough.compiler.GpuKernel.load`.
    JavaScript ("js"): `KERNEL.js`, a module of one function.
    WebAssembly ("wasm"): `KERNEL_batch.js`, a module that holds it, for many samples at once.
    Structured Text ("st"): `KERNEL.st`, a function block for PLCs with all that it calls.

    The kernel may also be `forward_kinematics`: one sample of a path a call. With dtype "float32",
    C and CUDA are in single precision.
    """
    return export_kernels(model, [kernel], language, directory, dtype=dtype).paths


def export_kernels(
    model: Kernels,
    kernels: Sequence[str] | None,
    language: str,
    directory: str | Path,
    *,
    dtype: str = "float64",
    at_once: bool = False,
    prefix: str = "",
) -> Exported:
    """Write several kernels as `export_kernel` does, or by None all that can be.

    In C two or more are one library, `ROBOT.c`, `ROBOT.h` and `ROBOT_example.c`, named as the robot
    is, which has what several of them call once. If `at_once`, two or more are one function in any
    language, named as the robot is, which computes what they share once. A `prefix` stands before
    the names of functions and, in capitals, of places of parameters, so that those of several
    machines can be in one program.
    """
    _check(model, kernels, language, dtype, prefix)
    programs, left_out = dict[Function, Program](), dict[str, str]()
    for name in [FORWARD, *model.kernel_names] if kernels is None else dict.fromkeys(kernels):
        try:
            function = _function(model, name, dtype)
            programs[function] = _program(model, function, dtype)
        except CompilerError as error:
            if kernels is not None:
                raise
            left_out[name] = str(error)
    found = list(programs.values())
    if at_once and len(found) > 1:
        found = [_program(model, joined(c_identifier(model.robot.name), list(programs)), dtype)]
    written = [replace(program, name=prefix + program.name) for program in found]
    paths = write_sources(Path(directory), _WRITERS[language](written, _Form(model, dtype, prefix)))
    work = {p.name: (p.n_operations, p.most_operations) for p in written}
    return Exported(paths, work, left_out)


def exported_program(model: Kernels, kernel: str, dtype: str = "float64") -> Program:
    """The program of a kernel, or of `forward_kinematics`, that suits a kind of numbers."""
    return _program(model, _function(model, kernel, dtype), dtype)


def _program(model: Kernels, function: Function, dtype: str) -> Program:
    program = Program.of(function, model.robot.identity)
    return for_single_precision(program, suited={STEP}) if is_single(dtype) else program


def _function(model: Kernels, name: str, dtype: str) -> Function:
    single = is_single(dtype)
    if single and name in _OF_ROUNDING:
        raise CompilerError(
            f"{name} tells zero from the rounding of double precision; expected float64"
        )
    if name == FORWARD:
        return tracking_function(model.machines, SINGLE if single else DOUBLE)
    return model.function(name)


def _check(model: Any, kernels: Any, language: Any, dtype: str, prefix: Any) -> None:
    if not isinstance(model, Kernels):
        raise GoughError(f"model is {short(model)}; expected a model, such as gough.Model(robot)")
    several = isinstance(kernels, Iterable) and not isinstance(kernels, str)
    if kernels is not None and not (several and kernels):
        got = repr(kernels) if kernels else "no kernel"
        raise GoughError(f'{got} to export; expected a list of names, such as ["jacobian"]')
    if not isinstance(prefix, str):
        raise GoughError(f"prefix is {short(prefix)}; expected a word, such as 'delta_'")
    if not isinstance(language, str) or language not in _WRITERS:
        expected = ", ".join(repr(known) for known in _WRITERS)
        raise GoughError(f"cannot export to {language!r}; expected one of {expected}")
    if is_single(dtype) and language not in ("c", "cuda"):
        raise GoughError(f"{dtype} is for C and CUDA; the other languages have float64 only")


class _Form(NamedTuple):
    """Of which model texts are, and how they are wanted."""

    model: Kernels
    dtype: str
    prefix: str


def _c(programs: Sequence[Program], form: _Form) -> Texts:
    model = form.model
    name = programs[0].name if len(programs) == 1 else c_identifier(model.robot.name)
    names = tuple(model.parameter_names) if model.parametric else ()
    single = is_single(form.dtype)
    library = Library(name, sharing_routines(programs), single, names, form.prefix)
    inputs = {a.name for program in programs for a in program.inputs}
    return {
        f"{name}.h": c_header(library),
        f"{name}.c": c_source(library),
        f"{name}_example.c": c_example(library, example_state(model, inputs)),
    }


def _cuda(programs: Sequence[Program], form: _Form) -> Texts:
    texts = {}
    for program in programs:
        source, signature = cuda_source(program, form.dtype)
        texts[f"{program.name}.cu"] = source
        texts[f"{program.name}.json"] = json.dumps(signature, indent=2) + "\n"
    return texts


def _javascript(programs: Sequence[Program], _: _Form) -> Texts:
    return {f"{program.name}.js": javascript_source(program) for program in programs}


def _webassembly(programs: Sequence[Program], _: _Form) -> Texts:
    return {f"{program.name}_batch.js": webassembly_source(program) for program in programs}


def _structured_text(programs: Sequence[Program], _: _Form) -> Texts:
    return {f"{program.name}.st": structured_text(program) for program in programs}


_WRITERS: dict[str, Callable[[Sequence[Program], _Form], Texts]] = {
    "c": _c, "cuda": _cuda, "js": _javascript, "wasm": _webassembly,
    "st": _structured_text,
}  # fmt: skip
