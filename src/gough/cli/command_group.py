"""The commands of `gough`, each imported and made when it is asked for: most lines ask for one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import getdoc
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gough._version import __version__
from gough.cli.command_class import GoughCommand
from gough.cli.interrupts import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE

PANELS = {
    "Robots": "robots show view new check",
    "Motions": "run plot control",
    "Poses": "pose workspace",
    "Compliance and accuracy": "elastic tolerances",
    "Design": "design select",
    "Measurements": "identify",
    "Other tools": "import export schema cache",
}
"""Commands in the order of the help; each is a function of a module of its own, both named like it.

Python's own words have an underscore behind them there.
"""
GROUPS = {
    "control": "tune crossing",
    "pose": "ik fk assemblies singularity",
    "workspace": "volume travel box",
    "elastic": "stiffness vibration",
    "identify": "plan dynamics payload poses geometry",
    "export": "kernels machine plant controller recording",
}
"""Commands that have commands of their own; each is a package, whose docstring is its help."""
NAMES = {name: panel for panel, names in PANELS.items() for name in names.split()}
_HELP = {"help_option_names": ["-h", "--help"]}


class GoughGroup(TyperGroup):
    """All commands, as Typer asks for them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _OnDemand(NAMES, _command)})


class _OnDemand(Mapping[str, Any]):
    """Commands by name, made when they are looked up."""

    def __init__(self, names: Collection[str], made: Callable[[str], Any]) -> None:
        self._names, self._made = names, made

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@cache
def _command(name: str) -> Any:
    if name not in GROUPS:
        return _function(name)
    parts: Any = _OnDemand(GROUPS[name].split(), lambda part: _function(part, name))
    return TyperGroup(
        name=name,
        commands=parts,
        help=import_module(f"gough.cli.commands.{name}").__doc__,
        no_args_is_help=True,
        rich_markup_mode="rich",
        rich_help_panel=NAMES[name],
        context_settings=_HELP,
    )


@cache
def _function(name: str, group: str | None = None) -> Any:
    place = name.replace("-", "_") + "_" * iskeyword(name)
    room = f"gough.cli.commands.{group}" if group else "gough.cli.commands"
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    made = getattr(import_module(f"{room}.{place}"), place)
    panel = None if group else NAMES[name]
    text = _flowing(getdoc(made) or "")
    alone.command(name, cls=GoughCommand, help=text, rich_help_panel=panel)(made)
    return typer.main.get_command(alone)


def _flowing(text: str) -> str:
    """Return the paragraphs of a docstring, each in one line: terminals differ in width."""
    return "\n\n".join(" ".join(part.splitlines()) for part in text.split("\n\n"))


app = typer.Typer(
    name="gough",
    cls=GoughGroup,
    help="Design, size, simulate, identify and control parallel robots.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=_HELP,
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
    """Design, size, simulate, identify and control parallel robots."""
