"""`gough tolerances`: effects of manufacturing tolerances on pose, forces and margins."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gough.cli.options import (
    ClusterOption,
    MapAxesOption,
    RotationalOption,
    SeedOption,
    TlsOption,
    WorkersOption,
    executor_of,
    picture_option,
    refuse_idle,
)
from gough.cli.output import JsonOption, RobotArgument, save_plot, show
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of

ToleranceOption = Annotated[
    list[str],
    typer.Option(
        "--tolerance",
        metavar="NAME=SIZE|FILE",
        help='Standard deviation, "legs[*].base=50 um" or "mass=1 %"; "=±50 um": uniform. Or a '
        "file. Again for more.",
    ),
]


def tolerances(
    robot: RobotArgument,
    tolerance: ToleranceOption,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    by: Annotated[
        Literal["number", "joint", "pattern"],
        typer.Option("--by", metavar="GROUP", help="Shares by number, joint or pattern."),
    ] = "joint",
    monte_carlo: Annotated[
        int, typer.Option("--monte-carlo", metavar="N", help="Number of Monte Carlo samples.")
    ] = 0,
    seed: SeedOption = 0,
    plot: Annotated[
        Path | None,
        picture_option(
            "Save a figure of the machine with its error ellipsoid, and shares.", "--plot"
        ),
    ] = None,
    map_file: Annotated[
        Path | None, picture_option("Save a map over the workspace.", "--map")
    ] = None,
    axes: MapAxesOption = ("x", "y"),
    rotational: RotationalOption = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    tls: TlsOption = None,  # type: ignore[assignment]
    as_json: JsonOption = False,
) -> None:
    """Compute the pose error that tolerances cause, and the share of each.

    Example:  gough tolerances demo-hexapod --tolerance "legs[*].base=50 um"
    """
    from gough.cli.pose_options import taken_pose
    from gough.kinematics.model import Model
    from gough.robot import load
    from gough.tolerance.tolerances import EFFECTS
    from gough.tolerance.tolerances import tolerances as find

    executor = executor_of(workers, cluster, tls)
    if not monte_carlo:
        refuse_idle(
            workers, cluster, "without Monte Carlo samples all is computed here; add --monte-carlo"
        )
    model = Model(load(robot))
    pose, remarks = taken_pose(model, pose_of(model.robot, position, rpy, degrees))
    errors = _tolerances(tolerance)
    options: Any = {"samples": monte_carlo, "rng": seed, "executor": executor}
    found = find(model, pose, errors, progress=True, **options)
    if plot is not None:
        save_plot(found.plot(by), plot)
    if map_file is not None:
        from gough.tolerance.tolerances import tolerance_map

        drawn = tolerance_map(model, axes, found.stated, found.pose, rotational=rotational)
        save_plot(drawn.plot(title=model.robot.name), map_file)
    show(
        found,
        as_json,
        tables=found.tables(by),
        notes=remarks,
        files={"figure": plot, "map": map_file},
        facts={"shares": {of: found.shares(of, by) for of in EFFECTS}},
    )


def _tolerances(options: list[str]) -> dict[str, Any]:
    """Return the tolerances of all options together; the last one of a name counts."""
    from gough.fields.user_files import read_table

    found: dict[str, Any] = {}
    for option in options:
        name, equals, size = option.partition("=")
        found |= {name.strip(): _size(size)} if equals else read_table(Path(option), "tolerances")
    return found


def _size(text: str) -> Any:
    """A number without a unit is in SI."""
    with suppress(ValueError):
        return float(text)
    return text
