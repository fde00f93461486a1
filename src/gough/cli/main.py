"""The `gough` command."""

from __future__ import annotations

import sys
from typing import Annotated

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
    inverse_dynamics,
    modes,
    plot,
    robots,
    run,
    show,
    simulate,
    singularity,
    tune,
    workspace,
)
from gough.errors import GoughError

app = typer.Typer(
    name="gough",
    help="Parallel robots: kinematics, dynamics and design of Gough-Stewart platforms.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    robots.robots,
    show.show,
    check.check,
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
):
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
    """Run a command; what goes wrong is one line on standard error and a status of 1."""
    try:
        app()
    except GoughError as error:
        Console(stderr=True).print(f"[bold red]gough:[/] {escape(str(error))}", soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
