"""`gough calibration-poses`: where to measure a robot that is to be calibrated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gough.cli.calibration_options import (
    ParametersOption,
    SigmaOption,
    TurnSigmaOption,
    UnknownOption,
    sigma_from,
    turn_sigma_from,
    unknown_frames,
)
from gough.cli.option_checks import saved_as
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table


def calibration_poses(
    robot: RobotArgument,
    count: Annotated[int, typer.Option("--count", metavar="N", help="So many poses.")] = 40,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save readings and poses (.csv).",
            callback=saved_as(".csv"),
        ),
    ] = None,
    measured: Annotated[
        Literal["pose", "position", "orientation"],
        typer.Option("--measured", help="What will be measured at them."),
    ] = "pose",
    sigma: SigmaOption = "15 um",
    turn_sigma: TurnSigmaOption = "20 urad",
    parameter: ParametersOption = None,
    unknown: UnknownOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the poses to choose from.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Choose the poses at which calibration measures best.

    Example:  gough calibration-poses demo-hexapod --count 20 -o poses.csv
    """
    import numpy as np

    from gough.identification import calibration_poses as choose
    from gough.identification import save_pose_table
    from gough.kinematics.model import Model
    from gough.poses import euler
    from gough.robot import load

    loaded = load(robot)
    poses = choose(
        loaded,
        count,
        measured=measured,
        sigma=sigma_from(sigma) or 0.0,
        turn_sigma=turn_sigma_from(turn_sigma) or 0.0,
        parameters=parameter or None,
        unknown_frames=unknown_frames(unknown),
        seed=seed,
    )
    readings = Model(loaded).readings(poses)
    if output is not None:
        save_pose_table(loaded, readings, poses, output)
    if as_json:
        print_json({"poses": poses, "readings": readings})
        return
    rows = np.concatenate([poses[:, :3], euler(poses, "xyz", degrees=True)], -1)
    columns = ("", "x [m]", "y", "z", "roll [°]", "pitch", "yaw")
    listed = [(str(k), *(f"{x:z.4f}" for x in row)) for k, row in enumerate(rows, 1)]
    console.print(table(f"{loaded.name}: poses to calibrate at", columns, listed))
    if output is not None:
        say(f"readings and poses saved in {output}")
