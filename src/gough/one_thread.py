"""Linear algebra on one thread: where matrices are small, threads only wait for one another."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Have NumPy and SciPy compute on the thread that calls them; also as a decorator."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:
    """Those of NumPy and SciPy, looked for once: to look takes longer than to solve for a step."""
    import scipy.linalg  # noqa: F401, PLC0415  (which loads its own)
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415

    return ThreadpoolController()
