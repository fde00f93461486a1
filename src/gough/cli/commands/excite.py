"""`gough excite`: the motion that tells most of what a robot weighs, as a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gough.cli.option_checks import saved_as, within, write_text
from gough.cli.output import Interrupted, JsonOption, RobotArgument, print_json, say

if TYPE_CHECKING:
    from gough.identification.excitation import Excitation


def excite(
    robot: RobotArgument,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The study with the motion, .toml.",
            callback=saved_as(".toml"),
        ),
    ] = Path("excitation.toml"),
    duration: Annotated[
        float, typer.Option(help="Its period, in s.", callback=within(1e-3, 1e6, "s"))
    ] = 10.0,
    harmonics: Annotated[int, typer.Option(help="Of its waves.", min=2, max=100)] = 8,
    legs: Annotated[
        Literal["independent", "identical"],
        typer.Option(help="Whether each leg has its own numbers, or shares those of its images."),
    ] = "independent",
    margin: Annotated[
        float,
        typer.Option(
            help="Share of every range that is left free, for errors of a machine that follows.",
            callback=within(0.0, 0.99),
        ),
    ] = 0.03,
    starts: Annotated[int, typer.Option(help="Random motions to begin with.", min=1)] = 4,
    seed: Annotated[int, typer.Option(help="Of the random motions.", min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """Find the motion that tells most of what a robot weighs.

    It keeps to all limits that the robot states, and begins and ends at rest. Ctrl-C ends the
    search; the best motion so far is kept.

    Example:  gough excite bingul-2012 --starts 1 -o excitation.toml
    """
    from gough.identification.excitation import excitations
    from gough.kinematics.progress import bars_shown
    from gough.robot import load

    machine, best = load(robot), None
    try:
        with bars_shown(not as_json):
            for found in excitations(
                machine,
                duration=duration,
                harmonics=harmonics,
                legs=legs,
                margin=margin,
                starts=starts,
                seed=seed,
            ):
                best = found
    except KeyboardInterrupt:
        if best is None:
            raise Interrupted("nothing was written") from None
        _write(robot, best, output)
        raise Interrupted(f"the best motion so far is in {output}") from None
    assert best is not None
    _write(robot, best, output)
    if as_json:
        print_json({"file": str(output), **_plain(best)})
        return
    say(f"condition number   {best.condition:.0f}")
    say(f"log det            {best.information:.1f}, of the mean information of a sample")
    say(f"least margin       {best.margin:.2g}, of the {best.limit}: a share of its range")
    say(f"wrote {output}: a study of the motion, along which to record the machine")


def _plain(found: Excitation) -> dict[str, object]:
    names = ("condition", "information", "margin", "limit", "table")
    return {name: getattr(found, name) for name in names}


def _write(robot: str, found: Excitation, path: Path) -> None:
    from gough.fields.toml_text import toml_text
    from gough.robot import library_names

    named = robot if robot in library_names() else str(Path(robot).resolve())
    study = {
        "schema": "gough-study/1",
        "name": path.stem,
        "robot": named,
        "rate": "1 kHz",
        "motion": found.table,
    }
    write_text(path, toml_text(study))
