"""What actuators and joints add to the forces, as columns beside the regressor.

A drive's effort, seen from the leg [Bingul 2012 (52)], is F + m_r q̈ + b q̇ + (c + μ |F|) d(q̇), with
the reflected mass m_r of rotor and screw, viscous friction b, dry friction c, friction μ = 1/η - 1
in proportion to the load, and the faded sign d of the speed. All but μ |F| = μ sign(F) F are linear
in what is not known; that one is a product. A driven joint of a machine of any kind may rub, too: a
motor feels that together with the friction of its drive, and their shares are the robot file's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

from gough.arrays import Array
from gough.equations.actuators.drive import (
    FADE_SPEED,
    Drive,
    friction,
    load_factor,
    reduction,
    reflected_damping,
    reflected_mass,
)
from gough.errors import GoughError
from gough.identification.joint_friction import (
    OF_A_JOINT,
    friction_at_motors,
    friction_names,
    friction_numbers,
    friction_priors,
    joint_direction,
    joint_friction_kernel,
)
from gough.identification.legs import body_of
from gough.identification.measured import MeasuredMotion
from gough.identification.recording import Measured
from gough.identification.terms import Terms
from gough.model.actuators import drives_of
from gough.model.kernels import Kernels
from gough.robot import Robot

Part = Literal["viscous", "dry", "load", "joints", "offset"]
OF_MOTORS: tuple[Part, ...] = ("viscous", "dry", "load")
_FAST = 1e6
"""A speed at which dry friction has not faded [m/s]."""


def checked_parts(parts: Iterable[str] | None, measured: Measured) -> tuple[Part, ...]:
    """Which friction is estimated; left out, that of drives where motors were measured."""
    if parts is None:
        return () if measured == "force" else OF_MOTORS
    known = get_args(Part)
    for part in parts:
        if part not in known:
            raise GoughError(f"friction has {part!r}; expected some of {', '.join(known)}")
    return tuple(part for part in known if part in parts)


def force_factor(robot: Robot, measured: Measured) -> Array:
    """The force on each leg [N] per effort that was measured."""
    if measured == "force":
        return np.ones(len(robot.actuators))
    drives = drives_of(robot)
    per_torque = np.array([float(reduction(drive)) for drive in drives])
    if measured == "motor_torque":
        return per_torque
    return np.array(
        [t * float(drive.torque_constant) for t, drive in zip(per_torque, drives, strict=True)]
    )


def terms_of(
    model: Kernels, motion: MeasuredMotion, parts: tuple[Part, ...], measured: Measured
) -> Terms:
    """All terms that are linear: all but that of the load."""
    robot, n = model.robot, len(model.robot.actuators)
    names, columns, priors = list[str](), list[Array](), list[float]()

    def add(name: str, values: Array, prior: Iterable[float]) -> None:
        """A number of each actuator; of those that have none the prior is not a number."""
        own = np.array([*prior])
        there = np.flatnonzero(np.isfinite(own))
        keys = [actuator.key for actuator in robot.actuators]
        places = [f"actuators[{k}]" if name == "offset" else keys[k] for k in there]
        names.extend(f"{place}.{name}" for place in places)
        columns.append(values[:, :, None] * np.eye(n)[:, there])
        priors.extend(own[there])

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
    if "offset" in parts:
        add("offset", np.ones_like(motion.speed), [0.0] * n)
    numbers = friction_numbers(robot, measured) if "joints" in parts else ()
    if numbers:
        columns.append(joint_friction_kernel(model.machines, numbers)(*motion.states[:2]))
        names += friction_names(robot, numbers)
        priors += friction_priors(robot, numbers).tolist()
    empty = np.empty((*motion.speed.shape, 0))
    return Terms(tuple(names), np.concatenate([empty, *columns], -1), np.array(priors))


def load_priors(robot: Robot) -> Terms:
    """Friction in proportion to the load: names, and by the robot's drives; no columns yet."""
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
    return (1 - share) * direction(robot, speed) + share * joint_direction(robot, speed)


def loads_drive(name: str) -> bool:
    """Whether a number makes forces that go through drives: that of a body, or in a joint."""
    place, _, number = name.rpartition(".")
    rubs = place.endswith("]") and number in OF_A_JOINT
    return bool(body_of(name)) or ".joint_friction." in name or rubs


def _dry(drive: Drive) -> float:
    """Dry friction of a drive at the leg [N]."""
    return float(friction(drive, _FAST)) - float(reflected_damping(drive)) * _FAST
