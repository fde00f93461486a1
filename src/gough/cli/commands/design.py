"""`gough design`: the optimal robot, or Pareto front, of a design file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import CatalogueOption, OverwriteOption, SeedOption, StartsOption
from gough.cli.output import JsonOption, show, wrong_usage


def design(
    file: Annotated[Path, typer.Argument(metavar="DESIGN", help="Design file (.toml, .json).")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder of the robots, a table and a report."
        ),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option(
            "--points",
            metavar="N",
            min=3,
            help="Approximate number of designs of a Pareto front. Default: 15.",
        ),
    ] = None,
    catalogue: CatalogueOption = None,
    starts: StartsOption = 12,
    seed: SeedOption = 0,
    generations: Annotated[
        int,
        typer.Option(
            "--generations",
            metavar="N",
            min=0,
            help="Generations of an evolutionary search first (NSGA).",
        ),
    ] = 0,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Optimise a robot for the requirements and objectives of a design file.

    Several objectives give a Pareto front; a catalogue gives the best robot with each of its
    actuators. Where not all requirements can be met, the smallest relaxations are listed that
    would let them.

    Example:  gough design designs/simulator.toml --points 5
    """
    from gough.design import Design
    from gough.progress import bars_shown
    from gough.runs import to_folder
    from gough.runs.design import robot_files, searched

    asked = Design.load(file)
    search = {"starts": starts, "rng": seed, "generations": generations}
    if points is not None:
        if catalogue is not None or len(asked.objectives) < 2:
            why = f"{asked.name} has one objective" if catalogue is None else "with --catalogue"
            raise wrong_usage("--points", f"{why}: no front is looked for; expected none")
        search["points"] = points
    with bars_shown(not as_json):
        if output is None:
            found = searched(asked, catalogue, **search)
        else:
            found = to_folder(asked, output, overwrite=overwrite, catalogue=catalogue, **search)
    designs, notes, files = found.designs, [], {}
    if output is None:
        notes = ["not saved; --output FOLDER writes robots, a table and a page"]
    elif designs:
        first = output / robot_files(asked.name, len(designs))[0]
        files = {"robots and a table": output, "page": output / "report.html"}
        notes = [f"next: gough show {shlex.quote(str(first))}"]
    plain = {"name": asked.name, "designs": [one.to_dict() for one in designs]}
    show(found, as_json, about=asked.name, notes=notes, files=files, facts=plain)
