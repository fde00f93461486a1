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


class FmuVariable(NamedTuple):
    """A number with a name: its unit, meaning and start value."""

    name: str
    unit: str
    """In SI; empty where it has none, or more than one."""
    meaning: str
    start: float = 0.0


_NONE = ca.SX(0, 1)


class Symbols(NamedTuple):
    """Columns of symbols that all equations are made of."""

    parameters: Value
    state: Value = _NONE
    memory: Value = _NONE
    input: Value = _NONE


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
    symbols: Symbols
    equations: Equations
    step: float
    """Maximum step of RK4 in co-simulation [s]."""
    period: float = 0.0
    """Sampling period [s]; zero for continuous systems."""
    ends: bool = False
    """Whether a run is over where an indicator is no longer positive."""

    @property
    def sampled(self) -> bool:
        """Whether outputs are those of the memory, and stay between samples."""
        return not self.states

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
        sizes = {name: column.shape[0] for name, column in self.equations._asdict().items()}
        found = {name: self._function(prefix, name, [name]) for name, size in sizes.items() if size}
        continuous = [name for name in ("rates", "outputs", "indicators") if sizes[name]]
        return found | {"slopes": self._function(prefix, "values", continuous).directional()}

    def _function(self, prefix: str, name: str, outputs: list[str]) -> Function:
        inputs = [Argument(n, (s.shape[0],), "SI") for n, s in self.symbols._asdict().items()]
        columns = {o: ca.densify(ca.SX(getattr(self.equations, o))) for o in outputs}
        given = [Argument(o, (column.shape[0],), "SI") for o, column in columns.items()]
        arguments = tuple(inputs), tuple(given), tuple(self.symbols), tuple(columns.values())
        return Function(f"{prefix}_{name}", f"{name} of {self.name}.", *arguments)


def _rate(state: FmuVariable) -> FmuVariable:
    unit = f"{state.unit}^2" if state.unit.endswith("/s") else f"{state.unit}/s"
    return FmuVariable(f"der({state.name})", unit, f"time derivative of {state.name}")


def column(variables: Iterable[FmuVariable]) -> Value:
    """A symbol for each variable."""
    return ca.vertcat(ca.SX(0, 1), *(ca.SX.sym(variable.name) for variable in variables))


def named(
    block: str, labels: Iterable[str], units: Sequence[str], meaning: str, starts: Any = None
) -> tuple[FmuVariable, ...]:
    """Variables such as `pose.x`, with what each is at first."""
    values = [0.0] * len(units) if starts is None else map(float, starts)
    rows = zip(labels, units, values, strict=True)
    return tuple(FmuVariable(f"{block}.{label}", unit, meaning, x) for label, unit, x in rows)
