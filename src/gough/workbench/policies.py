"""Learned policies in the page: an environment's step as WebAssembly, first states, and weights."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.compiler.front.function import Function
from gough.disk.plain_data import PlainData
from gough.display.brief import Brief
from gough.errors import GoughError
from gough.learning import LearningTask
from gough.poses.given import array_of_numbers
from gough.simulation.plants.beside import RollingBall
from gough.simulation.plants.plant import PLATFORM

STARTS = 8  # number of random starts in a page


@dataclass(frozen=True, eq=False, repr=False)
class LinearPolicy(Brief):
    """A policy whose actions are tanh(weights · observation), of a task."""

    task: LearningTask
    weights: Array
    """(actions, observations)"""

    def __post_init__(self) -> None:
        wanted = len(self.task.action_names), len(self.task.observation_names)
        found = array_of_numbers(self.weights, "weights")
        if found.shape != wanted or not np.isfinite(found).all():
            raise GoughError(f"weights: shape {found.shape}; expected {wanted} finite numbers")
        object.__setattr__(self, "weights", found)
        if self.task.target_periods or self.task.run.sensors.noise:
            raise GoughError(
                f"{self.task.study.name}: a page draws no random numbers; expected a task without "
                "targets that change within an episode, and without noise of encoders"
            )

    def page_data(self, packed: Callable[[Function], PlainData]) -> PlainData:
        """Everything that a page needs to play it; `packed` is a function's code in the page."""
        task, rows = self.task, self.task.run.reference
        rests, steps = (rows == rows[0]).all(), task.learning.steps
        states = (task.begin(np.random.default_rng(seed)) for seed in range(STARTS))
        carries, ball = task.run.plant.transmission, None
        if isinstance(carries, RollingBall):
            ball = {"place": PLATFORM} | carries.table.model_dump(include={"radius", "height"})
        return {
            **{"name": task.study.name, "actions": list(task.action_names)},
            **{"weights": self.weights.tolist(), "steps": steps, "ball": ball},
            **{"period": task.period, "length": task.length},
            "noise": task.equations.arguments["noise"].size,
            "starts": [{"state": x.tolist(), "episode": e.tolist()} for x, e in states],
            "reference": (rows[: steps + 1] if rests else rows).ravel().tolist(),
            "kernels": {x.name: packed(x.function) for x in (task.step, task.outcome)},
        }
