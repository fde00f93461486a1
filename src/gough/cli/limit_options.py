"""Which limits count, on the command line: --ignore and --max-condition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.option_checks import within
from gough.cli.output import wrong_usage

if TYPE_CHECKING:
    from gough.kinematics.workspace.reach import Limits

MaxConditionOption = Annotated[
    float | None,
    typer.Option(
        "--max-condition",
        help="Largest condition number of J that is allowed.",
        callback=within(1.0, math.inf),
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="LIMIT", help="Leave out a limit, such as clearance."),
]


def limits_of(ignore: list[str] | None, max_condition: float | None) -> Limits:
    """The limits that the two options leave."""
    from gough.kinematics.workspace.reach import Limits
    from gough.kinematics.workspace.stated import FAMILIES, PASSIVE

    asked = [name.replace("-", " ") for name in ignore or []]
    left_out = ["base joint" if name == PASSIVE else name for name in asked]
    unknown = [name for name in left_out if name not in FAMILIES]
    if unknown:
        known = ", ".join([*FAMILIES, PASSIVE])
        raise wrong_usage("--ignore", f"unknown limit {unknown[0]!r}; expected one of {known}")
    return Limits(tuple(f for f in FAMILIES if f not in left_out), max_condition)
