"""The loop over samples in LLVM's language: what NumPy calls, around a program.

- `block` fetches `lanes` samples from the caller's arrays, runs the program on them, and puts the
  results back. A sample's numbers lie side by side there, so it transposes on the way. Lanes
  behind the last sample repeat it: they store the same again, so there is no remainder to treat.
- `copy` takes the samples of a block out of, or into, an array whose inner axes are strided.
- `loop` is `void (char **args, intp *dims, intp *steps, void *data)`, NumPy's own convention. It
  leaves the processor's floating-point flags as they were: a side of a condition that was computed
  and not taken must not make NumPy warn. What fails is NaN, or has a status.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from platform import machine

from gough.compiler.front.argument import Argument
from gough.compiler.front.program import Program, flat_size, offsets
from gough.compiler.native.llvm_routines import Lines, LinesWithNames, Routines, Vectors, function

LOOP = "loop"


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
    routines = Routines(program, v)
    loop = _Loop(program, routines.symbol(program), v, flags)
    declared = dict.fromkeys(d for n in routines.widths for d in Vectors(n).declarations())
    texts = [*declared, *flags.declarations, *routines.texts(), *loop.texts()]
    return "\n".join(texts) + "\n"


class _Loop:
    def __init__(self, program: Program, symbol: str, v: Vectors, flags: Flags) -> None:
        self.inputs, self.outputs = program.inputs, program.outputs
        self.arrays = (*program.inputs, *program.outputs)
        self.symbol, self.v, self.flags = symbol, v, flags
        self.loaded = program.loaded

    def texts(self) -> list[str]:
        block = "internal void @block(ptr %pointers, ptr %steps, i64 %first, i64 %count)"
        copied = "ptr %compact, ptr %strided, i64 %step, ptr %strides, i64 %count"
        copy = f"internal void @copy.{{k}}({copied}) nounwind noinline"
        loop = f"void @{LOOP}(ptr %args, ptr %dims, ptr %steps, ptr %data)"
        return [
            function(f"{block} nounwind noinline", self.block()),
            *(function(copy.format(k=k), self.copy(k)) for k in range(len(self.arrays))),
            function(f"{loop} nounwind", self.loop()),
        ]

    def block(self) -> Lines:
        v = self.v
        yield f"%in = alloca [{max(flat_size(self.inputs), 1)} x {v.T}]"
        yield f"%out = alloca [{max(flat_size(self.outputs), 1)} x {v.T}]"
        yield "%last = sub i64 %count, 1"
        for lane in range(v.lanes):
            yield f"%lane.{lane} = add i64 %first, {lane}"
            yield f"%sample.{lane} = call i64 @llvm.umin.i64(i64 %lane.{lane}, i64 %last)"
        places = [*offsets(self.inputs), *offsets(self.outputs)]
        arrays = list(enumerate(zip(self.arrays, places, strict=True)))
        for k, (argument, offset) in arrays[: len(self.inputs)]:
            yield from self.pointers(k)
            for start, count in self.pieces(argument):
                if self.loaded.isdisjoint(range(offset + start, offset + start + count)):
                    continue
                rows = yield from self.load_rows(k, start, count)
                columns = yield from v.transposed(rows, f"%in.{k}.{start}")
                for j in range(count):
                    yield from v.put(columns[j], "%in", offset + start + j)
        yield f"call void {self.symbol}(ptr %in, ptr %out)"
        for k, (argument, offset) in arrays[len(self.inputs) :]:
            yield from self.pointers(k)
            for start, count in self.pieces(argument):
                columns = [f"%result.{k}.{start + j}" for j in range(count)]
                for j, column in enumerate(columns):
                    yield from v.fetch(column, "%out", offset + start + j)
                columns += ["poison"] * (v.lanes - count)
                rows = yield from v.transposed(columns, f"%out.{k}.{start}")
                yield from self.store_rows(k, start, count, rows)
        yield "ret void"

    def pieces(self, argument: Argument) -> Iterator[tuple[int, int]]:
        """Where each piece of at most `lanes` numbers of a sample starts, and how many it has."""
        for start in range(0, argument.size, self.v.lanes):
            yield start, min(self.v.lanes, argument.size - start)

    def pointers(self, k: int) -> Lines:
        """`%p.k.lane`: where each lane's sample of one of the caller's arrays begins."""
        yield from self.v.fetch(f"%base.{k}", "%pointers", k, "ptr")
        yield from self.v.fetch(f"%step.{k}", "%steps", k, "i64")
        for lane in range(self.v.lanes):
            p = f"%p.{k}.{lane}"
            yield f"{p}.offset = mul i64 %sample.{lane}, %step.{k}"
            yield f"{p} = getelementptr i8, ptr %base.{k}, i64 {p}.offset"

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
        yield from self.scratch()
        yield "%count = load i64, ptr %dims"
        yield "%some = icmp sgt i64 %count, 0"
        yield "br i1 %some, label %start, label %done"
        yield "start:"
        compact = yield from self.all_compact()
        yield f"br i1 {compact}, label %direct, label %strided"
        yield "direct:"
        yield "%i = phi i64 [ 0, %start ], [ %i.next, %direct ]"
        yield "call void @block(ptr %args, ptr %steps, i64 %i, i64 %count)"
        yield f"%i.next = add i64 %i, {self.v.lanes}"
        yield "%i.go = icmp slt i64 %i.next, %count"
        yield "br i1 %i.go, label %direct, label %done"
        yield "strided:"
        yield "%j = phi i64 [ 0, %start ], [ %j.next, %strided ]"
        yield "%left = sub i64 %count, %j"
        yield f"%now = call i64 @llvm.umin.i64(i64 %left, i64 {self.v.lanes})"
        yield from self.copy_calls(range(len(self.inputs)))
        yield "call void @block(ptr %pointers, ptr %lengths, i64 0, i64 %now)"
        yield from self.copy_calls(range(len(self.inputs), len(self.arrays)))
        yield f"%j.next = add i64 %j, {self.v.lanes}"
        yield "%j.go = icmp slt i64 %j.next, %count"
        yield "br i1 %j.go, label %strided, label %done"
        yield "done:"
        yield from self.flags.restore
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
        """Whether every sample is one piece of memory in row-major order; returns its name."""
        compact = "true"
        for first, argument in zip(self.stride_places(), self.arrays, strict=True):
            stride = 8 * argument.size
            for place, length in enumerate(argument.shape, start=first):
                stride //= length
                if length > 1:  # else its stride does not matter
                    name = f"%inner.{place}"
                    yield from self.v.fetch(name, "%steps", place, "i64")
                    yield f"{name}.is = icmp eq i64 {name}, {stride}"
                    yield f"{name}.all = and i1 {name}.is, {compact}"
                    compact = f"{name}.all"
        return compact

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
