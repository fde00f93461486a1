"""`gough identify plan`: an excitation trajectory, as a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import (
    LegsOption,
    SeedOption,
    StartsOption,
    quantity_option,
    saved_as,
    within,
)
from gough.cli.output import Interrupted, JsonOption, RobotArgument, show
from gough.fields import units


def plan(
    robot: RobotArgument,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Study with the trajectory (.toml).",
            callback=saved_as(".toml"),
        ),
    ] = Path("excitation.toml"),
    duration: Annotated[
        float, quantity_option("Duration of the motion", units.TIME, 1e-3, 1e6)
    ] = 10.0,
    harmonics: Annotated[int, typer.Option(help="Number of harmonics.", min=2, max=100)] = 8,
    legs: LegsOption = "independent",
    margin: Annotated[
        float,
        typer.Option(
            help="Share of every range that is left free, for tracking errors.",
            callback=within(0.0, 0.99),
        ),
    ] = 0.03,
    starts: StartsOption = 4,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Optimise an excitation trajectory for identification.

    It keeps within all limits that the robot states, and begins and ends at rest. Ctrl-C ends the
    search; the best trajectory so far is kept.

    Example:  gough identify plan bingul-2012 --starts 1 -o excitation.toml
    """
    from gough.identification.excitation import ExcitationSearch
    from gough.progress import bars_shown
    from gough.robot import load

    machine, best = load(robot), None
    try:
        with bars_shown(not as_json):
            search = ExcitationSearch.of(machine, duration, harmonics, legs, margin)
            for found in search.best_so_far(starts, seed):
                best = found
    except KeyboardInterrupt:
        if best is None:
            raise Interrupted("nothing was written") from None
        best.to_study(robot, output)
        raise Interrupted(f"the best motion so far is in {output}") from None
    assert best is not None
    best.to_study(robot, output)
    files = {"study of the trajectory, along which to record the machine,": output}
    show(best, as_json, about=machine.name, files=files, facts={"file": str(output)})
