"""Checks of arguments: counts, numbers, rows and objects, each refused by its name."""

import sys
from collections.abc import Collection, Iterable
from reprlib import repr as short
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from gough.arrays import Array, numeric
from gough.errors import GoughError, nearest

RandomSource: TypeAlias = "int | np.random.Generator | None"
"""Source of random numbers: a seed, a generator, or None for numbers that differ every time."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Item = TypeVar("Item", bound=_Named)


def by_name(items: Iterable[Item], name: str, refusal: str) -> Item:
    """The item of a name; if there is none, GoughError of a refusal with the nearest, or all."""
    known = {item.name: item for item in items}
    if name not in known:
        raise unknown(refusal, name, known)
    return known[name]


def unknown(refusal: str, name: object, known: Collection[str]) -> GoughError:
    """The refusal of a name that is not known, with the nearest one, or all."""
    near = nearest(str(name), known)
    hint = f"did you mean {near}?" if near else f"expected one of {', '.join(known)}"
    return GoughError(f"{refusal}; {hint}")


def seed_of(rng: RandomSource) -> int:
    """Return the seed of a random source; of a generator, or of None, a new one."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**63))
    return require_integer("rng", rng, least=0)


def require_integer(name: str, value: Any, *, least: int = 1, most: float = np.inf) -> int:
    """A whole number in a range, such as a count."""
    count = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not count or not least <= value <= most:
        bounds = f"{least} or more" + (f", at most {most}" if most < np.inf else "")
        raise GoughError(f"{name} is {short(value)}; expected a whole number, {bounds}")
    return int(value)


def require_positive(name: str, value: object, what: str = "a number") -> float:
    """A finite number above zero."""
    return _require_number(name, value, np.nextafter(0.0, 1.0), f"{what}, above 0")


def require_not_negative(name: str, value: object) -> float:
    """A finite number, zero or more."""
    return _require_number(name, value, 0.0, "a number, not negative")


def require_row(name: str, value: object, size: int, *, expected: str = "") -> Array:
    """Return a row of a number of finite numbers; others are refused."""
    wanted = expected or f"finite numbers, {size} of them"
    given = numeric(value)
    if given is None:
        raise GoughError(f"{name} is {short(value)}; expected {wanted}")
    numbers = given.astype(float)
    if numbers.shape != (size,):
        raise GoughError(f"{name} has shape {numbers.shape}; expected {wanted}")
    if not np.isfinite(numbers).all():
        raise GoughError(f"{name} is {numbers.tolist()}; expected {wanted}")
    return numbers


def require_instance(name: str, value: object, kind: type) -> None:
    """Refuse something of another kind."""
    if not isinstance(value, kind):
        room = ".".join(kind.__module__.split(".")[:2])  # which names what others may use
        raise GoughError(f"{name} is {short(value)}; expected a {room}.{kind.__name__}")


def _require_number(name: str, value: Any, least: float, expected: str) -> float:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not float(least) <= value <= sys.float_info.max:
        raise GoughError(f"{name} is {short(value)}; expected {expected}")
    return float(value)
