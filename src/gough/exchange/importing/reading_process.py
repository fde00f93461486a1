"""XML of users with bounds; MJCF and USD in a process of its own, with limits of memory and time.

XML has a bounded size and no document types, which can swell in memory. MuJoCo's compiler makes
what a file asks for, however much that is: textures, height fields, copies by the million. A
process that does so ends, and this one says why.
"""

import math
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as Xml

from gough.errors import GoughError, InputError, about_file, needing
from gough.exchange.importing.file_machine import MOST_LINKS, FileMachine
from gough.fields.user_files import read_text, within

USD = (".usda", ".usd", ".usdc", ".usdz")
"""Endings of USD files."""
MOST_BYTES = 2**24
MOST_ELEMENTS = 100_000
MOST_FILES = 100
_WANTED = "an MJCF file"
_FOLDERS = ("meshdir", "texturedir", "assetdir")
_NAMES = ("name", "model")
_NAN = re.compile(r"[+-]?nan(\(\w*\))?", re.IGNORECASE)
MOST_MEMORY = 3 * 2**29  # limit of memory [bytes]
MOST_SECONDS = 4  # limit of processor time [s]; five times as much of elapsed time


class _Plain(Xml.TreeBuilder):
    def __init__(self) -> None:
        super().__init__()
        self.left = MOST_ELEMENTS

    def start(self, tag: str, attrs: dict[str, str], /) -> Xml.Element:
        """Begin an element, unless there are too many."""
        self.left -= 1
        if self.left < 0:
            raise InputError(f"more than {MOST_ELEMENTS:,} elements", expected="a smaller file")
        return super().start(tag, attrs)

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        """Refuse a document type: of all XML, only that can name entities and other files."""
        raise InputError("a document type", value=name, expected="XML without <!DOCTYPE …>")


def parsed_xml(text: str, path: Path, wanted: str) -> Xml.Element:
    """The element at the top of a file's text; `wanted` says what it should be."""
    try:
        parser = Xml.XMLParser(target=_Plain())
        parser.feed(text)
        root: Xml.Element = parser.close()
    except InputError as error:
        raise InputError.of(error, file=path) from None
    except (Xml.ParseError, ValueError) as error:  # the latter of an unknown encoding
        raise InputError(f"not valid XML: {error}", file=path, expected=wanted) from None
    return root


def read_mjcf(root: Xml.Element, path: Path) -> FileMachine:
    """Return the machine of an MJCF file; `root` is its root element."""
    with needing("mujoco", "exchange", "MJCF files"):
        if find_spec("mujoco") is None:
            raise ImportError
    refuse_unfit_files(root, path)
    return replace(_machine(path, "MuJoCo cannot compile it"), name=root.get("model") or path.stem)


def read_usd(path: Path) -> FileMachine:
    """Return the machine of a USD file."""
    with needing("usd-core", "usd", "USD files"):
        if find_spec("pxr") is None:
            raise ImportError
    return _machine(path, "USD cannot read it")


def _machine(path: Path, problem: str) -> FileMachine:
    answer = _answer(path)
    if isinstance(answer, GoughError):
        raise answer
    if not isinstance(answer, FileMachine):
        expected = f"what takes less than {MOST_SECONDS} s and {MOST_MEMORY / 2**30:g} GiB"
        raise InputError(problem, file=path, expected=expected)
    return answer


def _answer(path: Path) -> object:
    """The machine, or what is wrong with the file; None if the process ended without a word."""
    command = [sys.executable, "-P", "-m", __name__, str(path), str(MOST_SECONDS)]
    places = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1"},
            timeout=5 * MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return pickle.loads(done.stdout) if done.returncode == 0 else None


def _limit(seconds: int) -> None:
    """Limit this process, where the platform can; it may write no files."""
    with suppress(ImportError):
        import resource as r  # noqa: PLC0415  (not on Windows)

        limits = {r.RLIMIT_DATA: MOST_MEMORY, r.RLIMIT_CPU: seconds, r.RLIMIT_FSIZE: 0}
        for kind, most in limits.items():
            with suppress(OSError, ValueError):
                r.setrlimit(kind, (most, most))


def _main(path: str, seconds: str) -> None:
    if Path(path).suffix in USD:
        from gough.exchange.importing.usd import usd_machine as read  # noqa: PLC0415
    else:
        from gough.exchange.importing.mjcf import mjcf_machine as read  # noqa: PLC0415

    _limit(int(seconds))
    answer: object
    try:
        answer = read(Path(path))
    except GoughError as error:
        answer = error
    sys.stdout.buffer.write(pickle.dumps(answer))


def refuse_unfit_files(root: Xml.Element, path: Path) -> None:
    """Refuse numbers that are not finite, and files elsewhere or that are none.

    MuJoCo waits for pipes, reads files anywhere, and takes a number that is none for one not given.

    Other MJCF files may be in the folder of the first one alone; meshes and the like anywhere, but
    each must be a regular file.
    """
    waiting, seen = [(root, path)], {path}
    folders, assets = {path.parent}, list[str]()
    while waiting:
        top, file = waiting.pop()
        with about_file(file):
            found = dict.fromkeys(_included(top, path, file))
            for element in top.iter():
                _refuse_unfit_numbers(element)
                folders |= {path.parent / element.get(key, "") for key in _FOLDERS}
                if element.tag not in ("include", "model"):
                    values = (value for key, value in element.items() if key.startswith("file"))
                    assets += filter(None, values)
        for inner in found.keys() - seen:
            text = read_text(inner, _WANTED, MOST_BYTES)
            waiting.append((parsed_xml(text, inner, _WANTED), inner))
        seen |= found.keys()
        if len(seen) > MOST_FILES:
            raise InputError("too many files", file=path, expected=f"at most {MOST_FILES}")
    for name in dict.fromkeys(assets):  # pipes and devices, in all folders where a file may be
        for place in (folder / part for folder in folders for part in (name, Path(name).name)):
            if place.exists() and not place.is_file():
                problem, expected = "not a regular file", "a file"
                raise InputError(problem, file=path, value=str(place), expected=expected)


def _included(top: Xml.Element, path: Path, file: Path) -> Iterator[Path]:
    """The MJCF files that a file names, where they are; MuJoCo says so if one is not there."""
    for element in (*top.iter("include"), *top.iter("model")):
        if name := element.get("file"):
            places = [within(folder, name) for folder in (path.parent, file.parent)]
            yield from [place for place in places if place.exists()][:1]


def _refuse_unfit_numbers(element: Xml.Element) -> None:
    for key, value in element.items():
        where = f"<{element.tag} {key}>"
        if key not in _NAMES and not all(map(_finite, value.split())):
            raise InputError("not a finite number", key=where, value=value, expected="numbers")
        if key == "count" and any(float(n) > MOST_LINKS for n in re.findall(r"\d+", value)):
            expected = f"at most {MOST_LINKS:,}"
            raise InputError("too many", key=where, value=value, expected=expected)


def _finite(word: str) -> bool:
    """Whether a word is anything but a number that is not finite."""
    try:
        return math.isfinite(float(word))
    except ValueError:
        return not _NAN.fullmatch(word)


if __name__ == "__main__":
    _main(*sys.argv[1:])
