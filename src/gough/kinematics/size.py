"""How large a robot is: what makes tolerances and steps independent of the unit of length."""

from __future__ import annotations

from gough.compiler.remembered import remembered
from gough.equations.spatial import size
from gough.model.parameters import machine_of
from gough.robot import Robot


@remembered
def machine_size(robot: Robot) -> float:
    """The larger one of the base's and the platform's radius [m]."""
    return float(size.machine_size(machine_of(robot)))
