"""`gough identify poses`: measurement poses for calibration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from gough.cli.options import SeedOption, saved_as
from gough.cli.output import JsonOption, RobotArgument, print_json, print_tables, say_files
from gough.cli.pose_options import (
    AngleSigmaOption,
    ParametersOption,
    SigmaOption,
    UnknownOption,
    angle_sigma_from,
    sigma_from,
    unknown_frames,
)


def poses(
    robot: RobotArgument,
    count: Annotated[int, typer.Option("--count", metavar="N", help="Number of poses.")] = 40,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Readings and poses (.csv).",
            callback=saved_as(".csv"),
        ),
    ] = None,
    measured: Annotated[
        Literal["pose", "position", "orientation"],
        typer.Option("--measured", help="Quantity that is measured."),
    ] = "pose",
    sigma: SigmaOption = "15 um",
    angle_sigma: AngleSigmaOption = "20 urad",
    parameter: ParametersOption = None,
    unknown: UnknownOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Choose measurement poses for geometric calibration.

    Example:  gough identify poses demo-hexapod --count 20 -o poses.csv
    """
    from gough.identification import calibration_poses, save_pose_table
    from gough.kinematics.model import Model
    from gough.poses.rows import pose_table
    from gough.robot import load

    loaded = load(robot)
    chosen = calibration_poses(
        loaded,
        count,
        measured=measured,
        sigma=sigma_from(sigma) or 0.0,
        angle_sigma=angle_sigma_from(angle_sigma) or 0.0,
        parameters=parameter or None,
        unknown_frames=unknown_frames(unknown),
        rng=seed,
    )
    readings = Model(loaded).readings(chosen)
    if output is not None:
        save_pose_table(loaded, readings, chosen, output)
    if as_json:
        print_json({"poses": chosen, "readings": readings})
        return
    print_tables([pose_table(f"{loaded.name}: poses to calibrate at", chosen)])
    say_files({"readings and poses": output})
