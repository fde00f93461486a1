"""From the [motion] table of a study to a motion. Units are converted here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from gough.fields.quantities import Quantity, Vector
from gough.fields.units import ANGLE, LENGTH, Dimension
from gough.motion.motions import expressions, screws, sequences, splines
from gough.motion.motions.angles import ANGLES, all_angles
from gough.motion.motions.records import read_record
from gough.motion.problems import MotionError
from gough.motion.profiles import profiles, ramps
from gough.motion.profiles.profiles import Profile
from gough.motion.samples import Array, Motion, announce
from gough.motion.written import (
    ExpressionTable,
    HoldTable,
    LineTable,
    RotationTable,
    ScrewTable,
    SequenceTable,
    WaypointsTable,
    WaypointTable,
    WrittenPose,
    WrittenProfile,
    read_constant,
    read_quantity,
    read_table,
)
from gough.poses import pose as make_pose
from gough.robot import Robot

Data = Mapping[str, Any]


def motion_from_dict(data: Data, robot: Robot, *, folder: Path = Path()) -> Motion:
    """The motion that a [motion] table describes; it starts at the robot's home pose.

    `folder` is where the names of files count from. Errors name the key; an acceleration that
    jumps is a MotionWarning.
    """
    try:
        motion = _read(data, np.array(robot.home), folder)
    except MotionError as error:
        raise error.inside("motion") from None
    announce(motion)
    return motion


def _read(data: Data, start: Array, folder: Path) -> Motion:
    return _KINDS[kind_of(data, _KINDS)](data, start, folder)


def kind_of(data: Any, known: Mapping[str, Any]) -> str:
    """The `kind` that a table says it is, or an error with the nearest known one."""
    listed = ", ".join(f'"{kind}"' for kind in known)
    if not isinstance(data, Mapping):
        raise MotionError("not a table", value=data, expected=f"a table with a kind: {listed}")
    kind = data.get("kind")
    if kind is None:
        raise MotionError("missing", key="kind", expected=f"one of {listed}")
    if not isinstance(kind, str) or kind not in known:
        nearest = get_close_matches(str(kind), known, n=1)
        hint = f' (did you mean "{nearest[0]}"?)' if nearest else ""
        raise MotionError(f"not known{hint}", key="kind", value=kind, expected=f"one of {listed}")
    return str(kind)


def _hold(data: Data, start: Array, _: Path) -> Motion:
    table = read_table(HoldTable, data)
    return screws.hold(_pose(table.start, start), table.duration)


def _line(data: Data, start: Array, _: Path) -> Motion:
    table = read_table(LineTable, data)
    if (table.displacement is None) == (table.direction is None):
        raise MotionError(
            "missing" if table.direction is None else "given twice",
            key="displacement",
            expected="either a displacement, or a direction and a travel",
        )
    if table.displacement is not None:
        direction: Any = table.displacement
        if not any(direction):
            raise MotionError("zero", key="displacement", expected="some way to go")
        travel = (0.0, float(np.linalg.norm(table.displacement)))
    else:
        direction, travel = table.direction, _range(table.travel, LENGTH, "travel")
    profile = _profile(table.profile, table.duration, travel, LENGTH)
    return screws.travelling(_pose(table.start, start), direction, travel, profile)


def _turn(data: Data, start: Array, _: Path) -> Motion:
    form: type[ScrewTable] | type[RotationTable]
    form = ScrewTable if data["kind"] == "screw" else RotationTable
    table: ScrewTable | RotationTable = read_table(form, data)
    pose = _pose(table.start, start)
    origin = (0.0, 0.0, 0.0) if table.frame == "platform" else tuple(pose[:3])
    angle = _range(table.angle, ANGLE, "angle")
    return screws.screw(
        pose,
        table.axis,
        origin if table.point is None else table.point,
        angle,
        table.pitch if isinstance(table, ScrewTable) else 0.0,
        _profile(table.profile, table.duration, angle, ANGLE),
        frame=table.frame,
    )


def _waypoints(data: Data, start: Array, _: Path) -> Motion:
    table = read_table(WaypointsTable, data)
    times, poses, stops = [], [start], []
    for k, item in enumerate(_list(table.waypoints, "waypoints")):
        try:
            point = read_table(WaypointTable, item)
            poses.append(_pose(point, poses[-1]))
        except MotionError as error:
            raise error.inside(f"waypoints[{k}]") from None
        times.append(point.time)
        stops.append(table.stops if point.stop is None else point.stop)
    try:
        return splines.waypoints(times, np.array(poses[1:]), stops=stops)
    except MotionError as error:
        key = error.key.replace("times", "waypoints").replace("poses", "waypoints")
        raise MotionError(
            error.problem, key=key, value=error.value, expected=error.expected
        ) from None


def _expression(data: Data, start: Array, _: Path) -> Motion:
    table = read_table(ExpressionTable, data)
    constants = table.constants or {}
    if not isinstance(constants, Mapping):
        raise MotionError("not a table", key="constants", value=constants, expected="names, values")
    x, y, z = (
        float(home) if text is None else text
        for text, home in zip((table.x, table.y, table.z), start[:3], strict=True)
    )
    turns = {name: getattr(table, name) for name in ANGLES if getattr(table, name) is not None}
    if table.angles is not None and table.euler is None:
        raise MotionError("missing", key="euler", expected='a sequence of axes, such as "XYZ"')
    if table.euler is not None and table.angles is None:
        raise MotionError("missing", key="angles", expected="three expressions")
    try:
        return expressions.expression(
            table.duration,
            x=x,
            y=y,
            z=z,
            rpy=all_angles(turns, start) if turns else None,
            euler=None if table.euler is None else (table.euler, _list(table.angles, "angles")),
            quaternion=start[3:],
            constants={k: read_constant(v, f"constants.{k}") for k, v in constants.items()},
        )
    except MotionError as error:
        key = _RPY.get(error.key, error.key) if turns else error.key
        raise MotionError(
            error.problem, key=key, value=error.value, expected=error.expected
        ) from None


_RPY = {f"angles[{k}]": name for k, name in enumerate(ANGLES)}


def _sequence(data: Data, start: Array, folder: Path) -> Motion:
    table = read_table(SequenceTable, data)
    parts: list[Motion] = []
    for k, item in enumerate(_list(table.parts, "parts")):
        try:
            parts.append(_read(item, start, folder))
        except MotionError as error:
            raise error.inside(f"parts[{k}]") from None
        start = parts[-1](parts[-1].duration).pose
    try:
        return sequences.sequence(*parts * table.repeat)
    except MotionError as error:
        raise _misfit(error, table.parts, parts) from None


def _misfit(error: MotionError, tables: list[Data], parts: list[Motion]) -> MotionError:
    """What does not join in a sequence, by its place in the list; for records also a way out."""
    place = int(error.key.removeprefix("parts[").removesuffix("]"))
    times, k = divmod(place, len(parts))
    again = f"at its repetition {times + 1}, " if times else ""
    expected = error.expected or ""
    if tables[k]["kind"] == "recorded" and _starts_at_rest(parts[k]):
        expected += f"; a line or waypoints can lead to it: {_first_pose(parts[k])}"
    elif "recorded" in (tables[k]["kind"], tables[k - 1]["kind"]):
        expected += "; a record seldom begins and ends at rest: waypoints through its poses do"
    return MotionError(again + error.problem, key=f"parts[{k}]", expected=expected)


def _starts_at_rest(motion: Motion) -> bool:
    return bool(np.abs(motion(0.0).twist).max() < sequences.SAME_SPEED)


def _first_pose(motion: Motion) -> str:
    """Where a motion begins, as a pose is written, so exactly that another can end there."""
    numbers = [round(x, 12) for x in motion(0.0).pose.tolist()]
    return f"position = {numbers[:3]}, quaternion = {numbers[3:]}"


_KINDS: dict[str, Callable[[Data, Array, Path], Motion]] = {
    "hold": _hold,
    "line": _line,
    "rotation": _turn,
    "screw": _turn,
    "waypoints": _waypoints,
    "expression": _expression,
    "recorded": read_record,
    "sequence": _sequence,
}


def _pose(written: WrittenPose | None, start: Array) -> Array:
    """A written pose; what it does not say is as at the start."""
    if written is None:
        return start
    if written.rpy is not None and written.quaternion is not None:
        raise MotionError("rotation given twice", key="rpy", expected="either rpy or quaternion")
    place = start[:3] if written.position is None else written.position
    if written.rpy is not None:
        return make_pose(place, rpy=written.rpy)
    return make_pose(
        place, quaternion=start[3:] if written.quaternion is None else written.quaternion
    )


def _range(value: Any, dimension: Dimension, key: str) -> tuple[float, float]:
    """How far, or from where to where."""
    one, two = Quantity(dimension), Vector(2, Quantity(dimension))
    if value is None:
        raise MotionError("missing", key=key, expected=dimension.expectation)
    if isinstance(value, list | tuple):
        first, last = read_quantity(two, value, key)
    else:
        first, last = 0.0, read_quantity(one, value, key)
    if first == last:
        raise MotionError("zero", key=key, value=value, expected="some way to go")
    return first, last


_BY_DURATION: dict[str, tuple[Callable[..., Profile], tuple[str, ...]]] = {
    "cosine": (profiles.Cosine, ()),
    "cycloidal": (profiles.Cycloidal, ()),
    "quintic": (profiles.Quintic, ()),
    "sine": (profiles.Sine, ("cycles", "phase")),
    "trapezoidal": (ramps.trapezoidal, ("ramp",)),
    "s-curve": (ramps.s_curve, ("ramp", "rounding")),
}
_BY_LIMITS: dict[str, tuple[Callable[..., Profile], tuple[str, ...]]] = {
    "trapezoidal": (ramps.trapezoidal_within, ("max_speed", "max_acceleration")),
    "s-curve": (ramps.s_curve_within, ("max_speed", "max_acceleration", "max_jerk")),
}
_LIMITS = ("max_speed", "max_acceleration", "max_jerk")


def _profile(
    data: Any, duration: float | None, way: tuple[float, float], dimension: Dimension
) -> Profile:
    """A profile by its name, or by a table; over a way [m or rad] that limits may refer to."""
    try:
        table = read_table(WrittenProfile, {"kind": data} if isinstance(data, str) else data)
        kind = kind_of({"kind": table.kind}, _BY_DURATION)
        given = {k: v for k, v in table.model_dump(exclude={"kind"}).items() if v is not None}
        limited = bool(set(given) & set(_LIMITS))
        shapes = _BY_LIMITS if limited and kind in _BY_LIMITS else _BY_DURATION
        make, allowed = shapes[kind]
        _check_keys(given, allowed, kind)
        if limited:
            return make(abs(way[1] - way[0]), *_read_limits(given, allowed, dimension, duration))
    except MotionError as error:
        raise error.inside("profile") from None
    if duration is None:
        raise MotionError("missing", key="duration", expected="seconds, above 0")
    try:
        return make(duration, **given)
    except MotionError as error:
        raise error.inside("profile") from None


def _check_keys(given: Data, allowed: tuple[str, ...], kind: str) -> None:
    for key in given:
        if key not in allowed:
            keys = ", ".join(allowed) or "no further keys"
            raise MotionError(f'not a key of "{kind}" here', key=key, expected=keys)


def _read_limits(
    given: Data, allowed: tuple[str, ...], dimension: Dimension, duration: float | None
) -> list[float]:
    if duration is not None:
        raise MotionError(
            "the duration is given as well", value=duration, expected="limits, or a duration"
        )
    limits = []
    for key, per in zip(allowed, ("s", "s^2", "s^3"), strict=False):
        unit = f"{dimension.unit}/{per}"
        if key not in given:
            raise MotionError("missing", key=key, expected=f"a limit [{unit}]")
        limit = Dimension("a limit", unit, f'0.2 or "0.2 {unit}"')
        limits.append(read_quantity(Quantity(limit, above=0.0), given[key], key))
    return limits


def _list(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list | tuple) or not value:
        raise MotionError("not a list", key=key, value=value, expected="a list, not empty")
    return list(value)
