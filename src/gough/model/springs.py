"""Springs of legs, bodies and joints, as the equations take them: of numbers or symbols."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import casadi as ca

from gough.equations.legs import extensible
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, norm
from gough.equations.tree import springs
from gough.equations.tree.description import BodyPoint, LinkRef
from gough.model.named_numbers import Numbers
from gough.robot import Leg, Robot
from gough.robot.elastic import tube_stiffness
from gough.robot.springs import JointSpring, Spring

NONE = ca.DM(0)  # compliance [m/N] of a rigid part, stiffness of a free one
NO_STEPS: Mapping[str, LinkRef] = MappingProxyType({})
_ENDS = ("joint_stiffness.base", "joint_stiffness.platform")


def springs_of(leg: Leg, at: str, numbers: Numbers) -> extensible.LegSprings:
    """The springs of a leg, whose place among the numbers is `at`."""
    taken, connector = _Taken(leg, at, numbers), connector_of(leg, at, numbers)
    coupling = connector.coupling and replace(connector.coupling, damping=None)
    stage = connector.decoupling and replace(connector.decoupling, damping=NONE)
    behind = ("stiffness", "screw.nut", "screw.bearing", "screw.rod", "joint_stiffness.base_axial")
    return extensible.LegSprings(
        sum(map(taken.compliance, behind), NONE),
        _screw(taken),
        taken.compliance("joint_stiffness.platform_axial"),
        replace(connector, damping=NONE, coupling=coupling, decoupling=stage),
        connector,
    )


def connector_of(leg: Leg, at: str, numbers: Numbers) -> extensible.ConnectorLaw:
    """The connector of a leg, with all its stages and dampers."""
    taken = _Taken(leg, at, numbers)
    coupling = stage = None
    if taken.given("connector.coupling") is not None:
        damped = taken.given("connector.coupling.damping") > 0
        damping = taken.number("connector.coupling.damping") if damped else None
        coupling = extensible.CouplingLaw(taken.number("connector.coupling.stiffness"), damping)
    if taken.given("connector.decoupling.stiffness") is not None:
        keys = ("mass", "position", "stiffness", "damping")
        parts = (taken.number(f"connector.decoupling.{key}") for key in keys)
        stage = extensible.DecouplingLaw(*parts)
    damping = NONE if leg.connector is None else taken.number("connector.damping")
    stiff = taken.given("connector.stiffness") is None
    stiffness = None if stiff else taken.number("connector.stiffness")
    return extensible.ConnectorLaw(damping, stiffness, coupling, stage)


def bends(leg: Leg) -> bool:
    """Whether something resists the turning of a leg's joints."""
    keys = ("base_bending", "platform_bending", "platform_torsion")
    return any(getattr(leg.joint_stiffness, key, None) is not None for key in keys)


class _Taken:
    """The numbers of a leg that are given, by their keys."""

    def __init__(self, leg: Leg, at: str, numbers: Numbers) -> None:
        self.leg, self.at, self.numbers = leg, at, numbers

    def given(self, key: str) -> Any:
        """Return the leg's value at a key; None if it has none."""
        found: Any = self.leg
        for part in key.split("."):
            found = getattr(found, part, None)
        return found

    def number(self, key: str) -> Value:
        return self.numbers(f"{self.at}.{key}")

    def compliance(self, key: str) -> Value:
        """Return the compliance of a spring; zero if it is not given."""
        return NONE if self.given(key) is None else 1 / self.number(key)

    def resistance(self, key: str) -> Value:
        """Return the stiffness of a flexure; zero if it is not given."""
        return NONE if self.given(key) is None else self.number(key)


def _screw(taken: _Taken) -> extensible.FreeScrew | None:
    if taken.given("screw") is None:
        return None
    axial, _, _ = tube_stiffness(taken.number("screw.diameter"), 0, taken.number("screw.modulus"))
    return extensible.FreeScrew(axial, taken.number("screw.dead_length"))


def flexures_of(leg: Leg, at: str, numbers: Numbers) -> extensible.JointSprings | None:
    """Return the springs of a leg's joints; None if nothing resists that they turn."""
    if not bends(leg):
        return None
    taken = _Taken(leg, at, numbers)
    stiff = [taken.given(f"{end}_torsion") is not None for end in _ENDS]
    if all(stiff):  # in series
        torsion = 1 / sum((taken.compliance(f"{end}_torsion") for end in _ENDS), NONE)
    else:
        torsion = taken.resistance(f"{_ENDS[1]}_torsion") if leg.kind[0] == "U" else NONE
    radial = sum((taken.compliance(f"{end}_radial") for end in _ENDS), NONE)
    base, platform = (taken.resistance(f"{end}_bending") for end in _ENDS)
    return extensible.JointSprings(radial, base, platform, torsion)


def loaded_springs(
    robot: Robot,
    machine: Machine,
    numbers: Numbers,
    placed: Callable[[str, Value], BodyPoint],
    steps: Mapping[str, LinkRef] = NO_STEPS,
) -> tuple[springs.LineSpring | springs.ParallelSpring, ...]:
    """All of them; `placed` gives a body's point from where it is at home, `steps` tree joints."""
    beside = _parallel_springs(robot, machine, numbers, steps)
    return *_line_springs(robot, machine, numbers, placed), *beside


def _line_springs(
    robot: Robot, machine: Machine, numbers: Numbers, placed: Callable[[str, Value], BodyPoint]
) -> Iterator[springs.LineSpring]:
    """Springs between bodies."""
    joints, bearings = robot.bodies_and_joints.joints, machine.description.loads.bearings
    pairs = ((x.between, bearing.sides) for x, bearing in zip(joints, bearings, strict=True))
    member = {body: side for pair in pairs for body, side in zip(*pair, strict=True)}
    for k, spring in enumerate(robot.springs):
        at = f"springs[{k}]"
        keys = (f"{at}.start", f"{at}.end")
        start, end = (machine.frame_convention.axes @ numbers(key) for key in keys)
        first, second = spring.between
        length, members = norm(end - start), (member[first], member[second])
        law = law_of(spring, at, numbers, length)
        damping = NONE if spring.damping is None else numbers(f"{at}.damping")
        ends = placed(first, start), placed(second, end)
        yield springs.LineSpring(ends, members, length, law, damping)


def law_of(spring: Spring, at: str, numbers: Numbers, length: Value) -> springs.SpringLaw:
    """Characteristic of a spring between bodies, whose length at home is given [m]."""
    if spring.table is not None:
        rows = [f"{at}.table[{i}]" for i in range(len(spring.table))]
        points = [(numbers(f"{x}.length") - length, numbers(f"{x}.force")) for x in rows]
        return springs.table_law(points)
    load = NONE if spring.force is None else numbers(f"{at}.force")
    if spring.gas is not None:
        return springs.gas_law(load, numbers(f"{at}.gas.column"), numbers(f"{at}.gas.exponent"))
    stiffness = NONE if spring.stiffness is None else numbers(f"{at}.stiffness")
    if spring.length is not None:
        load = stiffness * (length - numbers(f"{at}.length"))
    return springs.linear_law(load, stiffness)


def _parallel_springs(
    robot: Robot, machine: Machine, numbers: Numbers, steps: Mapping[str, LinkRef]
) -> Iterator[springs.ParallelSpring]:
    """Springs beside motors and bearings of joints."""
    for k, joint in enumerate(robot.listed_joints):
        spring, pair = getattr(joint, "spring", None), machine.description.pairs[k]
        if spring is not None and (pair.turns or pair.slide is not None):  # else it is held
            law = joint_law(spring, f"joints[{k}].spring", numbers, joint.home)
            yield springs.ParallelSpring(k, pair, steps.get(joint.name), law)


def joint_law(spring: JointSpring, at: str, numbers: Numbers, home: float) -> springs.SpringLaw:
    """Characteristic of a spring beside a motor or bearing, against the joint's displacement."""
    stiffness = NONE if spring.stiffness is None else numbers(f"{at}.stiffness")
    if spring.position is not None:
        return springs.linear_law(stiffness * (home - numbers(f"{at}.position")), stiffness)
    key = spring.load_key
    stated = getattr(spring, key) is not None
    return springs.linear_law(-numbers(f"{at}.{key}") if stated else NONE, stiffness)
