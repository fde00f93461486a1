"""Putting files into a folder in one step: all of them or none, whenever the process may end.

The new files are in the hidden folder and on disk before there is a plan. From then on the plan is
carried out: by this process or, if it ends, by the next that comes to the folder.
"""

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from gough.disk.files import cannot_write, checksum, replace, replacing, sync, writing
from gough.disk.manifest import (
    MANIFEST,
    Manifest,
    Sums,
    are_sums,
    check_inside,
    read_sealed,
    sealed,
    written_by_gough,
)
from gough.disk.plain_data import PlainMapping
from gough.errors import GoughError

PLAN, NEW = "plan.json", "new"
"""In the hidden folder: the plan, and the folder in which files are written."""


@dataclass(frozen=True)
class _FolderChange:
    before: Sums  # files that Gough has written into the folder so far
    after: Sums  # files of Gough that are to be there
    sources: dict[str, str]  # where in the hidden folder the new ones are


def put_in_place(
    folder: Path,
    hidden: Path,
    known_by: PlainMapping,
    sources: Mapping[str, Path],
    keep: Iterable[str] = (),
) -> None:
    """Put new files, which lie in the hidden folder, in the place of all that Gough wrote before.

    Of that, some may be kept. Nothing is done if something of the user's is in the way.
    """
    before = written_by_gough(folder)
    sums = {path: checksum(source) for path, source in sources.items()}
    sums |= {path: before[path] for path in keep}
    record = hidden / NEW / MANIFEST
    record.write_bytes(Manifest.of(known_by, sums).text.encode())
    sources = {**sources, MANIFEST: record}
    after = {**sums, MANIFEST: checksum(record)}
    refuse_others(folder, [before], after)
    for path in (*sources.values(), *{source.parent for source in sources.values()}):
        sync(path)
    places = {path: source.relative_to(hidden).as_posix() for path, source in sources.items()}
    change = _FolderChange(before, after, places)
    try:
        with replacing(hidden / PLAN) as part:
            part.write_bytes(sealed(asdict(change)).encode())
    except OSError:
        (hidden / PLAN).unlink(missing_ok=True)
        raise
    _carry_out(change, folder, hidden)


def finish(folder: Path, hidden: Path) -> None:
    """Carry out the plan that an earlier process has left, if there is one."""
    path = hidden / PLAN
    data = read_sealed(path, {"before": are_sums, "after": are_sums, "sources": are_sums})
    if data is None:
        return
    change = _FolderChange(**data)
    check_inside((*change.before, *change.after, *change.sources, *change.sources.values()), path)
    refuse_others(folder, [change.before, change.after], change.after)
    _carry_out(change, folder, hidden)


def _carry_out(change: _FolderChange, folder: Path, hidden: Path) -> None:
    """Remove what other things may take the place of first; the record of all comes last."""
    gone = change.before.keys() - change.after.keys()
    try:
        for path in gone:
            with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                (folder / path).unlink()
        for name in sorted(folders_of(gone) - folders_of(change.after), reverse=True):
            with suppress(OSError):
                (folder / name).rmdir()  # only if nothing of the user's is in it
        for path in sorted(change.sources, key=lambda path: path == MANIFEST):
            source = hidden / change.sources[path]
            if source.exists():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                replace(source, folder / path)
        for name in ("", *folders_of({*change.before, *change.after})):
            if (folder / name).is_dir():
                sync(folder / name)
        (hidden / PLAN).unlink()
        sync(hidden)
    except OSError as error:
        later = f"the results are in {hidden}, and the next run or load puts them in place"
        raise GoughError(f"{cannot_write(folder, error)}; {later}") from None


def refuse_others(folder: Path, states: Sequence[Sums], needed: Iterable[str] = ()) -> None:
    """Refuse, by name, the first thing of the user's where a run would write or remove something.

    `states` have the checksums that files of Gough may have, and `needed` the files that the run
    writes. A link is the user's, whatever it points to.
    """
    known: dict[str, set[str]] = {}
    for path, value in (pair for sums in states for pair in sums.items()):
        known.setdefault(path, set()).add(value)
    folders = folders_of(known)
    with writing(folder):
        for path in sorted({*known, *needed}):
            if stranger := _stranger(folder, path, known, folders):
                raise refused(folder / stranger, known=stranger in known)


def folders_of(paths: Iterable[str]) -> set[str]:
    """All folders that these files are in, but for the outermost."""
    return {str(parent) for path in paths for parent in PurePosixPath(path).parents} - {"."}


def _stranger(folder: Path, path: str, known: dict[str, set[str]], folders: set[str]) -> str | None:
    """Find what is the user's on the way to a file, at its place, or in a folder at its place."""
    outer = [str(parent) for parent in PurePosixPath(path).parents][-2::-1]
    for name in (*outer, path):
        at = folder / name
        try:
            mode = os.lstat(at).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISREG(mode) and name in known and checksum(at) in known[name]:
            return None
        if not stat.S_ISDIR(mode):
            return name
    if path not in folders:
        return path
    inner = (entry.relative_to(folder).as_posix() for entry in sorted((folder / path).rglob("*")))
    return next((name for name in inner if name not in known and name not in folders), None)


def refused(path: Path, *, known: bool) -> GoughError:
    """The error for something of the user's; `known` if Gough once wrote it."""
    why = "changed since Gough wrote it" if known else "Gough has no record of writing it"
    return GoughError(f"{path} is in the way: {why}; move it away, or give another folder")
