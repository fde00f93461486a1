"""List of what Gough has written into a folder: run.json, with a checksum of every file and itself.

A path that it lists, with the content that it lists, is Gough's; everything else is the user's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from gough.disk.files import cannot_read, checksum, read_regular
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import GoughError

MANIFEST = "run.json"
IDENTITY = ("name", "inputs", "versions")
"""Keys of the identity of a run."""

MOST_BYTES = 2**29
"""Maximum size of a JSON file of results: a million points with series need half of it."""

Sums = dict[str, str]
"""SHA-256 of files by their paths in a folder, with / between names."""


@dataclass(frozen=True)
class Manifest:
    """The record of a run; without files, that of a folder in which Gough knows nothing."""

    known_by: PlainMapping = field(default_factory=dict)
    files: Sums = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    """Folders in it that have records of their own."""

    @classmethod
    def of(cls, known_by: PlainMapping, sums: Sums) -> Manifest:
        """The record of these files; folders that have a record among them keep to it."""
        folders = tuple(sorted(p.removesuffix(f"/{MANIFEST}") for p in sums if _is_inner(p)))
        own = {p: s for p, s in sums.items() if not any(p.startswith(f"{f}/") for f in folders)}
        return cls(known_by, dict(sorted(own.items())), folders)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The record in a folder; it has no files if there is none, or one of an earlier version.

        A GoughError if it is damaged, or not Gough's.
        """
        path = folder / MANIFEST
        try:
            text = read_regular(path, MOST_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except OSError as error:
            raise cannot_read(path, error) from None
        if _is_of_an_earlier_version(text):
            return cls()
        data = unsealed(text, path, (*IDENTITY, "files", "folders"))
        known_by = {key: data[key] for key in IDENTITY}
        files, folders = data["files"], data["folders"]
        if not (_is_identity(known_by) and are_sums(files) and are_texts(folders)):
            raise damaged(path)
        check_inside((*files, *folders), path)
        return cls(known_by, files, tuple(folders))

    @property
    def text(self) -> str:
        """The record as it stands in its file."""
        return sealed({**self.known_by, "files": self.files, "folders": list(self.folders)})


def written_by_gough(folder: Path) -> Sums:
    """Everything that the records in a folder say Gough has written, the records included."""
    manifest = Manifest.read(folder)
    if not manifest.files and not manifest.folders:
        return {}
    sums = {**manifest.files, MANIFEST: hashlib.sha256(manifest.text.encode()).hexdigest()}
    for name in manifest.folders:
        inner = {} if (folder / name).is_symlink() else written_by_gough(folder / name)
        sums |= {f"{name}/{path}": value for path, value in inner.items()}
    return sums


def write_manifest(folder: Path, known_by: PlainMapping) -> None:
    """Write the record of all files in a folder into it."""
    sums = {path: checksum(folder / path) for path in files_in(folder)}
    (folder / MANIFEST).write_text(Manifest.of(known_by, sums).text, encoding="utf-8")


def files_in(folder: Path) -> list[str]:
    """The paths of all files in a folder and in its folders."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def sealed(data: PlainMapping) -> str:
    """Plain data as JSON with a checksum of itself."""
    body = json.dumps(data, sort_keys=True)
    facts = {**data, "checksum": hashlib.sha256(body.encode()).hexdigest()}
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def unsealed(text: bytes, path: Path, keys: tuple[str, ...]) -> PlainData:
    """The data that were `sealed`; a GoughError that names the file if it is not as written."""
    try:
        data: PlainData = json.loads(text)
        del data["checksum"]
        if tuple(data) == keys and sealed(data).encode() == text:
            return data
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        pass
    raise damaged(path)


def are_sums(data: object) -> bool:
    """Whether data are texts by their names."""
    return isinstance(data, dict) and are_texts([*data, *data.values()])


def are_texts(data: object) -> bool:
    """Whether data are a list of texts."""
    return isinstance(data, list) and all(isinstance(item, str) for item in data)


def damaged(path: Path) -> GoughError:
    """The error for a record that is not as Gough writes it."""
    return GoughError(
        f"{path}: damaged, or not written by Gough; move it away, or give another folder"
    )


def check_inside(names: Iterable[str], path: Path) -> None:
    """Refuse a record that names something outside its folder."""
    for name in names:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\0" in name:
            raise GoughError(f'{path}: names "{name}", which is not in its folder; remove the file')


def _is_inner(path: str) -> bool:
    return path.endswith(f"/{MANIFEST}")


def _is_of_an_earlier_version(text: bytes) -> bool:
    """Records once had no files."""
    try:
        return tuple(json.loads(text)) == IDENTITY
    except (RecursionError, TypeError, ValueError):
        return False


def _is_identity(known_by: PlainMapping) -> bool:
    name, inputs, versions = (known_by[key] for key in IDENTITY)
    return isinstance(name, str) and isinstance(inputs, str | None) and are_sums(versions)
