"""A machine with its masses: of a geometry that was analysed, and of numbers or symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.mechanism.machine import Leg, Machine
from gough.equations.mechanism.tips import Rod, Tip
from gough.equations.spatial.algebra import Value
from gough.model.mechanism.drawing import Spinning
from gough.model.mechanism.mass import Mass, body_of, ten_numbers, weighted
from gough.model.mechanism.rods import refuse_asymmetric
from gough.robot import Mechanism
from gough.robot.mechanism import Body, MovingPlatform


@dataclass(frozen=True, eq=False)
class Masses:
    """What the equations want of a machine's masses, by the numbers of its bodies."""

    platform: Mass
    links: tuple[tuple[Mass, ...], ...]
    """By leg."""
    shared: tuple[tuple[Any, ...], ...]
    """By leg, of each of its tips [kg]: of rods."""
    ground: Array
    """∫ r dm of what was lent to the base [kg m]."""
    spinning: tuple[Spinning, ...]
    size: float
    """A length that is typical of the machine [m]."""


def numbers_of_bodies(mechanism: Mechanism) -> ca.DM:
    """The ten numbers of the platform and of each of the bodies."""
    bodies: tuple[MovingPlatform | Body, ...] = (mechanism.platform, *mechanism.bodies)
    return ca.vertcat(
        *(
            ten_numbers(ca.DM(b.mass), ca.DM(b.center_of_mass), ca.DM(np.array(b.inertia)))
            for b in bodies
        )
    )


def refuse_unsymmetric_bodies(masses: Masses, numbers: ca.DM) -> None:
    """Refuse bodies that spin freely about a line and are not symmetric about it."""
    for body in masses.spinning:
        refuse_asymmetric(body, np.array(numbers).ravel())


def weighed(machine: Machine, masses: Masses, gravity: Value, numbers: Value) -> Machine:
    """The same machine with these numbers of its bodies; gravity in base axes [m/s^2]."""
    legs = zip(machine.legs, masses.links, masses.shared, strict=True)
    ground = np.broadcast_to(masses.ground, (numbers.shape[0], 3))
    return replace(
        machine,
        gravity=machine.stance.axes @ gravity,
        platform=body_of(masses.platform, numbers, masses.size),
        legs=tuple(_leg(*leg, numbers, masses.size) for leg in legs),
        ground=weighted(ground, numbers, masses.size, (1, 1, 1)),
    )


def _leg(
    leg: Leg, links: Sequence[Mass], shared: Sequence[Any], numbers: Value, size: float
) -> Leg:
    pairs = zip(leg.joints, links, strict=True)
    joints = tuple(replace(j, body=body_of(mass, numbers, size)) for j, mass in pairs)
    tips = tuple(_tip(*pair, numbers, size) for pair in zip(leg.tips, shared, strict=True))
    return replace(leg, joints=joints, tips=tips)


def _tip(tip: Tip, shared: Any, numbers: Value, size: float) -> Tip:
    if not isinstance(tip, Rod):
        return tip
    column = np.broadcast_to(shared, numbers.shape[0])[:, None]
    return replace(tip, shared_mass=weighted(column, numbers, size, (0,)))
