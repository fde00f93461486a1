"""Reading results: every file is checked against the record of the run that wrote it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gough.errors import GoughError
from gough.studies.manifest import MANIFEST, Manifest
from gough.studies.target import finish_earlier


@dataclass(frozen=True)
class Stored:
    """The files of results in a folder. Those of earlier versions have no checksums."""

    folder: Path
    manifest: Manifest

    @classmethod
    def at(cls, folder: Path) -> Stored:
        """The results in a folder."""
        finish_earlier(folder)
        return cls(folder, Manifest.read(folder))

    def read(self, name: str) -> bytes:
        """What is in a file; a GoughError that names it if that is not what was written."""
        path = self.folder / name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise _missing(path) from None
        except NotADirectoryError:
            raise GoughError(f"{self.folder}: not a folder of results") from None
        except OSError as error:
            raise GoughError(f"{path}: cannot be read: {error.strerror}") from None
        files = self.manifest.files
        if files and files.get(name) != hashlib.sha256(content).hexdigest():
            raise self._not_as_written(path)
        return content

    def json(self, name: str) -> Any:
        """The data of a JSON file."""
        try:
            return json.loads(self.read(name))
        except GoughError:
            raise
        except ValueError as error:
            raise GoughError(f"{self.folder / name}: cannot be read: {error}") from None

    def _not_as_written(self, path: Path) -> GoughError:
        if Manifest.read(self.folder) != self.manifest:
            return GoughError(f"{self.folder}: a run has replaced the results; load them again")
        return GoughError(
            f"{path}: damaged or changed: {MANIFEST} has another checksum; "
            "move it away and run the study again"
        )


@contextmanager
def results_of(folder: Path) -> Iterator[Stored]:
    """The results in a folder; what does not fit together is a GoughError that names it."""
    try:
        yield Stored.at(folder)
    except GoughError:
        raise
    except (AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
        raise GoughError(f"{folder}: the results are damaged: {error}") from None


def _missing(path: Path) -> GoughError:
    folder, name = path.parent, path.name
    if not folder.exists():
        return GoughError(f"{folder}: no such folder")
    inside = sorted(f'"{found.parent.name}"' for found in folder.glob(f"*/{name}"))
    hint = f", but in its folders {', '.join(inside)}" if inside else ""
    return GoughError(f"{folder}: no results here ({name} is missing){hint}")
