"""Solutions with the derivatives of their equations, not of the operations that found them.

x of r(x) = 0 changes by dx = -(∂r/∂x)⁻¹ dr, whichever way it was found [implicit function theorem].
Equations that are traced while `storing` note solutions and factors of matrices. Traced again while
`restoring` them, they take these as numbers, and note what the solutions solve.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from gough.equations.spatial.algebra import Value

Solve = Callable[[Value], Value]


class Solution(NamedTuple):
    """x of residual(x) = 0, whose derivative by x is -A."""

    x: Value
    residual: Value
    transposed: Solve  # from b to y of Aᵀ y = b


_NOTED: ContextVar[list[Value] | None] = ContextVar("noted", default=None)
Restored = tuple[Iterator[Value], list[Solution]]
_RESTORED: ContextVar[Restored | None] = ContextVar("restored", default=None)


@contextmanager
def storing() -> Iterator[list[Value]]:
    """Note all that is `stored` while equations are traced, in its order."""
    noted: list[Value] = []
    before = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(before)


@contextmanager
def restoring(values: Sequence[Value]) -> Iterator[list[Solution]]:
    """Trace equations with values in place of all that was `stored`; note solutions in order."""
    solutions: list[Solution] = []
    before = _RESTORED.set((iter(values), solutions))
    try:
        yield solutions
    finally:
        _RESTORED.reset(before)


@contextmanager
def by_operations() -> Iterator[None]:
    """Trace solutions that keep the derivatives of their operations, for those taken on the way."""
    before = _NOTED.set(None), _RESTORED.set(None)
    try:
        yield
    finally:
        _NOTED.reset(before[0])
        _RESTORED.reset(before[1])


def stored(value: Value) -> Value:
    """Return a value that counts as constant, or what is restored in its place."""
    noted, restored = _NOTED.get(), _RESTORED.get()
    if restored is not None:
        return next(restored[0])
    if noted is not None:
        noted.append(value)
    return value


def solution(
    x: Value, residual: Callable[[Value], Value], transposed: Callable[[], Solve]
) -> Value:
    """Return x of residual(x) = 0, of which all that is needed for derivatives is noted."""
    noted, restored = _NOTED.get(), _RESTORED.get()
    if noted is None and restored is None:
        return x
    found, solve = stored(x), transposed()
    if restored is not None:
        restored[1].append(Solution(found, residual(found), solve))
    return found
