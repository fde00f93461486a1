"""Putting files into a folder in one step: all of them or none, whenever the process may end.

The new files are in the hidden folder and on disk before there is a plan. From then on the plan is
carried out: by this process or, if it ends, by the next that comes to the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gough.disk.files import cannot_read, cannot_write, checksum, read_regular, replacing, sync
from gough.disk.manifest import (
    MANIFEST,
    MOST_BYTES,
    Manifest,
    Sums,
    are_sums,
    check_inside,
    damaged,
    sealed,
    unsealed,
    written_by_gough,
)
from gough.disk.ownership import folders_of, refuse_others
from gough.errors import GoughError

PLAN, NEW = "plan.json", "new"
"""In the hidden folder: the plan, and the folder in which files are written."""


@dataclass(frozen=True)
class _Plan:
    before: Sums
    """What Gough has written into the folder so far."""
    after: Sums
    """What of Gough is to be there."""
    sources: dict[str, str]
    """Where in the hidden folder the new ones are."""

    @property
    def gone(self) -> set[str]:
        return self.before.keys() - self.after.keys()

    def states(self) -> dict[str, set[str]]:
        """The checksums that each file may have at any time on the way."""
        paths = self.before.keys() | self.after.keys()
        sums = (self.before, self.after)
        return {path: {s[path] for s in sums if path in s} for path in paths}


def put_in_place(
    folder: Path,
    hidden: Path,
    known_by: Mapping[str, Any],
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
    record.write_text(Manifest.of(known_by, sums).text, encoding="utf-8")
    sources = {**sources, MANIFEST: record}
    after = {**sums, MANIFEST: checksum(record)}
    refuse_others(folder, {path: (value,) for path, value in before.items()}, after)
    for path in (*sources.values(), *{source.parent for source in sources.values()}):
        sync(path)
    places = {path: source.relative_to(hidden).as_posix() for path, source in sources.items()}
    plan = _Plan(before, after, places)
    try:
        with replacing(hidden / PLAN) as part:
            part.write_text(sealed(asdict(plan)), encoding="utf-8")
    except OSError:
        (hidden / PLAN).unlink(missing_ok=True)
        raise
    _carry_out(plan, folder, hidden)


def finish(folder: Path, hidden: Path) -> None:
    """Carry out the plan that an earlier process has left, if there is one."""
    path = hidden / PLAN
    if not path.exists():
        return
    try:
        content = read_regular(path, MOST_BYTES)
    except OSError as error:
        raise cannot_read(path, error) from None
    data = unsealed(content, path, ("before", "after", "sources"))
    if not all(map(are_sums, data.values())):
        raise damaged(path)
    plan = _Plan(**data)
    check_inside((*plan.before, *plan.after, *plan.sources, *plan.sources.values()), path)
    refuse_others(folder, plan.states(), plan.after)
    _carry_out(plan, folder, hidden)


def _carry_out(plan: _Plan, folder: Path, hidden: Path) -> None:
    """What goes first, as other things may take its place; the record of all comes last."""
    try:
        for path in plan.gone:
            with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                (folder / path).unlink()
        for name in sorted(folders_of(plan.gone) - folders_of(plan.after), reverse=True):
            with suppress(OSError):
                (folder / name).rmdir()  # only if nothing of the user's is in it
        for path in sorted(plan.sources, key=lambda path: path == MANIFEST):
            source = hidden / plan.sources[path]
            if source.exists():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                source.replace(folder / path)
        for name in ("", *folders_of(plan.states())):
            if (folder / name).is_dir():
                sync(folder / name)
        (hidden / PLAN).unlink()
        sync(hidden)
    except OSError as error:
        later = f"the results are in {hidden}, and the next run or load puts them in place"
        raise GoughError(f"{cannot_write(folder, error)}; {later}") from None
