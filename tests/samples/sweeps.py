"""Work for executors: rows that take their time, and what a record has of them."""

import os
import resource
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import gough
from gough.disk.tables import read_table


@dataclass(frozen=True)
class Forces:
    """What holds a machine still, at poses; the number tells one job from another."""

    model: gough.Model
    number: int = 0

    def __call__(self, poses):
        return self.model.inverse_dynamics(self.model.parameters, poses)


@dataclass(frozen=True)
class KilledOnce:
    """Squares; whoever first comes to a number is killed there, and leaves a file."""

    file: Path
    at: int

    def __call__(self, numbers):
        if self.at in numbers and not self.file.exists():
            self.file.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.square(numbers)


def squares(items):
    """A row for each item."""
    return {"item": np.array(items), "square": np.square(items)}


def slow_squares(items):
    """The same; each takes 20 ms."""
    time.sleep(0.02 * len(items))
    return squares(items)


def pages_of_arrays(items):
    """How many pages the system makes for a hundred arrays of 500 pages that come and go."""
    np.ones(250_000).sum()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        np.ones(250_000).sum()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def tables(record):
    """Items and columns of all chunks."""
    return [(items, read_table(content, Path())) for items, content in record]
