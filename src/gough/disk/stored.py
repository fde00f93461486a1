"""Reading results: every file is checked against the record of the run that wrote it."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from gough.disk.files import cannot_read, read_regular
from gough.disk.manifest import MANIFEST, MOST_BYTES, Manifest
from gough.disk.plain_data import PlainData
from gough.disk.target import finish_earlier
from gough.errors import GoughError

_OF_DAMAGE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip
"""Errors of data that are not as they were written."""


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
            raise GoughError(
                f"{path}: damaged or changed: {MANIFEST} has another checksum; "
                "move it away and run the study again"
            )
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
