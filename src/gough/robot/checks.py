"""Checks of a leg, and of a whole machine, beyond the range of each value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import InputError
from gough.fields.inertia import is_symmetric_about_z, passive
from gough.poses import transform

if TYPE_CHECKING:
    from gough.fields.inertia import Triple
    from gough.robot.description import Hexapod, Robot
    from gough.robot.records import Leg

_SAME = 1e-9  # relative to the size of the machine: closer than this is "the same place"
_ROUNDED = 1e-5  # relative error that is accepted of masses from files with few digits
_FAR = 100.0  # a length more than this many times too long was not meant in metres
_SINGULAR = 1e-14  # eigenvalue of a compliance with a unit diagonal that is a rounding error
_PARALLEL = 1e-6  # sine of the angle below which a first axis counts as parallel to its leg


def check_leg(leg: Leg) -> None:
    """Check the values of one leg against each other."""
    if leg.kind == "UPS" and leg.first_axis is None:
        expected = "the direction of the universal joint's axis fixed in the base"
        raise InputError("missing", key="first_axis", expected=expected)
    if leg.kind == "SPS":
        _check_spherical(leg)
    _check_decoupling(leg)


def overlap_problem(length: float, cylinder: float, piston: float) -> str:
    """Return what is wrong with a telescoping leg of a length, and parts of these [m]; or ""."""
    if length >= cylinder + piston:
        return f"a piston of {piston:.6g} m leaves its cylinder of {cylinder:.6g} m"
    if length < max(cylinder, piston) * (1 - _SAME):
        return f"a part of {max(cylinder, piston):.6g} m is longer than its leg"
    return ""


def _check_decoupling(leg: Leg) -> None:
    """Check that the decoupling stage's mass fits into the cylinder, of which it is a part."""
    stage = leg.connector.decoupling if leg.connector else None
    if stage is None:
        return
    body = leg.cylinder
    rest = body.mass - stage.mass
    moment = body.mass * body.center_of_mass - stage.mass * stage.position
    across = min(body.inertia[0][0], body.inertia[1][1]) + body.mass * body.center_of_mass**2
    # what is left must be a body: (Σ m r)² ≤ Σ m (Σ m r² + I)
    left = rest * (across - stage.mass * stage.position**2) - moment**2
    if rest < 0.0 or left < -_SAME * body.mass * across:
        problem = "the decoupling stage's mass is more than the cylinder has at its place"
        key = "connector.decoupling.mass"
        expected = "a cylinder whose mass and inertia contain it"
        raise InputError(problem, key=key, value=stage.mass, expected=expected)


def _check_spherical(leg: Leg) -> None:
    if leg.first_axis is not None:
        problem = "an SPS leg has no universal joint"
        expected = "no first_axis, or kind UPS"
        raise InputError(problem, key="first_axis", value=leg.first_axis, expected=expected)
    for part, body in (("cylinder", leg.cylinder), ("piston", leg.piston)):
        if not is_symmetric_about_z(body.inertia):
            problem = "an SPS leg must be symmetric about its axis"
            expected = "Ixx == Iyy and no products of inertia"
            raise InputError(problem, key=f"{part}.inertia", value=body.inertia, expected=expected)


def given_twice(key: str, names: Sequence[str], reserved: int = 0) -> Iterator[InputError]:
    """Yield errors about names that parts at a key share; so many names before them are taken."""
    for k, name in enumerate(names):
        if name in names[:k]:
            place = f"{key}[{k - reserved}].name"
            yield InputError("a name given twice", key=place, value=name, expected="another one")


def check_machine(robot: Hexapod) -> None:
    """Check that the legs are distinct and that the home pose can be reached."""
    joints = (point for leg in robot.legs for point in (leg.base, leg.platform))
    limit = _SAME * max(math.hypot(*point) for point in (robot.platform.home.position, *joints))
    found = [*_alike(robot, limit), *_platform_problems(robot)]
    for i, (leg, vector) in enumerate(zip(robot.legs, legs_at_home(robot), strict=True)):
        found += _home_problems(leg, vector, i, limit)
    if found:
        raise InputError.together(found)


def leg_spring_problems(robot: Hexapod) -> Iterator[InputError]:
    """Yield what keeps springs from acting on parts of legs, or beside flexible frames."""
    if robot.springs and robot.flexibility is not None:
        expected = "a rigid base and platform beside springs"
        yield InputError("a compliant base or platform", key="flexibility", expected=expected)
    for k, spring in enumerate(robot.springs):
        for body, end in zip(spring.between, ("start", "end"), strict=True):
            part, _, number = body.rpartition("-")
            if part not in ("cylinder", "piston") or not number.isdigit():
                continue
            leg = robot.legs[int(number) - 1]
            arm = np.subtract(getattr(spring, end), leg.base)
            way = np.array(legs_at_home(robot)[int(number) - 1])
            if leg.connector is not None or leg.joint_stiffness is not None:
                problem, key = f"{body} is a part of a compliant leg", f"springs[{k}].between"
                expected = "base, platform, or a part of a leg without connector, joint_stiffness"
                yield InputError(problem, key=key, value=body, expected=expected)
            elif leg.kind == "SPS" and np.linalg.norm(np.cross(arm, way)) > _SAME * (way @ way):
                problem, expected = "beside the axis of an SPS leg, which spins", "a point on it"
                value = getattr(spring, end)
                yield InputError(problem, key=f"springs[{k}].{end}", value=value, expected=expected)


def _platform_problems(robot: Hexapod) -> Iterator[InputError]:
    """Yield what keeps a platform from having the mass of its finite elements."""
    given, body = robot.flexibility, robot.platform
    if given is None or given.platform_modes is None:
        return
    modes, joints, key = given.platform_modes, 3 * len(robot.legs), "flexibility.platform_modes"
    size = 6 + joints + len(modes.frequencies)
    if {*map(len, (modes.mass, *modes.mass))} != {size} or len(given.platform or ()) != joints:
        expected = f"a {size}x{size} mass, and a {joints}x{joints} compliance of the platform"
        yield InputError("a mass of other joints", key=key, expected=expected)
        return
    arm = np.cross(np.eye(3), body.center_of_mass)
    mass = np.array(passive(np.array(modes.mass), None))
    own = np.block([[np.eye(3), -arm], [arm, -arm @ arm]]) * body.mass
    own[3:, 3:] += np.array(body.inertia)
    unit = np.sqrt(np.diag(own) + np.diag(mass)[:6])
    moment, one = mass[3:6, :3], np.eye(3) * np.trace(mass[:3, :3]) / 3
    lacking = np.vstack([mass[:3, :3] - one, (moment + moment.T) / 2])  # of m I and a skew m c^
    if np.abs(lacking / np.outer(unit, unit[:3])).max() > _ROUNDED:
        problem = "not that of a rigid body where the platform moves without deforming"
        values = ", ".join(f"{m:.6g}" for m in np.diag(mass)[:3])
        expected = "one mass along x, y and z, and one mass centre"
        yield InputError(problem, key=f"{key}.mass", value=f"{values} kg", expected=expected)
    compliance = np.array(given.platform)
    scale = np.sqrt(np.diag(compliance))
    if not scale.all() or np.linalg.eigvalsh(compliance / np.outer(scale, scale))[0] < _SINGULAR:
        problem, expected = "some force displaces no joint", "a positive definite compliance"
        yield InputError(problem, key="flexibility.platform", expected=expected)
    if np.linalg.eigvalsh((own - mass[:6, :6]) / np.outer(unit, unit))[0] < -_ROUNDED:
        yield InputError(
            f"finite elements of {mass[0, 0]:.6g} kg, more than the platform's mass or inertia",
            key=key,
            value=f"platform.mass = {body.mass:.6g}",
            expected="a platform that contains them: what it has besides is fixed to its frame",
        )


def _alike(robot: Hexapod, limit: float) -> Iterator[InputError]:
    for (i, first), (j, second) in combinations(enumerate(robot.legs), 2):
        if (
            math.dist(first.base, second.base) <= limit
            and math.dist(first.platform, second.platform) <= limit
        ):
            yield InputError(
                f"the same joint centres as leg {i + 1}, on both bodies",
                key=f"legs[{j}]",
                value=[list(second.base), list(second.platform)],
                expected="legs that differ at the base or at the platform",
            )


def _home_problems(leg: Leg, vector: Triple, i: int, limit: float) -> Iterator[InputError]:
    length = math.hypot(*vector)
    if length <= limit:
        problem = "the leg has no length at the home pose"
        expected = "a home pose that keeps the two joint centres apart"
        yield InputError(problem, key=f"legs[{i}]", value=length, expected=expected)
        return
    if leg.stroke and not leg.stroke[0] - limit <= length <= leg.stroke[1] + limit:
        yield InputError(
            f"the leg length at the home pose, {length:.6g} m, is outside the stroke",
            key=f"legs[{i}].stroke",
            value=list(leg.stroke),
            expected=f"a stroke that contains the home pose{_in_millimetres(length, leg.stroke)}",
        )
    yield from _beam_problems(leg, length, i)
    if leg.first_axis and np.linalg.norm(np.cross(leg.first_axis, vector)) < _PARALLEL * length:
        yield InputError(
            "parallel to the leg at the home pose",
            key=f"legs[{i}].first_axis",
            value=list(leg.first_axis),
            expected="an axis across the leg",
        )


def _beam_problems(leg: Leg, at_home: float, i: int) -> Iterator[InputError]:
    """Yield what keeps a cylinder and a piston from supporting each other over the stroke."""
    beams = {"cylinder": leg.cylinder.beam, "piston": leg.piston.beam}
    parts = [beam.length for beam in beams.values() if beam is not None and beam.length]
    if parts and len(parts) == len(beams):
        for length in (at_home, *(leg.stroke or ())):
            if problem := overlap_problem(length, parts[0], parts[1]):
                expected = "leg lengths between that of the longer part and the sum of both"
                yield InputError(problem, key=f"legs[{i}]", value=length, expected=expected)
                return
    elif any(beams.values()):
        part = next(key for key, beam in beams.items() if beam is None or not beam.length)
        expected = "beams of cylinder and piston, each with its length: they support each other"
        yield InputError("missing", key=f"legs[{i}].{part}.beam.length", expected=expected)


def _in_millimetres(length: float, stroke: tuple[float, float]) -> str:
    """Say what is wrong where a length, or a stroke, is a thousand times too long."""
    too_long = length > _FAR * stroke[1]
    if not too_long and stroke[0] <= _FAR * length:
        return ""
    return f'; lengths are in metres: "{length if too_long else stroke[1]:.6g} mm"?'


def legs_at_home(robot: Robot) -> list[Triple]:
    """Return the vectors from base to platform joints [m] at the home pose, base frame."""
    legs = robot.extensible_legs
    joints = transform(robot.home, np.reshape([leg.platform for leg in legs], (-1, 3)))
    vectors: list[Triple] = (joints - np.reshape([leg.base for leg in legs], (-1, 3))).tolist()
    return vectors
