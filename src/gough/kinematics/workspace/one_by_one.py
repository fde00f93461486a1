"""All limits of a robot one by one: what each is about, and how far a pose is within it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.equations.any_machine import AnyMachine
from gough.kinematics.workspace.reach import Limits, each_margin
from gough.kinematics.workspace.stated import (
    FAMILIES,
    KEYS,
    limiting,
    machine_limits,
    stated_limits,
)
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.model.mechanism.reading import analysed
from gough.model.structure import MechanismStructure, structure_of
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.numbers import numbers_of


@dataclass(frozen=True)
class OneLimit:
    """One of the limits that a robot states."""

    family: str
    """One of FAMILIES."""
    of: tuple[str, ...]
    """What it is about: an actuator, a joint, two legs or bodies; nothing for a singularity."""
    unit: str
    """Of its size: m, rad or 1."""
    kind: str
    """A "range" of positions, an "angle" from home, a "gap", or the "side" of a singularity."""
    size: float
    """Half of the range, the largest angle, both radii together, or 1."""

    def inside(self, margin: Any) -> Array:
        """How far within the limit [unit] a margin means; negative beyond it."""
        m = np.asarray(margin, dtype=float)
        if self.kind != "angle":
            return np.asarray(m * self.size)
        sine = np.sin(self.size / 2) * np.sqrt(1 - m)
        return np.asarray(self.size - 2 * np.arcsin(np.minimum(sine, 1.0)))


def one_by_one(robot: Robot, limits: Limits) -> list[OneLimit]:
    """The limits that count, in the order of their margins."""
    found = _of_hexapod(robot, limits) if isinstance(robot, Hexapod) else _of_joints(robot, limits)
    singular = [OneLimit("singularity", (), "1", "side", 1.0)]
    return [*found, *(singular if "singularity" in limits.families else [])]


def margins_one_by_one(robot: Robot, limits: Limits, *, parametric: bool = False) -> Function:
    """The symbolic function from a pose to the margins of `one_by_one`; NaN where it is none."""
    machines = Machines(robot, parametric=parametric)
    stated = stated_limits(robot, limits.families)
    each, count = each_margin(machines, stated, limits), len(one_by_one(robot, limits))

    def equation(machine: AnyMachine, pose: Any) -> Any:
        exists, families = each(machine, pose)
        margins = ca.vertcat(*(margin for family in families for margin in family))
        return ca.if_else(exists, margins, ca.DM.nan(count))

    return machines.function(
        "each_margin",
        equation,
        [POSE],
        [Argument("margin", (count,), "1", "of each limit; at least zero inside")],
        "How far a pose is within each limit; at least zero inside.",
    )


def _of_hexapod(robot: Hexapod, limits: Limits) -> Iterator[OneLimit]:
    found, numbers = limiting(robot, limits.families), numbers_of(robot)
    names = [actuator.name for actuator in robot.actuators]
    stroke, base, platform, clearance, _ = FAMILIES
    for k in found.stroke:
        shortest, longest = numbers[f"legs[{k}].stroke"]
        yield OneLimit(stroke, (names[k],), "m", "range", (longest - shortest) / 2)
    for family, legs in ((base, found.base_joint), (platform, found.platform_joint)):
        for k in legs:
            largest = numbers[f"legs[{k}].{KEYS[family]}"]
            yield OneLimit(family, (names[k],), "rad", "angle", *largest)
    for pair in found.clearance:
        radii = sum(numbers[f"legs[{k}].radius"][0] for k in pair)
        yield OneLimit(clearance, tuple(names[k] for k in pair), "m", "gap", radii)


def _of_joints(robot: Robot, limits: Limits) -> Iterator[OneLimit]:
    structure = structure_of(robot)
    assert isinstance(robot, Mechanism)
    assert isinstance(structure, MechanismStructure)
    found, stated, numbers = (
        analysed(robot),
        machine_limits(robot, limits.families),
        numbers_of(robot),
    )
    stroke, base, platform, clearance, _ = FAMILIES

    def half(place: str) -> float:
        low, high = numbers[place]
        return (high - low) / 2

    for travel in stated.travel:
        actuator = robot.actuators[travel.number]
        unit = "rad" if actuator.turns else "m"
        yield OneLimit(stroke, (actuator.name,), unit, "range", half(travel.place))
    for family, joints in ((base, stated.base_joints), (platform, stated.platform_joints)):
        for one in joints.ranges:
            name = found.joints[one.number]
            unit = "m" if name in structure.sliding else "rad"
            yield OneLimit(family, (name,), unit, "range", half(one.place))
        for hinge in joints.hinges:
            name = found.tips[hinge.leg][hinge.tip]
            yield OneLimit(family, (name,), "rad", "range", half(hinge.place))
        for tilt in joints.tilts:
            (largest,) = numbers[tilt.place]
            yield OneLimit(family, (found.tilts[tilt.number],), "rad", "angle", largest)
    for gap in stated.gaps:
        radii = sum(numbers[place][0] for place in gap.places)
        yield OneLimit(clearance, gap.bodies, "m", "gap", radii)
