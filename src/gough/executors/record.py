"""Results on disk as they come: a Parquet file for each chunk, which is there whole or not at all.

Its name has the items, a hash of what the results are known by, and one of all that and of its
content. So files that were damaged, or belong to other work, are known by their names; and whoever
goes on after anything was killed computes what no right file has.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from gough.disk.files import replacing
from gough.errors import GoughError

_NAME = re.compile(r"chunk-(\d{12})-(\d{12})-([0-9a-f]{16})-[0-9a-f]{16}\.parquet")
_DRAFT = re.compile(r"\.[0-9a-f]{32}\.parquet")


class ChunkRecord:
    """The chunks in a folder, continued if they are there; without a folder they are in memory.

    `known_by` is all that the results depend on, in words: a folder with chunks that are known by
    something else is refused.
    """

    def __init__(self, folder: str | Path | None, known_by: str) -> None:
        self._folder = None if folder is None else Path(folder)
        self._of = _hash(known_by.encode())
        self._chunks: dict[range, Path | bytes] = {}
        if self._folder is not None and self._folder.exists():
            self._chunks.update(self._right_ones(self._folder))

    def __iter__(self) -> Iterator[tuple[range, bytes]]:
        """The items and contents of all chunks, in order of the items."""
        for items in self.items:
            found = self._chunks[items]
            yield items, found if isinstance(found, bytes) else found.read_bytes()

    @property
    def items(self) -> list[range]:
        """The items of each chunk, in order."""
        return sorted(self._chunks, key=lambda items: items.start)

    @property
    def files(self) -> list[Path]:
        """The files of all chunks, in order of the items."""
        return [path for k in self.items if isinstance(path := self._chunks[k], Path)]

    @property
    def done(self) -> int:
        """Number of items in all chunks."""
        return sum(map(len, self._chunks))

    def missing(self, count: int) -> list[range]:
        """The stretches of items 0 to count - 1 that no chunk has."""
        ends = [0, *(end for items in self.items for end in (items.start, items.stop)), count]
        return [range(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < b]

    def add(self, items: range, content: bytes) -> None:
        """Keep a chunk: it outlasts the process, and a loss of power, when this returns."""
        if self._folder is None:
            self._chunks[items] = content
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / self._name(items, content)
        with replacing(path) as draft:
            draft.write_bytes(content)
        self._chunks[items] = path

    def _right_ones(self, folder: Path) -> Iterator[tuple[range, Path]]:
        """The chunks that are whole; others are removed, and drafts of those who were killed."""
        for path in folder.iterdir():
            if _DRAFT.fullmatch(path.name):
                path.unlink()
        last = 0
        for path in sorted(folder.glob("chunk-*.parquet")):
            name = _NAME.fullmatch(path.name)
            if name is None:
                continue
            if name[3] != self._of:
                problem = f"{folder}: has results of other work, such as {path.name}"
                raise GoughError(f"{problem}; give another folder")
            items = range(int(name[1]), int(name[2]))
            if items.start < last or path.name != self._name(items, path.read_bytes()):
                path.unlink()
                continue
            last = items.stop
            yield items, path

    def _name(self, items: range, content: bytes) -> str:
        known = f"chunk-{items.start:012d}-{items.stop:012d}-{self._of}"
        return f"{known}-{_hash(known.encode() + content)}.parquet"


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()[:16]
