"""A folder that one run at a time writes into, with a hidden folder in it for work in progress.

The lock is ours, and not of the package filelock, for two reasons: it goes with its folder when a
run ends, so that it holds only while its file is still the one of that name; and on file systems
without locks a run goes on, where a file left by a run that crashed would keep all others out.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase
from pathlib import Path

from gough.disk.files import open_regular, read_regular, writing
from gough.errors import GoughError

HIDDEN, LOCK = ".gough", "gough.lock"
"""The hidden folder; and the file that is locked, by which it is known as Gough's."""

_WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK)
"""Errors of file systems that cannot lock: there a run goes on without."""


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Keep a folder for oneself, and have its hidden folder; both are made if need be.

    Both are gone again if nothing came into them. A GoughError if another run has the folder. The
    system takes the lock away when its process ends, however that comes about; the process's number
    in the file is for the message only.
    """
    made = not folder.exists()
    hidden = folder / HIDDEN
    try:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            file = _locked_file(hidden)
        try:
            yield hidden
        finally:
            _remove_lock(hidden)
            file.close()
    finally:
        for path in (hidden, folder) if made else (hidden,):
            with suppress(OSError):
                path.rmdir()


def is_hidden(path: Path) -> bool:
    """Whether this is a hidden folder of Gough, and not something of the user's of that name."""
    if path.name != HIDDEN or not stat.S_ISDIR(path.lstat().st_mode):
        return False
    lock = path / LOCK
    return (lock.is_file() and not lock.is_symlink()) or not any(path.iterdir())


def _locked_file(hidden: Path) -> BufferedIOBase:
    path = hidden / LOCK
    while True:
        try:
            with suppress(FileExistsError):
                hidden.mkdir(parents=True)  # another run may have removed the folder, too
            if not is_hidden(hidden):
                raise GoughError(
                    f"{hidden}: not made by Gough, which needs a folder of this name; "
                    "move it away, or give another folder"
                )
            file = open_regular(path, "ab")
        except FileNotFoundError:
            continue  # its owner has removed the folder in the meantime
        try:
            _lock(file, hidden)
            if _is_at(file, path):
                with suppress(OSError):
                    file.truncate(0)
                    os.write(file.fileno(), f"{os.getpid()}\n".encode())
                return file
        except KeyboardInterrupt:
            with suppress(GoughError, OSError):
                _lock(file, hidden)
                if _is_at(file, path):
                    _remove_lock(hidden)
            file.close()
            raise
        file.close()  # its owner has removed it in the meantime


def _lock(file: BufferedIOBase, hidden: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise _busy(hidden) from None
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise


def _remove_lock(hidden: Path) -> None:
    """Remove the lock that one has, if there is nothing else in its folder."""
    with suppress(OSError):
        if [path.name for path in hidden.iterdir()] == [LOCK]:
            (hidden / LOCK).unlink()


def _is_at(file: BufferedIOBase, path: Path) -> bool:
    """Whether the open file is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _busy(hidden: Path) -> GoughError:
    try:
        number = read_regular(hidden / LOCK, 100).decode(errors="replace").strip()
    except OSError:
        number = ""
    who = f"process {number}" if number else "another process"
    return GoughError(
        f"{hidden.parent}: {who} is running a study in it; wait for its end, or give another folder"
    )
