"""Environments of gymnasium: a single one, and a vector of them with the same numbers."""

from collections.abc import Sequence
from reprlib import repr as short
from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from gough.arrays import AnyArray, is_on_gpu, numeric
from gough.checks import require_integer
from gough.compiler.device import Device
from gough.errors import GoughError
from gough.learning.declared import Episodes, LearningTask
from gough.learning.equations import BOUND

Info = dict[str, Any]


def _spaces(task: LearningTask) -> tuple[Box, Box]:
    """Return what is observed, over its scales, and what is done."""
    seen, done = len(task.observation_names), len(task.action_names)
    return Box(-BOUND, BOUND, (seen,), np.float64), Box(-1.0, 1.0, (done,), np.float64)


def _facts(task: LearningTask) -> str:
    """Return the name of a task, its machine, and what is done and observed."""
    seen, done = len(task.observation_names), ", ".join(task.action_names)
    machine = f"{task.study.name} of {task.study.robot.name}"
    return f"{machine}: {done} -> {seen} observations, {task.length} actions of {task.period:g} s"


def _checked(actions: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    given = actions if is_on_gpu(actions) else numeric(actions)
    if given is None or given.shape != shape or not np.isfinite(given).all():
        found = short(actions) if given is None else f"not finite, or have the shape {given.shape}"
        problem = f"actions are {found}"
        expected = f"{shape} numbers from -1 to 1 (those beyond count as -1 or 1)"
        raise GoughError(f"{problem}; expected {expected}")
    return given


class Environment(Env):  # type: ignore[misc]
    """One machine with its task."""

    def __init__(self, task: LearningTask) -> None:
        self.task, self.episodes = task, Episodes(task, 1)
        self.observation_space, self.action_space = _spaces(task)

    def __repr__(self) -> str:
        return f"<gough environment {_facts(self.task)}>"

    __str__ = __repr__  # gymnasium has its own

    def reset(
        self, *, seed: int | None = None, options: Info | None = None
    ) -> tuple[AnyArray, Info]:
        """Begin an episode; with a seed its random numbers, too."""
        super().reset(seed=seed)
        self.episodes.rngs[0] = self.np_random
        return self.episodes.reset(np.arange(1))[0], {}

    def step(self, action: AnyArray) -> tuple[AnyArray, float, bool, bool, Info]:
        """Act once: observation, reward, terminated, truncated, and whether it failed."""
        found = self.episodes.step(_checked(action, self.action_space.shape)[None])
        ends = bool(found.terminated[0]), bool(found.truncated[0])
        info = {"failed": bool(found.failed[0])}
        return found.observation[0], float(found.reward[0]), *ends, info


class VectorEnvironment(VectorEnv):  # type: ignore[misc]
    """Many machines with the same task; those whose episodes ended begin anew in the next step."""

    metadata: Info = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  (gymnasium's)

    def __init__(self, task: LearningTask, count: int, device: Device = "cpu") -> None:
        self.task, self.episodes, self.num_envs = task, Episodes(task, count, device), count
        self.single_observation_space, self.single_action_space = _spaces(task)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        self._over = np.ones(count, bool)  # the first step begins, if nobody did

    def __repr__(self) -> str:
        where = f"{self.num_envs} on the {self.episodes.device.upper()}"
        return f"<gough environments {_facts(self.task)}; {where}>"

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[AnyArray, Info]:
        """Begin all episodes; with a seed, episode k takes the random numbers of the seed + k."""
        count, own = self.num_envs, seed
        if own is None or not isinstance(own, Sequence):
            own = [None if own is None else own + k for k in range(count)]
        if len(own) != count:
            raise GoughError(f"{len(own)} seeds; expected one, or {count}")
        for k, one in enumerate(own):
            if one is not None:
                seed = require_integer("seed", one, least=0)
                self.episodes.rngs[k] = np.random.default_rng(seed)
        self._over = np.zeros(count, bool)
        return self.episodes.reset(np.arange(count)), {}

    def step(self, actions: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray, Info]:
        """Act once in each: observations, rewards, terminated, truncated, and whether it failed."""
        given, over = _checked(actions, self.action_space.shape), self._over
        seen, reward, *ends = self.episodes.step(given, ~over)
        if len(which := np.flatnonzero(over)):
            seen[which], reward[which] = self.episodes.reset(which), 0.0
            for end in ends:
                end[which] = False
        ended, late, failed = ends
        self._over = ended | late
        return seen, reward, ended, late, {"failed": failed, "_failed": np.ones_like(failed)}
