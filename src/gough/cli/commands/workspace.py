"""`gough workspace`: how far a robot can go and turn within its limits, in its own freedoms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.executor_options import (
    ClusterOption,
    TlsOption,
    WorkersOption,
    executor_of,
)
from gough.cli.limit_options import IgnoreOption, MaxConditionOption, limits_of
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
from gough.cli.travel_text import SHOWN, travel_facts, travel_table
from gough.digits import short_decimal, with_error
from gough.errors import GoughError

if TYPE_CHECKING:
    from gough.kinematics.model import Model
    from gough.kinematics.workspace.charts import Kind
    from gough.kinematics.workspace.reach import Limits
    from gough.kinematics.workspace.slices import Slice
    from gough.kinematics.workspace.travels import Travel
    from gough.kinematics.workspace.workspace import Workspace


def workspace(
    robot: RobotArgument,
    orientation: Annotated[
        bool, typer.Option("--orientation", help="All rotations at one position instead.")
    ] = False,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    max_condition: MaxConditionOption = None,
    ignore: IgnoreOption = None,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            help="Relative error of the volume or area to aim at.",
            callback=within(1e-6, 1.0),
        ),
    ] = 1e-3,
    cut: Annotated[
        str | None,
        typer.Option(
            "--slice", metavar="NAME=VALUE", help="Only the plane z=0.9, x=…, yaw=10deg, …"
        ),
    ] = None,
    axes: Annotated[
        tuple[str, str] | None,
        typer.Option("--axes", metavar="NAME NAME", help="Only a plane of two such as x yaw."),
    ] = None,
    plot: Annotated[
        Path | None, picture_option("Save a picture (.png, .svg, .pdf).", "--plot")
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    tls: TlsOption = None,  # type: ignore[assignment]
    as_json: JsonOption = False,
) -> None:
    """Show what a robot can reach: volume or area, travel, rotations, the limits that count.

    Example:  gough workspace demo-hexapod --slice z=0.95 --plot slice.png
    """
    from gough.kinematics.model import Model
    from gough.robot import load

    limits, executor = limits_of(ignore, max_condition), executor_of(workers, cluster, tls)
    for option, value in (("--slice", cut), ("--axes", axes)):
        if orientation and value is not None:
            raise wrong_usage(option, "not with --orientation: a slice names its plane")
    model = Model(load(robot))
    pose = pose_of(model.robot, position, rpy, degrees)
    if cut is None and axes is None:
        options = {"tolerance": tolerance, "progress": not as_json, "executor": executor}
        facts = _whole(model, limits, pose, orientation, options, plot, not as_json)
    else:
        fixed = None if cut is None else _parsed(cut, degrees)
        facts = _slice(model, limits, pose, fixed, axes, plot, not as_json)
    if as_json:
        print_json(facts)
    elif plot is not None:
        say(f"picture saved in {plot}")


def _whole(
    model: Model, limits: Limits, pose: Any, orientation: bool, options: dict[str, Any],
    plot: Path | None, show: bool,
) -> dict[str, Any]:  # fmt: skip
    import numpy as np

    from gough.cli.pose_options import taken_pose
    from gough.kinematics.workspace.travels import travel

    asked, remarks = taken_pose(model, pose)
    found = _space(model, limits, asked, orientation, options)
    centre = asked if found is None else found.centre
    travels = travel(model, centre, limits=limits)
    if orientation:
        travels = [turns for turns in travels if turns.unit == "rad"]
    if plot is not None:
        from gough.kinematics.workspace.plots import save_slices, save_workspace

        if found is None:
            save_slices(model, plot, centre, limits=limits, title=f"{model.robot.name}: workspace")
        else:
            save_workspace(model, found, plot, limits=limits, title=_title(model, found))
    if show:
        if found is not None:
            console.print(_space_table(model, found))
        for part in travels:
            console.print(travel_table(part, "the centre"))
        for remark in [*remarks, *_remarks(model, limits, found)]:
            say(remark, "note")
        if not np.allclose(centre, asked):
            say("the pose is not reachable: all this is about the centre stated above", "note")
    return _plain(found, travels)


def _space(
    model: Model, limits: Limits, pose: Any, orientation: bool, options: dict[str, Any]
) -> Workspace | None:
    """What of the workspace has a volume or an area."""
    from gough.kinematics.workspace import workspace as library

    kind = "orientation" if orientation else _kind(model, limits)
    if kind is None:
        return None
    find = {
        "position": library.constant_orientation_workspace,
        "orientation": library.orientation_workspace,
    }[kind]
    return find(model, pose, limits=limits, **options)


def _kind(model: Model, limits: Limits) -> Kind | None:
    """Positions where the machine moves in two or three and has bounds; else three rotations."""
    from gough.robot import Hexapod

    ways, turns = _ways_and_turns(model)
    if ways >= 2 and (_is_bounded(model, limits) or isinstance(model.robot, Hexapod)):
        return "position"
    return "orientation" if turns == 3 and not ways else None


def _ways_and_turns(model: Model) -> tuple[int, int]:
    """Along how many freedoms a machine goes, and about how many it turns."""
    from gough.kinematics.samples import rows_of_freedoms

    rows = rows_of_freedoms(model.robot)
    return int((~rows[:, 3:].any(1)).sum()), int((~rows[:, :3].any(1)).sum())


def _is_bounded(model: Model, limits: Limits) -> bool:
    from gough.kinematics.workspace.bounds import is_bounded

    return is_bounded(model.robot, limits)


def _remarks(model: Model, limits: Limits, found: Workspace | None) -> list[str]:
    """What is shown of a machine that has not all freedoms, and what is not."""
    from gough.robot.mechanism import MOVES

    free = model.structure.freedoms
    remarks = []
    if len(free) < len(MOVES):
        whole = "" if found is None else f"the {_measure_word(found)} of what it reaches and "
        remarks.append(
            f"{model.robot.name} moves in {' '.join(free)}: this is {whole}its travel along each"
        )
    if found is None and _ways_and_turns(model)[0] and not _is_bounded(model, limits):
        remarks.append(
            "no leg has a longest length, so positions have no bounds and no volume: travel that "
            "nothing ends is as far as was looked"
        )
    return remarks


def _slice(
    model: Model, limits: Limits, pose: Any, fixed: tuple[str, float] | None,
    axes: tuple[str, str] | None, plot: Path | None, show: bool,
) -> dict[str, Any]:  # fmt: skip
    from gough.kinematics.workspace.slices import workspace_slice

    if fixed is not None:
        pose = _moved(pose, *fixed)
    pair = axes if fixed is None else _axes(model, fixed[0], axes)
    assert pair is not None, "one of the two options is given"
    part = workspace_slice(model, pair, pose, limits=limits)
    if plot is not None:
        from gough.kinematics.workspace.plots import save_slice

        save_slice(part, plot, title=model.robot.name)
    facts = _slice_facts(part)
    if show:
        console.print(_slice_table(f"{model.robot.name}: slice{_at(fixed)}", part, facts))
    return facts


def _axes(model: Model, fixed: str, asked: tuple[str, str] | None) -> tuple[str, str]:
    """The two coordinates that vary beside a fixed one: of its own kind, or all that are left."""
    from gough.kinematics.workspace.slices import COORDINATES, free_coordinates, index_of

    stays, free = index_of(fixed), free_coordinates(model)
    if stays not in free:
        moves = " ".join(model.structure.freedoms)
        raise wrong_usage("--slice", f"{model.robot.name} moves in {moves}, not in {fixed}")
    if asked is not None:
        if stays in map(index_of, asked):
            raise wrong_usage("--axes", f"{fixed} stays, as --slice says; expected two others")
        return asked
    others = [k for k in free if k != stays]
    alike = [k for k in others if (k < 3) == (stays < 3)]
    pair = [COORDINATES[k] for k in (alike if len(alike) == 2 else others)]
    if len(pair) != 2:
        left = ", ".join(pair)
        raise wrong_usage("--slice", f"{left} are left; say with --axes which two of them vary")
    return pair[0], pair[1]


def _at(fixed: tuple[str, float] | None) -> str:
    if fixed is None:
        return ""
    unit, scale = SHOWN[_unit(fixed[0])]
    return f" at {fixed[0]} = {short_decimal(fixed[1] * scale)} {unit}"


def _slice_table(title: str, part: Slice, facts: dict[str, Any]) -> Any:
    units, scales = zip(*(SHOWN[unit] for unit in part.units), strict=True)
    area_unit = f"{units[0]}²" if units[0] == units[1] else " ".join(units)
    rows: list[tuple[object, ...]] = [("area", part.area * math.prod(scales), area_unit)]
    for axis, key, unit, scale in zip(part.axes, ("first", "second"), units, scales, strict=True):
        ends = facts[key]
        shown = "nothing" if ends is None else vector([x * scale for x in ends])
        rows.append((f"{axis} from, to", shown, unit))
    return table(title, ("", "value", "unit"), rows)


def _unit(name: str) -> str:
    from gough.kinematics.workspace.slices import is_angle

    return "rad" if is_angle(name) else "m"


def _parsed(cut: str, degrees: bool) -> tuple[str, float]:
    """The coordinate that stays, and its value in SI."""
    name, equals, text = (part.strip() for part in cut.partition("="))
    try:
        unit = _unit(name)
    except GoughError:
        unit = ""
    if not equals or not unit:
        expected = "expected x, y, z, roll, pitch or yaw, as in z=0.9"
        raise wrong_usage("--slice", f"not a plane, got {cut!r}; {expected}")
    return name, length("--slice", text) if unit == "m" else angle("--slice", text, degrees)


def _moved(pose: Any, name: str, value: float) -> Any:
    """The pose with one coordinate replaced."""
    from gough.kinematics.workspace.slices import index_of
    from gough.poses import euler
    from gough.poses import pose as make_pose

    place, angles, number = pose[:3].copy(), euler(pose, "xyz"), index_of(name)
    if number < 3:
        place[number] = value
        return make_pose(place, quaternion=pose[3:])
    angles[number - 3] = value
    return make_pose(place, rpy=angles)


def _space_table(model: Model, found: Workspace) -> Any:
    unit, scale = SHOWN[found.unit]
    word, power, round_thing = (
        ("volume", "³", "ball") if len(found.freedoms) == 3 else ("area", "²", "disc")
    )
    rows: list[tuple[object, ...]] = [
        ("centre", position_words(found.centre), "m"),
        ("  quaternion w x y z", quaternion_words(found.centre), "1"),
        (word, with_error(found.measure, found.measure_error), f"{found.unit}{power}"),
    ]
    if found.kind == "orientation":
        share = 100 * found.volume / (8 * math.pi**2)
        rows.append(("  of all rotations", share, "%"))
    else:
        rows += [
            (f"{axis} from, to", vector(ends), "m")
            for axis, ends in zip(found.freedoms, found.extent, strict=True)
        ]
    rows.append((f"largest {round_thing} around the centre", found.inscribed * scale, unit))
    rows.append(("gaps along rays from the centre", "no" if found.star_shaped else "yes", ""))
    return table(_title(model, found), ("", "value", "unit"), rows)


def _measure_word(found: Workspace) -> str:
    return "volume" if len(found.freedoms) == 3 else "area"


def _title(model: Model, found: Workspace) -> str:
    words = {
        "orientation": "orientation workspace",
        "position": "constant-orientation workspace",
    }[found.kind]
    if len(found.freedoms) == 2:
        words = f"workspace in {', '.join(found.freedoms)}"
    return f"{model.robot.name}: {words}"


def _plain(found: Workspace | None, travels: list[Travel]) -> dict[str, Any]:
    """What was found; of the travels the first is that of the whole, others have names."""
    first, *others = travels
    facts: dict[str, Any] = {"kind": "position" if first.unit == "m" else "orientation"}
    if found is not None:
        word = _measure_word(found)
        facts |= {
            word: found.measure,
            f"{word}_error": found.measure_error,
            "extent": found.extent.tolist(),
            "inscribed": found.inscribed,
            "star_shaped": found.star_shaped,
        }
    facts |= {"centre": first.centre.tolist(), **travel_facts(first)}
    for part in others:
        facts["rotation" if part.unit == "rad" else part.freedoms[0]] = travel_facts(part)
    return facts


def _slice_facts(part: Slice) -> dict[str, Any]:
    inside = part.inside
    ends = [
        [float(values[hit].min()), float(values[hit].max())] if hit.any() else None
        for values, hit in ((part.first, inside.any(1)), (part.second, inside.any(0)))
    ]
    return {
        "axes": list(part.axes),
        "units": list(part.units),
        "fixed": part.fixed,
        "area": part.area,
        "first": ends[0],
        "second": ends[1],
    }
