"""Programs and iterations in LLVM's language, for `lanes` samples at once.

Each is a function `void (ptr in, ptr out)`: inputs and outputs lie in memory as one vector per
element. A call of another routine is a call here too.

Of C's mathematical functions `@lanes.f` is what programs call, for all lanes of a vector. It runs
our own program of f where there is one, and asks C's library, lane by lane, where there is none or
where a number is beyond its range.
"""

from __future__ import annotations

from gough.compiler.front.elementary import elementary
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import (
    Call,
    Compute,
    ConstantValue,
    Iteration,
    LoadInput,
    Program,
    Result,
    Routine,
    flat_size,
)
from gough.compiler.native.llvm_vectors import Lines, Vectors, function


class Routines:
    """The texts of a program and of all that it calls; `symbol` names each."""

    def __init__(self, program: Program, v: Vectors) -> None:
        self.program, self.v = program, v
        self._routines = [*program.routines(), program]
        self._symbols = {id(r): f"@routine.{k}" for k, r in enumerate(self._routines)}
        self._library: dict[str, Operation] = {}
        self._words = {"T": v.T, "B": v.B, "suffix": v.suffix}
        for name, number in {"zero": 0.0, "one": 1.0, "minus_one": -1.0}.items():
            self._words[name] = v.constant(number)

    def symbol(self, routine: Routine) -> str:
        """The name by which a routine is called."""
        return self._symbols[id(routine)]

    def texts(self) -> list[str]:
        """All definitions, those of C's functions that are used included."""
        routines = [self._routine(r) for r in self._routines]
        library = [text for o in self._library.values() for text in self._library_function(o)]
        return [*library, *routines]

    def _routine(self, routine: Routine) -> str:
        lines = self._loop(routine) if isinstance(routine, Iteration) else self._body(routine)
        return _definition(self.symbol(routine), lines, inline=routine is self.program)

    def _library_function(self, operation: Operation) -> list[str]:
        program, symbol = elementary(operation.name), f"@elementary.{operation.name}"
        texts = library_texts(operation, self.v, program, symbol)
        if program is not None:
            texts.append(_definition(symbol, self._body(program), inline=True))
        return texts

    def _body(self, program: Program) -> Lines:
        """One instruction of a straight-line program after another, then its outputs."""
        v, value = self.v, list[str]()
        for number, instruction in enumerate(program.instructions):
            name = f"%v{number}"
            match instruction:
                case ConstantValue(x):
                    name = v.constant(x)
                case LoadInput(element):
                    yield from v.fetch(name, "%in", element)
                case Compute(operation, operands):
                    yield from self._compute(name, operation, [value[x] for x in operands])
                case Call(routine, operands):
                    yield from self._call(name, routine, [value[x] for x in operands])
                case Result(call, element):
                    yield from v.fetch(name, f"%v{call}.out", element)
            value.append(name)
        for element, number in enumerate(program.results):
            yield from v.put(value[number], "%out", element)
        yield "ret void"

    def _compute(self, name: str, operation: Operation, operands: list[str]) -> Lines:
        v = self.v
        if not operation.llvm:
            self._library[operation.name] = operation
            listed = ", ".join(f"{v.T} {x}" for x in operands)
            yield f"{name} = call {v.T} @lanes.{operation.name}({listed})"
            return
        named = dict(zip("abc", operands, strict=False))
        text = operation.llvm.format(r=name, **self._words, **named)
        yield from text.split("\n") if "\n" in text else [f"{name} = {text}"]

    def _call(self, name: str, routine: Routine, operands: list[str]) -> Lines:
        yield f"{name}.in = alloca [{max(len(operands), 1)} x {self.v.T}]"
        yield f"{name}.out = alloca [{flat_size(routine.outputs)} x {self.v.T}]"
        for element, operand in enumerate(operands):
            yield from self.v.put(operand, f"{name}.in", element)
        yield f"call void {self.symbol(routine)}(ptr {name}.in, ptr {name}.out)"

    def _loop(self, iteration: Iteration) -> Lines:
        """Step all lanes until none is running; one that has stopped keeps what it has."""
        v, n_in, n_states = self.v, flat_size(iteration.inputs), iteration.n_states
        zero, one = v.constant(0.0), v.constant(1.0)
        yield f"%work = alloca [{n_in} x {v.T}]"
        yield f"%new = alloca [{n_states + 1} x {v.T}]"
        for k in range(n_in):
            yield from v.fetch(f"%start.{k}", "%in", k)
            yield from v.put(f"%start.{k}", "%work", k, "start")
        yield "br label %again"
        yield "again:"
        yield "%pass = phi i64 [ 0, %0 ], [ %next, %again ]"
        yield f"%count = phi {v.T} [ {zero}, %0 ], [ %counted, %again ]"
        yield f"%status = phi {v.T} [ {zero}, %0 ], [ %stopped, %again ]"
        yield f"%running = fcmp oeq {v.T} %status, {zero}"
        yield f"call void {self.symbol(iteration.step)}(ptr %work, ptr %new)"
        for k in range(n_states):
            yield from v.fetch(f"%old.{k}", "%work", k)
            yield from v.fetch(f"%new.{k}", "%new", k)
            yield f"%kept.{k} = select {v.B} %running, {v.T} %new.{k}, {v.T} %old.{k}"
            yield from v.put(f"%kept.{k}", "%work", k, "kept")
        yield from v.fetch("%said", "%new", n_states)
        yield f"%more = fadd {v.T} %count, {one}"
        yield f"%counted = select {v.B} %running, {v.T} %more, {v.T} %count"
        yield f"%stopped = select {v.B} %running, {v.T} %said, {v.T} %status"
        yield f"%still = fcmp oeq {v.T} %stopped, {zero}"
        yield v.any_lane("%any", "%still")
        yield "%next = add i64 %pass, 1"
        yield f"%allowed = icmp ult i64 %next, {iteration.at_most}"
        yield "%go = and i1 %any, %allowed"
        yield "br i1 %go, label %again, label %done"
        yield "done:"
        for k in range(n_states):
            yield from v.fetch(f"%last.{k}", "%work", k)
            yield from v.put(f"%last.{k}", "%out", k)
        yield from v.put("%counted", "%out", n_states)
        yield from v.put("%stopped", "%out", n_states + 1)
        yield "ret void"


def _definition(symbol: str, lines: Lines, inline: bool) -> str:
    arguments = "ptr noalias readonly %in, ptr noalias %out"
    words = f"nounwind {'alwaysinline' if inline else 'noinline'}"
    return function(f"internal void {symbol}({arguments}) {words}", lines)


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
