"""Loops of rounded numbers, closed by the minimum change of these numbers.

An overconstrained machine moves only because its numbers agree: axes that are parallel or meet in
one point. In a file they agree to its digits alone, so that the machine cannot be put together, or
not be moved. Sought is the smallest change of all places in the tree with which the loops close
at home and in configurations around it, and with which axes are parallel that are so but for
rounding: nearly parallel ones also move where they meet far away. A place that changes is one that
a free joint moves. Robot files of few digits, as printed tables have, are changed likewise.
"""

from dataclasses import replace
from typing import cast

import numpy as np

from gough.arrays import Array
from gough.errors import RobotError
from gough.exchange.importing.closing import (
    OPEN,
    ROUNDED,
    assembled,
    closed,
    gaps,
    motion,
    ranked,
    rows,
    stepped,
    widest,
)
from gough.exchange.importing.file_machine import (
    FileBody,
    FileCoupling,
    FileFreedom,
    FileJoint,
    FileMachine,
    Kind,
    outward,
    placed,
)
from gough.exchange.importing.robot_file import numbers
from gough.model.mechanism import analysed
from gough.robot import BASE, Joint, Mechanism, Robot

_SEEN = 1e-5  # singular values below this share of the maximum are due to rounding
_CLOSED = 1e-12
_CONFIGURATIONS = 6
_STEPS = 8
_STRAY = 0.4  # distance of the configurations from home [rad, machine sizes]
_PLACE = "\0"  # name of a degree of freedom by which a place changes


def agreeing(machine: FileMachine) -> FileMachine | None:
    """Return the machine with numbers that agree, itself if they do; None if no change helps."""
    loose = _loosened(machine)
    units, own = loose.units, np.array([f.name != _PLACE for f in loose.columns], bool)
    home = closed(loose, _SEEN, own)
    W, N = _split(home, own)
    if widest(home) > ROUNDED:
        return None
    if not W.size:  # without rows that no joint changes, loops agree
        return machine
    rng = np.random.default_rng(0)

    def elsewhere(count: int) -> list[FileMachine]:
        found = list[FileMachine]()
        for _ in range(count if N.shape[1] else 0):
            step = np.zeros(len(units))
            step[own] = N @ rng.standard_normal(N.shape[1])
            far = _STRAY * rng.uniform(0.5, 1.0) / np.abs(step).max()
            found.append(closed(stepped(home, units * step * far), _SEEN, own))
        return found

    around = [home, *elsewhere(_CONFIGURATIONS)]
    signs = [_is_rounded(there, own) for there in around]
    if not (signs[0] or (N.size and all(signs[1:]))):
        return machine
    around += elsewhere(2 * N.shape[1] - _CONFIGURATIONS)  # more motions have more to agree on
    apart = max(map(widest, around))
    if apart > ROUNDED:
        return None
    limit = ROUNDED if signs[0] else _SEEN  # home alone may be special: a change point
    change, alike = np.zeros(len(units)), _nearly_parallel(home)
    for _ in range(_STEPS):
        stiff = [(_split(there, own)[0].T, there) for there in around]
        of = [w @ (rows(there) * units) for w, there in stiff]
        left = [w @ gaps(there) for w, there in stiff]
        for pair in alike:
            turned, skew = _askew(around[0], *pair)
            of, left = [*of, turned], [*left, skew]
        places = np.where(own, 0.0, np.vstack(of))
        step = -np.linalg.lstsq(places, np.concatenate(left), rcond=_SEEN)[0]
        change, loose = change + step, stepped(loose, units * step)
        around = [closed(stepped(there, units * step), _SEEN, own) for there in around]
        if np.abs(step).max() < _CLOSED:
            break
    if float(np.abs(change).max()) > limit or max(map(widest, around)) > OPEN:
        return None
    turned, moved = (np.abs(change[~own].reshape(-1, 2, 3)[:, k]).max() for k in (0, 1))
    size = loose.size
    note = (
        f"Its loops agree to {apart * size:.1g} m or {apart:.1g} rad only, at home and around "
        f"it: places in the file were changed by at most {moved * size:.1g} m and "
        f"{turned:.1g} rad so that they close."
    )
    return _tightened(machine, loose).assuming(note)


def _loosened(machine: FileMachine) -> FileMachine:
    """Return the machine with a free joint in every place: both ends of a loop have theirs."""
    bodies, tree, loops = dict(machine.bodies), list[FileJoint](), list[FileJoint]()

    def free(place: Array) -> FileFreedom:
        return FileFreedom(_PLACE, "free", place[:3, 3], np.eye(3))

    for joint in machine.tree:
        place = machine.bodies[joint.second].place
        tree.append(replace(joint, freedoms=(free(place), *joint.freedoms)))
    for k, joint in enumerate(machine.loops):
        end, (one, other) = f"{_PLACE}{k}", joint.ends
        bodies[end] = bodies[machine.base]
        tree.append(FileJoint(end, (joint.second, end), (free(other),)))
        before = [free(one)] if joint.freedoms else []
        freedoms = (*before, *joint.freedoms, free(one))
        loops.append(replace(joint, between=(joint.first, end), freedoms=freedoms))
    return replace(machine, bodies=bodies, joints=(*tree, *loops))


def _tightened(machine: FileMachine, loose: FileMachine) -> FileMachine:
    """Return the machine with the places to which free joints have moved."""
    joints = [
        replace(joint, freedoms=tuple(f for f in new.freedoms if f.name != _PLACE), ends=new.ends)
        for joint, new in zip(
            machine.joints, (*loose.tree[: len(machine.tree)], *loose.loops), strict=True
        )
    ]
    bodies = {name: loose.bodies[name] for name in machine.bodies}
    return replace(machine, bodies=bodies, joints=tuple(joints), frames=loose.frames, size=0.0)


def _is_rounded(machine: FileMachine, own: Array) -> bool:
    """Whether loops stay open, or hold by rounding alone what else could move."""
    sigma = np.linalg.svd((rows(machine) * machine.units)[:, own], compute_uv=False)
    shares = sigma / (sigma.max(initial=0.0) or 1.0)
    return widest(machine) > OPEN or bool(((shares > OPEN) & (shares < _SEEN)).any())


def _split(machine: FileMachine, own: Array) -> tuple[Array, Array]:
    """Rows that no joint changes, and motions that open no loop, but for rounding."""
    U, rank, Vt = ranked((rows(machine) * machine.units)[:, own], _SEEN)
    return U[:, rank:], Vt[rank:].T


def _nearly_parallel(home: FileMachine) -> list[tuple[int, int]]:
    """Pairs of axes that are parallel but for rounding, the first of them with each other."""
    firsts, pairs = list[int](), list[tuple[int, int]]()
    for k in (k for k, f in enumerate(home.freedoms) if f.is_single):
        alike = (one for one in firsts if np.linalg.norm(_askew(home, one, k)[1]) < ROUNDED)
        if (first := next(alike, None)) is not None:
            pairs.append((first, k))
        else:
            firsts.append(k)
    return pairs


def _askew(machine: FileMachine, *pair: int) -> tuple[Array, Array]:
    """Return a × b of the directions of two axes, and its derivatives by all joints."""
    a, b = (machine.freedoms[k].axis for k in pair)
    ways = (next(way for way in machine.ways if k in way) for k in pair)
    turning = (
        motion(machine, [n for n in way if n <= k], np.zeros(3))[3:]
        for k, way in zip(pair, ways, strict=True)
    )
    da, db = (np.cross(w.T, axis) for w, axis in zip(turning, (a, b), strict=True))
    return (np.cross(a, db) - np.cross(b, da)).T, np.cross(a, b)


def with_closed_loops(robot: Robot) -> tuple[Mechanism, tuple[str, ...]]:
    """Return a mechanism with the minimum change of joints that closes its loops, and notes."""
    expected = "a mechanism of other joints whose loops agree to the digits of its numbers"
    if not isinstance(robot, Mechanism):
        raise RobotError("a hexapod, which has no loops to close", expected=expected)
    if screws := [joint.name for joint in robot.joints if joint.kind.is_screw]:
        raise RobotError("a screw in loops to close", key=screws[0], expected=expected)
    machine = machine_of_table(robot)
    changed = agreeing(machine)
    if changed is machine:
        raise RobotError("its loops agree as they are", expected=expected)
    if changed is None:
        most = f"{ROUNDED * machine.size:.1g} m and {ROUNDED:g} rad"
        raise RobotError(f"no change of joints of up to {most} closes its loops", expected=expected)
    data = robot.to_dict()
    joints = {joint["name"]: joint for joint in data["joints"]}
    for freedom in assembled(changed).freedoms:
        name, number = freedom.name.rsplit("/", 1)
        joints[name]["at"] = numbers(freedom.at)
        for key in {"axis", "axes"} & joints[name].keys():
            lines = [*np.atleast_2d(joints[name][key])]
            same = np.sign(freedom.axis @ lines[int(number)])  # if not seen from the other body
            lines[int(number)] = same * freedom.axis
            joints[name][key] = numbers(np.array(lines if key == "axes" else lines[0]))
    notes = *changed.assumed, *analysed(cast(Mechanism, Robot.from_dict(data))).left_out
    data["notes"] = " ".join(filter(None, (data.get("notes"), *notes)))
    return cast(Mechanism, Robot.from_dict(data)), notes


def machine_of_table(robot: Mechanism) -> FileMachine:
    """Return the mechanism at home, all bodies with the frame of the base.

    Mass centres count for its size: joints of a spherical mechanism may be in one point.
    """
    heavy = [body for body in robot.bodies if body.mass]
    centers = {f"{_PLACE}{body.name}": placed(np.array(body.center_of_mass)) for body in heavy}
    welds = [FileJoint(name, (BASE, name)) for name in centers]
    given = [FileJoint(j.name, j.between, _freedoms(j)) for j in robot.joints]
    joints = outward([*given, *welds], BASE)
    couplings = tuple(
        FileCoupling(c.name, tuple(f"{joint}/0" for joint in c.joints), c.weights)
        for c in robot.couplings
    )
    names = dict.fromkeys([BASE, *(joint.second for joint in joints)])
    bodies = {name: FileBody(centers.get(name, np.eye(4))) for name in names}
    return FileMachine(robot.name, robot.gravity, bodies, joints, {}, couplings=couplings)


def _freedoms(joint: Joint) -> tuple[FileFreedom, ...]:
    """Degrees of freedom, each by its joint's name and the number of its axis."""
    at, lines = np.array(joint.at), [np.array(x) / np.linalg.norm(x) for x in joint.lines]
    steps = [(cast(Kind, step.kind), step.axis) for step in joint.kind.steps]
    lines = lines or [*np.eye(3)]
    return tuple(FileFreedom(f"{joint.name}/{k}", kind, at, lines[k]) for kind, k in steps)
