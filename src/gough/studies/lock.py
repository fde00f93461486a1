"""A folder that one run at a time writes into."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from gough.errors import GoughError
from gough.studies.files import cannot_write

LOCK = ".lock"

_WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK)
"""What file systems say that cannot lock: there a run goes on without."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a folder for oneself; it is made if need be, and gone again if nothing came into it.

    A GoughError if another run has it. The system takes the lock away when its process ends,
    however that comes about; the process's number in the file is for the message only.
    """
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = _locked_file(folder)
    except OSError as error:
        raise cannot_write(folder, error) from None
    try:
        yield
    finally:
        with suppress(OSError):
            (folder / LOCK).unlink()
        file.close()
        if made:
            with suppress(OSError):
                folder.rmdir()  # only if nothing came into it


def _locked_file(folder: Path) -> TextIO:
    path = folder / LOCK
    while True:
        file = path.open("a", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise _busy(folder) from None
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
        if _is_at(file, path):
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            return file
        file.close()  # its owner has removed it in the meantime


def _is_at(file: TextIO, path: Path) -> bool:
    """Whether the open file is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _busy(folder: Path) -> GoughError:
    try:
        number = (folder / LOCK).read_text(encoding="utf-8").strip()
    except OSError:
        number = ""
    who = f"process {number}" if number else "another process"
    return GoughError(
        f"{folder}: {who} is running a study in it; wait for its end, or give another folder"
    )
