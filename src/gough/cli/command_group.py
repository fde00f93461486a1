"""The commands of `gough`, each imported and made when it is asked for: most lines ask for one."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from keyword import iskeyword
from typing import Any

import typer
from typer.core import TyperGroup

from gough._version import __version__
from gough.cli.command_class import command_of
from gough.cli.interrupts import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE

PANELS = {
    "Robots": ("robots", "robots show view new check"),
    "Motions": ("motions", "run plot control"),
    "Poses": ("poses", "pose workspace prove"),
    "Compliance and accuracy": ("compliance", "elastic tolerances"),
    "Design": ("designs", "design develop select"),
    "Measurements": ("measurements", "identify"),
    "Other tools": ("other_tools", "import export schema cache"),
}
"""By panels of the help: a module, and its commands, functions of the same name there.

Python's own words have an underscore behind them there.
"""
GROUPS = {
    "control": (
        "tune optimise crossing",
        "Design control: gains by pole placement or for a motion, laws through singularities.",
    ),
    "pose": (
        "ik fk assemblies branches singularity",
        "Solve the kinematics of a robot at one pose.",
    ),
    "workspace": (
        "volume travel box",
        "Find where a robot can go: volume, travel along each axis, a box of poses.",
    ),
    "elastic": (
        "stiffness vibration",
        "Analyse a compliant robot: stiffness, natural frequencies, base excitation.",
    ),
    "identify": (
        "plan dynamics payload shooting poses geometry",
        "Identify a real machine: inertia, friction, payload and geometry from measurements.",
    ),
    "export": (
        "kernels machine plant controller recording",
        "Write kernels, the machine, its plant, a controller or a recording for other tools.",
    ),
}
"""Commands that have commands of their own, in the same module, and their help."""
NAMES = {name: panel for panel, (_, names) in PANELS.items() for name in names.split()}
_HELP = {"help_option_names": ["-h", "--help"]}


class GoughGroup(TyperGroup):
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
    parts, text = GROUPS[name]
    made = cache(lambda part: command_of(_function(part, panel), part))
    commands: Any = _OnDemand(parts.split(), made)
    return TyperGroup(
        name=name,
        commands=commands,
        help=text,
        no_args_is_help=True,
        rich_markup_mode="rich",
        rich_help_panel=panel,
        context_settings=_HELP,
    )


def _function(name: str, panel: str) -> Callable[..., None]:
    module = import_module(f"gough.cli.commands.{PANELS[panel][0]}")
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
