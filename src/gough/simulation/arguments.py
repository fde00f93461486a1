"""What simulations may be given: counts, numbers, rows and things, each refused by its name."""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import repr as short
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.fitting import real_array
from gough.errors import GoughError, KernelArgumentError

Form = tuple[int | str, ...]


def whole(name: str, value: Any, *, least: int = 1, most: float = np.inf) -> int:
    """A whole number in a range; a count of something."""
    count = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not count or not least <= value <= most:
        bounds = f"{least} or more" + (f", at most {most}" if most < np.inf else "")
        raise GoughError(f"{name} is {short(value)}; expected a whole number, {bounds}")
    return int(value)


def check_kept(every: Any, samples: int) -> None:
    """Refuse to keep every so many samples if that leaves but one."""
    if samples <= whole("every", every):
        raise GoughError(f"every is {every}; expected less than the {samples} samples of the run")


def positive(name: str, value: Any, what: str = "a number") -> float:
    """A finite number above zero."""
    if not _is_number(value) or not 0 < value < np.inf:
        raise GoughError(f"{name} is {short(value)}; expected {what}, above 0")
    return float(value)


def not_negative(name: str, value: Any) -> float:
    """A finite number, zero or more."""
    if not _is_number(value) or not 0 <= value < np.inf:
        raise GoughError(f"{name} is {short(value)}; expected a number, not negative")
    return float(value)


def row(name: str, value: Any, size: int, *, expected: str = "") -> Array:
    """So many finite numbers."""
    wanted = expected or f"finite numbers, {size} of them"
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(f"{name} is {short(value)}; expected {wanted}") from None
    if numbers.shape != (size,):
        raise GoughError(f"{name} has shape {numbers.shape}; expected {wanted}")
    if not np.isfinite(numbers).all():
        raise GoughError(f"{name} is {numbers.tolist()}; expected {wanted}")
    return numbers


def instance(name: str, value: Any, kind: type) -> None:
    """Refuse something of another kind."""
    if not isinstance(value, kind):
        expected = f"{kind.__module__}.{kind.__name__}"
        raise GoughError(f"{name} is {short(value)}; expected one of {expected}")


def reference_rows(argument: Argument, value: Any) -> Array:
    """(samples, n), or (samples, runs, n) with one for each run, as (samples, runs or 1, n)."""
    rows = _fitting(argument, value, [("samples",), ("samples", "runs")])
    return rows if rows.ndim == 3 else rows[:, None]


def signal(argument: Argument, value: Any, samples: int) -> Array:
    """(n) for all samples, or as the reference."""
    rows = _fitting(argument, value, [(), (samples,), (samples, "runs")])
    return rows[:, None] if rows.ndim == 2 else rows


def constant(argument: Argument, value: Any) -> Array:
    """(n) for all runs, or (runs, n), as (1, runs, n)."""
    rows = _fitting(argument, value, [(), ("runs",)])
    return rows[None] if rows.ndim == 2 else rows


def count_runs(rows: Iterable[Array]) -> int:
    """How many runs there are: one, if nothing differs from run to run."""
    counts = {x.shape[1] for x in rows if x.ndim == 3}
    several = sorted(counts - {1})
    if len(several) > 1:
        raise GoughError(f"runs do not fit each other: {sorted(counts)} of them")
    return several[0] if several else 1


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _fitting(argument: Argument, value: Any, forms: list[Form]) -> Array:
    numbers = np.asarray(real_array("closed loop", argument, value), dtype=float)
    wanted = [(*form, *argument.shape) for form in forms]
    if not any(_has_form(numbers.shape, form) for form in wanted):
        expected = " or ".join(f"({', '.join(map(str, form))})" for form in wanted)
        raise KernelArgumentError(
            f"closed loop: {argument.name} has shape {numbers.shape}; expected {expected}"
        )
    return numbers


def _has_form(shape: tuple[int, ...], form: Form) -> bool:
    return len(shape) == len(form) and all(
        n > 0 if isinstance(wanted, str) else n == wanted
        for n, wanted in zip(shape, form, strict=True)
    )
