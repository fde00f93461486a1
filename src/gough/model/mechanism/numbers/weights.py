"""A machine with its masses: of a geometry that was analysed, and of numbers or symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.closure.constraint_rows import CutRod
from gough.equations.machine import Leg, Machine
from gough.equations.spatial.algebra import Value, tensor
from gough.equations.tree.bodies import Body
from gough.equations.tree.description import Description, LinkRef
from gough.fields.inertia import Triple
from gough.model.mechanism.home.drawing import Spinning
from gough.model.mechanism.home.rods import asymmetry
from gough.model.mechanism.legs.carriers import Carriers
from gough.model.mechanism.legs.frames import shared_together
from gough.model.mechanism.numbers.mass import (
    DEGREES,
    NOISE,
    NUMBERS,
    Mass,
    ten_numbers,
    units,
    weighted,
)
from gough.model.mechanism.numbers.traced import as_value, without_noise
from gough.model.named_numbers import Numbers
from gough.robot import PLATFORM, Mechanism

if TYPE_CHECKING:
    from gough.model.mechanism.reading import Draft

_SECOND_MOMENTS = np.diag([-1.0] * 6)  # ∫ r rᵀ dm = tr(J) / 2 - J, by six numbers each
_SECOND_MOMENTS[:3, :3] += 0.5


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses of a machine for the equations, as functions of the numbers of its bodies.

    Where the geometry is traced these masses are complete, and their numbers are None.
    """

    platform: Mass
    links: tuple[tuple[Mass, ...], ...]  # by leg
    shared: tuple[tuple[Any, ...], ...]  # by leg, of each of its cut joints [kg]: of rods
    ground: Array  # ∫ r dm of what was lent to the base [kg m]
    spinning: tuple[Spinning, ...]
    size: float  # a length that is typical of the machine [m]
    places: Carriers
    carried: Mapping[LinkRef, Mass]  # true masses, before any was lent, with the ends of rods
    members: tuple[Mass, ...]
    rods: tuple[Mapping[str, Any], ...]  # of each: at its near end, far end, and shared [kg]
    points: tuple[Triple, ...]
    """Reference point of each body's standard parameters [m]: of the platform in its own frame."""
    weight: float = 0.0  # mass of the machine [kg], where masses are complete
    standard: Array | None = None
    """The bodies' numbers (columns) by standard parameters, if masses are functions of these."""

    def body(self, mass: Mass, numbers: Value | None) -> Body:
        """A body of a machine with these numbers, without rounding errors."""
        count = () if numbers is None else numbers.shape[:1]
        ten = self.sums(mass.ten(*count), numbers, DEGREES)
        return Body(ten[0], ten[1:4], tensor(ten[4:10]))

    def sums(self, parts: Any, numbers: Value | None, degrees: Sequence[int] | Array) -> Value:
        """Return sums of the bodies' numbers, without rounding errors.

        `degrees` are the powers of a length in each of the sums: 0 of masses [kg], 1 of first
        moments [kg m], 2 of second ones.
        """
        if numbers is not None:
            columns = np.broadcast_to(parts, (numbers.shape[0], len(degrees)))
            columns = columns if self.standard is None else self.standard @ columns
            return weighted(columns, numbers, self.size, degrees)
        noise = NOISE * self.weight * self.size ** np.asarray(degrees, dtype=float)
        pairs = zip(np.broadcast_to(parts, len(degrees)), noise, strict=True)
        return as_value([without_noise(x, limit) for x, limit in pairs])

    def mass(self, part: object, numbers: Value | None) -> Value:
        """Return a mass that is a sum of the bodies' numbers [kg]."""
        return self.sums(np.asarray(part)[..., None], numbers, (0,))


def masses_of(
    draft: Draft,
    turning: str,
    members: tuple[Mass, ...],
    points: tuple[Triple, ...],
    drawn: Draft | None = None,
    weight: float = 0.0,
) -> Masses:
    """Return a draft's masses for the equations; rigid units are found on its `drawn` one."""
    drawing, held, carriers = draft.drawing, draft.held, draft.carriers
    ground = sum((part.ground for part in draft.parts), drawing.ground).ms
    shared = [[cut.shared_mass for cut in tree.cuts] for tree in draft.trees]
    if turning == "none":
        pairs = zip((drawn or draft).parts, draft.trees, strict=True)
        together = [shared_together(part.leg, tree) for part, tree in pairs]
        shared = [masses for masses, _ in together]
        ground = sum((missing for _, missing in together), ground)
    lent = sum((part.platform for part in draft.parts), drawing.bodies[PLATFORM])
    return Masses(
        lent.seen_in(held.axes, held.origin),
        tuple(tuple(part.links) for part in draft.parts),
        tuple(map(tuple, shared)),
        ground,
        drawing.spinning,
        drawing.size,
        carriers,
        {
            carriers.carrier(body): carriers.seen_by(carriers.carrier(body), mass)
            for body, mass in draft.masses.items()
        },
        members,
        tuple(rod.masses for rod in carriers.rods.values()),
        points,
        weight,
    )


class RigidBody(NamedTuple):
    """A body of a description: mass [kg], mass centre [m] and inertia about it [kg m^2]."""

    mass: Value
    center: Value
    inertia: Value


def rigid_bodies(mechanism: Mechanism, numbers: Numbers) -> list[RigidBody]:
    """The platform in its own frame, and all bodies in base axes at home."""
    places = ["platform", *(f"bodies[{k}]" for k in range(len(mechanism.bodies)))]
    keys = ("mass", "center_of_mass", "inertia")
    return [RigidBody(*(numbers(f"{at}.{key}") for key in keys)) for at in places]


def asymmetries(masses: Masses, bodies: Sequence[RigidBody]) -> dict[str, str]:
    """Return how bodies that spin freely about a line are not symmetric about it, by name."""
    numbers = np.array(_numbers(bodies)).ravel()
    line = "the line between its ball joints, about which it spins freely"
    found = ((body.name, asymmetry(body, numbers)) for body in masses.spinning)
    return {name: f"{name}: {problem} {line}" for name, problem in found if problem is not None}


def weighed(
    machine: Machine,
    masses: Masses,
    gravity: Value,
    bodies: Sequence[RigidBody],
    with_bodies: Callable[[Value], Machine] | None = None,
) -> Machine:
    """Return a machine with these bodies; gravity in base axes [m/s^2].

    For complete masses, `with_bodies` makes the machine of other standard parameters.
    """
    pulled = replace(machine, gravity=machine.frame_convention.axes @ gravity)
    numbers = _numbers(bodies) if with_bodies is None else None
    made = with_bodies or (lambda standard: loaded_with(pulled, by_standard(masses), standard))
    described = _described(machine, masses, numbers, bodies)
    return replace(loaded_with(pulled, masses, numbers), description=described, with_bodies=made)


def loaded_with(machine: Machine, masses: Masses, numbers: Value | None) -> Machine:
    """The machine with all masses that move it, from the numbers that they are linear in."""
    legs = zip(machine.legs, masses.links, masses.shared, strict=True)
    return replace(
        machine,
        platform=masses.body(masses.platform, numbers),
        legs=tuple(_leg(masses, *leg, numbers) for leg in legs),
        ground=masses.sums(masses.ground, numbers, (1, 1, 1)),
    )


def _numbers(bodies: Sequence[RigidBody]) -> Value:
    return ca.vertcat(*(ten_numbers(*body) for body in bodies))


def _leg(
    masses: Masses, leg: Leg, links: Sequence[Mass], shared: Sequence[object], numbers: Value | None
) -> Leg:
    pairs, ends = zip(leg.joints, links, strict=True), zip(leg.cuts, shared, strict=True)
    joints = tuple(replace(j, body=masses.body(mass, numbers)) for j, mass in pairs)
    cuts = tuple(
        replace(cut, shared_mass=masses.mass(x, numbers)) if isinstance(cut, CutRod) else cut
        for cut, x in ends
    )
    return replace(leg, joints=joints, cuts=cuts)


def _described(
    machine: Machine, masses: Masses, numbers: Value | None, bodies: Sequence[RigidBody]
) -> Description:
    loads = machine.description.loads
    heavy = zip(loads.members, masses.members, strict=True)
    members = [replace(member, body=masses.body(mass, numbers)) for member, mass in heavy]
    rods = [
        replace(rod, **dict[str, Any]((end, masses.mass(x, numbers)) for end, x in parts.items()))
        for rod, parts in zip(loads.rods, masses.rods, strict=True)
    ]
    drawing, axes = masses.places.drawing, machine.frame_convention.axes
    own = as_value(drawing.position) + ca.DM(drawing.rotation) @ bodies[0].center
    centers = [own, *(axes @ body.center for body in bodies[1:])]
    pairs = zip(drawing.described.bodies, centers, strict=True)
    return replace(
        machine.description,
        loads=replace(loads, members=tuple(members), rods=tuple(rods)),
        bodies=tuple(masses.places.mass_center(name, center) for name, center in pairs),
        masses={c: masses.body(mass, numbers) for c, mass in masses.carried.items()},
    )


def by_standard(masses: Masses) -> Masses:
    """Return the masses as functions of standard parameters in place of the bodies' numbers."""
    from scipy.linalg import block_diag  # noqa: PLC0415  (slow to import)

    return replace(masses, standard=block_diag(*map(_numbers_about, masses.points)).T)


def _numbers_about(point: Sequence[float]) -> Array:
    """A body's numbers by its standard parameters about a point (10x10)."""
    standard = np.eye(NUMBERS)
    standard[4:, 4:] = _SECOND_MOMENTS
    (unit,) = units(1)
    shifted = unit.seen_from(np.eye(3), np.array(point)).ten(NUMBERS)
    return np.asarray(shifted.T @ standard)
