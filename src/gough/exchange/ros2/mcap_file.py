"""MCAP files: messages of channels in chunks, which are compressed, indexed and summed up.

In a chunk the messages of a channel stand together, in the order of their stamps: all of them are
laid out at once, and readers put those of several channels in order by their index [MCAP format
specification, version 0]. The package mcap, a message at a time, takes four times as long.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from gough.arrays import AnyArray

MAGIC = b"\x89MCAP0\r\n"
_COMPRESSION = "zstd"
_HEADER, _FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK = range(0x01, 0x07)
_MESSAGE_INDEX, _CHUNK_INDEX = 0x07, 0x08
_STATISTICS, _METADATA, _METADATA_INDEX, _SUMMARY_OFFSET, _DATA_END = range(0x0B, 0x10)
_NAMES = "opcode length channel sequence logged published".split()
_HEAD = np.dtype(list(zip(_NAMES, "u1 <u8 <u2 <u4 <u8 <u8".split(), strict=True)))
"""Header of the content of a message."""
_BEFORE_LENGTH = 9  # the bytes of a record that its length does not count: opcode and length
Part = bytes | str | tuple[Any, ...]
"""Part of a record: bytes, a text behind its length, or a format of numbers and these."""


class Messages(NamedTuple):
    """Messages of a channel, all of one length: stamps (n,) [ns], and bytes (n, length)."""

    channel: int
    stamps: AnyArray
    contents: AnyArray


class McapFile:
    """An MCAP file on its way into a stream."""

    def __init__(self, stream: BinaryIO, *, profile: str, library: str) -> None:
        self._stream = stream
        self._summary: dict[int, list[bytes]] = {
            group: [] for group in (_SCHEMA, _CHANNEL, _STATISTICS, _CHUNK_INDEX, _METADATA_INDEX)
        }
        """Records to be said again at the end, by their opcodes."""
        self._counts: Counter[int] = Counter()
        self._begin, self._end = 2**64 - 1, 0
        stream.write(MAGIC)
        self._write(_HEADER, profile, library)

    def add_schema(self, name: str, encoding: str, content: str) -> int:
        """Say what messages consist of; its number."""
        number = len(self._summary[_SCHEMA]) + 1
        self._twice(_SCHEMA, ("<H", number), name, encoding, content)
        return number

    def add_channel(self, topic: str, encoding: str, schema: int, about: Mapping[str, str]) -> int:
        """Say of which schema the messages of a topic are; its number."""
        number = len(self._summary[_CHANNEL]) + 1
        self._twice(_CHANNEL, ("<HH", number, schema), topic, encoding, _table(about))
        return number

    def add_chunk(self, several: Iterable[Messages]) -> None:
        """Write messages of several channels as one chunk; nothing if there are none."""
        import pyarrow as pa  # noqa: PLC0415  (slow to import)

        laid = [(messages, _records(messages)) for messages in several if len(messages.stamps)]
        if not laid:
            return
        begin = min(int(messages.stamps.min()) for messages, _ in laid)
        end = max(int(messages.stamps.max()) for messages, _ in laid)
        plain = b"".join(records.tobytes() for _, records in laid)
        packed: bytes = pa.compress(plain, codec=_COMPRESSION, asbytes=True)
        at, sizes = self._stream.tell(), ("<QQQI", begin, end, len(plain), zlib.crc32(plain))
        self._write(_CHUNK, sizes, _COMPRESSION, ("<Q", len(packed)), packed)
        length = self._stream.tell() - at
        places, start = b"", 0
        for messages, records in laid:
            places += struct.pack("<HQ", messages.channel, self._stream.tell())
            offsets = start + np.arange(len(records)) * records.shape[1]
            rows = np.column_stack([messages.stamps, offsets]).astype("<u8").tobytes()
            self._write(_MESSAGE_INDEX, ("<H", messages.channel), _sized(rows))
            self._counts[messages.channel] += len(records)
            start += records.size
        self._begin, self._end = min(self._begin, begin), max(self._end, end)
        indices = ("<Q", self._stream.tell() - at - length)
        where, lengths = ("<QQQQ", begin, end, at, length), ("<QQ", len(packed), len(plain))
        index = _record(_CHUNK_INDEX, where, _sized(places), indices, _COMPRESSION, lengths)
        self._summary[_CHUNK_INDEX].append(index)

    def add_metadata(self, name: str, facts: Mapping[str, str]) -> None:
        """Write facts about the recording."""
        at = self._stream.tell()
        self._write(_METADATA, name, _table(facts))
        place = ("<QQ", at, self._stream.tell() - at)
        self._summary[_METADATA_INDEX].append(_record(_METADATA_INDEX, place, name))

    def finish(self) -> None:
        """Write the summary, without which nothing is found in a file without reading all."""
        self._write(_DATA_END, ("<I", 0))
        begin, total = self._begin if self._counts else 0, self._counts.total()
        groups = (_SCHEMA, _CHANNEL, _METADATA_INDEX, _CHUNK_INDEX)
        schemas, channels, metadata, chunks = (len(self._summary[group]) for group in groups)
        counts = b"".join(struct.pack("<HQ", *pair) for pair in sorted(self._counts.items()))
        many = ("<QHIIIIQQ", total, schemas, channels, 0, metadata, chunks, begin, self._end)
        self._summary[_STATISTICS].append(_record(_STATISTICS, many, _sized(counts)))
        start, summary, offsets = self._stream.tell(), b"", b""
        for group, records in self._summary.items():
            content = b"".join(records)
            offsets += _record(_SUMMARY_OFFSET, ("<BQQ", group, start + len(summary), len(content)))
            summary += content
        begins = struct.pack("<QQ", start, start + len(summary))
        checked = summary + offsets + struct.pack("<BQ", _FOOTER, len(begins) + 4) + begins
        self._stream.write(checked + struct.pack("<I", zlib.crc32(checked)) + MAGIC)

    def _write(self, opcode: int, *parts: Part) -> None:
        self._stream.write(_record(opcode, *parts))

    def _twice(self, opcode: int, *parts: Part) -> None:
        """Write a record, here and in the summary."""
        self._write(opcode, *parts)
        self._summary[opcode].append(_record(opcode, *parts))


def _records(messages: Messages) -> AnyArray:
    """The records (n, length) of a channel's messages."""
    count, length = messages.contents.shape
    heads = np.zeros(count, _HEAD)
    heads["opcode"] = _MESSAGE
    heads["length"] = _HEAD.itemsize - _BEFORE_LENGTH + length
    heads["channel"] = messages.channel
    heads["logged"] = heads["published"] = messages.stamps
    return np.hstack([heads.view(np.uint8).reshape(count, -1), messages.contents])


def _record(opcode: int, *parts: Part) -> bytes:
    content = b"".join(map(_packed, parts))
    return struct.pack("<BQ", opcode, len(content)) + content


def _packed(part: Part) -> bytes:
    if isinstance(part, str):
        return _sized(part.encode())
    return part if isinstance(part, bytes) else struct.pack(*part)


def _table(facts: Mapping[str, str]) -> bytes:
    return _sized(b"".join(_packed(text) for pair in facts.items() for text in pair))


def _sized(content: bytes) -> bytes:
    """Bytes with their number before them."""
    return struct.pack("<I", len(content)) + content
