"""Grids and commands for the tests of folders, and what is in a folder."""

import subprocess
import sys
import time
from contextlib import contextmanager

import tomli_w
from study_samples import data, study
from typer.testing import CliRunner

from gough.cli.command_group import app
from gough.disk.target import HIDDEN

GRID = [
    {"name": "mass", "parameter": "tasks[1].mass", "range": {"from": 1, "to": 40, "count": 20}},
    {"name": "duration", "parameter": "motion.duration", "values": [1, 2, 3]},
]


POINTS = 24
"""Number of points of a small grid."""


def small_grid(**changes):
    masses, durations = GRID
    fewer = masses | {"range": {"from": 1, "to": 40, "count": POINTS // 3}}
    return study(variations=[fewer, durations], samples=51, **changes)


SERIES = {"series": True, "quantities": ["forces"]}
LONG = data(variations=GRID, samples=2001)


START = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the tests were started without
from gough.cli.main import main
main()
"""


def command(file, folder, *more):
    return [sys.executable, "-c", START, "run", file, "-o", folder, "--no-report", *more]


def run_here(file, folder, *more):
    """Do what the command does, in this process: it starts no other. Returns what it said."""
    _, _, _, *words = map(str, command(file, folder, *more))
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done


def written(tmp_path, content, name="study"):
    """A study file."""
    file = tmp_path / f"{name}.toml"
    file.write_text(tomli_w.dumps(content))
    return file


@contextmanager
def running(file, folder, *more, count=5):
    """A real `gough run` that has written some chunks of its grid, and is not done."""
    pipe = subprocess.PIPE
    before = set(chunks(folder))
    process = subprocess.Popen(command(file, folder, *more), stdout=pipe, stderr=pipe, text=True)
    deadline = time.monotonic() + 50
    try:
        while time.monotonic() < deadline and process.poll() is None:
            if len(set(chunks(folder)) - before) >= count:
                break
            time.sleep(0.005)
        yield process
    finally:
        process.kill()
        process.communicate()


def chunks(folder):
    """The chunks of grids that were begun in a folder, in order."""
    return sorted(folder.glob(f"{HIDDEN}/grid-*/chunk-*.parquet"))


def points_of(chunk):
    """The points that a chunk has, by its name."""
    first, last = map(int, chunk.name.split("-")[1:3])
    return range(first, last)


def files(folder):
    """Every file in a folder and in its folders, with what is in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
