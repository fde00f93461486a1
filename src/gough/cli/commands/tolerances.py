"""`gough tolerances`: what errors of a robot's numbers do to its pose, forces and margins."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli.elastic_options import MapAxesOption, TurningOption
from gough.cli.executor_options import (
    ClusterOption,
    TlsOption,
    WorkersOption,
    executor_of,
    refuse_idle,
)
from gough.cli.option_checks import picture_option
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.cli.pose_text import pose_lines

if TYPE_CHECKING:
    from gough.kinematics.tolerances.tolerances import Tolerances


SpreadOption = Annotated[
    list[str],
    typer.Option(
        "--spread",
        metavar="NAME=SIZE|FILE",
        help='Standard deviations of numbers: "legs[*].base=50 um", "platform.mass=1 %"; "=±50 um" '
        "for anywhere within. Or a file of these.",
    ),
]
_ROWS = 24
"""So many contributions are shown; the rest is in --json."""
_AXES = (*((axis, "mm") for axis in "xyz"), *((f"about {axis}", "mrad") for axis in "xyz"))


def tolerances(
    robot: RobotArgument,
    spread: SpreadOption,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    by: Annotated[
        Literal["number", "joint", "pattern"],
        typer.Option("--by", metavar="GROUP", help="Shares by number, joint or pattern."),
    ] = "joint",
    robots: Annotated[
        int, typer.Option("--robots", metavar="N", help="Draw so many machines besides.")
    ] = 0,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Of the machines drawn.")
    ] = 0,
    plot: Annotated[
        Path | None, picture_option("Save the machine with an ellipsoid, and bars.", "--plot")
    ] = None,
    map_file: Annotated[
        Path | None, picture_option("Save a map over the workspace.", "--map")
    ] = None,
    axes: MapAxesOption = ("x", "y"),
    turning: TurningOption = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    tls: TlsOption = None,  # type: ignore[assignment]
    as_json: JsonOption = False,
) -> None:
    """Show how far a robot that is built with errors is from a pose, and what that comes from.

    Example:  gough tolerances demo-hexapod --spread "legs[*].base=50 um"
    """
    from gough.cli.pose_options import taken_pose
    from gough.kinematics.model import Model
    from gough.kinematics.progress import bars_shown
    from gough.kinematics.tolerances.tolerances import tolerances as find
    from gough.robot import load

    executor = executor_of(workers, cluster, tls)
    if not robots:
        refuse_idle(workers, cluster, "without machines to draw all is computed here; add --robots")
    model = Model(load(robot))
    pose, remarks = taken_pose(model, pose_of(model.robot, position, rpy, degrees))
    with bars_shown():
        errors = spread_from(spread)
        found = find(model, pose, errors, robots=robots, seed=seed, executor=executor)
    if plot is not None:
        from gough.kinematics.tolerances.drawing import save_tolerances

        save_tolerances(found, plot, by=by)
    if map_file is not None:
        from gough.kinematics.maps import save_map
        from gough.kinematics.tolerances.maps import tolerance_map

        drawn = tolerance_map(model, axes, found.spread, found.pose, turning=turning)
        save_map(drawn, map_file, title=model.robot.name)
    if as_json:
        print_json(_plain(found, by))
        return
    for remark in remarks:
        say(remark)
    _show(found, by)
    for file in (plot, map_file):
        if file is not None:
            say(f"picture saved in {file}")


def _show(found: Tolerances, by: str) -> None:
    from gough.kinematics.workspace.stated import ends_of

    for line in pose_lines(found.pose, None):
        say(line)
    name, drawn = found.robot.name, found.drawn
    sources: list[Any] = [found] if drawn is None else [found, drawn]
    columns = ["linear"] if drawn is None else ["linear", f"of {drawn.robots} machines"]
    rows: list[tuple[object, ...]] = [
        (axis, *(1e3 * float(s.pose_deviation[k]) for s in sources), unit)
        for k, (axis, unit) in enumerate(_AXES)
    ]
    rows += [
        (a.name, *(float(s.force_deviation[k]) for s in sources), "N m" if a.turns else "N")
        for k, a in enumerate(found.robot.actuators)
    ]
    rows += [
        (f"{end} margin", *(_known(s.margin_deviation[k]) for s in sources), "1")
        for k, end in enumerate(ends_of(found.robot)[: len(found.margin)])
        if isfinite(found.margin[k])
    ]
    title = f"{name}: standard deviations, {len(found.spread.places)} numbers with errors"
    console.print(table(title, ("", *columns, "unit"), rows))
    say(f"rms: way {1e3 * float(found.way):.4g} mm, turn {1e3 * float(found.turn):.4g} mrad")
    if drawn is not None:
        say(
            f"95 % of the machines: way up to {1e3 * float(drawn.way_of_most):.4g} mm, turn up to "
            f"{1e3 * float(drawn.turn_of_most):.4g} mrad; {100 * float(drawn.reaching):.4g} % "
            "are within all limits"
        )
    _show_contributions(found, by)


def _known(deviation: Any) -> float | None:
    """None where a margin has its peak, and no derivative."""
    return float(deviation) if isfinite(deviation) else None


def _show_contributions(found: Tolerances, by: Any) -> None:
    from gough.kinematics.tolerances.tolerances import SAID

    columns = found.table(by)
    shares = [columns[f"share of {of}"] for of in SAID]
    rows = [
        (name, *(100 * x for x in own)) for name, *own in zip(columns[by], *shares, strict=True)
    ]
    title = "Shares of the variance [%]"
    console.print(table(title, (f"by {by}", *SAID), rows[:_ROWS]))
    if len(rows) > _ROWS:
        say(f"and {len(rows) - _ROWS} more, which contribute less")


def _plain(found: Tolerances, by: Any) -> dict[str, Any]:
    from gough.kinematics.tolerances.tolerances import EFFECTS

    drawn = found.drawn
    return {
        "pose": found.pose,
        "numbers": dict(zip(found.spread.names, found.spread.deviation, strict=True)),
        "way": found.way,
        "turn": found.turn,
        "pose_deviation": found.pose_deviation,
        "covariance": found.covariance,
        "force": found.force,
        "force_deviation": found.force_deviation,
        "margin": found.margin,
        "margin_deviation": found.margin_deviation,
        "shares": {of: found.shares(of, by) for of in EFFECTS},
        "drawn": None if drawn is None else vars(drawn) | {"pose_deviation": drawn.pose_deviation},
    }


def spread_from(options: list[str]) -> dict[str, Any]:
    """What all --spread options say together; the last one counts."""
    from gough.fields.user_files import read_table

    found: dict[str, Any] = {}
    for option in options:
        name, equals, size = option.partition("=")
        found |= {name.strip(): _size(size)} if equals else read_table(Path(option), "a spread")
    return found


def _size(text: str) -> Any:
    """A number without a unit is in SI."""
    with suppress(ValueError):
        return float(text)
    return text
