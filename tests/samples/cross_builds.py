"""Exported C for the processors of controllers, by Zig's compiler: without warnings, and how large.

Microcontrollers have no system; of the mathematical library only the header is needed to compile.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import ziglang
from compiled_c import STRICT
from llvmlite.binding import ObjectFileRef

from gough.compiler.front.program import Program
from gough.compiler.source.c import C

ZIG = [sys.executable, "-m", "ziglang"]
_HEADERS = Path(ziglang.__file__).parent / "lib" / "libc" / "include"
_WITHOUT_SYSTEM = (
    "-fhosted",  # there is a library of C, as with the tools of boards
    *(f"-isystem{_HEADERS / name}" for name in ("generic-musl", "arm-linux-musl")),
)


@dataclass(frozen=True)
class Target:
    """A processor, and the kind of numbers that suits it."""

    triple: str
    processor: str
    dtype: str
    flags: tuple[str, ...] = ()


TARGETS = {
    "Cortex-M4F": Target(
        "thumb-freestanding-eabihf", "cortex_m4+vfp4d16sp", "float32", _WITHOUT_SYSTEM
    ),
    "Cortex-M7": Target(
        "thumb-freestanding-eabihf", "cortex_m7+fp_armv8d16sp", "float32", _WITHOUT_SYSTEM
    ),
    "Cortex-A53": Target("aarch64-linux-musl", "cortex_a53", "float64"),
}


def compiled_for(target, folder, name):
    """Compile NAME.c; the stack frames [bytes] of its functions by their names."""
    machine = ["-target", target.triple, f"-mcpu={target.processor}", *target.flags]
    frames = ["-Wframe-larger-than=0", "-Wno-error=frame-larger-than"]
    done = subprocess.run(
        [*ZIG, "cc", *machine, *STRICT, *frames, "-c", f"{name}.c", "-o", f"{name}.o"],
        cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = re.findall(r"stack frame size \((\d+)\) exceeds limit \(0\) in '(\w+)'", done.stderr)
    return {function: int(size) for size, function in found}


def code_size(folder, name):
    """The machine code of NAME.o, without constants [bytes]."""
    found = ObjectFileRef.from_path(str(folder / f"{name}.o"))
    return sum(section.size() for section in found.sections() if section.name() == b".text")


def stack_size(program, frames):
    """The deepest stack of a call [bytes], but for what functions of C's library take."""
    names = C(program).names

    @cache
    def of(routine):
        steps = {i.routine for i in getattr(routine, "instructions", ()) if hasattr(i, "routine")}
        steps |= set() if isinstance(routine, Program) else {routine.step}
        own = frames.get(names.get(id(routine), program.name), 0)  # 0: it was put into its caller
        return own + max(map(of, steps), default=0)

    return of(program)
