"""Springs between bodies and beside joints, as the equations take them: of numbers or symbols."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, norm
from gough.equations.tree import springs
from gough.equations.tree.description import BodyPoint, LinkRef
from gough.model.named_numbers import Numbers
from gough.robot import Robot
from gough.robot.springs import JointSpring, Spring

ZERO = ca.DM(0)
NO_STEPS: Mapping[str, LinkRef] = MappingProxyType({})


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
    member = {
        body: side
        for joint, bearing in zip(joints, bearings, strict=True)
        for body, side in zip(joint.between, bearing.sides, strict=True)
    }
    for k, spring in enumerate(robot.springs):
        at = f"springs[{k}]"
        keys = (f"{at}.start", f"{at}.end")
        start, end = (machine.frame_convention.axes @ numbers(key) for key in keys)
        first, second = spring.between
        length = norm(end - start)
        yield springs.LineSpring(
            (placed(first, start), placed(second, end)),
            (member[first], member[second]),
            length,
            law_of(spring, at, numbers, length),
            ZERO if spring.damping is None else numbers(f"{at}.damping"),
        )


def law_of(spring: Spring, at: str, numbers: Numbers, length: Value) -> springs.SpringLaw:
    """Characteristic of a spring between bodies, whose length at home is given [m]."""
    if spring.table is not None:
        rows = [f"{at}.table[{i}]" for i in range(len(spring.table))]
        return springs.table_law(
            [(numbers(f"{x}.length") - length, numbers(f"{x}.force")) for x in rows]
        )
    load = ZERO if spring.force is None else numbers(f"{at}.force")
    if spring.gas is not None:
        return springs.gas_law(load, numbers(f"{at}.gas.column"), numbers(f"{at}.gas.exponent"))
    stiffness = ZERO if spring.stiffness is None else numbers(f"{at}.stiffness")
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
    stiffness = ZERO if spring.stiffness is None else numbers(f"{at}.stiffness")
    if spring.position is not None:
        return springs.linear_law(stiffness * (home - numbers(f"{at}.position")), stiffness)
    key = spring.load_key
    stated = getattr(spring, key) is not None
    return springs.linear_law(-numbers(f"{at}.{key}") if stated else ZERO, stiffness)
