"""`gough workspace volume`: the workspace, its volume or area, and the limits that bound it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import (
    ClusterOption,
    IgnoreOption,
    MaxConditionOption,
    TlsOption,
    WorkersOption,
    executor_of,
    limits_of,
    picture_option,
    within,
)
from gough.cli.output import JsonOption, RobotArgument, save_plot, show, wrong_usage
from gough.cli.pose_options import (
    DegreesOption,
    PositionOption,
    RpyOption,
    angle,
    length,
    pose_of,
    taken_pose,
)
from gough.errors import GoughError


def volume(
    robot: RobotArgument,
    orientation: Annotated[
        bool, typer.Option("--orientation", help="Orientation workspace at one position instead.")
    ] = False,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    max_condition: MaxConditionOption = None,
    ignore: IgnoreOption = None,
    relative_error: Annotated[
        float,
        typer.Option(
            "--relative-error",
            help="Relative error of the volume or area.",
            callback=within(1e-6, 1.0),
        ),
    ] = 1e-3,
    cut: Annotated[
        str | None,
        typer.Option(
            "--slice",
            metavar="NAME=VALUE",
            help="Plane to cut the workspace at: z=0.9, x=…, yaw=10deg, …",
        ),
    ] = None,
    axes: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--axes", metavar="NAME NAME", help="Plane of two coordinates, such as x yaw."
        ),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("Save a figure (.png, .svg, .pdf).", "--plot")
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    tls: TlsOption = None,  # type: ignore[assignment]
    as_json: JsonOption = False,
) -> None:
    """Compute the workspace: volume or area, travel, rotations, and the limits that bound it.

    Example:  gough workspace volume demo-hexapod --slice z=0.95 --plot slice.png
    """
    from gough.kinematics.model import Model
    from gough.robot import load

    limits, executor = limits_of(ignore, max_condition), executor_of(workers, cluster, tls)
    for option, value in (("--slice", cut), ("--axes", axes)):
        if orientation and value is not None:
            raise wrong_usage(option, "not with --orientation: a slice names its plane")
    model = Model(load(robot))
    pose = pose_of(model.robot, position, rpy, degrees)
    files = {"figure": plot}
    if cut is not None or axes is not None:
        from gough.kinematics.workspace.slices import slice_at, workspace_slice

        if cut is not None:
            part = slice_at(model, pose, *_parsed(cut, degrees), axes, limits=limits)
        else:
            assert axes is not None
            part = workspace_slice(model, axes, pose, limits=limits)
        if plot is not None:
            save_plot(part.plot(title=model.robot.name), plot)
        show(part, as_json, about=f"{model.robot.name}: slice", files=files)
        return
    from gough.kinematics.workspace.workspace import workspace_overview

    asked, remarks = taken_pose(model, pose)
    found = workspace_overview(
        model,
        asked,
        orientation=orientation,
        limits=limits,
        tolerance=relative_error,
        progress=not as_json,
        executor=executor,
    )
    if plot is not None:
        save_plot(found.plot(), plot)
    show(found, as_json, notes=remarks, files=files)


def _parsed(cut: str, degrees: bool) -> tuple[str, float]:
    """The coordinate that stays, and its value in SI."""
    from gough.kinematics.workspace.slices import is_angle

    name, equals, text = (part.strip() for part in cut.partition("="))
    try:
        turns = is_angle(name)
    except GoughError:
        equals = ""
    if not equals:
        expected = "expected x, y, z, roll, pitch or yaw, as in z=0.9"
        raise wrong_usage("--slice", f"not a plane, got {cut!r}; {expected}")
    return name, angle("--slice", text, degrees) if turns else length("--slice", text)
