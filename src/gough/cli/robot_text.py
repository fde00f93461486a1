"""A robot's structure, actuators, bodies and joints as tables."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from gough.cli.joint_options import as_read, unit_read
from gough.cli.output import diagonal, table, vector
from gough.digits import short_decimal
from gough.robot import Actuator, Hexapod, Leg, Mechanism
from gough.robot.mechanism import Joint


def structure_rows(facts: dict[str, Any]) -> list[tuple[object, ...]]:
    """How a machine is built and can move, for a table of name, value, unit."""
    legs = ", ".join(f"{count} {leg}" for leg, count in Counter(facts["legs"]).items())
    return [
        ("legs, driven joints with *", legs, ""),
        ("actuators", str(facts["actuators"]), ""),
        ("mobility", f"{facts['mobility']}: {' '.join(facts['freedoms'])}", ""),
        ("overconstrained", _conditions(facts["overconstrained"]), ""),
        ("idle spins", ", ".join(facts["spins"]) or "none", ""),
    ]


def structure_words(facts: dict[str, Any]) -> str:
    """The same in a line."""
    return "; ".join(f"{name}: {value}" for name, value, _ in structure_rows(facts)[1:])


def mechanism_tables(robot: Mechanism, at_home: dict[str, Any]) -> list[Any]:
    """All that is said of a machine besides its platform."""
    return [_actuators(robot, at_home["positions"]), _bodies(robot), _joints(robot)]


def _conditions(count: int) -> str:
    return "no" if count == 0 else f"by {count} condition{'s' * (count > 1)} of its closed loops"


def _actuators(robot: Mechanism, positions: list[float]) -> Any:
    columns = ("joint", "unit", "at home", "least", "greatest", "max force", "unit ", "max speed")
    rows = [
        _actuator_row(actuator, position)
        for actuator, position in zip(robot.actuators, positions, strict=True)
    ]
    return table("Actuators", columns, rows)


def _actuator_row(actuator: Actuator, position: float) -> tuple[object, ...]:
    least, greatest = actuator.travel or (None, None)
    numbers = (as_read(actuator, x) for x in (position, least, greatest))
    force_unit = "N m" if actuator.turns else "N"
    speed = as_read(actuator, actuator.max_speed)
    words = None if speed is None else f"{short_decimal(speed)} {unit_read(actuator)}/s"
    name = (actuator.name, unit_read(actuator))
    return (*name, *numbers, actuator.max_force, force_unit, words)


def _bodies(robot: Mechanism) -> Any:
    columns = ("body", "mass [kg]", "mass centre [m]", "inertia xx yy zz [kg m²]", "radius [m]")
    rows = [
        (
            body.name,
            body.mass,
            vector(body.center_of_mass),
            vector(diagonal(body.inertia), 3),
            body.radius,
        )
        for body in robot.bodies
    ]
    return table("Bodies, base frame with the machine at home", columns, rows)


def _joints(robot: Mechanism) -> Any:
    columns = ("joint", "type", "between", "centre [m]", "axes", "limits")
    rows = [
        (
            joint.name,
            joint.type + "*" * joint.is_driven,
            " – ".join(joint.between),
            vector(joint.at),
            ", ".join(vector(line, 3) for line in joint.lines) or None,
            _limits(joint),
        )
        for joint in robot.joints
    ]
    return table("Joints, base frame with the machine at home; * is driven", columns, rows)


def _limits(joint: Joint) -> str | None:
    """The travel of a hinge or slide, or the largest tilt of a ball or universal joint."""
    tilt = getattr(joint, "limit", None)
    if tilt is not None:
        return f"{short_decimal(math.degrees(tilt))} deg"
    if joint.range_of_travel is None:
        return None
    turns = joint.type == "R"
    low, high = (short_decimal(math.degrees(x) if turns else x) for x in joint.range_of_travel)
    return f"{low} to {high} {'deg' if turns else 'm'}"


def hexapod_tables(robot: Hexapod, at_home: dict[str, Any]) -> list[Any]:
    """All that is said of a hexapod besides its platform."""
    return [_joint_centres(robot), _lengths(robot, at_home["leg_lengths"]), _parts(robot)]


def _joint_centres(robot: Hexapod) -> Any:
    columns = ("leg", "kind", *(f"{body} {k}" for body in ("base", "platform") for k in "xyz"))
    rows = [(str(k), g.kind, *g.base, *g.platform) for k, g in enumerate(robot.legs, 1)]
    return table("Joint centres [m]", columns, rows)


def _lengths(robot: Hexapod, lengths: list[float]) -> Any:
    rows = [
        (str(k), length, *(leg.stroke or (None, None)))
        for k, (leg, length) in enumerate(zip(robot.legs, lengths, strict=True), 1)
    ]
    return table("Leg lengths [m]", ("leg", "at home", "shortest", "longest"), rows)


def _parts(robot: Hexapod) -> Any:
    """One row per quantity; one column per leg, or a single one if all legs are the same."""
    columns = [_part_cells(leg) for leg in robot.legs]
    heads = [f"leg {k}" for k, _ in enumerate(robot.legs, 1)]
    if all(cells == columns[0] for cells in columns):
        columns, heads = columns[:1], ["each leg"]
    rows = [(*name, *cells) for name, cells in zip(_PARTS, zip(*columns, strict=True), strict=True)]
    return table("Parts and limits", ("", "unit", *heads), rows)


_PARTS = [
    (f"{part} {quantity}", unit)
    for part in ("cylinder", "piston")
    for quantity, unit in (("mass", "kg"), ("mass centre", "m"), ("inertia xx yy zz", "kg m²"))
] + [
    ("max force", "N"),
    ("max speed", "m/s"),
    ("base joint limit", "deg"),
    ("platform joint limit", "deg"),
    ("radius", "m"),
]


def _part_cells(leg: Leg) -> list[object]:
    cells: list[object] = []
    for body in (leg.cylinder, leg.piston):
        cells += [body.mass, body.center_of_mass, vector(diagonal(body.inertia), 3)]
    limits = (leg.base_joint_limit, leg.platform_joint_limit)
    angles = [None if angle is None else math.degrees(angle) for angle in limits]
    return [*cells, leg.max_force, leg.max_speed, *angles, leg.radius]
