"""The words of LLVM's language that the other texts are made of: vectors of `lanes` numbers.

Names of values begin with `%`. A function here generates lines, and its docstring lists the
names they define. No line has a fast-math flag: no operation may be reordered or fused.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

Lines = Iterator[str]
LinesWithNames = Generator[str, None, list[str]]


@dataclass(frozen=True)
class Vectors:
    """Vectors of `lanes` doubles; with one lane, plain doubles."""

    lanes: int

    @cached_property
    def T(self) -> str:
        """The type of a value."""
        return f"<{self.lanes} x double>" if self.lanes > 1 else "double"

    @cached_property
    def B(self) -> str:
        """The type of a truth value."""
        return f"<{self.lanes} x i1>" if self.lanes > 1 else "i1"

    @cached_property
    def I(self) -> str:  # noqa: E743  (beside T and B)
        """The type of a value's bits."""
        return f"<{self.lanes} x i64>" if self.lanes > 1 else "i64"

    @cached_property
    def suffix(self) -> str:
        """The type, as LLVM puts it behind the names of its own functions."""
        return f"v{self.lanes}f64" if self.lanes > 1 else "f64"

    def constant(self, x: float) -> str:
        """Return a vector of one number in every lane, to the last bit."""
        number = f"0x{struct.unpack('>Q', struct.pack('>d', x))[0]:016X}"
        if self.lanes == 1:
            return number
        return f"<{', '.join([f'double {number}'] * self.lanes)}>"

    def fetch(self, name: str, array: str, element: int) -> Lines:
        """`name` is one element of an array of vectors."""
        yield f"{name}.at = getelementptr {self.T}, ptr {array}, i64 {element}"
        yield f"{name} = load {self.T}, ptr {name}.at"

    def put(self, value: str, array: str, element: int, mark: str = "put") -> Lines:
        """Store one element of an array of vectors; `mark` is unique in a function."""
        at = f"{array}.{mark}.{element}"
        yield f"{at} = getelementptr {self.T}, ptr {array}, i64 {element}"
        yield f"store {self.T} {value}, ptr {at}"

    def splat(self, name: str, scalar: str) -> Lines:
        """`name` has the same scalar in every lane."""
        T = self.T
        yield f"{name}.one = insertelement {T} poison, double {scalar}, i64 0"
        mask = f"<{self.lanes} x i32> zeroinitializer"
        yield f"{name} = shufflevector {T} {name}.one, {T} poison, {mask}"

    def any_lane(self, name: str, truths: str) -> str:
        """`name` is whether any lane is true."""
        if self.lanes == 1:
            return f"{name} = or i1 {truths}, false"
        return f"{name} = call i1 @llvm.vector.reduce.or.v{self.lanes}i1({self.B} {truths})"

    def transposed(self, rows: list[str], name: str) -> LinesWithNames:
        """Exchange rows and columns of lanes x lanes numbers, one bit of the index at a time.

        Defines names that begin with `name`; returns those of the columns.
        """
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


def function(head: str, lines: Iterable[str]) -> str:
    """A definition: its head, and its lines in braces."""
    inner = "\n  ".join(lines)
    return f"define {head} {{\n  {inner}\n}}"
