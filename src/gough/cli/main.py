"""The `gough` command."""

from __future__ import annotations

import sys
import warnings
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from gough._version import __version__
from gough.cli import (
    cache,
    check,
    export,
    fk,
    fk_study,
    ik,
    interrupts,
    inverse_dynamics,
    modes,
    plot,
    robots,
    run,
    schema,
    show,
    simulate,
    singularity,
    tune,
    workspace,
)
from gough.cli.output import Interrupted
from gough.errors import GoughError

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # of all that can be typed wrongly

app = typer.Typer(
    name="gough",
    help="Parallel robots: kinematics, dynamics and design of Gough-Stewart platforms.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Exit codes: {DONE} fine; {FAILED} the request could not be done (a bad file, "
    f"a singular pose, a full disk …); {WRONG_USAGE} wrong usage; {INTERRUPTED} interrupted.",
)
_COMMANDS = (
    robots.robots,
    show.show,
    check.check,
    schema.schema,
    run.run,
    inverse_dynamics.inverse_dynamics,
    plot.plot,
    simulate.simulate,
    tune.tune,
    ik.ik,
    fk.fk,
    modes.modes,
    singularity.singularity,
    workspace.workspace,
    fk_study.fk_study,
    export.export,
    cache.cache,
)
for command in _COMMANDS:
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"gough {__version__}")
        raise typer.Exit


@app.callback()
def _gough(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Parallel robots: kinematics, dynamics and design of Gough-Stewart platforms."""


def main() -> None:
    """Run a command; what goes wrong is one line on standard error and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for names that cannot be printed
    try:
        with interrupts.heard(), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy: results tell what is NaN
            code = app(prog_name="gough", standalone_mode=False)
    except UsageError as error:
        sys.exit(_wrong_usage(error))
    except (GoughError, MemoryError, OSError) as error:
        sys.exit(_complain(_reason(error), FAILED))
    except (KeyboardInterrupt, Interrupted, typer.Abort) as error:
        sys.exit(_complain("; ".join(("interrupted", *map(str, error.args))), INTERRUPTED))
    if code == INTERRUPTED:
        _complain("interrupted", code)
    sys.exit(code)


def _wrong_usage(error: Any) -> int:
    if not sys.argv[1:]:  # nothing was asked for: the complaint is the help
        error.show()
        return WRONG_USAGE
    problem = error.format_message().rstrip(".")
    names = [command.__name__.replace("_", "-") for command in _COMMANDS]
    asked = " ".join(["gough", *(name for name in names if name == sys.argv[1]), "--help"])
    return _complain(f"{problem[:1].lower()}{problem[1:]}; see '{asked}'", WRONG_USAGE)


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'}: {error.strerror or error}"
    return str(error)


def _complain(text: str, code: int) -> int:
    line = " ".join(text.split("\n"))
    Console(stderr=True).print(f"[bold red]gough:[/] {escape(line)}", soft_wrap=True)
    return code


if __name__ == "__main__":
    main()
