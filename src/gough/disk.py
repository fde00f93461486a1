"""Files on disk: written whole or not at all, safe from a loss of power, known by checksums."""

from __future__ import annotations

import errno
import hashlib
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gough.errors import GoughError

_WITHOUT_SYNC = (errno.EINVAL, errno.ENOTSUP)
"""What file systems say that cannot sync a folder: they need not."""


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """A place to write a file at; it takes the place of the path when it is all there.

    If something fails, what was there before stays as it was, and a GoughError says why.
    """
    try:
        with replacing(path) as part:
            yield part
    except OSError as error:
        raise cannot_write(path, error) from None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """As `whole`, for those who have words of their own for an OSError."""
    target = Path(os.path.realpath(path))  # a link stays, and points to the new file
    part = target.with_name(f".{uuid.uuid4().hex}{Path(path).suffix}")
    try:
        yield part
        sync(part)
        part.replace(target)
        sync(target.parent)
    finally:
        with suppress(OSError):
            part.unlink()


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, would outlast a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if not (path.is_dir() and error.errno in _WITHOUT_SYNC):
            raise
    finally:
        os.close(handle)


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cannot_write(path: str | Path, error: OSError) -> GoughError:
    """The error for a place that cannot be written."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    return GoughError(f"{path}: cannot be written: {reason}")
