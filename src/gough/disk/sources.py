"""Source texts: made of templates, written all or none, known again by a mark with a checksum."""

import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from gough.disk import files
from gough.errors import GoughError

Texts = dict[str, str]
"""By the names of files."""

MARK = "made by Gough"
"""Stands at the beginning of every file, with the version; a checksum is added on disk."""
_STAMP = re.compile(rf'({MARK} [^\s,;"]+)(, sha256 [0-9a-f]+)?')
"""The mark with the version and, in a file, a checksum of the text without that checksum."""
_MOST_BYTES = 2**28  # maximum size of a file of Gough


@cache
def _templates(package: str) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  (slow)

    return Environment(
        loader=PackageLoader(package, "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def rendered(module: str, template: str, facts: Mapping[str, object]) -> str:
    """A template beside a module, in its folder `templates`, filled in; tags have own lines."""
    package, _, _ = module.rpartition(".")
    return str(_templates(package).get_template(template).render(facts))


def write_sources(directory: Path, texts: Texts, *, overwrite: bool = False) -> list[Path]:
    """Write files of source text, all or none.

    A file that is not as Gough made it is refused, unless it may be overwritten.

    Names may have folders in them, which are made.
    """
    paths = [directory / name for name in texts]
    for path in () if overwrite else paths:
        refuse_others(path, lambda content: as_made(content.decode(errors="replace")))
    for folder in dict.fromkeys(path.parent for path in paths):
        with files.writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as drafts:
        for path, text in zip(paths, texts.values(), strict=True):
            drafts.enter_context(files.atomic_write(path)).write_bytes(stamped(text).encode())
    return paths


def as_made(text: str) -> bool:
    """Whether a text is as Gough made it, to the letter."""
    return MARK in text and text == stamped(text)


def refuse_others(
    path: Path, is_as_made: Callable[[bytes], bool], beginning: int | None = None
) -> None:
    """Refuse what is in the place of a file, if it, or its beginning, is not as Gough made it."""
    try:
        if beginning is None:
            content = files.read_regular(path, _MOST_BYTES)
        else:
            with files.open_regular(path) as file:
                content = file.read(beginning)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (files.UnfitFileError, IsADirectoryError):
        content = b""
    except OSError as error:
        raise files.cannot_write(path, error) from None
    if is_as_made(content):
        return
    why = "changed since Gough made it" if MARK.encode() in content else "not made by Gough"
    raise GoughError(f"{path}: {why}; move it away, give another folder, or overwrite it")


def stamped(text: str) -> str:
    """The text with its checksum behind the mark, by which a change is noticed."""
    bare = _STAMP.sub(r"\1", text, count=1)
    checksum = hashlib.sha256(bare.encode()).hexdigest()[:16]
    return _STAMP.sub(rf"\1, sha256 {checksum}", bare, count=1)
