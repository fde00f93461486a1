"""Files of studies: reading TOML and JSON, and writing JSON."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import GoughError


def read_written(path: Path) -> dict[str, Any]:
    """The data of a study file: JSON if it is called .json, else TOML.

    Complaints do not name the file: that is the caller's.
    """
    language, loads = _LANGUAGES.get(path.suffix.lower(), _LANGUAGES[".toml"])
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise GoughError("no such file; expected a study file (.toml or .json)") from None
    except IsADirectoryError:
        raise GoughError("a directory; expected a study file (.toml or .json)") from None
    except UnicodeDecodeError as error:
        raise GoughError(f"not UTF-8 text: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise GoughError(f"cannot be read: {error.strerror}") from None
    if not text.strip():
        raise GoughError("the file is empty; expected a study")
    try:
        data = loads(text)
    except (ValueError, RecursionError) as error:
        raise GoughError(f"not valid {language}: {error}") from None
    if not isinstance(data, dict):
        raise GoughError("not a table of keys and values; expected a study")
    return data


_LANGUAGES: dict[str, tuple[str, Callable[[str], Any]]] = {
    ".toml": ("TOML", tomllib.loads),
    ".json": ("JSON", json.loads),
}


def read_data(robot: str | Path) -> dict[str, Any]:
    """What a robot's file says, of a library name or a path that is known to be good."""
    if isinstance(robot, str):
        text = (files("gough.robot") / "library" / f"{robot}.toml").read_text(encoding="utf-8")
        return tomllib.loads(text)
    text = robot.read_bytes().decode("utf-8-sig")
    data: dict[str, Any] = (json if robot.suffix.lower() == ".json" else tomllib).loads(text)
    return data


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
