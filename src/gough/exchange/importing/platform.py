"""The platform of an imported machine: the body that its loops move most.

Given is the machine at home with all its joints. A body whose joints move in as many ways as any's
is a candidate if the motors determine how it moves, and it how they do; passive joints may move
beside. Of these the one is taken that is called platform, or has more joints than any other, or is
not joined to the base, or to no motor, or has the name of an end effector.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, RobotError, did_you_mean
from gough.exchange.importing.closing import (
    body_motion,
    closed,
    free_motions,
    ranked,
    stepped,
    widest,
)
from gough.exchange.importing.file_machine import FileMachine, carried, outward
from gough.model.mechanism.decisions.freedoms import such_as
from gough.robot import PLATFORM

_CALLED = ("effector", "effecteur", "ee", "tcp", "tool", "tool0", "tip", "foot", "hand")
"""Last words of names of bodies, or of frames on them, that say what a body is for."""
_RANK = 1e-7
_STRAY = 0.05  # distance from home of a configuration that is not singular [rad, machine sizes]


class PlatformFrame(NamedTuple):
    """The platform: its body's key, and the frame that is its pose, in the base frame at home."""

    body: str
    place: Array
    name: str  # name of the body or the frame in the file


def platform_of(machine: FileMachine, name: str | None) -> PlatformFrame:
    """The platform that a user names by one of its links or frames, or the one that must be it."""
    motions = _Motions.of(machine)
    bodies = {name: body for name, (body, _) in motions.machine.frames.items()}
    chosen = _likely(motions, bodies) if name is None else name
    if chosen not in bodies:
        hint = did_you_mean(chosen, bodies)
        expected = "the name of a body, or of a frame on it"
        raise InputError(f"no such body{hint}", key="platform", value=chosen, expected=expected)
    if bodies[chosen] == machine.base:
        raise InputError("does not move", key="platform", value=chosen, expected="a moving body")
    _refuse_unheld(motions, bodies[chosen])
    return PlatformFrame(bodies[chosen], machine.frames[chosen][1], chosen)


def _likely(motions: _Motions, bodies: dict[str, str]) -> str:
    """Name the body, or the frame on it, that must be the platform; refuse where several could."""
    machine, most = motions.machine, motions.candidates
    if not most:
        raise RobotError("no body can move", expected="a machine that its loops leave a freedom")
    able = motions.held(motions.driven)
    if not able:
        named = (key for n, key in bodies.items() if key in most and _last_word(n) in _CALLED)
        _refuse_unheld(motions, next(named, most[0]))
    if bodies.get(PLATFORM) in able:
        return PLATFORM
    moved = {key: ranked(motions.twists(key)) for key in able}
    joints = {key: len(machine.joints_of(key)) for key in able}
    busy = [key for key in able if joints[key] == max(joints.values()) > 2]
    on_base = {body for joint in machine.joints_of(machine.base) for body in joint.between}
    motors = {body for joint in machine.joints if joint.motor is not None for body in joint.between}
    inner = [key for key in able if key not in on_base and moved[key][1] > 1]
    loads = [key for key in able if key not in motors]
    for likely in (able, busy, inner, loads, [key for key in loads if key not in on_base]):
        if len(likely) == 1:
            return likely[0]
    for word in _CALLED:
        called = [name for name in bodies if bodies[name] in able and _last_word(name) == word]
        if len({bodies[name] for name in called}) == 1:
            return called[0]
    ways = {key: ", ".join(such_as([U[:, :rank]])) for key, (U, rank, _) in moved.items()}
    given = ", ".join(f"{key} ({ways[key]})" for key in able[:12])
    expected = f"the name of one of {given}{', …' if len(able) > 12 else ''}"
    raise InputError("several bodies could be the platform", key="platform", expected=expected)


def _last_word(name: str) -> str:
    return re.split(r"[\W_]+", name.lower())[-1]


def likely_motors(machine: FileMachine) -> list[str]:
    """Return springless slides, or else base joints, if all of them alone could be the motors."""
    motions = _Motions.of(machine)
    plain = [joint for joint in machine.joints if not joint.freedoms[0].stiffness]
    slides = [joint.name for joint in plain if joint.type == "P"]
    at_base = [joint.name for joint in plain if joint.first == machine.base]
    for names in (slides, at_base):
        rows = motions.columns(names)
        if len(rows) == len(names) == _rank(motions.rates(rows)) and motions.held(rows):
            return names
    return []


def degrees_of_freedom(machine: FileMachine) -> int:
    """Return the number of degrees of freedom of all joints together."""
    return int(_Motions.of(machine).N.shape[1])


def loose_springs(machine: FileMachine) -> list[str]:
    """Return the springs to be held if only then the motors determine how a body moves.

    Stiff ones rather than others, as few as suffice, and none without which a motor cannot move.
    """
    loose = (f for f in machine.freedoms if f.stiffness and f.motor is None)
    units = {"slide": machine.size**2}
    springs = sorted(loose, key=lambda f: -f.stiffness * units.get(f.kind, 1.0))
    if not springs:
        return []
    motions, held = _Motions.of(machine), list[str]()
    driven = motions.driven
    count = _rank(motions.rates(driven))
    for name in (f.name for f in springs):
        if _rank(motions.locked([*held, name]).rates(driven)) == count:
            held.append(name)
    for name in held[::-1]:
        others = [other for other in held if other != name]
        held = others if motions.locked(others).held(driven) else held
    return held if motions.locked(held).held(driven) else []


def _beside(home: FileMachine) -> FileMachine:
    """Return a configuration near home with closed loops: home itself may be a dead centre."""
    N, units = free_motions(home), home.units
    step = N @ np.random.default_rng(0).standard_normal(N.shape[1])
    far = np.abs(step / units).max(initial=0.0) or 1.0
    near = closed(stepped(home, _STRAY * step / far))
    return near if widest(near) < _RANK else home


def _rank(matrix: Array) -> int:
    return ranked(matrix)[1] if matrix.size else 0


@dataclass(frozen=True, eq=False)
class _Motions:
    """Motions of all joints near home that keep the loops closed, and what they move."""

    machine: FileMachine
    near: FileMachine
    N: Array

    @classmethod
    def of(cls, machine: FileMachine) -> _Motions:
        """All motions of a machine at home."""
        joints, frames = outward(machine.joints, machine.base), machine.frames.items()
        own = {name: (body, place) for name, (body, place) in frames if body in machine.bodies}
        home = replace(machine, joints=joints, frames=own)
        near = _beside(home)
        return cls(home, near, free_motions(near))

    @property
    def driven(self) -> list[int]:
        """Columns of the machine's motors."""
        freedoms = enumerate(self.machine.columns)
        return [k for k, freedom in freedoms if freedom.motor is not None]

    def columns(self, names: Collection[str]) -> list[int]:
        """Return the columns of hinges and slides among those of all joints."""
        freedoms = enumerate(self.machine.columns)
        return [k for k, f in freedoms if f.is_single and f.name in names]

    def rates(self, rows: list[int]) -> Array:
        """Return the rates of joints [rad, machine sizes]."""
        return np.asarray(self.N[rows] / self.machine.units[rows, None])

    def locked(self, names: Collection[str]) -> _Motions:
        """Return the motions that leave joints still."""
        _, rank, Vt = ranked(self.rates(self.columns(names)))
        return replace(self, N=self.N @ Vt[rank:].T)

    def _motion(self, body: str, point: Array) -> Array:
        """Return the twists of a body's point at home [m]: velocities [machine sizes] first."""
        home, near = (machine.bodies[body].place for machine in (self.machine, self.near))
        at = carried(near @ np.linalg.inv(home), point)
        units = np.array([self.machine.size] * 3 + [1.0] * 3)[:, None]
        return np.asarray(body_motion(self.near, body, at) @ self.N / units)

    def twists(self, body: str) -> Array:
        """Return the twists of a body [machine sizes, rad]."""
        return self._motion(body, self.machine.bodies[body].place[:3, 3])

    def _joints_moved(self, body: str) -> int:
        """Number of ways in which the joints of a body move: a spin about their line is none.

        Of slides alone it is that of the body's origin.
        """
        points = list[Array]()
        for joint in (j for j in self.machine.joints_of(body) if j.type != "P"):
            along = [self.machine.size * axis for axis in joint.axes if joint.type == "R"]
            points += [joint.at, *(joint.at + way for way in along)]
        points = points or [self.machine.bodies[body].place[:3, 3]]
        return _rank(np.vstack([self._motion(body, point)[:3] for point in points]))

    @cached_property
    def candidates(self) -> list[str]:
        """Bodies whose joints move in most ways."""
        own = {body for body, _ in self.machine.frames.values()} - {self.machine.base}
        bodies = [body for body in self.machine.bodies if body in own]
        moved = {key: self._joints_moved(key) for key in bodies}
        most = max(moved.values(), default=0)
        return [key for key in bodies if moved[key] == most > 0]

    def held(self, driven: list[int]) -> list[str]:
        """Candidates that driven joints determine the motion of, and which determine theirs."""
        return [key for key in self.candidates if self.is_held(key, driven)]

    def is_held(self, body: str, driven: list[int]) -> bool:
        """Whether these motions of a body and of driven joints determine each other."""
        twists, rates = self.twists(body), self.rates(driven)
        return _rank(twists) == _rank(rates) == _rank(np.vstack([twists, rates])) > 0


def _refuse_unheld(motions: _Motions, body: str) -> None:
    """Refuse a platform that moves with all motors locked, or that motors leave at rest."""
    driven, twists = motions.driven, motions.twists(body)
    if motions.is_held(body, driven) or not _rank(twists):
        return  # the latter cannot move, which is refused as such
    rates = motions.rates(driven)
    count = _rank(np.vstack([twists, rates])) - _rank(rates)
    _, rank, Vt = ranked(rates if count else twists)
    idle = replace(motions, N=motions.N @ Vt[rank:].T)
    moved = np.abs(idle.rates([*range(len(idle.N))])).max(axis=1, initial=0.0)
    every = zip(motions.machine.columns, moved, strict=True)
    loose = [f for f, rate in every if f.is_single and rate > _RANK]
    if not count:
        moving = ", ".join(f.name for f in loose if f.motor is not None)
        problem = f"motors move while {body} stands still: {moving}"
        expected = "another --platform, --motors that move it, or --hold with these"
        raise RobotError(problem, key="platform", expected=expected)
    freedoms = "degree of freedom remains" if count == 1 else "degrees of freedom remain"
    problem = f"{count} {freedoms} to {body} when all motors are locked"
    hold = f", or --hold with {count} of {', '.join(f.name for f in loose)}" if loose else ""
    expected = f"another --platform, --motors with {_rank(rates) + count} joints{hold}"
    raise RobotError(problem, key="platform", expected=expected)
