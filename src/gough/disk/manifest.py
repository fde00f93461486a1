"""List of what Gough has written into a folder: run.json, with a checksum of every file and itself.

A path that it lists, with the content that it lists, is Gough's; everything else is the user's.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from platform import python_version
from typing import Self

from gough._version import __version__
from gough.disk.files import cannot_read, checksum, read_regular
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import GoughError

MANIFEST = "run.json"
IDENTITY = ("name", "inputs", "versions")  # keys of the identity of a run
MOST_BYTES = 2**29
"""Maximum size of a JSON file of results: a million points with series need half of it."""

Sums = dict[str, str]
"""SHA-256 of files by their paths in a folder, with / between names."""


@dataclass(frozen=True, repr=False)
class Manifest:
    """The record of a run; without files, that of a folder in which Gough knows nothing."""

    known_by: PlainMapping = field(default_factory=dict)
    files: Sums = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    """Folders in it that have records of their own."""

    def __repr__(self) -> str:
        return f"<gough manifest: {len(self.files)} files, {len(self.folders)} folders>"

    @classmethod
    def of(cls, known_by: PlainMapping, sums: Sums) -> Self:
        """The record of these files; folders that have a record among them keep to it."""
        inner = f"/{MANIFEST}"
        folders = tuple(sorted(p.removesuffix(inner) for p in sums if p.endswith(inner)))
        own = {p: s for p, s in sums.items() if not any(p.startswith(f"{f}/") for f in folders)}
        return cls(known_by, dict(sorted(own.items())), folders)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The record in a folder; it has no files if there is none.

        A GoughError if it is damaged, or not Gough's.
        """
        data = read_sealed(folder / MANIFEST, _KINDS)
        if data is None:
            return cls()
        files, folders = data["files"], data["folders"]
        check_inside((*files, *folders), folder / MANIFEST)
        return cls({key: data[key] for key in IDENTITY}, files, tuple(folders))

    @property
    def text(self) -> str:
        """The record as it stands in its file."""
        return sealed({**self.known_by, "files": self.files, "folders": list(self.folders)})


_version_of = cache(version)  # which reads files


def versions() -> dict[str, str]:
    """Versions of Gough and of what the numbers depend on."""
    packages = {name: _version_of(name) for name in ("numpy", "scipy", "casadi", "llvmlite")}
    return {"gough": __version__, "python": python_version(), **packages}


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
    (folder / MANIFEST).write_bytes(Manifest.of(known_by, sums).text.encode())


def files_in(folder: Path) -> list[str]:
    """The paths of all files in a folder and in its folders."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def sealed(data: PlainMapping) -> str:
    """Plain data as JSON with a checksum of itself."""
    body = json.dumps(data, sort_keys=True)
    facts = {**data, "checksum": hashlib.sha256(body.encode()).hexdigest()}
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def read_sealed(path: Path, kinds: Mapping[str, Callable[[object], bool]]) -> PlainData | None:
    """The data of a file that were `sealed`; None without a file, a GoughError if damaged.

    `kinds` are the checks of what stands at each key.
    """
    try:
        text = read_regular(path, MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise cannot_read(path, error) from None
    with suppress(AttributeError, KeyError, RecursionError, TypeError, ValueError):
        data: PlainData = json.loads(text)
        del data["checksum"]
        as_written = tuple(data) == tuple(kinds) and sealed(data).encode() == text
        if as_written and all(fits(data[key]) for key, fits in kinds.items()):
            return data
    problem = f"{path}: damaged, or not written by Gough"
    raise GoughError(f"{problem}; move it away, or give another folder")


def are_sums(data: object) -> bool:
    """Whether data are texts by their names."""
    return isinstance(data, dict) and are_texts([*data, *data.values()])


def are_texts(data: object) -> bool:
    """Whether data are a list of texts."""
    return isinstance(data, list) and all(isinstance(item, str) for item in data)


def check_inside(names: Iterable[str], path: Path) -> None:
    """Refuse a record that names something outside its folder."""
    for name in names:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\0" in name:
            raise GoughError(f'{path}: names "{name}", which is not in its folder; remove the file')


_KINDS: Mapping[str, Callable[[object], bool]] = {
    "name": lambda name: isinstance(name, str),
    "inputs": lambda inputs: isinstance(inputs, str | None),
    "versions": are_sums,
    "files": are_sums,
    "folders": are_texts,
}
"""Keys of a record, those of the identity first, and what may stand there."""
