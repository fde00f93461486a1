"""`gough identify geometry`: geometric calibration from measured poses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import RobustOption, picture_option, robot_file_option, within
from gough.cli.output import JsonOption, RobotArgument, save_plot, show, wrong_usage
from gough.cli.pose_options import (
    AngleSigmaOption,
    DegreesOption,
    ParametersOption,
    SigmaOption,
    ToolOption,
    ToolRpyOption,
    UnknownOption,
    WorkOption,
    WorkRpyOption,
    angle_sigma_from,
    frames_of,
    length,
    sigma_from,
    unknown_frames,
)


def geometry(
    robot: RobotArgument,
    measurements: Annotated[
        Path, typer.Argument(metavar="MEASUREMENTS", help="Measured poses (.csv).")
    ],
    output: Annotated[Path | None, robot_file_option("Calibrated robot (.toml, .json).")] = None,
    sigma: SigmaOption = None,
    angle_sigma: AngleSigmaOption = None,
    parameter: ParametersOption = None,
    unknown: UnknownOption = None,
    work: WorkOption = None,
    work_rpy: WorkRpyOption = None,
    tool: ToolOption = None,
    tool_rpy: ToolRpyOption = None,
    degrees: DegreesOption = False,
    marker: Annotated[
        list[str] | None,
        typer.Option(
            "--marker", metavar="X,Y,Z", help="Point of the tool that is measured; again for more."
        ),
    ] = None,
    robust: RobustOption = False,
    hold_out: Annotated[
        float | None,
        typer.Option(
            "--hold-out",
            metavar="SHARE",
            help="Fraction of measurements held out for validation, e.g. 0.2.",
            callback=within(0.0, 1.0),
        ),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("Save a figure of the errors before and after.", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Identify the geometry of a robot from measured poses (calibration).

    Example:  gough identify geometry demo-hexapod studies/measured.csv --sigma 15um
    --angle-sigma 20urad
    """
    from gough.identification import calibrate as find
    from gough.identification import load_measurements
    from gough.robot import load

    loaded = load(robot)
    measured = load_measurements(
        measurements,
        loaded,
        sigma=sigma_from(sigma),
        angle_sigma=angle_sigma_from(angle_sigma),
        markers=[_point(text) for text in marker or ()],
    )
    found = find(
        loaded,
        measured,
        parameters=parameter or None,
        frames=frames_of(work, work_rpy, tool, tool_rpy, degrees),
        unknown_frames=unknown_frames(unknown),
        robust=robust,
        validation=hold_out,
    )
    if output is not None:
        found.save(output)
    if plot is not None:
        save_plot(found.plot(), plot)
    show(found, as_json, files={"calibrated robot": output, "figure": plot})


def _point(text: str) -> list[float]:
    """A point [m], of three lengths between commas."""
    numbers = [length("--marker", part.strip()) for part in text.split(",")]
    if len(numbers) != len("xyz"):
        raise wrong_usage("--marker", f'"{text}" is no point; expected 0.3,0,0.1 or 300mm,0,100mm')
    return numbers
