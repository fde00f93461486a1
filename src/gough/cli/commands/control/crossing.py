"""`gough control crossing`: a time law through parallel singularities."""

from __future__ import annotations

from typing import Annotated

from gough.cli.options import quantity_option
from gough.cli.output import JsonOption, StudyArgument, show
from gough.fields import units


def crossing(
    study: StudyArgument,
    duration: Annotated[
        float | None,
        quantity_option("Duration of the motion", units.TIME, 1e-3, 1e6),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find a time law along a study's motion with which the actuators can cross singularities.

    What it prints last can stand in the study's [motion] as the profile of a line, rotation or
    screw.

    Example:  gough control crossing studies/five-bar-down.toml
    """
    from gough.analysis.crossing_motion import crossing_motion
    from gough.studies.study import Study

    asked = Study.load(study)
    took = asked.motion.duration if duration is None else duration
    found = crossing_motion(asked.robot, asked.motion, took, tasks=asked.tasks)
    show(found, as_json, about=asked.name)
