"""Whether the steps of RK4 are short enough for a run, where it begins and on its way."""

from __future__ import annotations

from math import ceil

import numpy as np

from gough.simulation.events import end_stop
from gough.simulation.integrators.rk4 import check_step, largest_stable_step, plant_eigenvalues
from gough.simulation.paths import Path
from gough.simulation.results import cut_off
from gough.simulation.scenario import Scenario


def check_first_step(scenario: Scenario) -> None:
    """Refuse a step that is too large at the beginning, or if a tool struck the surface there."""
    plant, start, step = scenario.plant, scenario.start, scenario.sampling.step
    at = (plant, step, start, plant.holding(scenario.led[0]))
    check_step(*at, *plant.own_parameters)
    struck = plant.contact_slope(start)
    if struck is not None:
        check_step(*at, *plant.own_parameters, wrench_slope=struck)


def check_steps_on_the_way(scenario: Scenario, path: Path) -> None:
    """Refuse a step that was too large where a leg came into its stop, or an amplifier cut off."""
    plant = scenario.plant
    stiffened = [cut_off(scenario, path)]
    if plant.bounces:
        stiffened.insert(0, end_stop(plant).margin(scenario.time, *path) < 0)
    for legs in stiffened:
        if legs.any():
            k = int(np.argmax(legs.any(axis=-1)))
            numbers = tuple(rows[k] for rows in scenario.parameters)
            check_step(plant, scenario.sampling.step, path.states[k], path.commands[k], *numbers)


def stable_substeps(scenario: Scenario) -> int:
    """How many steps of RK4 a period must have to be near what an integrator that adapts does."""
    plant, start = scenario.plant, scenario.start
    modes = plant_eigenvalues(plant, start, plant.holding(scenario.led[0]), *plant.own_parameters)
    largest, _ = largest_stable_step(modes)
    return max(ceil(2 * scenario.sampling.period / largest), 1)
