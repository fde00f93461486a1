"""A plugin of pytest: Gough sees a system that poses as Windows; others see little of that.

`pytest -p as_windows` takes the names that only POSIX has from `os`, `signal` and the modules that
Windows lacks, as Gough's modules import them. Folders have no handles, files that this process
holds open are neither replaced nor removed (by nobody who uses pathlib), only what was opened
for writing can be synced, and lines of text end with two characters, unless somebody says how.
"""

import builtins
import multiprocessing.pool  # noqa: F401  (the library's own modules keep the true names)
import os
import pathlib
import signal
import stat
import subprocess  # noqa: F401
import sys
import tempfile  # noqa: F401
import threading
import types

import psutil  # noqa: F401

ABSENT_MODULES = {"fcntl", "grp", "pwd", "resource", "termios", "posix"}
ABSENT_NAMES = {
    "os": {
        "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "chown", "fchmod", "fchown", "fork",
        "getegid", "geteuid", "getgid", "getuid", "killpg", "mkfifo", "pread", "pwrite",
        "register_at_fork", "sched_getaffinity", "uname",
    },
    "signal": {"ITIMER_REAL", "SIGALRM", "SIGHUP", "SIGKILL", "SIG_BLOCK", "pthread_kill",
        "pthread_sigmask", "setitimer", "alarm"},
}  # fmt: skip
BINARY = 1 << 30
"""O_BINARY, which only Windows has."""
DENIED = PermissionError(13, "Permission denied")


def is_open(path):
    """Whether this process holds a file open."""
    try:
        wanted = pathlib.Path(path).stat()
    except OSError:
        return False
    handles = (int(entry.name) for entry in pathlib.Path("/proc/self/fd").iterdir())
    return any(same(handle, wanted) for handle in handles)


def same(handle, wanted):
    try:
        return os.path.samestat(os.fstat(handle), wanted)
    except OSError:
        return False


def opened(path, flags, mode=0o777, *, dir_fd=None):
    refuse_handles(dir_fd)
    if pathlib.Path(path).is_dir():
        raise DENIED
    return os.open(path, flags & ~BINARY, mode)


def synced(handle):
    import fcntl

    if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(9, "Bad file descriptor")
    os.fsync(handle)


def refuse_handles(*handles):
    if any(handle is not None for handle in handles):
        raise NotImplementedError("dir_fd unavailable on this platform")


def refuse_open(function):
    """A function of paths, the last of which may not be open."""

    def posed(*paths, dir_fd=None, src_dir_fd=None, dst_dir_fd=None, **more):
        refuse_handles(dir_fd, src_dir_fd, dst_dir_fd)
        if is_open(paths[-1]):
            raise DENIED
        return function(*paths, **more)

    return posed


def without_handles(function):
    def posed(place, *rest, **more):
        if isinstance(place, int):
            raise TypeError(f"{function.__name__}: path should be string, bytes or os.PathLike")
        return function(place, *rest, **more)

    return posed


def status(handle):
    """Owners and rights are not known."""
    true = list(os.fstat(handle))
    true[stat.ST_UID] = true[stat.ST_GID] = 0
    true[stat.ST_MODE] |= 0o666
    return os.stat_result(true)


def raised(number):
    """Wakes the main thread there, whichever raises it."""
    signal.pthread_kill(threading.main_thread().ident, number)


def poses(module, **instead):
    """A module without the names that Windows lacks, and with others in place of some."""
    posed = types.ModuleType(module.__name__)
    absent = ABSENT_NAMES[module.__name__]
    posed.__dict__.update({k: v for k, v in vars(module).items() if k not in absent})
    posed.__dict__.update(instead)
    return posed


def opened_text(path, mode="r", buffering=-1, encoding=None, errors=None, newline=None):
    """`pathlib.Path.open`, which writes lines as Windows does."""
    if newline is None and mode[0] in "wax" and "b" not in mode:
        newline = "\r\n"
    return true_open(path, mode, buffering, encoding, errors, newline)


utime = without_handles(os.utime)
POSING = {
    "os": poses(
        os,
        O_BINARY=BINARY,
        open=opened,
        fsync=synced,
        fstat=status,
        replace=refuse_open(os.replace),
        unlink=refuse_open(os.unlink),
        scandir=without_handles(os.scandir),
        utime=utime,
        supports_fd=os.supports_fd - {os.utime},
    ),
    "signal": poses(signal, raise_signal=raised),
}
true_open = pathlib.Path.open
pathlib.Path.open = opened_text
pathlib.Path.replace = refuse_open(pathlib.Path.replace)
pathlib.Path.unlink = refuse_open(pathlib.Path.unlink)


def locking(handle, mode, count):
    """`msvcrt.locking`, which locks bytes from where the file stands."""
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DENIED from None


sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
true_import = builtins.__import__


def posed_import(name, globals=None, locals=None, fromlist=(), level=0):
    if str((globals or {}).get("__name__", "")).startswith("gough."):
        if name in ABSENT_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in POSING:
            return POSING[name]
    return true_import(name, globals, locals, fromlist, level)


assert not any(name.startswith("gough.") for name in sys.modules), "begin before Gough is imported"
builtins.__import__ = posed_import
