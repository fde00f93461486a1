"""Checks of a run before it begins: reasons why it is impossible, and warnings."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.motion import Motion, MotionSamples
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.events import end_stop, travel_margin
from gough.simulation.integrators import check_step, largest_stable_step, plant_eigenvalues
from gough.simulation.paths import Path
from gough.simulation.plants.plant import Plant
from gough.simulation.results import cut_off
from gough.simulation.scenario import Scenario
from gough.simulation.tuning.linear import linear_loop

SUBSTEPS_LOOKED_AT = 1000
"""Maximum number of RK4 steps for the poles of a loop whose integrator adapts."""


def pose_and_twist(start: ArrayLike | None, first: MotionSamples) -> tuple[Any, Any]:
    """Return the start of a run: that of its motion, a pose (7) at rest, or a (pose, twist (6))."""
    if start is None:
        return first.pose, first.twist
    if isinstance(start, tuple | list) and len(start) == 2:
        pose, twist = start
        return pose, twist
    return start, None


def check_start(plant: Plant, led: tuple[Array, Array]) -> None:
    """Refuse a start out of reach, one that no forces hold, and one of undetermined motion."""
    pose, state = led[0], plant.begun(*led)
    runs = np.atleast_2d(plant.numbers)
    margin = travel_margin(plant, runs, state)
    run, k = np.unravel_index(int(np.argmin(margin)), margin.shape)
    if margin[run, k] < 0 and not plant.bounces:
        joint, q = plant.structure.driven[k], plant.positions(runs, state)[run, k]
        low, high = (np.broadcast_to(end, margin.shape)[run, k] for end in plant.travel(runs))
        extensible = plant.robot.has_extensible_legs
        place, kind = (f"{q:.6g} m long", "length") if extensible else (f"at {q:.6g}", "position")
        raise GoughError(
            f"start{f' of run {run}' if len(runs) > 1 else ''}: {joint.name} is {place}; expected "
            f"a {kind} within its {joint.travel}, {low:.6g} to {high:.6g} {joint.unit}"
        )
    if not np.isfinite(plant.holding(pose)).all():
        Model(plant.robot).checked_inverse_dynamics(pose)  # names what is singular
        raise GoughError(f"start: no forces hold the machine at the pose {pose.tolist()}")
    plant.check_motion(state)


def warnings_before(scenario: Scenario) -> list[str]:
    """Return warnings of the scenario; for a controller in Python there are none."""
    words = _inside_surface(scenario) + _early_end(scenario.motion, scenario.time)
    return words if scenario.loop is None else words + _instability(scenario, scenario.loop)


def _inside_surface(scenario: Scenario) -> list[str]:
    """Warn if the tool is inside the surface at the beginning."""
    plant, start = scenario.plant, scenario.start
    names = [a.name for a in plant.watched]
    if "contact_force" not in names:
        return []
    still = np.concatenate([start[:7], np.zeros(6), start[13:]])
    command, wrench = np.zeros(plant.actuators), np.zeros(6)
    _, _, _, *watched = plant.shown_kernel(still, command, wrench, *plant.own_parameters)
    force = float(watched[names.index("contact_force")])
    if force <= 0:
        return []
    return [
        f"the tool is inside the surface at the beginning, which pushes it out with {force:.4g} N: "
        "expected a start outside it, unless this is meant"
    ]


def _early_end(motion: Motion, time: Array) -> list[str]:
    """Warn if the reference ends while it moves, before the run is over."""
    moving = np.abs(motion(motion.duration).twist).max() > 1e-9
    if not moving or time[-1] <= motion.duration + 1e-9 * (1 + motion.duration):
        return []
    return [f"the motion ends at {motion.duration:.6g} s while it moves: its speed jumps to zero"]


def _instability(scenario: Scenario, loop: ClosedLoop) -> list[str]:
    """Warn if the loop linearised at its beginning is unstable."""
    if loop.controller.blind:
        return []
    if scenario.integrator is not None:
        steps = stable_substeps(scenario)
        if steps > SUBSTEPS_LOOKED_AT:
            return []
        loop = replace(loop, sampling=replace(loop.sampling, substeps=steps))
    if loop.sensors.resolution:  # steps have no derivative
        loop = replace(loop, sensors=replace(loop.sensors, resolution=0.0))
    memory = loop.start(*scenario.led)
    numbers = next(iter(scenario.plant.own_parameters), None)
    radius = linear_loop(loop, memory, scenario.reference[0], numbers).spectral_radius
    if radius <= 1 + 1e-6:
        return []
    return [
        f"the gains are not stable at this sampling: the loop near its beginning has a pole of "
        f"size {radius:.7g} per sample of {loop.sampling.period:g} s; expected below 1"
    ]


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
    """Return the number of RK4 steps per period that approximates an adaptive integrator."""
    plant, start = scenario.plant, scenario.start
    modes = plant_eigenvalues(plant, start, plant.holding(scenario.led[0]), *plant.own_parameters)
    largest, _ = largest_stable_step(modes)
    return max(ceil(2 * scenario.sampling.period / largest), 1)
