"""Robots in files: TOML and JSON, and the library that comes with Gough."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.disk.files import replacing
from gough.errors import InputError, RobotError, nearest
from gough.fields.user_files import NO_SUCH_FILE, as_text, read_text, table_of, table_suffix
from gough.robot.description import Robot

_LIBRARY = Path(__file__).parent / "library"
_WANTED = "a robot file"


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
    path = path_of(source)
    text, data = _read(path)
    return Robot.from_dict(data, file=path, text=text)


def read(source: str | Path) -> dict[str, Any]:
    """Return what the file of a robot says, of a library name or a path, as plain data."""
    return _read(path_of(source))[1]


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    """The text of a robot's file, and what it says."""
    try:
        text = read_text(path, f"{_WANTED} (.toml or .json)")
        return text, table_of(text, path, _WANTED)
    except InputError as error:
        if error.problem == NO_SUCH_FILE:
            raise _not_found(path) from None
        raise RobotError.of(error) from None


def path_of(source: str | Path) -> Path:
    """Where the file of a library name, or of a path, is."""
    in_library = isinstance(source, str) and source in library_names()
    return _LIBRARY / f"{source}.toml" if in_library else Path(source)


def save(robot: Robot, path: str | Path, *, in_full: bool = False) -> None:
    """Write a robot to a .toml or .json file, whole or not at all; it loads as an equal robot.

    A robot that was loaded is written as its file says it, to the letter; one that was made by
    `replace` or `from_dict` with the units and tables that it was given. What was changed in other
    ways is written in full, in SI units, and so is all `in_full`. In another folder the names of
    meshes become whole paths.
    """
    if not isinstance(robot, Robot) or not isinstance(path, str | Path):
        given = robot if not isinstance(robot, Robot) else path
        raise RobotError("cannot be saved", value=given, expected="a Robot and the path of a file")
    path = Path(path)
    try:
        suffix = table_suffix(path)
    except InputError as error:
        raise RobotError.of(error) from None
    text = as_text(robot.to_dict(), suffix) if in_full else robot.written.as_file(path, suffix)
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
