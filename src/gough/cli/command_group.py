"""The commands of `gough`, each imported and made when it is asked for: most lines ask for one."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import Any

import typer

from gough._version import __version__
from gough.cli.command_class import PlainGroup, command_of
from gough.cli.interrupts import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE
from gough.cli.options import declared

PANELS, GROUPS = declared()["panels"], declared()["groups"]
NAMES = {name: panel for panel, said in PANELS.items() for name in said["commands"]}
_HELP = {"help_option_names": ["-h", "--help"]}


class GoughGroup(PlainGroup):
    """All commands, as Typer asks for them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _OnDemand(NAMES, _command)})


class _OnDemand(Mapping[str, Any]):
    """Commands by name, made when they are looked up."""

    def __init__(self, names: Collection[str], made: Callable[[str], object]) -> None:
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
    panel = NAMES[name]
    if name not in GROUPS:
        return command_of(_function(name, panel), name, panel)
    made = cache(lambda part: command_of(_function(part, panel), part))
    commands: Any = _OnDemand(GROUPS[name]["commands"], made)
    return PlainGroup(
        name=name,
        commands=commands,
        help=GROUPS[name]["help"],
        no_args_is_help=True,
        rich_markup_mode="rich",
        rich_help_panel=panel,
        context_settings=_HELP,
    )


def _function(name: str, panel: str) -> Callable[..., None]:
    module = import_module(f"gough.cli.commands.{PANELS[panel]['module']}")
    found: Callable[..., None] = getattr(module, name + "_" * iskeyword(name))
    return found


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
    _version: bool = typer.Option(
        False, "--version", help="Show the version.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Design, size, simulate, identify and control parallel robots."""
