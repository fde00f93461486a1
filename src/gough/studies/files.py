"""Files of results: writing a folder whole or not at all, and reading what Gough wrote."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import GoughError


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A place to write files in; they move into the folder when all are there.

    If something fails, what was in the folder before stays as it was, and a GoughError says why.
    """
    part = folder / f".{uuid.uuid4().hex}.part"
    made = False
    try:
        made = not folder.exists()
        part.mkdir(parents=True)
        yield part
        for path in sorted(part.iterdir()):
            path.replace(folder / path.name)
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        with suppress(OSError):
            shutil.rmtree(part)
        if made:
            with suppress(OSError):
                folder.rmdir()  # only if nothing came into it


def cannot_write(path: Path, error: OSError) -> GoughError:
    """The error for a place that cannot be written."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    return GoughError(f"{path}: cannot be written: {reason}")


@contextmanager
def results_of(folder: Path) -> Iterator[None]:
    """Reading results: what does not fit together is a GoughError that names the folder."""
    try:
        yield
    except GoughError:
        raise
    except (AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
        raise GoughError(f"{folder}: the results are damaged: {error}") from None


def plain(data: Any) -> Any:
    """The data in lists and dicts, numbers and text; what is not finite is None."""
    if isinstance(data, dict):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, np.ndarray | np.generic):
        data = data.tolist()
    if isinstance(data, list | tuple):
        return [plain(item) for item in data]
    return None if isinstance(data, float) and not np.isfinite(data) else data


def write_json(path: Path, data: Any) -> None:
    """Data as JSON; numbers that are not finite are null, as JSON has none."""
    text = json.dumps(plain(data), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """The data of a JSON file that Gough wrote."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not path.parent.exists():
            raise GoughError(f"{path.parent}: no such folder") from None
        inside = sorted(f'"{p.parent.name}"' for p in path.parent.glob(f"*/{path.name}"))
        hint = f", but in its folders {', '.join(inside)}" if inside else ""
        words = f"{path.parent}: no results here ({path.name} is missing){hint}"
        raise GoughError(words) from None
    except NotADirectoryError:
        raise GoughError(f"{path.parent}: not a folder of results") from None
    except (OSError, ValueError) as error:
        raise GoughError(f"{path}: cannot be read: {error}") from None
