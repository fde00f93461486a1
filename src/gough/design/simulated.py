"""Objectives of a simulated run: the closed loop with the numbers of a design, and its adjoint."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from gough.arrays import AnyArray, Array, on_host
from gough.compiler.device import Device
from gough.design.variables import DesignSpace, followed
from gough.errors import GoughError, RobotError
from gough.model.machines import home_kernel
from gough.simulation.closed_loop import ClosedLoop
from gough.simulation.events import first_endings
from gough.simulation.gradient import gradient
from gough.simulation.plants.actuators import IdealActuators
from gough.simulation.plants.plant import OF_RIGID_MACHINES
from gough.simulation.rollout import EffortCost, TrackingCost, run_with_derivatives
from gough.simulation.scenario import Run
from gough.studies import Study
from gough.studies.run import scenario_of

NUDGE = 1e-6
"""Step of the differences by which the start and numbers follow variables, of their ranges."""
MANY = 8  # designs of more variables are made one by one: their corners are too many to be tried
AT_A_TIME: dict[Device, int] = {"cpu": 4_000_000, "gpu": 200_000_000}
"""Maximum count of numbers of runs in memory, on each device."""


@dataclass(frozen=True, eq=False)
class SimulatedObjective:
    """Root of a cost along the run of a study, whose controller knows the design.

    The motion is that of the study, whatever the design's home; gains are those of the study.
    """

    space: DesignSpace
    study: Study
    name: str
    device: Device = "cpu"
    """Hardware that computes the runs of several designs; slopes of one are those of processors."""

    @cached_property
    def _run(self) -> Run:
        run, _ = run_with_derivatives(scenario_of(self.study))
        own = self.space.robot
        if run.own_robot != own:
            raise GoughError(
                f"{self.name}: {self.study.name} is about {run.own_robot.name}, and not the "
                f"design's robot; expected {own.name} as its file has it"
            )
        if run.plant.robot != run.own_robot:
            problem = f"{self.name}: {self.study.name} has a payload"
            raise GoughError(f"{problem}; expected its mass in the platform's")
        if not isinstance(run.plant.actuation, IdealActuators) or run.plant.is_compliant:
            problem = f"{self.name}: {self.study.name} has drives or compliant parts"
            raise GoughError(f"{problem}; expected a rigid plant with ideal actuators")
        return run

    @cached_property
    def _cost(self) -> TrackingCost | EffortCost:
        error = self.name == "simulated_error"
        return TrackingCost.of(self._run, None, 0.0) if error else EffortCost()

    @cached_property
    def _loop(self) -> ClosedLoop:
        """The loop with all numbers that variables change as parameters."""
        run, machines = self._run, self.space.machines
        varied = machines.family
        if fixed := [name for name in varied if not OF_RIGID_MACHINES.match(name)]:
            raise GoughError(
                f"{self.name}: {fixed[0]} changes with the design, which no simulated plant can "
                "vary; expected variables of masses, lengths, or joints of legs"
            )
        if not varied:
            raise GoughError(f"{self.name}: no variable changes the run; expected one that does")
        assert run.loop is not None
        # numbers of the file, which may count bodies otherwise than parameters
        plant = replace(run.plant, robot=machines.robot, varied=varied, family=machines)
        return replace(run.loop, plant=plant, informed=True)

    def _parameters(self, x: Array) -> Array:
        """Numbers of the file (..., v) that follow variables (..., d)."""
        full = np.moveaxis(self.space.full(x), -1, 0)
        return np.stack(followed(full, self.space.laws), axis=-1)

    def _exist(self, designs: Array) -> AnyArray:
        """(N) whether there are machines of designs (N, d)."""
        found = self._meet(designs)
        for k in () if self._all_readable else np.flatnonzero(found):
            found[k] = self._is_robot(designs[k])
        return found

    def _meet(self, designs: Array) -> AnyArray:
        """(N) whether the legs of machines reach the platform at home."""
        plant, numbers = self._loop.plant, self._parameters(designs)
        home = home_kernel(plant.machines)(numbers)
        return np.asarray(np.isfinite(plant.kernels.inverse_kinematics(numbers, home)).all(axis=-1))

    @cached_property
    def _all_readable(self) -> bool:
        """Whether files take all numbers within the ranges: those of all corners that can be.

        Otherwise each design is read, which takes some 10 ms.
        """
        if len(self.space) > MANY:
            return False
        corners = self.space.unscaled(list(product((0.0, 1.0), repeat=len(self.space))))
        return all(map(self._is_robot, corners[self._meet(corners)]))

    def _is_robot(self, x: Array) -> bool:
        try:
            self.space.made(x)
        except RobotError:
            return False
        return True

    def values(self, designs: Array) -> Array:
        """(N) of designs (N, d); infinite where there is no machine, or its run ends early."""
        size = self._loop.arguments["memory"].size * len(self._run.time)
        at_once = max(1, AT_A_TIME[self.device] // size)
        found, made = np.full(len(designs), np.inf), np.flatnonzero(self._exist(designs))
        for k in range(0, len(made), at_once):
            some = made[k : k + at_once]
            found[some] = self._of_runs(self._parameters(designs[some]), self.device)
        return found

    def with_slopes(self, x: Array) -> tuple[float, Array]:
        """Value of a design (d), and its derivatives by the variables."""
        loop, run, space, own = self._loop, self._run, self.space, self._parameters(x)
        if not self._exist(x[None]).all():
            return np.inf, np.full(len(x), np.nan)
        value = float(self._of_runs(own[None])[0])
        if not 0 < value < np.inf:
            return value, np.full(len(x), np.nan if value else 0.0)
        along = loop.start(*run.initial, own), run.reference, self._cost.slopes
        found = gradient(loop, *along, parameters=own, **run.signals)
        slopes = np.empty(len(x))
        for k, step in enumerate(NUDGE * np.diag(space.high - space.low)):
            numbers = self._parameters(np.array([x + step, x - step]))
            of_ends = numbers @ found.parameters[0]
            of_ends = of_ends + loop.start(*run.initial, numbers) @ found.memory[0]
            slopes[k] = -np.diff(of_ends)[0] / (2 * step[k])
        return value, slopes / (2 * value)

    def _of_runs(self, parameters: Array, device: Device = "cpu") -> Array:
        """(N) of the runs of parameters (N, v); infinite where one ends early."""
        run, loop = self._run, self._loop
        start, signals = loop.start(*run.initial, parameters), run.signals
        runs = loop.run(start, run.reference, parameters=parameters, device=device, **signals)
        plant = replace(loop.plant, values=parameters)
        states = runs.memory[..., : plant.state.size]
        crosses = loop.controller.crosses
        ended = first_endings(plant, run.time, states, runs.command, crosses=crosses)
        with np.errstate(over="ignore", invalid="ignore"):
            found = on_host(np.sqrt(self._cost.values(runs)))
        found[list(ended)] = np.inf
        return found


simulated_objective = lru_cache(maxsize=8)(SimulatedObjective)
"""Makes an objective, or has it: a problem with further states has the same."""
