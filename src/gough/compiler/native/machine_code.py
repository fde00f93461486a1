"""Machine code for this computer: LLVM's text in, object code and an address out."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from hashlib import sha256
from typing import Any, Self

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

from gough._version import __version__
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.operations import LIBRARY
from gough.compiler.front.program import Program, flat_size
from gough.compiler.memo import MakerCall, compiling
from gough.compiler.native import cache as object_cache
from gough.compiler.native.llvm_loop import BY_LIBRARY, FLAGS_HERE, LOOP, module_text, sequence_text
from gough.compiler.native.threads import undisturbed
from gough.errors import CompilerError

LANES = {"avx512f": 8, "avx": 4, "neon": 2, "sse2": 2}
POSSIBLE_LANES = (1, 2, 4, 8)
PLAIN_LANES = 4
"""Maximum lanes of code that is not optimized: its values lie in memory, and wider ones are slower.
"""
OPTIMIZE_VARIABLE = "GOUGH_OPTIMIZE"
PASSES: tuple[str, ...] = (
    "ipsccp", "global_opt", "always_inliner", "post_order_function_attributes", "sroa",
    "simplify_cfg", "instruction_combine", "reassociate", "new_gvn", "mem_copy_opt",
    "dead_store_elimination", "instruction_combine",
)  # fmt: skip
"""Those of LLVM's usual passes that straight lines of operations gain by.

Code is as quick as with all of them, and made in three quarters of the time.
"""
_FEWER_PASSES: tuple[str, ...] = (
    "always_inliner", "sroa", "simplify_cfg", "instruction_combine", "new_gvn",
    "dead_store_elimination",
)  # fmt: skip
"""Those that long programs gain by: made in five sixths of the time, and slower by 2 %."""
LONG = 8_000
"""Number of operations of programs that take a second to compile."""


@dataclass(frozen=True)
class CodeDescription:
    """Name, arguments and documentation of a function, its work, and where its code is kept."""

    name: str
    doc: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    n_operations: int
    """Number of scalar operations of one sample."""
    most_operations: int
    """Maximum number of scalar operations of one sample, if no iteration stops early."""
    lanes: int
    """Number of samples that are computed side by side."""
    key: str
    """Key of the object code in the cache on disk."""
    carried: tuple[tuple[str, str], ...] = ()
    """Inputs of a recurrence that are outputs of the sample before, each with that output."""

    @property
    def stack(self) -> int:
        """Maximum stack of its code [bytes]: a place for each operation and copied argument."""
        arguments = flat_size((*self.inputs, *self.outputs))
        return 8 * self.lanes * (self.n_operations + 4 * arguments)

    def written(self) -> bytes:
        """All of it as bytes, for a file."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def read(cls, written: bytes) -> CodeDescription:
        """Return the description that such bytes contain."""
        facts = json.loads(written)
        arguments = {side: tuple(map(Argument.of, facts[side])) for side in ("inputs", "outputs")}
        carried = tuple(map(tuple, facts["carried"]))
        return cls(**{**facts, **arguments, "carried": carried})


@dataclass(frozen=True)
class MachineCode:
    """A program's compiled loop: its address, which is good as long as the engine lives."""

    description: CodeDescription
    address: int
    engine: Any
    from_cache: bool


class Compiled(ABC):
    """A compiled function, which is made anew from its symbols or from its maker's call."""

    made_by: MakerCall | None = None
    """Call that makes it again, if that is known."""

    @classmethod
    def from_disk(cls, code: MachineCode, made_by: MakerCall) -> Self:
        """That of code from the disk, made anew if its symbols are asked for."""
        found = cls.__new__(cls)
        found.made_by = made_by
        found._run_by(code)
        return found

    @cached_property
    def function(self) -> Function:
        """The symbolic function behind it: for derivatives, export, or use in others."""
        assert self.made_by is not None, "one without a maker has its function"
        made: Compiled = self.made_by()
        return made.function

    @property
    def description(self) -> CodeDescription:
        """Its name, arguments and documentation."""
        return self._code.description

    @abstractmethod
    def _run_by(self, code: MachineCode) -> None:
        """Take the machine code."""
        self._code = code


@dataclass(frozen=True)
class Host:
    """The processor that code is made for."""

    cpu: str
    features: str
    lanes: int


def compile_native(
    program: Program, lanes: int | None = None, *, optimize: bool = True, sequences: bool = False
) -> MachineCode:
    """Machine code of a program's loop, from the disk if there; `lanes` as given, or the host's.

    The loop is over samples that know nothing of each other, or along `sequences`.

    Without `optimize` it is made sooner, in time that is proportional to its length; its numbers
    are the same.
    """
    if lanes is not None and lanes not in POSSIBLE_LANES:
        expected = ", ".join(map(str, POSSIBLE_LANES))
        raise CompilerError(f"{program.name}: lanes is {lanes!r}; expected one of {expected}")
    optimize = optimize and is_optimized()
    side_by_side = lanes or (host().lanes if optimize else min(host().lanes, PLAIN_LANES))
    text = (sequence_text if sequences else module_text)(program, side_by_side)
    key = sha256(f"{made_for()}\n{text}".encode()).hexdigest()
    named = program.name, program.doc, program.inputs, program.outputs
    work = program.n_operations, program.most_operations
    description = CodeDescription(*named, *work, side_by_side, key)
    if (code := kept_code(description)) is not None:
        return code
    with compiling(program.name):
        return undisturbed(lambda: _new_code(description, text, optimize))


def kept_code(description: CodeDescription) -> MachineCode | None:
    """The machine code that a description is about, if it is in the cache on disk."""
    code = object_cache.read(description.key)
    if code is None:
        return None
    return undisturbed(lambda: _loaded(description, code, from_cache=True))


def made_for() -> str:
    """Return what machine code depends on besides its program: Gough, LLVM and the processor."""
    here = host()
    how = "optimized" if is_optimized() else "plain"
    return f"{__version__} {llvm.llvm_version_info} {here.cpu} {here.features} {how}"


def is_optimized() -> bool:
    """Whether code is made to run fast, or several times sooner; its numbers are the same."""
    chosen = os.environ.get(OPTIMIZE_VARIABLE, "yes")
    if chosen not in ("yes", "no"):
        raise CompilerError(f"{OPTIMIZE_VARIABLE} is {chosen!r}; expected yes or no")
    return chosen == "yes"


# LLVM's bindings free memory twice if an exception comes between two of their steps: what follows
# is left undisturbed.


def _new_code(description: CodeDescription, text: str, optimize: bool) -> MachineCode:
    level, passes = (1, _FEWER_PASSES) if description.n_operations > LONG else (2, PASSES)
    if not optimize:
        level, passes = 0, ()
    code = object_code(text, description.name, _target_machine(level), passes)
    object_cache.write(description.key, code)
    return _loaded(description, code, from_cache=False)


def _loaded(description: CodeDescription, code: bytes, from_cache: bool) -> MachineCode:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return MachineCode(description, engine.get_function_address(LOOP), engine, from_cache)


@cache
def host() -> Host:
    """This computer's processor, and how many doubles its registers hold."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # C's mathematical functions: the process may hold them where LLVM does not look
    names = {"linux": "libm.so.6", "darwin": "libSystem.dylib", "win32": "ucrtbase"}
    library = ctypes.CDLL(names.get(sys.platform))
    for name in (*LIBRARY, *(["feclearexcept"] if FLAGS_HERE is BY_LIBRARY else [])):
        llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)
    if sys.platform == "win32":  # where frames of more than a page are touched page by page
        probe = ctypes.WinDLL("ntdll").__chkstk
        llvm.add_symbol("__chkstk", ctypes.cast(probe, ctypes.c_void_p).value or 0)
    features = llvm.get_host_cpu_features()
    lanes = next((n for name, n in LANES.items() if features.get(name)), 1)
    return Host(llvm.get_host_cpu_name(), features.flatten(), lanes)


def _target_machine(level: int = 2) -> Any:
    here = host()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=here.cpu, features=here.features, opt=level, jit=True)


def object_code(text: str, name: str, machine: Any, optimizations: Sequence[str]) -> bytes:
    """Return LLVM's object code of a module's text for a target machine."""
    try:
        module = llvm.parse_assembly(text, llvm.create_context())  # constants live as long as it
        module.verify()
    except RuntimeError as error:
        raise CompilerError(f"{name}: LLVM does not accept the program: {error}") from error
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    if optimizations:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
        passes = llvm.create_new_module_pass_manager()
        for optimization in optimizations:
            getattr(passes, f"add_{optimization}_pass")()
        passes.run(module, builder)
        NewPassManager._dispose(passes)  # its own end would call the empty one of its other base
        passes.detach()
    return bytes(machine.emit_object(module))
