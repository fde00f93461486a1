"""`gough singularity`: how near a pose is to a singular configuration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table, vector
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.cli.pose_text import position_words, quaternion_words

if TYPE_CHECKING:
    from gough.kinematics import Singularity


def singularity(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how near a pose is to a singularity, and which motion gets out of control there.

    Example:  gough singularity kalani-2016 --position 0 0 1 --rpy 0 0 85 --degrees
    """
    from gough.cli.pose_options import taken_pose
    from gough.kinematics.model import Model
    from gough.kinematics.singularity.singularity import singularity as measure
    from gough.kinematics.singularity.soundness import singular_words
    from gough.robot import Hexapod, load

    machine = load(robot)
    model, hexapod = Model(machine), isinstance(machine, Hexapod)
    pose, remarks = taken_pose(model, pose_of(machine, position, rpy, degrees))
    found = measure(model, pose)
    warnings = [*remarks, *singular_words(machine, pose)]
    if as_json:
        names = [*found.__dataclass_fields__, "sign", "condition", "parallel", "serial"]
        names += [] if hexapod else ["passive", "constraint"]
        facts = {name: getattr(found, name) for name in names}
        print_json({"pose": pose, **facts, "warnings": warnings})
        return
    screw = [
        ("axis", vector(found.axis), "1"),
        ("point on the axis", vector(found.point), "m"),
        ("pitch", _pitch(float(found.pitch)), "m/rad"),
    ]
    rows = [
        ("position", position_words(pose), "m"),
        ("quaternion", quaternion_words(pose), "w x y z"),
        ("characteristic length", found.characteristic_length, "m"),
        ("det J", float(found.determinant), "m³" if hexapod else "SI"),
        ("condition of J", float(found.condition), "1"),
        ("type 2: smallest singular value", float(found.parallel), "1"),
        ("  distance to det J = 0, to first order", float(found.distance), "m"),
        *_other_kinds(found),
    ]
    console.print(table(f"{machine.name}: singularity", ("", "value", "unit"), rows))
    console.print(table("Least controlled motion, as a screw", ("", "value", "unit"), screw))
    for words in warnings:
        say(words, "warning")


def _other_kinds(found: Singularity) -> list[tuple[str, object, str]]:
    """Rows of what is singular beside J."""
    from gough.kinematics import HexapodSingularity, MechanismSingularity

    if isinstance(found, HexapodSingularity):
        return [
            ("type 1: smallest length or sine", float(found.serial), "1"),
            ("  shortest leg", float(found.leg_lengths.min()), "m"),
            ("  smallest sine, first axis to leg", _least(found.universal_joint_sines), "1"),
        ]
    assert isinstance(found, MechanismSingularity)
    legs = zip(found.motors, found.serial_by_leg, strict=True)
    groups = zip(found.joints, found.passive_by_group, strict=True)
    rows: list[tuple[str, object, str]] = [
        ("type 1: smallest of the legs", float(found.serial), "1"),
        *((f"  leg of {name}", float(abs(pivot)), "1") for name, pivot in legs),
    ]
    if found.joints:
        rows.append(("passive joints: smallest", float(found.passive), "1"))
        rows += [(f"  {name}", float(abs(pivot)), "1") for name, pivot in groups]
    if math.isfinite(found.constraint):
        rows.append(("constraint: smallest singular value", float(found.constraint), "1"))
    return rows


def _least(sines: Any) -> float | None:
    import numpy as np

    known = sines[~np.isnan(sines)]
    return float(known.min()) if known.size else None


def _pitch(pitch: float) -> object:
    return pitch if math.isfinite(pitch) else "infinite: a translation"
