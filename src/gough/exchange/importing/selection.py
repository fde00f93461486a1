"""Which part of a file's tree becomes the machine, what drives it, and where it is at home."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import ceil, inf, isfinite, nan

import numpy as np

from gough.errors import InputError, did_you_mean
from gough.exchange.importing.tree import (
    BASE_LINK,
    OPEN,
    ROUNDED,
    FileCoupling,
    FileFreedom,
    FileTree,
    Owner,
    Posture,
    at_positions,
    at_steps,
    closed,
    drawn,
    units_of,
)
from gough.robot import connected

_INSIDE = 0.05
"""Distance from the end of a range where a motor that was outside is put, as a share of it."""
_STEP, _JUMP = 0.02, 0.2
"""Steps of motors to there, and those of another joint that would be jumps [rad, sizes]."""


def at_home(tree: FileTree, home: str | None) -> FileTree:
    """Return the tree at a keyframe, or with joints at positions that "joint=value, …" states.

    By default it is as drawn, or at a keyframe if only there all joints are in their ranges.
    """
    steps = tree.configurations
    if home is None and (outside := _outside(drawn(tree))):
        there = {name: drawn(at_steps(tree, steps[name])) for name in steps}
        home = next((name for name, posture in there.items() if not _outside(posture)), None)
        names = ", ".join(tree.freedoms[owner].name for owner in outside)
        why = f"as drawn, joints are outside their ranges: {names}"
        tree = tree.assuming(f"Home is near keyframe {home}: {why}.") if home else tree
    if others := [name for name in steps if name != home]:
        tree = tree.leaving_out(f"keyframes {', '.join(others)}")
    if home is None:
        return tree
    if "=" in home:
        return _at_positions(tree, home)
    if home not in steps:
        known = ", ".join(steps) or "none: the file has no keyframes"
        expected = f"{known}; or positions, joint=value"
        raise InputError("no such keyframe", key="home", value=home, expected=expected)
    return at_steps(tree, steps[home])


def _at_positions(tree: FileTree, home: str) -> FileTree:
    positions = {}
    for part in home.split(","):
        name, _, value = (text.strip() for text in part.partition("="))
        _named(tree, [name], "home")
        try:
            positions[name] = float(value)
        except ValueError:
            positions[name] = nan
        if not isfinite(positions[name]):
            raise InputError("not a number", key="home", value=part, expected="joint=value")
    return at_positions(tree, positions)


def _outside(home: Posture) -> dict[Owner, float]:
    """Joints that are outside their ranges, and positions inside these."""
    found = dict[Owner, float]()
    for owner, f in home.tree.freedoms.items():
        (low, high), at = f.travel or (-inf, inf), f.zero + home.moved[owner]
        near, inside = ROUNDED * _unit(home, owner), _INSIDE * (high - low)
        if f.is_single and not low - near <= at <= high + near:
            found[owner] = low + inside if at < low else high - inside
    return found


def _unit(home: Posture, owner: Owner) -> float:
    return home.size if home.tree.freedoms[owner].kind == "slide" else 1.0


def inside_ranges(home: Posture) -> Posture:
    """Return the configuration with no motor outside its range; home itself if there is none."""
    freedoms, found, goals = home.tree.freedoms, home, dict[Owner, float]()
    motors = {owner for owner, f in freedoms.items() if f.motor is not None}
    while beyond := {o: x for o, x in _outside(found).items() if o in motors and isfinite(x)}:
        moved = None if beyond.keys() <= goals.keys() else _moved(home, goals | beyond)
        if moved is None:
            return home
        found, goals = moved, goals | beyond
    if not goals:
        return home
    ways = (
        f"{freedoms[o].name} from {freedoms[o].zero + home.moved[o]:.6g} to {at:.6g} "
        f"{'m' if freedoms[o].kind == 'slide' else 'rad'}"
        for o, at in goals.items()
    )
    note = f"Home is moved from where motors are outside their ranges: {', '.join(ways)}."
    return replace(found, tree=home.tree.assuming(note))


def _moved(home: Posture, goals: dict[Owner, float]) -> Posture | None:
    """Return the configuration with joints at goals; None if loops open or jump on the way."""
    freedoms, found = home.tree.freedoms, home
    ways = {o: at - freedoms[o].zero - home.moved[o] for o, at in goals.items()}
    farthest = max(abs(way) / _unit(home, o) for o, way in ways.items())
    for left in np.linspace(1.0, 0.0, ceil(farthest / _STEP) + 1)[1:]:
        ties = [
            FileCoupling(freedoms[o].name, (freedoms[o].name,), (1.0,), goals[o] - left * way)
            for o, way in ways.items()
        ]
        tied = replace(home.tree, couplings=(*home.tree.couplings, *ties))
        last, found = found, closed(replace(found, tree=tied), units_of(home))
        steps = (abs(found.moved[o] - last.moved[o]) / _unit(home, o) for o in freedoms)
        if found.widest > OPEN or max(steps) > _JUMP:
            return None
    return replace(found, tree=home.tree)


def grounded(tree: FileTree) -> FileTree:
    """Return the tree without bodies that float: a trunk becomes a part of the base.

    So does one that all else hangs from, if it moves by joints without motors.
    """
    coupled = {name for coupling in tree.couplings for name in coupling.joints}
    driven = {k for (k, _), f in tree.freedoms.items() if f.motor is not None or f.name in coupled}
    fixed = {BASE_LINK}
    for k, link in enumerate(tree.links):  # each behind its parent
        fixed |= {k} if link.parent in fixed and not link.freedoms else set()
    hung = [k for k, link in enumerate(tree.links) if link.parent in fixed and k not in fixed]
    trunks = {k for k in hung if len(hung) == 1 and k not in driven and driven}
    trunks |= {k for k, link in enumerate(tree.links) if link.is_free}
    pairs = [{k} for k, _ in enumerate(tree.links)]
    pairs += [{k, link.parent} for k, link in enumerate(tree.links) if k not in trunks]
    pairs += [{*closure.links} for closure in tree.closures]
    kept = dict(tree.freedoms)
    for group in connected(pairs):
        if BASE_LINK in group:
            continue
        trunk = min(group & trunks)
        name = tree.links[trunk].name
        if group & driven or any(group & {*closure.links} for closure in tree.closures):
            tree = tree.assuming(f"In the file {name} floats: here it is held still, as the base.")
        else:
            tree = tree.leaving_out(f"body {name}, which no joint ties to the machine")
        kept = {owner: f for owner, f in kept.items() if owner[0] != trunk}
    return tree if len(kept) == len(tree.freedoms) else tree.with_freedoms(kept)


def below(tree: FileTree, name: str) -> FileTree:
    """Return the tree with what a body is a part of, beyond what it hangs from.

    These are all links that hang from it, or that loops or couplings tie to these; all else is
    held still.
    """
    names = {link.name: k for k, link in enumerate(tree.links)}
    names |= {f.name: k for (k, _), f in tree.freedoms.items() if f.name not in names}
    if name not in names:
        expected = "the name of a body"
        problem = f"no such body{did_you_mean(name, names)}"
        raise InputError(problem, key="subtree", value=name, expected=expected)
    inside = _together(tree, names[name])
    kept = {owner: f for owner, f in tree.freedoms.items() if owner[0] in inside}
    closures = tuple(c for c in tree.closures if inside & {*c.links})
    found = replace(tree.with_freedoms(kept), closures=closures)
    return found.leaving_out(f"all joints but those of {name} and of what is tied to it")


def _together(tree: FileTree, link: int) -> set[int]:
    """Links that hang from the same body as this one, and that loops or couplings tie to it."""
    links = tree.links

    def fixed_to(k: int) -> int:
        while k != BASE_LINK and not links[k].freedoms:
            k = links[k].parent
        return k

    base, tops = fixed_to(links[fixed_to(link)].parent), dict[int, int]()
    for k, own in enumerate(links):  # each behind its parent
        if k != BASE_LINK and own.parent in tops:
            tops[k] = tops[own.parent]
        elif k != BASE_LINK and own.freedoms and fixed_to(own.parent) == base:
            tops[k] = k
    if link not in tops:
        name, expected = links[link].name, "a body that moves"
        raise InputError("does not move", key="subtree", value=name, expected=expected)
    owners = {f.name: k for (k, _), f in tree.freedoms.items()}
    ties = [{*c.links} for c in tree.closures]
    ties += [{owners[name] for name in c.joints} for c in tree.couplings]
    pairs = [{tops[k] for k in tie if k in tops} for tie in ties]
    first = tops[link]
    group = next((g for g in connected([*pairs, {first}]) if first in g), {first})
    return {k for k, top in tops.items() if top in group}


def holding(tree: FileTree, names: Collection[str]) -> FileTree:
    """Return the tree with joints held still where they are at home."""
    held = _named(tree, names, "hold")
    found = tree.with_freedoms({o: f for o, f in tree.freedoms.items() if o not in held})
    return found.leaving_out(f"motion of joints {', '.join(names)}, which are held still")


def driving(tree: FileTree, names: Sequence[str]) -> FileTree:
    """Return the tree with motors at these joints, and no others."""
    driven = _named(tree, names, "motors")
    return tree.with_freedoms(
        {
            owner: replace(f, motor=names.index(f.name) if owner in driven else None)
            for owner, f in tree.freedoms.items()
        }
    )


def _named(tree: FileTree, names: Collection[str], key: str) -> dict[tuple[int, int], FileFreedom]:
    single = {f.name: owner for owner, f in tree.freedoms.items() if f.is_single}
    for name in names:
        if name not in single:
            problem = f"no such joint{did_you_mean(name, single)}"
            expected = f"hinges and slides: {', '.join(single)}"
            raise InputError(problem, key=key, value=name, expected=expected)
    return {single[name]: tree.freedoms[single[name]] for name in names}
