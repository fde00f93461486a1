"""A machine that follows a motion under a controller: what it does, as labelled results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from inspect import signature
from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.errors import GoughError
from gough.kinematics.model import Model
from gough.motion import Motion, Task
from gough.robot import Robot
from gough.simulation.adaptive import Adaptive
from gough.simulation.beginning import check_first_step, check_start, warnings_before
from gough.simulation.checks import check_kept, instance, whole
from gough.simulation.continuous import run_blind
from gough.simulation.controller import Controller
from gough.simulation.course import Course, course_of
from gough.simulation.endings import first_ending, first_in_a_stop
from gough.simulation.loop import ONE_KILOHERTZ, ClosedLoop, Sampling
from gough.simulation.outcome import GROUPS, at_limit, first_cut_off, results_of
from gough.simulation.plant import Plant, rigid_plant
from gough.simulation.python_loop import PythonController, as_function, run_python
from gough.simulation.rk4 import check_step
from gough.simulation.sensors import PERFECT, Sensors

Array = np.ndarray[Any, np.dtype[np.float64]]

OF_A_SAMPLE, OF_A_KEPT_SAMPLE = 100, 400
"""Numbers that lie in memory at once, beside states: of the motion, the loads and the commands; of
the results."""


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
    (time, measurement (24), reference (19)) that returns a command: slower. Of `every` so many
    samples one is kept, and figures and limits are of those that are; a warning says so.

    The plant moves on by RK4 or, more slowly, by an adaptive `integrator`; with one, a controller
    that goes by the reference alone acts continuously, without sampling.

    A run ends early where it diverges, crosses a singular configuration or leaves a stroke: what
    was computed until then is kept, and `warnings` says why.
    """
    robot = model.robot if isinstance(model, Model) else model
    loads = _checked(robot, motion, controller, plant, tasks, sampling, sensors, integrator)
    machine = plant or rigid_plant(robot)
    numbers = OF_A_SAMPLE + 2 * machine.state.size + OF_A_KEPT_SAMPLE / whole("every", every)
    time = sampling.times(motion.duration if duration is None else duration, numbers)
    check_kept(every, len(time))
    noise = sensors.noise_samples(len(time), 1, seed)
    begin = None if start is None else (start, None)
    course = course_of(machine, motion, loads, time, begin, noise)
    driven = course.plant
    check_start(driven, course.start)
    loop: ClosedLoop | Any = controller
    if isinstance(controller, Controller):
        loop = ClosedLoop(driven, controller, robot, sampling, sensors, saturated)
    if integrator is None:
        check_first_step(course, sampling)
    warnings = warnings_before(course, loop, adaptive=integrator is not None)
    if not isinstance(loop, ClosedLoop):
        states, commands = run_python(course, loop, sampling, sensors, saturated, integrator)
    elif integrator is None:
        states, commands = _compiled(loop, course)
    else:
        states, commands = _adaptive(loop, course, integrator)
    ending = first_ending(driven, time, states, commands)
    end = len(states) if ending is None else ending.samples
    if integrator is None:
        _check_on_the_way(course, sampling, states[:end], commands[:end])
    if end <= every:
        what = ending.text if ending else "nothing was computed"
        raise GoughError("; ".join([f"{name}: {what}", *warnings]))
    if ending:
        warnings.insert(0, ending.text)
    warnings += _saturation(driven, time[:end], commands[:end], saturated)
    warnings += _left_out(every)
    kept = slice(0, end, int(every))
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


def _checked(
    robot: Any, motion: Any, controller: Any, plant: Any, tasks: Any, sampling: Any, sensors: Any,
    integrator: Any,
) -> tuple[Task, ...]:  # fmt: skip
    """The tasks, if everything is what it should be."""
    instance("robot", robot, Robot)
    instance("motion", motion, Motion)
    if not isinstance(controller, Controller) and not _takes_three(controller):
        raise GoughError(
            f"controller is {controller!r}; expected one of gough.simulation.controllers, or a "
            "function of (time, measurement, reference)"
        )
    instance("sampling", sampling, Sampling)
    instance("sensors", sensors, Sensors)
    if plant is not None:
        instance("plant", plant, Plant)
    if integrator is not None:
        instance("integrator", integrator, Adaptive)
    loads = tuple(tasks)
    for k, task in enumerate(loads):
        instance(f"tasks[{k}]", task, Task)
    return loads


def _takes_three(function: Any) -> bool:
    """Whether something can be called with three arguments, as far as that can be seen."""
    try:
        signature(function).bind(0.0, None, None)
    except ValueError:  # of something made in C, which does not tell
        return callable(function)
    except TypeError:
        return False
    return True


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


def _check_on_the_way(course: Course, sampling: Sampling, states: Array, commands: Array) -> None:
    """Refuse a step that was too large where a leg came into its stop, or an amplifier cut off."""
    part = course.part(slice(len(states)))
    for k in (first_in_a_stop(course.plant, states), first_cut_off(part, states, commands)):
        if k is not None:
            numbers = tuple(rows[k] for rows in course.parameters)
            step = sampling.period / sampling.substeps
            check_step(course.plant, step, states[k], commands[k], *numbers)


def _saturation(plant: Plant, time: Array, commands: Array, saturated: bool) -> list[str]:
    if not saturated:
        return []
    return at_limit("command", time, np.abs(commands) >= np.array(plant.limit))


def _left_out(every: int) -> list[str]:
    if every == 1:
        return []
    return [
        f"one of every {every} samples is kept: peaks, margins and limits between them are not seen"
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
        words = {"kind": controller.name, "description": controller.description}
        made["controller"] = {**words, "gains": gains, "units": units}
    else:
        made["controller"] = {"kind": "Python", "description": repr(controller)}
    return made
