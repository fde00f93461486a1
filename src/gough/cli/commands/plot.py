"""`gough plot`: a picture of a quantity, from a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.option_checks import picture_option
from gough.cli.output import JsonOption, print_json, say
from gough.disk.files import whole


def plot(
    folder: Annotated[
        Path, typer.Argument(metavar="RESULT", help="A folder that 'gough run' wrote.")
    ],
    quantity: Annotated[
        str | None,
        typer.Argument(metavar="[QUANTITY]", help="What to plot. Without one: list them."),
    ] = None,
    output: Annotated[
        Path | None,
        picture_option(
            "The picture (.png, .svg, .pdf). Default: QUANTITY.png, in the folder.",
            "--output",
            "-o",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Plot a quantity of a study over time, or a figure over its variations.

    Example:  gough plot machining force --output force.svg
    """
    from gough.analysis.results import Results
    from gough.runs.study import added, load_folder

    results = load_folder(folder)
    found = results.quantities if isinstance(results, Results) else results.figures
    if quantity is None:
        if as_json:
            print_json({n: {"unit": q.unit, "meaning": q.meaning} for n, q in found.items()})
            return
        for name, q in found.items():
            say(f"{name} [{q.unit}] {q.meaning}")
        return
    figure = results.plot(quantity)
    path = output or folder / f"{quantity}.png"
    with whole(output) if output else added(folder, path.name) as part:
        figure.savefig(part, dpi=150)
    if as_json:
        print_json({"file": str(path)})
    else:
        say(f"plot saved in {path}")
