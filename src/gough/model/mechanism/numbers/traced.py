"""Traced numbers of a home configuration: each with its symbol, and its values on two machines.

The numbers of a machine determine its home configuration and its kind. A `Traced` number is used
as a plain one: formulas are written in its symbol, decisions are made on its values, those of the
machine and of a neighbour all of whose free numbers differ a little. A number that is zero on both
machines is zero on all; a decision on which they disagree cannot be made once for all, and is
refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError

SNAP = 1e-12  # distance from 0 or 1, in machine sizes, below which a number is 0 or 1


class ChangedKindError(GoughError):
    """Other numbers make another kind of machine."""


def _operation(
    operate: Callable[..., object], simple: Mapping[float, Callable[[Traced], Number]] | None = None
) -> Callable[[Traced, Number], Number]:
    """An operation with another number; with an array, NumPy does it one by one.

    With a plain number it may be `simple`: most numbers of axes are zero or one.
    """
    known = simple or {}

    def operated(own: Traced, other: Number) -> Number:
        if isinstance(other, np.ndarray):
            return NotImplemented
        result = None if isinstance(other, Traced) else known.get(other)
        return result(own) if result else _made(operate, own, other)

    return operated


def _itself(own: Traced) -> Traced:
    return own


def _comparison(compare: Callable[..., Any]) -> Callable[[Traced, Number], bool]:
    """A comparison on whose result both machines must agree."""
    return lambda own, other: _agreed(compare(own.values, _values(other)))


class Traced:
    """A symbol with its values (2): of the machine, and of a neighbour."""

    __slots__ = ("symbol", "values")

    def __init__(self, values: ArrayLike, symbol: Value) -> None:
        self.values: Array = np.asarray(values, dtype=float)
        self.symbol = symbol

    def __repr__(self) -> str:
        return f"<traced {self.values[0]:.6g}>"

    def __format__(self, spec: str) -> str:
        return format(float(self.values[0]), spec)

    __add__ = __radd__ = _operation(operator.add, {0.0: _itself})
    __sub__ = _operation(operator.sub, {0.0: _itself})
    __rsub__ = _operation(lambda own, other: other - own)
    __mul__ = __rmul__ = _operation(operator.mul, {0.0: lambda _: 0.0, 1.0: _itself})
    __truediv__ = _operation(operator.truediv)
    __rtruediv__ = _operation(lambda own, other: other / own)
    __lt__, __le__ = _comparison(operator.lt), _comparison(operator.le)
    __gt__, __ge__ = _comparison(operator.gt), _comparison(operator.ge)

    def __pow__(self, power: int) -> Number:
        return _made(lambda a: a**power, self)

    def __neg__(self) -> Number:
        return _made(operator.neg, self)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Number:
        if (self.values >= 0).all():
            return self
        return -self if (self.values <= 0).all() else _made(np.abs, self, of_symbols=ca.fabs)

    def sqrt(self) -> Number:
        """Return the square root, for NumPy."""
        return _made(np.sqrt, self, of_symbols=ca.sqrt)

    def arctan2(self, other: Number) -> Number:
        """Return the angle of the point (other, self), for NumPy."""
        return _made(np.arctan2, self, other, of_symbols=ca.atan2)

    def angle_with(self, y: Number) -> Number:
        """The angle [rad] of a point whose x this is."""
        return _made(np.arctan2, y, self, of_symbols=ca.atan2)

    def __bool__(self) -> bool:
        return bool(self.values.any())


Number = Traced | float


def drawn_values(array: ArrayLike) -> Array:
    """Return the numbers' values of the machine itself."""
    if np.asarray(array).dtype != object:
        return np.asarray(array, dtype=float)
    values = np.array([_values(x)[0] for x in np.ravel(array)])
    return values.reshape(np.shape(array))


def as_value(array: object) -> Value:
    """Numbers as the equations take them: constants, or symbols where some are traced."""
    numbers = np.asarray(array)
    if numbers.dtype != object:
        return ca.DM(numbers.astype(float))
    columns = numbers.reshape(len(numbers), -1) if numbers.ndim else numbers.reshape(1, 1)
    return ca.blockcat([[ca.SX(_symbol(x)) for x in row] for row in columns])


def as_number(number: Any) -> Value | float:
    """One number as the equations take it."""
    own = number.item() if isinstance(number, np.ndarray) else number
    return own.symbol if isinstance(own, Traced) else float(own)


def snapped(numbers: object, size: float = 1.0) -> AnyArray:
    """Round numbers that are nearly 0 or ±1 to these; with a size only those nearly 0."""
    array = np.asarray(numbers)
    if array.dtype == object:
        found = np.empty(array.shape, dtype=object)
        for at in np.ndindex(array.shape):
            found[at] = _snapped(array[at], size)
        return found
    near = np.round(array) if size == 1.0 else np.zeros_like(array)
    return np.where(np.abs(array - near) < SNAP * size, near + 0.0, array)


def without_noise(number: Number, noise: float) -> Number:
    """Return the number; zero if it is no more than the noise, on both machines."""
    return 0.0 if (np.abs(_values(number)) <= noise).all() else number


def _snapped(number: Any, size: float) -> Number:
    values = _values(number)
    near = np.round(values[0]) if size == 1.0 else 0.0
    return float(near) + 0.0 if (np.abs(values - near) < SNAP * size).all() else number


def _made(
    of_values: Callable[..., Any], *terms: Number, of_symbols: Callable[..., Any] | None = None
) -> Number:
    """Result of an operation with numbers; a plain one where its symbol is constant, as 0 x."""
    symbol = (of_symbols or of_values)(*map(_symbol, terms))
    values = of_values(*map(_values, terms))
    return float(symbol) if symbol.is_constant() else Traced(values, symbol)


def _values(number: Number) -> Array:
    return number.values if isinstance(number, Traced) else np.full(2, float(number))


def _symbol(number: Number) -> Value:
    return number.symbol if isinstance(number, Traced) else ca.SX(float(number))


def _agreed(answers: AnyArray) -> bool:
    if answers.all() != answers.any():
        raise ChangedKindError("axes or places that meet come apart, or those apart meet")
    return bool(answers.all())
