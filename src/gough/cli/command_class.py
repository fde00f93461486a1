"""Parsing of a command's line: each option once, and some with any number of values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from gough.cli.options import OverwriteOption
from gough.cli.output import wrong_usage
from gough.errors import RobotError

AS_MANY = "…"
"""At the end of the metavar of an option that takes all values that follow it."""

_OVERWRITE = "overwrite"


class GoughCommand(TyperCommand):
    """Refuses an option that is given twice, so that none is silently overruled by a later one.

    An option that may be repeated, and whose metavar ends in "…", takes all words up to the next
    option: a command line does not know beforehand how many actuators a machine has.

    A command with options that name new files has `--overwrite`, which these ask for.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        known = any(param.name == _OVERWRITE for param in self.params)
        writes = any(hasattr(param.callback, "names_new_file") for param in self.params)
        self._overwrite_added = writes and not known
        if self._overwrite_added:
            self.params.append(_overwrite_option())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line as every command does, after a look for repetitions."""
        spread = self._spread(ctx, args)
        _, _, given = self.make_parser(ctx).parse_args(args=list(spread))
        for option in given:
            may_be_repeated = getattr(option, "multiple", True) or getattr(option, "is_flag", True)
            if given.count(option) > 1 and not may_be_repeated:
                raise _twice(option.opts[0])
        rest = super().parse_args(ctx, spread)
        if self._overwrite_added:
            del ctx.params[_OVERWRITE]  # the command's function need not know of it
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what is wrong with its robot names the robot's file."""
        try:
            return super().invoke(ctx)
        except RobotError as error:
            if error.file is None and ctx.params.get("robot"):
                raise RobotError.of(error, file=Path(ctx.params["robot"])) from None
            raise

    def _spread(self, ctx: Any, args: list[str]) -> list[str]:
        """The words with the name of such an option before each of its values."""
        options = [option for option in self.get_params(ctx) if option.param_type_name == "option"]
        names = {name for option in options for name in (*option.opts, *option.secondary_opts)}
        greedy = {
            name: option.opts[0]
            for option in options
            if str(option.metavar).endswith(AS_MANY)
            for name in option.opts
        }
        spread: list[str] = []
        met: set[str] = set()
        taking = ""
        for word in args:
            name, equals, value = word.partition("=")
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


def _overwrite_option() -> Any:
    """The option as a command has it that declares it."""
    app = typer.Typer(add_completion=False)

    @app.command()
    def declaring(overwrite: OverwriteOption = False) -> None: ...

    (option,) = typer.main.get_command(app).params
    return option


def _twice(option: str) -> Exception:
    return wrong_usage(option, "given twice; expected each option once")
