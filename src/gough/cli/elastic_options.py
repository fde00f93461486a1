"""How actuators of machines that yield are held, and the plane of a map, on the command line."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gough.cli.output import wrong_usage
from gough.errors import InputError
from gough.fields import units

MapAxesOption = Annotated[
    tuple[str, str],
    typer.Option("--axes", metavar="NAME NAME", help="The plane of the map, such as x yaw."),
]
TurningOption = Annotated[
    bool, typer.Option("--turning", help="The map is about turns instead of ways.")
]
ActuatorsOption = Annotated[
    str,
    typer.Option(
        "--actuators",
        metavar="HOW",
        help="How the actuators are held: locked, free, or by a control of a stiffness, in N/m or "
        "with a unit (20N/um).",
    ),
]


def actuators_of(text: str) -> Any:
    """What --actuators says: a word, or a stiffness [N/m]."""
    if text in ("locked", "free"):
        return text
    try:
        try:
            given: object = float(text)
        except ValueError:
            given = text
        return units.to_si(given, units.STIFFNESS)
    except InputError as error:
        raise wrong_usage("--actuators", f"{error}; or locked, or free") from None
