"""Configurations of an imported machine: its loops closed, its joints moved or held.

Every body has a displacement from where its file draws it. Joints displace the bodies that hang by
them; those that close loops leave gaps, which steps of Gauss and Newton close.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NoReturn

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing.file_machine import (
    FileFreedom,
    FileJoint,
    FileMachine,
    placed,
)
from gough.poses import difference, pose
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

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


@dataclass(frozen=True, eq=False)
class Posture:
    """A configuration of a machine: displacements of all degrees of freedom from the file's."""

    machine: FileMachine
    state: tuple[Array, ...]
    """Displacements as places."""
    moved: Array
    """Displacements of hinges and slides [rad, m]."""

    @cached_property
    def _walk(self) -> tuple[dict[str, Array], list[Array], list[Array]]:
        state, bodies = iter(self.state), {self.machine.base: np.eye(4)}
        behind, ends = list[Array](), list[Array]()
        for joint in self.machine.joints:
            here = bodies[joint.first]
            for _ in joint.freedoms:
                here = here @ next(state)
                behind.append(here)
            ends.append(here @ joint.ends[0])
            if joint.second not in bodies:
                bodies[joint.second] = ends[-1] @ np.linalg.inv(joint.ends[1])
        return bodies, behind, ends

    @property
    def bodies(self) -> dict[str, Array]:
        """Displacements of bodies."""
        return self._walk[0]

    @property
    def behind(self) -> list[Array]:
        """Displacements of what is fixed beyond each degree of freedom."""
        return self._walk[1]

    def ends(self, joint: FileJoint) -> tuple[Array, Array]:
        """The two places that a joint joins."""
        first = self._walk[2][self.machine.joints.index(joint)]
        return first, self.bodies[joint.second] @ joint.ends[1]

    def stepped(self, step: Array) -> Posture:
        """Return the posture after a step of all degrees of freedom [rad, m]."""
        state, moved = list[Array](), self.moved.copy()
        parts = zip(self.machine.freedoms, self.machine.columns, self.state, strict=True)
        for k, (freedom, columns, before) in enumerate(parts):
            turning, moving = np.split(freedom.motions @ step[columns], 2)
            R = rotation_matrix(of_rotation_vector(turning))
            along = moving - np.cross(freedom.at, turning)
            state.append(before @ placed(freedom.at - R @ freedom.at + along, R))
            moved[k] += step[columns][0]
        return replace(self, state=tuple(state), moved=moved)

    def gap_of(self, joint: FileJoint) -> Array:
        """Return position [m] and orientation error of a joint's second end, in base axes."""
        first, second = (pose(end[:3, 3], matrix=end[:3, :3]) for end in self.ends(joint))
        return difference(second, first)[: joint.rows]

    @cached_property
    def open_by(self) -> Array:
        """Gaps of all loops, and by how much couplings are not kept [m, rad]."""
        found = [np.zeros(0), *map(self.gap_of, self.machine.loops)]
        freedoms = self.machine.freedoms
        at = {f.name: f.zero + moved for f, moved in zip(freedoms, self.moved, strict=True)}
        for c in self.machine.couplings:
            terms = zip(c.coefficients, c.joints, strict=True)
            found.append(np.array([sum(factor * at[name] for factor, name in terms) - c.constant]))
        return np.concatenate(found)

    @property
    def gaps(self) -> Array:
        """Gaps in machine sizes and radians."""
        return self.open_by / self.machine.row_units

    @property
    def widest(self) -> float:
        """Maximum of all gaps [machine sizes, rad]."""
        return float(np.abs(self.gaps).max(initial=0.0))

    def motion(self, way: Iterable[int], point: Array) -> Array:
        """Return the twists [velocity; angular velocity] of a point by joints on the way to it."""
        seen = np.zeros((6, len(self.machine.column_freedoms)))
        for k in way:
            R, p = self.behind[k][:3, :3], self.behind[k][:3, 3]
            turning, moving = np.split(self.machine.freedoms[k].motions, 2)
            velocity = R @ moving + np.cross((R @ turning).T, point - p).T
            seen[:, self.machine.columns[k]] = np.vstack([velocity, R @ turning])
        return seen

    def body_motion(self, body: str, point: Array) -> Array:
        """Return the twists of a point of a body, by all joints."""
        ways = zip(self.machine.tree, self.machine.ways, strict=False)
        return self.motion(next((way for j, way in ways if j.second == body), ()), point)

    @property
    def rows(self) -> Array:
        """Return the derivatives of all gaps by all joints [rad, m]."""
        freedoms = self.machine.column_freedoms
        found = [np.zeros((0, len(freedoms)))]
        for joint in self.machine.loops:
            one, other = (end[:3, 3] for end in self.ends(joint))
            first = self.motion(self.machine.ways[self.machine.joints.index(joint)], one)
            found.append((self.body_motion(joint.second, other) - first)[: joint.rows])
        for c in self.machine.couplings:
            terms = dict(zip(c.joints, c.coefficients, strict=True))
            found.append(np.array([[terms.get(f.name, 0.0) for f in freedoms]]))
        return np.asarray(np.vstack(found) / self.machine.row_units[:, None])

    @property
    def redrawn(self) -> FileMachine:
        """The machine as if its file had drawn it in this configuration."""
        displaced = zip(self.machine.freedoms, self.behind, self.moved, strict=True)
        freedoms = iter(
            [replace(f.moved(by), zero=f.zero + at * f.is_single) for f, by, at in displaced]
        )
        joints = [
            replace(j, freedoms=tuple(islice(freedoms, len(j.freedoms))), ends=self.ends(j))
            for j in self.machine.joints
        ]
        bodies, frames, by = self.machine.bodies.items(), self.machine.frames.items(), self.bodies
        return replace(
            self.machine,
            bodies={name: body.moved(by[name]) for name, body in bodies},
            joints=tuple(joints),
            frames={name: (body, by[body] @ place) for name, (body, place) in frames},
            configurations={},
        )


def drawn(machine: FileMachine) -> Posture:
    """Return the configuration of a machine's file."""
    count = len(machine.freedoms)
    return Posture(machine, (np.eye(4),) * count, np.zeros(count))


def at_positions(machine: FileMachine, positions: Mapping[str, float]) -> FileMachine:
    """Return the machine as if its file had drawn joints at other positions [rad, m]."""
    steps = [positions.get(f.name, f.zero) - f.zero for f in machine.column_freedoms]
    return drawn(machine).stepped(np.array(steps)).redrawn


def holding(machine: FileMachine, held: Callable[[FileFreedom], bool]) -> FileMachine:
    """Return the machine with joints held still where they are drawn.

    So are those that couplings leave one position, where that is.
    """
    still = {f.name: f.zero for f in machine.freedoms if held(f)}
    joints = [
        replace(j, freedoms=tuple(f for f in j.freedoms if not held(f))) for j in machine.joints
    ]
    couplings = tuple(c for c in (c.without(still) for c in machine.couplings) if c.joints)
    columns = [not held(f) for f in machine.column_freedoms]
    others = {name: steps[columns] for name, steps in machine.configurations.items()}
    found = replace(machine, joints=tuple(joints), configurations=others, couplings=couplings)
    single = next((c for c in couplings if len(c.joints) == 1), None)
    if single is None:
        return found
    (name,), (coefficient,) = single.joints, single.coefficients  # stands still where it says
    there = at_positions(found, {name: single.constant / coefficient})
    return holding(replace(there, configurations=others), lambda f: f.name == name)


def ranked(matrix: Array, seen: float = 1e-7) -> tuple[Array, int, Array]:
    """Orthonormal columns and rows of a matrix, and how many of them count."""
    U, sigma, Vt = np.linalg.svd(matrix)
    return U, int((sigma > seen * sigma.max(initial=1e-300)).sum()), Vt


def assembled(machine: FileMachine) -> FileMachine:
    """Return the machine with its loops closed, near the drawn configuration.

    Loops that do not close are refused. Lengths are in machine sizes, so that the same machine in
    another size is closed in the same way. A stretched configuration is singular: then it is
    perturbed.
    """
    start, units = drawn(machine), machine.units
    rng = np.random.default_rng(0)
    found = [closed(start)]
    while found[-1].widest > OPEN:
        if len(found) > _TRIES:
            _refuse_open(found)
        strayed = start.stepped(units * rng.uniform(-_LONGEST, _LONGEST, len(units)))
        found.append(closed(strayed))
    return found[-1].redrawn


def closed(posture: Posture, seen: float = 1e-10, columns: Array | None = None) -> Posture:
    """The posture from which no step leads on to narrower gaps, best with none.

    Steps of Gauss and Newton: each the shortest change of all joints that closes the gaps, without
    what moves them less than the share `seen`; or of the joints of some columns.
    """
    gap, units = posture.widest, posture.machine.units
    units = units if columns is None else np.where(columns, units, 0.0)
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
    machine = best.machine
    worst = max(machine.loops, key=lambda joint: np.abs(best.gap_of(joint)).max())
    gap = np.split(best.gap_of(worst), [3])
    apart, turned = (float(np.linalg.norm(part)) for part in gap)
    gaps = [f"{apart:.3g} m apart"] if apart > OPEN * machine.size else []
    gaps += [f"{turned:.3g} rad turned"] if turned > OPEN else []
    raise RobotError(
        f"the loop does not close: its ends stay {' and '.join(gaps)}, however joints are moved",
        key=worst.name,
        expected="a machine that can be put together, drawn near to that",
    )


def free_motions(home: Posture) -> Array:
    """Return the motions of all joints that keep the loops closed, as columns."""
    units = home.machine.units
    _, rank, Vt = ranked(home.rows * units)
    return np.asarray(units[:, None] * Vt[rank:].T)
