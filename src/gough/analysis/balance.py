"""Balancing the legs' weight: a mass on each cylinder, behind the base joint [Baiges 1996, 8.3].

It takes the moment of the leg's weight about its base joint away, for one leg length, and adds
inertia: worth it where gravity is most of what couples the legs.
"""

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError
from gough.robot import Body, Leg, Robot


def balancing_distances(robot: Robot, mass: float, leg_lengths: ArrayLike) -> Array:
    """(legs,) how far behind each base joint a mass [kg] balances its leg at a length [m].

    U = (M_e E + M_d D + M_b b) / m, with the leg's mean length on a motion for E's average.
    """
    legs = _legs(robot)
    if not mass > 0:
        raise GoughError(f"the balancing mass is {mass:g} kg; expected one above 0 kg")
    lengths = np.broadcast_to(np.asarray(leg_lengths, dtype=float), len(legs))
    of_cylinders = [leg.cylinder.mass * leg.cylinder.center_of_mass for leg in legs]
    beyond = lengths - [leg.piston.center_of_mass for leg in legs]
    return np.asarray((of_cylinders + np.array([l.piston.mass for l in legs]) * beyond) / mass)


def balanced(robot: Robot, mass: float, distances: ArrayLike) -> Robot:
    """The robot with a point mass [kg] on each cylinder, so far [m] behind its base joint."""
    legs = _legs(robot)
    if not mass >= 0:
        raise GoughError(f"the balancing mass is {mass:g} kg; expected one of at least 0 kg")
    behind = np.broadcast_to(np.asarray(distances, dtype=float), len(legs)).tolist()
    heavier = tuple(
        leg.model_copy(update={"cylinder": _joined(leg.cylinder, mass, -u)})
        for leg, u in zip(legs, behind, strict=True)
    )
    return robot.model_copy(update={"legs": heavier})


def _legs(robot: Robot) -> tuple[Leg, ...]:
    """Return the legs with cylinders to put a mass on."""
    if robot.extensible_legs:
        return robot.extensible_legs
    raise GoughError(
        f"{robot.name}: a balancing mass is on the cylinder of an extensible leg, and this machine "
        "has none; expected a hexapod, or a mass added to one of its bodies"
    )


def _joined(body: Body, mass: float, place: float) -> Body:
    """A body and a point mass on the leg's axis as one body."""
    total = body.mass + mass
    if total == 0.0:
        return body
    center = (body.mass * body.center_of_mass + mass * place) / total
    across = body.mass * (body.center_of_mass - center) ** 2 + mass * (place - center) ** 2
    inertia = np.array(body.inertia) + np.diag([across, across, 0.0])
    return Body(mass=total, center_of_mass=center, inertia=inertia.tolist(), mesh=body.mesh)
