"""What a robot cannot do at a pose, in words: no forces where it is singular, or nearly so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.legs import closure
from gough.equations.machine import Machine
from gough.equations.platform.singularity import scaled_jacobian, universal_joint_sines
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.size import platform_arm
from gough.errors import SINGULAR_WORDS, GoughError, SingularConfiguration
from gough.model.kernels import Kernels
from gough.model.parameters import machine_of
from gough.robot import Robot

ILL_CONDITIONED = 100.0
"""A condition number of J above this is worth a word, and so is the inverse of sin² of the angle
between a leg and the first axis of its universal joint: forces grow with either. So are the
inverses of what vanishes in serial and constraint singularities, and of the square of what does
where passive joints cannot follow."""
_NO_POSE = {"reach": "no such pose", "loops": "no such pose", "change point": "not known"}
"""What a pose is that is not singular, by the kind of the error."""


def problems_at_home(robot: Robot) -> list[str]:
    """What a sound robot has not: a singular home, or bodies without the mass to be moved."""
    problems = [f"at home {words}" for words in singular_words(robot, robot.home)]
    M = Kernels(robot).mass_matrix(robot.home)
    if not problems and np.isnan(_numbers(solve_symmetric(ca.DM(M), ca.DM.zeros(len(M))))).any():
        problems.append(
            "the mass matrix is singular: forward dynamics and simulations need a platform with "
            "mass and inertia"
        )
    return problems


def singular_words(robot: Robot, pose: Any) -> list[str]:
    """What is singular at a pose (7), or nearly so; nothing where all is well."""
    machine, at = machine_of(robot), np.asarray(pose, dtype=float)
    if not np.isfinite(at).all():
        raise GoughError(f"the pose is {at.tolist()}; expected finite numbers")
    if isinstance(machine, Machine):
        return _of_hexapod(machine, ca.DM(at))
    return list(_of_any_kind(Kernels(robot), at))


def _of_hexapod(machine: Machine, at: ca.DM) -> list[str]:
    words = []
    for leg, kind in enumerate(_numbers(closure.singular_legs(machine, at)), 1):
        if kind:
            words.append(SINGULAR_WORDS["universal joint" if kind == 1 else "leg length"])
            words[-1] = "singular: " + words[-1].format(leg=leg)
    if words:
        return words
    J = np.array(scaled_jacobian(machine, at, platform_arm(machine)))
    condition = np.linalg.cond(J) if np.isfinite(J).all() else np.inf  # all joints in one point
    if closure.is_singular(machine, at):
        return ["singular: " + SINGULAR_WORDS["actuators"].format(condition=condition)]
    if not condition < ILL_CONDITIONED:
        words.append(f"near a singular configuration: condition number of J {condition:.3g}")
    for leg, sine in enumerate(_numbers(universal_joint_sines(machine, at)), 1):
        if sine**2 < 1 / ILL_CONDITIONED:
            angle = np.degrees(np.arcsin(sine))
            words.append(
                f"near a singular configuration: leg {leg} stands {angle:.2g} deg from the first "
                "axis of its universal joint"
            )
    return words


def _of_any_kind(model: Kernels, pose: Array) -> Iterator[str]:
    from gough.kinematics.singularity.singularity import (  # noqa: PLC0415  (slow to import)
        MechanismSingularity,
        singularity,
    )

    try:
        model.checked_inverse_dynamics(pose)
    except SingularConfiguration as error:
        yield f"{_NO_POSE.get(error.kind, 'singular')}: {error.words}"
        return
    found = singularity(model, pose)
    assert isinstance(found, MechanismSingularity)
    if not found.condition < ILL_CONDITIONED:
        yield f"near a singular configuration: condition number of J {float(found.condition):.3g}"
    for name, pivot in zip(found.motors, np.abs(found.serial_by_leg), strict=True):
        if pivot < 1 / ILL_CONDITIONED:
            yield (
                f"near a singular configuration: the leg of {name} is nearly stretched out or "
                f"folded, and {name} moves the platform by {pivot:.2g} of its own motion"
            )
    for name, pivot in zip(found.joints, np.abs(found.passive_by_group), strict=True):
        if pivot**2 < 1 / ILL_CONDITIONED:
            yield (
                f"near a singular configuration: {name} move{'s' if ',' not in name else ''} "
                f"{1 / pivot:.3g} times as much as the platform"
            )
    if found.constraint < 1 / ILL_CONDITIONED:
        yield (
            "near a singular configuration: the platform is hardly held to its freedoms, smallest "
            f"singular value of the constraints {float(found.constraint):.2g}"
        )


def _numbers(column: Any) -> list[float]:
    return [float(x) for x in np.array(ca.DM(column)).ravel()]
