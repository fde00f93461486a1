"""Tasks of reinforcement learning: simulations of studies with actions, rewards, random numbers.

Episodes of a task run side by side: their states, clocks and random numbers, on a CPU or a GPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array, on_host
from gough.checks import require_instance, require_integer
from gough.compiler import Kernel
from gough.compiler.device import Device, arrays_of
from gough.disk.plain_data import PlainMapping
from gough.display.brief import Brief
from gough.errors import GoughError, InputError, about_file, did_you_mean, inside, needing
from gough.fields.table import read
from gough.learning.equations import TaskEquations, amounts, task_kernel
from gough.memory import require_memory
from gough.poses import displace
from gough.simulation.controllers.sensors import NUMBER
from gough.simulation.events import varied_in_kinematics
from gough.simulation.plants.beside import RollingBall
from gough.simulation.plants.plant import PLATFORM
from gough.simulation.plants.real import rigid_plant
from gough.simulation.scenario import Run
from gough.studies.learning_tables import WrittenLearning
from gough.studies.run import scenario_of
from gough.studies.study import Study

if TYPE_CHECKING:
    from gough.learning.environments import Environment, VectorEnvironment

LIBRARY = Path(__file__).parent / "library"
RANDOM = {  # random starts, beside numbers of the robot: unit, and count of numbers
    "position": ("m", 3), "rotation": ("rad", 3), "ball_position": ("m", 2),
    "ball_velocity": ("m/s", 2), "part_position": ("m", 3),
}  # fmt: skip
OF_A_GENERATOR = 1000  # bytes of a generator of random numbers


def task_names() -> tuple[str, ...]:
    """Return the names of the library's tasks."""
    return tuple(sorted(file.stem for file in LIBRARY.glob("*.toml")))


@dataclass(frozen=True, eq=False, repr=False)
class LearningTask(Brief):
    """An environment without its episodes: what is simulated, seen and rewarded."""

    study: Study
    run: Run
    """The simulation of the longest episode."""
    learning: WrittenLearning
    randomised: Mapping[str, list[Array]]
    """Minimum and maximum of what is drawn for each episode."""

    @classmethod
    def load(cls, source: str | Path | PlainMapping) -> Self:
        """Return a task by its name in the library, from a study file, or from such data.

        >>> from gough.learning import LearningTask
        >>> LearningTask.load("ball-on-plate").action_names
        ('rx', 'ry')
        """
        if not isinstance(source, str | Path):
            return cls._of(Study.from_dict(source))
        if source in task_names():
            source = LIBRARY / f"{source}.toml"
        elif not Path(source).suffix:
            hint, names = did_you_mean(str(source), task_names()), ", ".join(task_names())
            raise GoughError(f"no task is called {source!r}{hint}; expected a file, or {names}")
        study = Study.load(source)
        with about_file(Path(source)):
            return cls._of(study)

    @classmethod
    def _of(cls, study: Study) -> Self:
        how, written = study.simulation, study.written.get("learning")
        if study.controller is None or how is None or written is None:
            raise InputError("missing", key="learning", expected="[controller] and [learning]")
        unused: dict[str, object] = {"simulation.imu": how.imu, "base": study.base}
        unused |= {"tasks": study.tasks, "variations": study.variations}
        unused |= {"simulation.integrator": how.adaptive}
        for key, given in unused.items():
            if given:
                raise InputError("not used by environments", key=key, expected="no such key")
        with inside("learning"):
            learning = read(WrittenLearning, written)
        plant = study.plant or rigid_plant(study.robot)
        there = {"ball": isinstance(plant.transmission, RollingBall), "part": bool(learning.part)}
        known = [name for name in RANDOM if there.get(name[:4], True)]
        varied = [name for name in learning.randomised if name not in known]
        if learning.part is not None:
            if "part_position" not in learning.randomised:
                problem, key = "missing", "learning.randomised.part_position"
                raise InputError(problem, key=key, expected="[min, max] of where the part lies")
            varied += ["platform.mass"] * ("platform.mass" not in varied)
        drawn = dict[str, list[Array]]()
        with inside("learning.randomised"):
            try:
                plant = replace(plant, varied=tuple(varied))
            except GoughError as error:
                raise InputError(f"{error}, or {', '.join(known)}") from None
            if learning.part is not None and plant.machines.family:
                expected = "parameters of the robot, such as platform.mass, beside a part"
                raise InputError("lengths of a mechanism", expected=expected)
            for name, ends in learning.randomised.items():
                if "home." in name or ".stroke" in name:
                    expected = "numbers on which the motion depends"
                    raise InputError("without effect on an episode", key=name, expected=expected)
                unit, count = RANDOM.get(name) or (plant.machines.dimension(name).unit, 1)
                drawn[name] = _range(name, ends, [unit] * count)
            for k in range(2):  # refused, if no machine has such numbers
                numbers = plant.numbers.copy()
                for name, place in zip(varied, plant.varied_places, strict=True):
                    numbers[place] = drawn[name][k][0] if name in drawn else numbers[place]
                plant.machines.made(numbers)
        scenario = scenario_of(study)
        period = scenario.sampling.period * learning.steps
        duration = period * max(1, round((learning.duration or study.duration) / period))
        run = Run.of(replace(scenario, duration=duration))
        run = replace(run, plant=replace(run.plant, varied=plant.varied))
        found = cls(study, run, learning, drawn)
        parts, taken = found.equations.parts, found.equations.arguments
        sizes = (parts["action"].stop, 19, taken["episode"].size)
        found.equations.outcome(*map(ca.SX.sym, "sre", sizes))  # refused, if signals are not there
        found.begin(np.random.default_rng(0))  # refused, if the machine cannot be there
        return found

    @property
    def period(self) -> float:
        """Time of an action [s]."""
        return self.run.sampling.period * self.learning.steps

    @property
    def length(self) -> int:
        """Maximum number of actions in an episode."""
        return (len(self.run.time) - 1) // self.learning.steps

    @cached_property
    def equations(self) -> TaskEquations:
        """Source of its kernels."""
        loop = self.run.loop
        assert loop is not None, "the controller of a study"
        return TaskEquations(loop.without_values, tuple(loop.gain_values.tolist()), self.learning)

    @cached_property
    def step(self) -> Kernel[Any]:
        """(state, action, reference, episode, noise) -> next state, observation, reward, ends."""
        return task_kernel(self.equations, "step")

    @cached_property
    def outcome(self) -> Kernel[Any]:
        """(state, reference, episode) -> observation, reward, ends."""
        return task_kernel(self.equations, "outcome")

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names of the numbers of an action: axes, or actuators."""
        own = self.learning.action.components
        return own or tuple(f"command_{k + 1}" for k in range(self.run.plant.actuators))

    @cached_property
    def observation_names(self) -> tuple[str, ...]:
        """Names of the numbers of an observation."""
        sizes = [(x.of, self.equations.shapes[x.of][1]) for x in self.learning.observation]
        return tuple(f"{x}_{k + 1}" if n > 1 else x for x, n in sizes for k in range(n))

    @cached_property
    def _start(self) -> Array:
        """State at the beginning, of the machine of the file."""
        return self._start_at(self.run.initial[0])

    def _start_at(self, pose: Array, numbers: Array | None = None) -> Array:
        parts, loop = self.equations.parts, self.run.loop
        assert loop is not None, "the controller of a study"
        if numbers is not None:
            loop = replace(loop, plant=replace(loop.plant, values=numbers))
        found = np.zeros(parts["action"].stop)
        found[parts["memory"]] = loop.start(pose, self.run.initial[1])
        found[parts["command"]] = loop.plant.holding(pose)
        return found

    @cached_property
    def _moves_joints(self) -> bool:
        """Whether joints of episodes differ at one pose: encoders read where they are."""
        return varied_in_kinematics(self.run.plant)

    def begin(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return state and numbers of a new episode."""
        drawn = {name: rng.uniform(*ends) for name, ends in self.randomised.items()}
        step = np.concatenate([drawn.get(name, np.zeros(3)) for name in ("position", "rotation")])
        varied, (own, *_) = self.run.plant.varied, (*self.run.plant.own_parameters, np.zeros(0))
        numbers = np.array([drawn.get(x, [v])[0] for x, v in zip(varied, own, strict=True)])
        pose, its = displace(self.run.initial[0], step), numbers if self._moves_joints else None
        alike = its is None and not step.any()
        state = (self._start if alike else self._start_at(pose, its)).copy()
        part = self.equations.parts["part"].start
        places = {"ball_position": PLATFORM, "ball_velocity": PLATFORM + 2, "part_position": part}
        for name, place in places.items():
            if name in drawn:
                state[place : place + len(drawn[name])] = drawn[name]
        episode = np.zeros(self.equations.arguments["episode"].size)
        episode[: len(varied)] = numbers
        self.draw_targets(rng, episode, 0)
        return state, episode

    def draw_targets(self, rng: np.random.Generator, episode: Array, count: int) -> None:
        """Draw those targets that are due after some actions."""
        for which, ends, every in self._targets:
            if count == 0 or (every and count % every == 0):
                episode[which] = rng.uniform(*ends)

    @cached_property
    def target_periods(self) -> list[int]:
        """Numbers of actions after which targets change within an episode."""
        return [every for *_, every in self._targets if every]

    @cached_property
    def _targets(self) -> list[tuple[slice, list[Array], int]]:
        """Places, minima and maxima, and after how many actions each is drawn anew."""
        found, first = [], len(self.run.plant.varied)
        for k, target in enumerate(self.learning.targets):
            unit, size = self.equations.shapes[target.of]
            ends = _range(f"learning.targets[{k}]", (target.low, target.high), [unit] * size)
            every = max(1, round(target.every / self.period)) if target.every else 0
            found.append((slice(first, first + size), ends, every))
            first += size
        return found


def _range(key: str, ends: tuple[Any, Any], units: list[str]) -> list[Array]:
    """Return minimum and maximum of numbers that are drawn."""
    with inside(key):
        low, high = (amounts("", x, units) for x in ends)
        if not (low <= high).all():
            problem = "the minimum is above the maximum"
            raise InputError(problem, value=[low.tolist(), high.tolist()], expected="[min, max]")
    return [low, high]


class Outcome(NamedTuple):
    """Outcome of a step in each of n episodes; the first two are arrays of CuPy on a GPU."""

    observation: Any  # (n, o)
    reward: Any  # (n)
    terminated: AnyArray  # (n), whether the task ended the episode
    truncated: AnyArray  # (n), whether its time is over
    failed: AnyArray  # (n), whether it diverged, an actuator exceeded its range, or a ball flew off


class Episodes:
    """Several episodes of a task, each with random numbers of its own."""

    def __init__(self, task: LearningTask, count: int, device: Device = "cpu") -> None:
        require_instance("task", task, LearningTask)
        self.task, self.count = task, require_integer("count", count)
        self.device, asarray = device, arrays_of(device)
        sizes = [task.equations.arguments[name].size for name in ("state", "episode")]
        require_memory(count * (OF_A_GENERATOR + NUMBER * sum(sizes)), f"{count:,} episodes")
        self.state, self.episode = (asarray(np.zeros((count, size))) for size in sizes)
        self._asarray, self._reference = asarray, asarray(task.run.reference)
        self._rests = bool((task.run.reference == task.run.reference[0]).all())
        self.clock = np.full(count, -1)
        """Number of actions so far; -1: an episode has not begun."""
        self.rngs = [np.random.default_rng() for _ in range(count)]

    def reset(self, which: AnyArray) -> Any:
        """Begin some episodes (indices) anew, and return their observations (k, o)."""
        rows = [self.task.begin(self.rngs[k]) for k in which]
        state, episode = (self._asarray(np.array(part)) for part in zip(*rows, strict=True))
        self.state[which], self.episode[which], self.clock[which] = state, episode, 0
        return self.task.outcome(state, self._reference[0], episode).observation

    def step(self, actions: Any, awake: AnyArray | None = None) -> Outcome:
        """Act once in each episode (n, m); those that are not `awake` draw no random numbers."""
        task, steps = self.task, np.arange(self.task.learning.steps + 1)
        drawing = np.ones(self.count, bool) if awake is None else awake
        if (self.clock[drawing] < 0).any():
            raise GoughError("a step before an episode has begun; expected reset first")
        noise = np.zeros(shape := task.equations.arguments["noise"].shape)
        if std := task.run.sensors.noise:
            noise = np.zeros((self.count, *shape))
            for k in np.flatnonzero(drawing):
                noise[k] = std * self.rngs[k].standard_normal(shape)
        first = np.clip(self.clock, 0, task.length - 1) * task.learning.steps
        rows = self._reference[steps if self._rests else first[:, None] + steps]
        given = self._asarray(actions), rows, self.episode, self._asarray(noise)
        self.state, seen, reward, *ends = task.step(self.state, *given)
        self.clock += 1
        over, failed = (on_host(x) > 0.5 for x in ends)
        due = sum((self.clock % every == 0 for every in task.target_periods), np.zeros(1, bool))
        if len(which := np.flatnonzero(drawing & due)):  # rewarded for the old target, sees the new
            drawn = on_host(self.episode[which]).copy()
            for k, row in zip(which, drawn, strict=True):
                task.draw_targets(self.rngs[k], row, int(self.clock[k]))
            self.episode[which] = self._asarray(drawn)
            rows = self._reference[(first[which] + steps[-1])]
            seen[which] = task.outcome(self.state[which], rows, self.episode[which]).observation
        return Outcome(seen, reward, over, (self.clock >= task.length) & ~over, failed)


def environment(
    source: str | Path | PlainMapping | LearningTask,
    *,
    count: int | None = None,
    device: Device = "cpu",
) -> Environment | VectorEnvironment:
    """Return the environment of a study file with a table [learning], or of the library, by name.

    With a `count` it is a vector of so many environments, computed together: by all processors, or
    with the device "gpu" on a GPU, where actions, observations and rewards are arrays of CuPy.
    Environment k of a vector that is reset with a seed is the single one with the seed + k.
    """
    with needing("gymnasium", "learning", "environments"):
        from gough.learning.environments import (  # noqa: PLC0415  (an extra)
            Environment,
            VectorEnvironment,
        )
    task = source if isinstance(source, LearningTask) else LearningTask.load(source)
    if count is not None:
        return VectorEnvironment(task, count, device)
    if device != "cpu":
        raise GoughError(f"device is {device!r}; expected 'cpu', or a count of environments")
    return Environment(task)
