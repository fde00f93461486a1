"""`gough payload`: what a robot's platform carries, from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.commands.identify import (
    CutoffOption,
    DrivesOption,
    FrictionOption,
    KnownOption,
    LagOption,
    LegsOption,
    RecordingArgument,
    RobustOption,
)
from gough.cli.option_checks import robot_file_option
from gough.cli.output import JsonOption, RobotArgument, print_json, say


def payload(
    robot: RobotArgument,
    recording: RecordingArgument,
    output: Annotated[
        Path | None,
        robot_file_option("Write the robot with its payload, .toml or .json."),
    ] = None,
    unloaded: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recording without the payload: estimates the robot with it.",
        ),
    ] = None,
    legs: LegsOption = "independent",
    identical_drives: DrivesOption = False,
    friction: FrictionOption = None,
    known: KnownOption = None,
    cutoff: CutoffOption = None,
    lag: LagOption = None,
    robust: RobustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find mass, mass centre and inertia of what a robot's platform carries, as far as it is felt.

    The robot is the one without the payload; the recording is of a motion with it. With --unloaded
    the robot's own numbers are estimated from both recordings, and are in the standard deviations;
    without, they count as they are, best as `gough identify` wrote them.

    Example:  gough payload demo-hexapod studies/loaded.parquet
    """
    from gough.identification.payload import identify_payload
    from gough.robot import load, save

    found = identify_payload(
        load(robot),
        recording,
        unloaded=unloaded,
        legs=legs,
        drives="identical" if identical_drives else "independent",
        friction=friction,  # type: ignore[arg-type]  # checked there
        known=known or (),
        cutoff=cutoff,
        lag=lag,
        robust=robust,
    )
    if output is not None:
        save(found.robot, output)
    if as_json:
        left_out = ("robot", "payload")
        numbers = {name: value for name, value in vars(found).items() if name not in left_out}
        print_json(numbers | {"lag": vars(found.lag) | {"certain": found.lag.certain}})
        return
    for line in found.report().splitlines():
        say(line)
    if output is not None:
        say(f"the robot with its payload is in {output}")
