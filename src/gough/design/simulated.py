"""Objectives of a simulated run: the closed loop with the numbers of a design, and its adjoint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from gough.arrays import Array
from gough.design.variables import DesignSpace, followed
from gough.errors import GoughError, RobotError
from gough.model.parameters import layout, parameters_of
from gough.simulation.closed_loop import ClosedLoop, Runs
from gough.simulation.gradient import gradient
from gough.simulation.plants.actuators import IdealActuators
from gough.simulation.plants.plant import OF_RIGID_MACHINES
from gough.simulation.scenario import Run
from gough.simulation.tracking_cost import EffortCost, TrackingCost, run_with_derivatives
from gough.studies import Study
from gough.studies.run import scenario_of

NUDGE = 1e-6
"""Step of the differences by which numbers of the machine follow variables, of their ranges."""
ASIDE = 1e-3
"""Change of a variable that shows which numbers follow it, of its range."""
AT_A_TIME = 4_000_000
"""Maximum count of numbers of runs in memory."""


@dataclass(frozen=True, eq=False)
class SimulatedObjective:
    """Root of a cost along the run of a study, whose controller knows the design.

    The motion is that of the study, whatever the design's home; gains are those of the study.
    """

    space: DesignSpace
    study: Study
    name: str

    @cached_property
    def _run(self) -> Run:
        run, _ = run_with_derivatives(scenario_of(self.study))
        own = self.space.robot
        alike = layout(own) == layout(run.own_robot)
        if not alike or (parameters_of(own) != parameters_of(run.own_robot)).any():
            raise GoughError(
                f"{self.name}: {self.study.name} is about {run.own_robot.name}, and not the "
                f"design's robot; expected {own.name} as its file has it"
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
        space, names = self.space, layout(self.space.robot)
        usual, changed = self._numbers(space.start), np.zeros(len(names), dtype=bool)
        for k, step in enumerate(ASIDE * (space.high - space.low)):
            other = space.start
            other[k] += step if other[k] + step <= space.high[k] else -step
            changed |= self._numbers(other) != usual
        moving = [name for name, moves in zip(names, changed, strict=True) if moves]
        varied = tuple(name for name in moving if not name.startswith("home."))
        if fixed := [name for name in varied if not OF_RIGID_MACHINES.match(name)]:
            raise GoughError(
                f"{self.name}: {fixed[0]} changes with the design, which no simulated plant can "
                "vary; expected variables of masses, joints of legs, or home"
            )
        if not varied:
            raise GoughError(f"{self.name}: no variable changes the run; expected one that does")
        run = self._run
        assert run.loop is not None
        return replace(run.loop, plant=replace(run.plant, varied=varied), informed=True)

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
        of angles they are not: which is tried in the middle of the ranges and near an end.
        """
        space, generator = self.space, np.random.default_rng(0)
        first, *others = space.unscaled(generator.random((2 + len(space.laws), len(space))))
        made = np.array([parameters_of(space.made(x)) for x in (first, *others)])
        rows = np.array([[1.0, *self._stated(x)] for x in (first, *others)])
        stated = np.isfinite(made).all(axis=0)  # others are limits that the file does not state
        found = np.zeros((rows.shape[1], made.shape[1]))
        found[:, stated] = np.linalg.lstsq(rows, made[:, stated], rcond=None)[0]
        found[0, ~stated] = made[0, ~stated]
        for x in space.unscaled(np.array([[0.5], [0.9]]) * np.ones(len(space))):
            exact = parameters_of(space.made(x))
            if not np.allclose(
                [1.0, *self._stated(x)] @ found, exact, 1e-11, 1e-11, equal_nan=True
            ):
                return None
        return found[0], found[1:].T

    def _parameters(self, x: Array) -> Array:
        return self._numbers(x)[self._loop.plant.varied_places]

    def values(self, designs: Array) -> Array:
        """(N) of designs (N, d); infinite where there is no machine, or its run diverges."""
        found, rows, made = np.full(len(designs), np.inf), list[Array](), list[int]()
        for k, x in enumerate(designs):
            try:
                rows.append(self._parameters(x))
                made.append(k)
            except RobotError:
                continue
        size = self._loop.arguments["memory"].size * len(self._run.time)
        at_once = max(1, AT_A_TIME // size)
        for k in range(0, len(made), at_once):
            runs = self._runs(np.array(rows[k : k + at_once]))
            found[made[k : k + at_once]] = np.sqrt(self._cost.values(runs))
        return found

    def with_slopes(self, x: Array) -> tuple[float, Array]:
        """Value of a design (d), and its derivatives by the variables."""
        loop, run, space, own = self._loop, self._run, self.space, self._parameters(x)
        value = float(np.sqrt(self._cost.values(self._runs(own))[0]))
        if not np.isfinite(value):
            return value, np.full(len(x), np.nan)
        along = loop.start(*run.initial, own), run.reference, self._cost.slopes
        found = gradient(loop, *along, parameters=own, **run.signals)
        slopes = np.empty(len(x))
        for k, step in enumerate(NUDGE * (space.high - space.low)):
            ends = [self._parameters(x + side * step * np.eye(len(x))[k]) for side in (1, -1)]
            starts = [loop.start(*run.initial, numbers) for numbers in ends]
            by_numbers = found.parameters[0] @ (ends[0] - ends[1])
            by_start = found.memory[0] @ (starts[0] - starts[1])
            slopes[k] = (by_numbers + by_start) / (2 * step)
        return value, slopes / (2 * value)

    def _runs(self, parameters: Array) -> Runs:
        run, start = self._run, self._loop.start(*self._run.initial, parameters)
        return self._loop.run(start, run.reference, parameters=parameters, **run.signals)


@lru_cache(maxsize=8)  # a problem with further states has the same
def simulated_objective(space: DesignSpace, study: Study, name: str) -> SimulatedObjective:
    """Return the objective of a design's machines in the run of a study."""
    return SimulatedObjective(space, study, name)
