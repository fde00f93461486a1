"""Geometric parameters of legs after Khalil and Kleinfinger [Briot & Khalil 2021, Table 1].

Each joint with one degree of freedom has a frame: z along its axis, x along the common normal to
the axis of the joint that it carries first; at the end of a leg x points to the joint behind it.
From the frame of the joint before, the frame of a joint is reached by γ about z, b along z, α about
the common normal of both axes, d along it, θ about the joint's axis and r along it. Universal
joints are two hinges; those that close loops are left out.
"""

from dataclasses import dataclass
from math import degrees
from typing import ClassVar

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.display import Displayable, Table
from gough.equations.machine import Leg
from gough.equations.tree.joints import BASE
from gough.model import Kernels, machine_of, structure_of
from gough.model.kernels import kernels_of
from gough.robot import Robot
from gough.robot.legs.khalil_kleinfinger import JointParameters

_SIX = ("gamma", "b", "alpha", "d", "theta", "r")
_PARALLEL = 1e-9
"""Sine of an angle below which axes are parallel, and length [m] below which they meet."""


@dataclass(frozen=True)
class LegParameters(Displayable):
    """The Khalil–Kleinfinger parameters of all legs.

    >>> import gough
    >>> found = gough.kinematics.leg_parameters(gough.load("kalani-2016"))
    >>> round(found.legs[0][2].r, 3)  # length of the first leg at home [m]
    1.176
    """

    robot: Robot
    legs: tuple[tuple[JointParameters, ...], ...]
    """In SI units and radians, also as plain data."""

    result_kind: ClassVar = "Khalil–Kleinfinger parameters of its legs, at home"
    listed: ClassVar = "robot legs"

    def tables(self) -> list[Table]:
        """A table for each leg."""
        columns = "joint,before,motor,σ,γ [deg],b [m],α [deg],d [m],θ [deg],r [m]".split(",")
        numbered = enumerate(self.legs, start=1)
        return [Table.of(f"Leg {k}", columns, map(_row, leg)) for k, leg in numbered]


def leg_parameters(robot: Robot | Kernels) -> LegParameters:
    """Return the Khalil–Kleinfinger parameters of every leg in the home configuration.

    >>> import gough
    >>> found = gough.kinematics.leg_parameters(gough.load("delta"))
    >>> [joint.name for joint in found.legs[0]][:1]
    ['hip-1']
    """
    robot = kernels_of(robot).own_robot("leg_parameters")
    machine, names = machine_of(robot), iter(structure_of(robot).joints)
    axes = np.array(machine.frame_convention.axes)
    driven = set(machine.motors)
    legs = []
    for k, leg in enumerate(machine.legs):
        own = [next(names) for _ in leg.joints]
        frames = _frames(leg, axes)
        found = []
        for j, joint in enumerate(leg.joints):
            before = "" if joint.before == BASE else own[joint.before]
            facts = {"before": before, "driven": (k, j) in driven, "slides": not joint.turns}
            six = dict(zip(_SIX, _between(frames[joint.before], frames[j]), strict=True))
            found.append(JointParameters(name=own[j], **facts, **six))
        legs.append(tuple(found))
    return LegParameters(robot, tuple(legs))


@dataclass(frozen=True)
class _Frame:
    """A joint's axis at home and its frame, base axes."""

    origin: Array
    x: Array
    z: Array


def _frames(leg: Leg, axes: Array) -> dict[int, _Frame]:
    """Return the frames of a leg's joints, and of the base."""
    lines = {BASE: (np.eye(3), np.zeros(3))}
    for j, joint in enumerate(leg.joints):
        R, p = lines[joint.before]
        place = joint.placed(joint.position(ca.DM(joint.at_home)))
        lines[j] = R @ np.array(place.rotation), p + R @ np.array(place.origin).ravel()
    ends = {cut.link: np.array(cut.point).ravel() for cut in leg.cuts}
    frames = {BASE: _Frame(np.zeros(3), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]))}
    for j, joint in enumerate(leg.joints):
        R, p = lines[j]
        carried = next((c for c, other in enumerate(leg.joints) if other.before == j), None)
        last = frames[joint.before].x
        if carried is not None:
            S, q = lines[carried]
            origin, _, x = _common_normal(p, R[:, 2], q, S[:, 2], axes @ last)
        else:
            end = p + R @ ends.get(j, np.zeros(3))
            origin = p + R[:, 2] * ((end - p) @ R[:, 2])
            x = _across(end - origin, R[:, 2], axes @ last)
        frames[j] = _Frame(axes.T @ origin, axes.T @ x, axes.T @ R[:, 2])
    return frames


def _between(before: _Frame, frame: _Frame) -> tuple[float, ...]:
    """Return γ, b, α, d, θ, r from one frame to the next."""
    near, far, u = _common_normal(before.origin, before.z, frame.origin, frame.z, before.x)
    return (
        _angle(before.x, u, before.z),
        float((near - before.origin) @ before.z),
        _angle(before.z, frame.z, u),
        float((far - near) @ u),
        _angle(u, frame.x, frame.z),
        float((frame.origin - far) @ frame.z),
    )


def _common_normal(p: Array, a: Array, q: Array, b: Array, usual: Array) -> tuple[Array, ...]:
    """Feet on the lines p + s a and q + t b of their common normal, and its direction.

    Of parallel lines it is that through p; of one line twice, the `usual` direction.
    """
    n = np.cross(a, b)
    if np.linalg.norm(n) < _PARALLEL:
        foot = q + b * ((p - q) @ b)
        return p, foot, _across(foot - p, a, usual)
    s, t = np.linalg.lstsq(np.column_stack([a, -b]), q - p, rcond=None)[0]
    near, far = p + s * a, q + t * b
    backwards = (far - near) @ n < -_PARALLEL * np.linalg.norm(n)
    return near, far, (-n if backwards else n) / np.linalg.norm(n)


def _across(v: Array, z: Array, usual: Array) -> Array:
    """Direction of a vector across z; of one along z that of the usual one, or any."""
    for candidate in (v, usual, *np.eye(3)):
        across = candidate - z * (candidate @ z)
        if (size := np.linalg.norm(across)) > _PARALLEL:
            return np.asarray(across / size)
    raise AssertionError("one of three axes is across z")


def _angle(a: Array, b: Array, axis: Array) -> float:
    """Angle from a to b about an axis [rad]; one that is rounding beside π is zero."""
    found = float(np.arctan2(np.cross(a, b) @ axis, a @ b))
    return 0.0 if abs(found) < _PARALLEL else found


def _row(joint: JointParameters) -> tuple[object, ...]:
    first = (joint.name, joint.before or "base", "yes" if joint.driven else "", int(joint.slides))
    numbers = (getattr(joint, name) for name in _SIX)
    shown = (degrees(x) if k % 2 == 0 else x for k, x in enumerate(numbers))
    return (*first, *(round(x, 9) + 0.0 for x in shown))
