"""The loop over samples in LLVM's language: what NumPy calls, around a program.

- `block` fetches `lanes` samples from the caller's arrays, runs the program on them, and puts the
  results back. A sample's numbers lie side by side there, so it transposes on the way. Lanes
  behind the last sample repeat it: they store the same again, so there is no remainder to treat.

  Of programs with parameters it fetches an array that is the same for all samples once, and what
  depends on such parameters alone is computed once.
- `give` puts the results of these programs back, and leaves columns to `columns`: arrays in which
  numbers of successive samples lie side by side, so that there is nothing to transpose. Many of
  them go past the caches, which would read what is overwritten.
- `copy` takes the samples of a block out of, or into, an array whose inner axes are strided.
- Of sequences there is nothing to transpose: numbers of `lanes` of them lie side by side, and
  `block` takes and gives them where they are. A number that all have in common is spread first.
- `loop` is `void (char **args, intp *dims, intp *steps, void *data)`, NumPy's own convention. It
  leaves the processor's floating-point flags as they were: a side of a condition that was computed
  and not taken must not make NumPy warn. What fails is NaN, or has a status.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from platform import machine

from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program, flat_size, offsets
from gough.compiler.front.transformed import split_ahead
from gough.compiler.native.llvm_routines import Lines, LinesWithNames, Routines, Vectors, function

LOOP = "loop"
AHEAD = "parameters"
"""Name of an input that is often the same for all samples: what depends on it alone comes first."""
MANY = 2**24
"""Results [bytes] of which caches keep nothing."""
PAST_CACHES = "!0"
BLOCKS_AHEAD, LINE, SMALL = 8, 64, 64
"""Number of blocks after which one is asked for in advance, by lines of a cache [bytes], and the
maximum count of numbers that a sample has of such an array."""
PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"


@dataclass(frozen=True)
class Flags:
    """Storage of the processor's floating-point flags at the start, restored at the end."""

    declarations: tuple[str, ...]
    keep: tuple[str, ...]
    restore: tuple[str, ...]


BY_REGISTER = Flags(
    tuple(f"declare void @llvm.x86.sse.{word}mxcsr(ptr)" for word in ("st", "ld")),
    ("%flags = alloca i32", "call void @llvm.x86.sse.stmxcsr(ptr %flags)"),
    ("call void @llvm.x86.sse.ldmxcsr(ptr %flags)",),
)
BY_LIBRARY = Flags(  # 0x1F: all exceptions of an Arm processor
    ("declare i32 @feclearexcept(i32)",), (), ("%cleared = call i32 @feclearexcept(i32 31)",)
)


FLAGS_HERE = BY_REGISTER if machine() in ("x86_64", "AMD64") else BY_LIBRARY
NO_FLAGS = Flags((), (), ())


def module_text(program: Program, lanes: int, flags: Flags = FLAGS_HERE) -> str:
    """A whole module; its one public function, and its last, is `loop`."""
    v = Vectors(lanes)
    ahead, rest = split_ahead(program, AHEAD) if lanes > 1 else (None, program)
    routines = Routines([part for part in (ahead, rest) if part is not None], v)
    first = "" if ahead is None else routines.symbol(ahead)
    loop = _Loop(program, first, routines.symbol(rest), flat_size(rest.inputs), v, flags)
    declared = dict.fromkeys(d for n in routines.widths for d in Vectors(n).declarations())
    texts = [*declared, PREFETCH, *flags.declarations, *routines.texts(), *loop.texts()]
    return "\n".join(texts) + "\n"


def sequence_text(program: Program, lanes: int, flags: Flags = FLAGS_HERE) -> str:
    """A module whose `loop` goes along the samples of `lanes` sequences.

    Its steps are those of all arrays from sample to sample [bytes], and then whether an input is
    one row of numbers for all lanes.
    """
    v, n = Vectors(lanes), len(program.inputs)
    routines, arrays = Routines([program], v), (*program.inputs, *program.outputs)
    where = [(f"%p.{k}", j) for k, a in enumerate(arrays) for j in range(a.size)]
    taken = flat_size(program.inputs)
    kinds = (f"ptr noalias {'readonly ' if k < n else ''}%p.{k}" for k in range(len(arrays)))
    head = f"internal void @block({', '.join(kinds)}) {v.called}"
    body = routines.body(program, lambda k: where[k], lambda k: where[taken + k])
    block = function(head, body)
    called, loop = routines.texts(program), _along(program, v, flags)
    declared = dict.fromkeys(d for w in routines.widths for d in Vectors(w).declarations())
    head = f"void @{LOOP}(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind"
    texts = [*declared, *flags.declarations, *called, block, function(head, loop)]
    return "\n".join(texts) + "\n"


def _along(program: Program, v: Vectors, flags: Flags) -> Lines:
    """The loop over samples; what lanes have in common is spread where it changes."""
    arrays, spread = (*program.inputs, *program.outputs), v.lanes > 1
    yield from flags.keep
    yield "%count = load i64, ptr %dims"
    for k in range(len(arrays)):
        yield from v.fetch(f"%base.{k}", "%args", k, "ptr")
        yield from v.fetch(f"%step.{k}", "%steps", k, "i64")
        if spread and k < len(program.inputs):
            yield f"%wide.{k} = alloca [{max(arrays[k].size, 1)} x {v.T}]"
            yield from v.fetch(f"%common.{k}.word", "%steps", len(arrays) + k, "i64")
            yield f"%common.{k} = icmp ne i64 %common.{k}.word, 0"
            yield f"%changes.{k} = icmp ne i64 %step.{k}, 0"
    yield "br label %next"
    yield "next:"
    yield "%i = phi i64 [ 0, %0 ], [ %i.next, %ready ]"
    yield "%begin = icmp eq i64 %i, 0"
    for k in range(len(arrays)):
        here = f"%at.{k}" if spread and k < len(program.inputs) else f"%p.{k}"
        yield f"{here}.offset = mul i64 %i, %step.{k}"
        yield f"{here} = getelementptr i8, ptr %base.{k}, i64 {here}.offset"
    for k in range(len(program.inputs) if spread else 0):
        yield f"%new.{k} = or i1 %begin, %changes.{k}"
        yield f"%fill.{k} = and i1 %common.{k}, %new.{k}"
        yield f"%p.{k} = select i1 %common.{k}, ptr %wide.{k}, ptr %at.{k}"
        yield f"br i1 %fill.{k}, label %spread.{k}, label %known.{k}"
        yield f"spread.{k}:"
        for j in range(arrays[k].size):
            yield from v.fetch(f"%x.{k}.{j}", f"%at.{k}", j, "double")
            yield from v.splat(f"%all.{k}.{j}", f"%x.{k}.{j}")
            yield from v.put(f"%all.{k}.{j}", f"%wide.{k}", j)
        yield f"br label %known.{k}"
        yield f"known.{k}:"
    yield "br label %ready"
    yield "ready:"
    yield f"call void @block({', '.join(f'ptr %p.{k}' for k in range(len(arrays)))})"
    yield "%i.next = add i64 %i, 1"
    yield "%i.go = icmp slt i64 %i.next, %count"
    yield "br i1 %i.go, label %next, label %done"
    yield "done:"
    yield from flags.restore
    yield "ret void"


class _Loop:
    def __init__(
        self,
        program: Program,
        ahead: str,
        symbol: str,
        n_inputs: int,
        v: Vectors,
        flags: Flags,
    ) -> None:
        self.inputs, self.outputs = program.inputs, program.outputs
        self.arrays = (*program.inputs, *program.outputs)
        self.places = [*offsets(program.inputs), *offsets(program.outputs)]
        self.v, self.flags, self.loaded = v, flags, program.loaded
        self.ahead, self.symbol, self.n_inputs = ahead, symbol, max(n_inputs, 1)
        self.parametric = v.lanes > 1 and any(a.name == AHEAD for a in program.inputs)
        self.many = MANY // (8 * max(flat_size(program.outputs), 1))

    def texts(self) -> list[str]:
        samples = "ptr %pointers, ptr %steps, i64 %first, i64 %count"
        copied = "ptr %compact, ptr %strided, i64 %step, ptr %strides, i64 %count"
        copy = f"internal void @copy.{{k}}({copied}) nounwind noinline"
        loop = f"void @{LOOP}(ptr %args, ptr %dims, ptr %steps, ptr %data)"
        return [
            *(self.texts_of_parametric(samples) if self.parametric else []),
            function(f"internal void @block({samples}, ptr %in) {self.v.called}", self.block()),
            *(function(copy.format(k=k), self.copy(k)) for k in range(len(self.arrays))),
            function(f"{loop} nounwind", self.loop()),
        ]

    def texts_of_parametric(self, samples: str) -> list[str]:
        column = "ptr %column, ptr %to, i64 %stride, i64 %size, i64 %left, i1 %many"
        return [
            f"{PAST_CACHES} = !{{i32 1}}",
            function(f"internal void @columns({column}) nounwind noinline", self.columns()),
            function(f"internal void @give({samples}, ptr %out) nounwind noinline", self.give()),
        ]

    def block(self) -> Lines:
        v, inputs = self.v, "%in" if self.parametric else "%own"
        yield f"%out = alloca [{max(flat_size(self.outputs), 1)} x {v.T}]"
        if not self.parametric:
            yield f"%own = alloca [{self.n_inputs} x {v.T}]"
        yield from self.samples()
        for k, (argument, offset) in enumerate(zip(self.inputs, self.places, strict=False)):
            yield from v.fetch(f"%step.{k}", "%steps", k, "i64")
            if self.parametric:
                yield from self.unless_known(k)
            yield from self.pointers(k)
            for start, count in self.pieces(argument):
                if self.loaded.isdisjoint(range(offset + start, offset + start + count)):
                    continue
                rows = yield from self.load_rows(k, start, count)
                columns = yield from v.transposed(rows, f"%in.{k}.{start}")
                for j in range(count):
                    yield from v.put(columns[j], inputs, offset + start + j)
            if self.ahead and argument.name == AHEAD:
                yield f"%ahead.in = getelementptr {v.T}, ptr %in, i64 {offset}"
                yield f"%ahead.out = getelementptr {v.T}, ptr %in, i64 {flat_size(self.inputs)}"
                yield f"call void {self.ahead}(ptr %ahead.in, ptr %ahead.out)"
            if self.parametric:
                yield f"br label %taken.{k}"
                yield f"taken.{k}:"
        yield f"call void {self.symbol}(ptr {inputs}, ptr %out)"
        if self.parametric:
            yield "call void @give(ptr %pointers, ptr %steps, i64 %first, i64 %count, ptr %out)"
        else:
            for k in range(len(self.inputs), len(self.arrays)):
                yield from v.fetch(f"%step.{k}", "%steps", k, "i64")
                yield from self.give_rows(k)
        yield "ret void"

    def samples(self) -> Lines:
        """`%sample.lane`: which sample each lane has."""
        yield "%last = sub i64 %count, 1"
        for lane in range(self.v.lanes):
            yield f"%lane.{lane} = add i64 %first, {lane}"
            yield f"%sample.{lane} = call i64 @llvm.umin.i64(i64 %lane.{lane}, i64 %last)"

    def unless_known(self, k: int) -> Lines:
        """Go to `taken.k` if an input is the same for all samples, behind the first block."""
        yield f"%again.{k} = icmp ugt i64 %first, 0"
        yield f"%same.{k} = icmp eq i64 %step.{k}, 0"
        yield f"%known.{k} = and i1 %same.{k}, %again.{k}"
        yield f"br i1 %known.{k}, label %taken.{k}, label %take.{k}"
        yield f"take.{k}:"

    def give(self) -> Lines:
        v, inner = self.v, self.stride_places()
        yield from self.samples()
        yield "%left = sub i64 %count, %first"
        yield f"%many = icmp ugt i64 %count, {self.many}"
        for k, argument in enumerate(self.outputs, start=len(self.inputs)):
            yield from v.fetch(f"%step.{k}", "%steps", k, "i64")
            yield f"%upright.{k} = icmp eq i64 %step.{k}, 8"
            yield f"br i1 %upright.{k}, label %columns.{k}, label %rows.{k}"
            yield f"columns.{k}:"
            yield from v.fetch(f"%array.{k}", "%pointers", k, "ptr")
            yield f"%to.{k} = getelementptr double, ptr %array.{k}, i64 %first"
            yield f"%column.{k} = getelementptr {v.T}, ptr %out, i64 {self.places[k]}"
            stride = "0"
            if argument.size > 1:
                place, stride = inner[k] + _innermost(argument), f"%stride.{k}"
                yield from v.fetch(stride, "%steps", place, "i64")
            given = f"ptr %column.{k}, ptr %to.{k}, i64 {stride}, i64 {argument.size}"
            yield f"call void @columns({given}, i64 %left, i1 %many)"
            yield f"br label %given.{k}"
            yield f"rows.{k}:"
            yield from self.give_rows(k)
            yield f"br label %given.{k}"
            yield f"given.{k}:"
        yield "ret void"

    def give_rows(self, k: int) -> Lines:
        v, argument, offset = self.v, self.arrays[k], self.places[k]
        yield from self.pointers(k)
        for start, count in self.pieces(argument):
            columns = [f"%result.{k}.{start + j}" for j in range(count)]
            for j, column in enumerate(columns):
                yield from v.fetch(column, "%out", offset + start + j)
            columns += ["poison"] * (v.lanes - count)
            rows = yield from v.transposed(columns, f"%out.{k}.{start}")
            yield from self.store_rows(k, start, count, rows)

    def columns(self) -> Lines:
        """A loop over vectors, a stride [bytes] apart: past the caches, or as many as are left."""
        v, width = self.v, 8 * self.v.lanes
        T, B, I, lanes = v.T, v.B, v.I, v.lanes
        yield "%place = ptrtoint ptr %to to i64"
        yield "%both = or i64 %place, %stride"
        yield f"%beyond = and i64 %both, {width - 1}"
        yield "%aligned = icmp eq i64 %beyond, 0"
        yield f"%full = icmp uge i64 %left, {lanes}"
        yield "%whole = and i1 %aligned, %full"
        yield "%past = and i1 %whole, %many"
        yield f"%left.one = insertelement {I} poison, i64 %left, i64 0"
        mask = f"<{lanes} x i32> zeroinitializer"
        yield f"%left.each = shufflevector {I} %left.one, {I} poison, {mask}"
        numbers = ", ".join(f"i64 {lane}" for lane in range(lanes))
        yield f"%live = icmp ugt {I} %left.each, <{numbers}>"
        yield "%some = icmp ugt i64 %size, 0"
        yield "br i1 %some, label %next, label %done"
        yield "next:"
        yield "%j = phi i64 [ 0, %0 ], [ %j.next, %stored ]"
        yield f"%from = getelementptr {T}, ptr %column, i64 %j"
        yield f"%x = load {T}, ptr %from"
        yield "%by = mul i64 %j, %stride"
        yield "%at = getelementptr i8, ptr %to, i64 %by"
        yield "br i1 %past, label %stream, label %store"
        yield "stream:"
        yield f"store {T} %x, ptr %at, align {width}, !nontemporal {PAST_CACHES}"
        yield "br label %stored"
        yield "store:"
        memory = f"{T} %x, ptr %at, i32 8, {B} %live"
        yield f"call void @llvm.masked.store.{v.suffix}.p0({memory})"
        yield "br label %stored"
        yield "stored:"
        yield "%j.next = add i64 %j, 1"
        yield "%go = icmp ult i64 %j.next, %size"
        yield "br i1 %go, label %next, label %done"
        yield "done:"
        yield "ret void"

    def pieces(self, argument: Argument) -> Iterator[tuple[int, int]]:
        """Where each piece of at most `lanes` numbers of a sample starts, and how many it has."""
        for start in range(0, argument.size, self.v.lanes):
            yield start, min(self.v.lanes, argument.size - start)

    def pointers(self, k: int) -> Lines:
        """`%p.k.lane`: where each lane's sample of one of the caller's arrays begins."""
        yield from self.v.fetch(f"%base.{k}", "%pointers", k, "ptr")
        for lane in range(self.v.lanes):
            p = f"%p.{k}.{lane}"
            yield f"{p}.offset = mul i64 %sample.{lane}, %step.{k}"
            yield f"{p} = getelementptr i8, ptr %base.{k}, i64 {p}.offset"
        yield from self.fetched_ahead(k)

    def fetched_ahead(self, k: int) -> Lines:
        """Ask for what a later block has of an array: it comes from memory in the meantime."""
        size, write = self.arrays[k].size, int(k >= len(self.inputs))
        if self.v.lanes == 1 or size > SMALL:
            return
        yield f"%later.{k}.by = mul i64 %step.{k}, {BLOCKS_AHEAD * self.v.lanes}"
        yield f"%later.{k} = getelementptr i8, ptr %p.{k}.0, i64 %later.{k}.by"
        for place in range(0, 8 * size * self.v.lanes, LINE):
            at = f"%later.{k}.{place}"
            yield f"{at} = getelementptr i8, ptr %later.{k}, i64 {place}"
            yield f"call void @llvm.prefetch.p0(ptr {at}, i32 {write}, i32 3, i32 1)"

    def load_rows(self, k: int, start: int, count: int) -> LinesWithNames:
        v, rows = self.v, list[str]()
        for lane in range(v.lanes):
            row = f"%row.{k}.{start}.{lane}"
            yield f"{row}.at = getelementptr double, ptr %p.{k}.{lane}, i64 {start}"
            if count == v.lanes:
                yield f"{row} = load {v.T}, ptr {row}.at, align 8"
            else:
                memory = f"ptr {row}.at, i32 8, {v.B} {self.mask(count)}, {v.T} poison"
                yield f"{row} = call {v.T} @llvm.masked.load.{v.suffix}.p0({memory})"
            rows.append(row)
        return rows

    def store_rows(self, k: int, start: int, count: int, rows: list[str]) -> Lines:
        v = self.v
        for lane, row in enumerate(rows):
            at = f"%store.{k}.{start}.{lane}"
            yield f"{at} = getelementptr double, ptr %p.{k}.{lane}, i64 {start}"
            if count == v.lanes:
                yield f"store {v.T} {row}, ptr {at}, align 8"
            else:
                memory = f"{v.T} {row}, ptr {at}, i32 8, {v.B} {self.mask(count)}"
                yield f"call void @llvm.masked.store.{v.suffix}.p0({memory})"

    def mask(self, count: int) -> str:
        return f"<{', '.join(f'i1 {int(k < count)}' for k in range(self.v.lanes))}>"

    def copy(self, k: int) -> Lines:
        """Loops over the samples of a block and over their axes, one within the other."""
        shape, inward = self.arrays[k].shape, k < len(self.inputs)
        if not prod(shape):
            yield "ret void"
            return
        for axis in range(len(shape)):
            yield from self.v.fetch(f"%stride.{axis}", "%strides", axis, "i64")
        lengths = ["%count", *map(str, shape)]
        far = ["%step", *(f"%stride.{axis}" for axis in range(len(shape)))]
        near = [8 * prod(shape[axis:]) for axis in range(len(shape) + 1)]
        before, here, there = "0", "%compact", "%strided"
        for depth, (by, length) in enumerate(zip(far, near, strict=True)):
            i = f"%i.{depth}"
            yield f"br label %loop.{depth}"
            yield f"loop.{depth}:"
            yield f"{i} = phi i64 [ 0, %{before} ], [ {i}.next, %end.{depth} ]"
            yield f"%here.{depth}.by = mul i64 {i}, {length}"
            yield f"%here.{depth} = getelementptr i8, ptr {here}, i64 %here.{depth}.by"
            yield f"%there.{depth}.by = mul i64 {i}, {by}"
            yield f"%there.{depth} = getelementptr i8, ptr {there}, i64 %there.{depth}.by"
            before, here, there = f"loop.{depth}", f"%here.{depth}", f"%there.{depth}"
        source, target = (there, here) if inward else (here, there)
        yield f"%x = load double, ptr {source}, align 8"
        yield f"store double %x, ptr {target}, align 8"
        yield f"br label %end.{len(shape)}"
        for depth in reversed(range(len(lengths))):
            i, outer = f"%i.{depth}", f"end.{depth - 1}" if depth else "done"
            yield f"end.{depth}:"
            yield f"{i}.next = add i64 {i}, 1"
            yield f"{i}.go = icmp ult i64 {i}.next, {lengths[depth]}"
            yield f"br i1 {i}.go, label %loop.{depth}, label %{outer}"
        yield "done:"
        yield "ret void"

    def loop(self) -> Lines:
        yield from self.flags.keep
        yield f"%in = alloca [{self.n_inputs if self.parametric else 1} x {self.v.T}]"
        yield from self.scratch()
        yield "%count = load i64, ptr %dims"
        yield "%some = icmp sgt i64 %count, 0"
        yield "br i1 %some, label %start, label %done"
        yield "start:"
        compact = yield from self.all_compact()
        yield f"br i1 {compact}, label %direct, label %strided"
        yield "direct:"
        yield "%i = phi i64 [ 0, %start ], [ %i.next, %direct ]"
        yield "call void @block(ptr %args, ptr %steps, i64 %i, i64 %count, ptr %in)"
        yield f"%i.next = add i64 %i, {self.v.lanes}"
        yield "%i.go = icmp slt i64 %i.next, %count"
        yield "br i1 %i.go, label %direct, label %done"
        yield "strided:"
        yield "%j = phi i64 [ 0, %start ], [ %j.next, %strided ]"
        yield "%left = sub i64 %count, %j"
        yield f"%now = call i64 @llvm.umin.i64(i64 %left, i64 {self.v.lanes})"
        yield from self.copy_calls(range(len(self.inputs)))
        yield "call void @block(ptr %pointers, ptr %lengths, i64 0, i64 %now, ptr %in)"
        yield from self.copy_calls(range(len(self.inputs), len(self.arrays)))
        yield f"%j.next = add i64 %j, {self.v.lanes}"
        yield "%j.go = icmp slt i64 %j.next, %count"
        yield "br i1 %j.go, label %strided, label %done"
        yield "done:"
        yield from self.flags.restore
        if self.parametric:  # what went past the caches is there before another thread looks
            yield f"%many = icmp ugt i64 %count, {self.many}"
            yield "br i1 %many, label %order, label %end"
            yield "order:"
            yield "fence seq_cst"
            yield "br label %end"
            yield "end:"
        yield "ret void"

    def scratch(self) -> Lines:
        """Room on the stack for one block of compact samples, laid out as the caller's arrays."""
        yield f"%pointers = alloca [{len(self.arrays)} x ptr]"
        yield f"%lengths = alloca [{len(self.arrays)} x i64]"
        for k, argument in enumerate(self.arrays):
            yield f"%scratch.{k} = alloca [{self.v.lanes * argument.size} x double], align 64"
            yield f"%pointers.{k} = getelementptr ptr, ptr %pointers, i64 {k}"
            yield f"store ptr %scratch.{k}, ptr %pointers.{k}"
            yield f"%lengths.{k} = getelementptr i64, ptr %lengths, i64 {k}"
            yield f"store i64 {8 * argument.size}, ptr %lengths.{k}"

    def all_compact(self) -> Generator[str, None, str]:
        """Whether samples are in one piece each, in row-major order, or results in columns."""
        every = "true"
        for k, (first, argument) in enumerate(zip(self.stride_places(), self.arrays, strict=True)):
            if argument.size < 2:
                continue
            unit, stride = f"%unit.{k}", 8 * argument.size
            yield from self.v.fetch(unit, "%steps", first + _innermost(argument), "i64")
            yield f"{unit}.fits = icmp eq i64 {unit}, 8"
            fits = f"{unit}.fits"
            if k >= len(self.inputs) and self.parametric:
                yield from self.v.fetch(f"{unit}.outer", "%steps", k, "i64")
                yield f"{unit}.upright = icmp eq i64 {unit}.outer, 8"
                yield f"{unit}.either = or i1 {unit}.upright, {fits}"
                fits = f"{unit}.either"
            yield f"{unit}.all = and i1 {fits}, {every}"
            every = f"{unit}.all"
            for place, length in enumerate(argument.shape, start=first):
                stride //= length
                if length > 1 and stride > 8:  # else its stride does not matter, or is the unit
                    name = f"%inner.{place}"
                    yield from self.v.fetch(name, "%steps", place, "i64")
                    yield f"{name}.of = mul i64 {unit}, {stride // 8}"
                    yield f"{name}.is = icmp eq i64 {name}, {name}.of"
                    yield f"{name}.all = and i1 {name}.is, {every}"
                    every = f"{name}.all"
        return every

    def stride_places(self) -> list[int]:
        """Where NumPy puts each array's inner strides: behind the outer ones of all arrays."""
        axes = accumulate((len(a.shape) for a in self.arrays), initial=len(self.arrays))
        return list(axes)[:-1]

    def copy_calls(self, arrays: Iterable[int]) -> Lines:
        places = self.stride_places()
        for k in arrays:
            yield from self.v.fetch(f"%array.{k}", "%args", k, "ptr")
            yield from self.v.fetch(f"%outer.{k}", "%steps", k, "i64")
            yield f"%from.{k}.offset = mul i64 %j, %outer.{k}"
            yield f"%from.{k} = getelementptr i8, ptr %array.{k}, i64 %from.{k}.offset"
            yield f"%strides.{k} = getelementptr i64, ptr %steps, i64 {places[k]}"
            arguments = f"ptr %scratch.{k}, ptr %from.{k}, i64 %outer.{k}, ptr %strides.{k}"
            yield f"call void @copy.{k}({arguments}, i64 %now)"


def _innermost(argument: Argument) -> int:
    """The last axis of an array along which there are several numbers."""
    return max(axis for axis, length in enumerate(argument.shape) if length > 1)
