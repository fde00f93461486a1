"""From a robot to what its file says: what all legs share stands in one [leg] table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gough.robot.description import Body, Leg, Robot

Data = dict[str, Any]

_NEVER_SHARED = ("base", "platform")
_TABLES = ("drive", "connector", "joint_friction", "stop")


def written_form(robot: Robot) -> Data:
    """Return the robot as plain data (dicts, lists, floats, text) in the form of a robot file."""
    words = {"reference": robot.reference, "notes": robot.notes}
    legs = [_leg(leg) for leg in robot.legs]
    shared = {
        key: value
        for key, value in legs[0].items()
        if key not in _NEVER_SHARED and all(leg.get(key) == value for leg in legs)
    }
    return {
        "schema": robot.schema_version,
        "name": robot.name,
        **{key: text for key, text in words.items() if text},
        "gravity": list(robot.gravity),
        "platform": _platform(robot),
        "leg": shared,
        "legs": [{key: leg[key] for key in leg if key not in shared} for leg in legs],
    }


def _platform(robot: Robot) -> Data:
    platform = robot.platform
    return {
        "mass": platform.mass,
        "center_of_mass": list(platform.center_of_mass),
        "inertia": _inertia(platform.inertia),
        "home": {
            "position": list(platform.home.position),
            "quaternion": list(platform.home.quaternion),
        },
    }


def _leg(leg: Leg) -> Data:
    values = {key: getattr(leg, key) for key in type(leg).model_fields}
    bodies = {"cylinder": _body(leg.cylinder), "piston": _body(leg.piston)}
    tables = {
        key: table.model_dump(exclude_none=True) if table else None
        for key, table in values.items()
        if key in _TABLES
    }
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in (values | bodies | tables).items()
        if value is not None
    }


def _body(body: Body) -> Data:
    return {
        "mass": body.mass,
        "center_of_mass": body.center_of_mass,
        "inertia": _inertia(body.inertia),
    }


def _inertia(inertia: tuple[tuple[float, ...], ...]) -> list[Any]:
    """Return the three principal moments where the products of inertia are zero."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    if xy == xz == yz == 0.0:
        return [xx, yy, zz]
    return [list(row) for row in inertia]
