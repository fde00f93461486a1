"""The numbers of a machine of any kind as the equations take them.

Its geometry is always constant: few machines stay what they are when one of their points moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.mechanism.machine import Machine
from gough.model.mechanism.elastic import sprung
from gough.model.mechanism.reading import analysed, analysed_geometry, geometry_of
from gough.model.mechanism.weights import RigidBody, weighed
from gough.model.six_numbers import UPPER, tensor
from gough.robot import Mechanism
from gough.robot.mechanism import Body, MovingPlatform


def machine_of(mechanism: Mechanism) -> Machine:
    """The machine with its numbers as constants."""
    return analysed(mechanism).machine


def machine_of_parameters(mechanism: Mechanism, parameters: Any) -> Machine:
    """The machine with gravity, all masses, mass centres, inertias and springs from a vector."""
    found = analysed_geometry(geometry_of(mechanism))
    end = parameters.shape[0] - len(mechanism.springs)
    bodies = [
        RigidBody(ten[0], ten[1:4], tensor(ten[4:10]))
        for ten in (parameters[k : k + 10] for k in range(3, end, 10))
    ]
    machine = weighed(found.machine, found.masses, parameters[0:3], bodies)
    springs = dict(zip(mechanism.springs, ca.vertsplit(parameters[end:]), strict=True))
    return sprung(machine, found.masses.places, mechanism, springs)


def numbers_of(mechanism: Mechanism) -> Iterator[tuple[str, Array]]:
    """All numbers that are parameters, by name."""
    yield "gravity", np.array(mechanism.gravity)
    named: dict[str, MovingPlatform | Body] = {"platform": mechanism.platform}
    named |= {f"bodies[{k}]": body for k, body in enumerate(mechanism.bodies)}
    for name, body in named.items():
        yield f"{name}.mass", np.array([body.mass])
        yield f"{name}.center_of_mass", np.array(body.center_of_mass)
        yield f"{name}.inertia", np.array(body.inertia)[UPPER]
    for place, number in mechanism.springs.items():
        yield place, np.array([number])
