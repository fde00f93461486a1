"""The platform of an imported machine: the body that its loops move most.

Given is the machine at home with all its joints. A body that moves in as many ways as any is a
candidate; of these the one is taken that is called platform, or has more joints than any other, or
is not joined to the base, or has the name of an end effector.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, RobotError, did_you_mean
from gough.exchange.importing.machine import ImportedMachine
from gough.exchange.importing.tree import FileFreedom, Posture, closed, units_of
from gough.model.mechanism.decisions.freedoms import such_as
from gough.robot.mechanism import PLATFORM

_CALLED = (
    "effector", "effecteur", "end_effector", "end-effector", "ee", "tcp", "tool", "tool0",
)  # fmt: skip
"""Names of bodies, or of frames on them, that say what a body is for."""
_RANK = 1e-7
_STRAY = 0.05
"""Distance from home of a configuration that is not singular [rad, machine sizes]."""


class PlatformFrame(NamedTuple):
    """The platform: its body's key, and the frame that is its pose, in the base frame at home."""

    body: str
    place: Array
    name: str
    """Name of the body or the frame in the file."""


def platform_of(home: Posture, machine: ImportedMachine, name: str | None) -> PlatformFrame:
    """The platform that a user names by one of its links or frames, or the one that must be it."""
    owners = {link: key for key, body in machine.bodies.items() for link in body.links}
    bodies = {name: owners[link] for name, (link, _) in home.tree.frames.items() if link in owners}
    near = _beside(home)
    chosen = _likely(near, machine, bodies) if name is None else name
    if chosen not in bodies:
        hint = did_you_mean(chosen, bodies)
        expected = "the name of a body, or of a frame on it"
        raise InputError(f"no such body{hint}", key="platform", value=chosen, expected=expected)
    if bodies[chosen] == machine.base:
        raise InputError("does not move", key="platform", value=chosen, expected="a moving body")
    _refuse_idle(near, bodies[chosen], machine)
    link, place = home.tree.frames[chosen]
    return PlatformFrame(bodies[chosen], np.asarray(home.places[link] @ place), chosen)


def _likely(home: Posture, machine: ImportedMachine, bodies: dict[str, str]) -> str:
    """Name the body, or the frame on it, that must be the platform; refuse where several could."""
    N = free_motions(home)
    rods = {key for key in machine.bodies if [j.type for j in machine.joints_of(key)] == ["S"] * 2}
    moved = {
        key: _twists(home, body.links[0], N)
        for key, body in machine.bodies.items()
        if body.links and key not in {machine.base, *rods}
    }
    most = max((x.shape[1] for x in moved.values()), default=0)
    if not most:
        raise RobotError("no body can move", expected="a machine that its loops leave a freedom")
    able = [key for key in moved if moved[key].shape[1] == most]
    idle = {key: _idle(home, key, machine)[0] for key in able}
    able = [key for key in able if idle[key] == min(idle.values())]
    if bodies.get(PLATFORM) in able:
        return PLATFORM
    joints = {key: len(machine.joints_of(key)) for key in able}
    busy = [key for key in able if joints[key] == max(joints.values()) > 2]
    on_base = {body for joint in machine.joints_of(machine.base) for body in joint.between}
    inner = [key for key in able if key not in on_base and moved[key].shape[1] > 1]
    for likely in (able, busy, inner):
        if len(likely) == 1:
            return likely[0]
    if called := [name for name in _CALLED if bodies.get(name) in able]:
        return called[0]
    given = ", ".join(f"{key} ({', '.join(such_as([moved[key]]))})" for key in able[:12])
    raise InputError(
        "several bodies could be the platform",
        key="platform",
        expected=f"the name of one of {given}{', …' if len(able) > 12 else ''}",
    )


def free_motions(home: Posture) -> Array:
    """Return the motions of all joints that keep the loops closed, as columns."""
    units = units_of(home)
    _, rank, Vt = _ranked(home.rows * units)
    return np.asarray(units[:, None] * Vt[rank:].T)


def _beside(home: Posture) -> Posture:
    """Return a configuration near home with closed loops: home itself may be a dead centre."""
    N, units = free_motions(home), units_of(home)
    step = N @ np.random.default_rng(0).standard_normal(N.shape[1])
    near = closed(
        home.stepped(_STRAY * step / (np.abs(step / units).max(initial=0.0) or 1.0)), units
    )
    return near if near.widest < _RANK else home


def _ranked(matrix: Array) -> tuple[Array, int, Array]:
    """Orthonormal columns and rows of a matrix, and how many of them count."""
    U, sigma, Vt = np.linalg.svd(matrix)
    return U, int((sigma > _RANK * sigma.max(initial=1e-300)).sum()), Vt


def _moved(home: Posture, link: int, N: Array) -> Array:
    """Return the twists [machine sizes, rad] of a link for motions of all joints."""
    units = np.array([home.size] * 3 + [1.0] * 3)[:, None]
    return np.asarray(home.motion(link, home.places[link][:3, 3]) @ N / units)


def _twists(home: Posture, link: int, N: Array) -> Array:
    """Orthonormal twists that a link can have."""
    U, rank, _ = _ranked(_moved(home, link, N))
    return U[:, :rank]


def _idle(home: Posture, body: str, machine: ImportedMachine) -> tuple[int, list[FileFreedom]]:
    """Number of degrees of freedom that a body's pose leaves, and whose; rods may spin."""
    N = free_motions(home)
    _, rank, Vt = _ranked(_moved(home, machine.bodies[body].links[0], N))
    idle = N @ Vt[rank:].T
    others = (joint for joint in machine.joints if joint.type != "S")
    turning = {f.name for joint in others for f in joint.freedoms if f.is_single}
    freedoms = [f for f in home.tree.freedoms.values() for _ in range(f.motions.shape[1])]
    own = [k for k, freedom in enumerate(freedoms) if freedom.name in turning]
    count = int(np.linalg.matrix_rank(idle[own], tol=_RANK)) if idle.size and own else 0
    return count, [freedoms[k] for k in own if count and np.abs(idle[k]).max() > _RANK]


def _refuse_idle(home: Posture, body: str, machine: ImportedMachine) -> None:
    count, free = _idle(home, body, machine)
    every = home.tree.freedoms.values()
    if count:
        names = [freedom.name for freedom in free]
        springs = [f.name for f in every if f.stiffness and f.motor is None]
        of = f", such as the springs {', '.join(springs)}" if springs else ""
        freedoms = "degree of freedom remains" if count == 1 else "degrees of freedom remain"
        raise RobotError(
            f"{count} {freedoms} when {body} stands still: of {', '.join(names)}",
            key="platform",
            expected=f"another --platform, or --hold with {count} or more of these joints{of}",
        )
    moves = _twists(home, machine.bodies[body].links[0], free_motions(home)).shape[1]
    lacking = moves - sum(freedom.motor is not None for freedom in every)
    passive = ", ".join(f.name for f in every if f.is_single and f.motor is None)
    if lacking > 0 and passive:
        expected = f"--motors with {moves} joints, or --hold with {lacking} or more of {passive}"
        problem = f"{moves - lacking} driven joints for {moves} degrees of freedom of {body}"
        raise RobotError(problem, key="platform", expected=expected)
