"""Contents of an FMU: its variables, and the equations between them.

Continuous states change by rates, and memory from sample to sample. A number that has a place in
the C code has the same place as value reference, see `System.variables`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import casadi as ca

from gough.compiler import Argument, Function
from gough.equations.spatial.algebra import Value


class Block(StrEnum):
    """The kinds of variables, in the order of their value references."""

    TIME = "time"
    STEP = "step"
    PARAMETERS = "parameters"
    INPUTS = "inputs"
    STATES = "states"
    MEMORY = "memory"
    RATES = "rates"
    OUTPUTS = "outputs"
    INDICATORS = "indicators"


@dataclass(frozen=True, eq=False)
class FmuVariable:
    """A number with a name: its unit, meaning and start value, and its symbol in equations."""

    name: str
    unit: str  # in SI; empty where it has none, or more than one
    meaning: str
    start: float = 0.0

    @cached_property
    def symbol(self) -> Value:
        """Stands for it in equations."""
        return ca.SX.sym(self.name)


_NONE = ca.SX(0, 1)


class Equations(NamedTuple):
    """Columns of expressions."""

    rates: Value = _NONE
    """Time derivatives of the state."""
    outputs: Value = _NONE
    indicators: Value = _NONE
    """Expressions that are positive inside, and change sign where equations change."""
    sample: Value = _NONE
    """Memory after a sample."""


@dataclass(frozen=True, eq=False, kw_only=True)
class System:
    """A plant, a controller or both, as an FMU has them."""

    name: str
    description: str
    parameters: tuple[FmuVariable, ...]
    inputs: tuple[FmuVariable, ...]
    states: tuple[FmuVariable, ...] = ()
    """Continuous ones; all are outputs, too."""
    memory: tuple[FmuVariable, ...] = ()
    outputs: tuple[FmuVariable, ...]
    indicators: tuple[FmuVariable, ...] = ()
    equations: Equations
    step: float
    """Maximum step of RK4 in co-simulation [s]."""
    period: float = 0.0
    """Sampling period [s]; zero for continuous systems."""
    ends: bool = False
    """Whether a run is over where an indicator is no longer positive."""

    @cached_property
    def variables(self) -> dict[Block, tuple[FmuVariable, ...]]:
        """All variables by kind; one after the other, their places are their value references."""
        step = FmuVariable("step", "s", "longest step of RK4 in co-simulation", self.step)
        own = {
            Block.TIME: (FmuVariable("time", "s", "the independent variable"),),
            Block.STEP: (step,) if self.states else (),
            Block.RATES: tuple(_rate(state) for state in self.states),
        }
        return {block: own[block] if block in own else getattr(self, block) for block in Block}

    def references(self) -> dict[Block, range]:
        """The value references of each kind of variable."""
        sizes = [len(some) for some in self.variables.values()]
        firsts = accumulate(sizes, initial=0)
        return {b: range(k, k + n) for b, k, n in zip(Block, firsts, sizes, strict=False)}

    def functions(self, prefix: str) -> dict[str, Function]:
        """Return all functions by their purpose, with names that begin with a prefix.

        Of the first three `slopes` are the changes along directions of everything they depend on.
        """
        sizes = {name: found.shape[0] for name, found in self.equations._asdict().items()}
        found = {name: self._function(prefix, name, [name]) for name, size in sizes.items() if size}
        continuous = [name for name in ("rates", "outputs", "indicators") if sizes[name]]
        return found | {"slopes": self._function(prefix, "values", continuous).directional()}

    def _function(self, prefix: str, name: str, outputs: list[str]) -> Function:
        given = {"parameters": self.parameters, "state": self.states}
        given |= {"memory": self.memory, "input": self.inputs}
        inputs = [Argument(block, (len(some),), "SI") for block, some in given.items()]
        columns = {o: ca.densify(ca.SX(getattr(self.equations, o))) for o in outputs}
        results = [Argument(o, (found.shape[0],), "SI") for o, found in columns.items()]
        symbols = tuple(map(column, given.values()))
        arguments = tuple(inputs), tuple(results), symbols, tuple(columns.values())
        return Function(f"{prefix}_{name}", f"{name} of {self.name}.", *arguments)


def _rate(state: FmuVariable) -> FmuVariable:
    unit = f"{state.unit}^2" if state.unit.endswith("/s") else f"{state.unit}/s"
    return FmuVariable(f"der({state.name})", unit, f"time derivative of {state.name}")


def column(variables: Iterable[FmuVariable]) -> Value:
    """The symbols of variables."""
    return ca.vertcat(_NONE, *(variable.symbol for variable in variables))


def named(
    block: str, labels: Iterable[str], units: Sequence[str], meaning: str, starts: Any = None
) -> tuple[FmuVariable, ...]:
    """Variables such as `pose.x`, with what each is at first."""
    values = [0.0] * len(units) if starts is None else map(float, starts)
    rows = zip(labels, units, values, strict=True)
    return tuple(FmuVariable(f"{block}.{label}", unit, meaning, x) for label, unit, x in rows)
