"""Balancing the legs' weight: a mass on each cylinder, behind the base joint [Baiges 1996, 8.3].

It takes the moment of the leg's weight about its base joint away, for one leg length, and adds
inertia: worth it where gravity is most of what couples the legs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.robot import Body, Hexapod, Leg, Robot


def balancing_distances(robot: Robot, mass: float, leg_lengths: Any) -> Array:
    """(legs,) how far behind each base joint a mass [kg] balances its leg at a length [m].

    U = (M_e E + M_d D + M_b b) / m, with the leg's mean length on a motion for E's average.
    """
    hexapod = _hexapod(robot)
    if not mass > 0:
        raise GoughError(f"the balancing mass is {mass:g} kg; expected one above 0 kg")
    lengths = np.broadcast_to(np.asarray(leg_lengths, dtype=float), len(hexapod.legs))
    moments = [_moment(leg, l) for leg, l in zip(hexapod.legs, lengths.tolist(), strict=True)]
    return np.array(moments) / mass


def balanced(robot: Robot, mass: float, distances: Any) -> Hexapod:
    """The robot with a point mass [kg] on each cylinder, so far [m] behind its base joint."""
    hexapod = _hexapod(robot)
    if not mass >= 0:
        raise GoughError(f"the balancing mass is {mass:g} kg; expected one of at least 0 kg")
    behind = np.broadcast_to(np.asarray(distances, dtype=float), len(hexapod.legs))
    legs = tuple(
        leg.model_copy(update={"cylinder": _joined(leg.cylinder, mass, -u)})
        for leg, u in zip(hexapod.legs, behind.tolist(), strict=True)
    )
    return hexapod.model_copy(update={"legs": legs})


def _hexapod(robot: Robot) -> Hexapod:
    """The robot, if it has cylinders to put a mass on."""
    if isinstance(robot, Hexapod):
        return robot
    raise GoughError(
        f"{robot.name}: a balancing mass is on the cylinder of an extensible leg, and this machine "
        "has none; expected a hexapod, or a mass added to one of its bodies"
    )


def _moment(leg: Leg, length: float) -> float:
    """First moment of a leg's masses about its base joint [kg m]."""
    cylinder, piston = leg.cylinder, leg.piston
    return cylinder.mass * cylinder.center_of_mass + piston.mass * (length - piston.center_of_mass)


def _joined(body: Body, mass: float, place: float) -> Body:
    """A body and a point mass on the leg's axis as one body."""
    total = body.mass + mass
    if total == 0.0:
        return body
    center = (body.mass * body.center_of_mass + mass * place) / total
    across = body.mass * (body.center_of_mass - center) ** 2 + mass * (place - center) ** 2
    inertia = np.array(body.inertia) + np.diag([across, across, 0.0])
    return Body(mass=total, center_of_mass=center, inertia=inertia.tolist(), mesh=body.mesh)
