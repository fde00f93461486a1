"""Robots in files: TOML and JSON, and the library that comes with Gough."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from gough.disk.files import write_text
from gough.disk.plain_data import PlainData
from gough.errors import InputError, RobotError, named_by, nearest
from gough.fields import read_text
from gough.fields.user_files import NO_SUCH_FILE, as_text, table_of, table_suffix, with_places
from gough.robot.description import Robot

HEXAPOD: Final = "hexapod"
_TEMPLATE = Path(__file__).parent / "templates" / "hexapod.toml"
_OF_THE_LIBRARY = re.compile(
    r'^(#:schema [^\n]*|reference = [^\n]*|notes = """.*?""")\n', re.M | re.S
)

_LIBRARY = Path(__file__).parent / "library"
_WANTED = "a robot file"


def library_names() -> tuple[str, ...]:
    """Return the names of the robots that come with Gough.

    >>> import gough
    >>> "delta" in gough.library_names()
    True
    """
    return tuple(sorted(path.stem for path in _LIBRARY.glob("*.toml")))


def load(source: str | Path) -> Robot:
    """Return the robot of a library name, or of a .toml or .json file.

    >>> load("kalani-2016").platform.mass
    1.5
    """
    if not isinstance(source, str | Path):
        raise RobotError("not a name or path", value=source, expected="a library name or a file")
    path = path_of(source)
    if path.parent == _LIBRARY and path.is_file():
        return _loaded(path, path.stat().st_mtime_ns)
    return _loaded.__wrapped__(path)  # files of users may name other files


@lru_cache(maxsize=64)
def _loaded(path: Path, _changed: int = 0) -> Robot:
    text, data = _read(path)
    return Robot.from_dict(data, file=path, text=text)


def read(source: str | Path) -> PlainData:
    """Return the content of a robot file, of a library name or a path, as plain data."""
    return _read(path_of(source))[1]


def _read(path: Path) -> tuple[str, PlainData]:
    """The text of a robot file, and its content."""
    try:
        text = read_text(path, f"{_WANTED} (.toml or .json)")
        return text, table_of(text, path, _WANTED)
    except InputError as error:
        if error.problem == NO_SUCH_FILE:
            names = library_names()
            near = nearest(path.stem.lower(), names)
            hint = f'nearest: "{near}"' if near else f"one of {', '.join(names)}"
            problem = "no such file, and no robot of this name in the library"
            expected = f"a .toml or .json file, or a library name ({hint})"
            raise RobotError(problem, file=path, expected=expected) from None
        raise RobotError.of(error) from None


def path_of(source: str | Path) -> Path:
    """Return the path of a robot file, of a library name or a path."""
    in_library = isinstance(source, str) and source in library_names()
    return _LIBRARY / f"{source}.toml" if in_library else Path(source)


def robot_and_data(
    robot: object, folder: Path, check: Callable[[Robot], object] = lambda _: None
) -> tuple[PlainData, Robot | None]:
    """Return the robot that another file names, as plain data: a library name, a file or a table.

    Unless it is a table, the robot is also read and checked; errors name its file.
    """
    if isinstance(robot, Mapping):
        return with_places(dict(robot), folder), None
    if not isinstance(robot, str):
        expected = "a library name, a file or a table"
        raise InputError("not known", key="robot", value=robot, expected=expected)
    source = robot if robot in library_names() else folder / robot
    with named_by("robot", Path(source)):
        data: PlainData = with_places(read(source), path_of(source).parent)
        found = Robot.from_dict(data)
        check(found)
    return data, found


def save(robot: Robot, path: str | Path, *, in_full: bool = False) -> None:
    """Write a robot to a .toml or .json file atomically; it loads as an equal robot.

    A loaded robot is written exactly as its file is; one that was made by `replace` or `from_dict`
    with its given units and tables. Robots changed in other ways are written in full, in SI units,
    and so are all with `in_full`. In another folder the paths of meshes become absolute.

    >>> import gough, tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp(), "heavier.toml")
    >>> gough.save(gough.load("kalani-2016").replace({"platform.mass": 3}), file)
    >>> gough.load(file).platform.mass
    3.0
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
    write_text(path, text)


@cache
def kinds() -> tuple[str, ...]:
    """Return the kinds of machine for a new file: a hexapod, or one of the library."""
    return (HEXAPOD, *(name for name in library_names() if read(name)["schema"] == "gough/2"))


def new_robot(kind: str, name: str) -> str:
    """Return the text of a new robot file of a kind, with a new name."""
    from gough.fields.commented import HEAD, commented  # noqa: PLC0415  (slow to import)

    if kind == HEXAPOD:
        title, text = "A hexapod with extensible legs.", _TEMPLATE.read_text("utf-8")
    else:
        title = f"Begun as the machine {kind} of Gough's library; 'gough show {kind}' shows it."
        text = _OF_THE_LIBRARY.sub("", path_of(kind).read_text("utf-8"))
    line = f"name = {json.dumps(name, ensure_ascii=False)}"
    named = re.sub(r'^name = ".*"$', lambda _: line, text, count=1, flags=re.M)
    version = 1 if kind == HEXAPOD else 2
    schema = Path(__file__).with_name(f"gough-{version}.schema.json").read_text("utf-8")
    return HEAD.format(title=title) + commented(named, json.loads(schema))
