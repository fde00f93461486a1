"""A machine that follows a motion under a controller: what it does, as labelled results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.model import Model
from gough.motion import Motion, Task
from gough.robot import Robot
from gough.simulation.adaptive import Adaptive
from gough.simulation.continuous import run_blind
from gough.simulation.controller import Controller
from gough.simulation.course import Course, course_of
from gough.simulation.endings import first_ending, first_in_a_stop
from gough.simulation.linear import linear_loop
from gough.simulation.loop import ONE_KILOHERTZ, ClosedLoop, Sampling
from gough.simulation.outcome import GROUPS, at_limit, first_cut_off, results_of
from gough.simulation.plant import Plant, rigid_plant
from gough.simulation.python_loop import PythonController, as_function, run_python
from gough.simulation.rk4 import check_step
from gough.simulation.sensors import PERFECT, Sensors
from gough.studies.results import Results

Array = np.ndarray[Any, np.dtype[np.float64]]


def simulate(
    model: Model | Robot,
    motion: Motion,
    controller: Controller | PythonController,
    *,
    plant: Plant | None = None,
    tasks: Iterable[Task] = (),
    sampling: Sampling = ONE_KILOHERTZ,
    sensors: Sensors = PERFECT,
    saturated: bool = True,
    start: Any = None,
    duration: float | None = None,
    every: int = 1,
    seed: int = 0,
    integrator: Adaptive | None = None,
    quantities: tuple[str, ...] = GROUPS,
    name: str = "simulation",
) -> Results:
    """Let a controller follow a motion, from its beginning or from another `start` pose at rest.

    The controller knows the model's robot; the `plant` is what it drives, by default that robot
    with rigid legs and ideal actuators. Payloads among the tasks are the plant's, and unknown to
    the controller; one that is picked up on the way moves with the platform already. The other
    tasks' wrenches are those along the wanted motion. `controller` may also be a Python function of
    (time, measurement (24), reference (19)) that returns a command: slower. Every so many samples
    are kept.

    The plant moves on by RK4 or, more slowly, by an adaptive `integrator`; with one, a controller
    that goes by the reference alone acts continuously, without sampling.

    A run ends early where it diverges, crosses a singular configuration or leaves a stroke: what
    was computed until then is kept, and `warnings` says why.
    """
    robot = model.robot if isinstance(model, Model) else model
    if not isinstance(every, int) or every < 1:
        raise GoughError(f"every is {every!r}; expected a whole number, 1 or more")
    time = sampling.times(motion.duration if duration is None else duration)
    if len(time) <= every:
        raise GoughError(f"every is {every}; expected less than the {len(time)} samples of the run")
    noise = sensors.noise_samples(len(time), 1, seed)
    begin = None if start is None else (start, None)
    course = course_of(plant or rigid_plant(robot), motion, tasks, time, begin, noise)
    driven = course.plant
    warnings = _early_end(motion, time)
    if integrator is None:
        _check_beginning(course, sampling)
    if isinstance(controller, Controller):
        loop = ClosedLoop(driven, controller, robot, sampling, sensors, saturated)
        if integrator is None:
            warnings += _instability(loop, course)
            states, commands = _compiled(loop, course)
        else:
            states, commands = _adaptive(loop, course, integrator)
    else:
        states, commands = run_python(course, controller, sampling, sensors, saturated, integrator)
    ending = first_ending(driven, time, states)
    end = len(states) if ending is None else ending.samples
    if integrator is None:
        _check_on_the_way(course, sampling, states[:end], commands[:end])
    if end <= every:
        raise GoughError(f"{name}: {ending.text if ending else 'nothing was computed'}")
    if ending:
        warnings.insert(0, ending.text)
    warnings += _saturation(driven, time[:end], commands[:end], saturated)
    kept = slice(0, end, every)
    return results_of(
        course.part(kept),
        states[kept],
        commands[kept],
        quantities=quantities,
        warnings=warnings,
        study={
            "name": name,
            "robot": robot.to_dict(),
            "motion": {"description": repr(motion)},
            "tasks": [{"description": repr(task)} for task in course.tasks],
            "simulation": {
                **_described(controller, sampling, sensors, integrator),
                "saturated": saturated,
                "limits": [None if x == np.inf else x for x in driven.limit],
                "seed": seed,
                "ended": asdict(ending) if ending else {"kind": "completed"},
            },
        },
    )


def _compiled(loop: ClosedLoop, course: Course) -> tuple[Array, Array]:
    """States and commands at all samples."""
    pose, twist = course.start[:7], course.start[7:13]
    runs = loop.run(
        loop.start(pose, twist),
        course.reference,
        wrench=course.acting,
        noise=course.noise,
        parameters=course.parameters[0][:, None] if course.parameters else None,
    )
    return runs.memory[:, 0, : course.plant.state.size], runs.command[:, 0]


def _adaptive(loop: ClosedLoop, course: Course, how: Adaptive) -> tuple[Array, Array]:
    """The same with steps that adapt themselves, between samples or without any."""
    controller, robot, sampling = loop.controller, loop.robot, loop.sampling
    if not controller.blind:
        law = as_function(controller, robot, course, sampling.period, loop.limit)
        return run_python(course, law, sampling, loop.sensors, loop.saturated, how)
    if sampling.delay:
        raise GoughError("delay: an open loop that is not sampled has none; expected 0")
    return run_blind(course, controller, robot, loop.limit, how)


def _check_beginning(course: Course, sampling: Sampling) -> None:
    """Refuse a step that is too large at the beginning, or if a tool struck the surface there."""
    plant, start = course.plant, course.start
    at = (plant, sampling.period / sampling.substeps, start, plant.holding(start[:7]))
    check_step(*at, *plant.own_parameters)
    if plant.contact_slope is not None:
        check_step(*at, *plant.own_parameters, wrench_slope=plant.contact_slope(start))


def _check_on_the_way(course: Course, sampling: Sampling, states: Array, commands: Array) -> None:
    """Refuse a step that was too large where a leg came into its stop, or an amplifier cut off."""
    part = course.part(slice(len(states)))
    for k in (first_in_a_stop(course.plant, states), first_cut_off(part, states, commands)):
        if k is not None:
            numbers = tuple(rows[k] for rows in course.parameters)
            step = sampling.period / sampling.substeps
            check_step(course.plant, step, states[k], commands[k], *numbers)


def _instability(loop: ClosedLoop, course: Course) -> list[str]:
    """What the loop near its beginning says of the gains."""
    if loop.controller.blind:
        return []
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


def _early_end(motion: Motion, time: Array) -> list[str]:
    """Whether the reference stops while it moves, before the run is over."""
    moving = np.abs(motion(motion.duration).twist).max() > 1e-9
    if not moving or time[-1] <= motion.duration + 1e-9 * (1 + motion.duration):
        return []
    return [f"the motion ends at {motion.duration:.6g} s while it moves: its speed jumps to zero"]


def _saturation(plant: Plant, time: Array, commands: Array, saturated: bool) -> list[str]:
    if not saturated:
        return []
    return at_limit("actuator", time, np.abs(commands) >= np.array(plant.limit))


def _described(
    controller: Controller | PythonController,
    sampling: Sampling,
    sensors: Sensors,
    integrator: Adaptive | None,
) -> dict[str, Any]:
    """How the run was made, as plain data."""
    made: dict[str, Any] = {"sampling": asdict(sampling), "sensors": asdict(sensors)}
    made["integrator"] = asdict(integrator) if integrator else {"method": "RK4"}
    if isinstance(controller, Controller):
        gains = {a.name: np.asarray(v).tolist() for a, v in controller.gains.items()}
        units = {a.name: a.unit for a in controller.gains}
        words = {"kind": controller.name, "description": controller.description}
        made["controller"] = {**words, "gains": gains, "units": units}
    else:
        made["controller"] = {"kind": "Python", "description": repr(controller)}
    return made
