"""Work in a child process that is killed just before its n-th change of a folder."""

import os
import signal
import sys
from itertools import count

_CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"}


def killed_everywhere(prepare, work):
    """For n = 0, 1, ...: the folder that `prepare(n)` makes, in which `work(folder)` was killed.

    The last one is that in which the work came to its end.
    """
    for n in count():
        folder = prepare(n)
        child = os.fork()
        if child == 0:
            _run(work, folder, n)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        yield folder
        if not os.WIFSIGNALED(status):
            return


def _run(work, folder, n):
    try:
        os.fsync = lambda handle: None  # no power is lost
        sys.addaudithook(_killer(str(folder), n))
        work(folder)
        os._exit(0)
    finally:
        os._exit(1)  # an error of its own


def _killer(folder, n):
    steps = iter(range(n))

    def hook(event, args):
        changes = event in _CHANGES or (event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR))
        if changes and str(args[0]).startswith(folder) and next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    return hook
