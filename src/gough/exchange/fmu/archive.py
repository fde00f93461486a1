"""An FMU on disk: a zip file of always the same bytes, known again by a mark with a checksum."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from gough._version import __version__
from gough.disk.files import whole, writing
from gough.disk.sources import MARK, refuse_others

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of all files in it."""


def refuse_other(path: Path) -> None:
    """Refuse what is in the place of a zip file, unless it is as Gough made it."""
    refuse_others(path, _is_as_made)


def write_archive(path: Path, contents: dict[str, bytes]) -> None:
    """Write a zip file in one step; another than one that is as Gough made it stays."""
    refuse_other(path)
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for name, content in sorted(contents.items()):
            entry = ZipInfo(name, _LONG_AGO)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content, compresslevel=6)
        archive.comment = f"{MARK} {__version__}, sha256 {_checksum(archive)}".encode()
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as draft:
        draft.write_bytes(made.getvalue())


def _checksum(archive: ZipFile) -> str:
    """Of the names and contents of all files in it."""
    listed = ((entry.filename, entry.CRC, entry.file_size) for entry in archive.infolist())
    return hashlib.sha256(repr(sorted(listed)).encode()).hexdigest()[:16]


def _is_as_made(content: bytes) -> bool:
    """Whether a zip file is as Gough made it."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            comment, checksum = archive.comment.decode(errors="replace"), _checksum(archive)
    except (BadZipFile, NotImplementedError, ValueError):  # of a later version, names in bytes
        return False
    return comment.startswith(MARK) and comment.endswith(f"sha256 {checksum}")
