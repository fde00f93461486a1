"""Robots in files: TOML and JSON, and the library that comes with Gough."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import tomli_w

from gough.disk import replacing
from gough.errors import RobotError
from gough.robot.description import Robot

_LIBRARY = Path(__file__).parent / "library"

_READERS: dict[str, Callable[[str], Any]] = {".toml": tomllib.loads, ".json": json.loads}


def library_names() -> tuple[str, ...]:
    """Return the names of the robots that come with Gough."""
    return tuple(sorted(path.stem for path in _LIBRARY.glob("*.toml")))


def load(source: str | Path) -> Robot:
    """Return the robot of a library name, or of a .toml or .json file.

    >>> load("kalani-2016").platform.mass
    1.5
    """
    if not isinstance(source, str | Path):
        raise RobotError("not a name or path", value=source, expected="a library name or a file")
    if isinstance(source, str) and source in library_names():
        source = _LIBRARY / f"{source}.toml"
    path = Path(source)
    return Robot.from_dict(_read(path), file=path)


def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a .toml or .json file, whole or not at all; it loads as an equal robot."""
    if not isinstance(robot, Robot) or not isinstance(path, str | Path):
        given = robot if not isinstance(robot, Robot) else path
        raise RobotError("cannot be saved", value=given, expected="a Robot and the path of a file")
    path = Path(path)
    if _suffix(path) == ".toml":
        text = tomli_w.dumps(robot.to_dict())
    else:
        text = json.dumps(robot.to_dict(), indent=2, ensure_ascii=False) + "\n"
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RobotError(f"cannot be written: {error.strerror}", file=path) from None


def _read(path: Path) -> Any:
    text = _text(path)
    suffix = _suffix(path)
    if not text.strip():
        raise RobotError("the file is empty", file=path, expected="a robot description")
    try:
        return _READERS[suffix](text)
    except (ValueError, RecursionError) as error:
        language = suffix.removeprefix(".").upper()
        raise RobotError(f"not valid {language}: {error}", file=path) from None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise _not_found(path) from None
    except IsADirectoryError:
        raise RobotError("a directory", file=path, expected="a .toml or .json file") from None
    except UnicodeDecodeError as error:
        raise RobotError(
            f"not UTF-8 text: {error.reason} at byte {error.start}", file=path
        ) from None
    except (OSError, ValueError) as error:
        raise RobotError(f"cannot be read: {error}", file=path) from None


def _not_found(path: Path) -> RobotError:
    names = library_names()
    nearest = get_close_matches(path.stem.lower(), names, n=1, cutoff=0.0)
    return RobotError(
        "no such file, and no robot of this name in the library",
        file=path,
        expected=f'a .toml or .json file, or a library name (nearest: "{nearest[0]}")',
    )


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise RobotError(
            f'unknown kind of file "{path.suffix}"', file=path, expected="a .toml or .json file"
        )
    return suffix
