"""The commands of `gough`, each imported and made when it is asked for: most lines ask for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from gough.cli.command_class import GoughCommand

NAMES = (
    "robots",
    "show",
    "view",
    "new",
    "check",
    "schema",
    "run",
    "inverse-dynamics",
    "plot",
    "simulate",
    "tune",
    "ik",
    "fk",
    "modes",
    "singularity",
    "stiffness",
    "tolerances",
    "excite",
    "identify",
    "payload",
    "crossing",
    "vibration",
    "travel",
    "workspace",
    "fk-study",
    "export",
    "cache",
)
"""In the order of the help. Each is a function of a module of its own, both named like it."""


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
    place = name.replace("-", "_")
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(cls=GoughCommand)(getattr(import_module(f"gough.cli.commands.{place}"), place))
    return typer.main.get_command(alone)
