"""What a notebook shows of a robot: what it consists of, what it can do, and a drawing at home."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import degrees
from typing import TYPE_CHECKING, Any

from gough.poses import transform
from gough.robot.mechanism import BASE, PLATFORM
from gough.shown import Fact, Line, card, facts, folded, number, sketch, span
from gough.shown.sketch import Point

if TYPE_CHECKING:
    from gough.robot.description import Hexapod, Mechanism, Robot


def hexapod_card(robot: Hexapod) -> str:
    """Its legs, and what all robots have."""
    kinds = Counter(leg.kind for leg in robot.legs)
    legs = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return _card(robot, "hexapod", [Fact("legs", legs)], hexapod_lines(robot))


def mechanism_card(robot: Mechanism) -> str:
    """Its bodies and joints, and what all robots have."""
    listed = enumerate(robot.platform.moves, 1)
    moves = (move if isinstance(move, str) else f"u{k}" for k, move in listed)
    known = [
        Fact("freedoms", " ".join(moves)),
        Fact("bodies", f"{len(robot.bodies)} and the platform, {len(robot.joints)} joints"),
    ]
    return _card(robot, "machine", known, mechanism_lines(robot))


def _card(robot: Robot, kind: str, own: Iterable[Fact], lines: Iterable[Line]) -> str:
    place = ", ".join(number(x) for x in robot.platform.home.position)
    known = facts([*own, *_actuators(robot), Fact("platform", number(robot.platform.mass), "kg"),
                   Fact("home", place, "m")])  # fmt: skip
    words = " ".join(filter(None, (robot.reference, robot.notes)))
    source = folded("source and notes", words)
    return card(robot.name, kind, known, source, picture=sketch(list(lines)))


def _actuators(robot: Robot) -> Iterator[Fact]:
    """How many there are, and their limits: those that turn and those that slide apart."""
    for turns, name in ((True, "turning"), (False, "sliding")):
        alike = [a for a in robot.actuators if a.turns == turns]
        if not alike:
            continue
        (unit, force), size = (("deg", "N m"), degrees(1)) if turns else (("m", "N"), 1.0)
        ends = [size * end for a in alike if a.travel for end in a.travel]
        speeds = [size * a.max_speed for a in alike if a.max_speed]
        yield Fact("actuators", f"{len(alike)} {name}")
        yield Fact("travel", span(ends), unit)
        yield Fact("largest effort", span(a.max_force for a in alike if a.max_force), force)
        yield Fact("largest speed", span(speeds), f"{unit}/s")


def hexapod_lines(robot: Hexapod) -> Iterator[Line]:
    """Plates and legs at home."""
    bases = tuple(leg.base for leg in robot.legs)
    tips = tuple(_point(transform(robot.home, leg.platform)) for leg in robot.legs)
    yield Line("base", bases)
    yield from (Line("leg", ends) for ends in zip(bases, tips, strict=True))
    yield Line("platform", tips)


def mechanism_lines(robot: Mechanism) -> Iterator[Line]:
    """Of each body its joints, as they are at home."""
    joints = {
        name: tuple(joint.at for joint in robot.joints if name in joint.between)
        for name in (BASE, *(body.name for body in robot.bodies), PLATFORM)
    }
    yield Line("base", joints[BASE])
    yield from (Line("leg", joints[body.name]) for body in robot.bodies)
    yield Line("platform", joints[PLATFORM])


def _point(numbers: Any) -> Point:
    x, y, z = (float(number) for number in numbers)
    return x, y, z
