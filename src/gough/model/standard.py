"""Standard inertial parameters of a machine's bodies, in which its forces are linear.

Of each body its mass [kg], first moment [kg m] and inertia [kg m^2], the latter two about a point
of its own: the platform's origin, the joint of a leg's part (see `equations.dynamics.regressor`),
or the first joint of a mechanism's body, on base axes at home.
"""

from collections.abc import Iterator

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.fields.inertia import Triple
from gough.model.structure import Structure
from gough.robot import UPPER, Platform, Robot
from gough.robot import Body as LegPart
from gough.robot.mechanism import Body

REGRESSOR = "forces by the bodies' standard parameters, see standard_names"
ORIGIN = (0.0, 0.0, 0.0)
_SIX = tuple(f".{a}{b}" for a, b in zip("xyzxxy", "xyzyzz", strict=True))
_FREE = (".mass", *(f".first_moment.{axis}" for axis in "xyz"))
_ON_A_LEG = (".mass", ".first_moment")
_SPINNING = tuple(".joint_inertia" + six for six in _SIX)
_NOT_SPINNING = (".joint_inertia.xx",)
OF_A_BODY = tuple(part.removeprefix(".") for part in (*_FREE, *_SPINNING))
"""Names of the ten parameters of a mechanism's body, after its place."""
_ACROSS = np.diag([1.0, 1.0, 0.0])


def standard_names(structure: Structure) -> list[str]:
    """Return the names of a regressor's columns, such as `legs[2].piston.first_moment`."""
    return list(_names(structure))


def standard_parameters(robot: Robot) -> Array:
    """The robot's own standard parameters, in the order of `standard_names` [SI].

    >>> import gough
    >>> gough.standard_parameters(gough.load("five-bar"))[:1].tolist()  # [kg]
    [0.22]
    """
    if not isinstance(robot, Robot):
        raise GoughError(f"no robot: {robot!r:.80}; expected one, such as gough.load gives")
    own, *points = standard_points(robot)
    bodies = [_body(*pair) for pair in zip(robot.listed_bodies, points, strict=True)]
    legs = ((leg.kind, (leg.cylinder, leg.piston)) for leg in robot.extensible_legs)
    parts = [_leg_part(part, kind) for kind, both in legs for part in both]
    return np.concatenate([_body(robot.platform, own), *bodies, *parts])


def standard_points(robot: Robot) -> tuple[Triple, ...]:
    """The point [m] of each body's standard parameters: the platform's own origin, in its frame.

    Of a body it is the first of its joints that moves, base axes, at home; of one that is fixed on
    all sides the base's origin.
    """
    joints, first = robot.listed_joints, first_moving_joints(robot)
    return (ORIGIN, *(ORIGIN if k is None else joints[k].at for k in first))


def first_moving_joints(robot: Robot) -> list[int | None]:
    """Return the number of each listed body's first joint that moves; None without one."""
    moving = [(k, joint) for k, joint in enumerate(robot.listed_joints) if not joint.kind.is_fixed]
    names = (body.name for body in robot.listed_bodies)
    return [next((k for k, joint in moving if joint.joins(name)), None) for name in names]


def _names(structure: Structure) -> Iterator[str]:
    yield from ("platform" + part for part in _FREE)
    yield from ("platform.origin_inertia" + six for six in _SIX)
    if not structure.extensible:
        for k in range(len(structure.bodies) - 1):
            yield from (f"bodies[{k}].{part}" for part in OF_A_BODY)
        return
    for k, leg in enumerate(structure.legs):
        inertia = _SPINNING if leg.joints[0] == "U" else _NOT_SPINNING
        for part in ("cylinder", "piston"):
            yield from (f"legs[{k}].{part}{number}" for number in (*_ON_A_LEG, *inertia))


def _body(body: Platform | Body, point: Triple) -> Array:
    m, r = body.mass, np.array(body.center_of_mass) - point
    J = np.array(body.inertia) + m * (r @ r * np.eye(3) - np.outer(r, r))
    return np.concatenate([[m], m * r, J[UPPER]])


def _leg_part(part: LegPart, kind: str) -> Array:
    m, c = part.mass, part.center_of_mass
    J = (np.array(part.inertia) + m * c**2 * _ACROSS)[UPPER]
    return np.concatenate([[m, m * c], J if kind[0] == "U" else J[:1]])
