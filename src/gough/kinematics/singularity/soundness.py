"""What a robot cannot do at a pose, in words: no forces where it is singular, or nearly so."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from gough.equations import dynamics
from gough.equations.legs import closure
from gough.equations.platform import singularity
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.size import platform_arm
from gough.errors import SINGULAR_WORDS
from gough.model.parameters import machine_of
from gough.robot import Robot

ILL_CONDITIONED = 100.0
"""A condition number of J above this is worth a word, and so is the inverse of sin² of the angle
between a leg and the first axis of its universal joint: forces grow with either."""


def problems_at_home(robot: Robot) -> list[str]:
    """What a sound robot has not: a singular home, or bodies without the mass to be moved."""
    problems = [f"at home {words}" for words in singular_words(robot, robot.home)]
    M = dynamics.default.mass_matrix(machine_of(robot), ca.DM(robot.home))
    if not problems and np.isnan(_numbers(solve_symmetric(M, ca.DM.zeros(6)))).any():
        problems.append(
            "the mass matrix is singular: forward dynamics and simulations need a platform with "
            "mass and inertia"
        )
    return problems


def singular_words(robot: Robot, pose: Any) -> list[str]:
    """What is singular at a pose (7), or nearly so; nothing where all is well."""
    machine, at = machine_of(robot), ca.DM(np.asarray(pose, dtype=float))
    words = []
    for leg, kind in enumerate(_numbers(closure.singular_legs(machine, at)), 1):
        if kind:
            words.append(SINGULAR_WORDS["universal joint" if kind == 1 else "leg length"])
            words[-1] = "singular: " + words[-1].format(leg=leg)
    if words:
        return words
    J = np.array(singularity.scaled_jacobian(machine, at, platform_arm(machine)))
    condition = np.linalg.cond(J) if np.isfinite(J).all() else np.inf  # all joints in one point
    if closure.is_singular(machine, at):
        return ["singular: " + SINGULAR_WORDS["actuators"].format(condition=condition)]
    if not condition < ILL_CONDITIONED:
        words.append(f"near a singular configuration: condition number of J {condition:.3g}")
    for leg, sine in enumerate(_numbers(singularity.universal_joint_sines(machine, at)), 1):
        if sine**2 < 1 / ILL_CONDITIONED:
            angle = np.degrees(np.arcsin(sine))
            words.append(
                f"near a singular configuration: leg {leg} stands {angle:.2g} deg from the first "
                "axis of its universal joint"
            )
    return words


def _numbers(column: Any) -> list[float]:
    return [float(x) for x in np.array(ca.DM(column)).ravel()]
