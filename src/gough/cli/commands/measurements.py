"""Measurements: what to measure, and the inertia, friction, payload and geometry from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import gough
from gough import identification, motion, plots, simulation
from gough import report as pages
from gough.cli import options
from gough.cli.output import Interrupted, print_json, print_tables, say_files, show, wrong_usage
from gough.fields import units
from gough.progress import bars_shown

Legs = Literal["independent", "identical"]
Frame = Literal["work", "tool", "both"]


@dataclass(frozen=True)
class EstimationOptions:
    """Options of an estimation from recordings."""

    legs: Legs = "independent"
    identical_drives: bool = False
    friction: list[str] | None = None
    known: list[str] | None = None
    cutoff: float | None = None
    lag: float | None = None
    robust: bool = False

    def settings(self) -> dict[str, Any]:
        """Return them as the library takes them."""
        given = vars(self) | {"known": self.known or ()}
        given["drives"] = "identical" if given.pop("identical_drives") else "independent"
        return given


def plan(
    robot: str,
    *,
    output: Path = Path("excitation.toml"),
    duration: float = 10.0,
    harmonics: int = 8,
    legs: Legs = "independent",
    margin: float = 0.03,
    starts: int = 4,
    seed: int = 0,
    computed_by: options.ExecutorOptions,
    as_json: bool = False,
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
            for found in search.best_so_far(starts, seed, computed_by.executor()):
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
    robot: str,
    recording: Path,
    *,
    output: Path | None = None,
    validation: Path | None = None,
    loaded: Path | None = None,
    payload: tuple[str, str, str, str] | None = None,
    report: Path | None = None,
    estimated: EstimationOptions,
    as_json: bool = False,
) -> None:
    """Identify inertial and friction parameters from a recorded motion.

    Columns are those of results: time [s], leg_length_1 [m] … (of other machines
    actuator_position_hip-1 [rad] …), and one of motor_current_1 [A],
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
        pages.write_report(found, report)
    show(found, as_json, files={"identified robot": output, "page": report})


def _payload(mass: str, *centre: str) -> motion.Payload:
    places = tuple(options.length("--payload", text) for text in centre)
    return motion.Payload(options.quantity("--payload", mass, units.MASS), places)


def payload(
    robot: str,
    recording: Path,
    *,
    output: Path | None = None,
    unloaded: Path | None = None,
    estimated: EstimationOptions,
    as_json: bool = False,
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


def shooting(
    study: Path,
    recording: Path,
    *,
    number: list[str] | None = None,
    output: Path | None = None,
    as_json: bool = False,
) -> None:
    """Identify numbers of a robot by simulation: the run of a study is fitted to a recording.

    Positions of the actuators and, where they are ideal, forces are compared at all samples of the
    closed loop. The controller knows the robot of the study; numbers of the platform include its
    payload.

    Example:  gough identify shooting studies/delta-tuned.toml studies/delta-loaded.csv
    """
    from gough.studies.run import scenario_of

    scenario = scenario_of(gough.Study.load(study))
    found = simulation.identify_by_shooting(scenario, recording, number or ["platform.mass"])
    if output is not None:
        gough.save(found.robot, output)
    show(found, as_json, files={"robot with the numbers found": output})


def poses(
    robot: str,
    count: int = 40,
    output: Path | None = None,
    measured: Literal["pose", "position", "orientation"] = "pose",
    sigma: float = 15e-6,
    angle_sigma: float = 20e-6,
    parameter: list[str] | None = None,
    unknown: Frame | None = None,
    seed: int = 0,
    as_json: bool = False,
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
        unknown_frames=_frames(unknown),
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
    robot: str,
    measurements: Path,
    *,
    output: Path | None = None,
    sigma: float | None = None,
    angle_sigma: float | None = None,
    parameter: list[str] | None = None,
    unknown: Frame | None = None,
    inside: options.FrameOptions,
    degrees: bool = False,
    marker: list[str] | None = None,
    robust: bool = False,
    hold_out: float | None = None,
    plot: Path | None = None,
    as_json: bool = False,
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
        unknown_frames=_frames(unknown),
        robust=robust,
        validation=hold_out,
    )
    if output is not None:
        found.save(output)
    if plot is not None:
        plots.save_plot(found.plot(), plot)
    show(found, as_json, files={"calibrated robot": output, "figure": plot})


def _frames(unknown: Frame | None) -> list[Literal["work", "tool"]]:
    """Return the frames that --unknown names."""
    return ["work", "tool"] if unknown == "both" else [unknown] if unknown else []


def _point(text: str) -> list[float]:
    """A point [m], of three lengths between commas."""
    numbers = [options.length("--marker", part.strip()) for part in text.split(",")]
    if len(numbers) != len("xyz"):
        raise wrong_usage("--marker", f'"{text}" is no point; expected 0.3,0,0.1 or 300mm,0,100mm')
    return numbers
