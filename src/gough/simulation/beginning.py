"""What can be told of a run before it begins: why it cannot be done, and what to beware of."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.motion import Motion
from gough.simulation.course import Course
from gough.simulation.endings import leg_lengths, outside_stroke
from gough.simulation.linear import linear_loop
from gough.simulation.loop import ClosedLoop, Sampling
from gough.simulation.plant import Plant
from gough.simulation.rk4 import check_step, largest_stable_step, plant_eigenvalues

Array = np.ndarray[Any, np.dtype[np.float64]]

SUBSTEPS_LOOKED_AT = 1000
"""Of RK4, to see the poles of a loop whose integrator adapts; stiffer ones are not looked at."""


def check_start(plant: Plant, state: Array) -> None:
    """Refuse a state out of reach, one that nothing holds, and one whose motion is not known."""
    pose = state[:7]
    runs = np.atleast_2d(plant.numbers)
    beyond = outside_stroke(plant, runs, state)
    run, leg = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    if beyond[run, leg] > 0 and not plant.stops:
        length = leg_lengths(plant, runs, state)[run, leg]
        low, high = runs[run, plant.stroke_places[:, leg]]
        raise GoughError(
            f"start{f' of run {run}' if len(runs) > 1 else ''}: leg {leg + 1} is {length:.6g} m "
            f"long; expected a length within its stroke, {low:.6g} to {high:.6g} m"
        )
    if not np.isfinite(plant.holding(pose)).all():
        Model(plant.robot).checked_inverse_dynamics(pose)  # names what is singular
        raise GoughError(f"start: no forces hold the machine at the pose {pose.tolist()}")
    check_motion(plant, state)


def check_motion(plant: Plant, state: Array) -> None:
    """Refuse a state at which forces do not determine how the machine moves."""
    rates = plant.rate_kernel(state, np.zeros(6), np.zeros(6), *plant.own_parameters)
    if not np.isfinite(rates).all():
        raise GoughError(
            f"{plant.robot.name}: forces do not determine how it moves at the pose "
            f"{state[:7].tolist()}; expected a robot with masses and inertias (platform.mass, "
            "platform.inertia), at a pose that is not singular"
        )


def check_first_step(course: Course, sampling: Sampling) -> None:
    """Refuse a step that is too large at the beginning, or if a tool struck the surface there."""
    plant, start = course.plant, course.start
    at = (plant, sampling.period / sampling.substeps, start, plant.holding(start[:7]))
    check_step(*at, *plant.own_parameters)
    if plant.contact_slope is not None:
        check_step(*at, *plant.own_parameters, wrench_slope=plant.contact_slope(start))


def warnings_before(course: Course, loop: ClosedLoop | Any, *, adaptive: bool) -> list[str]:
    """What to beware of; of a controller in Python nothing is known."""
    words = _inside_surface(course) + _early_end(course.motion, course.time)
    return words + (_instability(loop, course, adaptive) if isinstance(loop, ClosedLoop) else [])


def _inside_surface(course: Course) -> list[str]:
    """Whether the tool is in the material at the beginning."""
    plant, start = course.plant, course.start
    names = [a.name for a in plant.watched]
    if "contact_force" not in names:
        return []
    still = np.concatenate([start[:7], np.zeros(6), start[13:]])
    _, _, _, *watched = plant.shown_kernel(still, np.zeros(6), np.zeros(6), *plant.own_parameters)
    force = float(watched[names.index("contact_force")])
    if force <= 0:
        return []
    return [
        f"the tool is inside the surface at the beginning, which pushes it out with {force:.4g} N: "
        "expected a start outside it, unless this is meant"
    ]


def _early_end(motion: Motion, time: Array) -> list[str]:
    """Whether the reference stops while it moves, before the run is over."""
    moving = np.abs(motion(motion.duration).twist).max() > 1e-9
    if not moving or time[-1] <= motion.duration + 1e-9 * (1 + motion.duration):
        return []
    return [f"the motion ends at {motion.duration:.6g} s while it moves: its speed jumps to zero"]


def _instability(loop: ClosedLoop, course: Course, adaptive: bool) -> list[str]:
    """What the loop near its beginning says of the gains."""
    if loop.controller.blind:
        return []
    if adaptive:
        steps = _stable_substeps(course, loop.sampling.period)
        if steps > SUBSTEPS_LOOKED_AT:
            return []
        loop = replace(loop, sampling=replace(loop.sampling, substeps=steps))
    if loop.sensors.resolution:  # steps have no derivative
        loop = replace(loop, sensors=replace(loop.sensors, resolution=0.0))
    memory = loop.start(course.start[:7], course.start[7:13])
    numbers = next(iter(course.plant.own_parameters), None)
    radius = linear_loop(loop, memory, course.reference[0], numbers).spectral_radius
    if radius <= 1 + 1e-6:
        return []
    return [
        f"the gains are not stable at this sampling: the loop near its beginning has a pole of "
        f"size {radius:.7g} per sample of {loop.sampling.period:g} s; expected below 1"
    ]


def _stable_substeps(course: Course, period: float) -> int:
    """How many steps of RK4 a period must have to be near what an integrator that adapts does."""
    plant, start = course.plant, course.start
    holding = plant.holding(start[:7])
    modes = plant_eigenvalues(plant, start, holding, *plant.own_parameters)
    largest, _ = largest_stable_step(modes)
    return max(ceil(2 * period / largest), 1)
