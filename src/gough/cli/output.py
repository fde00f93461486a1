"""Output of the commands: tables with units, plain data, files, messages."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from gough import sizing, studies
from gough.disk.plain_data import PlainMapping, plain
from gough.display.table import Head
from gough.display.terminal import CONTROL, literal, literal_lines, print_table, spelt, text_of

if TYPE_CHECKING:
    from gough.display import Displayable, Table


UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""Error for options that do not fit together or are missing, and all that is typed wrongly."""

console = Console(emoji=False)  # ":x:" in a name is no picture


class Interrupted(Exception):  # noqa: N818  (nothing is wrong)
    """The user ended a command; the words say what is left of its work."""


def wrong_usage(option: str | None, problem: str) -> typer.BadParameter:
    """The error for a value that an option cannot take; None where its parser raises it."""
    return typer.BadParameter(problem, param_hint=option and f"'{option}'")


def show(
    found: Displayable,
    as_json: bool,
    *,
    about: str = "",
    tables: Sequence[Table] | None = None,
    warnings: Sequence[str] = (),
    notes: Sequence[str] = (),
    files: Mapping[str, Path | None] | None = None,
    facts: PlainMapping | None = None,
) -> None:
    """Show a result: its tables and what must be known of it, or plain data with further facts.

    `about` says what it is about where it does not know; `warnings` and `notes` are about the
    request; `files` are those that were written, by what they are.
    """
    if as_json:
        about_request = {"notes": list(notes)} if notes else {}
        print_json({**found.to_dict(), **about_request, **(facts or {})})
        return
    listed = found.tables() if tables is None else tables
    remarks = [*found.remarks(), *warnings]
    whose, what = found.heading
    heading = ": ".join(filter(None, (about or whose, what)))
    console.print(f"[bold]{literal(heading)}[/]", soft_wrap=True, highlight=False)
    print_tables(listed)
    for words in remarks:
        say(words, "warning")
    say_files(files or {})
    for words in notes:
        say(words, "note")


def tell(as_json: bool, data: object, *lines: str) -> None:
    """Report what was done: in lines, or as plain data."""
    if as_json:
        print_json(data)
    else:
        for line in lines:
            say(line)


def print_tables(tables: Iterable[Table]) -> None:
    """Print tables one below the other."""
    for one in tables:
        print_table(console, one)


def say_files(files: Mapping[str, Path | None]) -> None:
    """Say which files were written, by what they are."""
    for what, path in files.items():
        if path is not None:
            say(f"{what} saved in {path}")


def say(text: str, mark: str = "", color: str = "yellow") -> None:
    """A line of plain text, with a coloured word before it; brackets in it are not markup."""
    word = f"[bold {color}]{mark}[/] " if mark else ""
    console.print(word + literal(text), soft_wrap=True)


def complain(text: str) -> None:
    """Print an error message on standard error."""
    errors = Console(stderr=True, emoji=False)
    errors.print(f"[bold red]gough:[/] {literal_lines(text)}", soft_wrap=True)


def print_json(data: object) -> None:
    """Plain data on standard output; numbers that are not finite are null, as JSON has none."""
    unicode = sys.stdout.encoding.lower() == "utf-8"
    text = json.dumps(plain(data), indent=2, ensure_ascii=not unicode, allow_nan=False)
    print(CONTROL.sub(spelt, text))


def show_folder(
    results: Displayable, folder: Path, as_json: bool, *, only_main: bool = False
) -> None:
    """Show results that were written into a folder; of a grid the worst of all points, too.

    With `only_main` the main figures of a run, of a grid or a comparison the main table, alone;
    warnings then go to standard error.
    """
    from gough.studies.grid_storage import FILM, PAGES, PRINTED

    if only_main and not as_json:
        _show_main(results)
        return
    facts: dict[str, Any] = {"folder": str(folder)}
    if as_json and type(results) is studies.GridResults:
        facts["envelope"] = sizing.envelope(results).to_dict()["figures"]
    pages = {Path(name).stem: folder / name for name in PAGES if (folder / name).exists()}
    for name, words in ((PRINTED, "one-page report"), (FILM, "film")):
        if (folder / name).exists():
            pages[words] = folder / name
    show(results, as_json, files={"results": folder, **pages}, facts=facts)


def _show_main(results: Displayable) -> None:
    """Print the main figures of a run without headings, or the points of a grid."""
    tables = results.tables()
    if isinstance(results, studies.GridResults):
        print_table(console, tables[-1])
    else:
        rows = []
        for row in tables[0].rows:  # the last cell is a time
            *cells, time = row.cells
            text = time.text()
            at = time._replace(value=f"at {text} s" if text else "")
            rows.append(row._replace(cells=[*cells, at]))
        bare = tables[0]._replace(heads=[Head("")] * len(tables[0].heads), rows=rows)
        for line in filter(None, text_of([bare]).split("\n")):
            print(line)
    for words in results.remarks():
        complain(f"warning: {words}")


def interrupted(folder: Path, parts: str) -> Interrupted:
    """Return the state of an interrupted run in a folder, which keeps the parts that are done."""
    from gough.disk.target import holds_chunks

    status = f"the {parts} that are done are kept, and the same command goes on from there"
    return Interrupted(status if holds_chunks(folder) else "nothing was written")
