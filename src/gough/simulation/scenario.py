"""A simulation to be run: a controller that follows a motion on a plant, and all loads on it."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, fields, replace
from functools import cached_property
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.freedoms import possible_motion
from gough.arrays import Array
from gough.checks import RandomSource, require_instance, require_integer, seed_of
from gough.disk.plain_data import PlainData
from gough.display.brief import Brief
from gough.errors import GoughError, InputError
from gough.fields.display_units import SI, DisplayUnits
from gough.kinematics.model import Model
from gough.model.parameters import numbers_over
from gough.motion import (
    Motion,
    MotionSamples,
    Task,
    carried_over,
    check_base_duration,
    total_wrench,
)
from gough.motion.tasks.task import checked_tasks
from gough.poses import quaternions
from gough.robot import Robot, parameters_of
from gough.robot.numbers import differ_in_numbers_alone, layout
from gough.simulation.closed_loop import ClosedLoop, check_kept
from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.imu import Imu
from gough.simulation.controllers.sensors import ONE_KILOHERTZ, PERFECT, Sampling, Sensors
from gough.simulation.integrators import Adaptive
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.real import rigid_plant

PythonController = Callable[[float, Array, Array], Any]
"""(time [s], measurement, reference (19)) -> command, a number for each actuator."""

GROUPS = ("motion", "legs", "forces", "margins", "singularity")  # default quantities
OF_A_SAMPLE, OF_A_KEPT_SAMPLE = 100, 400
"""Numbers that lie in memory at once, beside states: of the motion, the loads and the commands; of
the results."""


@dataclass(frozen=True, eq=False, repr=False)
class Scenario(Brief):
    """A machine under a controller that follows a motion, and the conditions of the run.

    >>> import gough
    >>> robot = gough.load("kalani-2016")
    >>> motion = gough.motion.line(robot.home, [0.05, 0, 0], gough.motion.Quintic(0.5))
    >>> gough.Scenario(robot, gough.simulation.computed_torque(900, 60), motion).sampling.period
    0.001
    """

    robot: Robot | Model
    """The machine, as the controller knows it."""
    controller: Controller | PythonController
    """Controller, or a Python function of (time, measurement (4 n + 6 numbers of n actuators),
    reference (19)) that returns a command: slower."""
    motion: Motion
    """Motion to follow. It leaves open the dependent coordinates of a machine with fewer degrees
    of freedom, as in studies; one that the machine cannot do is refused."""
    _: KW_ONLY
    plant: Plant | None = None
    """Plant that the controller drives; None: the robot as rigid bodies with ideal actuators."""
    tasks: Sequence[Task] = ()
    """Loads. Payloads are the plant's, and unknown to the controller; one that is picked up during
    the motion already moves with the platform. Other wrenches are those along the motion."""
    sampling: Sampling = ONE_KILOHERTZ
    sensors: Sensors = PERFECT
    saturated: bool = True
    """Whether commands are limited to the plant's limits."""
    integrator: Adaptive | None = None
    """Adaptive integrator; None: RK4 or RK6 as in `sampling`, which is faster. With one, a
    controller that uses the reference alone acts continuously, without sampling."""
    start: ArrayLike | None = None
    """Pose at rest, x y z [m] qw qx qy qz, or a pair of a pose and a twist [m/s, rad/s]; None: the
    beginning of the motion."""
    duration: float | None = None
    """Duration [s]; None: that of the motion."""
    every: int = 1
    """One of `every` samples is kept, and figures and limits are those of the kept samples."""
    rng: RandomSource = 0
    """Source of the encoders' noise."""
    quantities: tuple[str, ...] = GROUPS
    """Quantities of the results, or groups of them."""
    name: str = "simulation"
    units: DisplayUnits = SI
    """Units in which results are displayed."""
    imu: Imu | None = None
    """Accelerometer and gyroscope on the platform, whose readings are among the results."""
    base: Motion | None = None
    """Motion of the base in the world, at least as long as the run; None: it rests, or floats. All
    else is relative to the base, and controllers know the machine on a base at rest."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", checked_tasks(self.tasks))
        require_instance("robot", self.own_robot, Robot)
        require_instance("motion", self.motion, Motion)
        if not isinstance(self.controller, Controller) and not _takes_three(self.controller):
            raise GoughError(
                f"controller is {self.controller!r}; expected one of gough.simulation, "
                "or a function of (time, measurement, reference)"
            )
        kinds = {"sampling": Sampling, "sensors": Sensors, "plant": Plant, "integrator": Adaptive}
        kinds |= {"imu": Imu, "base": Motion}
        for name, kind in kinds.items():
            if (given := getattr(self, name)) is not None or name in ("sampling", "sensors"):
                require_instance(name, given, kind)
        if self.imu is not None:
            self.imu.held_samples(self.sampling.period)  # refused, if it reads between samples
        if self.integrator is not None and (self.sampling.joint_space or self.sampling.order != 4):
            method = self.integrator.method
            raise GoughError(
                f"{method} integrates the pose, and has its own order; expected the usual sampling "
                "beside an integrator"
            )

    @property
    def own_robot(self) -> Robot:
        """The controller's model of the machine."""
        if isinstance(self.robot, Model):
            return self.robot.own_robot("a simulation", of_forces=True)
        return self.robot


@dataclass(frozen=True, eq=False, kw_only=True)
class Run(Scenario):
    """A scenario whose motion is possible and whose plant has its payloads, with T samples."""

    plant: Plant
    stated_motion: Motion  # the motion as the scenario has it
    time: Array  # (T,) [s]
    initial: tuple[Array, Array]  # initial pose and twist of the machine
    numbers: Array  # of the plant's robot: one row or, if its payload changes, one for each sample
    seed: int
    noise: Array | None  # (T, 1, actuators) [m, rad], of the encoders

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """Return the run of a scenario, with all its inputs."""
        robot, motion, sampling = scenario.own_robot, scenario.motion, scenario.sampling
        tasks, every = tuple(scenario.tasks), require_integer("every", scenario.every)
        plant = scenario.plant or rigid_plant(robot)
        numbers = OF_A_SAMPLE + 2 * plant.state.size + OF_A_KEPT_SAMPLE / every
        duration = motion.duration if scenario.duration is None else scenario.duration
        time = sampling.times(duration, numbers)
        check_kept(every, len(time))
        if scenario.base is not None:
            check_base_duration(scenario.base, float(duration))
            plant = plant.on_moving_base()
        elif plant.moving_base:
            raise GoughError("the plant's base moves as is prescribed; expected its motion in base")
        seed = seed_of(scenario.rng)
        noise = scenario.sensors.noise_samples(len(time), [0], plant.actuators, seed)
        loaded, all_numbers = _carrying(plant, tasks, time)
        possible = possible_motion(robot, motion, time)
        start, first = scenario.start, possible(time[0])
        pose, twist = (first.pose, first.twist) if start is None else (start, None)
        if isinstance(start, tuple | list) and len(start) == 2:
            pose, twist = start
        given = {field.name: getattr(scenario, field.name) for field in fields(Scenario)}
        found = {"motion": possible, "stated_motion": motion, "plant": loaded, "noise": noise}
        found |= {"numbers": all_numbers, "initial": loaded.admissible_start(pose, twist)}
        return cls(**given | found, time=time, seed=seed)

    @cached_property
    def loop(self) -> ClosedLoop | None:
        """The plant under the controller, unless that is a Python function."""
        if not isinstance(self.controller, Controller):
            return None
        how = (self.sampling, self.sensors, self.saturated)
        alone = self.numbers.ndim == 1  # what is picked up on the way is unknown to it
        knows = self.plant.like is not None and self.plant.robot == self.own_robot and alone
        return ClosedLoop(self.plant, self.controller, self.own_robot, *how, informed=knows)

    @cached_property
    def initial_state(self) -> Array:
        """The plant's state at the beginning."""
        return self.plant.state_at(*self.initial)

    @cached_property
    def samples(self) -> MotionSamples:
        """The motion to follow."""
        return self.motion(self.time)

    @cached_property
    def reference(self) -> Array:
        """(T, 19): the motion to follow as controllers take it."""
        return np.concatenate(self.samples, axis=-1)

    @cached_property
    def wrench(self) -> Array:
        """(T, 6) [N, N m]: wrench of the tasks on the platform along the motion to follow."""
        return total_wrench(self.tasks, self.time, self.samples)

    @cached_property
    def base_samples(self) -> MotionSamples | None:
        """Motion of the base, with quaternions that do not change their signs; None: it rests."""
        if self.base is None:
            return None
        found = self._base_at(self.time)
        place, turn = found.pose[:, :3], quaternions.continuous(found.pose[:, 3:])
        return found._replace(pose=np.hstack([place, turn]))

    def _base_at(self, t: ArrayLike) -> MotionSamples:
        """Motion of the base; in the last sample, which may be beyond its end, as it ends."""
        assert self.base is not None
        return self.base(np.minimum(t, self.base.duration))

    @cached_property
    def loads(self) -> Array:
        """(T, 6) [N, N m]: external inputs of the plant; (T, 25) with a moving base's motion."""
        return np.concatenate([self.wrench, *(self.base_samples or ())], axis=-1)

    def loads_at(self, t: ArrayLike) -> Array:
        """External inputs of the plant at any times [s]."""
        wrench = total_wrench(self.tasks, t, self.motion(t))
        return np.concatenate([wrench, *(self._base_at(t) if self.base else ())], axis=-1)

    @cached_property
    def acting(self) -> tuple[Array, Array]:
        """The loads twice: just after each sample, and just before the next."""
        after = np.concatenate([self.loads[1:], self.loads[-1:]])
        ends = float(self.time[0]), float(self.time[-1])
        jumps = [task for task in self.tasks if task.jumps_within(*ends)]
        if not jumps and not (self.base and self.base.breaks):
            return self.loads, after
        moment = 1e-9 * (self.time[1] - self.time[0])
        following = MotionSamples(*(np.concatenate([x[1:], x[-1:]]) for x in self.samples))
        next_time = np.concatenate([self.time[1:], self.time[-1:] + 2 * moment])
        sides = (self.time + moment, self.samples), (next_time - moment, following)
        begin, end = self.loads.copy(), after
        for rows, (t, samples) in zip((begin, end), sides, strict=True):
            rows[:, :6] = total_wrench(self.tasks, t, samples)
            if self.base is not None:
                rows[:, 19:] = self._base_at(t).acceleration
        return begin, end

    @property
    def signals(self) -> dict[str, Any]:
        """Noise and loads, as runs of the loop take them."""
        return {"noise": self.noise, "wrench": self.acting}

    def described(self) -> PlainData:
        """Settings of the run, as plain data."""
        controller = {"kind": "Python", "description": repr(self.controller)}
        if isinstance(self.controller, Controller):
            controller = self.controller.described(self.plant)
        pose, twist = (values.tolist() for values in self.initial)
        steps = {"method": f"RK{self.sampling.order}"}
        return {
            "sampling": asdict(self.sampling),
            "sensors": asdict(self.sensors),
            "integrator": asdict(self.integrator) if self.integrator else steps,
            "controller": controller,
            "saturated": self.saturated,
            "limits": [None if x == np.inf else x for x in self.plant.limit],
            **({} if self.start is None else {"start": {"pose": pose, "twist": twist}}),
            **({} if self.imu is None else {"imu": self.imu.described()}),
            "seed": self.seed,
        }


def _carrying(plant: Plant, tasks: tuple[Task, ...], time: Array) -> tuple[Plant, Array]:
    """Return the plant with its payloads, and its numbers: a row, or one for each time."""
    if plant.machines.family and (plant.values is None or plant.values.ndim == 1):
        robot = plant.machines.made(plant.numbers)
        plant = replace(plant, robot=robot, varied=(), values=None)
    stretches = carried_over(plant.robot, tasks, time)
    robot = stretches[0][1]
    if plant.values is not None:
        if len(stretches) > 1 or robot != plant.robot or plant.values.ndim > 1:
            expected = "one row, and no payloads; or simulate_batch"
            raise InputError("of several runs, or carrying", key="plant.values", expected=expected)
        return plant, plant.numbers
    if len(stretches) > 1:
        of_platform = tuple(n for n in layout(robot) if n.startswith("platform."))
        return plant.carrying(robot, of_platform), numbers_over(stretches)
    return plant if robot == plant.robot else plant.carrying(robot), numbers_over(stretches)


def sharing_functions(scenario: Scenario, robot: Robot, varied: tuple[str, ...]) -> Scenario:
    """Return a scenario whose plant has functions of another robot, if it can.

    It can where the controller knows the plant, which differs from that robot in `varied` numbers
    alone, or where it differs in its payload.
    """
    plant, own = scenario.plant or rigid_plant(scenario.own_robot), scenario.own_robot
    known = plant.robot == own and plant.transmission.varies and not plant.varied
    if not known or not isinstance(scenario.controller, Controller):
        return scenario
    numbers, names = parameters_of(own), layout(own)
    if not differ_in_numbers_alone(robot, own):
        return scenario
    apart = ~np.isclose(numbers, parameters_of(robot), 0.0, 0.0, equal_nan=True)
    if {names[k] for k in np.flatnonzero(apart)} - {*varied}:
        return scenario
    return replace(scenario, plant=replace(plant, varied=varied, like=robot))


def _takes_three(function: Any) -> bool:
    """Whether a function accepts three arguments, as far as that is known."""
    try:
        signature(function).bind(0.0, None, None)
    except ValueError:  # of something made in C, which does not tell
        return callable(function)
    except TypeError:
        return False
    return True
