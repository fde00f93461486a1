"""Linear algebra on one thread: where matrices are small, threads only wait for one another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Have NumPy and SciPy compute on the thread that calls them; also as a decorator."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  (looks for libraries)

    with threadpool_limits(limits=1, user_api="blas"):
        yield
