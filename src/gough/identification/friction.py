"""Forces of actuators and joints beside the bodies', as columns beside the regressor.

A drive's effort, seen from the leg [Bingul 2012 (52)], is F + m_r q̈ + b q̇ + (c + μ |F|) d(q̇) + o,
with the reflected mass m_r of rotor and screw, viscous friction b, dry friction c, friction
μ = 1/η - 1 in proportion to the load, the faded sign d of the speed, and an offset o. All but
μ |F| = μ sign(F) F are linear in the unknowns; that one is a product. A driven joint of a mechanism
may have friction, too: a motor sees that together with the friction of its drive, and their shares
are the robot file's. Damping of a hexapod's transmissions and armatures act as the robot file
states them, and so do springs and dampers between bodies, unless "springs" are estimated: the force
of a spring, F + k x + d dx/dt, is linear in its force F at home, its stiffness k and its damping d,
that of gas in F. Springs by a table, and the stiffness of flexures, always act as stated.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler import Argument, Kernel, compiled
from gough.equations.actuators.drive import (
    FADE_SPEED,
    DriveLaw,
    friction,
    load_factor,
    reduction,
    reflected_damping,
    reflected_mass,
)
from gough.equations.forces import dynamics
from gough.equations.forces.passive_joints import (
    SLIDING_FADE,
    TURNING_FADE,
    FrictionLaw,
    friction_wrench,
    spring_wrench,
)
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.tree.springs import LineSpring, ParallelSpring, SpringLaw, linear_law
from gough.errors import GoughError
from gough.identification.base import Terms
from gough.identification.legs import body_of
from gough.identification.measured import MeasuredMotion
from gough.identification.recording import Measured
from gough.model import Kernels, Machines, standard_parameters
from gough.model.actuators import drives_of, has_springs, joint_frictions_of
from gough.model.definition import POSE, TWIST
from gough.robot import JointFriction, Robot

OF_A_JOINT = ("damping", "friction")

Part = Literal["viscous", "dry", "load", "joints", "offset", "springs"]
OF_MOTORS: tuple[Part, ...] = ("viscous", "dry", "load")
SPRINGS = "joints.springs"  # of springs and dampers between bodies, as the file states them: 1
ARMATURES = "joints.armatures"  # of inertias that move with joints, as the file states them: 1
_FAST = 1e6  # a speed at which dry friction has not faded [m/s]


class FrictionNumber(NamedTuple):
    """A number of joint friction: its name in the robot file, its joint in equations, its kind."""

    name: str
    joint: int
    kind: str


Numbers = tuple[FrictionNumber, ...]


def checked_parts(
    parts: Iterable[str] | None, measured: Measured, *, redundant: bool = False
) -> tuple[Part, ...]:
    """Which friction acts; left out, that of drives where motors were measured.

    The load of redundant actuators is not determined by the motion, so neither is its friction.
    """
    if parts is None:
        return () if measured == "force" else OF_MOTORS[: 2 if redundant else 3]
    known = get_args(Part)
    if redundant and "load" in parts:
        raise GoughError(
            "friction has 'load', and a motion does not determine the load of redundant actuators; "
            "expected other parts of friction"
        )
    if other := [part for part in parts if part not in known]:
        raise GoughError(f"friction has {other[0]!r}; expected some of {', '.join(known)}")
    return tuple(part for part in known if part in parts)


def force_factor(robot: Robot, measured: Measured) -> Array:
    """The force on each leg [N] per effort that was measured."""
    if measured == "force":
        return np.ones(len(robot.actuators))
    currents = measured == "motor_current"
    each = ((d, float(d.torque_constant) if currents else 1.0) for d in drives_of(robot))
    return np.array([float(reduction(drive)) * per_effort for drive, per_effort in each])


def terms_of(
    model: Kernels, motion: MeasuredMotion, parts: tuple[Part, ...], measured: Measured
) -> Terms:
    """All terms of friction that acts that are linear, all but that of the load.

    Offsets that the robot file states act, too, where they are not estimated.
    """
    robot, n, found = model.robot, len(model.robot.actuators), list[Terms]()
    keys = [actuator.key for actuator in robot.actuators]

    def add(
        name: str, values: Array, prior: Iterable[float], at: list[str] = keys, stated: bool = False
    ) -> None:
        """A number of each actuator; of those that have none the prior is not a number."""
        own = np.array([*prior])
        there = np.flatnonzero(np.isfinite(own))
        names = tuple(f"{at[k]}.{name}" for k in there)
        columns = values[:, :, None] * np.eye(n)[:, there]
        found.append(Terms(names, columns, own[there], names if stated else ()))

    always = np.ones_like(motion.speed)
    if measured != "force":
        drives = drives_of(robot)
        add("drive.reflected_mass", motion.acceleration, map(float, map(reflected_mass, drives)))
        if "viscous" in parts:
            add("drive.damping", motion.speed, map(float, map(reflected_damping, drives)))
            add("damping", motion.speed, friction_at_motors(robot, "damping"))
        if "dry" in parts:
            dry, own = np.array([*map(_dry, drives)]), friction_at_motors(robot, "friction")
            signs = _dry_direction(robot, motion.speed, dry, np.nan_to_num(own))
            add("drive.friction", signs, dry)
            add("friction", signs, own)
        offsets = [float(reduction(drive) * drive.torque_offset) for drive in drives]
        if "offset" in parts or any(offsets):
            add("drive.offset", always, offsets, stated="offset" not in parts)
    elif "offset" in parts:
        add("offset", always, [0.0] * n, [f"actuators[{k}]" for k in range(n)])
    if ("joints" if measured == "force" else "viscous") in parts:
        add("connector.damping", motion.speed, transmission_damping(robot), stated=True)
    springs = _springs(model, motion) if "springs" in parts else None
    found += [springs] if springs is not None else []
    for name, forces in _stated_forces(model, motion, springs).items():
        found.append(Terms((name,), forces[..., None], np.ones(1), (name,)))
    numbers, values = friction_numbers(robot, measured)
    if numbers and "joints" in parts:
        columns = joint_friction_kernel(model.machines, numbers)(*motion.states[:2])
        found.append(Terms(tuple(number.name for number in numbers), columns, np.array(values)))
    return Terms(
        tuple(name for terms in found for name in terms.names),
        np.concatenate([np.empty((*motion.speed.shape, 0)), *(t.columns for t in found)], -1),
        np.concatenate([np.empty(0), *(terms.priors for terms in found)]),
        tuple(name for terms in found for name in terms.stated),
    )


def _springs(model: Kernels, motion: MeasuredMotion) -> Terms:
    """Return the terms of springs whose forces are linear in their numbers."""
    robot, own = model.robot, spring_numbers(model.robot)
    if not own:
        raise GoughError(
            f"friction has 'springs', and {robot.name} has none whose force is linear in its "
            "numbers: springs between bodies or beside joints, without a table; expected other "
            "parts"
        )
    columns = spring_columns_kernel(model.machines, tuple(own))(*motion.states[:2])
    return Terms(tuple(own), columns, np.array([*own.values()]))


def _stated_forces(
    model: Kernels, motion: MeasuredMotion, springs: Terms | None
) -> dict[str, Array]:
    """Return forces (T, n) that act as the robot file states them, by their names."""
    robot, acting = model.robot, dict[str, Array]()
    if has_springs(robot):
        acting[SPRINGS] = spring_kernel(model.machines)(*motion.states[:2])
        if springs is not None:
            acting[SPRINGS] = acting[SPRINGS] - springs.columns @ springs.priors
    if any(getattr(joint, "armature", None) for joint in robot.listed_joints):
        bodies = np.asarray(model.regressor(*motion.states)) @ standard_parameters(robot)
        acting[ARMATURES] = model.inverse_dynamics(*motion.states) - bodies
    return acting


def left_out(
    robot: Robot, parts: tuple[Part, ...], measured: Measured, *, redundant: bool
) -> tuple[str, ...]:
    """Warnings where the robot file states friction that is not taken to act."""
    _, values = friction_numbers(robot, measured)
    damps = measured == "force" and np.any(transmission_damping(robot) > 0)
    found = list[str]()
    if "joints" not in parts and (damps or any(values)):
        found.append(
            "friction in joints that the robot file states is left out of the estimate; name "
            "joints in friction if it acts"
        )
    if redundant and load_priors(robot, OF_MOTORS, measured).priors.any():
        found.append(
            "friction in proportion to the load, of the drives' efficiency, is left out of the "
            "estimate: a motion does not determine the load of redundant actuators"
        )
    return tuple(found)


def load_priors(robot: Robot, parts: tuple[Part, ...], measured: Measured) -> Terms:
    """Friction in proportion to the load: names, and by the robot's drives; no columns yet."""
    if measured == "force" or "load" not in parts:
        return Terms((), np.empty((0, 0, 0)), np.empty(0))
    names = tuple(f"{actuator.key}.drive.load_friction" for actuator in robot.actuators)
    priors = [float(load_factor(drive, _FAST, 1.0)) - 1.0 for drive in drives_of(robot)]
    return Terms(names, np.empty((0, len(names), len(names))), np.array(priors))


def direction(robot: Robot, speed: Array) -> Array:
    """The signs of the legs' speeds (T, n), faded as the drives' dry friction is."""
    turns = np.array([float(reduction(drive)) for drive in drives_of(robot)])
    return np.tanh(turns * speed / FADE_SPEED)


def _dry_direction(robot: Robot, speed: Array, dry: Array, own: Array) -> Array:
    """The signs of speeds (T, n), faded as the dry friction of drives and joints is together."""
    share = own / np.where(own > 0.0, own + dry, 1.0)
    fades = np.array([TURNING_FADE if a.turns else SLIDING_FADE for a in robot.actuators])
    own_direction = speed / np.hypot(speed, fades)
    return np.asarray((1 - share) * direction(robot, speed) + share * own_direction)


def loads_drive(name: str) -> bool:
    """Whether a number makes forces that go through drives: that of a body, or in a joint."""
    place, _, number = name.rpartition(".")
    rubs = place.endswith("]") and number in OF_A_JOINT
    stated = name in (SPRINGS, ARMATURES) or name.endswith(".connector.damping")
    acts = stated or ".joint_friction." in name or name.startswith("springs[") or ".spring." in name
    return bool(body_of(name)) or acts or rubs


def _dry(drive: DriveLaw) -> float:
    """Dry friction of a drive at the leg [N]."""
    there, back = (float(friction(drive, speed)) for speed in (_FAST, -_FAST))
    return (there - back) / 2 - float(reflected_damping(drive)) * _FAST


def friction_numbers(robot: Robot, measured: Measured) -> tuple[Numbers, list[float]]:
    """Which numbers of joint friction count where this was measured; their stated values."""
    values = dict[FrictionNumber, float]()
    for k, leg in enumerate(robot.extensible_legs):
        stated = leg.joint_friction or JointFriction()
        for place, key in product(("base", "platform"), OF_A_JOINT):
            own, joint = f"{place}_{key}", 3 * k + (0 if place == "base" else 2)
            number = FrictionNumber(f"legs[{k}].joint_friction.{own}", joint, key)
            values[number] = float(getattr(stated, own))
    if not robot.extensible_legs:
        for law, key in product(joint_frictions_of(robot), OF_A_JOINT):
            own_joint = robot.listed_joints[law.joint]
            value = getattr(own_joint, key)
            if value and (measured == "force" or not own_joint.is_driven):
                values[FrictionNumber(f"joints[{law.joint}].{key}", law.joint, key)] = float(value)
    return tuple(values), list(values.values())


def friction_at_motors(robot: Robot, key: str) -> list[float]:
    """That of the driven joints themselves; not a number of those that state none."""
    if robot.has_extensible_legs:
        return [np.nan] * len(robot.actuators)
    return [getattr(joint, key) or np.nan for joint in robot.listed_joints if joint.is_driven]


def transmission_damping(robot: Robot) -> Array:
    """Viscous friction of actuator and transmission [N s/m]; not a number where none is stated."""
    if not robot.has_extensible_legs:
        return np.full(len(robot.actuators), np.nan)
    stated = (leg.connector.damping if leg.connector else None for leg in robot.extensible_legs)
    return np.array([damping or np.nan for damping in stated])


@compiled
def spring_kernel(machines: Machines) -> Kernel:
    """(pose, twist) -> forces (n) that balance springs and dampers between bodies."""
    output = Argument("force", (machines.structure.actuators,), "SI", "against springs")

    def equation(machine: Machine, pose: Value, twist: Value) -> Value:
        """Return the actuators' forces against springs and dampers."""
        along = kinematics.twist_basis(machine, pose).T @ spring_wrench(machine, pose, twist)
        return -dynamics.balancing_forces(machine, pose, along)

    return machines.kernel("springs", equation, (POSE, TWIST), (output,))


@compiled
def joint_friction_kernel(machines: Machines, numbers: Numbers) -> Kernel:
    """(pose, twist) -> forces by each of some numbers of joint friction (n, k)."""
    shape = machines.structure.actuators, len(numbers)
    output = Argument("columns", shape, "SI", "forces by numbers of joint friction")

    def equation(machine: Machine, pose: Value, twist: Value) -> Value:
        """Return the actuators' friction forces by its numbers: they are linear."""
        each = ca.SX.sym("friction", len(numbers))
        joints: dict[int, dict[str, Any]] = {
            number.joint: dict.fromkeys(OF_A_JOINT, ca.DM(0)) for number in numbers
        }
        for number, value in zip(numbers, ca.vertsplit(each), strict=True):
            joints[number.joint][number.kind] = value
        rubs = [FrictionLaw(k, own["damping"], own["friction"]) for k, own in joints.items()]
        wrench = friction_wrench(machine, rubs, pose, twist)
        slopes = ca.jacobian(wrench, each)  # the same everywhere, which CasADi does not see
        slopes = ca.densify(ca.substitute(slopes, each, ca.DM.zeros(len(numbers))))
        by_twists = kinematics.twist_basis(machine, pose).T @ slopes
        return -dynamics.balancing_forces(machine, pose, by_twists)

    return machines.kernel("joint_friction", equation, (POSE, TWIST), (output,))


def spring_numbers(robot: Robot) -> dict[str, float]:
    """Numbers of springs in which forces are linear, by their names: the robot file's values.

    Loads are those at home, whatever the robot file states in their place; a damping, and a
    stiffness, is one of those that it states.
    """
    found = dict[str, float]()
    for k, spring in enumerate(robot.springs):
        at = f"springs[{k}]"
        if spring.table is None and (spring.stiffness or spring.force or spring.gas):
            found[f"{at}.force"] = spring.at_home[0]
        if spring.stiffness:
            found[f"{at}.stiffness"] = spring.stiffness
        if spring.damping:
            found[f"{at}.damping"] = spring.damping
    for k, joint in enumerate(robot.listed_joints):
        if (beside := getattr(joint, "spring", None)) is not None:
            at = f"joints[{k}].spring"
            found[f"{at}.{beside.load_key}"] = beside.load_at(joint.home)
            if beside.stiffness:
                found[f"{at}.stiffness"] = beside.stiffness
    return found


@compiled
def spring_columns_kernel(machines: Machines, names: tuple[str, ...]) -> Kernel:
    """(pose, twist) -> forces by each of some numbers of springs (n, k)."""
    shape, springs = (machines.structure.actuators, len(names)), machines.robot.springs
    output = Argument("columns", shape, "SI", "forces by numbers of springs")

    def equation(machine: Machine, pose: Value, twist: Value) -> Value:
        """Return the actuators' forces against springs by their numbers: they are linear."""
        each = ca.SX.sym("spring", len(names))
        own: dict[str, Value] = dict(zip(names, ca.vertsplit(each), strict=True))
        loaded: list[LineSpring | ParallelSpring] = []
        for k, spring in enumerate(machine.loaded):
            if isinstance(spring, ParallelSpring):
                at, none = f"joints[{spring.joint}].spring", ca.DM(0)
                load = -own.get(f"{at}.torque", none) - own.get(f"{at}.force", none)
                law = linear_law(load, own.get(f"{at}.stiffness", none))
                loaded.append(replace(spring, law=law))
                continue
            keys = (f"springs[{k}].{key}" for key in ("force", "stiffness", "damping"))
            load, stiffness, damping = (own.get(key, ca.DM(0)) for key in keys)
            law = linear_law(load, stiffness)
            if springs[k].gas is not None:
                law = _scaled(spring.law, load)
            loaded.append(replace(spring, law=law, damping=damping))
        sprung = replace(machine, loaded=tuple(loaded), flexures=())
        slopes = ca.jacobian(spring_wrench(sprung, pose, twist), each)
        slopes = ca.densify(ca.substitute(slopes, each, ca.DM.zeros(len(names))))
        by_twists = kinematics.twist_basis(machine, pose).T @ slopes
        return -dynamics.balancing_forces(machine, pose, by_twists)

    return machines.kernel("springs_by_numbers", equation, (POSE, TWIST), (output,))


def _scaled(law: SpringLaw, load: Value) -> SpringLaw:
    """Return the law of gas with another force at home."""
    factor = load / law.force(ca.DM(0))
    return SpringLaw(lambda x: factor * law.force(x), lambda x: factor * law.energy(x))
