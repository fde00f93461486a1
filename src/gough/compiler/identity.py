"""Keys of cached code, from all that it is made from; the same in every process.

Code depends on the sources of the rooms that made it, the libraries that they use, and the values
it is made for. Where one of these is not known for certain there is no key, and no code is stored
or found.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import distribution
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gough._began import BEGAN
from gough.arrays import AnyArray
from gough.compiler.native import cache as disk

SOURCES = Path(__file__).parents[1]
"""The folder of Gough's sources."""
LIBRARIES = ("casadi", "numpy", "scipy")
"""Where the numbers in the code come from."""
SETTLED = 2.0
"""After so long [s] without a change, a file's times tell its content from any later one."""

_IMPORTED = re.compile(rb"^ *(?:from|import) gough(?:\.| import )([\w, ]+)", re.MULTILINE)
_PACKAGE = __name__.partition(".")[0]


class UnidentifiedError(TypeError):
    """A value without a unique text."""


class Identity(NamedTuple):
    """All that a maker's product depends on."""

    digest: str
    """A SHA-256 of it."""
    rooms: frozenset[str]
    """Gough's packages that the maker and its values are from."""

    @property
    def is_current(self) -> bool:
        """Whether the sources are still those that this process has read."""
        read = sources(self.rooms)
        try:
            return read is not None and all(_Source.of(file.path) == file for file in read.files)
        except OSError:
            return False


def identity(maker: Callable[..., object], *values: object) -> Identity | None:
    """Return the identity of a maker's product, if it depends on these values alone.

    None if a value has no identity, if the maker is not a function of Gough's modules, or if
    sources changed since this process began: it may have read them before that.
    """
    try:
        made_by = json.dumps([maker.__module__, maker.__qualname__, _plain(values)])
    except UnidentifiedError:
        return None
    rooms = frozenset(re.findall(r'"gough\.(\w+)', made_by))
    read = sources(rooms)
    if not _is_ours(maker) or read is None:
        return None
    facts = json.dumps([made_by, read.digest, *_versions()])
    return Identity(sha256(facts.encode()).hexdigest(), rooms)


def fingerprint(value: object) -> str:
    """A SHA-256 of a value; equal values of one kind have the same. Raises UnidentifiedError."""
    return sha256(json.dumps(_plain(value)).encode()).hexdigest()


def _plain(value: object) -> Any:
    """Lists and words that differ where values do."""
    if value is None or isinstance(value, bool | int | str):
        return value
    for kind, words in _WORDS.items():
        if isinstance(value, kind):
            return words(value)
    return _of_ours(value)


def _of_ours(value: Any) -> list[Any]:
    """Words of Gough's functions (their names), records (their fields) and other objects."""
    if isinstance(value, FunctionType) and _is_ours(value):
        return ["function", value.__module__, value.__qualname__]
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if not _is_ours(type(value)):
        raise UnidentifiedError(kind)
    if is_dataclass(value):
        return [kind, *(_plain(getattr(value, field.name)) for field in fields(value))]
    own = getattr(value, "fingerprint", None)
    if isinstance(own, str):
        return [kind, own]
    if names := getattr(type(value), "model_fields", None):  # a table of a file
        said = [_plain(getattr(value, name)) for name in names]
        return [kind, *said, sorted(value.model_fields_set)]
    raise UnidentifiedError(kind)


_WORDS: dict[type, Callable[[Any], list[Any]]] = {
    float: lambda number: ["float", number.hex()],
    tuple: lambda values: ["tuple", *map(_plain, values)],
    list: lambda values: ["list", *map(_plain, values)],
    frozenset: lambda values: ["set", *_in_order(values)],
    dict: lambda values: ["dict", *_in_order(values.items())],
    ca.DM: lambda m: ["matrix", m.shape, m.sparsity().find(), *map(_plain, m.nonzeros())],
    np.ndarray: lambda array: ["array", array.shape, *_of_array(array)],
    np.generic: lambda number: [_plain(number.item())],
}


def _in_order(values: Iterable[object]) -> list[Any]:
    """Return values whose order says nothing, in the order of their texts."""
    return sorted(map(_plain, values), key=json.dumps)


def _of_array(array: AnyArray) -> list[Any]:
    """Type and content of an array."""
    if array.dtype.hasobject:
        return [_plain(array.ravel().tolist())]
    return [array.dtype.str, sha256(array.tobytes()).hexdigest()]


def _is_ours(thing: Any) -> bool:
    """Whether a function or class stands in Gough's sources, outside of others: all of it."""
    return thing.__module__.startswith(f"{_PACKAGE}.") and "<" not in thing.__qualname__


class _Source(NamedTuple):
    """A file as it was at some time: whoever writes or replaces it changes one of these."""

    path: str
    size: int
    changed: int
    """When its content was written, as it says itself [ns]."""
    touched: int
    """When anything of it was changed, as the system says [ns]."""

    @classmethod
    def of(cls, path: str) -> _Source:
        status = os.stat(path)  # noqa: PTH116  (a Path takes longer)
        written = status.st_mtime_ns  # Windows says when the file was made instead of touched
        return cls(path, status.st_size, written, max(written, status.st_ctime_ns))


class Sources(NamedTuple):
    """Source files as this process read them."""

    digest: str
    """A SHA-256 of their contents."""
    files: tuple[_Source, ...]


@cache
def sources(rooms: frozenset[str] | None = None) -> Sources | None:
    """Return Gough's source files; None if it is not certain that this process has read these.

    With `rooms` (packages of Gough) only theirs, and those of the rooms that they import.
    """
    found: dict[str, tuple[_Source, ...]] = {}
    digests = dict[str, str]()
    try:
        there = set(_rooms())
        waiting = set(there if rooms is None else rooms)
        while waiting:
            name = waiting.pop()
            found[name] = files = tuple(sorted(map(_Source.of, _python_files(name))))
            if not files or any(file.touched >= BEGAN * 1e9 for file in files):
                return None
            digests[name], imports = _room(files)
            waiting |= (imports & there) - found.keys()
    except OSError:
        return None
    listed = "\n".join(f"{name} {digest}" for name, digest in sorted(digests.items()))
    return Sources(sha256(listed.encode()).hexdigest(), tuple(chain(*found.values())))


def _rooms() -> Iterator[str]:
    """Yield the names of all rooms: packages, and modules beside them."""
    with os.scandir(SOURCES) as places:
        for place in places:
            if place.name.endswith(".py"):
                yield place.name.removesuffix(".py")
            elif os.access(f"{place.path}/__init__.py", os.F_OK):
                yield place.name


def _python_files(room: str) -> Iterator[str]:
    """Yield the paths of the source files of a room: of a package, or one module."""
    is_package = (SOURCES / room).is_dir()
    waiting = [str(SOURCES / room) if is_package else str(SOURCES)]
    while waiting:
        with os.scandir(waiting.pop()) as places:
            for place in places:
                if is_package and place.is_dir():
                    waiting += [place.path] * (place.name != "__pycache__")
                elif place.name.endswith(".py") and (is_package or place.name == f"{room}.py"):
                    yield place.path


class _Room(NamedTuple):
    """A room's sources."""

    digest: str
    imports: frozenset[str]
    """Names of all rooms that they import."""


@lru_cache(maxsize=64)  # to read all files takes longer than to make some kernels
def _room(files: tuple[_Source, ...]) -> _Room:
    key = sha256(repr(files).encode()).hexdigest()
    known = disk.read(key, disk.DATA)
    if known is not None:
        content, imports = json.loads(known)
        return _Room(content, frozenset(imports))
    read = _read(files)
    if all(file.touched < (BEGAN - SETTLED) * 1e9 for file in files):
        disk.write(key, json.dumps([read.digest, sorted(read.imports)]).encode(), disk.DATA)
    return read


def _read(files: tuple[_Source, ...]) -> _Room:
    digest, imports = sha256(), set[str]()
    for file in files:
        with open(file.path, "rb", buffering=0) as source:  # noqa: PTH123  (a Path takes longer)
            content = source.read()
        place = file.path.removeprefix(str(SOURCES))
        digest.update(f"{place} {len(content)}\n".encode() + content)
        for names in _IMPORTED.findall(content):
            imports.update(names.decode().replace(",", " ").split())
    return _Room(digest.hexdigest(), frozenset(imports))


@cache
def _versions() -> list[str]:
    """Return the first lines of what libraries say of themselves: to parse all takes long."""
    found = map(distribution, LIBRARIES)  # not all have METADATA
    return [(x.read_text("METADATA") or x.version).partition("\nSummary:")[0] for x in found]
