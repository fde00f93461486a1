"""`gough modes`: all poses at given leg lengths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gough.cli.joint_options import JointsOption, joint_facts, joint_positions
from gough.cli.option_checks import picture_option
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table
from gough.cli.pose_options import DegreesOption

if TYPE_CHECKING:
    from gough.kinematics.assembly import AssemblyModes


def modes(
    robot: RobotArgument,
    joints: JointsOption = None,
    degrees: DegreesOption = False,
    plot: Annotated[
        Path | None, picture_option("Save a drawing of them (.png, .svg, .pdf).", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find all assembly modes: every pose of the platform at given leg lengths, else those at home.

    Example:  gough modes dietmaier-1998 --lengths 1 0.645275 1.086284 1.503439 1.281933 0.771071
    """
    from gough.kinematics.assembly import assembly_modes
    from gough.kinematics.model import Model
    from gough.robot import load

    model = Model(load(robot))
    if joints is None:
        q = model.inverse_kinematics(model.robot.home)
    else:
        q = joint_positions(model.robot, joints, degrees)
    found = assembly_modes(model, q)
    if plot is not None:
        from gough.kinematics.assembly.drawing import save_modes

        save_modes(found, plot)
    if as_json:
        print_json(_data(found))
        return
    console.print(_table(found))
    console.print(str(found), highlight=False, soft_wrap=True)
    if plot is not None:
        say(f"drawing saved in {plot}")


def _table(found: AssemblyModes) -> Any:
    from gough.poses import euler

    columns = ["", "x [m]", "y", "z", "roll [°]", "pitch", "yaw", "error [m]"]
    rows = [
        [
            str(k + 1),
            *(f"{x:z.4f}" for x in found.poses[k, :3]),
            *(f"{x:z.2f}" for x in euler(found.poses[k], "xyz", degrees=True)),
            f"{found.position_error[k]:.0e}" if found.certified[k] else _doubt(found, k),
        ]
        for k in range(len(found))
    ]
    if found.has_limits:
        columns.append("within")
        for row, within in zip(rows, found.within_limits, strict=True):
            row.append("limits" if within else "no")
    return table(f"{found.robot.name}: assembly modes", columns, rows)


def _doubt(found: AssemblyModes, k: int) -> str:
    if found.self_motion[k]:
        return "self-motion"
    fold = found.multiplicity[k]
    return f"singular, {fold}-fold" if fold > 1 else "not proved"


def _data(found: AssemblyModes) -> dict[str, Any]:
    arrays = "poses residual certified position_error angle_error multiplicity self_motion"
    numbers = " n_complex n_proved n_on_curves n_infinite n_lost complete scope doubts"
    return {
        "robot": found.robot.name,
        "q": found.q,
        **joint_facts(found.robot, found.q),
        **{name: getattr(found, name) for name in (arrays + numbers).split()},
        "within_limits": found.within_limits if found.has_limits else None,
    }
