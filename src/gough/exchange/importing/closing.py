"""Loops of an imported machine closed, its joints moved or held.

A machine is where it is drawn: after a step of its joints it is another one, drawn elsewhere. Its
loops are closed by steps of Gauss and Newton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing.file_machine import FileFreedom, FileJoint, FileMachine, placed
from gough.poses import difference, pose
from gough.poses.quaternions import of_rotation_vector, rotation_matrix

_CLOSED = 1e-13  # loops with smaller gaps are closed [machine sizes, rad]
OPEN = 1e-10  # loops with larger gaps, from which no step leads on, are not
ROUNDED = 1e-4
"""Error of places and positions that rounded digits of a file may cause [machine sizes, rad]."""
_STEPS = 60
_STRAYS = (0.003, 0.03, 0.3, 0.3)
"""Random perturbations of a configuration that does not close, in turn [machine sizes, rad]."""
_LONGEST = 0.3  # no joint moves further in one step [machine sizes, rad]


def stepped(machine: FileMachine, step: Array) -> FileMachine:
    """Return the machine after a step of all degrees of freedom [rad, m]."""
    by, joints, number = {machine.base: np.eye(4)}, list[FileJoint](), count()
    for joint in machine.joints:
        here, freedoms = by[joint.first], list[FileFreedom]()
        for freedom in joint.freedoms:
            own = step[machine.numbers == next(number)]
            here = here @ _displacement(freedom, own)
            zero = freedom.zero + own[0] * freedom.is_single
            freedoms.append(replace(freedom.moved(here), zero=float(zero)))
        one, other = joint.ends
        by.setdefault(joint.second, here @ one @ np.linalg.inv(other))
        ends = here @ one, by[joint.second] @ other
        joints.append(replace(joint, freedoms=tuple(freedoms), ends=ends))
    bodies = {name: body.moved(by[name]) for name, body in machine.bodies.items()}
    frames = {name: (body, by[body] @ place) for name, (body, place) in machine.frames.items()}
    return replace(machine, bodies=bodies, joints=tuple(joints), frames=frames, configurations={})


def _displacement(freedom: FileFreedom, step: Array) -> Array:
    if not step.any():  # places that rounding does not change
        return np.eye(4)
    turning, moving = np.split(freedom.motions @ step, 2)
    R = rotation_matrix(of_rotation_vector(turning))
    return placed(freedom.at - R @ freedom.at + moving - np.cross(freedom.at, turning), R)


def redrawn(machine: FileMachine, step: Array) -> FileMachine:
    """Return the machine as if its file had drawn it after a step."""
    return replace(stepped(machine, step), size=0.0)


def at_positions(machine: FileMachine, positions: Mapping[str, float]) -> FileMachine:
    """Return the machine as if its file had drawn joints at other positions [rad, m]."""
    steps = [positions.get(f.name, f.zero) - f.zero for f in machine.columns]
    return redrawn(machine, np.array(steps))


def holding(machine: FileMachine, held: Callable[[FileFreedom], bool]) -> FileMachine:
    """Hold joints still where they are drawn, and those to which couplings leave one position."""
    still = {f.name: f.zero for f in machine.freedoms if held(f)}
    joints = [
        replace(j, freedoms=tuple(f for f in j.freedoms if not held(f))) for j in machine.joints
    ]
    left = [c.without(still) for c in machine.couplings]
    for c in left:
        if not c.joints and abs(c.constant) > ROUNDED * max(machine.size, 1.0):
            problem = (
                f"its joints stand still, {abs(c.constant):.3g} rad or m from what it asks for"
            )
            raise RobotError(problem, key=c.name, expected="positions of joints that agree with it")
    couplings = tuple(c for c in left if c.joints)
    kept = [not held(f) for f in machine.columns]
    others = {name: steps[kept] for name, steps in machine.configurations.items()}
    found = replace(machine, joints=tuple(joints), couplings=couplings, size=0.0)
    single = next((c for c in couplings if len(c.joints) == 1), None)
    if single is None:
        return replace(found, configurations=others)
    (name,), (coefficient,) = single.joints, single.coefficients  # stands still where it says
    there = at_positions(found, {name: single.constant / coefficient})
    return holding(replace(there, configurations=others), lambda f: f.name == name)


def loop_gaps(joints: Sequence[FileJoint]) -> list[Array]:
    """Return position [m] and orientation error of second ends of joints, in base axes."""
    ends = np.array([joint.ends for joint in joints]).reshape(-1, 2, 4, 4)
    first, second = (pose(x[:, :3, 3], matrix=x[:, :3, :3]) for x in (ends[:, 0], ends[:, 1]))
    return [gap[: j.rows] for j, gap in zip(joints, difference(second, first), strict=True)]


def open_by(machine: FileMachine) -> Array:
    """Return the gaps of all loops, and by how much couplings are not kept [m, rad]."""
    at, found = {f.name: f.zero for f in machine.freedoms}, [np.zeros(0)]
    found += loop_gaps(machine.loops) if machine.loops else []
    for c in machine.couplings:
        terms = zip(c.coefficients, c.joints, strict=True)
        found.append(np.array([sum(factor * at[name] for factor, name in terms) - c.constant]))
    return np.concatenate(found)


def gaps(machine: FileMachine) -> Array:
    """Return the same in machine sizes and radians."""
    return open_by(machine) / machine.row_units


def widest(machine: FileMachine) -> float:
    """Return the maximum of all gaps [machine sizes, rad]."""
    return float(np.abs(gaps(machine)).max(initial=0.0))


def motion(machine: FileMachine, way: Iterable[int], point: Array) -> Array:
    """Return the twists [velocity; angular velocity] of a point by joints on the way to it."""
    turning, moving = np.split(machine.motions * np.isin(machine.numbers, [*way]), 2)
    return np.vstack([moving + np.cross(turning.T, point).T, turning])


def body_motion(machine: FileMachine, body: str, point: Array) -> Array:
    """Return the twists of a point of a body, by all joints."""
    ways = zip(machine.tree, machine.ways, strict=False)
    return motion(machine, next((way for j, way in ways if j.second == body), ()), point)


def rows(machine: FileMachine) -> Array:
    """Return the derivatives of all gaps by all joints [rad, m]."""
    found = [np.zeros((0, len(machine.columns)))]
    for joint, way in zip(machine.loops, machine.ways[len(machine.tree) :], strict=True):
        one, other = (end[:3, 3] for end in joint.ends)
        first, second = motion(machine, way, one), body_motion(machine, joint.second, other)
        found.append((second - first)[: joint.rows])
    for c in machine.couplings:
        terms = dict(zip(c.joints, c.coefficients, strict=True))
        found.append(np.array([[terms.get(f.name, 0.0) for f in machine.columns]]))
    return np.asarray(np.vstack(found) / machine.row_units[:, None])


def ranked(matrix: Array, seen: float = 1e-7) -> tuple[Array, int, Array]:
    """Orthonormal columns and rows of a matrix, and how many of them count."""
    U, sigma, Vt = np.linalg.svd(matrix)
    return U, int((sigma > seen * sigma.max(initial=1e-300)).sum()), Vt


def free_motions(machine: FileMachine) -> Array:
    """Return the motions of all joints that keep the loops closed, as columns."""
    _, rank, Vt = ranked(rows(machine) * machine.units)
    return np.asarray(machine.units[:, None] * Vt[rank:].T)


def assembled(machine: FileMachine) -> FileMachine:
    """Return the machine with its loops closed, near the drawn configuration.

    Loops that do not close are refused. Lengths are in machine sizes, so that the same machine in
    another size is closed in the same way. A stretched configuration is singular: then it is
    perturbed, ever more.
    """
    units, rng = machine.units, np.random.default_rng(0)
    found = [closed(machine)]
    if widest(found[0]) <= OPEN:
        return found[0]
    for stray in _STRAYS:
        found.append(closed(stepped(machine, units * rng.uniform(-stray, stray, len(units)))))
        if widest(found[-1]) <= OPEN:
            pairs = zip(machine.freedoms, found[-1].freedoms, strict=True)
            away = max(abs(b.zero - a.zero) for a, b in pairs)
            note = f"No step from the drawn configuration closes the loops: joints are {away:.2g}"
            return found[-1].assuming(f"{note} rad or m away from it at home.")
    raise _left_open(found)


def closed(machine: FileMachine, seen: float = 1e-10, columns: Array | None = None) -> FileMachine:
    """Return the machine from which no step leads on to narrower gaps, best with none.

    Steps of Gauss and Newton: each the shortest change of all joints that closes the gaps, without
    what moves them less than the share `seen`; or of the joints of some columns.
    """
    gap = widest(machine)
    units = machine.units if columns is None else np.where(columns, machine.units, 0.0)
    for _ in range(_STEPS):
        if gap <= _CLOSED:
            break
        step = -np.linalg.lstsq(rows(machine) * units, gaps(machine), rcond=seen)[0]
        longest = float(np.abs(step).max(initial=0.0))
        if longest <= _CLOSED:
            break
        machine = stepped(machine, units * step * min(1.0, _LONGEST / longest))
        last, gap = gap, widest(machine)
        if last <= OPEN and gap >= last:
            break
    return machine


def _left_open(found: list[FileMachine]) -> RobotError:
    """Return the error of loops that are open in all these configurations: the minimum gap."""
    best = min(found, key=widest)
    names = [joint.name for joint in best.loops for _ in range(joint.rows)]
    names += [coupling.name for coupling in best.couplings]
    worst = names[int(np.abs(gaps(best)).argmax())]
    problem = "the coupling is not kept"
    for joint in (j for j in best.loops if j.name == worst):
        apart, turned = (
            float(np.linalg.norm(part)) for part in np.split(loop_gaps([joint])[0], [3])
        )
        stay = [f"{apart:.3g} m apart"] if apart > OPEN * best.size else []
        stay += [f"{turned:.3g} rad turned"] if turned > OPEN else []
        problem = f"the loop does not close: its ends stay {' and '.join(stay)}"
    expected = "a machine that can be put together, drawn near to that"
    return RobotError(f"{problem}, however joints are moved", key=worst, expected=expected)
