"""End of a command: an exit code, and a message or plain data about the error."""

import itertools
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console

from gough.cli.command_group import GROUPS, NAMES, app
from gough.cli.interrupts import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE, heard
from gough.cli.output import Interrupted, UsageError, complain, print_json
from gough.disk.plain_data import PlainData
from gough.display.terminal import literal
from gough.errors import GoughError, InputError, clipped

DEBUG_VARIABLE = "GOUGH_DEBUG"
LONGEST = 1000
"""Maximum length of a line of an error message [characters]: it may quote what was typed."""


def run_command() -> int:
    """Run what the command line asks for, and return the exit code."""
    try:
        code = _run()
        sys.stdout.flush()
    except OSError as error:  # nobody reads what is printed any more, or its disk is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            complain(f"standard output: {error.strerror}")
        return FAILED
    return code


def _run() -> int:
    try:
        with heard(Interrupted, typer.Abort), compiling_shown(), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy: results tell what is NaN
            code = app(prog_name="gough", standalone_mode=False) or DONE
    except UsageError as error:
        return _wrong_usage(error)
    except (GoughError, MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            raise  # of the output: errors of files have their names
        return _ended(_reason(error), FAILED, error)
    except (KeyboardInterrupt, Interrupted, typer.Abort) as error:
        return _ended("; ".join(("interrupted", *map(str, error.args))), INTERRUPTED)
    except Exception as error:
        return _internal(error)
    return _ended("interrupted", INTERRUPTED) if code == INTERRUPTED else int(code)


def _wrong_usage(error: Any) -> int:
    problem = " ".join(error.format_message().split()).rstrip(".").replace("Value error, ", "")
    problem = problem.replace("Input should be", "expected")  # the words of pydantic
    asked = " ".join(["gough", *_named_command(), "--help"])
    if not problem or not sys.argv[1:]:
        error.show()  # without a command the help is shown
        return WRONG_USAGE
    if problem.startswith("No such command") and (group := GROUPS.get(sys.argv[1])):
        problem += f"; expected {', '.join(group['commands'])}"
    return _ended(f"{problem[:1].lower()}{problem[1:]}; see '{asked}'", WRONG_USAGE)


def _named_command() -> list[str]:
    """Return the words of the command line that name a command."""
    name, part = [*sys.argv[1:3], "", ""][:2]
    if name not in NAMES:
        return []
    return [name, part] if part in GROUPS.get(name, {}).get("commands", ()) else [name]


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror or error}"
    return str(error)


def _internal(error: Exception) -> int:
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error)
    words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    advice = f"please report it, with what {DEBUG_VARIABLE}=1 shows"
    return _ended(f"internal error: {words}; {advice}", INTERNAL)


def _ended(text: str, code: int, error: Exception | None = None) -> int:
    """Say what went wrong: in words, and with --json as plain data, too."""
    words = "\n".join(clipped(line, LONGEST) for line in text.split("\n"))
    options = itertools.takewhile(lambda word: word != "--", sys.argv[1:])
    if "--json" in options:
        print_json({"error": _parts(words, error)})
    complain(words)
    return code


def _parts(text: str, error: Exception | None) -> PlainData:
    if not isinstance(error, InputError):
        return {"message": text, "problems": []}
    return {"message": text, **_part(error), "problems": list(map(_part, error.problems))}


def _part(error: InputError) -> PlainData:
    file = None if error.file is None else str(error.file)
    facts = {"problem": error.problem, "file": file, "key": error.key or None, "leg": error.leg}
    return {**facts, "value": error.value, "expected": error.expected}


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Show on standard error what is being compiled, if that is a terminal."""
    console = Console(stderr=True, emoji=False)
    if not console.is_terminal:
        yield
        return

    from gough.compiler.memo import telling

    line = console.status("")

    def tell(name: str) -> None:
        if not name:
            line.stop()
            return
        line.update(f"Compiling {literal(name)} …")
        line.start()

    with telling(tell):
        try:
            yield
        finally:
            line.stop()
