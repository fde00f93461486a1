"""Loop over samples as a WebAssembly module, for browsers: two samples at once.

LLVM writes an object for a linker. A lone object needs none: it only has to lose what is addressed
to linkers (custom sections), and to say what it offers (an export section). Its memory, the top of
its stack and C's functions that it calls are given to it from outside.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from gough.compiler.front.program import Program
from gough.compiler.native.llvm_loop import LOOP, NO_FLAGS, module_text
from gough.compiler.native.machine_code import PASSES, is_optimized, object_code
from gough.compiler.native.threads import undisturbed

LANES = 2
"""Doubles in a register of WebAssembly."""

_CUSTOM, _IMPORTS, _FUNCTIONS, _EXPORTS = 0, 2, 3, 7
_OFFERED_FUNCTION = 0
_HEADER = b"\0asm\x01\0\0\0"


@dataclass(frozen=True)
class WebAssembly:
    """A module that exports `loop`."""

    content: bytes
    calls: tuple[str, ...]
    """The functions of C that it imports."""


def webassembly(program: Program) -> WebAssembly:
    """A program's loop over samples, in NumPy's own convention, with pointers of four bytes."""
    text = module_text(program, LANES, NO_FLAGS)
    machine, passes = _target_machine(is_optimized()), PASSES if is_optimized() else ()
    code = undisturbed(lambda: object_code(text, program.name, machine, passes))
    sections, place = list[tuple[int, bytes]](), len(_HEADER)
    while place < len(code):
        kind, (size, place) = code[place], _number(code, place + 1)
        sections += [(kind, code[place : place + size])] if kind != _CUSTOM else []
        place += size
    held = dict(sections)
    calls = _imported_functions(held[_IMPORTS])
    last = len(calls) + _number(held[_FUNCTIONS], 0)[0] - 1
    name = _written(len(LOOP)) + LOOP.encode()
    offer = _written(1) + name + bytes([_OFFERED_FUNCTION]) + _written(last)
    sections.insert(sum(kind < _EXPORTS for kind, _ in sections), (_EXPORTS, offer))
    content = b"".join(bytes([kind]) + _written(len(c)) + c for kind, c in sections)
    return WebAssembly(_HEADER + content, calls)


@cache
def _target_machine(optimize: bool) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("wasm32-unknown-unknown")
    return target.create_target_machine(
        features="+simd128", opt=2 if optimize else 0, reloc="static"
    )


def _imported_functions(section: bytes) -> tuple[str, ...]:
    """The names of the functions among the imports: the first ones to be numbered."""
    names, (count, place) = list[str](), _number(section, 0)
    for _ in range(count):
        _, place = _read_text(section, place)
        name, place = _read_text(section, place)
        kind, place = section[place], place + 1
        if kind == _OFFERED_FUNCTION:
            names.append(name)
            _, place = _number(section, place)
        else:
            place += 2  # the memory's limits, or the type of the stack's top: small numbers
    return tuple(names)


def _number(code: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first; and where the next thing begins."""
    value = shift = 0
    while True:
        byte = code[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def _written(number: int) -> bytes:
    digits = bytearray()
    while number >= 0x80:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


def _read_text(code: bytes, place: int) -> tuple[str, int]:
    size, place = _number(code, place)
    return code[place : place + size].decode(), place + size
