"""A machine that follows a motion under a controller: what it does, as labelled results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from gough.compiler.kernel import Kernel
from gough.errors import GoughError
from gough.model import Model
from gough.motion import Motion, MotionSamples, Task, carrying, total_wrench
from gough.parameters import parameters_of
from gough.robot import Robot
from gough.simulation.controllers import Controller
from gough.simulation.endings import Ending, first_ending
from gough.simulation.linear import linear_loop
from gough.simulation.loop import ONE_KILOHERTZ, ClosedLoop, Sampling
from gough.simulation.plant import Plant, rigid_plant
from gough.simulation.python_loop import PythonController, run_python
from gough.simulation.rk4 import check_step
from gough.simulation.sensors import PERFECT, Sensors
from gough.studies.evaluation import evaluate, limits
from gough.studies.kernels import kernels_of
from gough.studies.quantities import QUANTITIES, wanted
from gough.studies.results import Quantity, Results
from gough.studies.run import versions
from gough.studies.summary import summarize
from gough.studies.warnings import warnings_of

Array = np.ndarray[Any, np.dtype[np.float64]]

GROUPS = ("motion", "legs", "forces", "margins", "singularity")
"""What a simulation gives unless more is asked."""


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
    quantities: tuple[str, ...] = GROUPS,
    name: str = "simulation",
) -> Results:
    """Let a controller follow a motion, from its beginning or from another `start` pose at rest.

    The controller knows the model's robot; the `plant` is what it drives, by default that robot
    with rigid legs, ideal actuators and the payloads among the tasks. `controller` may also be a
    Python function of (time, measurement (18), reference (19)) that returns a command: slower. The
    tasks' wrenches are those along the wanted motion. Every so many samples are kept.

    A run ends early where it diverges, crosses a singular configuration or leaves a stroke: what
    was computed until then is kept, and `warnings` says why.
    """
    robot = model.robot if isinstance(model, Model) else model
    loads = tuple(tasks)
    driven = plant or rigid_plant(carrying(robot, loads))
    time = sampling.times(float(motion.duration if duration is None else duration))
    samples = motion(time)
    reference = np.concatenate([samples.pose, samples.twist, samples.acceleration], axis=-1)
    wrench = total_wrench(loads, time, samples)
    noise = sensors.noise_samples(len(time), 1, seed)
    pose, twist = (samples.pose[0], samples.twist[0]) if start is None else (start, None)
    state = driven.start(pose, twist)
    check_step(driven, sampling.period / sampling.substeps, state, driven.holding(state[:7]))
    warnings: list[str] = []
    if isinstance(controller, Controller):
        loop = ClosedLoop(driven, controller, robot, sampling, sensors, saturated)
        memory = loop.start(pose, twist)
        runs = loop.run(memory, reference, wrench=wrench, noise=noise, every=every)
        states, commands = runs.memory[:, 0, : driven.state.size], runs.command[:, 0]
        warnings += _instability(loop, memory, reference[0])
    else:
        states, commands = run_python(
            driven, controller, sampling, sensors, state, time, reference, wrench, noise, saturated
        )
        states, commands = states[::every], commands[::every]
    kept = MotionSamples(*(x[::every] for x in samples))
    ending = first_ending(driven, time[::every], states)
    end = len(states) if ending is None else ending.samples
    if end < 2:
        raise GoughError(f"{name}: {ending.text if ending else 'nothing was computed'}")
    if ending:
        warnings.insert(0, ending.text)
    return _results(
        robot=driven.robot,
        plant=driven,
        time=time[::every][:end],
        states=states[:end],
        commands=commands[:end],
        wanted_motion=MotionSamples(*(x[:end] for x in kept)),
        wrench=wrench[::every][:end],
        names=wanted(quantities),
        warnings=warnings + _saturation(driven, time[::every][:end], commands[:end], saturated),
        study={
            "name": name,
            "robot": robot.to_dict(),
            "motion": {"description": repr(motion)},
            "tasks": [{"description": repr(task)} for task in loads],
            "simulation": _described(controller, sampling, sensors, saturated, seed, ending),
        },
    )


def _instability(loop: ClosedLoop, memory: Array, reference: Array) -> list[str]:
    """What the loop near its beginning says of the gains."""
    if loop.sensors.resolution:
        return []
    radius = linear_loop(loop, memory, reference).spectral_radius
    if radius <= 1 + 1e-6:
        return []
    return [
        f"the gains are not stable at this sampling: the loop near its beginning has a pole of "
        f"size {radius:.4g} per sample of {loop.sampling.period:g} s; expected below 1"
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


def _results(
    *,
    robot: Robot,
    plant: Plant,
    time: Array,
    states: Array,
    commands: Array,
    wanted_motion: MotionSamples,
    wrench: Array,
    names: frozenset[str],
    warnings: list[str],
    study: dict[str, Any],
) -> Results:
    pose, twist = np.ascontiguousarray(states[:, :7]), np.ascontiguousarray(states[:, 7:13])
    rates = plant.rate_kernel(states, commands, wrench)
    motion = MotionSamples(pose, twist, np.ascontiguousarray(rates[:, 7:13]))
    found = evaluate(robot, parameters_of(robot), motion, wrench, names)
    found |= _of_actuators(robot, plant.force_kernel(states, commands, wrench), found)
    quantities = {
        name: Quantity(name, QUANTITIES[name].unit, QUANTITIES[name].meaning, values)
        for name, values in found.items()
    }
    for quantity in (
        _leg_error(robot, found["leg_length"], wanted_motion),
        Quantity(
            "pose_error",
            "m, rad",
            "wanted position and attitude (rotation vector) less those of the run, base axes",
            pose_errors(wanted_motion.pose, pose),
        ),
        Quantity("command", plant.command.unit, f"{plant.command.meaning}, held", commands),
    ):
        quantities[quantity.name] = quantity
    summary = summarize(robot, time, found, singular=False)
    return Results(
        robot=robot,
        study=study,
        time=time,
        quantities=quantities,
        warnings=(*warnings, *warnings_of(summary, (), ())),
        summary=summary,
        versions=versions(),
    )


def _of_actuators(robot: Robot, force: Array, found: dict[str, Array]) -> dict[str, Array]:
    """What the plant's actuators do, in place of what rigid legs without friction would need."""
    made = {"force": force, "power": force * found["leg_speed"]}
    if "force_index" in found:
        made["force_index"] = 1 - np.abs(force) / limits(robot, "max_force")
    return made


def _leg_error(robot: Robot, leg_length: Array, samples: MotionSamples) -> Quantity:
    kernel: Kernel = kernels_of(robot).model.inverse_kinematics
    wanted_length = kernel(parameters_of(robot), np.ascontiguousarray(samples.pose))
    meaning = "wanted leg length less that of the run"
    return Quantity("leg_length_error", "m", meaning, wanted_length - leg_length)


def pose_errors(wanted_pose: Array, pose: Array) -> Array:
    """(..., 6): ways [m] and rotation vectors [rad], base axes, from poses to wanted ones."""
    turn = Rotation.from_quat(wanted_pose[..., 3:], scalar_first=True) * (
        Rotation.from_quat(pose[..., 3:], scalar_first=True).inv()
    )
    return np.concatenate([wanted_pose[..., :3] - pose[..., :3], turn.as_rotvec()], axis=-1)


def _described(
    controller: Controller | Callable[..., Any],
    sampling: Sampling,
    sensors: Sensors,
    saturated: bool,
    seed: int,
    ending: Ending | None,
) -> dict[str, Any]:
    """How the run was made, as plain data."""
    made: dict[str, Any] = {"sampling": asdict(sampling), "sensors": asdict(sensors)}
    made |= {"saturated": saturated, "seed": seed}
    if isinstance(controller, Controller):
        gains = {a.name: np.asarray(v).tolist() for a, v in controller.gains.items()}
        made["controller"] = {"kind": controller.name, "gains": gains}
    else:
        made["controller"] = {"kind": "Python", "description": repr(controller)}
    made["ended"] = asdict(ending) if ending else {"kind": "completed"}
    return made
