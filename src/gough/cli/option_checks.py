"""What options may say: numbers in range, files of a known kind at a place that can be written.

All this is checked before any work begins.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.disk.files import cannot_write
from gough.errors import GoughError

OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Write over a file that is there.", is_eager=True)
]
"""Known before the options that name files, which ask for it."""

_NAMED = "gough.cli.named_files"
"""What of a command's context the files are that its options name."""


def within(least: float, most: float, unit: str = "") -> Callable[[float | None], float | None]:
    """The check of an option that takes a number: the range that makes sense for any machine."""

    def checked(value: float | None) -> float | None:
        if value is not None and not least <= value <= most:
            got, bounds = (f"{x} {unit}".rstrip() for x in (f"{value:g}", f"{least:g} to {most:g}"))
            raise typer.BadParameter(f"out of range, got {got}; expected {bounds}")
        return value

    return checked


def saved_as(*suffixes: str) -> Callable[[typer.Context, Path | None], Path | None]:
    """Return the check of an option that names a file to be written: how its name may end.

    A command with such an option has `--overwrite`, without which a file that is there is refused.
    Two options do not name one file: the later would be written over the first.
    """

    def checked(ctx: typer.Context, path: Path | None) -> Path | None:
        if path is None:
            return None
        if path.suffix.lower() not in suffixes:
            known = ", ".join(suffixes)
            raise typer.BadParameter(f"{path}: unknown kind of file; expected {known}")
        reason = _reason_against(path)
        if reason:
            raise cannot_write(path, OSError(reason, ""))
        check_new(path, ctx.params.get("overwrite", False))
        named = ctx.meta.setdefault(_NAMED, set())
        if path.resolve() in named:
            raise typer.BadParameter(f"{path}: named by another option, too; expected a file each")
        named.add(path.resolve())
        return path

    checked.names_new_file = True  # type: ignore[attr-defined]  # for the command that has it
    return checked


def picture_option(what: str, *names: str) -> Any:
    """An option for the file of a picture; `what` is said in its help."""
    callback = saved_as(".png", ".svg", ".pdf")
    return typer.Option(*names, metavar="FILE", help=what, callback=callback)


def robot_file_option(what: str) -> Any:
    """The option for the robot file that a command writes; `what` is said in its help."""
    callback = saved_as(".toml", ".json")
    return typer.Option("--output", "-o", metavar="FILE", help=what, callback=callback)


def _reason_against(path: Path) -> int | None:
    """The number of the error that writing the file would end with, as far as can be seen."""
    if path.is_dir():
        return errno.EISDIR
    if not path.parent.exists():
        return errno.ENOENT
    if not path.parent.is_dir():
        return errno.ENOTDIR
    return None if os.access(path.parent, os.W_OK) else errno.EACCES


def check_new(path: Path | None, overwrite: bool) -> None:
    """Refuse a file that is there already, unless it may be written over."""
    if path is not None and path.exists() and not overwrite:
        raise GoughError(f"{path} is there already; give another name, or --overwrite")


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, whole or not at all."""
    from gough.disk.files import whole

    with whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
