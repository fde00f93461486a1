"""Everything that is asked along a motion, for one robot: one call of one kernel, no loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.kinematics.singularity import default_length
from gough.motion import MotionSamples
from gough.robot import Robot
from gough.studies.drives import NAMES as OF_MOTORS
from gough.studies.drives import drive_numbers
from gough.studies.formulas import SHAPES
from gough.studies.kernels import kernels_of
from gough.studies.quantities import QUANTITIES

Array = np.ndarray[Any, np.dtype[np.float64]]
Arrays = dict[str, Array]


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
    found = {
        "pose": samples.pose,
        "twist": samples.twist,
        "acceleration": samples.acceleration,
        "wrench": wrench,
    }
    state = [np.ascontiguousarray(values) for values in found.values()]
    max_force, max_speed = limits(robot, "max_force"), limits(robot, "max_speed")
    shortest, longest = map(np.ascontiguousarray, strokes(robot))
    unstated = {
        name
        for name, limit in (
            ("force_index", max_force),
            ("speed_margin", max_speed),
            ("stroke_margin", shortest),
        )
        if not np.isfinite(limit).any()
    }
    drives = drive_numbers(robot)
    if not np.isfinite(drives).all():
        unstated |= set(OF_MOTORS)
    made = tuple(name for name in QUANTITIES if name in SHAPES and name in names - unstated)
    facts = (np.array(default_length(robot)), np.array(robot.home))
    kernel = kernels_of(robot).quantities(made)
    results = kernel(
        parameters,
        *state,
        *facts,
        *(max_force, max_speed, shortest, longest, drives),
        threads=threads,
    )
    found |= zip(made, results, strict=True)
    return {name: found[name] for name in QUANTITIES if name in names and name in found}


def drive_limits(robot: Robot, name: str) -> Array:
    """(6,) a limit of each leg's drive, NaN for legs that do not state it."""
    values = [getattr(leg.drive, name, None) for leg in robot.legs]
    return np.array([np.nan if value is None else value for value in values])


def limits(robot: Robot, name: str) -> Array:
    """(6,) a limit of each leg, NaN for legs that do not state it."""
    values = [getattr(leg, name) for leg in robot.legs]
    return np.array([np.nan if value is None else value for value in values])


def strokes(robot: Robot) -> tuple[Array, Array]:
    """(6,) the shortest and (6,) the longest leg lengths [m], NaN for legs without a stroke."""
    pairs = np.array([leg.stroke or (np.nan, np.nan) for leg in robot.legs])
    return pairs[:, 0], pairs[:, 1]
