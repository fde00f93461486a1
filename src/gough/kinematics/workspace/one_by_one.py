"""All limits of a robot one by one, and the margins of a pose to each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.kinematics.workspace.reach import Limits, each_margin
from gough.kinematics.workspace.stated import FAMILIES, stated_limits
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.robot.numbers import numbers_of


@dataclass(frozen=True)
class OneLimit:
    """One of the limits that a robot states."""

    family: str
    """One of FAMILIES."""
    of: tuple[str, ...]
    """Its parts: an actuator, a joint, two legs or bodies; empty for a singularity."""
    unit: str
    """Unit of its size: m, rad or 1."""
    kind: str
    """A "range" of positions, an "angle" from home, a "gap", or the "side" of a singularity."""
    size: float
    """Half of the range, the maximum angle, both radii together, or 1."""

    def inside(self, margin: ArrayLike) -> Array:
        """Return the distance to the limit [unit] of a margin; negative beyond it."""
        m = np.asarray(margin, dtype=float)
        if self.kind != "angle":
            return np.asarray(m * self.size)
        sine = np.sin(self.size / 2) * np.sqrt(1 - m)
        return np.asarray(self.size - 2 * np.arcsin(np.minimum(sine, 1.0)))


def one_by_one(robot: Robot, limits: Limits) -> list[OneLimit]:
    """Return the limits that count, in the order of their margins."""
    singular = [OneLimit("singularity", (), "1", "side", 1.0)]
    return [*_of_joints(robot, limits), *(singular if "singularity" in limits.families else [])]


def margins_one_by_one(robot: Robot, limits: Limits, *, parametric: bool = False) -> Function:
    """Return the function from a pose to the margins of `one_by_one`; NaN where it is no pose."""
    machines = Machines(robot, parametric=parametric)
    stated = stated_limits(robot, limits.families)
    each, count = each_margin(machines, stated, limits), len(one_by_one(robot, limits))

    def equation(machine: Machine, pose: Value) -> Value:
        exists, families = each(machine, pose)
        margins = ca.vertcat(*(margin for family in families for margin in family))
        return ca.if_else(exists, margins, ca.DM.nan(count))

    return machines.function(
        "each_margin",
        equation,
        [POSE],
        [Argument("margin", (count,), "1", "of each limit; at least zero inside")],
        "Margin of a pose to each limit; at least zero inside.",
    )


def _of_joints(robot: Robot, limits: Limits) -> Iterator[OneLimit]:
    structure, stated = structure_of(robot), stated_limits(robot, limits.families)
    numbers = numbers_of(robot)
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
            name = structure.joints[one.number]
            unit = "m" if name in structure.sliding else "rad"
            yield OneLimit(family, (name,), unit, "range", half(one.place))
        for hinge in joints.hinges:
            yield OneLimit(family, (hinge.joint,), "rad", "range", half(hinge.place))
        for tilt in joints.tilts:
            (largest,) = numbers[tilt.place]
            yield OneLimit(family, (structure.tilts[tilt.number],), "rad", "angle", largest)
    for gap in stated.gaps:
        radii = sum(numbers[place][0] for place in gap.places)
        yield OneLimit(clearance, gap.bodies, "m", "gap", radii)
