"""Files that users give, with a limit on everything. All that Gough reads of users, it reads here.

Only regular files of a bounded size are read, as UTF-8 text; tables are TOML or JSON, by the name
of the file, and hold plain data: tables, lists, text, numbers, true and false.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from gough.disk.files import UnfitFileError, checksum, read_regular
from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError, about_file, inside
from gough.fields.toml_text import toml_text

_KINDS = {
    "gough/": ("robot", "'gough show' shows robots"),
    "gough-study/": ("study", "'gough run' and 'gough check' take studies"),
    "gough-design/": ("design", "'gough design' and 'gough check' take designs"),
    "gough-catalogue/": ("catalogue", "'gough select' and 'gough design' take catalogues"),
}
"""By how their schemas begin: what they are called, and what they are for."""

MOST_BYTES = 2**20
"""Maximum size of a robot or study: more is read for seconds, and belongs in a CSV file."""
DEEPEST = 60  # maximum depth of tables and lists inside each other
LARGEST_INTEGER = 2**63 - 1
NO_SUCH_FILE = "no such file"


def read_content(path: Path, wanted: str, most: int) -> bytes:
    """The bytes of a regular file, at most so many; `wanted` says what it should be."""
    try:
        return read_regular(path, most, links=True)
    except FileNotFoundError:
        raise InputError(NO_SUCH_FILE, file=path, expected=wanted) from None
    except IsADirectoryError:
        raise InputError("a directory", file=path, expected=wanted) from None
    except UnfitFileError as error:
        expected = error.expected or wanted
        raise InputError(error.problem, file=path, expected=expected) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    except ValueError as error:  # a name that no file can have
        raise InputError(f"cannot be read: {error}", file=path) from None


def read_text(path: Path, wanted: str, most: int = MOST_BYTES) -> str:
    """The text of a regular file of at most so many bytes; `wanted` says what it should be."""
    content = read_content(path, wanted, most)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text: {error.reason} at byte {error.start}"
        raise InputError(problem, file=path) from None


def within(folder: Path, name: str) -> Path:
    """The place of a file that another file names; only in its folder, or in those there."""
    place = Path(name)
    if place.is_absolute() or ".." in place.parts:
        expected = "one in its own folder, or in those there"
        raise InputError("it names a file elsewhere", value=name, expected=expected)
    return folder / place


def read_table(path: Path, wanted: str) -> PlainData:
    """The table that a .toml or .json file consists of; `wanted` says what it should be."""
    return table_of(read_text(path, f"{wanted} (.toml or .json)"), path, wanted)


def is_file_of(kind: str, source: str) -> bool:
    """Whether a source is a .toml or .json file that says that it is of a kind."""
    path = Path(source)
    if path.suffix.lower() not in _LANGUAGES or not path.is_file():
        return False
    schema = str(read_table(path, f"a {kind} or a robot").get("schema"))
    return any(schema.startswith(start) for start, (name, _) in _KINDS.items() if name == kind)


def table_of(text: str, path: Path, wanted: str) -> PlainData:
    """The table that the text of a .toml or .json file consists of."""
    suffix = table_suffix(path)
    if not text.strip():
        raise InputError("the file is empty", file=path, expected=wanted)
    with about_file(path):
        data = parsed(text, suffix)
    if not isinstance(data, dict):
        raise InputError("not a table of keys and values", file=path, value=data, expected=wanted)
    return data


def table_suffix(path: Path) -> str:
    """Ending of the name of a file of tables, in small letters, if it is a known one."""
    suffix = path.suffix.lower()
    if suffix not in _LANGUAGES:
        expected = "a .toml or .json file"
        raise InputError(f'unknown kind of file "{path.suffix}"', file=path, expected=expected)
    return suffix


def parsed(text: str, suffix: str) -> Any:
    """The plain data that a text says in the language of files whose names end like this."""
    language, parse = _LANGUAGES[suffix]
    try:
        return plain_data(parse(text))
    except InputError:
        raise
    except RecursionError:
        raise InputError(f"not valid {language}: {_TOO_DEEP}") from None
    except ValueError as error:
        words = f"not valid {language}: {_words(error)}"
        raise InputError(words, expected=_quotes_expected(text, error)) from None


def as_text(data: PlainMapping, suffix: str) -> str:
    """Plain data in the language of files whose names end like this; `parsed` reads it again."""
    if suffix == ".toml":
        return toml_text(data)
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def plain_data(data: object, levels: int = DEEPEST) -> Any:
    """The data in dicts and lists, text, numbers, true, false and None. The rest is refused."""
    if levels < 0:
        raise InputError(_TOO_DEEP, expected=f"at most {DEEPEST} tables and lists")
    if isinstance(data, Mapping):
        return {_name(key): _inside(key, item, levels) for key, item in data.items()}
    if hasattr(data, "tolist"):  # a NumPy array or number
        data = data.tolist()
    if isinstance(data, list | tuple):
        return [_inside(f"[{k}]", item, levels) for k, item in enumerate(data)]
    if isinstance(data, str):
        return _unicode(data)
    if isinstance(data, int) and abs(data) > LARGEST_INTEGER:
        raise InputError("a whole number that is too large", expected="at most 2^63 - 1, or 1e20")
    if data is None or isinstance(data, int | float):
        return data
    problem = f"{type(data).__name__} is not a kind of value here"
    expected = "a number, true, false, a text in quotes, a list or a table"
    raise InputError(problem, value=str(data), expected=expected)


def with_places(data: object, folder: Path) -> Any:
    """The data with the names of files written out in full, so that they can be read anywhere."""
    if isinstance(data, list):
        return [with_places(item, folder) for item in data]
    if not isinstance(data, Mapping):
        return data
    found = {key: with_places(value, folder) for key, value in data.items()}
    if isinstance(name := found.get("file"), str):
        found["file"] = _whole_name(folder, name)
    return found


def named_files(data: object) -> list[str]:
    """Return the names of all files in plain data of a robot or a study."""
    if isinstance(data, list):
        return [name for item in data for name in named_files(item)]
    if not isinstance(data, Mapping):
        return []
    own = [value for key, value in data.items() if key == "file" and isinstance(value, str)]
    return own + named_files(list(data.values()))


def contents(data: object) -> tuple[tuple[str, str], ...]:
    """Return the files that plain data name, with a SHA-256 of each that can be read, else ""."""
    return tuple((name, _content_digest(name)) for name in sorted({*named_files(data)}))


def _content_digest(name: str) -> str:
    try:
        return checksum(Path(name), links=True)
    except (OSError, ValueError):
        return ""


def _whole_name(folder: Path, name: str) -> str:
    try:
        return str((folder / name).resolve())
    except (OSError, RuntimeError, ValueError):  # no name of a file: said when it is read
        return name


def _inside(key: object, item: object, levels: int) -> Any:
    with inside(str(key)):
        return plain_data(item, levels - 1)


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise InputError("a key that is no text", value=key, expected="keys in letters")
    return _unicode(key)


def _unicode(text: str) -> str:
    """Text that a file can hold: JSON can write halves of letters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("not Unicode text", value=text) from None
    return text


def each_key_once(pairs: list[tuple[str, object]]) -> PlainData:
    """Return a table of JSON; refuse a key that it has twice."""
    table = dict(pairs)
    if len(table) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise InputError("given twice", key=key, expected="each key once")
    return table


def _words(error: ValueError) -> str:
    """The parser's own words; but Python speaks of itself when a number has too many digits."""
    known = isinstance(error, tomllib.TOMLDecodeError | json.JSONDecodeError)
    return str(error) if known else "a number has too many digits"


def _quotes_expected(text: str, error: ValueError) -> str | None:
    """Where TOML ends at a number with a unit: how these are written."""
    place = re.search(r"\(at line (\d+), column (\d+)\)$", str(error))
    if place is None or not isinstance(error, tomllib.TOMLDecodeError):
        return None
    line, column = text.split("\n")[int(place[1]) - 1], int(place[2]) - 1
    for found in _WITH_UNIT.finditer(line):
        if found.start() <= column <= found.end():
            return f'a number with a unit in quotes: "{found[0].rstrip()}"'
    return None


_WITH_UNIT = re.compile(r"[-+]?\b\d[\d.]*(?:e[-+]?\d+)? *[a-zµ°%][\w µ°²³/*^%-]*", re.IGNORECASE)
_TOO_DEEP = "nested too deeply"
_LANGUAGES: dict[str, tuple[str, Callable[[str], Any]]] = {
    ".toml": ("TOML", tomllib.loads),
    ".json": ("JSON", partial(json.loads, object_pairs_hook=each_key_once)),
}


def refuse_other_kinds(data: object, wanted: str) -> None:
    """Say what else data are, if they are a file of another kind than the wanted one."""
    version = str(data.get("schema")) if isinstance(data, Mapping) else ""
    for beginning, (kind, use) in _KINDS.items():
        if version.startswith(beginning) and kind != wanted:
            raise InputError(f"a {kind}, not a {wanted}", expected=f"a {wanted} file; {use}")
