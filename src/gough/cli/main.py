"""The `gough` command. Slow imports are deferred: Ctrl-C during start-up prints one line."""

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from gough.cli.interrupts import INTERRUPTED, heard

_RARELY = 300_000
"""Number of new objects between garbage collections: modules make many and free none."""
_SPARED = {"PYDANTIC_DISABLE_PLUGINS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Settings of other libraries for what would take time at every start, unless the user has them.

Gough has no plugins for pydantic, which would read the metadata of all installed packages for some;
its matrices are too small for threads of their own, which NumPy would make for each core.
"""


def process() -> NoReturn:
    """Run a command as a process, and end it as soon as all is done and said.

    Python's own end waits for every thread, also for one that an interrupt has left without work
    for ever, is ended by a late interrupt without a word, and frees memory piece by piece.
    """
    try:
        main()
    except SystemExit as end:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(int(end.code or 0))


def main() -> NoReturn:
    """Run a command; what goes wrong is a line or a few on standard error, and an exit code."""
    gc.set_threshold(_RARELY)
    for name, value in _SPARED.items():
        os.environ.setdefault(name, value)
    try:
        _prepare_streams()
        with heard():
            from gough.cli.failures import run_command

        code = run_command()
    except KeyboardInterrupt:
        print("gough: interrupted", file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


def _prepare_streams() -> None:
    """Make all text printable, and what is printed to a closed stream nobody's concern."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
        setattr(sys, name, stream)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for names that cannot be printed


if __name__ == "__main__":
    process()
