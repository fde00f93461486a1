"""`gough workspace`: how far a robot can go and turn within its limits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.option_checks import picture_option, within
from gough.cli.output import (
    JsonOption,
    RobotArgument,
    console,
    print_json,
    say,
    table,
    vector,
    wrong_usage,
)
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, angle, length, pose_of
from gough.cli.pose_text import position_words, quaternion_words

if TYPE_CHECKING:
    from gough.kinematics.model import Model
    from gough.kinematics.workspace.reach import Limits
    from gough.kinematics.workspace.slices import Slice
    from gough.kinematics.workspace.workspace import Workspace

_TRIPLES = (("x", "y", "z"), ("roll", "pitch", "yaw"))


def workspace(
    robot: RobotArgument,
    orientation: Annotated[
        bool, typer.Option("--orientation", help="All rotations at one position instead.")
    ] = False,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    max_condition: Annotated[
        float | None,
        typer.Option(
            "--max-condition",
            help="Largest condition number of J that is allowed.",
            callback=within(1.0, math.inf),
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="LIMIT", help="Leave out a limit, such as clearance."),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            help="Relative error of the volume to aim at.",
            callback=within(1e-6, 1.0),
        ),
    ] = 1e-3,
    cut: Annotated[
        str | None,
        typer.Option(
            "--slice", metavar="NAME=VALUE", help="Only the plane z=0.9, x=…, yaw=10deg, …"
        ),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("Save a picture (.png, .svg, .pdf).", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a robot can reach: volume, travel along the axes, rotations, the limits that count.

    Example:  gough workspace demo-hexapod --slice z=0.95 --plot slice.png
    """
    from gough.kinematics.model import Model
    from gough.kinematics.workspace.reach import Limits
    from gough.kinematics.workspace.stated import FAMILIES
    from gough.robot import load

    left_out = [name.replace("-", " ") for name in ignore or []]
    unknown = [name for name in left_out if name not in FAMILIES]
    if unknown:
        known = ", ".join(FAMILIES)
        raise wrong_usage("--ignore", f"unknown limit {unknown[0]!r}; expected one of {known}")
    if orientation and cut is not None:
        raise wrong_usage("--slice", "not with --orientation: a slice names its plane")
    machine = load(robot)
    limits = Limits(tuple(f for f in FAMILIES if f not in left_out), max_condition)
    pose = pose_of(machine, position, rpy, degrees)
    if cut is None:
        facts = _whole(Model(machine), limits, pose, orientation, tolerance, plot, not as_json)
    else:
        facts = _slice(Model(machine), limits, pose, _parsed(cut, degrees), plot, not as_json)
    if as_json:
        print_json(facts)
    elif plot is not None:
        say(f"picture saved in {plot}")


def _whole(
    model: Model, limits: Limits, pose: Any, orientation: bool, tolerance: float,
    plot: Path | None, show: bool,
) -> dict[str, Any]:  # fmt: skip
    import numpy as np

    from gough.kinematics.workspace import workspace as library

    options: dict[str, Any] = {"limits": limits, "tolerance": tolerance, "progress": show}
    if orientation:
        found = library.orientation_workspace(model, pose, **options)
        turns = found
    else:
        found = library.constant_orientation_workspace(model, pose, **options)
        turns = library.orientation_workspace(model, found.centre, **options)
    if plot is not None:
        from gough.kinematics.workspace.plots import save_workspace

        save_workspace(model, found, plot, limits=limits, title=_title(model, found))
    if show:
        _print(model, found, turns)
        if not np.allclose(found.centre, pose):
            say("the pose is not reachable: all this is about the centre stated above", "note")
    return _plain(found) | ({} if orientation else {"rotation": _travel(turns)})


def _slice(
    model: Model, limits: Limits, pose: Any, cut: tuple[str, float], plot: Path | None, show: bool
) -> dict[str, Any]:
    from gough.kinematics.workspace.slices import workspace_slice

    name, value = cut
    triple = next(names for names in _TRIPLES if name in names)
    first, second = (other for other in triple if other != name)
    part = workspace_slice(model, (first, second), _moved(pose, name, value), limits=limits)
    if plot is not None:
        from gough.kinematics.workspace.plots import save_slice

        save_slice(part, plot, title=model.robot.name)
    facts = _slice_facts(part)
    if show:
        unit, scale = ("m", 1.0) if name in "xyz" else ("deg", 180 / math.pi)
        rows: list[tuple[object, ...]] = [("area", part.area * scale**2, f"{unit}²")]
        for axis, ends in zip(part.axes, (facts["first"], facts["second"]), strict=True):
            shown = "nothing" if ends is None else vector([x * scale for x in ends])
            rows.append((f"{axis} from, to", shown, unit))
        title = f"{model.robot.name}: slice at {name} = {value * scale:.4g} {unit}"
        console.print(table(title, ("", "value", "unit"), rows))
    return facts


def _parsed(cut: str, degrees: bool) -> tuple[str, float]:
    """The coordinate that stays, and its value in SI."""
    name, equals, text = (part.strip() for part in cut.partition("="))
    if not equals or not any(name in names for names in _TRIPLES):
        expected = "expected x, y, z, roll, pitch or yaw, as in z=0.9"
        raise wrong_usage("--slice", f"not a plane, got {cut!r}; {expected}")
    if name in _TRIPLES[0]:
        return name, length("--slice", text)
    return name, angle("--slice", text, degrees)


def _moved(pose: Any, name: str, value: float) -> Any:
    """The pose with one coordinate replaced."""
    from gough.poses import euler
    from gough.poses import pose as make_pose

    place, angles = pose[:3].copy(), euler(pose, "xyz")
    if name in _TRIPLES[0]:
        place[_TRIPLES[0].index(name)] = value
        return make_pose(place, quaternion=pose[3:])
    angles[_TRIPLES[1].index(name)] = value
    return make_pose(place, rpy=angles)


def _print(model: Model, found: Workspace, turns: Workspace) -> None:
    scale, unit = (1.0, "m") if found.kind == "position" else (180 / math.pi, "deg")
    rows: list[tuple[object, ...]] = [
        ("centre", position_words(found.centre), "m"),
        ("  quaternion w x y z", quaternion_words(found.centre), "1"),
        ("volume", f"{found.volume:.5g} ± {found.volume_error:.1g}", f"{found.unit}³"),
    ]
    if found.kind == "orientation":
        share = 100 * found.volume / (8 * math.pi**2)
        rows.append(("  of all rotations", share, "%"))
    else:
        rows += [
            (f"{axis} from, to", vector(ends), "m")
            for axis, ends in zip("xyz", found.extent, strict=True)
        ]
    rows.append(("largest ball around the centre", found.inscribed * scale, unit))
    rows.append(("gaps along rays from the centre", "no" if found.star_shaped else "yes", ""))
    console.print(table(_title(model, found), ("", "value", "unit"), rows))
    if found.kind == "position":
        console.print(_travel_table("Travel from the centre [m]", found, 1.0, ""))
    console.print(_travel_table("Rotation from the centre [deg]", turns, 180 / math.pi, "about "))


def _travel_table(title: str, found: Workspace, scale: float, word: str) -> Any:
    rows = [
        (f"{word}{axis}", *(side for k in (0, 1) for side in _side(found, i, k, scale)))
        for i, axis in enumerate("xyz")
    ]
    return table(title, ("axis", "negative", "ended by", "positive", "ended by "), rows)


def _side(found: Workspace, axis: int, side: int, scale: float) -> tuple[float, str | None]:
    return float(found.travel[axis, side]) * scale, _ended_by(found)[axis][side]


def _ended_by(found: Workspace) -> list[list[str | None]]:
    from gough.kinematics.workspace.stated import FAMILIES

    return [[FAMILIES[k] if k >= 0 else None for k in row] for row in found.travel_active]


def _title(model: Model, found: Workspace) -> str:
    words = "constant-orientation" if found.kind == "position" else "orientation"
    return f"{model.robot.name}: {words} workspace"


def _plain(found: Workspace) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "unit": found.unit,
        "centre": found.centre.tolist(),
        "volume": found.volume,
        "volume_error": found.volume_error,
        "extent": found.extent.tolist(),
        "inscribed": found.inscribed,
        "star_shaped": found.star_shaped,
        **_travel(found),
    }


def _travel(found: Workspace) -> dict[str, Any]:
    return {"travel": found.travel.tolist(), "ended_by": _ended_by(found)}


def _slice_facts(part: Slice) -> dict[str, Any]:
    inside = part.inside
    ends = [
        [float(values[hit].min()), float(values[hit].max())] if hit.any() else None
        for values, hit in ((part.first, inside.any(1)), (part.second, inside.any(0)))
    ]
    return {
        "axes": list(part.axes),
        "fixed": part.fixed,
        "area": part.area,
        "first": ends[0],
        "second": ends[1],
    }
