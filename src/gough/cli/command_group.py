"""The commands of `gough`, each imported and made when it is asked for: most lines ask for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import getdoc
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gough._version import __version__
from gough.cli.command_class import GoughCommand
from gough.cli.exit_codes import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE

PANELS = {
    "Machines": "robots show view new check schema",
    "Motions": "run inverse-dynamics plot simulate tune crossing",
    "Poses": "ik fk modes singularity travel workspace",
    "Machines that yield, or are not as drawn": "stiffness vibration tolerances",
    "Machines to be built": "design select reach",
    "From a real machine": "excite identify payload calibration-poses calibrate",
    "Other tools": "import export cache",
}
"""In the order of the help. Each is a function of a module of its own, both named like it.

Python's own words have an underscore behind them there.
"""
NAMES = {name: panel for panel, names in PANELS.items() for name in names.split()}


class GoughGroup(TyperGroup):
    """All commands, as Typer asks for them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _OnDemand()})


class _OnDemand(Mapping[str, Any]):
    """Commands by name, made when they are looked up."""

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


@cache
def _command(name: str) -> Any:
    place = name.replace("-", "_") + "_" * iskeyword(name)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    made = getattr(import_module(f"gough.cli.commands.{place}"), place)
    text = _flowing(getdoc(made) or "")
    alone.command(name, cls=GoughCommand, help=text, rich_help_panel=NAMES[name])(made)
    return typer.main.get_command(alone)


def _flowing(text: str) -> str:
    """The paragraphs of a docstring, each in one line: the terminal is as wide as it is."""
    return "\n\n".join(" ".join(part.splitlines()) for part in text.split("\n\n"))


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
