"""The data of a robot file, of what stands in a file that Gough wrote."""

from __future__ import annotations

from typing import Any

from gough.exchange.importing.own.written import Facts, Frame, Step, WrittenFile, floats
from gough.exchange.tree.decimals import Point, difference, scaled
from gough.exchange.tree.spanning import POINTS_APART
from gough.robot.mechanism import PLATFORM
from gough.robot.reading import merged
from gough.robot.records import FORCE_KEYS, LEGS

_TYPES = {
    ("hinge",): "R",
    ("slide",): "P",
    ("ball",): "S",
    ("hinge", "hinge"): "U",
    ("hinge", "slide"): "C",
    ("hinge", "hinge", "hinge"): "S",
}


def rebuilt(file: WrittenFile) -> Facts:
    """The data of a hexapod, or of a machine of any kind."""
    facts = dict(file.facts["robot"])
    if file.gravity is not None:
        facts["gravity"] = file.gravity
    body = file.inertials[PLATFORM]
    platform = {
        "mass": body.mass,
        "center_of_mass": floats(body.center),
        "inertia": body.inertia,
        **({"home": file.home} if file.home else {}),
        **facts.pop("platform", {}),
    }
    if facts["schema"] == "gough/1":
        legs = [_leg(file, k) for k in range(1, LEGS + 1)]
        return {**facts, "platform": platform, "legs": legs}
    bodies = [_body(file, name) for name in facts.pop("bodies", [])]
    joints = [_joint(file, name) for name in facts.pop("joints")]
    return {**facts, "platform": platform, "bodies": bodies, "joints": joints}


def _leg(file: WrittenFile, k: int) -> Facts:
    slide = file.steps[f"slide-{k}"].facts
    wrist = _local(file, f"wrist-{k}", PLATFORM)
    base = file.place(file.frames[f"cylinder-{k}"])
    assert base is not None
    leg: Facts = {
        "kind": "SPS" if f"hip-{k}" in file.steps or f"hip-{k}.x" in file.steps else "UPS",
        "base": floats(base),
        "platform": floats(wrist),
        "cylinder": _part(file, f"cylinder-{k}", 1.0),
        "piston": _part(file, f"piston-{k}", -1.0),
        "stroke": slide.get("stroke"),
        "max_force": slide.get("max_effort"),
        "max_speed": slide.get("max_speed"),
    }
    if f"hip-{k}.base" in file.axes and leg["kind"] == "UPS":
        leg["first_axis"] = file.axes[f"hip-{k}.base"]
    beside = merged(file.facts.get("leg", {}), file.facts.get(f"leg {k}", {}))
    given = {key: value for key, value in leg.items() if value is not None}
    return merged(given, beside)


def _local(file: WrittenFile, joint: str, body: str) -> Point:
    """Where a joint is in a body's frame."""
    if f"{joint}.{body}" in file.frames:
        return file.frames[f"{joint}.{body}"].position
    return _steps(file, joint)[-1].place.position


def _part(file: WrittenFile, name: str, sign: float) -> Facts:
    body = file.inertials[name]
    along = sign * float(body.center[2]) + 0.0
    return {"mass": body.mass, "center_of_mass": along, "inertia": body.inertia}


def _body(file: WrittenFile, name: str) -> Facts:
    body = file.inertials[name]
    center = file.place(Frame(name, body.center))
    facts = {"name": name, "mass": body.mass, "inertia": body.inertia}
    facts |= {"center_of_mass": floats(center)} if center else {}
    return facts | file.facts.get(f"body {name}", {})


def _steps(file: WrittenFile, joint: str) -> list[Step]:
    """What a joint of the tree consists of; none if it closes a loop."""
    names = (joint, *(f"{joint}.{part}" for part in "12xyz"))
    return [file.steps[name] for name in names if name in file.steps]


def _joint(file: WrittenFile, name: str) -> Facts:
    beside = file.facts.get(f"joint {name}", {})
    if "type" in beside:
        return {"name": name, **beside}
    steps = _steps(file, name)
    facts = _hung(file, name, steps) if steps else _closing(file, name)
    return facts | beside


def _hung(file: WrittenFile, name: str, steps: list[Step]) -> Facts:
    first, last = steps[0], steps[-1]
    above, below = first.bodies[0], last.bodies[1]
    places = (file.frames.get(f"{name}.{above}"), last.place)
    at = next(p for frame in places if frame and (p := file.place(frame)) is not None)
    if name in file.closures:  # beyond it a body that is welded to where the joint belongs
        below = file.body(file.closures[name][1])
    type_ = _TYPES[tuple(step.kind for step in steps)]
    axes = [list(step.axis) for step in steps]
    named = {"U": {"axes": axes}, "S": {}}.get(type_, {"axis": axes[0]})
    facts = {"name": name, "type": type_, "between": [above, below], "at": floats(at), **named}
    return facts | _of_steps(steps)


def _closing(file: WrittenFile, name: str) -> Facts:
    """A joint that closes a loop: a ball, or a hinge with a second point on its axis."""
    frames = file.closures[name]
    pair = [file.body(frame) for frame in frames]
    places = [file.place(file.frames[frame]) for frame in frames]
    at = next(place for place in places if place is not None)
    facts: dict[str, Any] = {"name": name, "type": "S", "between": pair, "at": floats(at)}
    if f"{name}.axis" in file.closures:
        ends = zip(file.closures[f"{name}.axis"], frames, strict=True)
        ways = [
            difference(file.frames[far].position, file.frames[near].position)
            for far, near in ends
            if file.place(file.frames[far]) is not None
        ]
        facts |= {"type": "R", "axis": floats(scaled(ways[0], -POINTS_APART))}
    return facts


def _of_steps(steps: list[Step]) -> Facts:
    facts: Facts = {}
    for step in steps:
        facts |= step.facts
    effort = facts.pop("max_effort", None)
    if effort is not None:
        facts[FORCE_KEYS[steps[0].kind]] = effort
    return facts
