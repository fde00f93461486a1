"""A machine as a file of another tool describes it: links in a tree, and how its loops close.

A link hangs from its parent by degrees of freedom, the nearest to the parent first; without any
it is a part of its parent. All properties are in its own frame. Places are 4 by 4 matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NoReturn

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.poses import difference, pose
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

BASE_LINK = 0
"""The first link of every tree, which does not move."""
MOST_LINKS = 1000
"""Links, joints and named places of a machine; most of them stand still in each other."""
_CLOSED = 1e-13
"""Loops with smaller gaps are closed [machine sizes, rad]."""
OPEN = 1e-10
"""Loops with larger gaps, from which no step leads on, are not."""
ROUNDED = 1e-4
"""Error of places and positions that rounded digits of a file may cause [machine sizes, rad]."""
_STEPS = 60
_TRIES = 4
"""Maximum number of random perturbations of a configuration that does not close."""
_LONGEST = 0.3
"""No joint moves further in one step [machine sizes, rad]."""

_RELAXED = 1e-6
"""Distance of home from where a spring has no force that counts as none [rad, m]."""

Owner = tuple[int, int]
"""A freedom, by its link and its number there."""
Kind = Literal["hinge", "slide", "ball", "free"]
Holds = Literal["point", "all"]


@dataclass(frozen=True, eq=False)
class FileFreedom:
    """A degree of freedom of a link relative to its parent."""

    name: str
    kind: Kind
    at: Array
    """A point of its axis, or the centre of a ball [m]."""
    axis: Array
    """Axis of a hinge or a slide."""
    zero: float = 0.0
    """Its position in the file's configuration [rad, m]."""
    travel: tuple[float, float] | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    relaxed: float = 0.0
    """Position in which its spring is without force."""
    armature: float = 0.0
    """Inertia that turns or moves with it [kg m^2, kg]."""
    motor: int | None = None
    """Which of the machine's motors drives it."""
    max_effort: float | None = None
    max_speed: float | None = None
    stop: tuple[float, float] | None = None
    """Stiffness [N m/rad, N/m] and restitution of its end stops."""

    @property
    def resists(self) -> bool:
        """Whether it has friction."""
        return bool(self.damping or self.friction)

    @property
    def does_work(self) -> bool:
        """Whether it has friction, a spring or a motor."""
        return self.resists or bool(self.stiffness) or self.motor is not None

    @property
    def tension(self) -> float:
        """Effort of its spring at home [N m, N]."""
        return self.stiffness * (self.relaxed - self.zero)

    @property
    def is_loaded(self) -> bool:
        """Whether home is not where its spring has no force."""
        return abs(self.relaxed - self.zero) > _RELAXED

    @property
    def is_single(self) -> bool:
        """Whether it has one position."""
        return self.kind in ("hinge", "slide")

    @property
    def motions(self) -> Array:
        """The twists [turning; moving] that it allows, as columns, in the link's frame."""
        if self.kind == "slide":
            return np.concatenate([np.zeros(3), self.axis])[:, None]
        turns = self.axis[:, None] if self.kind == "hinge" else np.eye(3)
        about = np.vstack([turns, np.cross(self.at, turns.T).T])
        along = np.vstack([np.zeros((3, 3)), np.eye(3)])
        return np.hstack([about, along]) if self.kind == "free" else about


@dataclass(frozen=True, eq=False)
class FileLink:
    """A body of the tree, with its mass centre and its inertia about that."""

    name: str
    parent: int
    place: Array
    """In the parent's frame, as it is drawn."""
    freedoms: tuple[FileFreedom, ...] = ()
    mass: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def is_free(self) -> bool:
        """Whether it moves in all ways: by a free joint, or by others that hold nothing."""
        motions = np.hstack([np.zeros((6, 0)), *(freedom.motions for freedom in self.freedoms)])
        plain = not any(f.travel or f.armature or f.does_work for f in self.freedoms)
        free = any(freedom.kind == "free" for freedom in self.freedoms)
        return free or (plain and np.linalg.matrix_rank(motions) == 6)


@dataclass(frozen=True, eq=False)
class FileCoupling:
    """A linear relation of joint positions: Σ coefficient · position = constant."""

    name: str
    joints: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float = 0.0

    def without(self, held: Mapping[str, float]) -> FileCoupling:
        """Return the relation of the other joints if some are held at positions."""
        terms, constant = dict.fromkeys(self.joints, 0.0), self.constant
        for joint, coefficient in zip(self.joints, self.coefficients, strict=True):
            terms[joint] += coefficient
            constant -= coefficient * held.get(joint, 0.0)
        left = {joint: c for joint, c in terms.items() if c and joint not in held}
        return FileCoupling(self.name, tuple(left), tuple(left.values()), constant)


@dataclass(frozen=True, eq=False)
class FileClosure:
    """A closure between two links: a point of each, or all of both."""

    name: str
    holds: Holds
    links: tuple[int, int]
    places: tuple[Array, Array]
    """In their frames: these meet."""

    @property
    def rows(self) -> int:
        """Number of its constraint rows."""
        return 3 if self.holds == "point" else 6


@dataclass(frozen=True, eq=False)
class FileTree:
    """A machine as a file of another tool says it."""

    name: str
    gravity: tuple[float, ...]
    links: tuple[FileLink, ...]
    closures: tuple[FileClosure, ...]
    frames: dict[str, tuple[int, Array]]
    """Places by name, each on a link and in its frame."""
    left_out: tuple[str, ...]
    """Contents of the file that Gough has no place for."""
    assumed: tuple[str, ...] = ()
    """Assumptions where the file gives no value, in sentences."""
    configurations: dict[str, Array] = field(default_factory=dict)
    """By name, steps of all joints [rad, m] from the drawn configuration to others."""
    couplings: tuple[FileCoupling, ...] = ()

    @cached_property
    def freedoms(self) -> dict[Owner, FileFreedom]:
        """All degrees of freedom."""
        numbered = ((k, link) for k, link in enumerate(self.links))
        return {(k, j): f for k, link in numbered for j, f in enumerate(link.freedoms)}

    def with_freedoms(self, kept: Mapping[Owner, FileFreedom]) -> FileTree:
        """Return the tree with these degrees of freedom; others, and what they hold, stay still."""
        links = [
            replace(link, freedoms=tuple(f for (j, _), f in kept.items() if j == k))
            for k, link in enumerate(self.links)
        ]
        held = {f.name: f.zero for owner, f in self.freedoms.items() if owner not in kept}
        couplings = [c for c in (c.without(held) for c in self.couplings) if c.joints]
        columns = [o in kept for o, f in self.freedoms.items() for _ in f.motions.T]
        others = {name: steps[columns] for name, steps in self.configurations.items()}
        tree = replace(self, links=tuple(links), configurations=others, couplings=tuple(couplings))
        for coupling in couplings:
            if len(coupling.joints) == 1:  # stands still where it says
                (name,), (coefficient,) = coupling.joints, coupling.coefficients
                there = replace(
                    at_positions(tree, {name: coupling.constant / coefficient}),
                    configurations=others,
                )
                return there.with_freedoms(
                    {o: f for o, f in there.freedoms.items() if f.name != name}
                )
        return tree

    def assuming(self, *lines: str) -> FileTree:
        """Return the tree with assumptions, in sentences."""
        return replace(self, assumed=(*self.assumed, *lines))

    def leaving_out(self, *lines: str) -> FileTree:
        """Return the tree with more that is left out."""
        return replace(self, left_out=(*self.left_out, *lines))


def placed(position: Array, rotation: Array | None = None) -> Array:
    """The matrix of a place."""
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if rotation is not None:
        matrix[:3, :3] = rotation
    return matrix


@dataclass(frozen=True, eq=False)
class Posture:
    """A configuration of a tree: displacements of all degrees of freedom from the file's."""

    tree: FileTree
    state: dict[Owner, Array]
    """Displacements as places."""
    moved: dict[Owner, float]
    """Displacements of hinges and slides [rad, m]."""
    size: float = 1.0
    """Size of the machine [m]."""
    gap: float = 0.0
    """Gap between the ends of loops in the file's configuration [m, rad]."""

    @property
    def places(self) -> list[Array]:
        """Poses of all links, in the base's frame."""
        return self._frames[0]

    @property
    def behind(self) -> dict[Owner, Array]:
        """Frame of a link if the degrees of freedom after this one were as in the file."""
        return self._frames[1]

    @cached_property
    def _frames(self) -> tuple[list[Array], dict[Owner, Array]]:
        places, behind = list[Array](), dict[Owner, Array]()
        for k, link in enumerate(self.tree.links):
            here = link.place if k == BASE_LINK else places[link.parent] @ link.place
            for j, _ in enumerate(link.freedoms):
                here = behind[k, j] = here @ self.state[k, j]
            places.append(here)
        return places, behind

    def stepped(self, step: Array) -> Posture:
        """Return the posture after a step of all degrees of freedom [rad, m]."""
        state, moved, start = dict[Owner, Array](), dict[Owner, float](), 0
        for (k, j), before in self.state.items():
            freedom = self.tree.links[k].freedoms[j]
            own = step[start : start + freedom.motions.shape[1]]
            start += len(own)
            turning, moving = np.split(freedom.motions @ own, 2)
            R = rotation_matrix(of_rotation_vector(turning))
            along = moving - np.cross(freedom.at, turning)
            state[k, j] = before @ placed(freedom.at - R @ freedom.at + along, R)
            moved[k, j] = self.moved[k, j] + float(own[0])
        return replace(self, state=state, moved=moved)

    def ends(self, closure: FileClosure) -> tuple[Array, Array]:
        """The two places that a closure joins."""
        (first, second), (one, other) = closure.links, closure.places
        return self.places[first] @ one, self.places[second] @ other

    def gap_of(self, closure: FileClosure) -> Array:
        """Return position [sizes] and orientation error of the second end, in base axes."""
        first, second = (pose(end[:3, 3], matrix=end[:3, :3]) for end in self.ends(closure))
        return (difference(second, first) / ([self.size] * 3 + [1.0] * 3))[: closure.rows]

    def coupling_gap(self, coupling: FileCoupling) -> Array:
        """Return by how much a coupling is not kept [rad, sizes]."""
        at = {f.name: f.zero + self.moved[owner] for owner, f in self.tree.freedoms.items()}
        terms = zip(coupling.coefficients, coupling.joints, strict=True)
        gap = sum(c * at[name] for c, name in terms) - coupling.constant
        return np.array([gap / self._unit(coupling)])

    def _unit(self, coupling: FileCoupling) -> float:
        freedoms = self.tree.freedoms.values()
        slides = {f.name for f in freedoms if f.kind == "slide"}
        return self.size if coupling.joints[0] in slides else 1.0

    @cached_property
    def gaps(self) -> Array:
        """Those of all closures and couplings."""
        found = [*map(self.gap_of, self.tree.closures)]
        found += map(self.coupling_gap, self.tree.couplings)
        return np.concatenate([np.zeros(0), *found])

    def motion(self, link: int, point: Array) -> Array:
        """Return the twists [velocity; angular velocity] of a point of a link, by all joints."""
        links = self.tree.links
        seen = {owner: np.zeros((6, f.motions.shape[1])) for owner, f in self.tree.freedoms.items()}
        while link != BASE_LINK:
            for owner in ((link, j) for j, _ in enumerate(links[link].freedoms)):
                R, p = self.behind[owner][:3, :3], self.behind[owner][:3, 3]
                turning, moving = np.split(links[link].freedoms[owner[1]].motions, 2)
                velocity = R @ moving + np.cross((R @ turning).T, point - p).T
                seen[owner] = np.vstack([velocity, R @ turning])
            link = links[link].parent
        return np.hstack([np.zeros((6, 0)), *seen.values()])

    @property
    def rows(self) -> Array:
        """Return the derivatives of all gaps by all joints [rad, m]."""
        found = [np.zeros((0, self.motion(BASE_LINK, np.zeros(3)).shape[1]))]
        for closure in self.tree.closures:
            pairs = zip(closure.links, self.ends(closure), strict=True)
            first, second = (self.motion(link, end[:3, 3]) for link, end in pairs)
            units = np.array([self.size] * 3 + [1.0] * 3)[:, None]
            found.append(((second - first) / units)[: closure.rows])
        for coupling in self.tree.couplings:
            terms = dict(zip(coupling.joints, coupling.coefficients, strict=True))
            freedoms = self.tree.freedoms.values()
            of = [np.full(f.motions.shape[1], terms.get(f.name, 0.0)) for f in freedoms]
            found.append(np.concatenate(of)[None] / self._unit(coupling))
        return np.vstack(found)

    @property
    def widest(self) -> float:
        """The maximum of all."""
        return float(np.abs(self.gaps).max(initial=0.0))


def drawn(tree: FileTree) -> Posture:
    """Return the tree in the configuration of its file, with its size."""
    owners = [*tree.freedoms]
    posture = Posture(tree, {owner: np.eye(4) for owner in owners}, dict.fromkeys(owners, 0.0))
    points = [place[:3, 3] for place in posture.places]
    points += [
        (place @ [*tree.freedoms[owner].at, 1.0])[:3] for owner, place in posture.behind.items()
    ]
    size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    return replace(posture, size=size, gap=posture.widest)


def at_steps(tree: FileTree, steps: Array) -> FileTree:
    """Return the tree as if its file had drawn it in another configuration, by steps from there."""
    there = drawn(tree).stepped(steps)
    links = list(tree.links)
    for k, link in enumerate(tree.links):
        after, freedoms = np.eye(4), list[FileFreedom]()
        for j, freedom in reversed([*enumerate(link.freedoms)]):
            back = np.linalg.inv(after)
            at, axis = (back @ [*freedom.at, 1.0])[:3], back[:3, :3] @ freedom.axis
            zero = freedom.zero + there.moved[k, j] * freedom.is_single
            freedoms.insert(0, replace(freedom, at=at, axis=axis, zero=zero))
            after = there.state[k, j] @ after
        links[k] = replace(link, place=link.place @ after, freedoms=tuple(freedoms))
    return replace(tree, links=tuple(links), configurations={})


def at_positions(tree: FileTree, positions: Mapping[str, float]) -> FileTree:
    """Return the tree as if its file had drawn joints at other positions [rad, m]."""
    steps = [
        np.full(f.motions.shape[1], positions.get(f.name, f.zero) - f.zero)
        for f in tree.freedoms.values()
    ]
    return at_steps(tree, np.concatenate(steps))


def ranked(matrix: Array, seen: float = 1e-7) -> tuple[Array, int, Array]:
    """Orthonormal columns and rows of a matrix, and how many of them count."""
    U, sigma, Vt = np.linalg.svd(matrix)
    return U, int((sigma > seen * sigma.max(initial=1e-300)).sum()), Vt


def units_of(posture: Posture) -> Array:
    """Return the unit of each joint's step: a machine's size [m] for slides, 1 rad for hinges."""
    motions = [freedom.motions for freedom in posture.tree.freedoms.values()]
    turns = np.hstack([np.zeros((6, 0)), *motions])[:3].any(axis=0)
    return np.where(turns, 1.0, posture.size)


def assembled(tree: FileTree) -> Posture:
    """Return the tree with its loops closed, near the drawn configuration.

    Loops that do not close are refused. Lengths are in machine sizes, so that the same machine in
    another size is closed in the same way. A stretched configuration is singular: then it is
    perturbed.
    """
    start = drawn(tree)
    units = units_of(start)
    rng = np.random.default_rng(0)
    found = [closed(start, units)]
    while found[-1].widest > OPEN:
        if len(found) > _TRIES:
            _refuse_open(found)
        strayed = start.stepped(units * rng.uniform(-_LONGEST, _LONGEST, len(units)))
        found.append(closed(strayed, units))
    return found[-1]


def closed(posture: Posture, units: Array, seen: float = 1e-10) -> Posture:
    """The posture from which no step leads on to narrower gaps, best with none.

    Steps of Gauss and Newton: each the shortest change of all joints that closes the gaps, without
    what moves them less than the share `seen`.
    """
    gap = posture.widest
    for _ in range(_STEPS):
        if gap <= _CLOSED:
            break
        step = -np.linalg.lstsq(posture.rows * units, posture.gaps, rcond=seen)[0]
        longest = float(np.abs(step).max(initial=0.0))
        if longest <= _CLOSED:
            break
        posture = posture.stepped(units * step * min(1.0, _LONGEST / longest))
        last, gap = gap, posture.widest
        if last <= OPEN and gap >= last:
            break
    return posture


def _refuse_open(found: list[Posture]) -> NoReturn:
    """Refuse loops that are open in all these postures; report the minimum gap."""
    best = min(found, key=lambda posture: posture.widest)
    worst = max(best.tree.closures, key=lambda c: np.abs(best.gap_of(c)).max())
    gap = np.split(replace(best, size=1.0).gap_of(worst), [3])
    apart, turned = (float(np.linalg.norm(part)) for part in gap)
    gaps = [f"{apart:.3g} m apart"] if apart > OPEN * best.size else []
    gaps += [f"{turned:.3g} rad turned"] if turned > OPEN else []
    raise RobotError(
        f"the loop does not close: its ends stay {' and '.join(gaps)}, however joints are moved",
        key=worst.name,
        expected="a machine that can be put together, drawn near to that",
    )
