"""C's mathematical functions in LLVM's language, for all lanes of a vector.

`@lanes.f` is what programs call. It runs our own program of f where there is one, and asks C's
library, lane by lane, where there is none or where a number is beyond its range.
"""

from __future__ import annotations

from gough.compiler.front.operations import Operation
from gough.compiler.front.program import Program
from gough.compiler.native.llvm_vectors import Lines, Vectors, function


def library_texts(
    operation: Operation, v: Vectors, program: Program | None, symbol: str
) -> list[str]:
    """The definition of `@lanes.f` and of what it needs; `symbol` is the program's own name."""
    if program is None:
        return _by_c("lanes", operation, v)
    operands = _operands(operation)
    ranged = len(program.outputs) > 1
    by_c = _by_c("each", operation, v) if ranged else []
    lines = _by_program(operation, v, operands, symbol, ranged)
    return [*by_c, function(_head("lanes", operation, v), lines)]


def _operands(operation: Operation) -> list[str]:
    return ["%a", "%b"][: operation.arity]


def _head(prefix: str, operation: Operation, v: Vectors) -> str:
    arguments = _listed(v.T, _operands(operation))
    return f"internal {v.T} @{prefix}.{operation.name}({arguments}) nounwind noinline"


def _listed(type_: str, names: list[str]) -> str:
    return ", ".join(f"{type_} {x}" for x in names)


def _by_program(
    operation: Operation, v: Vectors, operands: list[str], symbol: str, ranged: bool
) -> Lines:
    yield f"%in = alloca [{len(operands)} x {v.T}]"
    yield f"%out = alloca [2 x {v.T}]"
    for k, x in enumerate(operands):
        yield from v.put(x, "%in", k)
    yield f"call void {symbol}(ptr %in, ptr %out)"
    yield from v.fetch("%y", "%out", 0)
    if ranged:
        yield from v.fetch("%holds", "%out", 1)
        yield f"%beyond = fcmp oeq {v.T} %holds, {v.constant(0.0)}"
        yield v.any_lane("%any", "%beyond")
        yield "br i1 %any, label %ask, label %done"
        yield "ask:"
        yield f"%by.c = call {v.T} @each.{operation.name}({_listed(v.T, operands)})"
        yield f"%mixed = select {v.B} %beyond, {v.T} %by.c, {v.T} %y"
        yield f"ret {v.T} %mixed"
        yield "done:"
    yield f"ret {v.T} %y"


def _by_c(prefix: str, operation: Operation, v: Vectors) -> list[str]:
    """Call C's function for every lane; once, if all lanes are the same, as in a lone call."""
    operands = _operands(operation)
    head = _head(prefix, operation, v)
    declared = f"declare double @{operation.name}({', '.join(['double'] * operation.arity)})"
    if v.lanes == 1:
        call = f"%y = call double @{operation.name}({_listed('double', operands)})"
        return [declared, function(head, [call, "ret double %y"])]
    return [declared, function(head, _each_lane(operation, v, operands))]


def _each_lane(operation: Operation, v: Vectors, operands: list[str]) -> Lines:
    same = "true"
    for x in operands:
        yield f"{x}.0 = extractelement {v.T} {x}, i64 0"
        yield from v.splat(f"{x}.first", f"{x}.0")
        yield f"{x}.bits = bitcast {v.T} {x} to {v.I}"  # 0 and -0 are equal, not the same
        yield f"{x}.first.bits = bitcast {v.T} {x}.first to {v.I}"
        yield f"{x}.differs = icmp ne {v.I} {x}.bits, {x}.first.bits"
        yield v.any_lane(f"{x}.any", f"{x}.differs")
        yield f"{x}.same = xor i1 {x}.any, true"
        yield f"{x}.all = and i1 {x}.same, {same}"
        same = f"{x}.all"
    yield f"br i1 {same}, label %once, label %each"
    yield "once:"
    yield f"%y = call double @{operation.name}({', '.join(f'double {x}.0' for x in operands)})"
    yield from v.splat("%all", "%y")
    yield f"ret {v.T} %all"
    yield "each:"
    result = "poison"
    for lane in range(v.lanes):
        for x in operands:
            yield f"{x}.e{lane} = extractelement {v.T} {x}, i64 {lane}"
        listed = _listed("double", [f"{x}.e{lane}" for x in operands])
        yield f"%y{lane} = call double @{operation.name}({listed})"
        yield f"%r{lane} = insertelement {v.T} {result}, double %y{lane}, i64 {lane}"
        result = f"%r{lane}"
    yield f"ret {v.T} {result}"
