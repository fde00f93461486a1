"""Card of a robot in a notebook: its parts, its limits, and a sketch of its home configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import degrees
from typing import TYPE_CHECKING

from gough.display import SketchLine, Table, card, number, sketch, span
from gough.display.sketch import Point
from gough.poses import transform
from gough.robot.home.configuration import point
from gough.robot.mechanism import BASE, PLATFORM

if TYPE_CHECKING:
    from gough.robot.description import Robot


def robot_card(robot: Robot) -> str:
    """Return the card with the facts of its kind, and those that all robots have."""
    if legs := Counter(leg.kind for leg in robot.extensible_legs):
        listed = ", ".join(f"{count} {kind}" for kind, count in legs.items())
        title, rows = "hexapod", [("legs", listed, "")]
    else:
        freedoms = " ".join(getattr(robot.platform, "move_names", ()))
        size = f"{len(robot.listed_bodies)} and the platform, {len(robot.listed_joints)} joints"
        title, rows = "machine", [("degrees of freedom", freedoms, ""), ("bodies", size, "")]
        if branch := getattr(robot, "branch", None):
            rows.append(("branch", ", ".join(map(str, branch)), ""))
    place = ", ".join(number(x) for x in robot.platform.home.position)
    mass = ("platform", number(robot.platform.mass), "kg")
    known = Table.properties("", [*rows, *_actuators(robot), mass, ("home", place, "m")])
    words = "source and notes", " ".join(filter(None, (robot.reference, robot.notes)))
    picture = sketch(list(sketch_lines(robot)))
    return card(robot.name, title, known, folded=words, picture=picture)


def _actuators(robot: Robot) -> Iterator[tuple[str, str, str]]:
    """Number of actuators and their limits, rotary and linear ones separately."""
    for turns, name in ((True, "turning"), (False, "sliding")):
        alike = [a for a in robot.actuators if a.turns == turns]
        if not alike:
            continue
        (unit, force), size = (("deg", "N m"), degrees(1)) if turns else (("m", "N"), 1.0)
        ends = [size * end for a in alike if a.travel for end in a.travel]
        speeds = [size * a.max_speed for a in alike if a.max_speed]
        yield "actuators", f"{len(alike)} {name}", ""
        yield "travel", span(ends), unit
        yield "maximum effort", span(a.max_force for a in alike if a.max_force), force
        yield "maximum speed", span(speeds), f"{unit}/s"


def sketch_lines(robot: Robot) -> Iterator[SketchLine]:
    """Yield base, legs or other bodies, and platform at home, each by the centres of its joints."""
    tops = [point(transform(robot.home, leg.platform)) for leg in robot.extensible_legs]
    legs = [(leg.base, top) for leg, top in zip(robot.extensible_legs, tops, strict=True)]
    links = (*legs, *(_joints(robot, body.name) for body in robot.listed_bodies))
    yield SketchLine("base", (*(leg.base for leg in robot.extensible_legs), *_joints(robot, BASE)))
    yield from (SketchLine("leg", places) for places in links)
    yield SketchLine("platform", (*tops, *_joints(robot, PLATFORM)))


def _joints(robot: Robot, body: str) -> tuple[Point, ...]:
    return tuple(joint.at for joint in robot.listed_joints if joint.joins(body))
