"""A machine that follows a motion under a controller: what it does, as labelled results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
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
from gough.simulation.endings import first_ending
from gough.simulation.linear import linear_loop
from gough.simulation.loop import ONE_KILOHERTZ, ClosedLoop, Sampling
from gough.simulation.outcome import GROUPS, results_of
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
    time = sampling.times(float(motion.duration if duration is None else duration))
    noise = sensors.noise_samples(len(time), 1, seed)
    begin = None if start is None else (start, None)
    course = course_of(plant or rigid_plant(robot), motion, tasks, time, begin, noise)
    driven = course.plant
    warnings: list[str] = []
    if integrator is None:
        step = sampling.period / sampling.substeps
        held = driven.holding(course.start[:7])
        check_step(driven, step, course.start, held, *driven.own_parameters)
    if isinstance(controller, Controller):
        loop = ClosedLoop(driven, controller, robot, sampling, sensors, saturated)
        if integrator is None:
            warnings += _instability(loop, course)
            states, commands = _compiled(loop, course, every)
        elif controller.blind:
            states, commands = run_blind(course, controller, robot, loop.limit, integrator)
        else:
            law = as_function(controller, robot, course, sampling.period, loop.limit)
            states, commands = run_python(course, law, sampling, sensors, saturated, integrator)
    else:
        states, commands = run_python(course, controller, sampling, sensors, saturated, integrator)
    if len(states) == len(time):
        states, commands = states[::every], commands[::every]
    ending = first_ending(driven, time[::every], states)
    end = len(states) if ending is None else ending.samples
    if end < 2:
        raise GoughError(f"{name}: {ending.text if ending else 'nothing was computed'}")
    if ending:
        warnings.insert(0, ending.text)
    kept, commands = course.every(every, end), commands[:end]
    return results_of(
        kept,
        states[:end],
        commands,
        quantities=quantities,
        warnings=warnings + _saturation(driven, kept.time, commands, saturated),
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


def _compiled(loop: ClosedLoop, course: Course, every: int) -> tuple[Array, Array]:
    """States and commands at the samples that are kept."""
    pose, twist = course.start[:7], course.start[7:13]
    runs = loop.run(
        loop.start(pose, twist),
        course.reference,
        wrench=course.wrench,
        noise=course.noise,
        parameters=course.parameters[0][:, None] if course.parameters else None,
        every=every,
    )
    return runs.memory[:, 0, : course.plant.state.size], runs.command[:, 0]


def _instability(loop: ClosedLoop, course: Course) -> list[str]:
    """What the loop near its beginning says of the gains."""
    if loop.sensors.resolution or loop.controller.blind:
        return []
    memory = loop.start(course.start[:7], course.start[7:13])
    numbers = next(iter(course.plant.own_parameters), None)
    radius = linear_loop(loop, memory, course.reference[0], numbers).spectral_radius
    if radius <= 1 + 1e-6:
        return []
    return [
        f"the gains are not stable at this sampling: the loop near its beginning has a pole of "
        f"size {radius:.7g} per sample of {loop.sampling.period:g} s; expected below 1"
    ]


def _saturation(plant: Plant, time: Array, commands: Array, saturated: bool) -> list[str]:
    limit = np.array(plant.limit)
    reached = np.abs(commands) >= limit if saturated else np.zeros(commands.shape, bool)
    if not reached.any():
        return []
    legs = [str(k + 1) for k in np.flatnonzero(reached.any(axis=0))]
    share, first = reached.any(axis=1).mean(), time[np.argmax(reached.any(axis=1))]
    plural = "s" if len(legs) > 1 else ""
    return [
        f"actuator{plural} of leg{plural} {', '.join(legs)} at the limit for {100 * share:.3g} % "
        f"of the run, first at t = {first:.6g} s"
    ]


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
        made["controller"] = {"kind": controller.name, "gains": gains, "units": units}
    else:
        made["controller"] = {"kind": "Python", "description": repr(controller)}
    return made
