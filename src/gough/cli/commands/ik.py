"""`gough ik`: leg lengths at a pose."""

from __future__ import annotations

from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.cli.pose_text import position_words, quaternion_words
from gough.robot import load


def ik(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show the leg lengths at a pose, and whether the strokes allow them.

    Example:  gough ik demo-hexapod --position 0 0 1 --rpy 0 10 0 --degrees
    """
    from gough.kinematics.model import Model
    from gough.kinematics.singularity.soundness import singular_words

    machine = load(robot)
    pose = pose_of(machine, position, rpy, degrees)
    lengths = [float(q) for q in Model(machine).inverse_kinematics(pose)]
    strokes = [leg.stroke for leg in machine.legs]
    within = [_within(stroke, q) for stroke, q in zip(strokes, lengths, strict=True)]
    warnings = singular_words(machine, pose)
    if as_json:
        facts = {"pose": pose.tolist(), "leg_lengths": lengths, "within_stroke": within}
        print_json({**facts, "warnings": warnings})
        return
    rows = [
        (str(k), f"{q:.6f}", *(stroke or (None, None)), _WORDS[inside])
        for k, (q, stroke, inside) in enumerate(zip(lengths, strokes, within, strict=True), 1)
    ]
    columns = ("leg", "length", "shortest", "longest", "")
    place, attitude = position_words(pose, 6), quaternion_words(pose, 6)
    console.print(f"position {place} m, quaternion {attitude} (w x y z)")
    console.print(table(f"{machine.name}: leg lengths [m]", columns, rows))
    for words in warnings:
        say(words, "warning")


_WORDS = {True: "", False: "outside its stroke", None: ""}


def _within(stroke: tuple[float, float] | None, length: float) -> bool | None:
    """None if the leg has no stroke."""
    return None if stroke is None else stroke[0] <= length <= stroke[1]
