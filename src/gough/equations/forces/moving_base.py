"""A machine on a base that moves: a vehicle, a ship, the shank of a humanoid.

Pose, twist and acceleration of the base are those of its origin in the world, in world axes; those
of the platform stay relative to the base and in base axes, as do the joints. So the loops close as
on a base at rest, and the mass matrix is the same: only forces, energy and momentum change. Every
body is accelerated with the base, by U_b r + 2 ω_b x v besides its own acceleration; gravity
turns back as the base turns.
"""

from dataclasses import replace

import casadi as ca

from gough.equations.closure.constraint_rows import CutRod
from gough.equations.machine import Leg, Machine
from gough.equations.spatial.algebra import Value, angular, linear, position, rotation
from gough.equations.tree import description as tree
from gough.equations.tree.bodies import NO_MASS, Body, MovingBase, Twist


def on_moving_base(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Machine:
    """Return the machine on a base with this pose, twist and acceleration in the world.

    Gravity of the robot file is then that of the world. Masses are the true ones, those at ends of
    rods on the base among them: what was lent moved likewise on a base at rest.
    """
    masses = _by_carrier(machine.description.loads)
    seen = replace(machine, description=replace(machine.description, masses=masses))
    R = rotation(pose) @ machine.frame_convention.axes.T
    base = MovingBase(
        position(pose),
        R,
        Twist(R.T @ linear(twist), R.T @ angular(twist)),
        Twist(R.T @ linear(acceleration), R.T @ angular(acceleration)),
    )
    gravity = rotation(pose).T @ (machine.frame_convention.axes.T @ machine.gravity)
    return replace(
        with_true_masses(seen),
        base=base,
        gravity=machine.frame_convention.axes @ gravity,
        ground=masses[tree.GROUND].ms,
        extensible=None,
    )


def with_true_masses(machine: Machine) -> Machine:
    """The machine before masses were lent, but for rods, which have them at their ends."""
    masses = machine.description.masses
    shared = {rod.closure: rod.shared for rod in machine.description.loads.rods}

    def weighed(number: int, leg: Leg) -> Leg:
        joints = tuple(
            replace(joint, body=masses.get(tree.LinkRef(number, k), NO_MASS))
            for k, joint in enumerate(leg.joints)
        )
        cuts = list(leg.cuts)
        for k, cut in enumerate(cuts):
            if isinstance(cut, CutRod):
                cuts[k] = replace(cut, shared_mass=shared[tree.Closure(number, k)])
        return replace(leg, joints=joints, cuts=tuple(cuts))

    legs = tuple(weighed(number, leg) for number, leg in enumerate(machine.legs))
    return replace(machine, legs=legs, platform=masses[tree.PLATFORM])


def _by_carrier(loads: tree.Loads) -> dict[tree.LinkRef, Body]:
    """All masses, the base's among them, by what carries them; of rods their ends."""
    found = {tree.GROUND: NO_MASS}
    ends = [
        end for rod in loads.rods for end in ((rod.near, rod.line.near), (rod.far, rod.line.far))
    ]
    points = [(p.carrier, Body(ca.SX(m), m * p.at, m * (p.at @ p.at.T))) for m, p in ends]
    for carrier, body in [*((member.carrier, member.body) for member in loads.members), *points]:
        old = found.get(carrier, NO_MASS)
        found[carrier] = Body(old.mass + body.mass, old.ms + body.ms, old.sigma + body.sigma)
    return found
