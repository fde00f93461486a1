"""Compiled code on disk: of kernels, with what describes it, of data classes and of templates.

One file per key, in a folder that is this user's alone. Code is run as it is, so an entry is
believed only if this user wrote it for this key: it begins with a mark, the key, and a signature
(HMAC-SHA256) of the two and the content with a secret that only this user can read. It is
written under another name and renamed, so that other processes see all of it or nothing: here, and
not by `gough.disk`, as every step stays in the folder that was opened and checked. Windows has no
handles of folders and says by no number who owns a file: there the folder is as private as the
user's profile, in which it is unless the environment variable says another. Whatever goes wrong
with the disk means that there is no cache, never a failure.
"""

import contextlib
import hmac
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gough.disk.files import OPENS_FOLDERS, cache_folder, flag

DIRECTORY_VARIABLE = "GOUGH_CACHE_DIR"
SIZE_VARIABLE = "GOUGH_CACHE_SIZE"
DEFAULT_SIZE = 256 * 2**20
LOOKS = 64
"""The folder is looked through about so often while as much is written as it may hold."""
ABANDONED = 3600.0
"""After so long [s] nobody is writing a file any more."""

_MARK = b"gough object 2\n"
_SECRET_MARK = b"gough secret 2\n"
_ANY_MARK = re.compile(rb"gough (object|secret) \d\n")  # of earlier versions, too
_SECRET_SIZE = 32
_SECRET = ".gough-secret"
OBJECT = ".o"
DESCRIPTION = ".kernel"
DATA = ".json"
"""Suffixes of entries by their content; a description belongs to some object code."""
_ENTRY = re.compile(rf"[0-9a-f]{{64}}(\{OBJECT}|\{DESCRIPTION}|\{DATA}|\.code)")
"""The names of all entries; the last kind by earlier versions."""
_SAFE = flag("O_NOFOLLOW") | flag("O_CLOEXEC") | flag("O_BINARY")
"""Flags of all files that are opened here: as bytes, in this process, no links."""
_DRAFT = re.compile(r"new-([0-9a-f]{16}|[0-9a-z_]{8})")  # the second kind by earlier versions


@dataclass(frozen=True)
class Info:
    """Content of the cache; `problem` is the reason why it is not used, if it is not."""

    directory: Path
    entries: int
    size: int
    limit: int
    problem: str = ""


def directory() -> Path:
    """The folder: that of the environment variable, or the platform's own for caches."""
    return cache_folder(DIRECTORY_VARIABLE, "kernels")


class _Folder(NamedTuple):
    """The folder: a handle of it, where the system has such."""

    path: Path
    handle: int | None

    def place(self, name: str) -> str:
        """Where a file is, for functions that are given the handle."""
        return name if self.handle is not None else str(self.path / name)


def read(key: str, kind: str = OBJECT) -> bytes | None:
    """The content of that key; None if it is not there, not whole, or not written by us."""
    with contextlib.suppress(OSError), _folder() as folder:
        secret = _read_secret(folder)
        with _opened(folder, key + kind) as file:
            stored, size = _content(file), len(_header(key, b"", secret))
            header, content = stored[:size], stored[size:]
            if not hmac.compare_digest(header, _header(key, content, secret)):
                return None
            os.utime(file if os.utime in os.supports_fd else folder.place(key + kind))
            return content
    return None


def write(key: str, content: bytes, kind: str = OBJECT) -> None:
    """Keep something under a key, and now and then drop the oldest if all is beyond the limit."""
    with contextlib.suppress(OSError):
        directory().mkdir(mode=0o700, parents=True, exist_ok=True)
        with _folder() as folder:
            secret = _secret(folder)
            stored = _header(key, content, secret) + content
            _put(folder, key + kind, stored)
            # by chance, as processes do not know what others wrote; surely if it is much
            if int.from_bytes(os.urandom(8)) % max(_limit(), 1) <= LOOKS * len(stored):
                _drop_oldest(folder)


def info() -> Info:
    """Return the number of compiled kernels, the size of all entries and the limit [bytes]."""
    entries: list[_File] = []
    problem = ""
    try:
        with _folder() as folder:
            entries = [e for e in _files(folder, _ENTRY) if _is_ours(folder, e.name)]
    except FileNotFoundError:
        pass  # nothing was compiled yet
    except OSError as error:
        problem = error.strerror or str(error)
    count = sum(e.name.endswith(OBJECT) for e in entries)
    return Info(directory(), count, sum(e.size for e in entries), _limit(), problem)


def clear() -> int:
    """Remove every entry, and what killed processes left behind; how many kernels there were."""
    removed = 0
    with contextlib.suppress(OSError), _folder() as folder:
        for draft in _files(folder, _DRAFT):
            _remove(folder, draft.name)
        for entry in _files(folder, _ENTRY):
            removed += _remove(folder, entry.name) and entry.name.endswith(OBJECT)
    return removed


@contextlib.contextmanager
def _folder() -> Iterator[_Folder]:
    """The folder, which is closed to others if it was open to them."""
    if not OPENS_FOLDERS:
        yield _Folder(directory(), None)
        return
    handle = os.open(directory(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if status.st_uid != os.getuid():
            raise PermissionError(0, "the folder belongs to another user")
        if status.st_mode & 0o022:
            os.fchmod(handle, 0o700)
        yield _Folder(directory(), handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _opened(folder: _Folder, name: str, forbidden: int = 0o022) -> Iterator[int]:
    """A handle of a plain file that we own, and to which others have none of these rights."""
    flags = os.O_RDONLY | flag("O_NONBLOCK") | _SAFE
    if folder.handle is None and Path(folder.place(name)).is_symlink():
        raise PermissionError(0, f"{name} is a link")
    handle = os.open(folder.place(name), flags, dir_fd=folder.handle)
    try:
        status = os.fstat(handle)
        ours = not OPENS_FOLDERS or (
            status.st_uid == os.getuid() and not status.st_mode & forbidden
        )
        if not (stat.S_ISREG(status.st_mode) and ours):
            raise PermissionError(0, f"{name} is not a file of this user alone")
        yield handle
    finally:
        os.close(handle)


def _content(file: int) -> bytes:
    with os.fdopen(os.dup(file), "rb") as stream:
        return stream.read()


def _put(folder: _Folder, name: str, content: bytes, *, replace: bool = True) -> None:
    """Write a file as a whole; if it may not replace another, and there is one, leave that."""
    draft, name = folder.place(f"new-{os.urandom(8).hex()}"), folder.place(name)
    at = folder.handle
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE
    handle = os.open(draft, flags, 0o600, dir_fd=at)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if replace:
            os.replace(draft, name, src_dir_fd=at, dst_dir_fd=at)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(draft, name, src_dir_fd=at, dst_dir_fd=at)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=at)


def _header(key: str, content: bytes, secret: bytes) -> bytes:
    marked = _MARK + key.encode()
    return marked + hmac.digest(secret, marked + content, "sha256")


def _secret(folder: _Folder) -> bytes:
    """The secret of this folder, made by the first who writes; one that is damaged is replaced."""
    with contextlib.suppress(OSError):
        return _read_secret(folder)
    made = _SECRET_MARK + os.urandom(_SECRET_SIZE)
    for replace in (False, True):
        with contextlib.suppress(OSError):
            _put(folder, _SECRET, made, replace=replace)
            return _read_secret(folder)
    return _read_secret(folder)


def _read_secret(folder: _Folder) -> bytes:
    with _opened(folder, _SECRET, forbidden=0o077) as file:
        content = _content(file)
    if not content.startswith(_SECRET_MARK) or len(content) != len(_SECRET_MARK) + _SECRET_SIZE:
        raise OSError(0, "the secret is damaged")
    return content


class _File(NamedTuple):
    last_use: float
    size: int
    name: str


def _limit() -> int:
    try:
        return int(os.environ.get(SIZE_VARIABLE, DEFAULT_SIZE))
    except ValueError:
        return DEFAULT_SIZE


def _files(folder: _Folder, names: re.Pattern[str]) -> list[_File]:
    """The files with names like these."""
    found = []
    with os.scandir(folder.path if folder.handle is None else folder.handle) as places:
        for place in places:
            if names.fullmatch(place.name):
                with contextlib.suppress(OSError):
                    status = place.stat(follow_symlinks=False)
                    found.append(_File(status.st_mtime, status.st_size, place.name))
    return found


def _is_ours(folder: _Folder, name: str) -> bool:
    """Whether Gough wrote a file, according to its beginning, or to a draft's long name."""
    try:
        with _opened(folder, name) as file:
            begin = os.read(file, len(_MARK))
    except OSError:
        return False
    empty_draft = not begin and re.fullmatch("new-[0-9a-f]{16}", name)
    return bool(empty_draft or _ANY_MARK.match(begin))


def _remove(folder: _Folder, name: str) -> bool:
    """Remove a file if Gough wrote it; whether it is gone."""
    with contextlib.suppress(OSError):
        if _is_ours(folder, name):
            os.unlink(folder.place(name), dir_fd=folder.handle)
            return True
    return False


def _drop_oldest(folder: _Folder) -> None:
    for draft in _files(folder, _DRAFT):
        if draft.last_use < time.time() - ABANDONED:
            _remove(folder, draft.name)
    entries = _files(folder, _ENTRY)
    excess = sum(e.size for e in entries) - _limit()
    for entry in sorted(entries):
        if excess > 0 and _remove(folder, entry.name):
            excess -= entry.size
