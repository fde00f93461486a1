"""Measurements: what to measure, and the inertia, friction, payload and geometry from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import gough
from gough import identification, plots
from gough.cli.options import (
    DURATION,
    PICTURES,
    ROBOTS,
    DegreesOption,
    FrameOptions,
    JsonOption,
    ReportOption,
    RobotArgument,
    SeedOption,
    StartsOption,
    angle,
    length,
    new_file,
    opt,
    quantity,
    quantity_option,
    within,
)
from gough.cli.output import Interrupted, print_json, print_tables, say_files, show, wrong_usage
from gough.fields import units
from gough.progress import bars_shown

if TYPE_CHECKING:
    from gough.motion import Payload

RecordingArgument = Annotated[
    Path,
    typer.Argument(metavar="RECORDING", help="Recording (.parquet, .csv), with units."),
]
LegsOption = Annotated[
    Literal["independent", "identical"],
    opt(
        "Parameters of the legs' bodies and passive joints: independent or identical.",
        "--legs",
        metavar="KIND",
    ),
]
RobustOption = Annotated[bool, opt("Reduce the weight of outliers.", "--robust")]
ParametersOption = Annotated[
    list[str] | None,
    opt(
        'Parameter to identify: "legs[*].base"; again for more. Default: all joint centres '
        "and offsets.",
        "--parameter",
        metavar="NAME",
    ),
]
FRAMES: dict[str | None, list[Any]] = {
    None: [],
    "work": ["work"],
    "tool": ["tool"],
    "both": ["work", "tool"],
}
"""Frames to identify, by the value of --unknown."""
UnknownOption = Annotated[
    Literal["work", "tool", "both"] | None,
    opt("Frames to identify, too: work, tool or both.", "--unknown", metavar="FRAME"),
]
SIGMA = opt(
    'Standard deviation of lengths, in m or "15 um".',
    "--sigma",
    metavar="LENGTH",
    parser=partial(length, "--sigma"),
)
ANGLE_SIGMA = opt(
    'Standard deviation of angles, in rad or "20 urad".',
    "--angle-sigma",
    metavar="ANGLE",
    parser=partial(angle, "--angle-sigma"),
)


@dataclass(frozen=True)
class EstimationOptions:
    """Options of an estimation from recordings."""

    legs: LegsOption = "independent"
    identical_drives: Annotated[
        bool, opt("Identical parameters for all drives.", "--identical-drives")
    ] = False
    friction: Annotated[
        list[str] | None,
        opt(
            "Friction to identify: viscous, dry, load, joints or offset; again for more. "
            "Default: that of the drives.",
            metavar="PART",
        ),
    ] = None
    known: Annotated[
        list[str] | None,
        opt(
            'Parameters known from the robot file: "legs[*].piston"; again for more.',
            metavar="NAME",
        ),
    ] = None
    cutoff: Annotated[
        float | None,
        quantity_option(
            "Filter cutoff; by default from the motion", units.FREQUENCY, 1e-6, 1e9, "--cutoff"
        ),
    ] = None
    lag: Annotated[
        float | None,
        quantity_option(
            "Lag of efforts behind positions; by default estimated", units.TIME, -1e3, 1e3, "--lag"
        ),
    ] = None
    robust: RobustOption = False

    def settings(self) -> dict[str, Any]:
        """Return them as the library takes them."""
        return {
            "legs": self.legs,
            "drives": "identical" if self.identical_drives else "independent",
            "friction": self.friction,
            "known": self.known or (),
            "cutoff": self.cutoff,
            "lag": self.lag,
            "robust": self.robust,
        }


def plan(
    robot: RobotArgument,
    output: Annotated[Path, new_file("Study with the trajectory (.toml).", (".toml",))] = Path(
        "excitation.toml"
    ),
    duration: Annotated[float, DURATION] = 10.0,
    harmonics: Annotated[int, opt("Number of harmonics.", min=2, max=100)] = 8,
    legs: LegsOption = "independent",
    margin: Annotated[
        float,
        opt(
            "Share of every range that is left free, for tracking errors.",
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

    machine, best = gough.load(robot), None
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


def dynamics(
    robot: RobotArgument,
    recording: RecordingArgument,
    *,
    output: Annotated[Path | None, new_file("Identified robot (.toml, .json).", ROBOTS)] = None,
    validation: Annotated[
        Path | None,
        opt("Recording of another motion, for validation.", metavar="FILE"),
    ] = None,
    loaded: Annotated[
        Path | None,
        opt("Recording with a known payload, which identifies torque constants.", metavar="FILE"),
    ] = None,
    payload: Annotated[
        tuple[str, str, str, str] | None,
        opt("Payload of --loaded: mass and centre of mass.", metavar="MASS X Y Z"),
    ] = None,
    report: ReportOption = None,
    estimated: EstimationOptions,
    as_json: JsonOption = False,
) -> None:
    r"""Identify inertial and friction parameters from a recorded motion.

    Columns are those of results: time \[s], leg_length_1 \[m] … (of other machines
    actuator_position_hip-1 \[rad] …), and one of motor_current_1 [A],
    motor_torque_1 [N m], force_1 [N] … Gaps, jitter and a lag of efforts are
    handled and reported.

    Example:  gough identify dynamics demo-hexapod studies/recorded.parquet -o identified.toml
    """
    found = gough.identify(
        gough.load(robot),
        recording,
        validation=validation,
        loaded=loaded,
        payload=None if payload is None else _payload(*payload),
        **estimated.settings(),
    )
    if output is not None:
        gough.save(found.robot, output)
    if report is not None:
        from gough.report import write_report

        write_report(found, report)
    show(found, as_json, files={"identified robot": output, "page": report})


def _payload(mass: str, *centre: str) -> Payload:
    """Return the payload of --payload."""
    from gough.motion import Payload

    places = tuple(length("--payload", text) for text in centre)
    return Payload(quantity("--payload", mass, units.MASS), places)


def payload(
    robot: RobotArgument,
    recording: RecordingArgument,
    *,
    output: Annotated[
        Path | None, new_file("Robot with its payload (.toml, .json).", ROBOTS)
    ] = None,
    unloaded: Annotated[
        Path | None,
        opt(
            "Recording without the payload, from which the robot is estimated, too.", metavar="FILE"
        ),
    ] = None,
    estimated: EstimationOptions,
    as_json: JsonOption = False,
) -> None:
    """Identify the mass, centre of mass and inertia of a payload, as far as identifiable.

    The robot is the one without the payload; the recording is of a motion with it. With --unloaded
    the robot's own numbers are estimated from both recordings, and are in the standard deviations;
    without, they count as they are, best as `gough identify dynamics` wrote them.

    Example:  gough identify payload demo-hexapod studies/loaded.parquet
    """
    found = gough.identify_payload(
        gough.load(robot), recording, unloaded=unloaded, **estimated.settings()
    )
    if output is not None:
        gough.save(found.robot, output)
    show(found, as_json, files={"robot with its payload": output})


def poses(
    robot: RobotArgument,
    count: Annotated[int, opt("Number of poses.", metavar="N")] = 40,
    output: Annotated[Path | None, new_file("Readings and poses (.csv).", (".csv",))] = None,
    measured: Annotated[
        Literal["pose", "position", "orientation"],
        opt("Quantity that is measured.", "--measured"),
    ] = "pose",
    sigma: Annotated[float, SIGMA] = "15 um",  # type: ignore[assignment]
    angle_sigma: Annotated[float, ANGLE_SIGMA] = "20 urad",  # type: ignore[assignment]
    parameter: ParametersOption = None,
    unknown: UnknownOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Choose measurement poses for geometric calibration.

    Example:  gough identify poses demo-hexapod --count 20 -o poses.csv
    """
    from gough.poses.rows import pose_table

    loaded = gough.load(robot)
    chosen = identification.calibration_poses(
        loaded,
        count,
        measured=measured,
        sigma=sigma,
        angle_sigma=angle_sigma,
        parameters=parameter or None,
        unknown_frames=FRAMES[unknown],
        rng=seed,
    )
    readings = gough.Model(loaded).readings(chosen)
    if output is not None:
        identification.save_pose_table(loaded, readings, chosen, output)
    if as_json:
        print_json({"poses": chosen, "readings": readings})
        return
    print_tables([pose_table(f"{loaded.name}: poses to calibrate at", chosen)])
    say_files({"readings and poses": output})


def geometry(
    robot: RobotArgument,
    measurements: Annotated[
        Path, typer.Argument(metavar="MEASUREMENTS", help="Measured poses (.csv).")
    ],
    *,
    output: Annotated[Path | None, new_file("Calibrated robot (.toml, .json).", ROBOTS)] = None,
    sigma: Annotated[float | None, SIGMA] = None,
    angle_sigma: Annotated[float | None, ANGLE_SIGMA] = None,
    parameter: ParametersOption = None,
    unknown: UnknownOption = None,
    inside: FrameOptions,
    degrees: DegreesOption = False,
    marker: Annotated[
        list[str] | None,
        opt("Point of the tool that is measured; again for more.", "--marker", metavar="X,Y,Z"),
    ] = None,
    robust: RobustOption = False,
    hold_out: Annotated[
        float | None,
        opt(
            "Fraction of measurements held out for validation, e.g. 0.2.",
            metavar="SHARE",
            callback=within(0.0, 1.0),
        ),
    ] = None,
    plot: Annotated[
        Path | None, new_file("Save a figure of the errors before and after.", PICTURES, "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Identify the geometry of a robot from measured poses (calibration).

    Example:  gough identify geometry demo-hexapod studies/measured.csv --sigma 15um
    --angle-sigma 20urad
    """
    loaded = gough.load(robot)
    measured = identification.load_measurements(
        measurements,
        loaded,
        sigma=sigma,
        angle_sigma=angle_sigma,
        markers=[_point(text) for text in marker or ()],
    )
    found = gough.calibrate(
        loaded,
        measured,
        parameters=parameter or None,
        frames=inside.frames(degrees),
        unknown_frames=FRAMES[unknown],
        robust=robust,
        validation=hold_out,
    )
    if output is not None:
        found.save(output)
    if plot is not None:
        plots.save_plot(found.plot(), plot)
    show(found, as_json, files={"calibrated robot": output, "figure": plot})


def _point(text: str) -> list[float]:
    """A point [m], of three lengths between commas."""
    numbers = [length("--marker", part.strip()) for part in text.split(",")]
    if len(numbers) != len("xyz"):
        raise wrong_usage("--marker", f'"{text}" is no point; expected 0.3,0,0.1 or 300mm,0,100mm')
    return numbers
