"""A command that takes each option once, so that none is silently overruled by a later one."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from gough.cli.output import wrong_usage


class OptionsOnce(TyperCommand):
    """Refuses an option that is given twice, unless it is a switch or may be repeated."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line as every command does, after a look for repetitions."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in given:
            may_be_repeated = getattr(option, "multiple", True) or getattr(option, "is_flag", True)
            if given.count(option) > 1 and not may_be_repeated:
                raise wrong_usage(option.opts[0], "given twice; expected each option once")
        return super().parse_args(ctx, args)
