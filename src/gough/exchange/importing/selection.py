"""Which part of a file's machine is taken, what drives it, and where it is at home."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import ceil, inf, isfinite, nan

import numpy as np

from gough.errors import InputError, did_you_mean
from gough.exchange.importing.closing import (
    OPEN,
    ROUNDED,
    at_positions,
    closed,
    holding,
    redrawn,
    widest,
)
from gough.exchange.importing.file_machine import FileCoupling, FileFreedom, FileMachine
from gough.robot import connected

_INSIDE = 0.05
"""Distance from the end of a range where a motor that was outside is put, as a share of it."""
_STEP, _JUMP = 0.02, 0.2
"""Steps of motors to there, and those of another joint that would be jumps [rad, sizes]."""


def at_home(machine: FileMachine, home: str | None) -> FileMachine:
    """Return the machine at a keyframe, or with joints at positions that "joint=value, …" states.

    By default it is as drawn, or at a keyframe if only there all joints are in their ranges.
    """
    keyframes = machine.configurations
    if home is None and (outside := _outside(machine)):
        there = {name: redrawn(machine, keyframes[name]) for name in keyframes}
        home = next((name for name, found in there.items() if not _outside(found)), None)
        names = ", ".join(machine.freedoms[k].name for k in outside)
        why = f"as drawn, joints are outside their ranges: {names}"
        machine = machine.assuming(f"Home is near keyframe {home}: {why}.") if home else machine
    if others := [name for name in keyframes if name != home]:
        machine = machine.leaving_out(f"keyframes {', '.join(others)}")
    if home is None:
        return machine
    if "=" in home:
        return _at_positions(machine, home)
    if home not in keyframes:
        known = ", ".join(keyframes) or "none: the file has no keyframes"
        expected = f"{known}; or positions, joint=value"
        raise InputError("no such keyframe", key="home", value=home, expected=expected)
    return redrawn(machine, keyframes[home])


def _at_positions(machine: FileMachine, home: str) -> FileMachine:
    positions = {}
    for part in home.split(","):
        name, _, value = (text.strip() for text in part.partition("="))
        _refuse_unknown(machine, [name], "home")
        try:
            positions[name] = float(value)
        except ValueError:
            positions[name] = nan
        if not isfinite(positions[name]):
            raise InputError("not a number", key="home", value=part, expected="joint=value")
    return at_positions(machine, positions)


def _outside(home: FileMachine) -> dict[int, float]:
    """Joints that are outside their ranges, by number, and positions inside these."""
    found = dict[int, float]()
    for k, f in enumerate(home.freedoms):
        low, high = f.travel or (-inf, inf)
        near, inside = ROUNDED * _unit(home, f), _INSIDE * (high - low)
        if f.is_single and not low - near <= f.zero <= high + near:
            found[k] = low + inside if f.zero < low else high - inside
    return found


def _unit(home: FileMachine, freedom: FileFreedom) -> float:
    return home.size if freedom.kind == "slide" else 1.0


def inside_ranges(home: FileMachine) -> FileMachine:
    """Return the configuration with no motor outside its range; home itself if there is none."""
    freedoms, found, goals = home.freedoms, home, dict[int, float]()
    while beyond := {
        k: x for k, x in _outside(found).items() if freedoms[k].motor is not None and isfinite(x)
    }:
        moved = None if beyond.keys() <= goals.keys() else _moved(home, goals | beyond)
        if moved is None:
            return home
        found, goals = moved, goals | beyond
    if not goals:
        return home
    ways = (
        f"{freedoms[k].name} from {freedoms[k].zero:.6g} to {at:.6g} "
        f"{'m' if freedoms[k].kind == 'slide' else 'rad'}"
        for k, at in goals.items()
    )
    note = f"Home is moved from where motors are outside their ranges: {', '.join(ways)}."
    return found.assuming(note)


def _moved(home: FileMachine, goals: dict[int, float]) -> FileMachine | None:
    """Return the configuration with joints at goals; None if loops open or jump on the way."""
    freedoms, found = home.freedoms, home
    units = np.array([_unit(home, freedom) for freedom in freedoms])
    ways = {k: at - freedoms[k].zero for k, at in goals.items()}
    farthest = max(abs(way) / units[k] for k, way in ways.items())
    for left in np.linspace(1.0, 0.0, ceil(farthest / _STEP) + 1)[1:]:
        ties = [
            FileCoupling(freedoms[k].name, (freedoms[k].name,), (1.0,), goals[k] - left * way)
            for k, way in ways.items()
        ]
        tied = replace(found, couplings=(*home.couplings, *ties))
        last, found = found, closed(tied)
        steps = [b.zero - a.zero for a, b in zip(last.freedoms, found.freedoms, strict=True)]
        if widest(found) > OPEN or np.abs(steps / units).max() > _JUMP:
            return None
    return replace(found, couplings=home.couplings)


def grounded(machine: FileMachine) -> FileMachine:
    """Return the machine without bodies that float: a trunk becomes a part of the base.

    So does one that all else hangs from, if it moves by joints without motors.
    """
    coupled = {name for coupling in machine.couplings for name in coupling.joints}
    drives = [
        joint
        for joint in machine.joints
        if joint.motor is not None or coupled & {f.name for f in joint.freedoms}
    ]
    fixed = machine.fixed
    hung = [j for j in machine.tree if j.first in fixed and j.second not in fixed]
    alone = len(hung) == 1 and drives and hung[0] not in drives
    trunks = [j for j in machine.tree if j.is_free or (alone and j is hung[0])]
    ties = [{*joint.between} for joint in machine.joints if joint not in trunks]
    used = [{*joint.between} for joint in (*drives, *machine.loops)]
    held = list[FileFreedom]()
    for group in connected([*({body} for body in machine.bodies), *ties]):
        if machine.base in group:
            continue
        trunk = next(joint for joint in trunks if joint.second in group)
        name = trunk.second
        if any(group & pair for pair in used):
            note = f"In the file {name} floats: here it is held still, as the base."
            machine = machine.assuming(note)
        else:
            machine = machine.leaving_out(f"body {name}, which no joint ties to the machine")
        held += trunk.freedoms
    return holding(machine, lambda freedom: freedom in held) if held else machine


def below(machine: FileMachine, name: str) -> FileMachine:
    """Return the machine with what a body is a part of, beyond what it hangs from.

    These are all bodies that hang from it, or that loops or couplings tie to these; all else is
    held still.
    """
    names = {body: body for body in machine.bodies}
    for joint in machine.joints:
        names |= {f.name: joint.second for f in joint.freedoms if f.name not in names}
    if name not in names:
        expected = "the name of a body"
        problem = f"no such body{did_you_mean(name, names)}"
        raise InputError(problem, key="subtree", value=name, expected=expected)
    inside = _together(machine, names[name])
    kept = [f for joint in machine.joints if inside & {*joint.between} for f in joint.freedoms]
    loops = [joint for joint in machine.loops if not inside & {*joint.between}]
    joints = tuple(joint for joint in machine.joints if joint not in loops)
    found = holding(replace(machine, joints=joints), lambda freedom: freedom not in kept)
    return found.leaving_out(f"all joints but those of {name} and of what is tied to it")


def _together(machine: FileMachine, body: str) -> set[str]:
    """Bodies that hang from the same one as this, and that loops or couplings tie to it."""
    hung = {joint.second: joint for joint in machine.tree}

    def fixed_to(body: str) -> str:
        while body != machine.base and not hung[body].freedoms:
            body = hung[body].first
        return body

    own = fixed_to(body)
    base = own if own == machine.base else fixed_to(hung[own].first)
    tops = dict[str, str]()
    for joint in machine.tree:  # each behind the one that carries it
        if joint.first in tops:
            tops[joint.second] = tops[joint.first]
        elif joint.freedoms and fixed_to(joint.first) == base:
            tops[joint.second] = joint.second
    if body not in tops:
        expected = "a body that moves"
        raise InputError("does not move", key="subtree", value=body, expected=expected)
    owners = {f.name: joint.second for joint in machine.joints for f in joint.freedoms}
    ties = [{*joint.between} for joint in machine.loops]
    ties += [{owners[name] for name in c.joints} for c in machine.couplings]
    pairs = [{tops[body] for body in tie if body in tops} for tie in ties]
    first = tops[body]
    group = next((g for g in connected([*pairs, {first}]) if first in g), {first})
    return {body for body, top in tops.items() if top in group}


def holding_joints(machine: FileMachine, names: Collection[str]) -> FileMachine:
    """Return the machine with joints held still where they are at home."""
    _refuse_unknown(machine, names, "hold")
    found = holding(machine, lambda freedom: freedom.is_single and freedom.name in names)
    return found.leaving_out(f"motion of joints {', '.join(names)}, which are held still")


def driving(machine: FileMachine, names: Sequence[str]) -> FileMachine:
    """Return the machine with motors at these joints, and no others."""
    _refuse_unknown(machine, names, "motors")
    return machine.changed(
        lambda f: replace(f, motor=names.index(f.name) if f.name in names else None)
    )


def _refuse_unknown(machine: FileMachine, names: Collection[str], key: str) -> None:
    single = [f.name for f in machine.freedoms if f.is_single]
    for name in names:
        if name not in single:
            problem = f"no such joint{did_you_mean(name, single)}"
            expected = f"hinges and slides: {', '.join(single)}"
            raise InputError(problem, key=key, value=name, expected=expected)
