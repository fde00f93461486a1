"""Workers: they have slots, each of which computes one chunk at a time.

What is handed out is a function of a module with arguments that can be pickled; what comes back is
a Future of `concurrent.futures`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import ClassVar, Self, TypeVar

from gough.compiler.native.threads import on_one_thread
from gough.errors import GoughError

T = TypeVar("T")


class Workers(ABC):
    """Somebody who does work: `with` gives them back when they are not needed any more."""

    here: ClassVar[bool] = False
    """Whether they are in this process, so that nothing has to be sent."""
    ahead: ClassVar[int] = 2
    """Number of chunks that each slot is given: one is worked on, the next is there."""
    timed: ClassVar[bool] = True
    """Whether chunks are sized by time; otherwise as many items as may go together."""
    lost: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors of a Future whose worker has ended, so that others should try: see `replace_lost`."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """Number of chunks that are worked on at once, now."""

    @abstractmethod
    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Have work(*arguments) done by somebody."""

    def replace_lost(self) -> None:  # noqa: B027  (most lose nobody)
        """Have others in the place of those who are lost."""

    def explained(self, error: Exception) -> GoughError | None:
        """Explain a Future's error, if it is not the work's own."""
        return None

    @abstractmethod
    def close(self) -> None:
        """No more work: what nobody has begun is dropped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Here(Workers):
    """This thread: work is done when it is handed out, and large batches have all cores."""

    here, ahead, timed = True, 1, False

    @property
    def slots(self) -> int:
        """One."""
        return 1

    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Do it now."""
        done: Future[T] = Future()
        done.set_result(work(*arguments))
        return done

    def close(self) -> None:
        """There is nobody to send away."""


class Threads(Workers):
    """Threads of this process, each on one core."""

    here = True

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="gough-worker")

    @property
    def slots(self) -> int:
        """Number of threads."""
        return self._count

    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Have it done by a thread."""
        return self._pool.submit(alone, work, *arguments)

    def close(self) -> None:
        """Wait for those who are at work."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def alone(work: Callable[..., T], *arguments: object) -> T:
    """Do work on one thread: other slots have the other cores."""
    with on_one_thread():
        return work(*arguments)
