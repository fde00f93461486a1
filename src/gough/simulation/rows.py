"""What a closed loop is given: rows of numbers that fit its arguments, or an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.native.fitting import real_array
from gough.errors import GoughError, KernelArgumentError

Array = np.ndarray[Any, np.dtype[np.float64]]
Form = tuple[int | str, ...]


def reference_rows(argument: Argument, value: Any) -> Array:
    """(samples, n), or (samples, runs, n) with one for each run."""
    return _fitting(argument, value, [("samples",), ("samples", "runs")])


def signal(argument: Argument, value: Any, samples: int) -> Array:
    """(n) for all samples, or as the reference."""
    return _fitting(argument, value, [(), (samples,), (samples, "runs")])


def constant(argument: Argument, value: Any) -> Array:
    """(n) for all runs, or (runs, n)."""
    return _fitting(argument, value, [(), ("runs",)])


def count_runs(constants: Iterable[Array], signals: Iterable[Array]) -> int:
    """How many runs there are: one, if nothing differs from run to run."""
    counts = {len(x) for x in constants if x.ndim == 2} | {
        x.shape[1] for x in signals if x.ndim == 3
    }
    several = sorted(counts - {1})
    if len(several) > 1:
        raise GoughError(f"runs do not fit each other: {sorted(counts)} of them")
    return several[0] if several else 1


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
