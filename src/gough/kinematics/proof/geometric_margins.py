"""Margins of legs that close, and of bodies that are apart.

Two bodies are apart where a plane separates them by their radii, whichever plane that is: over a
box that has far narrower bounds than the distance itself. The plane is chosen by a guide, a place
near all of the box, as the one between the points that are nearest there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import casadi as ca

from gough.compiler.memo import remembered
from gough.equations.closure.assembled import platform_at, posture
from gough.equations.machine import Machine
from gough.equations.motion.motions import joint_centers
from gough.equations.motion.reach import Gap, between_segments
from gough.equations.spatial.algebra import Value, unit
from gough.model.parameters import machine_of
from gough.robot import Robot

_PARALLEL = 1e-6
"""Squared sine of the angle of two bodies below which they count as parallel."""


@remembered
def roots_at_home(robot: Robot) -> tuple[tuple[int, float], ...]:
    """Legs in closed form by the roots of their formulas, with the size at home under each."""
    if robot.has_extensible_legs:
        return ()
    machine, found = machine_of(robot), list[tuple[int, float]]()
    pose = ca.SX.sym("pose", 7)
    for k, under in _under_roots(machine, pose):
        at_home = ca.Function("home", [pose], [under])(ca.DM(robot.home))
        found.append((k, abs(float(at_home)) or 1.0))
    return tuple(found)


def _under_roots(machine: Machine, pose: Value) -> list[tuple[int, Value]]:
    """Return what is under the roots of legs in closed form: negative where a leg cannot close."""
    platform, found = platform_at(machine, pose), list[tuple[int, Value]]()
    by_pose = ca.vertcat(*ca.symvar(ca.SX(pose)))
    for k, leg in enumerate(machine.legs):
        if leg.iterated:
            continue
        at = posture(leg, leg.positions(platform.position, platform.rotation), platform)
        expression = ca.SX(ca.vertcat(*at.joint_positions))
        f = ca.Function("leg", ca.symvar(expression), [expression])
        nodes, count = f.instructions_sx(), f.n_instructions()
        roots = (nodes[n].dep(0) for n in range(count) if f.instruction_id(n) == ca.OP_SQRT)
        found += [(k, under) for under in roots if ca.depends_on(under, by_pose)]
    return found


def closing_margins(
    machine: Machine, pose: Value, roots: Sequence[tuple[int, float]]
) -> list[Value]:
    """Return margins of legs in closed form: 1 at home, below zero where one cannot close."""
    if not roots:
        return []
    pairs = zip(_under_roots(machine, pose), roots, strict=True)
    return [under / at_home for (_, under), (_, at_home) in pairs]


def separations(
    at: tuple[Machine, Value], gaps: Sequence[Gap], guide: tuple[Machine, Value]
) -> list[Value]:
    """Return lower bounds of gaps over radii: along normals that are those of the guide."""
    if not gaps:
        return []
    machine, (here, there) = at[0], (ca.vertsplit(joint_centers(*of)) for of in (at, guide))
    found = []
    for gap in gaps:
        (p, p_end), (q, q_end) = ([there[k] for k in ends] for ends in (gap.first, gap.second))
        u, v, w = (p_end - p).T, (q_end - q).T, (p + p_end - q - q_end).T / 2
        uu, vv, uv = ca.dot(u, u), ca.dot(v, v), ca.dot(u, v)
        across = w - u * (ca.dot(w, u) / uu)
        oblique = uu * vv - uv * uv > _PARALLEL * uu * vv
        normal = unit(ca.if_else(oblique, between_segments(p.T, u, q.T, v), across))
        apart = [(here[i] - here[j]) @ normal for i in gap.first for j in gap.second]
        found.append(reduce(ca.fmin, apart) / sum(map(machine.limit, gap.places)) - 1)
    return found
