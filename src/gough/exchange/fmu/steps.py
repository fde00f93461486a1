"""How long the steps of RK4 may be in an FMU, which cannot look at its own eigenvalues."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from gough.simulation.integrators.rk4 import StepTooLarge, largest_stable_step, plant_eigenvalues
from gough.simulation.plants import Plant
from gough.simulation.plants.real import RealPlant

USUAL = 1e-3
SHARE = 0.5
"""Of the longest step that is stable: other poses have other modes."""
PRESSED = 1e-4
"""How deep in its stop [m, rad] an actuator is taken to be."""


def checked_step(plant: Plant, step: float | None) -> float:
    """A step [s], refused where RK4 is not stable at the home pose, also with all stops pressed.

    None: 1 ms, or a half, a quarter … of it where that is too long.
    """
    home = np.array(plant.robot.home)
    start, stiff = plant.start(home), _in_stops(plant, home)
    stiff.check_motion(start)
    modes = plant_eigenvalues(stiff, start, plant.holding(home), *plant.own_parameters)
    longest, mode = largest_stable_step(modes)
    if step is None:
        step = USUAL
        while step > SHARE * longest:
            step /= 2
    elif step > longest:
        raise StepTooLarge(step, longest, mode)
    return step


def _in_stops(plant: Plant, home: np.ndarray) -> Plant:
    """The plant whose stops are where its actuators are at home."""
    if not isinstance(plant, RealPlant) or not plant.stops:
        return plant
    q = plant.positions(plant.numbers, plant.start(home))
    moved = {k: replace(s, shortest=ca.DM(q[k] + PRESSED)) for k, s in plant.stops.items()}
    return replace(plant, stops=moved)
