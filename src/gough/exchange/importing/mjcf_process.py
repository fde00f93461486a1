"""MJCF files read in a process of their own, with limits of memory and time.

MuJoCo's compiler makes what a file asks for, however much that is: textures, height fields, copies
by the million. A process that does so ends, and this one says why.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as Xml

from gough.errors import GoughError, InputError, needing
from gough.exchange.importing.mjcf_files import refuse_unfit_files
from gough.exchange.importing.tree import Tree

MOST_BYTES = 3 * 2**29
"""Of memory."""
MOST_SECONDS = 4
"""Of processor time, and five times as much on the clock."""


def read_mjcf(root: Xml.Element, path: Path) -> Tree:
    """What an MJCF file says of a machine; `root` is the element at its top."""
    with needing("mujoco", "exchange", "MJCF files"):
        if find_spec("mujoco") is None:
            raise ImportError
    refuse_unfit_files(root, path)
    answer = _answer(path)
    if isinstance(answer, GoughError):
        raise answer
    if not isinstance(answer, Tree):
        raise InputError(
            "MuJoCo cannot compile it",
            file=path,
            expected=f"what takes less than {MOST_SECONDS} s and {MOST_BYTES / 2**30:g} GiB",
        )
    return replace(answer, name=root.get("model") or path.stem)


def _answer(path: Path) -> object:
    """The tree, or what is wrong with the file; None if the process ended without a word."""
    command = [sys.executable, "-P", "-m", __name__, str(path), str(MOST_SECONDS)]
    places = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": places, "OPENBLAS_NUM_THREADS": "1"},
            timeout=5 * MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return pickle.loads(done.stdout) if done.returncode == 0 else None


def _limit(seconds: int) -> None:
    """Limit this process, where the platform can; it may write no files."""
    with suppress(ImportError):
        import resource as r  # noqa: PLC0415  (not on Windows)

        limits = {r.RLIMIT_DATA: MOST_BYTES, r.RLIMIT_CPU: seconds, r.RLIMIT_FSIZE: 0}
        for kind, most in limits.items():
            with suppress(OSError, ValueError):
                r.setrlimit(kind, (most, most))


def _main(path: str, seconds: str) -> None:
    from gough.exchange.importing.mjcf import mjcf_tree  # noqa: PLC0415

    _limit(int(seconds))
    answer: object
    try:
        answer = mjcf_tree(Path(path))
    except GoughError as error:
        answer = error
    sys.stdout.buffer.write(pickle.dumps(answer))


if __name__ == "__main__":
    _main(*sys.argv[1:])
