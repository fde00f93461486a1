"""Files on disk: regular ones only are read, without waiting and up to a limit.

They are written whole or not at all, safe from a loss of power, and known by checksums.
"""

import errno
import hashlib
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import cast

from gough.errors import GoughError

_WITHOUT_SYNC = (errno.EINVAL, errno.ENOTSUP)
"""Errors of file systems that cannot sync a folder: they need not."""
OPENS_FOLDERS = hasattr(os, "O_DIRECTORY")
"""Whether the system has handles of folders, and replaces files that are open: not Windows."""
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d) *(\..*)?|.*\.", re.IGNORECASE)
_HELD, _PAUSE = 1.0, 0.05
"""Time [s] for which a file that another program holds open is waited for, and between tries."""


class UnfitFileError(OSError):
    """A file that is not read: the problem with it, and what is expected, where that is known."""

    def __init__(self, problem: str, expected: str | None = None) -> None:
        super().__init__(problem)
        self.problem, self.expected = problem, expected


def is_reserved(name: str) -> bool:
    """Whether Windows has no file or folder of a name: a device's, or one that ends with a dot."""
    return _RESERVED.fullmatch(name) is not None


def read_regular(path: Path, most: int | None = None, *, links: bool = False) -> bytes:
    """Read a regular file, which may have at most so many bytes."""
    with open_regular(path, links=links) as file:
        if most is None:
            return file.read()
        large = os.fstat(file.fileno()).st_size > most
        content = b"" if large else file.read(most + 1)
    if large or len(content) > most:  # it may have grown meanwhile
        raise UnfitFileError("the file is too large", f"at most {most / 2**20:g} MiB")
    return content


def open_regular(path: Path, mode: str = "rb", *, links: bool = False) -> BufferedIOBase:
    """Open a regular file, and nothing else; links are followed only where that is allowed."""
    return cast(BufferedIOBase, open(path, mode, opener=partial(_regular, links=links)))


def _regular(path: str, flags: int, *, links: bool) -> int:
    """A handle of a file; of a pipe, do not wait for somebody to write into it."""
    if not links and Path(path).is_symlink():
        raise UnfitFileError("a link, which is not followed")
    if not OPENS_FOLDERS and Path(path).is_dir():  # where that is a matter of rights
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    flags |= flag("O_NONBLOCK") | (0 if links else flag("O_NOFOLLOW"))
    handle = os.open(path, flags, 0o666)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):  # of a folder Python itself says so
        return handle
    os.close(handle)
    raise UnfitFileError("not a regular file")


def flag(name: str) -> int:
    """A flag of `os.open`; 0 where the system does not have it."""
    return int(getattr(os, name, 0))


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Something that is written at a place: an OSError becomes a GoughError that says why."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from None


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """A place to write a file at; it takes the place of the path when it is all there.

    If something fails, what was there before stays as it was, and a GoughError says why.
    """
    with writing(path), replacing(path) as part:
        yield part


def write_text(path: str | Path, text: str) -> None:
    """Write a text to a file, all or nothing."""
    with atomic_write(path) as part:
        part.write_bytes(text.encode())


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Replace a file as `atomic_write` does, for callers with words of their own for an OSError."""
    target = Path(os.path.realpath(path))  # a link stays, and points to the new file
    part = target.with_name(f".{os.urandom(16).hex()}{Path(path).suffix}")
    try:
        yield part
        sync(part)
        replace(part, target)
        sync(target.parent)
    finally:
        with suppress(OSError):
            part.unlink()


def replace(source: Path, target: Path) -> None:
    """Put a file in the place of another: on Windows when nobody holds that open any more."""
    end = time.monotonic() + (0.0 if OPENS_FOLDERS else _HELD)
    while True:
        try:
            source.replace(target)
        except PermissionError:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return


def cache_folder(variable: str, name: str) -> Path:
    """The folder that an environment variable says; or the one of a name in the user's cache."""
    chosen = os.environ.get(variable)
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path  # noqa: PLC0415  (not needed when chosen)

    return user_cache_path("gough") / name


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, would outlast a loss of power."""
    is_folder = path.is_dir()
    if is_folder and not OPENS_FOLDERS:
        return  # Windows keeps names by itself
    handle = os.open(path, os.O_RDONLY if OPENS_FOLDERS else os.O_RDWR)
    try:
        _sync(handle)
    except OSError as error:
        if not (is_folder and error.errno in _WITHOUT_SYNC):
            raise
    finally:
        os.close(handle)


def _sync(handle: int) -> None:
    """Have the disk write what it keeps in its own memory, too, which macOS does not by itself."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415  (not on every system)

        with suppress(OSError):  # of file systems that cannot
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)


def checksum(path: Path, *, links: bool = False) -> str:
    """The SHA-256 of a file."""
    with open_regular(path, links=links) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cannot_write(path: str | Path, error: OSError) -> GoughError:
    """The error for a place that cannot be written."""
    return GoughError(f"{path}: cannot be written: {_reason(error)}")


def cannot_read(path: str | Path, error: OSError) -> GoughError:
    """The error for a file that cannot be read."""
    return GoughError(f"{path}: cannot be read: {_reason(error)}")


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)
