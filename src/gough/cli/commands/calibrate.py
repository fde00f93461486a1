"""`gough calibrate`: a robot's own geometry, from poses that were measured."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from gough.cli.frame_options import (
    ToolOption,
    ToolRpyOption,
    WorkOption,
    WorkRpyOption,
    frame_lines,
    frames_of,
)
from gough.cli.option_checks import picture_option, robot_file_option, within
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table, wrong_usage
from gough.cli.pose_options import DegreesOption, length

if TYPE_CHECKING:
    from gough.identification import Calibration, Misfit

_ROWS = 24
"""So many parameters are shown, those with the clearest change; the rest is in --json."""


def calibrate(
    robot: RobotArgument,
    measurements: Annotated[Path, typer.Argument(metavar="MEASUREMENTS", help="A .csv file.")],
    output: Annotated[Path | None, robot_file_option("Save the robot (.toml, .json).")] = None,
    sigma: SigmaOption = None,
    turn_sigma: TurnSigmaOption = None,
    parameter: ParametersOption = None,
    unknown: UnknownOption = None,
    work: WorkOption = None,
    work_rpy: WorkRpyOption = None,
    tool: ToolOption = None,
    tool_rpy: ToolRpyOption = None,
    degrees: DegreesOption = False,
    marker: Annotated[
        list[str] | None,
        typer.Option("--marker", metavar="X,Y,Z", help="A point of the tool; several times."),
    ] = None,
    robust: Annotated[bool, typer.Option("--robust", help="Let outliers count less.")] = False,
    hold_out: Annotated[
        float | None,
        typer.Option(
            "--hold-out",
            metavar="SHARE",
            help="To validate by, such as 0.2.",
            callback=within(0.0, 1.0),
        ),
    ] = None,
    plot: Annotated[Path | None, picture_option("Save before and after.", "--plot")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find a robot's own geometry from measured poses.

    Example:  gough calibrate demo-hexapod studies/measured.csv --sigma 15um --turn-sigma 20urad
    """
    from gough.identification import calibrate as find
    from gough.identification import load_measurements
    from gough.robot import load

    loaded = load(robot)
    measured = load_measurements(
        measurements,
        loaded,
        sigma=sigma_from(sigma),
        turn_sigma=turn_sigma_from(turn_sigma),
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
        found.plot(plot)
    if as_json:
        print_json(_plain(found))
        return
    _show(found)
    if output is not None:
        say(f"calibrated robot saved in {output}")
    if plot is not None:
        say(f"picture saved in {plot}")


def _point(text: str) -> list[float]:
    """A point [m], of three lengths between commas."""
    numbers = [length("--marker", part.strip()) for part in text.split(",")]
    if len(numbers) != len("xyz"):
        raise wrong_usage("--marker", f'"{text}" is no point; expected 0.3,0,0.1 or 300mm,0,100mm')
    return numbers


def _show(found: Calibration) -> None:
    way, turn = (1e6 * x for x in found.workspace_sigma)
    known = [f"{way:.3g} µm" if isfinite(way) else "its place by nothing"]
    known += [f"{turn:.3g} µrad" if isfinite(turn) else "its attitude by nothing"]
    say(f"{found.prior.name}: pose known to {' and '.join(known)} (rms over the workspace)")
    rows = [*_misfit_rows("residuals", found.residuals)]
    if found.validation is not None:
        rows += _misfit_rows("held out", found.validation)
    console.print(table("Measured less predicted, rms", ("", "before", "after", "unit"), rows))
    seen = found.observability
    say(
        f"{len(found.weights)} measurements tell {found.rank} of {len(found.parameters)} "
        f"combinations of the parameters; condition number {seen.condition:.4g}, residuals "
        f"{found.scatter:.3g} times as large as the sigmas lead to"
    )
    for line in frame_lines(found.frames) if found.unknowns.free else ():
        say(line)
    _show_parameters(found)
    for warning in found.warnings:
        say(warning, "warning:")


def _misfit_rows(what: str, misfit: Misfit) -> list[tuple[object, ...]]:
    pairs = ((misfit.way, "mm"), (misfit.turn, "mrad"))
    return [
        (what, 1e3 * before, 1e3 * after, unit)
        for (before, after), unit in pairs
        if isfinite(after)
    ]


def _show_parameters(found: Calibration) -> None:
    clear = found.clearest
    rows = [
        (p.name, f"{p.value:.6f}", p.unit, _micro(p.change), _micro(p.sigma), f"1e-6 {p.unit}")
        for p in clear[:_ROWS]
    ]
    title = "Parameters, those with the clearest change first"
    console.print(table(title, ("", "value", "unit", "change", "sigma", "unit"), rows))
    if len(clear) > _ROWS:
        say(f"and {len(clear) - _ROWS} more")


def _micro(size: float) -> float | None:
    return 1e6 * size if isfinite(size) else None


def _plain(found: Calibration) -> dict[str, Any]:
    seen, (way, turn) = found.observability, found.workspace_sigma
    indices = {key: getattr(seen, key) for key in ("o1", "o2", "o3", "o4", "o5", "condition")}
    return {
        "pose_sigma": {"way": way, "turn": turn},
        "rank": found.rank,
        "parameters": [vars(p) | {"change": p.change} for p in found.parameters],
        "frames": {"work": list(found.frames.work), "tool": list(found.frames.tool)},
        "observability": indices,
        "residuals": _plain_misfit(found.residuals),
        "validation": None if found.validation is None else _plain_misfit(found.validation),
        "scatter": found.scatter,
        "outliers": [k + 1 for k in found.outliers],
        "warnings": list(found.warnings),
        "covariance": found.covariance,
    }


def _plain_misfit(misfit: Misfit) -> dict[str, Any]:
    pairs = {"way": misfit.way, "turn": misfit.turn}
    rms = {name: dict(zip(("before", "after"), pair, strict=True)) for name, pair in pairs.items()}
    return {"rms": rms, "before": misfit.before, "after": misfit.after}
