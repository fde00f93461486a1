"""Ctrl-C is heard: an interrupt that is lost on its way is raised again until it arrives.

CasADi calls Python from C++ and drops what is raised there, as Python itself does with what is
raised in a finaliser or while a module of C++ is imported: of all interrupts during the tracing of
an equation more than half are lost.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 0.1  # after so long [s] an interrupt that did not arrive is raised again
_arrived = threading.Event()


def arrived() -> None:
    """Let an interrupt not be raised again: it ended what it should, of which the rest is kept."""
    _arrived.set()


@contextmanager
def heard(*expected: type[Exception]) -> Iterator[None]:
    """See to it that an interrupt ends what is done here: as itself, or as an expected error.

    One that is ignored stays so: that is how shells and nohup start what runs in the background.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    asked = reminded = False
    ended = threading.Event()
    ignored_exception = sys.unraisablehook

    def interrupt(*_: object) -> None:
        nonlocal asked, reminded
        by_user, reminded = not reminded, False  # no locks: a second signal may come at any step
        if by_user:
            _arrived.clear()
        if not asked:
            asked = True
            reminder.start()
        if by_user or not _is_on_its_way(sys.exception()):
            raise KeyboardInterrupt

    def remind() -> None:
        nonlocal reminded
        while not ended.wait(AGAIN):
            if not _arrived.is_set():
                reminded = True
                _interrupt_main_thread()

    def ignore(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):  # that one will come again
            ignored_exception(unraisable)

    reminder = threading.Thread(target=remind, name="gough-interrupt", daemon=True)
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
        signal.signal(signal.SIGINT, lambda *_: None)  # for one that is being sent again just now
        ended.set()
        if reminder.is_alive():
            reminder.join()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = ignored_exception
    if asked:
        raise KeyboardInterrupt


def _interrupt_main_thread() -> None:
    """Send the signal, which also ends the main thread's waiting."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:  # as on Windows
        signal.raise_signal(signal.SIGINT)


def _is_on_its_way(error: BaseException | None) -> bool:
    """Whether an interrupt is being handled: what cleans up after it is not to be disturbed."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


DONE, FAILED, WRONG_USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 70, 130
