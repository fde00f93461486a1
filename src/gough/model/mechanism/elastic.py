"""Elastic parts of a machine, as the equations take them: of numbers or symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from gough.equations.machine import Machine
from gough.equations.mechanism.description import Pair
from gough.equations.mechanism.joint_springs import JointSpring, LineTorsion, springs_at_ends
from gough.equations.mechanism.motions import frames_of
from gough.equations.mechanism.newton import posture_at
from gough.equations.mechanism.points import PLATFORM
from gough.equations.mechanism.rows import PlatformPlacement
from gough.equations.mechanism.springs import ElasticPart, ElasticRod, Flexure, Springs, own
from gough.equations.mechanism.strains import Strained, strained
from gough.equations.spatial.algebra import Value
from gough.errors import RobotError
from gough.model.mechanism.carriers import Carriers
from gough.model.mechanism.drawing import DrawnJoint
from gough.model.mechanism.elastic_parts import elastic_parts
from gough.model.mechanism.independence import independent_rows
from gough.model.mechanism.plans import used_rows
from gough.model.mechanism.samples import Assembler
from gough.robot import Mechanism


def sprung(
    machine: Machine,
    places: Carriers,
    mechanism: Mechanism,
    numbers: Mapping[str, Value],
    template: Springs | None = None,
) -> Machine:
    """Return a machine with its springs, whose numbers are given by place; none without any.

    Which rows tie the strains is decided, or as with a `template`.
    """
    if not numbers:
        return machine
    drives = tuple(numbers[f"{actuator.key}.stiffness"] for actuator in mechanism.actuators)
    springs = Springs(drives, _flexures(places, numbers), elastic_parts(places, numbers))
    if springs.elastic_parts:
        _refuse_bent_rods(springs, places)
        closing = template and template.closing
        closing = closing or closing_rows(machine, places, springs.elastic_parts)
        springs = replace(springs, closing=closing)
    return replace(machine, springs=springs)


def passive_springs(
    pairs: Sequence[Pair], places: Carriers, mechanism: Mechanism, numbers: Callable[[str], Value]
) -> tuple[JointSpring | LineTorsion, ...]:
    """Return the springs of passive joints that state a stiffness, whatever else is elastic."""
    joints = enumerate(mechanism.joints)
    stated = [f"joints[{k}].stiffness" for k, joint in joints if "stiffness" in joint.springs]
    flexures = _flexures(places, {place: numbers(place) for place in stated})
    springs = [JointSpring(f.stiffness, f.joint, pairs[f.joint]) for f in flexures]
    lines = dict[int, list[JointSpring]]()
    for flexure, spring in zip(flexures, springs, strict=True):
        if flexure.line is not None:
            lines.setdefault(flexure.line, []).append(spring)
    return *springs, *(springs_at_ends(ends) for ends in lines.values() if len(ends) == 2)


def _flexures(places: Carriers, numbers: Mapping[str, Value]) -> tuple[Flexure, ...]:
    lines = _lines(places)
    return tuple(
        Flexure(k, numbers[place], _line(places, lines, joint))
        for k, joint in enumerate(places.drawing.described.joints)
        if not joint.driven and (place := f"joints[{k}].stiffness") in numbers
    )


def _line(places: Carriers, lines: Mapping[str, int], joint: DrawnJoint) -> int | None:
    """The number of the line that ends at a ball joint, if one does."""
    if not joint.kind.is_ball:
        return None
    return next((lines[body] for body in places.wholes(joint) if body in lines), None)


def _lines(places: Carriers) -> dict[str, int]:
    """By body that spins between ball joints, the number of its line: those of a leg share one."""
    numbers = {body: k for k, body in enumerate(sorted(places.spinning))}
    for joint in places.drawing.joints:
        if not joint.kind.is_ball and {joint.first, joint.second} <= places.spinning:
            old, new = numbers[joint.first], numbers[joint.second]
            numbers = {body: new if k == old else k for body, k in numbers.items()}
    return numbers


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
    count = len(machine.legs)
    q = [ca.SX.sym(f"q{k}", len(leg.joints)) for k, leg in enumerate(machine.legs)]
    p, R = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    postures = [posture_at(leg, x, p, R) for leg, x in zip(machine.legs, q, strict=True)]
    frames = frames_of(PlatformPlacement(p, R), postures)
    legs = [strained(k, postures[k], frames, own(elastic_parts, k)) for k in range(count)]
    left = [(leg, row) for leg in legs for row in _unused(leg)]
    if not left:
        return ((),) * count
    ties = ca.Function("ties", [*q, p, R], [_ties(machine, legs)])
    samples = Assembler(machine.legs, places.frame(PLATFORM), places.drawing.size).samples()
    seen = [np.array(ties(*sample.q, sample.position, sample.rotation)) for sample in samples]
    chosen = [left[k] for k in independent_rows(seen)]
    return tuple(tuple(row for of, row in chosen if of is leg) for leg in legs)


def _unused(leg: Strained) -> list[int]:
    """The rows of a leg that fix no joint."""
    return sorted(set(range(len(leg.E))) - used_rows(leg.posture.leg.plan))


def _ties(machine: Machine, legs: Sequence[Strained]) -> ca.SX:
    """Return these rows over the displacements outside T, and over the strains of all legs."""
    by_leg = [[leg.closing(row) for row in _unused(leg)] for leg in legs]
    of_V = ca.vertcat(*(V for pairs in by_leg for V, _ in pairs))
    of_e = ca.diagcat(*(ca.vertcat(*(e for _, e in pairs)) for pairs in by_leg if pairs))
    return ca.densify(ca.SX(ca.horzcat(of_V @ machine.freedom.outside.T, of_e)))
