"""Elastic parts of a machine, as the equations take them: of numbers or symbols."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array, direction_of, length_of
from gough.equations.closure.assembled import LegPosture
from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.elastic.network import strained
from gough.equations.machine import Machine
from gough.equations.motion.motions import frames_of
from gough.equations.spatial.algebra import Value
from gough.equations.tree import description
from gough.equations.tree.description import PLATFORM as HELD
from gough.equations.tree.description import ElasticPart, ElasticRod, Flexure, Springs, Telescope
from gough.errors import RobotError
from gough.model.mechanism.decisions.plans import independent_rows, used_rows
from gough.model.mechanism.decisions.samples import Assembler, at_samples
from gough.model.mechanism.home.drawing import DrawnJoint
from gough.model.mechanism.legs.carriers import Carriers
from gough.model.mechanism.legs.frames import across
from gough.model.mechanism.legs.trees import PARALLEL, LegTree
from gough.model.mechanism.numbers.traced import as_number, as_value
from gough.model.named_numbers import Numbers
from gough.model.springs import loaded_springs
from gough.robot import BASE, PLATFORM, BetweenBodies, Mechanism, connected
from gough.robot.elastic import tube_stiffness

Given = Mapping[str, Value]  # numbers of elastic parts by place


def sprung(
    machine: Machine,
    places: Carriers,
    mechanism: Mechanism,
    numbers: Numbers,
    template: Springs | None = None,
) -> Machine:
    """Return a machine with the springs that act in motion; with all, if all drives have some.

    Which rows tie the strains is decided, or as with a `template`.
    """
    flexures = _flexures(machine.description.pairs, places, mechanism, numbers)
    spinning = dict[int, list[Flexure]]()
    for spring in flexures:
        if spring.line is not None:
            spinning.setdefault(spring.line, []).append(spring)
    torsions = (description.springs_at_ends(ends) for ends in spinning.values() if len(ends) == 2)
    loaded = loaded_springs(mechanism, machine, numbers, places.mass_center, places.steps)
    machine = replace(machine, flexures=(*flexures, *torsions), loaded=loaded)
    given = {place: numbers(place) for place in mechanism.stiffness_values}
    if not given:
        return machine
    drives = tuple(given[f"{actuator.key}.stiffness"] for actuator in mechanism.actuators)
    springs = Springs(drives, flexures, elastic_parts(places, given))
    if springs.elastic_parts:
        _refuse_bent_rods(springs, places)
        closing = template and template.closing
        closing = closing or closing_rows(machine, places, springs.elastic_parts)
        springs = replace(springs, closing=closing)
    return replace(machine, springs=springs)


def _flexures(
    pairs: Sequence[description.Pair], places: Carriers, mechanism: Mechanism, numbers: Numbers
) -> tuple[Flexure, ...]:
    """Springs of passive joints that state a stiffness, whatever else is elastic."""
    lines, found = _lines(places), []
    for k, joint in enumerate(places.drawing.described.joints):
        if not joint.driven and "stiffness" in mechanism.joints[k].springs:
            ends = (lines[x] for x in places.units_of(joint) if x in lines and joint.kind.is_ball)
            found.append(Flexure(numbers(f"joints[{k}].stiffness"), k, pairs[k], next(ends, None)))
    return tuple(found)


def _lines(places: Carriers) -> dict[str, int]:
    """By body that spins between ball joints, the number of its line: those of a leg share one."""
    inner = ({*joint.between} for joint in places.drawing.joints if not joint.kind.is_ball)
    pairs = (pair for pair in inner if pair <= places.spinning)
    lines = connected([*({body} for body in sorted(places.spinning)), *pairs])
    return {body: k for k, line in enumerate(lines) for body in line}


def _refuse_bent_rods(springs: Springs, places: Carriers) -> None:
    """Refuse flexures that bend a body between ball joints, in a machine with elastic links."""
    for flexure in springs.flexures:
        if flexure.line is not None:
            raise RobotError(
                "a flexure that bends a body between ball joints, beside elastic links",
                key=f"joints[{flexure.joint}].stiffness",
                value=places.drawing.described.joints[flexure.joint].name,
                expected="a universal joint at one end of the body, or no beams and bearings",
            )


def closing_rows(
    machine: Machine, places: Carriers, elastic_parts: Sequence[ElasticPart | ElasticRod]
) -> tuple[tuple[int, ...], ...]:
    """By leg, the rows that fix no joint: all but those that say nothing new.

    Rows that the others imply strain nothing: rigid parts of overconstrained machines have some.
    """
    samples = Assembler(machine.legs, places.frame(HELD), places.drawing.size).samples()
    legs = zip(machine.legs, samples[0].A, strict=True)
    unused = [sorted({*range(len(A))} - used_rows(leg.plan)) for leg, A in legs]

    def ties(postures: list[LegPosture], place: PlatformPlacement) -> list[Value]:
        """These rows over the displacements outside T, and over the strains of all legs."""
        frames = frames_of(place, postures)
        legs = [strained(k, at, frames, elastic_parts) for k, at in enumerate(postures)]
        pairs = zip(legs, unused, strict=True)
        by_leg = [[leg.closing(row) for row in rows] for leg, rows in pairs]
        of_V = ca.vertcat(*(V for pairs in by_leg for V, _ in pairs))
        of_e = ca.diagcat(*(ca.vertcat(*(e for _, e in pairs)) for pairs in by_leg if pairs))
        return [ca.horzcat(of_V @ machine.freedom.outside.T, of_e)]

    left = [(leg, row) for leg, rows in enumerate(unused) for row in rows]
    if not left:
        return ((),) * len(machine.legs)
    seen = [rows for (rows,) in at_samples(machine.legs, ties, samples)]
    chosen = [left[k] for k in independent_rows(seen)]
    return tuple(tuple(row for leg, row in chosen if leg == k) for k in range(len(unused)))


def bearing_stiffness(
    joint: BetweenBodies, known: Mapping[str, Any], place: str = "bearing"
) -> dict[int, Any]:
    """Return the stiffness [N/m, N m/rad] of the components in which a bearing is elastic."""
    return {
        component: known[f"{place}.{key}"]
        for key, components in joint.kind.compliant.items()
        if f"{place}.{key}" in known
        for component in components
    }


def elastic_parts(places: Carriers, numbers: Given) -> tuple[ElasticPart | ElasticRod, ...]:
    """All bodies that are beams and all bearings; a rod with those at its ends as one."""
    found: list[ElasticPart | ElasticRod] = []
    stretched: dict[str, Value] = {}
    described = places.drawing.described
    for k, body in enumerate(name for name in described.bodies if name != PLATFORM):
        key = f"bodies[{k}].beam"
        if f"{key}.diameter" in numbers:
            unit = places.drawing.described.unit
            if list(unit.values()).count(unit[body]) > 1:
                expected = "a body without fixed joints"
                raise RobotError("a part of another body", key=key, value=body, expected=expected)
            section = _section(numbers, key)
            if f"{key}.length" in numbers:
                found += _telescope(places, body, numbers)
            elif places.is_line(body):
                near, far = places.rods[body].points
                stretched[body] = as_number(length_of(far - near)) / section[0]
            else:
                found.append(_bending(places, body, section, key))
    for k, joint in enumerate(described.joints):
        stiff = bearing_stiffness(joint, numbers, f"joints[{k}].bearing")
        given = {component: 1 / stiffness for component, stiffness in stiff.items()}
        rods = [body for body in places.units_of(joint) if places.is_line(body)]
        if given and not rods:
            found.append(_compliant_bearing(places, joint, given))
        for rod in rods if given else ():
            stretched[rod] = stretched.get(rod, 0) + given[0]
    return (*found, *(ElasticRod(*places.cuts[rod, True], c) for rod, c in stretched.items()))


def _section(numbers: Given, place: str) -> tuple[Value, Value, Value]:
    """A beam's stiffness against stretching [N], bending and twisting [N m^2]."""
    d, E = numbers[f"{place}.diameter"], numbers[f"{place}.modulus"]
    bore, G = numbers.get(f"{place}.bore", ca.DM(0)), numbers.get(f"{place}.shear_modulus")
    return tube_stiffness(d, bore, E, G)


def _bending(
    places: Carriers, body: str, section: tuple[Value, Value, Value], key: str
) -> ElasticPart:
    joints = [(k, j) for k, j in enumerate(places.drawing.described.joints) if j.joins(body)]
    tree = places.trees[places.carrier(body).leg]
    (near,) = (joint.at for _, joint in joints if joint.name == tree.held_by[body])
    outer = [(k, joint) for k, joint in joints if joint.name != tree.held_by[body]]
    far = np.mean([joint.at for _, joint in outer], axis=0) if outer else near
    length = length_of(far - near)
    if length <= PARALLEL * places.drawing.size:
        expected = "joints at two places, between which it can bend"
        raise RobotError("a beam without length", key=key, value=body, expected=expected)
    compliance = description.beam_compliance(as_number(length), *section)
    return _end_of(places, body, (far - near) / length, outer, tuple(range(6)), compliance)


def _telescope(places: Carriers, piston: str, numbers: Given) -> list[ElasticPart]:
    """A piston and the cylinder that carries it; none for another body."""
    if piston in places.spinning:  # between ball joints loads do not bend it
        return []
    described, tree = places.drawing.described, places.trees[places.carrier(piston).leg]
    held = {joint.name: joint for joint in described.joints}
    slide = held[tree.held_by[piston]]
    bodies, cylinder = [name for name in described.bodies if name != PLATFORM], slide.beyond(piston)
    outer = [(k, j) for k, j in enumerate(held.values()) if j.joins(piston) and j is not slide]
    keys = [f"bodies[{bodies.index(x)}].beam" for x in (cylinder, piston) if x in bodies]
    if slide.type != "P" or not outer or any(f"{key}.length" not in numbers for key in keys):
        return []
    near = held[tree.held_by[cylinder]].at
    way = np.mean([joint.at for _, joint in outer], axis=0) - near
    parts = ((numbers[f"{key}.length"], _section(numbers, key)[1]) for key in keys)
    own = Telescope(places.point(places.carrier(cylinder), near), *parts)
    return [_end_of(places, piston, direction_of(way), outer, (1, 2, 4, 5), own)]


def _end_of(
    places: Carriers,
    body: str,
    x: Array,
    outer: Sequence[tuple[int, DrawnJoint]],
    components: tuple[int, ...],
    compliance: Value | Telescope,
) -> ElasticPart:
    """The middle of a body's outer joints, which components of a compliance along x displace."""
    carrier = places.carrier(body)
    tree, far = places.trees[carrier.leg], np.mean([joint.at for _, joint in outer], axis=0)
    links = frozenset(_beyond(tree, carrier.link) - {carrier.link})
    return ElasticPart(
        carrier.leg,
        places.point(carrier, far),
        as_value(places.direction(carrier, np.column_stack([x, across(x)]))),
        components,
        compliance,
        links,
        _opened(tree, links | {carrier.link}),
        tuple((k, 1 if joint.first == body else -1) for k, joint in outer),
    )


def _compliant_bearing(
    places: Carriers, joint: DrawnJoint, given: Mapping[int, Value]
) -> ElasticPart:
    x = joint.axes[0] if joint.axes else np.array([1.0, 0.0, 0.0])
    body = next(body for body in places.units_of(joint) if body != BASE)
    links, step = frozenset[int](), places.steps.get(joint.kind.step_names(joint.name)[0])
    if step is None:  # it was cut
        leg, number = places.cuts[joint.name, False]
        cuts: tuple[tuple[int, int], ...] = ((number, 1),)
    else:
        leg, tree = step.leg, places.trees[step.leg]
        links = frozenset(_beyond(tree, step.link))
        cuts = _opened(tree, links)
    carrier = places.carrier(body)
    return ElasticPart(
        leg,
        places.point(carrier, joint.at),
        as_value(places.direction(carrier, np.column_stack([x, across(x)]))),
        tuple(given),
        ca.diag(ca.vertcat(*given.values())),
        links,
        cuts,
    )


def _beyond(tree: LegTree, link: int) -> set[int]:
    """A link and all that it carries."""
    found = {link}
    for k, joint in enumerate(tree.joints):  # those that carry come first
        if joint.before in found:
            found.add(k)
    return found


def _opened(tree: LegTree, links: frozenset[int]) -> tuple[tuple[int, int], ...]:
    """The cut joints of which one side is displaced with these links."""
    signs = ((cut.link in links) - (cut.other in links) for cut in tree.cuts)
    return tuple((k, sign) for k, sign in enumerate(signs) if sign)
