"""Robots in files: TOML and JSON, and the library that comes with Gough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tomli_w

from gough.disk.files import replacing
from gough.errors import InputError, RobotError, nearest
from gough.fields.user_files import NO_SUCH_FILE, read_table, table_suffix
from gough.robot.description import Robot

_LIBRARY = Path(__file__).parent / "library"


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
    return Robot.from_dict(read(source), file=path_of(source))


def read(source: str | Path) -> dict[str, Any]:
    """Return what the file of a robot says, of a library name or a path, as plain data."""
    path = path_of(source)
    try:
        return read_table(path, "a robot file")
    except InputError as error:
        if error.problem == NO_SUCH_FILE:
            raise _not_found(path) from None
        raise RobotError.of(error) from None


def path_of(source: str | Path) -> Path:
    """Where the file of a library name, or of a path, is."""
    in_library = isinstance(source, str) and source in library_names()
    return _LIBRARY / f"{source}.toml" if in_library else Path(source)


def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a .toml or .json file, whole or not at all; it loads as an equal robot."""
    if not isinstance(robot, Robot) or not isinstance(path, str | Path):
        given = robot if not isinstance(robot, Robot) else path
        raise RobotError("cannot be saved", value=given, expected="a Robot and the path of a file")
    path = Path(path)
    try:
        suffix = table_suffix(path)
    except InputError as error:
        raise RobotError.of(error) from None
    if suffix == ".toml":
        text = tomli_w.dumps(robot.to_dict())
    else:
        text = json.dumps(robot.to_dict(), indent=2, ensure_ascii=False) + "\n"
    try:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:  # a ValueError: a name that no file can have
        reason = getattr(error, "strerror", None) or error
        raise RobotError(f"cannot be written: {reason}", file=path) from None


def _not_found(path: Path) -> RobotError:
    names = library_names()
    near = nearest(path.stem.lower(), names)
    hint = f'nearest: "{near}"' if near else f"one of {', '.join(names)}"
    return RobotError(
        "no such file, and no robot of this name in the library",
        file=path,
        expected=f"a .toml or .json file, or a library name ({hint})",
    )
