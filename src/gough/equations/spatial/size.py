"""How large a machine is: what makes tests independent of the unit of length."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, norm


def machine_size(machine: Machine) -> Value:
    """The larger one of the base's and the platform's radius [m].

    The radius of a body is the largest distance of its joint centres from their mean.
    """
    bodies = [leg.base for leg in machine.legs], [leg.platform for leg in machine.legs]
    return ca.fmax(*(_radius(joints) for joints in bodies))


def platform_arm(machine: Machine) -> Value:
    """The largest distance of a platform joint from the first one [m]."""
    first, *others = (leg.platform for leg in machine.legs)
    return reduce(ca.fmax, (norm(joint - first) for joint in others))


def platform_reach(machine: Machine) -> Value:
    """The largest distance of a platform joint from the platform's origin [m]."""
    return reduce(ca.fmax, (norm(leg.platform) for leg in machine.legs))


def _radius(joints: Sequence[Value]) -> Value:
    middle = sum(joints[1:], joints[0]) / len(joints)
    return reduce(ca.fmax, (norm(joint - middle) for joint in joints))
