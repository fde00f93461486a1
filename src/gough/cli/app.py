"""The commands of `gough`, their help and what all of them share."""

from __future__ import annotations

from typing import Annotated

import typer

from gough._version import __version__
from gough.cli.command_group import GoughGroup
from gough.cli.exit_codes import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE

app = typer.Typer(
    name="gough",
    cls=GoughGroup,
    help="Parallel robots: kinematics, dynamics and design of machines of any kind.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Exit codes: {DONE} fine; {FAILED} the request could not be done (a bad file, "
    f"a singular pose, a full disk …); {WRONG_USAGE} wrong usage; {INTERNAL} an error in Gough "
    f"itself; {INTERRUPTED} interrupted.",
)


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
    """Parallel robots: kinematics, dynamics and design of machines of any kind."""
