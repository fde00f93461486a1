"""Programs and iterations in LLVM's language, for `lanes` samples at once.

Each is a function `void (ptr in, ptr out)`: inputs and outputs lie in memory as one vector per
element. A call of another routine is a call here too.
"""

from __future__ import annotations

from gough.compiler.front.elementary import elementary
from gough.compiler.front.operations import Operation
from gough.compiler.front.program import (
    Call,
    Compute,
    Constant,
    Iteration,
    Load,
    Program,
    Result,
    Routine,
    flat_size,
)
from gough.compiler.native.llvm_library import library_texts
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
                case Constant(x):
                    name = v.constant(x)
                case Load(element):
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
