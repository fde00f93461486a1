"""A work frame and a tool on the command line: --work and --tool, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.output import vector
from gough.cli.pose_options import Three, given_pose

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.poses import Frames

WorkOption = Annotated[
    Three | None,
    typer.Option(
        "--work",
        metavar="X Y Z",
        help="Origin of a work frame in the base, in m or with units: poses are then in it.",
    ),
]
WorkRpyOption = Annotated[
    Three | None,
    typer.Option("--work-rpy", metavar="R P Y", help="How the work frame is turned in the base."),
]
ToolOption = Annotated[
    Three | None,
    typer.Option(
        "--tool",
        metavar="X Y Z",
        help="Origin of a tool on the platform (the pivot): poses are then the tool's.",
    ),
]
ToolRpyOption = Annotated[
    Three | None,
    typer.Option("--tool-rpy", metavar="R P Y", help="How the tool is turned on the platform."),
]


def frames_of(
    work: Three | None,
    work_rpy: Three | None,
    tool: Three | None,
    tool_rpy: Three | None,
    degrees: bool,
) -> Frames | None:
    """The frames that the four options ask for; None without any of them."""
    from gough.poses import Frames

    if work is work_rpy is tool is tool_rpy is None:
        return None
    own = Frames()
    return Frames(
        given_pose(own.work, work, work_rpy, degrees, ("--work", "--work-rpy")),
        given_pose(own.tool, tool, tool_rpy, degrees, ("--tool", "--tool-rpy")),
    )


def frame_lines(frames: Frames | None) -> list[str]:
    """What is said of frames to people, in a line each."""
    if frames is None:
        return []
    return [
        f"work frame in the base: {_pose_words(frames.work)}",
        f"tool on the platform: {_pose_words(frames.tool)}",
    ]


def frame_facts(frames: Frames | None, pose: Array) -> dict[str, Any]:
    """The frames as plain data, and the tool's pose for one of the platform."""
    if frames is None:
        return {}
    shown = {"work": list(frames.work), "tool": list(frames.tool)}
    return {"tool_pose": frames.tool_pose(pose).tolist(), "frames": shown}


def _pose_words(pose: tuple[float, ...]) -> str:
    from gough.poses import euler

    angles = euler(pose, "xyz", degrees=True).round(10)
    return f"at {vector(pose[:3], 6)} m, roll, pitch, yaw {vector(angles, 6)} deg"
