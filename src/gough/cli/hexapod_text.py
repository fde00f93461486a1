"""A hexapod's joints, legs and parts as tables."""

from __future__ import annotations

import math
from typing import Any

from gough.cli.output import diagonal, table, vector
from gough.robot import Hexapod, Leg


def hexapod_tables(robot: Hexapod, at_home: dict[str, Any]) -> list[Any]:
    """All that is said of a hexapod besides its platform."""
    return [_joints(robot), _lengths(robot, at_home["leg_lengths"]), _parts(robot)]


def _joints(robot: Hexapod) -> Any:
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
