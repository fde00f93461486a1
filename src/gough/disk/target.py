"""The folder that a run writes into: its own for the time, and changed in one step at the end.

In it is a hidden folder for work in progress. The lock is ours, and not of the package filelock,
for two reasons: it goes with its folder when a run ends, so that it holds only while its file is
still the one of that name; and on file systems without locks a run goes on, where a file left by a
run that crashed would keep all others out.

Of results that are read every file is checked against the record of the run that wrote it.
"""

import errno
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from io import BufferedIOBase
from pathlib import Path
from typing import Self

from gough.disk.files import OPENS_FOLDERS, cannot_read, open_regular, read_regular, writing
from gough.disk.manifest import MANIFEST, MOST_BYTES, Manifest, files_in, written_by_gough
from gough.disk.placing import NEW, PLAN, finish, put_in_place, refuse_others, refused
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import GoughError

HIDDEN, LOCK = ".gough", "gough.lock"
"""The hidden folder; and the file that is locked, by which it is known as Gough's."""

_WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK)
"""Errors of file systems that cannot lock: there a run goes on without."""
_BEHIND = 2**30
"""Byte that is locked on Windows, where nobody else reads what is: the number stands before it."""
_GRID = "grid-"
_DRAFT = r"\.[0-9a-f]{32}\.json"
_OURS = re.compile(rf"{re.escape(LOCK)}|{re.escape(PLAN)}|{NEW}|{_GRID}[0-9a-f]{{64}}|{_DRAFT}")
"""The names of all that Gough makes in the hidden folder."""


@dataclass(frozen=True)
class Target:
    """A folder that this process has for itself."""

    folder: Path
    hidden: Path
    """Where work in progress lies."""

    def grids(self) -> set[Path]:
        """Where grids are that were begun and not finished."""
        return set(self.hidden.glob(f"{_GRID}*"))

    def grid(self, known_by: PlainMapping) -> Path:
        """Where the record and the series of a grid stand until all of it is there."""
        return self.hidden / f"{_GRID}{known_by['inputs']}"

    def there(self, manifest: Manifest) -> set[str]:
        """The files of a record that are there."""
        return {path for path in manifest.files if (self.folder / path).exists()}

    def refuse_others(self, needed: Iterable[str]) -> None:
        """Refuse what the user has put in the place of files that are needed, or has changed."""
        refuse_others(self.folder, [written_by_gough(self.folder)], (*needed, MANIFEST))

    def clear(self) -> None:
        """Remove all work in progress."""
        _clear(self.hidden)


@contextmanager
def opened(folder: Path) -> Iterator[Target]:
    """Have a folder for oneself; what an earlier run was ended at comes to its end first."""
    with locked(folder) as hidden:
        with writing(folder):
            for path in sorted(hidden.iterdir()):  # all of it goes when a run is done
                if not _OURS.fullmatch(path.name):
                    raise refused(path, known=False)
            finish(folder, hidden)
            _clear(hidden, keep=_GRID)
        target = Target(folder, hidden)
        try:
            yield target
        finally:
            for grid in target.grids():
                with suppress(OSError):
                    grid.rmdir()  # one of which nothing is done


@contextmanager
def taken(
    folder: Path, known_by: PlainMapping, names: Iterable[str], *, overwrite: bool
) -> Iterator[Target]:
    """Have a folder for oneself, for results of these inputs and files of these names.

    A folder that holds something else, or results of other inputs, is refused unless `overwrite` is
    set; what of the user's is in the way, in any case. Work in progress goes when all is well.
    """
    with opened(folder) as target:
        if not overwrite:
            _refuse_other_results(target, known_by)
        target.refuse_others(names)
        yield target
        target.clear()


def _refuse_other_results(target: Target, known_by: PlainMapping) -> None:
    folder, grids = target.folder, target.grids()
    with writing(folder):
        if not grids and all(path == target.hidden for path in folder.iterdir()):
            return
    earlier = Manifest.read(folder)
    if not earlier.files and not grids:
        raise GoughError(
            f"{folder}: not empty, and no results of Gough; give another folder, or write beside "
            "what is there (--overwrite, in Python overwrite=True)"
        )
    if grids - {target.grid(known_by)} or (earlier.files and earlier.known_by != known_by):
        problem = f"{folder}: has results of another study, of other inputs or of another version"
        advice = "give another folder, or overwrite them (--overwrite, in Python overwrite=True)"
        raise GoughError(f"{problem}; {advice}")


def holds_chunks(folder: Path) -> bool:
    """Whether something is kept in a folder with which a run that was interrupted goes on."""
    return any((folder / HIDDEN).glob(f"{_GRID}*/chunk-*"))


@contextmanager
def staged(
    target: Target,
    known_by: PlainMapping,
    *,
    more: Mapping[str, Path] | None = None,
    keep: Iterable[str] = (),
) -> Iterator[Path]:
    """A place to write files in; with `more` they come into the folder when all are there.

    What Gough wrote there before goes, but for what is to be kept. If something fails, all stays as
    it was, and a GoughError says why.
    """
    new = target.hidden / NEW
    try:
        with writing(target.folder):
            new.mkdir()
            yield new
            sources = {path: new / path for path in files_in(new)}
            put_in_place(target.folder, target.hidden, known_by, {**sources, **(more or {})}, keep)
    finally:
        if not (target.hidden / PLAN).exists():
            _clear(target.hidden, keep=_GRID)


def finish_earlier(folder: Path) -> None:
    """Before results are read: bring to its end what a run was ended at."""
    hidden = folder / HIDDEN
    if (hidden / PLAN).exists() and is_hidden(hidden):
        try:
            with opened(folder):
                pass
        except GoughError as error:
            raise GoughError(f"{folder}: the results are not all in place yet: {error}") from None


def _clear(hidden: Path, *, keep: str = LOCK) -> None:
    """Remove what Gough made in the hidden folder, but for the lock and what begins like this."""
    for path in hidden.iterdir():
        if path.name.startswith((keep, LOCK)) or not _OURS.fullmatch(path.name):
            continue
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Keep a folder for oneself, and have its hidden folder; both are made if need be.

    Both are gone again if nothing came into them. A GoughError if another run has the folder. The
    system takes the lock away when its process ends, however that comes about; the process's number
    in the file is for the message only.
    """
    if folder.is_file():
        raise GoughError(f"{folder}: a file; expected a folder")
    made = not folder.exists()
    hidden = folder / HIDDEN
    try:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            file = _locked_file(hidden)
        try:
            yield hidden
        finally:
            if not OPENS_FOLDERS:
                file.close()  # Windows removes nothing that is open
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
                problem = f"{hidden}: not made by Gough, which needs a folder of this name"
                raise GoughError(f"{problem}; move it away, or give another folder")
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
            _abandon(file, hidden)
            raise
        file.close()  # its owner has removed it in the meantime


def _abandon(file: BufferedIOBase, hidden: Path) -> None:
    """Remove the lock if it is one's own or nobody's: an interrupt came when it was being taken."""
    if not OPENS_FOLDERS:
        file.close()
        _remove_lock(hidden)  # Windows removes nothing that anybody has open
        return
    with suppress(GoughError, OSError):
        _lock(file, hidden)
        if _is_at(file, hidden / LOCK):
            _remove_lock(hidden)
    file.close()


def _lock(file: BufferedIOBase, hidden: Path) -> None:
    try:
        _lock_at_once(file.fileno())
    except (BlockingIOError, PermissionError):
        file.close()
        raise _busy(hidden) from None
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise


def _lock_at_once(handle: int) -> None:
    try:
        import fcntl  # noqa: PLC0415  (not on Windows)
    except ImportError:
        windows = import_module("msvcrt")
        os.lseek(handle, _BEHIND, os.SEEK_SET)
        windows.locking(handle, windows.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


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


_OF_DAMAGE = (  # errors of data that are not as they were written
    ArithmeticError, AttributeError, LookupError, RecursionError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """The files of results in a folder; without a record of them they have no checksums."""

    folder: Path
    manifest: Manifest

    @classmethod
    def at(cls, folder: Path) -> Self:
        """The results in a folder."""
        finish_earlier(folder)
        return cls(folder, Manifest.read(folder))

    def read(self, name: str, most: int | None = None) -> bytes:
        """Read a file; a GoughError names it if it is not as it was written."""
        path = self.folder / name
        try:
            content = read_regular(path, most)
        except FileNotFoundError:
            raise _missing(path) from None
        except NotADirectoryError:
            problem = "not a folder of results; expected one that 'gough run' wrote"
            raise GoughError(f"{self.folder}: {problem}") from None
        except OSError as error:
            raise cannot_read(path, error) from None
        files = self.manifest.files
        if files and files.get(name) != hashlib.sha256(content).hexdigest():
            if Manifest.read(self.folder) != self.manifest:
                raise GoughError(f"{self.folder}: a run has replaced the results; load them again")
            why = f"{path}: damaged or changed: {MANIFEST} has another checksum"
            raise GoughError(f"{why}; move it away and run the study again")
        return content

    def table(self, name: str) -> PlainData:
        """The table that a JSON file consists of."""
        content, path = self.read(name, MOST_BYTES), self.folder / name
        try:
            data = json.loads(content)
        except RecursionError:
            raise GoughError(f"{path}: damaged: nested too deeply") from None
        except ValueError as error:
            raise GoughError(f"{path}: damaged: {error}") from None
        if not isinstance(data, dict):
            raise GoughError(f"{path}: damaged: not a table of keys and values")
        return data


@contextmanager
def results_of(folder: Path) -> Iterator[Stored]:
    """The results in a folder; what does not fit together is a GoughError that names it."""
    try:
        yield Stored.at(folder)
    except GoughError:
        raise
    except _OF_DAMAGE as error:
        raise GoughError(f"{folder}: the results are damaged: {error}") from None


def _missing(path: Path) -> GoughError:
    folder, name = path.parent, path.name
    if not folder.exists():
        return GoughError(f"{folder}: no such folder")
    inside = sorted(f'"{found.parent.name}"' for found in folder.glob(f"*/{name}"))
    hint = f", but in its folders {', '.join(inside)}" if inside else ""
    return GoughError(f"{folder}: no results here ({name} is missing){hint}")
