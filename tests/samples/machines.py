"""Random machines and states for the tests of the equations: asymmetric, off-centre, any leg."""

from __future__ import annotations

import casadi as ca
import numpy as np

from gough.equations.legs.base_joint import BallBase, UniversalBase
from gough.equations.legs.extensible import ExtensibleLegs, Leg, RigidPart
from gough.model.hexapod_machine import hexapod_machine
from gough.model.structure import Center, DrivenJoint, LegStructure, Reaction, Structure

LIMITS = [-np.inf, *[np.inf] * 7, 0.0]
"""Of stroke, force, speed, power, bandwidth and both joints, and a radius: none is stated."""
ENCODER = [0.0, 1.0]
"""Offset and gain."""


def random_machine(rng, kinds=("UPS", "SPS"), count=6, matrix=ca.DM):
    """A machine of ordinary proportions without any symmetry; leg k is of kind k modulo `kinds`.

    Its numbers are CasADi's, for equations; where they are only read, NumPy's come far sooner.
    """
    platform = RigidPart(
        matrix(rng.uniform(1, 5)), matrix(0.2 * rng.normal(size=3)), matrix(random_inertia(rng))
    )
    legs = tuple(_random_leg(rng, k, kinds[k % len(kinds)], matrix) for k in range(count))
    gravity = 5 * rng.normal(size=3) + [0, 0, -9.81]
    return ExtensibleLegs(matrix(gravity), platform, legs)


def random_state(rng, speed=1.0):
    """Pose, twist, acceleration and wrench; the quaternion is not of length one."""
    position = [0, 0, 1.3] + 0.1 * rng.normal(size=3)
    quaternion = rng.uniform(0.5, 2) * np.concatenate([[1], 0.15 * rng.normal(size=3)])
    twist, acceleration, wrench = rng.normal(size=(3, 6))
    return np.concatenate([position, quaternion]), speed * twist, acceleration, 10 * wrench


def random_inertia(rng, scale=1.0):
    """The inertia of a cloud of points: symmetric, and every moment below the others' sum."""
    points = rng.normal(size=(4, 3))
    return scale * (np.sum(points**2) * np.eye(3) - points.T @ points)


def time_derivative(expression, pose, twist, acceleration):
    """d/dt of an expression of pose and twist along the motion that they describe."""
    w, v = pose[3], pose[4:7]
    omega = twist[3:6]
    quaternion_rate = 0.5 * ca.vertcat(-ca.dot(omega, v), w * omega + ca.cross(omega, v))
    pose_rate = ca.vertcat(twist[0:3], quaternion_rate)
    return ca.jtimes(expression, pose, pose_rate) + ca.jtimes(expression, twist, acceleration)


def _random_leg(rng, k, kind, matrix):
    angle = np.pi / 3 * k
    base = 1.2 * np.array([np.cos(angle), np.sin(angle), 0]) + 0.2 * rng.normal(size=3)
    turned = angle + 0.7
    platform = 0.6 * np.array([np.cos(turned), np.sin(turned), 0]) + 0.1 * rng.normal(size=3)
    axis = rng.normal(size=3)
    joint = UniversalBase(matrix(axis / np.linalg.norm(axis))) if kind == "UPS" else BallBase()
    parts = (_random_part(rng, kind, matrix), _random_part(rng, kind, matrix))
    return Leg(joint, matrix(base), matrix(platform), *parts)


def _random_part(rng, kind, matrix):
    inertia = random_inertia(rng, 0.05)
    if kind == "SPS":
        across = inertia[0, 0]
        inertia = np.diag([across, across, min(inertia[2, 2], 2 * across)])
    mass, center = rng.uniform(0.2, 2), rng.uniform(0.1, 0.6)
    return RigidPart(matrix(mass), matrix(center), matrix(inertia))


def parameters(machine):
    """A machine's numbers in the order of parametric kernels."""
    upper = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])

    def body(part):
        inertia = np.array(part.inertia)[upper]
        return [np.array(part.mass).ravel(), np.array(part.center_of_mass).ravel(), inertia]

    values = [np.array(machine.gravity).ravel(), *body(machine.platform)]
    values.append(np.array(machine.home).ravel())
    for leg in machine.legs:
        values += [np.array(leg.base).ravel(), np.array(leg.platform).ravel()]
        axis = leg.base_joint.first_axis
        values += [] if axis is None else [np.array(axis).ravel()]
        values += [*body(leg.cylinder), *body(leg.piston), LIMITS, ENCODER]
    return np.concatenate(values)


def no_limit(place):
    """Of machines that no file describes."""
    raise KeyError(place)


def as_machine(legs):
    """The machine of extensible legs, as all equations take it."""
    return hexapod_machine(legs, no_limit)


def structure_of_legs(legs):
    """The structure of extensible legs that no file describes."""
    kinds = [leg.base_joint.letter for leg in legs.legs]
    count = range(1, len(kinds) + 1)
    return Structure(
        tuple(LegStructure((kind, "P", "S"), (1,)) for kind in kinds),
        tuple(DrivenJoint(f"leg {k}", False) for k in count),
        joints=tuple(f"{joint}-{k}" for k in count for joint in ("hip.1", "hip.2", "slide")),
        motor_legs=tuple(f"leg {k}" for k in count),
        passive_groups=tuple(f"hip-{k + 1}" for k, kind in enumerate(kinds) if kind == "U"),
        centers=tuple(Center(str(k), ()) for k in range(4 * len(kinds))),
        tilts=tuple(f"{joint}-{k}" for k in count for joint in ("hip", "wrist")),
        bodies=("platform", *(f"{part}-{k}" for k in count for part in ("cylinder", "piston"))),
        reactions=tuple(Reaction(str(k), "base") for k in range(3 * len(kinds))),
        extensible=True,
    )
