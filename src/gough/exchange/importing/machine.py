"""Data of a mechanism from an imported configuration, in the form of a robot file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.exchange.importing.drawing import (
    ImportedBody,
    ImportedDrawing,
    ImportedJoint,
    PlatformFrame,
)
from gough.exchange.importing.tree import FileFreedom
from gough.poses import pose
from gough.robot.mechanism import BASE, PLATFORM
from gough.robot.records import FORCE_KEYS, TRAVEL_KEYS

Facts = dict[str, Any]
_ROUNDING = 1e-14
"""Rounding error of sums and rotations in double precision, relative to the numbers in them."""


def machine_facts(drawing: ImportedDrawing, platform: PlatformFrame) -> Facts:
    """Platform, bodies and joints; how the platform moves is left open."""
    names = _body_names(drawing, platform)
    bodies = [
        _body_facts(names[key], body)
        for key, body in drawing.bodies.items()
        if names[key] not in (BASE, PLATFORM)
    ]
    joints = [_joint_facts(joint, names) for joint in _in_order(drawing.joints)]
    felt = drawing.bodies[platform.body]
    return {"platform": platform_facts(felt, platform), "bodies": bodies, "joints": joints}


def platform_facts(body: ImportedBody, platform: PlatformFrame) -> Facts:
    """The platform's mass properties in its own frame, and that frame at home."""
    R, p = platform.place[:3, :3], platform.place[:3, 3]
    quaternion = pose([0, 0, 0], matrix=R)[3:]
    sign = -1.0 if quaternion[0] < 0.0 else 1.0
    inertia = R.T @ body.inertia @ R
    return {
        "mass": number(body.mass),
        "center_of_mass": numbers(R.T @ (body.center - p) if body.mass else np.zeros(3)),
        "inertia": numbers((inertia + inertia.T) / 2.0),
        "home": {"position": numbers(p), "quaternion": numbers(sign * quaternion)},
    }


def _body_names(drawing: ImportedDrawing, platform: PlatformFrame) -> dict[str, str]:
    """Return the names of bodies: no other body may be called base or platform."""
    taken = {drawing.base: BASE, platform.body: PLATFORM}
    names = {key: key for key in drawing.bodies}
    for key in (BASE, PLATFORM):
        while key in drawing.bodies and names[key] in (BASE, PLATFORM, *names.keys()):
            names[key] += "-body"
    return names | taken


def left_out_of(drawing: ImportedDrawing) -> Iterator[str]:
    """Yield the properties of degrees of freedom that the joints made of them have no place for."""
    for joint in drawing.joints:
        for freedom in joint.freedoms:
            if freedom.travel and joint.type in "US":
                yield f"range of joint {freedom.name}, a part of a joint of type {joint.type}"
            if joint.type == "C" and (freedom.damping or freedom.friction):
                yield f"friction of joint {freedom.name}, a part of a cylindrical joint"
        if joint.type == "S" and len(joint.freedoms) > 1 and any(_resistance(joint.freedoms[0])):
            yield f"that the friction of ball {joint.name} is that of three hinges"


def numbers(values: Array) -> list[Any]:
    """Values without what rounding has left of zeros, and of decimals of up to 12 digits."""
    array = np.asarray(values, float)
    size = float(np.abs(array).max(initial=0.0))
    short = np.vectorize(lambda x: float(f"{x:.12g}"), otypes=[float])(array)
    tidy = np.where(np.abs(short - array) <= _ROUNDING * np.abs(array), short, array)
    found: list[Any] = np.where(np.abs(tidy) <= _ROUNDING * size, 0.0, tidy).tolist()
    return found


def number(value: float) -> float:
    """Return one number without rounding error."""
    return float(numbers(np.array([value]))[0])


def _body_facts(name: str, body: ImportedBody) -> Facts:
    if body.massless:
        return {"name": name}
    return {
        "name": name,
        "mass": number(body.mass),
        "center_of_mass": numbers(body.center),
        "inertia": numbers(body.inertia),
    }


def _in_order(joints: tuple[ImportedJoint, ...]) -> list[ImportedJoint]:
    """The joints, those with motors in the order of the motors."""
    driven = iter(
        sorted((j for j in joints if j.motor is not None), key=lambda j: int(j.motor or 0))
    )
    return [joint if joint.motor is None else next(driven) for joint in joints]


def _joint_facts(joint: ImportedJoint, names: dict[str, str]) -> Facts:
    first, second = joint.between
    facts: Facts = {
        "name": joint.name,
        "type": joint.type,
        "between": [names[first], names[second]],
        "at": numbers(joint.at),
    }
    axes = [numbers(axis) for axis in joint.axes]
    if axes:
        facts |= {"axes": axes} if joint.type == "U" else {"axis": axes[0]}
    return facts | _other_facts(joint)


def _other_facts(joint: ImportedJoint) -> Facts:
    """Position at home, limits and friction, where the joint's type has them."""
    if not joint.freedoms:
        return {}
    freedom = joint.freedoms[0]
    if joint.type == "C":
        return dict(_cylindrical_limits(joint))
    facts: Facts = dict(zip(("damping", "friction"), _resistance(freedom), strict=True))
    if joint.type in "RP":
        facts["position_at_home"] = number(freedom.zero)
        facts[TRAVEL_KEYS[freedom.kind]] = freedom.travel
        if freedom.motor is not None:
            facts["driven"] = True
            facts[FORCE_KEYS[freedom.kind]] = freedom.max_effort
            facts["max_speed"] = freedom.max_speed
    return {key: value for key, value in facts.items() if value}


def _cylindrical_limits(joint: ImportedJoint) -> Iterator[tuple[str, tuple[float, float]]]:
    for freedom in joint.freedoms:
        if freedom.travel:
            low, high = freedom.travel
            yield TRAVEL_KEYS[freedom.kind], (low - freedom.zero, high - freedom.zero)


def _resistance(freedom: FileFreedom) -> tuple[float, float]:
    return freedom.damping, freedom.friction
