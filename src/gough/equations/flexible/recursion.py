"""Motion outwards and forces inwards, along a tree of links that may bend.

The recursion of Luh, Walker and Paul (1980), with the elastic coordinates of each link as further
freedoms before the joints at its end [after Boyer & Coiffet 1996; Briot & Khalil 2015, ch. 12].
Every vector is in its own link's axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.flexible.ends import End
from gough.equations.flexible.machine import BASE, Machine, Spot
from gough.equations.flexible.shapes import deformed, elastic_inertia
from gough.equations.mechanism.bodies import ZERO, BodyMotion, Force, inertial_force
from gough.equations.spatial.algebra import Value, angular, cross, linear


def forces(machine: Machine, z: Value, rate: Value, second: Value, wrench: Value) -> Value:
    """What moves a machine that no joint closes, by coordinate [N m, N, SI]: inverse dynamics.

    A wrench [N, N m] acts on the platform, at its origin and in base axes.
    """
    tree = Tree.of(machine, z)
    motions = _motions(machine, tree, rate, second)
    needed, bending = _inertia(machine, tree, motions, rate, second)
    load = tree.in_frame(machine.platform, wrench)
    _add(needed, bending, tree, machine.platform, Force(-linear(load), -angular(load)))
    for k in reversed(range(len(machine.links))):
        link = machine.links[k]
        _add(needed, bending, tree, link.carrier, link.joint.passed_on(tree.q[k], needed[k]))
    efforts = [machine.links[k].joint.along(needed[k]) for k in machine.joints]
    return ca.vertcat(*efforts, *(bending[k] for k, _, _ in machine.elastic))


@dataclass(frozen=True)
class Tree:
    """A tree at coordinates z."""

    q: dict[int, Value]
    """By link, the position of its joint [rad, m] from home."""
    eta: dict[int, Value]
    """By link that bends, its elastic coordinates."""
    ends: dict[int, End]
    frames: dict[int, tuple[Value, Value]]
    """Rotation to base axes and origin [m] of every link, the base among them."""

    @classmethod
    def of(cls, machine: Machine, z: Value) -> Tree:
        """Its joints and ends, from the base outwards."""
        q, eta = machine.parted(z)
        tree = cls({}, eta, {}, {BASE: (ca.DM.eye(3), ZERO)})
        for k, link in enumerate(machine.links):
            tree.q[k] = x = q[k] - link.joint.at_home if k in q else ca.DM.zeros(1)
            R, p = tree.placed(link.carrier)
            tree.frames[k] = R @ link.joint.turn(x), p + R @ link.joint.way(x)
            if link.shapes is not None:
                tree.ends[k] = End.of(link.shapes, eta[k])
        return tree

    def placed(self, spot: Spot) -> tuple[Value, Value]:
        """Rotation to base axes, and place [m] in the base frame, of a spot."""
        R, p = self.frames[spot.link]
        if spot.at_end:
            end = self.ends[spot.link]
            R, p = R @ end.rotation, p + R @ end.place
        return R, p + R @ spot.place

    def in_frame(self, spot: Spot, wrench: Value) -> Value:
        """A wrench in base axes, in those of a spot."""
        R, _ = self.placed(spot)
        return ca.vertcat(R.T @ linear(wrench), R.T @ angular(wrench))


def _motions(machine: Machine, tree: Tree, rate: Value, second: Value) -> dict[int, BodyMotion]:
    """Each link's motion, from the base, which is one of them, outwards."""
    (q_dot, eta_dot), (q_ddot, eta_ddot) = machine.parted(rate), machine.parted(second)
    motions = {BASE: BodyMotion(ZERO, ZERO, -machine.gravity)}
    for k, link in enumerate(machine.links):
        on = link.carrier
        held = motions[on.link]
        if on.at_end:
            held = tree.ends[on.link].carried(held, eta_dot[on.link], eta_ddot[on.link])
        held = BodyMotion(held.omega, held.omega_dot, held.v_dot + held.U @ on.place)
        motions[k] = link.joint.carried(tree.q[k], held, q_dot.get(k), q_ddot.get(k))
    return motions


def _inertia(
    machine: Machine, tree: Tree, motions: dict[int, BodyMotion], rate: Value, second: Value
) -> tuple[dict[int, Force], dict[int, Value]]:
    """What every link needs to move and to stay bent as it is, by itself."""
    (_, eta_dot), (_, eta_ddot) = machine.parted(rate), machine.parted(second)
    needed, bending = {}, {}
    for k, link in enumerate(machine.links):
        if link.shapes is None:
            needed[k] = inertial_force(link.body, motions[k])
            continue
        eta = tree.eta[k]
        bent = deformed(link.body, link.shapes, eta)
        more, inertia = elastic_inertia(link.shapes, motions[k], eta, eta_dot[k], eta_ddot[k])
        needed[k] = inertial_force(bent, motions[k]) + more
        bending[k] = inertia + link.shapes.stiffness @ eta + link.shapes.damping @ eta_dot[k]
    return needed, bending


def _add(
    needed: dict[int, Force], bending: dict[int, Value], tree: Tree, spot: Spot, force: Force
) -> None:
    """Let a link bear a force on a spot of it, in the spot's axes."""
    if spot.link == BASE:
        return
    force = Force(force.f, force.n + cross(spot.place, force.f))
    if spot.at_end:
        force, on_eta = tree.ends[spot.link].passed_on(force)
        bending[spot.link] += on_eta
    needed[spot.link] += force
