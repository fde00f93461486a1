"""A machine with its masses: of a geometry that was analysed, and of numbers or symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.mechanism.description import Description
from gough.equations.mechanism.loads import Loads, RodMass
from gough.equations.mechanism.machine import Leg, Machine
from gough.equations.mechanism.points import Carrier, Spot
from gough.equations.mechanism.tips import Rod, Tip
from gough.equations.spatial.algebra import Value
from gough.model.mechanism.carriers import Carriers
from gough.model.mechanism.drawing import Spinning
from gough.model.mechanism.mass import Mass, body_of, ten_numbers, weighted
from gough.model.mechanism.rods import refuse_asymmetric
from gough.model.named_numbers import Numbers
from gough.robot import Mechanism


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
    places: Carriers
    carried: Mapping[Carrier, Mass]
    """True masses, before any was lent, with the ends of rods."""
    members: tuple[Mass, ...]
    rods: tuple[tuple[Any, Any, Any], ...]
    """Of each rod what is at its near end, at its far end, and shared [kg]."""


@dataclass(frozen=True)
class RigidBody:
    """A body of a description: mass [kg], mass centre [m] and inertia about it [kg m^2]."""

    mass: Value
    center: Value
    inertia: Value


def rigid_bodies(mechanism: Mechanism, numbers: Numbers) -> list[RigidBody]:
    """The platform in its own frame, and all bodies in base axes at home."""
    places = ["platform", *(f"bodies[{k}]" for k in range(len(mechanism.bodies)))]
    keys = ("mass", "center_of_mass", "inertia")
    return [RigidBody(*(numbers(f"{at}.{key}") for key in keys)) for at in places]


def refuse_unsymmetric_bodies(masses: Masses, bodies: Sequence[RigidBody]) -> None:
    """Refuse bodies that spin freely about a line and are not symmetric about it."""
    numbers = np.array(_numbers(bodies)).ravel()
    for body in masses.spinning:
        refuse_asymmetric(body, numbers)


def weighed(
    machine: Machine, masses: Masses, gravity: Value, bodies: Sequence[RigidBody]
) -> Machine:
    """The same machine with these bodies; gravity in base axes [m/s^2]."""
    numbers, size = _numbers(bodies), masses.size
    legs = zip(machine.legs, masses.links, masses.shared, strict=True)
    ground = np.broadcast_to(masses.ground, (numbers.shape[0], 3))
    return replace(
        machine,
        gravity=machine.stance.axes @ gravity,
        platform=body_of(masses.platform, numbers, size),
        legs=tuple(_leg(*leg, numbers, size) for leg in legs),
        ground=weighted(ground, numbers, size, (1, 1, 1)),
        description=_described(machine, masses, numbers, bodies),
    )


def _numbers(bodies: Sequence[RigidBody]) -> Value:
    return ca.vertcat(*(ten_numbers(body.mass, body.center, body.inertia) for body in bodies))


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
    return replace(tip, shared_mass=_number(shared, numbers, size))


def _number(mass: Any, numbers: Value, size: float) -> Value:
    """A mass that is a sum of the bodies' numbers [kg]."""
    return weighted(np.broadcast_to(mass, numbers.shape[0])[:, None], numbers, size, (0,))


def _described(
    machine: Machine, masses: Masses, numbers: Value, bodies: Sequence[RigidBody]
) -> Description:
    description, size = machine.description, masses.size
    return replace(
        description,
        loads=_loaded(description.loads, masses, numbers),
        bodies=_mass_centers(machine, masses.places, bodies),
        masses={c: body_of(mass, numbers, size) for c, mass in masses.carried.items()},
    )


def _loaded(loads: Loads, masses: Masses, numbers: Value) -> Loads:
    size = masses.size
    members = zip(loads.members, masses.members, strict=True)
    rods = zip(loads.rods, masses.rods, strict=True)
    return replace(
        loads,
        members=tuple(replace(m, body=body_of(mass, numbers, size)) for m, mass in members),
        rods=tuple(_rod(rod, parts, numbers, size) for rod, parts in rods),
    )


def _rod(rod: RodMass, parts: Sequence[Any], numbers: Value, size: float) -> RodMass:
    near, far, shared = (_number(part, numbers, size) for part in parts)
    return replace(rod, near=near, far=far, shared=shared)


def _mass_centers(
    machine: Machine, places: Carriers, bodies: Sequence[RigidBody]
) -> tuple[Spot, ...]:
    """Of the platform and of all bodies: given at home, the platform's in its own frame."""
    drawing, axes = places.drawing, machine.stance.axes
    own = ca.DM(drawing.position) + ca.DM(drawing.rotation) @ bodies[0].center
    centers = [own, *(axes @ body.center for body in bodies[1:])]
    pairs = zip(drawing.described.bodies, centers, strict=True)
    return tuple(places.mass_center(name, center) for name, center in pairs)
