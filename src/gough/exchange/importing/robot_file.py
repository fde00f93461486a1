"""Data of an imported machine in the form of a robot file: of a mechanism, or of a hexapod.

A hexapod has six UPS or SPS legs with driven slides.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.exchange.importing.file_machine import (
    FileBody,
    FileFreedom,
    FileJoint,
    FileMachine,
    in_axes,
)
from gough.exchange.importing.machine import SAME
from gough.exchange.importing.platform import PlatformFrame
from gough.fields.inertia import is_symmetric_about_z
from gough.poses import pose
from gough.poses.quaternions import of_rotation_vector, rotation_matrix
from gough.robot import BASE, PLATFORM
from gough.robot.records import FORCE_KEYS, LEGS, TRAVEL_KEYS

Facts = dict[str, Any]
_ROUNDING = 1e-14
"""Rounding error of sums and rotations in double precision, relative to the numbers in them."""
_ASKEW = 1e-3  # sine of the angle: what is nearer to the line of its leg is off it by rounding


def machine_facts(machine: FileMachine, platform: PlatformFrame) -> Facts:
    """Platform, bodies and joints; how the platform moves is left open."""
    names = _body_names(machine, platform)
    inner = ((names[k], x) for k, x in machine.bodies.items() if names[k] not in (BASE, PLATFORM))
    bodies = [{"name": name} | (_part(body, body.center) or {}) for name, body in inner]
    motors = sorted((j for j in machine.joints if j.motor is not None), key=lambda j: j.motor or 0)
    driven = iter(motors)  # in the order of the motors
    in_order = (joint if joint.motor is None else next(driven) for joint in machine.joints)
    joints = [_joint_facts(joint, names) for joint in in_order]
    facts = {"platform": _platform_facts(machine, platform), "bodies": bodies, "joints": joints}
    couplings = [
        {"name": c.name, "joints": c.joints, "coefficients": c.coefficients}
        for c in machine.couplings
    ]
    return facts | ({"couplings": couplings} if couplings else {})


def _platform_facts(machine: FileMachine, platform: PlatformFrame) -> Facts:
    """The platform's mass properties in its own frame, and that frame at home."""
    body, R, p = machine.bodies[platform.body], platform.place[:3, :3], platform.place[:3, 3]
    quaternion = pose([0, 0, 0], matrix=R)[3:]
    sign = -1.0 if quaternion[0] < 0.0 else 1.0
    return {
        "mass": number(body.mass),
        "center_of_mass": numbers(R.T @ (body.center - p) if body.mass else np.zeros(3)),
        "inertia": numbers(in_axes(R.T, body.inertia)),
        "home": {"position": numbers(p), "quaternion": numbers(sign * quaternion)},
    }


def _body_names(machine: FileMachine, platform: PlatformFrame) -> dict[str, str]:
    """Return the names of bodies: no other body may be called base or platform."""
    names = {key: key for key in machine.bodies}
    for key in names.keys() & {BASE, PLATFORM}:
        while names[key] in names:
            names[key] += "-body"
    return names | {machine.base: BASE, platform.body: PLATFORM}


def left_out_of(machine: FileMachine) -> Iterator[str]:
    """Yield the properties of degrees of freedom that the joints made of them have no place for."""
    for joint in machine.joints:
        for freedom in joint.freedoms:
            if freedom.armature and joint.type not in "RP":
                yield f"armature of {freedom.name}, {freedom.armature:.6g} kg m^2"
            if freedom.travel and joint.type in "US":
                yield f"range of joint {freedom.name}, a part of a joint of type {joint.type}"
        first = joint.freedoms[0] if len(joint.freedoms) > 1 and joint.type == "S" else None
        if first is not None and (first.resists or first.stiffness):
            yield f"that friction or springs of ball {joint.name} are those of three hinges"


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


def _joint_facts(joint: FileJoint, names: dict[str, str]) -> Facts:
    first, second = joint.between
    between, axes = [names[first], names[second]], [numbers(axis) for axis in joint.axes]
    lines = {"axes": axes} if joint.type == "U" else {"axis": axes[0]} if axes else {}
    facts = {"name": joint.name, "type": joint.type, "between": between, "at": numbers(joint.at)}
    return facts | lines | _other_facts(joint)


def _other_facts(joint: FileJoint) -> Facts:
    """Position at home, limits and friction, where the joint's type has them."""
    freedom = joint.freedoms[0]
    if joint.type == "C":
        return {TRAVEL_KEYS[f.kind]: _along(joint, f, f.travel) for f in joint.freedoms if f.travel}
    facts: Facts = {key: getattr(freedom, key) for key in ("damping", "friction", "stiffness")}
    if joint.type in "RP":
        facts["armature"] = freedom.armature
        if freedom.stiffness and (freedom.motor is not None or freedom.is_loaded):
            relaxed = number(freedom.relaxed)
            facts["spring"] = {"stiffness": facts.pop("stiffness"), "position": relaxed}
        facts["position_at_home"] = number(freedom.zero)
        facts[TRAVEL_KEYS[freedom.kind]] = freedom.travel
        if freedom.motor is not None:
            facts["driven"] = True
            facts[FORCE_KEYS[freedom.kind]] = freedom.max_effort
            facts["max_speed"] = freedom.max_speed
            if freedom.stop and freedom.travel:
                facts["stop"] = dict(zip(("stiffness", "restitution"), freedom.stop, strict=True))
    return {key: value for key, value in facts.items() if value}


def _along(joint: FileJoint, freedom: FileFreedom, travel: tuple[float, float]) -> list[float]:
    """The range from home along the axis of a joint, which may be against that of its freedom."""
    sign = 1.0 if freedom.axis @ joint.axes[0] > 0.0 else -1.0
    return sorted(sign * (position - freedom.zero) for position in travel)


@dataclass(frozen=True, eq=False)
class _Leg:
    """A leg's joints and bodies, from the base."""

    foot: FileJoint
    slide: FileJoint
    wrist: FileJoint
    cylinder: FileBody
    piston: FileBody

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


def straightened(machine: FileMachine, platform: PlatformFrame) -> FileMachine:
    """Return the configuration with SPS legs straightened where rounding bent them, with a remark.

    A leg of two balls spins about the line between them, which only a hexapod's leg leaves out.
    """
    for wrist in machine.joints_of(platform.body):
        leg = _leg(machine, platform, wrist)
        if leg is not None and leg.foot.type == "S" and leg.length > SAME * machine.size:
            machine = _with_straight(machine, leg)
    return machine


def _with_straight(machine: FileMachine, leg: _Leg) -> FileMachine:
    """Return the configuration with a leg turned about its foot: its slide comes onto its line."""
    along = leg.slide.axes[0]
    z = leg.way / leg.length * np.sign(along @ leg.way)
    turn = np.cross(along, z)
    askew = float(np.linalg.norm(turn))
    if not SAME < askew <= _ASKEW:
        return machine
    R = rotation_matrix(of_rotation_vector(turn / askew * np.arcsin(askew)))
    foot, bodies = leg.foot.at, dict(machine.bodies)
    for key in leg.slide.between:
        center, inertia = foot + R @ (bodies[key].center - foot), R @ bodies[key].inertia @ R.T
        bodies[key] = replace(bodies[key], center=center, inertia=inertia)
    straight = replace(leg.slide, freedoms=(replace(leg.slide.freedoms[0], axis=z),))
    joints = tuple(straight if joint is leg.slide else joint for joint in machine.joints)
    remark = f"that slide {leg.slide.name} is {askew:.2g} rad off the line of its leg"
    return machine.leaving_out(remark, bodies=bodies, joints=joints)


def hexapod_facts(machine: FileMachine, platform: PlatformFrame) -> Facts | None:
    """Platform and legs; None if the machine is no hexapod, or says more than its file can."""
    wrists = machine.joints_of(platform.body)
    legs = [_leg(machine, platform, wrist) for wrist in wrists]
    known = [leg for leg in legs if leg is not None and _fits(leg, machine.size)]
    counts = (len(known), len(wrists), len(machine.joints), len(machine.couplings))
    if counts != (LEGS, LEGS, 3 * LEGS, 0):
        return None
    known.sort(key=lambda leg: int(leg.slide.motor or 0))
    legs_facts = [_leg_facts(leg, platform) for leg in known]
    return {"platform": _platform_facts(machine, platform), "legs": legs_facts}


def _leg(machine: FileMachine, platform: PlatformFrame, wrist: FileJoint) -> _Leg | None:
    """The leg that ends in a joint of the platform, if it has a leg's joints."""
    found, bodies, body = [wrist], list[FileBody](), wrist.beyond(platform.body)
    while body != machine.base and len(found) < 3:
        bodies.append(machine.bodies[body])
        beyond = [joint for joint in machine.joints_of(body) if joint is not found[-1]]
        if len(beyond) != 1:
            return None
        found += beyond
        body = beyond[0].beyond(body)
    if body != machine.base or [joint.type for joint in found] not in (list("SPU"), list("SPS")):
        return None
    (wrist, slide, foot), (piston, cylinder) = found, bodies
    if foot.first != machine.base:  # its axes are in the order from there
        foot = replace(foot, between=foot.between[::-1], freedoms=foot.freedoms[::-1])
    return _Leg(foot, slide, wrist, cylinder, piston)


def _fits(leg: _Leg, size: float) -> bool:
    """Whether a hexapod's file can say all that is known of a leg."""
    slide = leg.slide.freedoms[0]
    more = slide.resists or slide.armature or slide.stiffness
    if slide.motor is None or more or leg.length <= SAME * size:
        return False
    if any(part.stiffness for joint in (leg.foot, leg.wrist) for part in joint.freedoms):
        return False
    z = leg.way / leg.length
    if np.linalg.norm(np.cross(leg.slide.axes[0], z)) > SAME:
        return False
    if leg.foot.type == "U":
        first, second = leg.foot.axes
        if max(abs(second @ first), abs(second @ z)) > SAME or abs(first @ z) > 1.0 - SAME:
            return False
    A, parts = leg.axes, (leg.cylinder, leg.piston)
    centers = [body.center - leg.foot.at for body in parts if body.mass]
    if any(np.linalg.norm(np.cross(center, z)) > SAME * size for center in centers):
        return False
    turned = (numbers(A @ body.inertia @ A.T) for body in parts)
    return leg.foot.type == "U" or all(map(is_symmetric_about_z, turned))  # type: ignore[arg-type]


def _leg_facts(leg: _Leg, platform: PlatformFrame) -> Facts:
    A, z = leg.axes, leg.axes[2]
    R, p = platform.place[:3, :3], platform.place[:3, 3]
    slide, stroke = leg.slide.freedoms[0], None
    if slide.travel is not None:  # shortest and longest length
        outward = leg.slide.first in leg.foot.between
        sign = 1.0 if (leg.slide.axes[0] @ leg.way > 0.0) == outward else -1.0
        lengths = [leg.length + sign * (position - slide.zero) for position in slide.travel]
        stroke = sorted(numbers(np.array(lengths)))
    friction = {
        f"{end}_{key}": getattr(freedom, key)
        for end, joint in (("base", leg.foot), ("platform", leg.wrist))
        for freedom in joint.freedoms[:1]
        for key in ("damping", "friction")
    }
    facts: Facts = {
        "kind": "UPS" if leg.foot.type == "U" else "SPS",
        "base": numbers(leg.foot.at),
        "platform": numbers(R.T @ (leg.wrist.at - p)),
        "first_axis": numbers(leg.foot.axes[0]) if leg.foot.axes else None,
        "cylinder": _part(leg.cylinder, (leg.cylinder.center - leg.foot.at) @ z, A),
        "piston": _part(leg.piston, (leg.wrist.at - leg.piston.center) @ z, A),
        "joint_friction": {key: value for key, value in friction.items() if value} or None,
        "stroke": stroke,
        "max_force": slide.max_effort,
        "max_speed": slide.max_speed,
    }
    return {key: value for key, value in facts.items() if value is not None}


def _part(body: FileBody, center: Array, axes: Array | None = None) -> Facts | None:
    """Mass properties, on other axes than the base's if these are given; None without any."""
    if body.massless:
        return None
    inertia = body.inertia if axes is None else in_axes(axes, body.inertia)
    found = numbers(center)
    return {"mass": number(body.mass), "center_of_mass": found, "inertia": numbers(inertia)}
