"""`gough identify payload`: the payload from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import (
    CutoffOption,
    DrivesOption,
    FrictionOption,
    KnownOption,
    LagOption,
    LegsOption,
    RecordingArgument,
    RobustOption,
    robot_file_option,
)
from gough.cli.output import JsonOption, RobotArgument, show


def payload(
    robot: RobotArgument,
    recording: RecordingArgument,
    output: Annotated[
        Path | None,
        robot_file_option("Robot with its payload (.toml, .json)."),
    ] = None,
    unloaded: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recording without the payload, from which the robot is estimated, too.",
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
    """Identify the mass, centre of mass and inertia of a payload, as far as identifiable.

    The robot is the one without the payload; the recording is of a motion with it. With --unloaded
    the robot's own numbers are estimated from both recordings, and are in the standard deviations;
    without, they count as they are, best as `gough identify dynamics` wrote them.

    Example:  gough identify payload demo-hexapod studies/loaded.parquet
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
    show(found, as_json, files={"robot with its payload": output})
