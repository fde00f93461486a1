"""Whose a file in a folder is: Gough's, if it is as Gough wrote it, and otherwise the user's."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from gough.disk.files import checksum, writing
from gough.errors import GoughError


def refuse_others(
    folder: Path, known: Mapping[str, Collection[str]], needed: Iterable[str] = ()
) -> None:
    """Refuse, by name, the first thing of the user's where a run would write or remove something.

    `known` has the checksums that each file of Gough may have, and `needed` the files that the run
    writes. A link is the user's, whatever it points to.
    """
    folders = folders_of(known)
    with writing(folder):
        for path in sorted({*known, *needed}):
            stranger = _stranger(folder, path, known, folders)
            if stranger:
                raise refused(folder / stranger, known=stranger in known)


def folders_of(paths: Iterable[str]) -> set[str]:
    """All folders that these files are in, but for the outermost."""
    return {str(parent) for path in paths for parent in PurePosixPath(path).parents} - {"."}


def _stranger(
    folder: Path, path: str, known: Mapping[str, Collection[str]], folders: set[str]
) -> str | None:
    """What is the user's on the way to a file, at its place, or in a folder at its place."""
    outer = [str(parent) for parent in PurePosixPath(path).parents][-2::-1]
    for name in (*outer, path):
        at = folder / name
        mode = _mode(at)
        if mode is None:
            return None
        if stat.S_ISREG(mode) and name in known and checksum(at) in known[name]:
            return None
        if not stat.S_ISDIR(mode):
            return name
    if path not in folders:
        return path
    inner = (entry.relative_to(folder).as_posix() for entry in sorted((folder / path).rglob("*")))
    return next((name for name in inner if name not in known and name not in folders), None)


def _mode(path: Path) -> int | None:
    """What kind of thing this is; None if there is nothing."""
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def refused(path: Path, *, known: bool) -> GoughError:
    """The error for something of the user's; `known` if Gough once wrote it."""
    why = "changed since Gough wrote it" if known else "Gough has no record of writing it"
    return GoughError(f"{path} is in the way: {why}; move it away, or give another folder")
