"""Places of a leg's joints at home: the one bend between known places, in closed form.

The end of a link on a hinge is on a circle about its axis; on any other joint, on a sphere; on a
slide, on a line. The elbow is where that meets the sphere about the next joint; of two such places,
the one nearer to the approximate place in the robot file. All functions take arrays of numbers and
arrays of objects with the same arithmetic.
"""

import math

import numpy as np

from gough.arrays import AnyNumber, Array, across_axis, direction_of, length_of, product_of
from gough.errors import InputError
from gough.robot.legs.chain import Chain, ChainLink

CLOSE = 1e-9  # relative difference below which lengths are equal


def joint_places(chain: Chain, end: Array) -> list[Array]:
    """Return the places of all joints [m], base frame; that of the last joint, `end`, is given."""
    _refuse_idle_keys(chain)
    known = _with_joined([chain.base, *(link.end for link in chain.links[:-1]), end], chain)
    unknown = [k for k, place in enumerate(known) if place is None]
    if unknown:
        bend = _bend(chain, known, unknown[0], unknown[-1])
        known[unknown[0] : unknown[-1] + 1] = [bend] * len(unknown)
    elif chain.elbow is not None:
        problem = "the leg does not bend: all its joints have their places without it"
        key = f"{chain.key}.elbow"
        expected = "no such key, or lengths of the links before and behind the bend"
        raise InputError(problem, key=key, value=chain.elbow.tolist(), expected=expected)
    places = [place for place in known if place is not None]
    for k, link in enumerate(chain.links):
        if link.record.length is not None:
            _check_length(link, link.record.length, places[k + 1] - places[k])
    return places


def _refuse_idle_keys(chain: Chain) -> None:
    """Refuse lengths and places that are determined otherwise."""
    for k, link in enumerate(chain.links):
        length = link.record.length
        if length is not None and chain.joints[k].kind.slides:
            problem = "the link is behind a slide, whose position determines its length"
            key = f"{link.key}.length"
            raise InputError(problem, key=key, value=length, expected="no such key")
    last = chain.links[-1]
    if last.end is not None:
        problem, key = "the leg's last joint is at its place on the platform", f"{last.key}.end"
        raise InputError(problem, key=key, value=last.end.tolist(), expected="no such key")


def _with_joined(places: list[Array | None], chain: Chain) -> list[Array | None]:
    """The places with those that are known because a link without length ends there."""
    links = [k for k, _ in enumerate(chain.links) if _joins(chain, k)]
    for k in links:
        if places[k + 1] is None:
            places[k + 1] = places[k]
    for k in reversed(links):
        if places[k] is None:
            places[k] = places[k + 1]
    return places


def _joins(chain: Chain, k: int) -> bool:
    """Whether a link holds its joints at one place."""
    return chain.links[k].record.length is None and not chain.joints[k].kind.slides


def _bend(chain: Chain, known: list[Array | None], first: int, last: int) -> Array:
    """The one unknown place, of the joints from `first` to `last`."""
    inner = range(first, last)
    start, goal, after = known[first - 1], known[last + 1], chain.links[last]
    single = all(known[k] is None and _joins(chain, k) for k in inner)
    if not single or start is None or goal is None or after.record.length is None:
        problem = "where its second joint is at home does not follow from the lengths"
        expected = "end = [x, y, z]; or the lengths of two links around one bend"
        raise InputError(problem, key=chain.links[first - 1].key, expected=expected)
    if chain.elbow is None:
        expected = "roughly where the leg bends at home"
        raise InputError("missing", key=f"{chain.key}.elbow", expected=expected)
    length = after.record.length
    before, joint = chain.links[first - 1].record.length, chain.joints[first - 1]
    if joint.kind.slides:
        found = _on_line(start, needed_axis(chain, first - 1), goal, length, after.key)
    elif before is None:
        raise InputError("missing", key=f"{chain.links[first - 1].key}.length", expected="a length")
    elif joint.type == "R":
        found = _on_circle(start, needed_axis(chain, first - 1), before, goal, length, after.key)
    else:
        found = [_on_sphere(start, before, goal, length, after.key, chain)]
    return _nearest(found, chain.elbow, f"{chain.key}.elbow")


def _on_line(start: Array, axis: Array, goal: Array, length: AnyNumber, key: str) -> list[Array]:
    """Points of a line at a distance from the goal."""
    along = product_of(axis, goal - start)
    aside = length_of(goal - start - along * axis)
    _check_reach(length, aside, math.inf, key)
    half = _leg_of_triangle(length, aside)
    return [start + (along + side * half) * axis for side in (-1.0, 1.0)]


def _on_circle(
    center: Array, axis: Array, radius: AnyNumber, goal: Array, length: AnyNumber, key: str
) -> list[Array]:
    """Points of a circle about an axis at a distance from the goal."""
    height = product_of(axis, goal - center)
    across = goal - center - height * axis
    distance = length_of(across)
    ends = (_hypotenuse(height, distance - radius), _hypotenuse(height, distance + radius))
    _check_reach(length, *ends, key)
    if distance <= CLOSE * radius:
        problem = "the next joint is on the hinge's axis: every bend is possible"
        raise InputError(problem, key=key, expected="end = [x, y, z] of the link before")
    u = across / distance
    level = _leg_of_triangle(length, height)
    x = (radius**2 + distance**2 - level**2) / (2.0 * distance)
    y = _leg_of_triangle(radius, abs(x))
    return [center + x * u + side * y * np.cross(axis, u) for side in (-1.0, 1.0)]


def _on_sphere(
    center: Array, radius: AnyNumber, goal: Array, length: AnyNumber, key: str, chain: Chain
) -> Array:
    """Point of a sphere at a distance from the goal: on that circle, nearest to the elbow."""
    distance = length_of(goal - center)
    _check_reach(length, abs(distance - radius), distance + radius, key)
    u = (goal - center) / (distance or 1.0)
    x = (radius**2 + distance**2 - length**2) / (2.0 * distance) if distance else 0.0
    aside = across_axis(np.asarray(chain.elbow) - center, u)
    if length_of(aside) <= CLOSE * radius:
        place, line = f"{chain.key}.elbow", "on the line between the joints before and behind it"
        raise InputError(line, key=place, expected="beside it")
    out = _leg_of_triangle(radius, abs(x)) * direction_of(aside)
    return np.asarray(center + x * u + out)


def _hypotenuse(a: AnyNumber, b: AnyNumber) -> AnyNumber:
    return np.sqrt(a * a + b * b)


def _leg_of_triangle(long: AnyNumber, short: AnyNumber) -> AnyNumber:
    return np.sqrt(max(long**2 - short**2, 0.0))


def _nearest(places: list[Array], elbow: Array, key: str) -> Array:
    """The place nearer to the elbow among those at which a leg may bend."""
    gaps = [length_of(place - elbow) for place in places]
    apart = length_of(places[0] - places[-1])
    if apart > 0.0 and abs(gaps[0] - gaps[-1]) < 1e-6 * apart:
        problem = "it is equally far from both possible bends"
        listed = (f"[{', '.join(f'{x:.4g}' for x in place)}]" for place in places)
        expected = f"nearer to one of {' and '.join(listed)} m"
        raise InputError(problem, key=key, value=elbow.tolist(), expected=expected)
    return places[-1] if gaps[-1] < gaps[0] else places[0]


def _check_reach(length: AnyNumber, least: AnyNumber, most: AnyNumber, key: str) -> None:
    """Refuse a link that is too short or too long to reach its next joint."""
    slack, problem = CLOSE * length, ""
    if length < least - slack:
        problem = f"{least - length:.4g} m too short to reach its next joint at home"
        expected = f"at least {least:.6g} m"
    elif length > most + slack:
        problem = f"{length - most:.4g} m too long to meet the link before it at home"
        expected = f"at most {most:.6g} m"
    if problem:
        raise InputError(problem, key=f"{key}.length", value=length, expected=expected)


def _check_length(link: ChainLink, length: AnyNumber, way: Array) -> None:
    drawn = length_of(way)
    if abs(drawn - length) > CLOSE * (length + drawn) / 2.0:
        raise InputError(
            f"its joints are {drawn:.6g} m apart at home, {abs(drawn - length):.4g} m "
            f"{'more' if drawn > length else 'less'}",
            key=f"{link.key}.length",
            value=length,
            expected=f"{drawn:.6g} m, or another place of its joints",
        )


def needed_axis(chain: Chain, k: int) -> Array:
    """The axis of a joint that must have one."""
    joint = chain.joints[k]
    if joint.axis is None:
        raise InputError(
            f"missing, and the {joint.type} of {joint.key.removeprefix(chain.key + '.')} has none",
            key=f"{chain.key}.axis",
            expected="a direction in the base frame",
        )
    return joint.axis
