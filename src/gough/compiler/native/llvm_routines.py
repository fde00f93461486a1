"""Programs and iterations in LLVM's language, for `lanes` samples at once.

Names of values begin with `%`. A function that writes lines lists the names they define in its
docstring. No line has a fast-math flag: no operation may be reordered or fused.

Each routine is a function `void (ptr in, ptr out)`: inputs and outputs lie in memory as one vector
per element. A call of another routine is a call here too; one with few inputs and outputs takes and
returns them as they are, in registers. Calls of one routine in a function share the memory of its
inputs: what several have in common is put there once.

Of C's mathematical functions `@lanes.f` is what programs call, for all lanes of a vector. It runs
our own program of f where there is one, and asks C's library, lane by lane, where there is none or
where a number is beyond its range.
"""

import struct
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeGuard, cast

from gough.compiler.front import program as ir
from gough.compiler.front.elementary import elementary
from gough.compiler.front.operations import Operation

Lines = Iterator[str]
LinesWithNames = Generator[str, None, list[str]]
LinesWithName = Generator[str, None, str]

Places = Callable[[int], tuple[str, int]]
"""Where an input or an output is: the name of an array of vectors, and the element of that."""

REGISTERS = 8, 2
"""Maximum numbers of inputs and outputs of a routine that lie in registers."""
BLOCK = 1_000
"""Number of instructions from one label to the next: LLVM takes longer for each if there are more.
"""


class Vectors:
    """Vectors of `lanes` doubles; with one lane, plain doubles.

    T is the type of a value, B that of a truth value and I that of a value's bits; `suffix` is T as
    LLVM puts it behind the names of its own functions. `called` are the attributes of a function
    that is not inlined: its stack begins where a vector may, or each spilled one would lie in two
    lines of the cache.
    """

    def __init__(self, lanes: int) -> None:
        self.lanes, self.suffix = lanes, f"v{lanes}f64" if lanes > 1 else "f64"
        self.called = "nounwind noinline" + (f" alignstack({8 * lanes})" if lanes > 2 else "")
        types = ("double", "i1", "i64")
        self.T, self.B, self.I = (f"<{lanes} x {t}>" if lanes > 1 else t for t in types)

    def constant(self, x: float) -> str:
        """Return a vector of one number in every lane, to the last bit."""
        return self.constants([x] * self.lanes)

    def constants(self, numbers: Sequence[float]) -> str:
        """Return a vector of numbers, to the last bit."""
        words = [f"0x{struct.unpack('>Q', struct.pack('>d', x))[0]:016X}" for x in numbers]
        return words[0] if self.lanes == 1 else f"<{', '.join(f'double {x}' for x in words)}>"

    @cached_property
    def words(self) -> dict[str, str]:
        """Words of the texts of operations, whose own names are in braces again."""
        numbers = {"zero": 0.0, "one": 1.0, "minus_one": -1.0}
        words = {"r": "{0}", "a": "{1}", "b": "{2}", "c": "{3}"}
        words |= {"T": self.T, "B": self.B, "suffix": self.suffix}
        return words | {name: self.constant(number) for name, number in numbers.items()}

    def fetch(self, name: str, array: str, element: int, kind: str = "") -> Lines:
        """`name` is one element of an array of vectors, or of another kind."""
        yield f"{name}.at = getelementptr {kind or self.T}, ptr {array}, i64 {element}"
        yield f"{name} = load {kind or self.T}, ptr {name}.at"

    def put(self, value: str, array: str, element: int, mark: str = "put") -> Lines:
        """Store one element of an array of vectors; `mark` is unique in a function."""
        at = f"{array}.{mark}.{element}"
        yield f"{at} = getelementptr {self.T}, ptr {array}, i64 {element}"
        yield f"store {self.T} {value}, ptr {at}"

    def splat(self, name: str, scalar: str) -> Lines:
        """`name` has the same scalar in every lane."""
        T, mask = self.T, f"<{self.lanes} x i32> zeroinitializer"
        yield f"{name}.one = insertelement {T} poison, double {scalar}, i64 0"
        yield f"{name} = shufflevector {T} {name}.one, {T} poison, {mask}"

    def any_lane(self, name: str, truths: str) -> str:
        """`name` is whether any lane is true."""
        if self.lanes == 1:
            return f"{name} = or i1 {truths}, false"
        return f"{name} = call i1 @llvm.vector.reduce.or.v{self.lanes}i1({self.B} {truths})"

    def transposed(self, rows: list[str], name: str) -> LinesWithNames:
        """Exchange rows and columns, a bit of the index at a time; names begin with `name`."""
        half = self.lanes // 2
        while half:
            exchanged = list(rows)
            for i in (i for i in range(self.lanes) if not i & half):
                pair = f"{self.T} {rows[i]}, {self.T} {rows[i | half]}"
                for target, shift in ((i, 0), (i | half, half)):
                    exchanged[target] = f"{name}.{half}.{target}"
                    mask = ", ".join(f"i32 {p}" for p in self._picks(half, shift))
                    mask = f"<{self.lanes} x i32> <{mask}>"
                    yield f"{exchanged[target]} = shufflevector {pair}, {mask}"
            rows, half = exchanged, half // 2
        return rows

    def _picks(self, half: int, shift: int) -> list[int]:
        """Which numbers of a pair of rows make a new row: its own half and the other's."""
        return [
            self.lanes + (p & ~half | shift) if p & half else p | shift for p in range(self.lanes)
        ]

    def declarations(self) -> list[str]:
        """LLVM's own functions that any of the texts may call."""
        T, B, suffix = self.T, self.B, self.suffix
        lines = [f"declare {T} @llvm.{f}.{suffix}({T})" for f in ("sqrt", "fabs", "floor", "ceil")]
        lines += [
            f"declare {T} @llvm.copysign.{suffix}({T}, {T})",
            "declare i64 @llvm.umin.i64(i64, i64)",
        ]
        if self.lanes > 1:
            lines += [
                f"declare i1 @llvm.vector.reduce.or.v{self.lanes}i1({B})",
                f"declare {T} @llvm.masked.load.{suffix}.p0(ptr, i32, {B}, {T})",
                f"declare void @llvm.masked.store.{suffix}.p0({T}, ptr, i32, {B})",
            ]
        return lines


class _Values:
    """Names of the values of a program; a lane of a pack has one when it is first asked for."""

    def __init__(self, program: ir.Program, inputs: Places = lambda k: ("%in", k)) -> None:
        self.instructions, self.names = program.instructions, dict[int, str]()
        self.inputs, self.in_memory = inputs, dict[str, list[str]]()
        self.packed = {k: pack for pack in program.packs for k in pack}

    def scalars(self, numbers: Sequence[int]) -> LinesWithNames:
        """Return the name of each."""
        for k in numbers if self.packed else ():
            if k not in self.names:
                pack, self.names[k] = self.packed[k], f"%v{k}"
                T = Vectors(len(pack)).T
                yield f"%v{k} = extractelement {T} %p{pack.start}, i64 {k - pack.start}"
        return [self.names[k] for k in numbers]

    def side_by_side(self, v: Vectors, name: str, numbers: Sequence[int]) -> LinesWithName:
        """Return the name of a vector of values, which is `name` if there was none."""
        constants = [
            i.value for k in numbers if isinstance(i := self.instructions[k], ir.ConstantValue)
        ]
        if len(constants) == len(numbers):
            return v.constants(constants)
        pack = self.packed.get(numbers[0])
        if pack is not None and tuple(pack) == tuple(numbers):
            return f"%p{pack.start}"
        scalars = yield from self.scalars(numbers)
        if len(set(numbers)) == 1:
            yield from v.splat(name, scalars[0])
            return name
        before = "poison"
        for lane, scalar in enumerate(scalars):
            yield f"{name}.{lane} = insertelement {v.T} {before}, double {scalar}, i64 {lane}"
            before = f"{name}.{lane}"
        return before


def function(head: str, lines: Iterable[str]) -> str:
    """A definition: its head, and its lines in braces."""
    inner = "\n  ".join(lines)
    return f"define {head} {{\n  {inner}\n}}"


class Routines:
    """The texts of a program and of all that it calls; `symbol` names each."""

    def __init__(self, programs: Sequence[ir.Program], v: Vectors) -> None:
        self.programs, self.v = programs, v
        called = {id(r): r for program in programs for r in program.routines()}
        self._routines = [*called.values(), *programs]
        self._symbols = {id(r): f"@routine.{k}" for k, r in enumerate(self._routines)}
        steps = {id(r.step) for r in called.values() if isinstance(r, ir.Iteration)}
        self._in_registers = {k for k, r in called.items() if k not in steps and _is_short(r)}
        self._library: dict[str, Operation] = {}
        self._templates: dict[tuple[str, int], str] = {}

    def symbol(self, routine: ir.Routine) -> str:
        """The name by which a routine is called."""
        return self._symbols[id(routine)]

    @property
    def widths(self) -> set[int]:
        """Numbers of lanes of all vectors: samples side by side, and packs."""
        programs = (r for r in self._routines if isinstance(r, ir.Program))
        return {self.v.lanes, *(len(pack) for program in programs for pack in program.packs)}

    def texts(self, written: ir.Program | None = None) -> list[str]:
        """All definitions but one, those of C's functions that are used included."""
        routines = []
        for r in (r for r in self._routines if r is not written):
            if isinstance(r, ir.Program) and id(r) in self._in_registers:
                routines.append(function(self._head_in_registers(r), self._body_in_registers(r)))
                continue
            lines = self._loop(r) if isinstance(r, ir.Iteration) else self.body(r)
            routines.append(self._definition(self.symbol(r), lines, inline=r in self.programs))
        return [*(t for o in self._library.values() for t in self._library_function(o)), *routines]

    def _library_function(self, operation: Operation) -> list[str]:
        """The definition of `@lanes.f` and of what it needs."""
        program, symbol = elementary(operation.name), f"@elementary.{operation.name}"
        if program is None:
            return self._by_c("lanes", operation)
        ranged = len(program.outputs) > 1
        lines = self._by_program(operation, symbol, ranged)
        return [
            *(self._by_c("each", operation) if ranged else []),
            function(self._head("lanes", operation), lines),
            self._definition(symbol, self.body(program), inline=True),
        ]

    def _definition(self, symbol: str, lines: Lines, inline: bool) -> str:
        arguments = "ptr noalias readonly %in, ptr noalias %out"
        words = "nounwind alwaysinline" if inline else self.v.called
        return function(f"internal void {symbol}({arguments}) {words}", lines)

    def _head(self, prefix: str, operation: Operation) -> str:
        arguments = _listed(self.v.T, _operands(operation))
        return f"internal {self.v.T} @{prefix}.{operation.name}({arguments}) {self.v.called}"

    def _head_in_registers(self, program: ir.Program) -> str:
        names = [f"%in.{k}" for k in range(ir.flat_size(program.inputs))]
        arguments = f"{self.symbol(program)}({_listed(self.v.T, names)})"
        return f"internal {self._returned(program)} {arguments} {self.v.called}"

    def _returned(self, routine: ir.Routine) -> str:
        """The type of all results of a routine in registers."""
        return f"[{ir.flat_size(routine.outputs)} x {self.v.T}]"

    def _by_program(self, operation: Operation, symbol: str, ranged: bool) -> Lines:
        v, operands = self.v, _operands(operation)
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

    def _by_c(self, prefix: str, operation: Operation) -> list[str]:
        """Call C's function for every lane; once, if all lanes are the same, as in a lone call."""
        declared = f"declare double @{operation.name}({', '.join(['double'] * operation.arity)})"
        return [declared, function(self._head(prefix, operation), self._each_lane(operation))]

    def _each_lane(self, operation: Operation) -> Lines:
        v, operands, same = self.v, _operands(operation), "true"
        if v.lanes == 1:
            yield f"%y = call double @{operation.name}({_listed('double', operands)})"
            yield "ret double %y"
            return
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
        firsts = _listed("double", [f"{x}.0" for x in operands])
        yield f"%y = call double @{operation.name}({firsts})"
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

    def body(
        self,
        program: ir.Program,
        inputs: Places = lambda k: ("%in", k),
        outputs: Places = lambda k: ("%out", k),
    ) -> Lines:
        """One instruction of a straight-line program after another, and each output in its place.

        An output is put there as soon as it is known, and waits for nothing in a register.
        """
        v, values, places = self.v, _Values(program, inputs), defaultdict[int, list[int]](list)
        for element, number in enumerate(program.results):
            places[number].append(element)
        yield from self._memory_of_calls(program)
        for number, instruction in enumerate(program.instructions):
            if number % BLOCK == BLOCK - 1:
                yield f"br label %from.{number}"
                yield f"from.{number}:"
            if number in values.packed:
                yield from self._packed(values, number)
                continue
            if isinstance(instruction, ir.Compute) and not values.packed:  # as most are: at once
                name = values.names[number] = f"%v{number}"
                operands = [values.names[k] for k in instruction.operands]
                yield self._compute(v, name, instruction.operation, operands)
            else:
                yield from self._instruction(values, number)
            for element in places.pop(number, ()):
                yield from v.put(values.names[number], *outputs(element))
        for number, elements in places.items():  # those of packs
            (name,) = yield from values.scalars([number])
            for element in elements:
                yield from v.put(name, *outputs(element))
        yield "ret void"

    def _body_in_registers(self, program: ir.Program) -> Lines:
        """Lines as of `body`, with inputs `%in.element`."""
        values, before = _Values(program), "poison"
        yield from self._memory_of_calls(program)
        for number, instruction in enumerate(program.instructions):
            if isinstance(instruction, ir.LoadInput):
                values.names[number] = f"%in.{instruction.element}"
            else:
                yield from self._instruction(values, number)
        returned = self._returned(program)
        for k, number in enumerate(program.results):
            result = f"{self.v.T} {values.names[number]}"
            yield f"%out.{k} = insertvalue {returned} {before}, {result}, {k}"
            before = f"%out.{k}"
        yield f"ret {returned} {before}"

    def _instruction(self, values: _Values, number: int) -> Lines:
        """One instruction that is in no pack."""
        v, name = self.v, f"%v{number}"
        match values.instructions[number]:
            case ir.Compute(operation, numbers):
                operands = yield from values.scalars(numbers)
                yield self._compute(v, name, operation, operands)
            case ir.ConstantValue(x):
                name = v.constant(x)
            case ir.LoadInput(element):
                yield from v.fetch(name, *values.inputs(element))
            case ir.Call(routine, numbers):
                operands = yield from values.scalars(numbers)
                yield from self._call(values, name, routine, operands)
            case ir.Result(call, element):
                routine = cast(ir.Call, values.instructions[call]).routine
                if id(routine) in self._in_registers:
                    yield f"{name} = extractvalue {self._returned(routine)} %v{call}, {element}"
                else:
                    yield from v.fetch(name, f"%v{call}.out", element)
        values.names[number] = name

    def _packed(self, values: _Values, number: int) -> Lines:
        """`%p` of its first number: a pack as one operation on vectors, where it begins."""
        pack = values.packed[number]
        if number != pack.start:
            return
        instructions = [values.instructions[k] for k in pack]
        columns = zip(*map(ir.operands_of, instructions), strict=True)
        operands, v = list[str](), Vectors(len(pack))
        for place, column in enumerate(columns):
            name = yield from values.side_by_side(v, f"%p{number}.{place}", column)
            operands.append(name)
        operation = cast(ir.Compute, instructions[0]).operation
        yield self._compute(v, f"%p{number}", operation, operands)

    def _compute(self, v: Vectors, name: str, operation: Operation, operands: list[str]) -> str:
        """Return the lines of an operation."""
        template = self._templates.get((operation.name, v.lanes))
        if template is None:
            template = self._template(v, operation)
            self._templates[operation.name, v.lanes] = template
        return template.format(name, *operands)

    def _template(self, v: Vectors, operation: Operation) -> str:
        if operation.llvm:
            text = operation.llvm if "\n" in operation.llvm else f"{{r}} = {operation.llvm}"
            return text.format(**v.words).replace("\n", "\n  ")
        self._library[operation.name] = operation
        listed = _listed(v.T, ["{1}", "{2}"][: operation.arity])
        return f"{{0}} = call {v.T} @lanes.{operation.name}({listed})"

    def _memory_of_calls(self, program: ir.Program) -> Lines:
        """Memory of what routines take and calls give: later, each would take more stack."""
        calls = {k: i for k, i in enumerate(program.instructions) if self._is_by_memory(i)}
        sizes = {self._taken(i.routine): len(i.operands) for i in calls.values()}
        for name, size in sizes.items():
            yield f"{name} = alloca [{max(size, 1)} x {self.v.T}]"
        for k, call in calls.items():
            yield f"%v{k}.out = alloca [{ir.flat_size(call.routine.outputs)} x {self.v.T}]"

    def _is_by_memory(self, i: ir.Instruction) -> TypeGuard[ir.Call]:
        return isinstance(i, ir.Call) and id(i.routine) not in self._in_registers

    def _taken(self, routine: ir.Routine) -> str:
        """Return the name of the memory in which a function's calls of a routine put operands."""
        return f"%{self.symbol(routine)[1:]}.in"

    def _call(self, values: _Values, name: str, routine: ir.Routine, operands: list[str]) -> Lines:
        """Call a routine; an operand that its last call had, too, is in memory already."""
        if id(routine) in self._in_registers:
            given = _listed(self.v.T, operands)
            yield f"{name} = call {self._returned(routine)} {self.symbol(routine)}({given})"
            return
        taken = self._taken(routine)
        last = values.in_memory.get(taken, [""] * len(operands))
        for element, operand in enumerate(operands):
            if operand != last[element]:
                yield from self.v.put(operand, taken, element, name[1:])
        values.in_memory[taken] = operands
        yield f"call void {self.symbol(routine)}(ptr {taken}, ptr {name}.out)"

    def _loop(self, iteration: ir.Iteration) -> Lines:
        """Step all lanes until none is running; one that has stopped keeps what it has."""
        v, n_in, n_states = self.v, ir.flat_size(iteration.inputs), iteration.n_states
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


def _is_short(routine: ir.Routine) -> bool:
    """Whether a routine takes and returns so little that it lies in registers."""
    if isinstance(routine, ir.Iteration) or routine.packs:
        return False
    sizes = ir.flat_size(routine.inputs), ir.flat_size(routine.outputs)
    return all(size <= most for size, most in zip(sizes, REGISTERS, strict=True))


def _operands(operation: Operation) -> list[str]:
    return ["%a", "%b"][: operation.arity]


def _listed(type_: str, names: list[str]) -> str:
    return ", ".join(f"{type_} {x}" for x in names)
