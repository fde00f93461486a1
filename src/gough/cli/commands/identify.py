"""`gough identify`: what a robot weighs and how it rubs, from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli.option_checks import robot_file_option, saved_as
from gough.cli.output import JsonOption, RobotArgument, print_json, say

if TYPE_CHECKING:
    from gough.identification.identified import Identified

RecordingArgument = Annotated[
    Path,
    typer.Argument(metavar="RECORDING", help="A .parquet or .csv file with units in its head."),
]
FrictionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--friction",
        metavar="PART",
        help="viscous, dry, load, joints or offset; again for more. Left out: the drives'.",
    ),
]
LegsOption = Annotated[
    Literal["independent", "identical"],
    typer.Option(
        "--legs",
        metavar="KIND",
        help="Bodies and passive joints of legs: independent, or identical.",
    ),
]
DrivesOption = Annotated[
    bool, typer.Option("--identical-drives", help="Drives of legs share their numbers.")
]
KnownOption = Annotated[
    list[str] | None,
    typer.Option(
        "--known",
        metavar="NAME",
        help='Numbers that stay as the robot file has them: "legs[*].piston"; again for more.',
    ),
]
CutoffOption = Annotated[
    float | None, typer.Option("--cutoff", help="Of the filter [Hz]. Left out: by the motion.")
]
LagOption = Annotated[
    float | None,
    typer.Option("--lag", help="Of efforts behind positions \\[s]. Left out: it is found."),
]
RobustOption = Annotated[
    bool, typer.Option("--robust", help="Take away spikes, and count outliers less.")
]


def identify(
    robot: RobotArgument,
    recording: RecordingArgument,
    output: Annotated[
        Path | None,
        robot_file_option("Write the identified robot, .toml or .json."),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A recording of another motion, to judge by."),
    ] = None,
    loaded: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With a known payload: finds torque constants.",
        ),
    ] = None,
    payload: Annotated[
        tuple[float, float, float, float] | None,
        typer.Option(
            metavar="KG X Y Z",
            help="Of --loaded: mass \\[kg], centre \\[m].",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page, .html.", callback=saved_as(".html")),
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
    r"""Find what a robot weighs and how it rubs, from a recorded motion.

    Columns are those of results: time \[s], leg_length_1 \[m] … (of other machines
    actuator_position_hip-1 \[rad] …), and one of motor_current_1 [A],
    motor_torque_1 [N m], force_1 [N] … Gaps, jitter and a lag of efforts are
    dealt with, and told.

    Example:  gough identify demo-hexapod studies/recorded.parquet -o identified.toml
    """
    from gough.identification.identify import identify as find
    from gough.motion import Payload
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
        payload=None if payload is None else Payload(payload[0], payload[1:]),
        cutoff=cutoff,
        lag=lag,
        robust=robust,
    )
    if output is not None:
        save(found.robot, output)
    if report is not None:
        from gough.report import write_report

        write_report(found, report)
    if as_json:
        print_json(_plain(found))
        return
    for line in found.report().splitlines():
        say(line)
    for file, what in ((output, "the identified robot"), (report, "a page")):
        if file is not None:
            say(f"{what} is in {file}")


def _plain(found: Identified) -> dict[str, Any]:
    validation = found.validation
    return {
        "condition": found.condition,
        "cutoff": found.cutoff,
        "noise": found.noise,
        "lag": vars(found.lag) | {"certain": found.lag.certain},
        "notes": found.notes,
        "warnings": found.warnings,
        "not_separable": found.not_separable,
        "parameters": [vars(p) | {"significant": p.significant} for p in found.parameters],
        "validation": None
        if validation is None
        else {"rms": validation.rms, "rms_before": validation.rms_before},
    }
