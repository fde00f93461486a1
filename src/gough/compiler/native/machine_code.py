"""Machine code for this computer: LLVM's text in, object code and an address out."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

from gough._version import __version__
from gough.compiler.front.operations import LIBRARY
from gough.compiler.front.program import Program
from gough.compiler.native import cache as object_cache
from gough.compiler.native.description import CodeDescription
from gough.compiler.native.llvm_loop import LOOP, module_text
from gough.compiler.native.threads import undisturbed
from gough.compiler.notices import compiling
from gough.errors import CompilerError

LANES = {"avx512f": 8, "avx": 4, "neon": 2, "sse2": 2}
POSSIBLE_LANES = (1, 2, 4, 8)
OPTIMIZE_VARIABLE = "GOUGH_OPTIMIZE"
LONGEST_PLAIN = 4_000_000
"""A longer text is optimized in any case: plain code keeps half as much on the stack."""


@dataclass(frozen=True)
class MachineCode:
    """A program's compiled loop: its address, which is good as long as the engine lives."""

    description: CodeDescription
    address: int
    engine: Any
    from_cache: bool


@dataclass(frozen=True)
class Host:
    """The processor that code is made for."""

    cpu: str
    features: str
    lanes: int


def compile_native(program: Program, lanes: int | None = None) -> MachineCode:
    """Machine code of a program's loop over samples, from the cache on disk if it is there.

    `lanes` is how many samples go side by side: as many as a register of this processor holds,
    unless stated.
    """
    here = host()
    if lanes is not None and lanes not in POSSIBLE_LANES:
        expected = ", ".join(map(str, POSSIBLE_LANES))
        raise CompilerError(f"{program.name}: lanes is {lanes!r}; expected one of {expected}")
    side_by_side = lanes or here.lanes
    text = module_text(program, side_by_side)
    key = sha256(f"{made_for()}\n{text}".encode()).hexdigest()
    description = CodeDescription.of(program, side_by_side, key)
    if (code := kept_code(description)) is not None:
        return code
    with compiling(program.name):
        return undisturbed(lambda: _new_code(description, text))


def kept_code(description: CodeDescription) -> MachineCode | None:
    """The machine code that a description is about, if it is in the cache on disk."""
    code = object_cache.read(description.key)
    if code is None:
        return None
    return undisturbed(lambda: _machine_code(description, code, from_cache=True))


def made_for() -> str:
    """Return what machine code depends on besides its program: Gough, LLVM and the processor."""
    here = host()
    how = "optimized" if is_optimized() else "plain"
    return f"{__version__} {llvm.llvm_version_info} {here.cpu} {here.features} {how}"


def is_optimized() -> bool:
    """Whether code is made to run fast; if not, it is there several times sooner.

    Its numbers are the same, bit for bit.
    """
    chosen = os.environ.get(OPTIMIZE_VARIABLE, "yes")
    if chosen not in ("yes", "no"):
        raise CompilerError(f"{OPTIMIZE_VARIABLE} is {chosen!r}; expected yes or no")
    return chosen == "yes"


# LLVM's bindings free memory twice if an exception comes between two of their steps: what follows
# is left undisturbed.


def _new_code(description: CodeDescription, text: str) -> MachineCode:
    optimize = is_optimized() or len(text) > LONGEST_PLAIN
    code = object_code(text, description.name, _target_machine(optimize), optimize)
    object_cache.write(description.key, code)
    return _machine_code(description, code, from_cache=False)


def _machine_code(description: CodeDescription, code: bytes, from_cache: bool) -> MachineCode:
    engine = _loaded(code)
    return MachineCode(description, engine.get_function_address(LOOP), engine, from_cache)


@cache
def host() -> Host:
    """This computer's processor, and how many doubles its registers hold."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in _library_addresses():
        llvm.add_symbol(name, address)
    features = llvm.get_host_cpu_features()
    lanes = next((n for name, n in LANES.items() if features.get(name)), 1)
    return Host(llvm.get_host_cpu_name(), features.flatten(), lanes)


def _library_addresses() -> list[tuple[str, int]]:
    """C's mathematical functions: the process may hold them where LLVM does not look."""
    names = {"linux": "libm.so.6", "darwin": "libSystem.dylib", "win32": "ucrtbase"}
    library = ctypes.CDLL(names.get(sys.platform))
    pointers = ((name, getattr(library, name)) for name in (*LIBRARY, "feclearexcept"))
    return [(name, ctypes.cast(f, ctypes.c_void_p).value or 0) for name, f in pointers]


def _target_machine(optimize: bool = True) -> Any:
    here = host()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=here.cpu, features=here.features, opt=2 if optimize else 0, jit=True
    )


def object_code(text: str, name: str, machine: Any, optimize: bool = True) -> bytes:
    """Return LLVM's object code of a module's text for a target machine."""
    try:
        module = llvm.parse_assembly(text, llvm.create_context())  # constants live as long as it
        module.verify()
    except RuntimeError as error:
        raise CompilerError(f"{name}: LLVM does not accept the program: {error}") from error
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    if optimize:
        _optimize(module, machine)
    return bytes(machine.emit_object(module))


def _optimize(module: object, machine: object) -> None:
    """Those of LLVM's usual passes that straight lines of operations gain by.

    Code is as quick as with all of them, and made in three quarters of the time.
    """
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    passes.add_ipsccp_pass()
    passes.add_global_opt_pass()
    passes.add_always_inliner_pass()
    passes.add_post_order_function_attributes_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_reassociate_pass()
    passes.add_new_gvn_pass()
    passes.add_mem_copy_opt_pass()
    passes.add_dead_store_elimination_pass()
    passes.add_instruction_combine_pass()
    passes.run(module, builder)
    NewPassManager._dispose(passes)  # its own end would call the empty one of its other base class
    passes.detach()


def _loaded(code: bytes) -> Any:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
