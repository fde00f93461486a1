"""Problems of a robot at a pose, in words: no forces where it is singular, or nearly so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.equations.solvers.linear import solve_symmetric
from gough.errors import GoughError, SingularConfiguration
from gough.model.kernels import Kernels
from gough.robot import Robot
from gough.robot.remarks import counted_names

ILL_CONDITIONED = 100.0
"""Condition number of J above which there is a warning; also for the inverse of sin² of the angle
between a leg and the first axis of its universal joint: forces grow with both. Also for the inverse
measures of serial and constraint singularities, and the squared inverse measure of passive
joints."""
_NO_POSE = {"reach": "no such pose", "loops": "no such pose", "change point": "not known"}
"""Words for a pose that does not exist, by the kind of the error."""


def problems_at_home(robot: Robot) -> list[str]:
    """Return problems at home: a singular home, or a singular mass matrix."""
    problems = [f"at home {words}" for words in singular_words(robot, robot.home)]
    M = Kernels(robot).mass_matrix(robot.home)
    solution = np.array(ca.DM(solve_symmetric(ca.DM(M), ca.DM.zeros(len(M)))))
    if not problems and np.isnan(solution).any():
        problems.append(
            "the mass matrix is singular: forward dynamics and simulations need a platform with "
            "mass and inertia"
        )
    return problems


def singular_words(robot: Robot, pose: ArrayLike) -> list[str]:
    """Return singularities at a pose (7), or near it; empty where there are none."""
    at = np.asarray(pose, dtype=float)
    if not np.isfinite(at).all():
        raise GoughError(f"the pose is {at.tolist()}; expected finite numbers")
    return list(_words(Kernels(robot), at))


def _words(model: Kernels, pose: Array) -> Iterator[str]:
    from gough.kinematics.singularity.singularity import singularity  # noqa: PLC0415  (slow)

    try:
        model.checked_inverse_dynamics(pose)
    except SingularConfiguration as error:
        yield f"{_NO_POSE.get(error.kind, 'singular')}: {error.words}"
        return
    found = singularity(model, pose)
    if not found.condition < ILL_CONDITIONED:
        yield f"near a singular configuration: condition number of J {float(found.condition):.3g}"
    serial = zip(found.motors, np.abs(found.serial_by_leg), strict=True)
    for share, names in _by_number((n, f"{x:.2g}") for n, x in serial if x < 1 / ILL_CONDITIONED):
        legs, one = counted_names(names, "actuators"), len(names) == 1
        yield (
            f"near a singular configuration: the {'leg' if one else 'legs'} of {legs} "
            f"{'is' if one else 'are'} nearly stretched out or folded, and "
            f"{legs if one else 'each of them'} moves the platform by {share} of its own motion"
        )
    passive = zip(found.joints, np.abs(found.passive_by_group), strict=True)
    following = ((n, f"{1 / x:.3g}") for n, x in passive if x**2 < 1 / ILL_CONDITIONED)
    for times, names in _by_number(following):
        one = len(names) == 1 and "," not in names[0]
        yield (
            f"near a singular configuration: {counted_names(names, 'groups of joints')} "
            f"move{'s' if one else ''} {times} times as much as the platform"
        )
    if found.constraint < 1 / ILL_CONDITIONED:
        yield (
            "near a singular configuration: the platform is weakly constrained, minimum singular "
            f"value of the constraints {float(found.constraint):.2g}"
        )


def _by_number(named: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Return each number with the names that have it: a finding on equal legs is one line."""
    names = defaultdict[str, list[str]](list)
    for name, number in named:
        names[number].append(name)
    return list(names.items())
