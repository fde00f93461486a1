"""Objectives of a simulated run: the closed loop with the numbers of a design, and its adjoint."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from gough.arrays import Array, on_host
from gough.compiler.device import Device
from gough.design.variables import DesignSpace, followed
from gough.errors import GoughError, RobotError
from gough.robot import Robot, parameters_of
from gough.robot.numbers import layout
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
"""Step of the differences by which numbers of the machine follow variables, of their ranges."""
ASIDE = 1e-3
"""Change of a variable that shows which numbers follow it, of its range."""
MANY = 8
"""Designs of more variables are made one by one: their corners are too many to be tried."""
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
            raise GoughError(
                f"{self.name}: {self.study.name} has a payload; expected its mass in the platform's"
            )
        if not isinstance(run.plant.actuation, IdealActuators) or run.plant.is_compliant:
            raise GoughError(
                f"{self.name}: {self.study.name} has drives or compliant parts; expected a rigid "
                "plant with ideal actuators"
            )
        return run

    @cached_property
    def _cost(self) -> TrackingCost | EffortCost:
        error = self.name == "simulated_error"
        return TrackingCost.of(self._run, None, 0.0) if error else EffortCost()

    @cached_property
    def _loop(self) -> ClosedLoop:
        """The loop with all numbers that variables change as parameters."""
        run, names = self._run, layout(self.space.robot)
        usual, changed = parameters_of(run.own_robot), np.zeros(len(names), dtype=bool)
        for variable, robot in zip(self.space.names, self._beside(), strict=True):
            numbers = parameters_of(robot)
            changed |= numbers != usual
            if run.own_robot.with_parameters(numbers) != robot:
                raise GoughError(
                    f"{self.name}: {variable} or a chosen actuator changes {robot.name} otherwise "
                    "than a simulated plant can vary it; expected variables of masses"
                )
        moving = [name for name, moves in zip(names, changed, strict=True) if moves]
        varied = tuple(name for name in moving if not name.startswith("home."))
        if fixed := [name for name in varied if not OF_RIGID_MACHINES.match(name)]:
            raise GoughError(
                f"{self.name}: {fixed[0]} changes with the design, which no simulated plant can "
                "vary; expected variables of masses, or joints of legs"
            )
        if not varied:
            raise GoughError(f"{self.name}: no variable changes the run; expected one that does")
        assert run.loop is not None
        return replace(run.loop, plant=replace(run.plant, varied=varied), informed=True)

    def _beside(self) -> Iterator[Robot]:
        """Yield a robot beside that of the file for each variable."""
        space = self.space
        for step in np.diag(ASIDE * (space.high - space.low)):
            try:
                yield space.made(space.stated + step)
            except RobotError:
                yield space.made(space.stated - step)

    def _numbers(self, x: Array) -> Array:
        """All numbers of the machine of variables (d)."""
        if self._linear is None:
            return parameters_of(self.space.made(x))
        constant, slopes = self._linear
        return np.asarray(constant + slopes @ self._stated(x))

    def _stated(self, x: Array) -> Array:
        """Numbers of the robot's file that follow the variables."""
        return np.array(followed(self.space.full(x), self.space.laws))

    @cached_property
    def _linear(self) -> tuple[Array, Array] | None:
        """Constants and slopes by stated numbers, if all numbers of the machine are linear in them.

        A robot takes a thousand times longer to be made. Of radii, lengths and masses they are,
        of angles they are not: which is tried in the middle of the ranges and near an end. Where a
        corner of the ranges is no robot, each design is made, to see whether it is one.
        """
        space, generator = self.space, np.random.default_rng(0)
        if len(space) > MANY:
            return None
        inside = generator.random((2 + len(space.laws), len(space)))
        corners = np.array(list(product((0.0, 1.0), repeat=len(space))))
        tried = space.unscaled(np.vstack([inside, corners]))
        probes = space.unscaled(np.array([[0.5], [0.9]]) * np.ones(len(space)))
        try:
            made, exact = (
                np.array([parameters_of(space.made(x)) for x in some]) for some in (tried, probes)
            )
        except RobotError:
            return None
        rows = np.array([[1.0, *self._stated(x)] for x in tried])
        stated = np.isfinite(made).all(axis=0)  # others are limits that the file does not state
        found = np.zeros((rows.shape[1], made.shape[1]))
        found[:, stated] = np.linalg.lstsq(rows, made[:, stated], rcond=None)[0]
        found[0, ~stated] = made[0, ~stated]
        fitted = np.array([[1.0, *self._stated(x)] for x in probes]) @ found
        if not np.allclose(fitted, exact, 1e-11, 1e-11, equal_nan=True):
            return None
        return found[0], found[1:].T

    def _parameters(self, x: Array) -> Array:
        return self._numbers(x)[self._loop.plant.varied_places]

    def values(self, designs: Array) -> Array:
        """(N) of designs (N, d); infinite where there is no machine, or its run ends early."""
        found, rows, made = np.full(len(designs), np.inf), list[Array](), list[int]()
        for k, x in enumerate(designs):
            try:
                rows.append(self._parameters(x))
                made.append(k)
            except RobotError:
                continue
        size = self._loop.arguments["memory"].size * len(self._run.time)
        at_once = max(1, AT_A_TIME[self.device] // size)
        for k in range(0, len(made), at_once):
            numbers = np.array(rows[k : k + at_once])
            found[made[k : k + at_once]] = self._of_runs(numbers, self.device)
        return found

    def with_slopes(self, x: Array) -> tuple[float, Array]:
        """Value of a design (d), and its derivatives by the variables."""
        loop, run, space = self._loop, self._run, self.space
        try:
            own = self._parameters(x)
            steps = NUDGE * np.diag(space.high - space.low)
            ends = [np.clip([x + step, x - step], space.low, space.high) for step in steps]
            beside = [np.array([self._parameters(end) for end in pair]) for pair in ends]
        except RobotError:
            return np.inf, np.full(len(x), np.nan)
        value = float(self._of_runs(own[None])[0])
        if not 0 < value < np.inf:
            return value, np.full(len(x), np.nan if value else 0.0)
        along = loop.start(*run.initial, own), run.reference, self._cost.slopes
        found = gradient(loop, *along, parameters=own, **run.signals)
        slopes = np.empty(len(x))
        for k, (pair, numbers) in enumerate(zip(ends, beside, strict=True)):
            of_ends = numbers @ found.parameters[0]
            of_ends = of_ends + loop.start(*run.initial, numbers) @ found.memory[0]
            slopes[k] = np.diff(of_ends)[0] / np.diff(pair[:, k])[0]
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


@lru_cache(maxsize=8)  # a problem with further states has the same
def simulated_objective(
    space: DesignSpace, study: Study, name: str, device: Device
) -> SimulatedObjective:
    """Return the objective of a design's machines in the run of a study."""
    return SimulatedObjective(space, study, name, device)
