"""Messages of ROS 2 in CDR, little endian: laid out once, filled with the numbers of all samples.

A number stands at a multiple of its size, counted from behind the first four bytes, which say how
the rest is written [OMG, DDS-XTypes 1.3, 7.4].
"""

from __future__ import annotations

import numpy as np

from gough.arrays import AnyArray, Array

_LITTLE_ENDIAN = b"\0\1\0\0"


class Layout:
    """A message whose texts and lengths stay while its numbers change from sample to sample."""

    def __init__(self) -> None:
        self._body = bytearray()
        self._columns: list[tuple[int, AnyArray]] = []

    def count(self, value: int) -> Layout:
        """An unsigned whole number, such as the length of what follows."""
        self._align(4)
        self._body += value.to_bytes(4, "little")
        return self

    def text(self, text: str) -> Layout:
        """A text, with its length before it and a zero behind it."""
        content = text.encode() + b"\0"
        self.count(len(content))
        self._body += content
        return self

    def numbers(self, values: Array) -> Layout:
        """Numbers of each sample (T, n), one after the other."""
        return self._column(np.ascontiguousarray(values, "<f8"))

    def sequence(self, values: Array | None) -> Layout:
        """The same with their number before them; none at all of nothing."""
        self.count(0 if values is None else values.shape[1])
        return self if values is None else self.numbers(values)

    def stamp(self, nanoseconds: AnyArray) -> Layout:
        """The time of each sample (T,) [ns]: seconds, and nanoseconds beyond them."""
        parts = np.stack(np.divmod(nanoseconds, 10**9), axis=-1)
        return self._column(np.ascontiguousarray(parts, "<i4"))

    @property
    def size(self) -> int:
        """How many bytes a message has."""
        return len(_LITTLE_ENDIAN) + len(self._body)

    def messages(self, samples: slice) -> AnyArray:
        """The messages of some of the samples, bytes (n, size)."""
        whole = np.frombuffer(_LITTLE_ENDIAN + self._body, np.uint8)
        filled = np.tile(whole, (samples.stop - samples.start, 1))
        for place, column in self._columns:
            rows, begin = column[samples].view(np.uint8), len(_LITTLE_ENDIAN) + place
            filled[:, begin : begin + rows.shape[1]] = rows
        return filled

    def _column(self, values: AnyArray) -> Layout:
        if values.shape[1]:
            self._align(values.itemsize)
            self._columns.append((len(self._body), values))
            self._body += bytes(values.itemsize * values.shape[1])
        return self

    def _align(self, size: int) -> None:
        self._body += bytes(-len(self._body) % size)
