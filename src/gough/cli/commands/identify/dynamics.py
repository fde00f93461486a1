"""`gough identify dynamics`: inertial and friction parameters from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.options import (
    CutoffOption,
    DrivesOption,
    FrictionOption,
    KnownOption,
    LagOption,
    LegsOption,
    RecordingArgument,
    ReportOption,
    RobustOption,
    robot_file_option,
)
from gough.cli.output import JsonOption, RobotArgument, show
from gough.cli.pose_options import length, quantity
from gough.fields import units

if TYPE_CHECKING:
    from gough.motion import Payload


def dynamics(
    robot: RobotArgument,
    recording: RecordingArgument,
    output: Annotated[
        Path | None,
        robot_file_option("Identified robot (.toml, .json)."),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Recording of another motion, for validation."),
    ] = None,
    loaded: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recording with a known payload, which identifies torque constants.",
        ),
    ] = None,
    payload: Annotated[
        tuple[str, str, str, str] | None,
        typer.Option(
            metavar="MASS X Y Z",
            help="Payload of --loaded: mass and centre of mass.",
        ),
    ] = None,
    report: ReportOption = None,
    legs: LegsOption = "independent",
    identical_drives: DrivesOption = False,
    friction: FrictionOption = None,
    known: KnownOption = None,
    cutoff: CutoffOption = None,
    lag: LagOption = None,
    robust: RobustOption = False,
    as_json: JsonOption = False,
) -> None:
    r"""Identify inertial and friction parameters from a recorded motion.

    Columns are those of results: time \[s], leg_length_1 \[m] … (of other machines
    actuator_position_hip-1 \[rad] …), and one of motor_current_1 [A],
    motor_torque_1 [N m], force_1 [N] … Gaps, jitter and a lag of efforts are
    handled and reported.

    Example:  gough identify dynamics demo-hexapod studies/recorded.parquet -o identified.toml
    """
    from gough.identification.identify import identify as find
    from gough.robot import load, save

    found = find(
        load(robot),
        recording,
        legs=legs,
        drives="identical" if identical_drives else "independent",
        friction=friction,  # type: ignore[arg-type]  # checked there
        known=known or (),
        validation=validation,
        loaded=loaded,
        payload=None if payload is None else _payload(*payload),
        cutoff=cutoff,
        lag=lag,
        robust=robust,
    )
    if output is not None:
        save(found.robot, output)
    if report is not None:
        from gough.report import write_report

        write_report(found, report)
    show(found, as_json, files={"identified robot": output, "page": report})


def _payload(mass: str, *centre: str) -> Payload:
    """Return the payload of --payload."""
    from gough.motion import Payload

    places = tuple(length("--payload", text) for text in centre)
    return Payload(quantity("--payload", mass, units.MASS), places)
