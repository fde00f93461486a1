"""Data of a hexapod from an imported configuration: six UPS or SPS legs with driven slides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.exchange.importing.drawing import (
    SAME,
    ImportedBody,
    ImportedDrawing,
    ImportedJoint,
    PlatformFrame,
)
from gough.exchange.importing.machine import Facts, number, numbers, platform_facts
from gough.fields.inertia import is_symmetric_about_z
from gough.poses.quaternions import of_rotation_vector, rotation_matrix
from gough.robot.records import LEGS

_ASKEW = 1e-3
"""Sine of the angle: what is nearer to the line of its leg is off it by rounding."""


@dataclass(frozen=True, eq=False)
class _Leg:
    """A leg's joints and bodies, from the base."""

    foot: ImportedJoint
    slide: ImportedJoint
    wrist: ImportedJoint
    cylinder: ImportedBody
    piston: ImportedBody

    @property
    def way(self) -> Array:
        """From base to platform joint, at home."""
        return np.asarray(self.wrist.at - self.foot.at)

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.way))

    @property
    def axes(self) -> Array:
        """The leg's x, y and z as rows; of an SPS leg x is any across it."""
        z = self.way / self.length
        first = self.foot.axes[0] if self.foot.axes else np.eye(3)[np.argmin(np.abs(z))]
        x = np.cross(first, z)
        x = x / np.linalg.norm(x)
        return np.array([x, np.cross(z, x), z])


def straightened(drawing: ImportedDrawing, platform: PlatformFrame) -> ImportedDrawing:
    """Return the configuration with SPS legs straightened where rounding bent them, with a remark.

    A leg of two balls spins about the line between them, which only a hexapod's leg leaves out.
    """
    for wrist in drawing.joints_of(platform.body):
        leg = _leg(drawing, platform, wrist)
        if leg is not None and leg.foot.type == "S" and leg.length > SAME * drawing.size:
            drawing = _with_straight(drawing, leg)
    return drawing


def _with_straight(drawing: ImportedDrawing, leg: _Leg) -> ImportedDrawing:
    """Return the configuration with a leg turned about its foot: its slide comes onto its line."""
    along = leg.slide.axes[0]
    z = leg.way / leg.length * np.sign(along @ leg.way)
    turn = np.cross(along, z)
    askew = float(np.linalg.norm(turn))
    if not SAME < askew <= _ASKEW:
        return drawing
    R = rotation_matrix(of_rotation_vector(turn / askew * np.arcsin(askew)))
    foot, bodies = leg.foot.at, drawing.bodies
    turned = {
        key: replace(
            bodies[key],
            center=foot + R @ (bodies[key].center - foot),
            inertia=R @ bodies[key].inertia @ R.T,
        )
        for key in leg.slide.between
    }
    straight = replace(leg.slide, axes=(z,))
    joints = tuple(straight if joint is leg.slide else joint for joint in drawing.joints)
    told = f"that slide {leg.slide.name} is {askew:.2g} rad off the line of its leg"
    left_out = (*drawing.left_out, told)
    return replace(drawing, bodies=bodies | turned, joints=joints, left_out=left_out)


def hexapod_facts(drawing: ImportedDrawing, platform: PlatformFrame) -> Facts | None:
    """Platform and legs; None if the machine is no hexapod, or says more than its file can."""
    wrists = drawing.joints_of(platform.body)
    legs = [_leg(drawing, platform, wrist) for wrist in wrists]
    known = [leg for leg in legs if leg is not None and _fits(leg, drawing.size)]
    if len(known) != LEGS or len(wrists) != LEGS or len(drawing.joints) != 3 * LEGS:
        return None
    known.sort(key=lambda leg: int(leg.slide.motor or 0))
    felt = drawing.bodies[platform.body]
    return {
        "platform": platform_facts(felt, platform),
        "legs": [_leg_facts(leg, platform) for leg in known],
    }


def _leg(drawing: ImportedDrawing, platform: PlatformFrame, wrist: ImportedJoint) -> _Leg | None:
    """The leg that ends in a joint of the platform, if it has a leg's joints."""
    found = [wrist]
    body = _other(wrist, platform.body)
    bodies = []
    while body != drawing.base and len(found) < 3:
        bodies.append(drawing.bodies[body])
        beyond = [joint for joint in drawing.joints_of(body) if joint is not found[-1]]
        if len(beyond) != 1:
            return None
        found += beyond
        body = _other(beyond[0], body)
    if body != drawing.base or [joint.type for joint in found] not in (list("SPU"), list("SPS")):
        return None
    (wrist, slide, foot), (piston, cylinder) = found, bodies
    return _Leg(_from(foot, drawing.base), slide, wrist, cylinder, piston)


def _other(joint: ImportedJoint, body: str) -> str:
    first, second = joint.between
    return second if first == body else first


def _from(joint: ImportedJoint, base: str) -> ImportedJoint:
    """A joint of the base with its axes in the order from there."""
    if joint.between[0] == base:
        return joint
    return ImportedJoint(joint.name, joint.type, joint.between[::-1], joint.at, joint.axes[::-1],
                 joint.freedoms[::-1])  # fmt: skip


def _fits(leg: _Leg, size: float) -> bool:
    """Whether a hexapod's file can say all that is known of a leg."""
    slide = leg.slide.freedoms[0]
    if leg.slide.motor is None or slide.damping or slide.friction or leg.length <= SAME * size:
        return False
    z = leg.way / leg.length
    if np.linalg.norm(np.cross(leg.slide.axes[0], z)) > SAME:
        return False
    if leg.foot.type == "U":
        first, second = leg.foot.axes
        if max(abs(second @ first), abs(second @ z)) > SAME or abs(first @ z) > 1.0 - SAME:
            return False
    on_axis = all(
        np.linalg.norm(np.cross(body.center - leg.foot.at, z)) <= SAME * size
        for body in (leg.cylinder, leg.piston)
        if body.mass
    )
    return on_axis and (leg.foot.type == "U" or _round(leg))


def _round(leg: _Leg) -> bool:
    """Whether its parts are symmetric about its axis."""
    A = leg.axes
    turned = (numbers(A @ body.inertia @ A.T) for body in (leg.cylinder, leg.piston))
    return all(is_symmetric_about_z(inertia) for inertia in turned)  # type: ignore[arg-type]


def _leg_facts(leg: _Leg, platform: PlatformFrame) -> Facts:
    A, z = leg.axes, leg.axes[2]
    R, p = platform.place[:3, :3], platform.place[:3, 3]
    slide = leg.slide.freedoms[0]
    facts: Facts = {
        "kind": "UPS" if leg.foot.type == "U" else "SPS",
        "base": numbers(leg.foot.at),
        "platform": numbers(R.T @ (leg.wrist.at - p)),
        "first_axis": numbers(leg.foot.axes[0]) if leg.foot.axes else None,
        "cylinder": _part(leg.cylinder, A, (leg.cylinder.center - leg.foot.at) @ z),
        "piston": _part(leg.piston, A, (leg.wrist.at - leg.piston.center) @ z),
        "joint_friction": _joint_friction(leg),
        "stroke": _stroke(leg),
        "max_force": slide.max_effort,
        "max_speed": slide.max_speed,
    }
    return {key: value for key, value in facts.items() if value is not None}


def _part(body: ImportedBody, axes: Array, along: float) -> Facts | None:
    if body.massless:
        return None
    inertia = axes @ body.inertia @ axes.T
    return {
        "mass": number(body.mass),
        "center_of_mass": number(along),
        "inertia": numbers((inertia + inertia.T) / 2.0),
    }


def _joint_friction(leg: _Leg) -> Facts | None:
    found: dict[str, Any] = {}
    for end, joint in (("base", leg.foot), ("platform", leg.wrist)):
        for freedom in joint.freedoms[:1]:
            found |= {f"{end}_damping": freedom.damping, f"{end}_friction": freedom.friction}
    return {key: value for key, value in found.items() if value} or None


def _stroke(leg: _Leg) -> list[float] | None:
    """Shortest and longest length, of the slide's travel."""
    freedom = leg.slide.freedoms[0]
    if freedom.travel is None:
        return None
    outward = leg.slide.between[0] in leg.foot.between
    sign = 1.0 if (leg.slide.axes[0] @ leg.way > 0.0) == outward else -1.0
    lengths = [leg.length + sign * (position - freedom.zero) for position in freedom.travel]
    return sorted(numbers(np.array(lengths)))
