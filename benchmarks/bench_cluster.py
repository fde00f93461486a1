"""A Dask cluster of two workers on this machine: the same bits, its cost, who may be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from logging import CRITICAL
from pathlib import Path
from statistics import median
from threading import Event, Thread

import numpy as np
import psutil
import tomli_w
from distributed import Client, LocalCluster

import gough
from benchmarks.bench_studies import ENOUGH, MACHINING, VARIATIONS, study
from benchmarks.measure import Report
from gough.disk.tables import read_table
from gough.executors import ChunkRecord, Cluster, in_chunks, sweep
from gough.executors.workers import run_received, versions_here
from gough.studies.grid import GridRows, run_grid

DESIGNS, POSES, BLOCK = 100_000, 100, 256
TASKS = 500
LIFT = VARIATIONS[1:]
"""A hundred points."""


@dataclass(frozen=True)
class Designs:
    """The largest force over poses, of machines with other joints and platforms: a job."""

    model: gough.Model

    def __call__(self, items):
        """A row for each design; a few at a time, so that memory does not depend on time."""
        blocks = [items[k : k + BLOCK] for k in range(0, len(items), BLOCK)]
        return {"peak_force [N]": np.concatenate([self._peaks(np.array(b)) for b in blocks])}

    def _peaks(self, designs):
        names, home = self.model.parameter_names, np.array(self.model.robot.home)
        shares = np.modf(np.outer(designs + 1, [0.8191725, 0.6710436, 0.5497005]))[0]
        numbers = np.tile(self.model.parameters, (len(designs), 1))
        for share, end in zip(shares.T, (".base.x", ".base.y", "platform.mass"), strict=True):
            columns = [k for k, name in enumerate(names) if name.endswith(end)]
            numbers[:, columns] *= 0.9 + 0.2 * share[:, None]
        poses = np.tile(home, (POSES, 1))
        poses[:, :3] += 0.05 * np.sin(np.arange(POSES)[:, None] * [1.0, 1.7, 2.3])
        forces = self.model.inverse_dynamics(numbers[:, None], poses)
        return np.abs(forces).max((1, 2))


@dataclass(frozen=True)
class Still:
    """A job that has a model and does nothing."""

    model: gough.Model
    number: int

    def __call__(self, items):
        """Only have the kernel."""
        return self.model.inverse_dynamics.name


def core_seconds(processes, work, idle=0.0):
    """What work takes of these processes [s], without what they take in any second."""
    before, begun = _taken(processes), time.perf_counter()
    work()
    return _taken(processes) - before - idle * (time.perf_counter() - begun)


def _taken(processes):
    """The core seconds of processes until now."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


@contextmanager
def most_memory(processes):
    """A list that has, afterwards, the most memory of one of these processes [bytes]."""
    found, end = [0], Event()

    def look():
        done = False
        while not done:
            done = end.wait(0.02)
            found[0] = max(found[0], *(process.memory_info().rss for process in processes))

    thread = Thread(target=look)
    thread.start()
    yield found
    end.set()
    thread.join()


def costs(report, client, everybody):
    """What workers take to begin; then the same grids here and there."""
    large, small = grid_of(3000, 40), grid_of(1000, 4)
    rows = GridRows(small.points, small.variations, small.robot)
    rows(range(4))  # compiled, and kept on disk
    client.run(rows, range(4))
    begin = _taken(everybody[1:]) / len(everybody[1:])
    words = "a worker's core seconds from its start until it has its first points"
    report.fact(words, f"{begin:.2f}")
    idle = core_seconds(everybody, lambda: time.sleep(IDLE)) / IDLE
    alone, together = both_ways(report, client, everybody, idle, large)
    words = "  core seconds of scheduler, client and workers, by those in process"
    report.at_most(words, together / alone, 1.10, "x", f"{alone:.2f} s")
    alone, together = both_ways(report, client, everybody, idle, small)
    report.fact(f"  the same  ({alone:.2f} s)", f"{together / alone:.3g} x")
    report.fact("  without what they take in a second, idle or not", f"{idle:.3f}")


def grid_of(samples, masses):
    """A study with ten durations, ten payloads and so many masses of the platform."""
    platform = VARIATIONS[2] | {"range": {"from": 100, "to": 190, "count": masses}}
    return study(samples, ENOUGH, [*VARIATIONS[:2], platform])


def both_ways(report, client, everybody, idle, grid):
    """Core seconds of a grid in process and on the cluster, the least of some tries of each."""
    found = {}

    def run(executor):
        found[executor] = run_grid(grid, executor=executor)

    tries = [
        [core_seconds(everybody, partial(run, executor), idle) for executor in (None, client)]
        for _ in range(TRIES)
    ]
    here, there = found.values()
    same = all(np.array_equal(here[name], there[name]) for name in here)
    points = f"a grid of {here.singularities.size:,} points of {grid.samples:,} samples"
    report.fact(f"{points}: the same bits", told_as(same))
    return np.min(tries, axis=0)


def told_as(good):
    """A word."""
    return "yes" if good else "NO"


TRIES, IDLE = 2, 5.0


def set_up(report, client):
    """Jobs that workers have not seen, of a robot that they know."""
    model = gough.Model(gough.load("demo-hexapod"), parametric=True)
    jobs = (Still(model, number) for number in range(20))
    taken = [chunk.set_up for job in jobs for chunk in in_chunks(job, range(1), executor=client)]
    report.at_most("set-up of a second task with a model", 1e3 * median(taken[2:]), 5, "ms")


def rates(report, client, everybody):
    """Many evaluations, on disk as they come."""
    job = Designs(gough.Model(gough.load("demo-hexapod"), parametric=True))
    with tempfile.TemporaryDirectory() as folder:
        few, record = (ChunkRecord(Path(folder) / name, name) for name in ("few", "all"))
        with most_memory(everybody) as before:
            sweep(job, DESIGNS // 10, few, executor=client)
        with most_memory(everybody) as memory:
            taken = core_seconds(everybody, lambda: sweep(job, DESIGNS, record, executor=client))
        size = sum(path.stat().st_size for path in record.files)
        here = ChunkRecord(None, "here")
        sweep(job, DESIGNS // 10, here)
        same = rows_of(here) == rows_of(few)
    report.fact("10^7 evaluations, 100 poses of 10^5 designs: the same bits", told_as(same))
    words = "  most memory of a process, by that for a tenth of them"
    report.at_most(words, memory[0] / before[0], 1.2, "x", f"{memory[0] / 1e6:.0f} MB")
    report.fact("  core seconds for a design", f"{1e6 * taken / DESIGNS:.1f} us")
    report.fact("  bytes on disk for a design", f"{size / DESIGNS:.1f}")


def rows_of(record):
    """All numbers of a record, in order."""
    tables = [read_table(content, Path()) for _, content in record]
    return np.concatenate([table["peak_force [N]"] for table in tables]).tobytes()


def tasks(report, client, everybody):
    """What a chunk costs that does nothing; the scheduler is in this process."""
    with Cluster(client) as cluster:

        def work():
            here = versions_here()
            futures = [cluster.submit(run_received, here, EMPTY, k) for k in range(TASKS)]
            assert [future.result().result for future in futures] == list(range(TASKS))

        apart = everybody[:1], everybody[1:]
        own, workers = (1e3 * core_seconds(some, work) / TASKS for some in apart)
    report.fact("core seconds for an empty chunk, scheduler and client", f"{own:.2f} ms")
    report.fact("  and worker", f"{workers:.2f} ms")


EMPTY = b"\x80\x04\x95\x14\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins\x94\x8c\x03abs\x94\x93\x94."
"""The function abs, pickled."""


def killed(report, address, workers):
    """The command and a worker are killed; then the command is run again."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "study.toml"
        outputs = {"quantities": list(ENOUGH), "report": False}
        file.write_text(tomli_w.dumps({**MACHINING, "samples": 2000, "outputs": outputs,
                                       "variations": LIFT}))  # fmt: skip
        run = [sys.executable, "-m", "gough", "run", file, "-o"]
        there = ["--cluster", address]
        subprocess.run([*run, f"{place}/whole"], check=True, capture_output=True)
        command = subprocess.Popen([*run, f"{place}/killed", *there], stdout=subprocess.DEVNULL)
        while len(list(Path(place).glob("killed/.gough/*/chunk-*"))) < 4:
            time.sleep(0.01)
        os.kill(workers[0], signal.SIGKILL)
        command.kill()
        command.wait()
        done = sum(1 for _ in Path(place).glob("killed/.gough/*/chunk-*"))
        subprocess.run([*run, f"{place}/killed", *there], check=True, capture_output=True)
        files = [{p.name: p.read_bytes() for p in Path(place, name).rglob("*") if p.is_file()}
                 for name in ("whole", "killed")]  # fmt: skip
    words = f"after {done} chunks, then run again: the same files"
    report.fact(f"worker and client killed {words}", told_as(files[0] == files[1]))


def run() -> None:
    """Measure and print."""
    report = Report("A Dask cluster of two workers on this machine")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=CRITICAL
        ) as local,
        Client(local, set_as_default=False) as client,
    ):
        workers = list(client.run(os.getpid).values())
        everybody = [psutil.Process(), *map(psutil.Process, workers)]
        costs(report, client, everybody)
        set_up(report, client)
        tasks(report, client, everybody)
        rates(report, client, everybody)
        killed(report, client.scheduler.address, workers)
    report.show()


if __name__ == "__main__":
    run()
