"""A design problem in numbers: all sides of requirements and objectives, in all states.

Kernels take variables and a state to the values of all measures, with exact slopes. A side is an
entry of these with a sign: sign · value must stay below a bound, or below what an objective counts.
A requirement whose size counts has two sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import pairwise
from typing import NamedTuple, Self

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array, on_host
from gough.compiler import Argument, Function, Kernel, compiled, kernel_of
from gough.compiler.device import Device, arrays_of
from gough.design import measures as definitions
from gough.design.demands import Demand
from gough.design.measures import Measure, MeasuredState, Objective, ObjectivePart, Requirement
from gough.design.simulated import SimulatedObjective, simulated_objective
from gough.design.variables import REACH, DesignSpace, Laws, followed
from gough.equations.closure import assembled
from gough.equations.spatial.algebra import Value, position, quaternion
from gough.equations.spatial.attitude import euler_quaternion, quaternion_product
from gough.model import Machines
from gough.model.definition import ACCELERATION, POSE, TWIST, WRENCH
from gough.robot import Robot

Names = tuple[str, ...]
Group = tuple[tuple[int, int], ...]  # entries of the values, each with its sign

_STATE = (
    POSE,
    Argument("offset", (6,), "m, rad", "x, y, z, roll, pitch, yaw from there"),
    Argument("from_home", (), "1", "1: pose is added to home; 0: as it is"),
    *(TWIST, ACCELERATION, WRENCH),
    Argument("frequency", (), "Hz", "of the wrench"),
    Argument("surface", (2,), "N/m, m", "stiffness and error"),
)
HOLDS = 1e-7  # a side that passes its bound by less than this share of it holds: as SLSQP ends
ROWS: dict[Device, int] = {"cpu": 1 << 15, "gpu": 1 << 20}
"""Number of states of designs evaluated at once: their values stay in the processor's cache."""


class Evaluation(NamedTuple):
    """Slack and objectives of many designs."""

    slack: Array
    """(N, R) how far within each requirement, over its bound: at least 0 if it holds everywhere."""
    objectives: Array
    """(N, m) all to be small."""


class Sides(NamedTuple):
    """Entries of the values that count, with their signs: of requirements, then of extremes."""

    entry: AnyArray  # (s) of the values
    sign: Array  # (s) 1 or -1
    of: AnyArray  # (s) the requirement, or the number of requirements and the extreme


@dataclass(frozen=True, eq=False)
class Problem:
    """Variables, states, requirements and objectives."""

    space: DesignSpace
    demands: tuple[Demand, ...]
    requirements: tuple[Requirement, ...]
    objectives: tuple[Objective, ...]
    device: Device = "cpu"
    """Hardware that evaluates many designs."""

    @property
    def robot(self) -> Robot:
        """The machine from which the design begins."""
        return self.space.robot

    @cached_property
    def states(self) -> tuple[Array, ...]:
        """The inputs of the kernels for all states, (S, ...) each."""
        return tuple(map(np.concatenate, zip(*(d.numbers for d in self.demands), strict=True)))

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """Middle and half of the sides (S, 6) of the box around each state."""
        middle, half = zip(*(demand.boxes for demand in self.demands), strict=True)
        return np.concatenate(middle), np.concatenate(half)

    def joined(self, demands: Sequence[Demand]) -> Self:
        """The problem with more states."""
        return replace(self, demands=(*self.demands, *demands))

    @cached_property
    def seconds(self) -> Array:
        """(S) that each state stands for."""
        return np.concatenate([demand.seconds for demand in self.demands])

    @cached_property
    def counted(self) -> Array:
        """(S) 1 for states that count in means, 0 for others."""
        return np.concatenate([np.full(len(d), float(d.in_means)) for d in self.demands])

    @cached_property
    def parts(self) -> list[list[ObjectivePart]]:
        """The parts that each objective is the sum of."""
        return [definitions.parts_of(self.robot, o, self.space.names) for o in self.objectives]

    @cached_property
    def extremes(self) -> list[ObjectivePart]:
        """All parts of objectives that are maxima."""
        return [part for parts in self.parts for part in parts if part.kind == "maximum"]

    @cached_property
    def means(self) -> list[ObjectivePart]:
        """All parts of objectives that are means or integrals."""
        return [part for parts in self.parts for part in parts if part.kind in ("mean", "integral")]

    @cached_property
    def simulations(self) -> dict[str, SimulatedObjective]:
        """Objectives of simulated runs, by name."""
        runs = [(one.name, one.study) for one in self.objectives if one.study is not None]
        return {n: simulated_objective(self.space, study, n, self.device) for n, study in runs}

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The measures that are evaluated in each state."""
        asked = [requirement.measure for requirement in self.requirements]
        of_states = ("maximum", "mean", "integral")
        asked += [p.name for parts in self.parts for p in parts if p.kind in of_states]
        return tuple(dict.fromkeys(asked))

    def measure(self, name: str) -> Measure:
        """One of these, of the machines of this design."""
        return definitions.measure_of(self.space.machines, name)

    @cached_property
    def labels(self) -> list[str]:
        """(r) of what each value is."""
        return [x for name in self.measures for x in self.measure(name).labels(self.robot)]

    def entries(self, measure: str) -> range:
        """Where the values of a measure are."""
        counts = [len(self.measure(m).labels(self.robot)) for m in self.measures]
        ends = np.cumsum([0, *counts]).tolist()
        return range(*list(pairwise(ends))[self.measures.index(measure)])

    @cached_property
    def sides(self) -> Sides:
        """All sides."""
        found: list[tuple[int, int, int]] = []
        for k, requirement in enumerate(self.requirements):
            measure = self.measure(requirement.measure)
            signs = (1, -1) if measure.either_sign else (-1 if measure.large_is_good else 1,)
            found += [(e, s, k) for e in self.entries(requirement.measure) for s in signs]
        for k, extreme in enumerate(self.extremes, len(self.requirements)):
            signs = (1, -1) if extreme.either_sign else (extreme.sign,)
            found += [(e, s, k) for e in self.entries(extreme.name) for s in signs]
        entry, sign, of = np.array(found, dtype=int).reshape(-1, 3).T
        return Sides(entry, sign.astype(float), of)

    @cached_property
    def bounds(self) -> Array:
        """(R) below which sign · value must stay, of each requirement."""
        signs = [-1.0 if self.measure(r.measure).large_is_good else 1.0 for r in self.requirements]
        return np.array([sign * r.bound for sign, r in zip(signs, self.requirements, strict=True)])

    @cached_property
    def units(self) -> Array:
        """(R) by which each requirement's slack is measured: its bound; 1 of a bound of zero."""
        return np.where(self.bounds == 0, 1.0, np.abs(self.bounds))

    @property
    def _known_by(self) -> tuple[Machines, Laws, Names, Names]:
        """Key of the kernels."""
        space = self.space
        return space.machines, space.laws, (*space.names, *space.fixed), self.measures

    @cached_property
    def values(self) -> Kernel:
        """The kernel (x, state...) -> values (r)."""
        return kernel_of(_function, *self._known_by)

    @cached_property
    def pull(self) -> Kernel:
        """The kernel (x, state..., weights (r)) -> derivatives (d) of the weighted values."""
        return _pull(*self._known_by)

    @cached_property
    def worst(self) -> Kernel:
        """The kernel (x, state...) -> the maximum of each requirement's and extreme's sides; means.

        A maximum is infinite where one of the values is not a number.
        """
        entry, sign, of = self.sides
        groups = [
            tuple((int(e), int(s)) for e, s in zip(entry[of == k], sign[of == k], strict=True))
            for k in range(len(self.requirements) + len(self.extremes))
        ]
        groups += [((self.entries(mean.name)[0], 1),) for mean in self.means]
        return _worst(*self._known_by, tuple(groups))

    def at(self, x: Array, states: AnyArray | slice = slice(None)) -> Array:
        """Values (k, r) of a design (d) in some states."""
        return self.of_states(x, tuple(part[states] for part in self.states))

    def of_states(self, x: Array, states: tuple[Array, ...]) -> Array:
        """Values (..., r) of a design (d) in states (...), also others than the problem's."""
        return np.asarray(self.values(self.space.full(x), *states))

    def pulled(self, x: Array, states: tuple[Array, ...], weights: Array) -> Array:
        """Derivatives (k, d) by the variables of weighted sums of values in states (k)."""
        return np.asarray(self.pull(self.space.full(x), *states, weights))[:, : len(self.space)]

    def sizes(self, values: Array) -> Array:
        """sign · value (..., s) of each side."""
        return np.asarray(values[..., self.sides.entry] * self.sides.sign)

    def evaluated(self, designs: Array, states: AnyArray | slice = slice(None)) -> Evaluation:
        """Many designs (N, d), by some of the states."""
        asarray = arrays_of(self.device)
        chosen = tuple(asarray(part[states]) for part in self.states)
        at_once = max(1, ROWS[self.device] // len(chosen[0]))
        seconds, counted = self.seconds[states], self.counted[states]
        shares = [asarray(mean.weights(seconds, counted)) for mean in self.means]
        last = len(self.requirements) + len(self.extremes)
        worst = np.empty((len(designs), last + len(self.means)))
        for k in range(0, len(designs), at_once):
            found = self.worst(asarray(self.space.full(designs[k : k + at_once, None])), *chosen)
            worst[k : k + at_once, :last] = on_host(found[..., :last].max(axis=1))
            for j, weights in enumerate(shares, last):
                there = np.isfinite(found[..., j])
                total = np.where(there, found[..., j], 0.0) @ weights
                worst[k : k + at_once, j] = on_host(np.where(there.all(axis=1), total, np.inf))
        first = len(self.requirements)
        slack = (self.bounds - worst[:, :first]) / self.units
        return Evaluation(slack, self._objectives(designs, worst[:, first:last], worst[:, last:]))

    def _objectives(self, designs: Array, extremes: Array, means: Array) -> Array:
        """(N, m) objectives, all to be small."""
        largest, mean = iter(extremes.T), iter(means.T)
        found = np.zeros((len(designs), len(self.objectives)))
        for k, part in ((k, part) for k, parts in enumerate(self.parts) for part in parts):
            if part.kind == "variable":
                found[:, k] += part.sign * designs[:, self.space.names.index(part.name)]
            elif part.kind == "simulated":
                found[:, k] += part.sign * self.simulations[part.name].values(designs)
            else:
                found[:, k] += next(largest if part.kind == "maximum" else mean)
        return found


@compiled
def _pull(machines: Machines, laws: Laws, names: Names, measures: Names) -> Kernel:
    plain = _function(machines, laws, names, measures)
    (values,), (x, *_) = plain.expressions, plain.symbols
    weights = ca.SX.sym("weights", values.shape[0])
    words = "Derivatives by the variables of a weighted sum of a design's values in a state."
    inputs = (*plain.inputs, Argument("weights", (values.shape[0],), "1", "of all values"))
    outputs = (Argument("pull", (len(names),), "SI", "derivatives by the variables"),)
    found = (ca.densify(ca.jtimes(values, x, weights, True)),)
    return Kernel(Function("design_pull", words, inputs, outputs, (*plain.symbols, weights), found))


@compiled
def _worst(
    machines: Machines, laws: Laws, names: Names, measures: Names, groups: tuple[Group, ...]
) -> Kernel:
    plain = _function(machines, laws, names, measures)
    (values,) = plain.expressions
    signed = [[sign * values[entry] for entry, sign in group] for group in groups]
    each = (ca.if_else(sum(some) < ca.inf, reduce(ca.fmax, some), ca.inf) for some in signed)
    words = "The worst values of a design in a state."
    outputs = (Argument("worst", (len(groups),), "SI", "of each group"),)
    found = (ca.vertcat(*each),)
    return Kernel(Function("design_worst", words, plain.inputs, outputs, plain.symbols, found))


def _function(machines: Machines, laws: Laws, names: Names, measures: Names) -> Function:
    chosen = [definitions.measure_of(machines, name) for name in measures]
    count = sum(len(measure.labels(machines.robot)) for measure in chosen)

    def equation(x: Value, pose: Value, offset: Value, from_home: Value, *loads: Value) -> Value:
        numbers = ca.vertcat(*followed(x, laws))
        direct = all((factor, power) == (1.0, 1) for _, factor, power in laws)
        own = numbers if direct else ca.SX.sym("numbers", len(laws))
        machine = machines.machine(*([own] if laws else []))
        reach = x[names.index(REACH)] if REACH in names else 1
        placed = _placed(pose, reach * offset, from_home, assembled.home(machine))
        state = MeasuredState(placed, *loads)
        values = ca.vertcat(*(measure.equation(machine, state) for measure in chosen))
        return values if direct else ca.substitute(values, own, numbers)

    inputs = [Argument("x", (len(names),), "SI", "the variables of the design"), *_STATE]
    outputs = [Argument("values", (count,), "SI", ", ".join(measures))]
    words = "Values of a design in a state."
    return Function.from_equation("design_values", equation, inputs, outputs, words)


def _placed(pose: Value, offset: Value, from_home: Value, home: Value) -> Value:
    """The platform's pose: a given one, or home; from there by an offset, about base axes."""
    at = from_home * position(home) + (1 - from_home) * position(pose)
    own = from_home * quaternion(home) + (1 - from_home) * quaternion(pose)
    turn = euler_quaternion("xyz", offset[3:6])
    return ca.vertcat(at + offset[0:3], quaternion_product(turn, own))
