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
from gough.exchange.importing.machine import ImportedMachine
from gough.exchange.importing.tree import FileFreedom, Posture, closed, ranked, units_of
from gough.model.mechanism.decisions.freedoms import such_as
from gough.robot import PLATFORM

_CALLED = ("effector", "effecteur", "ee", "tcp", "tool", "tool0", "tip", "foot", "hand")
"""Last words of names of bodies, or of frames on them, that say what a body is for."""
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
    motions = _Motions.of(home, machine)
    chosen = _likely(motions, bodies) if name is None else name
    if chosen not in bodies:
        hint = did_you_mean(chosen, bodies)
        expected = "the name of a body, or of a frame on it"
        raise InputError(f"no such body{hint}", key="platform", value=chosen, expected=expected)
    if bodies[chosen] == machine.base:
        raise InputError("does not move", key="platform", value=chosen, expected="a moving body")
    _refuse_unheld(motions, bodies[chosen])
    link, place = home.tree.frames[chosen]
    return PlatformFrame(bodies[chosen], np.asarray(home.places[link] @ place), chosen)


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
    raise InputError(
        "several bodies could be the platform",
        key="platform",
        expected=f"the name of one of {given}{', …' if len(able) > 12 else ''}",
    )


def _last_word(name: str) -> str:
    return re.split(r"[\W_]+", name.lower())[-1]


def likely_motors(home: Posture, machine: ImportedMachine) -> list[str]:
    """Return the slides, or else the base's joints, if all of these alone could be the motors.

    A joint with a spring is none.
    """
    motions, base = _Motions.of(home, machine), {*machine.bodies[machine.base].links}
    freedoms, links = home.tree.freedoms, home.tree.links
    plain = {owner: f for owner, f in freedoms.items() if not f.stiffness}
    slides = [f.name for f in plain.values() if f.kind == "slide"]
    at_base = [f.name for (k, j), f in plain.items() if j == 0 and links[k].parent in base]
    for names in (slides, at_base):
        rows = motions.columns(names)
        if len(rows) == len(names) == _rank(motions.rates(rows)) and motions.held(rows):
            return names
    return []


def loose_springs(home: Posture, machine: ImportedMachine) -> list[str]:
    """Return the springs to be held if only then the motors determine how a body moves.

    Stiff ones rather than others, as few as suffice, and none without which a motor cannot move.
    """
    loose = (f for f in home.tree.freedoms.values() if f.stiffness and f.motor is None)
    units = {"slide": home.size**2}
    springs = sorted(loose, key=lambda f: -f.stiffness * units.get(f.kind, 1.0))
    if not springs:
        return []
    motions, held = _Motions.of(home, machine), list[str]()
    driven = motions.driven
    count = _rank(motions.rates(driven))
    for name in (f.name for f in springs):
        if _rank(motions.locked([*held, name]).rates(driven)) == count:
            held.append(name)
    for name in held[::-1]:
        others = [other for other in held if other != name]
        held = others if motions.locked(others).held(driven) else held
    return held if motions.locked(held).held(driven) else []


def free_motions(home: Posture) -> Array:
    """Return the motions of all joints that keep the loops closed, as columns."""
    units = units_of(home)
    _, rank, Vt = ranked(home.rows * units)
    return np.asarray(units[:, None] * Vt[rank:].T)


def _beside(home: Posture) -> Posture:
    """Return a configuration near home with closed loops: home itself may be a dead centre."""
    N, units = free_motions(home), units_of(home)
    step = N @ np.random.default_rng(0).standard_normal(N.shape[1])
    near = closed(
        home.stepped(_STRAY * step / (np.abs(step / units).max(initial=0.0) or 1.0)), units
    )
    return near if near.widest < _RANK else home


def _rank(matrix: Array) -> int:
    return ranked(matrix)[1] if matrix.size else 0


@dataclass(frozen=True, eq=False)
class _Motions:
    """Motions of all joints near home that keep the loops closed, and what they move."""

    home: Posture
    near: Posture
    machine: ImportedMachine
    N: Array

    @classmethod
    def of(cls, home: Posture, machine: ImportedMachine) -> _Motions:
        """All motions of a machine."""
        near = _beside(home)
        return cls(home, near, machine, free_motions(near))

    @property
    def driven(self) -> list[int]:
        """Columns of the machine's motors."""
        joints = (joint for joint in self.machine.joints if joint.motor is not None)
        return self.columns([f.name for j in joints for f in j.freedoms if f.motor is not None])

    @property
    def freedoms(self) -> list[FileFreedom]:
        """Degrees of freedom, by column."""
        return [f for f in self.home.tree.freedoms.values() for _ in range(f.motions.shape[1])]

    def columns(self, names: Collection[str]) -> list[int]:
        """Return the columns of hinges and slides among those of all joints."""
        return [k for k, f in enumerate(self.freedoms) if f.is_single and f.name in names]

    def rates(self, rows: list[int]) -> Array:
        """Return the rates of joints [rad, machine sizes]."""
        return np.asarray(self.N[rows] / units_of(self.near)[rows, None])

    def locked(self, names: Collection[str]) -> _Motions:
        """Return the motions that leave joints still."""
        _, rank, Vt = ranked(self.rates(self.columns(names)))
        return replace(self, N=self.N @ Vt[rank:].T)

    def twists(self, body: str) -> Array:
        """Return the twists of a body [machine sizes, rad]."""
        near, link = self.near, self.machine.bodies[body].links[0]
        units = np.array([near.size] * 3 + [1.0] * 3)[:, None]
        return np.asarray(near.motion(link, near.places[link][:3, 3]) @ self.N / units)

    def _joints_moved(self, body: str) -> int:
        """Number of ways in which the joints of a body move: a spin about their line is none.

        Of slides alone it is that of the body's origin.
        """
        near, link = self.near, self.machine.bodies[body].links[0]
        points = list[Array]()
        for joint in (j for j in self.machine.joints_of(body) if j.type != "P"):
            along = [self.near.size * axis for axis in joint.axes if joint.type == "R"]
            points += [joint.at, *(joint.at + way for way in along)]
        points = points or [self.home.places[link][:3, 3]]
        carried = near.places[link] @ np.linalg.inv(self.home.places[link])
        places = [(carried @ [*point, 1.0])[:3] for point in points]
        moved = [near.motion(link, place)[:3] @ self.N / near.size for place in places]
        return _rank(np.vstack(moved))

    @cached_property
    def candidates(self) -> list[str]:
        """Bodies whose joints move in most ways."""
        bodies = [k for k, b in self.machine.bodies.items() if b.links and k != self.machine.base]
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
    every = zip(motions.freedoms, moved, strict=True)
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
