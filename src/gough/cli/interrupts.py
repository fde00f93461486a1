"""Ctrl-C is heard: an interrupt that is lost on its way is raised again until it arrives.

CasADi calls Python from C++ and drops what is raised there, as Python itself does with what is
raised in a finaliser or while a module of C++ is imported: of all interrupts during the tracing of
an equation more than half are lost.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AGAIN = 0.1
"""After so long [s] an interrupt that did not arrive is raised again."""


@contextmanager
def heard(*expected: type[Exception]) -> Iterator[None]:
    """See to it that an interrupt ends what is done here: as itself, or as an expected error.

    One that is ignored stays so: that is how shells and nohup start what runs in the background.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    asked = False
    ignored_exception = sys.unraisablehook

    def interrupt(*_: Any) -> None:
        nonlocal asked
        asked = True
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        raise KeyboardInterrupt

    def remind(*_: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        if not _is_on_its_way(sys.exception()):
            raise KeyboardInterrupt

    def ignore(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):  # that one will come again
            ignored_exception(unraisable)

    before = signal.signal(signal.SIGALRM, remind)
    sys.unraisablehook = ignore
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except expected:
        raise
    except Exception:
        if asked:  # what went wrong did so because an interrupt was lost
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = ignored_exception
    if asked:
        raise KeyboardInterrupt


def _is_on_its_way(error: BaseException | None) -> bool:
    """Whether an interrupt is being handled: what cleans up after it is not to be disturbed."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


DONE, FAILED, WRONG_USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 70, 130
