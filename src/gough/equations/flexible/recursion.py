"""Motion outwards and forces inwards, along a tree of links that may bend.

The recursion of Luh, Walker and Paul (1980), with the elastic coordinates of each link as further
freedoms before the joints at its end [after Boyer & Coiffet 1996; Briot & Khalil 2015, ch. 12].
Every vector is in its own link's axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.flexible.ends import End
from gough.equations.flexible.machine import BASE, Link, Machine, Spot
from gough.equations.flexible.shapes import deformed, elastic_inertia
from gough.equations.mechanism.bodies import ZERO, BodyMotion, Force, inertial_force
from gough.equations.spatial.algebra import Value, angular, cross, linear, skew


def forces(machine: Machine, z: Value, rate: Value, second: Value, wrench: Value) -> Value:
    """What moves a machine that no joint closes, by coordinate [N m, N, SI]: inverse dynamics.

    A wrench [N, N m] acts on the platform, at its origin and in base axes.
    """
    tree = Tree.of(machine, z)
    (_, eta), (q_dot, eta_dot), (q_ddot, eta_ddot) = map(machine.parted, (z, rate, second))
    motions = {BASE: BodyMotion(ZERO, ZERO, -machine.gravity)}
    for k, link in enumerate(machine.links):
        on = link.carrier
        held = motions[on.link]
        if on.at_end:
            held = tree.ends[on.link].carried(held, eta_dot[on.link], eta_ddot[on.link])
        held = BodyMotion(held.omega, held.omega_dot, held.v_dot + held.U @ on.place)
        motions[k] = _carried(link, tree.turns[k], held, q_dot.get(k), q_ddot.get(k), tree.slid[k])
    needed, bending = _inertia(machine, motions, eta, eta_dot, eta_ddot)
    load = tree.in_frame(machine.platform, wrench)
    _add(needed, bending, tree, machine.platform, Force(-linear(load), -angular(load)))
    efforts = {}
    for k in reversed(range(len(machine.links))):
        link, force = machine.links[k], needed[k]
        efforts[k] = ca.dot(link.axis, force.n if link.kind == "hinge" else force.f)
        f = tree.turns[k] @ force.f
        back = Force(f, tree.turns[k] @ force.n + cross(tree.slid[k], f))
        _add(needed, bending, tree, link.carrier, back)
    rows = [efforts[k] for k in machine.joints]
    return ca.vertcat(*rows, *(bending[k] for k, _, _ in machine.elastic))


@dataclass(frozen=True)
class Tree:
    """A tree at coordinates z."""

    turns: dict[int, Value]
    """By link, the rotation of its joint."""
    slid: dict[int, Value]
    """By link, the way of its joint, in the carrier's axes."""
    ends: dict[int, End]
    frames: dict[int, tuple[Value, Value]]
    """Rotation to base axes and origin [m] of every link, the base among them."""

    @classmethod
    def of(cls, machine: Machine, z: Value) -> Tree:
        """Its joints and ends, from the base outwards."""
        q, eta = machine.parted(z)
        tree = cls({}, {}, {}, {BASE: (ca.DM.eye(3), ZERO)})
        for k, link in enumerate(machine.links):
            x = q[k] - link.at_home if link.moves else 0.0
            tree.turns[k] = _turned(link.axis, x) if link.kind == "hinge" else ca.DM.eye(3)
            tree.slid[k] = link.axis * x if link.kind == "slide" else ZERO
            R, p = tree.placed(link.carrier)
            tree.frames[k] = R @ tree.turns[k], p + R @ tree.slid[k]
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


def _carried(
    link: Link, turn: Value, held: BodyMotion, rate: Value, second: Value, slid: Value
) -> BodyMotion:
    """A link's motion from that of the spot that carries it."""
    a = link.axis
    if link.kind == "slide":
        v_dot = held.v_dot + held.U @ slid + 2 * cross(held.omega, a) * rate + a * second
        return BodyMotion(held.omega, held.omega_dot, v_dot)
    if link.kind == "fixed":
        return held
    omega = turn.T @ held.omega
    omega_dot = turn.T @ held.omega_dot + cross(omega, a) * rate + a * second
    return BodyMotion(omega + a * rate, omega_dot, turn.T @ held.v_dot)


def _inertia(
    machine: Machine,
    motions: dict[int, BodyMotion],
    eta: dict[int, Value],
    eta_dot: dict[int, Value],
    eta_ddot: dict[int, Value],
) -> tuple[dict[int, Force], dict[int, Value]]:
    """What every link needs to move and to stay bent as it is, by itself."""
    needed, bending = {}, {}
    for k, link in enumerate(machine.links):
        body, shapes = link.body, link.shapes
        if shapes is not None:
            body = deformed(body, shapes, eta[k])
        needed[k] = inertial_force(body, motions[k])
        if shapes is not None:
            motion = motions[k], eta[k], eta_dot[k], eta_ddot[k]
            more, inertia = elastic_inertia(shapes, *motion)
            needed[k] += more
            bending[k] = inertia + shapes.stiffness @ eta[k]
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


def _turned(axis: Value, angle: Value) -> Value:
    """The rotation by an angle about an axis [Rodrigues]."""
    K = skew(axis)
    return ca.DM.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)
