"""Everything that is asked along a motion, for one robot: one call of each kernel, no loops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.kinematics.singularity import default_length
from gough.motion import MotionSamples
from gough.robot import Robot
from gough.studies.kernels import Kernels, kernels_of
from gough.studies.quantities import QUANTITIES

Array = np.ndarray[Any, np.dtype[np.float64]]
Arrays = dict[str, Array]

# Kernel, how many of pose, twist, acceleration, wrench it takes, and what it gives.
_SOURCES: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("inverse_kinematics", 1, ("leg_length",)),
    ("joint_velocity", 2, ("leg_speed",)),
    ("joint_acceleration", 3, ("leg_acceleration",)),
    ("inverse_dynamics", 4, ("force",)),
    ("energy", 2, ("energy",)),
    ("determinant", 1, ("determinant",)),
    (
        "force_parts",
        4,
        ("gravity_share", "inertia_share", "velocity_share", "external_share"),
    ),
    (
        "force_decomposition",
        4,
        (
            "external",
            "platform_share",
            "leg_gravity_share",
            "tangential_share",
            "coriolis_share",
            "centrifugal_share",
        ),
    ),
    (
        "reactions",
        4,
        ("base_force", "base_moment", "platform_force", "slide_force", "slide_moment"),
    ),
)
_JOINTS = ("universal_joint_angle", "spherical_joint_tilt", "base_joint_tilt")
_NEGLECTED = ("tangential_share", "coriolis_share", "centrifugal_share")


def evaluate(
    robot: Robot,
    parameters: Array,
    samples: MotionSamples,
    wrench: Array,
    names: frozenset[str],
    threads: int | None = None,
) -> Arrays:
    """The named quantities at every sample [SI], in the order of the catalogue.

    `parameters` are the robot's numbers. Those that need limits which the robot does not state
    are left out; legs without a limit have NaN.
    """
    kernels = kernels_of(robot)
    found = _from_motion(samples, wrench)
    state = tuple(np.ascontiguousarray(values) for values in found.values())
    needed = names | set(_NEGLECTED) if "gravity_only_error" in names else names
    for kernel, count, given in _SOURCES:
        if needed.isdisjoint(given):
            continue
        result = kernels.named(kernel)(parameters, *state[:count], threads=threads)
        found |= zip(given, result if len(given) > 1 else (result,), strict=True)
    found |= _of_configuration(robot, kernels, parameters, state[0], names, threads)
    found |= _derived(robot, found, names)
    return {name: found[name] for name in QUANTITIES if name in names and name in found}


def _from_motion(samples: MotionSamples, wrench: Array) -> Arrays:
    return {
        "pose": samples.pose,
        "twist": samples.twist,
        "acceleration": samples.acceleration,
        "wrench": wrench,
    }


def _of_configuration(
    robot: Robot,
    kernels: Kernels,
    parameters: Array,
    pose: Array,
    names: frozenset[str],
    threads: int | None,
) -> Arrays:
    found: Arrays = {}
    if "condition" in names:
        length = np.array(default_length(robot))
        found["condition"] = kernels.condition(parameters, pose, length, threads=threads)
    if not names.isdisjoint(_JOINTS):
        home = np.array(robot.home)
        joints = kernels.passive_joints(parameters, pose, home, threads=threads)
        found |= zip(_JOINTS, joints, strict=True)
    return found


def _derived(robot: Robot, found: Mapping[str, Array], names: frozenset[str]) -> Arrays:
    made = {"power": found["force"] * found["leg_speed"]}
    max_force = limits(robot, "max_force")
    if "force_index" in names and np.isfinite(max_force).any():
        index = np.abs(found["force"])
        index /= -max_force
        index += 1.0
        made["force_index"] = index
    max_speed = limits(robot, "max_speed")
    if "speed_margin" in names and np.isfinite(max_speed).any():
        margin = np.abs(found["leg_speed"])
        made["speed_margin"] = np.subtract(max_speed, margin, out=margin)
    shortest, longest = strokes(robot)
    if "stroke_margin" in names and np.isfinite(shortest).any():
        margin = found["leg_length"] - shortest
        made["stroke_margin"] = np.minimum(margin, longest - found["leg_length"], out=margin)
    if "gravity_only_error" in names:
        tangential, coriolis, centrifugal = (found[name] for name in _NEGLECTED)
        made["gravity_only_error"] = tangential + coriolis + centrifugal
    return made


def limits(robot: Robot, name: str) -> Array:
    """(6,) a limit of each leg, NaN for legs that do not state it."""
    values = [getattr(leg, name) for leg in robot.legs]
    return np.array([np.nan if value is None else value for value in values])


def strokes(robot: Robot) -> tuple[Array, Array]:
    """(6,) the shortest and (6,) the longest leg lengths [m], NaN for legs without a stroke."""
    pairs = np.array([leg.stroke or (np.nan, np.nan) for leg in robot.legs])
    return pairs[:, 0], pairs[:, 1]
