"""What the commands of calibration share: unknowns, frames and how exact measurements are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from gough.cli.pose_options import angle, length

ParametersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar="NAME",
        help='What is unknown: "legs[*].base". Several times for several. Default: all joint '
        "centres and offsets.",
    ),
]
UnknownOption = Annotated[
    Literal["work", "tool", "both"] | None,
    typer.Option(
        "--unknown", metavar="FRAME", help="Unknown, too: the frame of work, tool, or both."
    ),
]
SigmaOption = Annotated[
    str | None,
    typer.Option(
        "--sigma",
        metavar="LENGTH",
        help='Standard deviation of lengths, in m or "15 um".',
    ),
]
TurnSigmaOption = Annotated[
    str | None,
    typer.Option(
        "--turn-sigma",
        metavar="ANGLE",
        help='Standard deviation of angles, in rad or "20 urad".',
    ),
]


def unknown_frames(option: str | None) -> list[Any]:
    """The names of frames that --unknown says."""
    if option is None:
        return []
    return ["work", "tool"] if option == "both" else [option]


def sigma_from(text: str | None) -> float | None:
    """A standard deviation [m]."""
    return None if text is None else length("--sigma", text)


def turn_sigma_from(text: str | None) -> float | None:
    """A standard deviation [rad]."""
    return None if text is None else angle("--turn-sigma", text, degrees=False)
