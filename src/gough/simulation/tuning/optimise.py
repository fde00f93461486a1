"""Gains optimised along a motion: on the nonlinear closed loop, by the adjoint of the whole run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.checks import unknown
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table
from gough.errors import GoughError
from gough.robot import actuator_names
from gough.simulation.closed_loop import ClosedLoop, Runs
from gough.simulation.controllers.controller import Controller
from gough.simulation.events import first_ending
from gough.simulation.gradient import gradient
from gough.simulation.scenario import Run, Scenario
from gough.simulation.tracking_cost import TrackingCost, run_with_derivatives
from gough.simulation.tuning.tune import gain_rows

FARTHEST = float(np.log(1e3))
"""Maximum change of a gain, as the logarithm of its factor."""
STATIONARY = 1e-7
"""Relative change of the cost by the logarithm of a factor, at which the search ends."""
_DIVERGED = 1e3
"""Logarithm of the cost of a run that diverges, over that of the first."""
STEPS = 60


@dataclass(frozen=True, eq=False)
class OptimisedGains(Displayable):
    """A controller whose gains make a cost along a motion stationary."""

    result_kind = "gains optimised along the motion"
    controller: Controller
    run: Run
    factors: dict[str, float]
    """Factor of each gain that was free."""
    cost: float
    """Root of the cost along the motion, see `TrackingCost` [m]."""
    first_cost: float
    """That with the gains of the scenario [m]."""
    slope: float
    """Maximum relative change of the cost by that of a gain that is free: zero at an optimum."""
    runs: int
    """Number of runs, each forwards and backwards."""
    warnings: tuple[str, ...]

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and its controller."""
        return self.run.own_robot.name, f"{self.controller.name}, {self.result_kind}"

    def tables(self) -> list[Table]:
        """The cost before and after, and the gains."""
        rows = [("cost, rms", 1e3 * self.first_cost, 1e3 * self.cost, "mm")]
        heads = ("along the motion", "as given", "optimised", "unit")
        listed = [
            (name, self.factors.get(name, 1.0), *row)
            for name, *row in gain_rows(self.controller, self.run.plant)
        ]
        between = f"maximum between {actuator_names(self.run.own_robot).word}s"
        columns = ("gain", "factor", "unit", "minimum", "maximum", between)
        return [Table.of("", heads, rows), Table.of("Gains", columns, listed)]

    def to_dict(self) -> PlainData:
        """Return everything as plain data."""
        names = ("factors", "cost", "first_cost", "slope", "runs")
        own = {name: getattr(self, name) for name in names}
        described = self.controller.described(self.run.plant)
        return {"controller": described.pop("kind"), **described, **own, "warnings": self.warnings}


def optimise_gains(
    scenario: Scenario,
    *,
    gains: Sequence[str] | str | None = None,
    arm: float | None = None,
    smoothness: float = 0.0,
) -> OptimisedGains:
    """Optimise the gains of a scenario's controller for its whole run, from those that it has.

    Each of the named `gains`, by default all that are not zero, has a factor; how a gain couples
    actuators stays. The cost is the mean square of the position error and of the rotation error
    times `arm` [m], by default half the machine's size, plus that of the change of the command from
    sample to sample times `smoothness` [m/N, m/(N m), m/V]. Limits of the command, delay, sensors
    with their noise, drives and friction count, as they are in the run. Derivatives are exact
    (`gradient`). The optimum is a local one.
    """
    from scipy.optimize import minimize  # noqa: PLC0415  (slow to import)

    run, loop = run_with_derivatives(scenario)
    places = _places(loop, [gains] if isinstance(gains, str) else gains)
    cost = TrackingCost.of(run, arm, smoothness)
    start, count = loop.start(*run.initial), 0

    def numbers(logs: Array) -> Array:
        factors = np.ones(len(loop.gain_values))
        for where, log in zip(places.values(), logs, strict=True):
            factors[where] = np.exp(log)
        return np.asarray(factors * loop.gain_values)

    def forwards(own: Array) -> Runs:
        return loop.run(start, run.reference, gains=own, side_by_side=False, **run.signals)

    def of_factors(logs: Array) -> tuple[float, Array]:
        """Logarithm of the cost over the first one, and its derivatives."""
        nonlocal count
        count, own = count + 1, numbers(logs)
        value = cost.values(forwards(own))[0]
        if not np.isfinite(value):
            return _DIVERGED, np.zeros(len(logs))
        found = gradient(loop, start, run.reference, cost.slopes, gains=own, **run.signals)
        slopes = found.gains[0] * own
        each = [slopes[where].sum() / value for where in places.values()]
        return float(np.log(value / first)), np.array(each)

    given = forwards(loop.gain_values)
    first = cost.values(given)[0]
    if ended := _ending(run, given):
        raise GoughError(f"{run.name}: {ended}; expected gains to begin with that complete the run")
    if not first > 0:
        raise GoughError(f"{run.name}: the cost is 0 with the gains as they are; nothing to reduce")
    ends = [(-FARTHEST, FARTHEST)] * len(places)
    options = {"maxiter": STEPS, "gtol": STATIONARY, "ftol": 0.0}
    best = minimize(
        of_factors, np.zeros(len(places)), jac=True, method="L-BFGS-B", bounds=ends, options=options
    )
    factors = dict(zip(places, np.exp(best.x).tolist(), strict=True))
    found = tuple(
        replace(g, values=g.values * factors.get(g.name, 1.0)) for g in loop.controller.gains
    )
    at_end = [name for name, log in zip(places, best.x, strict=True) if abs(log) >= FARTHEST]
    slope = float(np.abs(best.x - np.clip(best.x - best.jac, -FARTHEST, FARTHEST)).max())
    warnings = [f"{name} is at the end of its range, factor {factors[name]:g}" for name in at_end]
    if slope > 1e3 * STATIONARY:
        warnings.append(f"no optimum is found: the cost still changes by {slope:.2g} of itself")
    if ended := _ending(run, forwards(numbers(best.x))):
        warnings.append(f"with the optimised gains {ended}")
    values = (float(np.sqrt(first * np.exp(best.fun))), float(np.sqrt(first)), slope, count)
    controller = replace(loop.controller, gains=found)
    return OptimisedGains(controller, run, factors, *values, tuple(warnings))


def _places(loop: ClosedLoop, gains: Sequence[str] | None) -> dict[str, slice]:
    """Places of the gains that are free in the row of all, by name."""
    arrays = loop.controller.gain_arrays(loop.plant.actuators, loop.plant.dof)
    ends = np.cumsum([0, *(values.size for values in arrays.values())]).tolist()
    places = dict(zip(arrays, map(slice, ends, ends[1:]), strict=True))
    free = [name for name, values in arrays.items() if values.any()]
    for name in gains if gains is not None else ():
        if name not in places:
            raise unknown(f"{loop.controller.name} has no gain {name!r}", name, places)
        if name not in free:
            raise GoughError(f"gain {name} is 0, which no factor changes; expected another value")
    chosen = {name: places[name] for name in (free if gains is None else gains)}
    if not chosen:
        raise GoughError(f"{loop.controller.name}: no gain is free; expected one that is not 0")
    return chosen


def _ending(run: Run, runs: Runs) -> str:
    """Return why a run ended early; empty if it did not."""
    states = runs.memory[:, 0, : run.plant.state.size]
    crosses = isinstance(run.controller, Controller) and run.controller.crosses
    found = first_ending(run.plant, run.time, states, runs.command[:, 0], crosses=crosses)
    return found.text if found else ""
