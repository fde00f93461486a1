"""`gough crossing`: how to go along a study's motion through parallel singularities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.commands.run import StudyArgument
from gough.cli.output import JsonOption, console, print_json, table, vector

if TYPE_CHECKING:
    from gough.analysis import CrossingMotion


def crossing(
    study: StudyArgument,
    duration: Annotated[
        float | None,
        typer.Option(help="How long the motion is to take [s]. Left out: as long as in the study."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find a time law along a study's motion with which the actuators can cross singularities.

    What it prints last can stand in the study's [motion] as the profile of a line, rotation or
    screw.

    Example:  gough crossing studies/five-bar-down.toml
    """
    from gough.analysis.crossing_motion import crossing_motion
    from gough.model.structure import structure_of
    from gough.studies.study import Study

    asked = Study.load(study)
    took = asked.motion.duration if duration is None else duration
    found = crossing_motion(asked.robot, asked.motion, took, tasks=asked.tasks)
    profile = {"kind": "polynomial", "coefficients": list(found.profile.coefficients)}
    if as_json:
        facts = {"times": found.times, "poses": found.poses, "force": found.force}
        print_json({**facts, "usage": found.usage, "duration": took, "profile": profile})
        return
    console.print(table(f"{asked.name}: crossings", ("at [s]", "position [m]"), _rows(found)))
    driven = zip(structure_of(asked.robot).driven, found.force, strict=True)
    rows = [(joint.name, float(force), joint.force_unit) for joint, force in driven]
    console.print(table("Largest forces", ("actuator", "value", "unit"), rows))
    listed = ", ".join(map(repr, profile["coefficients"]))
    typer.echo(f"duration = {took!r}")
    typer.echo(f'profile = {{ kind = "polynomial", coefficients = [{listed}] }}')


def _rows(found: CrossingMotion) -> list[tuple[float, str]]:
    times_and_poses = zip(found.times, found.poses, strict=True)
    return [(float(time), vector(pose[:3])) for time, pose in times_and_poses]
