"""Object code on disk, so that a kernel is compiled once per machine.

One file per key. A file is a header (a mark and the sha256 of what follows) and the object code;
it is written under another name and renamed, so that other processes see all of it or nothing.
Whatever goes wrong with the disk means that there is no cache, never a failure.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

DIRECTORY_VARIABLE = "GOUGH_CACHE_DIR"
SIZE_VARIABLE = "GOUGH_CACHE_SIZE"
DEFAULT_SIZE = 256 * 2**20
_MARK = b"gough object 1\n"
_SUFFIX = ".o"


@dataclass(frozen=True)
class Info:
    """What the cache holds."""

    directory: Path
    entries: int
    size: int
    limit: int


def directory() -> Path:
    """The folder: that of the environment variable, or the platform's own for caches."""
    chosen = os.environ.get(DIRECTORY_VARIABLE)
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path  # noqa: PLC0415  (not needed when chosen)

    return user_cache_path("gough") / "kernels"


def read(key: str) -> bytes | None:
    """The object code of that key; None if it is not there, or not whole."""
    path = _path(key)
    try:
        content = path.read_bytes()
    except OSError:
        return None
    header = len(_MARK) + sha256().digest_size
    body = content[header:]
    if content[:header] != _MARK + sha256(body).digest():
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # the least recently used are the first to go
    return body


def write(key: str, object_code: bytes) -> None:
    """Keep object code under a key, and drop the oldest entries if there are too many."""
    folder = directory()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MARK + sha256(object_code).digest() + object_code)
            Path(name).replace(_path(key))
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        _drop_oldest()


def info() -> Info:
    """How many entries there are, their size and the limit [bytes]."""
    sizes = [size for _, size, _ in _entries()]
    return Info(directory(), len(sizes), sum(sizes), _limit())


def clear() -> int:
    """Remove every entry; how many there were."""
    removed = 0
    for _, _, path in _entries():
        with contextlib.suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def _path(key: str) -> Path:
    return directory() / f"{key}{_SUFFIX}"


def _limit() -> int:
    try:
        return int(os.environ.get(SIZE_VARIABLE, DEFAULT_SIZE))
    except ValueError:
        return DEFAULT_SIZE


def _entries() -> Iterator[tuple[float, int, Path]]:
    """Time of last use, size and path of each entry."""
    with contextlib.suppress(OSError):
        for path in directory().glob(f"*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                status = path.stat()
                yield status.st_mtime, status.st_size, path


def _drop_oldest() -> None:
    entries = sorted(_entries())
    excess = sum(size for _, size, _ in entries) - _limit()
    for _, size, path in entries:
        if excess <= 0:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            excess -= size
