"""The commands of `gough`: functions with groups of options, imported and made when asked for.

Each option may be given once, some with many values.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature, getdoc, signature
from itertools import takewhile
from keyword import iskeyword
from pathlib import Path
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from gough._version import __version__
from gough.cli.interrupts import DONE, FAILED, INTERNAL, INTERRUPTED, WRONG_USAGE
from gough.cli.options import AS_MANY, declared, help_text, names_new_file, option_of
from gough.cli.output import wrong_usage
from gough.errors import RobotError

PANELS, GROUPS = declared()["panels"], declared()["groups"]
NAMES = {name: panel for panel, said in PANELS.items() for name in said["commands"]}
_OF_GROUPS: Any = {"no_args_is_help": True, "rich_markup_mode": "rich"}
_OF_GROUPS["context_settings"] = {"help_option_names": ["-h", "--help"]}


def command_of(function: Callable[..., None], name: str, panel: str | None = None) -> Any:
    """Return the command that a function declares, with its docstring as help."""
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    paragraphs = (getdoc(function) or "").split("\n\n")
    text = "\n\n".join(" ".join(part.splitlines()) for part in paragraphs)  # widths differ
    alone.command(name, cls=GoughCommand, help=help_text(text), rich_help_panel=panel)(
        _spread(function, name)
    )
    return typer.main.get_command(alone)


def _spread(function: Callable[..., None], name: str) -> Callable[..., None]:
    """Return the function with the options of its groups, which are dataclasses, as parameters.

    One with options that name new files has `--overwrite`, too, which these ask for.
    """
    parameters = _parameters(function)
    groups: dict[str, Any] = {
        one.name: one.annotation for one in parameters if is_dataclass(one.annotation)
    }
    plain = list[Parameter]()
    for one in parameters:
        plain += _parameters(groups[one.name]) if one.name in groups else [one]
    names = [one.name for one in plain]
    adds_overwrite = "overwrite" not in names and any(names_new_file(name, n) for n in names)
    if adds_overwrite:
        plain.append(Parameter("overwrite", Parameter.KEYWORD_ONLY, default=False, annotation=bool))

    def command(**given: object) -> None:
        if adds_overwrite:
            del given["overwrite"]  # the function need not know of it
        for group_name, group in groups.items():
            given[group_name] = group(**{part.name: given.pop(part.name) for part in fields(group)})
        function(**given)

    options = [one.replace(default=option_of(name, one)) for one in plain]
    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    return command


def _parameters(declared: Callable[..., object]) -> list[Parameter]:
    """Return the parameters of a function, or of a group, with what annotates them."""
    hints = get_type_hints(declared, include_extras=True)
    kind = Parameter.KEYWORD_ONLY
    return [
        one.replace(kind=kind, annotation=hints[name])
        for name, one in signature(declared).parameters.items()
    ]


class PlainHelp:
    """Shows types in help only where a value is to be given: neither of flags nor of arguments."""

    def get_params(self, ctx: object) -> list[Any]:
        """Return all options and arguments."""
        listed: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for one in listed:
            if getattr(one, "is_flag", False):
                one.metavar = ""
            elif one.param_type_name == "argument":
                one.display_type_rich = lambda ctx: None
        return listed


class PlainGroup(PlainHelp, TyperGroup):
    """A group of commands."""


class GoughCommand(PlainHelp, TyperCommand):
    """Refuses an option given twice, which would overrule the first, or with too few values.

    An option that may be repeated, and whose metavar ends in "…", takes all words up to the next
    option: a command line does not know beforehand how many actuators a machine has.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line as every command does, after a look for repetitions."""
        spread = self._repeated(ctx, args)
        _, _, given = self.make_parser(ctx).parse_args(args=list(spread))
        for option in given:
            may_be_repeated = getattr(option, "multiple", True) or getattr(option, "is_flag", True)
            if given.count(option) > 1 and not may_be_repeated:
                raise _twice(option.opts[0])
        return super().parse_args(ctx, spread)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what is wrong with its robot names the robot's file."""
        try:
            return super().invoke(ctx)
        except RobotError as error:
            if error.file is None and ctx.params.get("robot"):
                raise RobotError.of(error, file=Path(ctx.params["robot"])) from None
            raise

    def _repeated(self, ctx: object, args: list[str]) -> list[str]:
        """The words with the name of such an option before each of its values."""
        options = [option for option in self.get_params(ctx) if option.param_type_name == "option"]
        names = {name for option in options for name in (*option.opts, *option.secondary_opts)}
        counts = {name: option.nargs for option in options for name in option.opts}
        taking_all = [option for option in options if str(option.metavar).endswith(AS_MANY)]
        greedy = {name: option.opts[0] for option in taking_all for name in option.opts}
        spread: list[str] = []
        met: set[str] = set()
        taking = ""
        for k, word in enumerate(args, 1):
            name, equals, value = word.partition("=")
            given = len([*takewhile(lambda x: x not in names, args[k:])])
            if (count := counts.get(word, 1)) > 1 and given < count:
                raise wrong_usage(word, f"{given} value{'s' * (given != 1)}; expected {count}")
            if name in greedy:
                taking = greedy[name]
                if taking in met:
                    raise _twice(taking)
                met.add(taking)
                spread += [taking, value] if equals else []
            elif name in names or word.startswith("--"):
                taking = ""
                spread.append(word)
            else:
                spread += [taking, word] if taking else [word]
        return spread


def _twice(option: str) -> Exception:
    return wrong_usage(option, "given twice; expected each option once")


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
    about = {"help": GROUPS[name]["help"], "rich_help_panel": panel}
    return PlainGroup(name=name, commands=commands, **about, **_OF_GROUPS)


def _function(name: str, panel: str) -> Callable[..., None]:
    module = import_module(f"gough.cli.commands.{PANELS[panel]['module']}")
    found: Callable[..., None] = getattr(module, name + "_" * iskeyword(name))
    return found


app = typer.Typer(
    name="gough",
    cls=GoughGroup,
    help="Design, size, simulate, identify and control parallel robots.",
    pretty_exceptions_enable=False,
    **_OF_GROUPS,
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
