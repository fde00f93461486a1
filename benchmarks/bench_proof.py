"""Proofs over boxes of poses: what they take, in processor time of one process.

Machine code is made already. Bounds of kernels against samples: `bench_enclosures`.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter, process_time

import numpy as np

import gough
from benchmarks.measure import Report
from benchmarks.proof_cases import CASES, counted
from gough.executors import opened


def timed(call):
    """Return what a call gives, and its processor time [s] when it is made again."""
    call()
    start = process_time()
    return call(), process_time() - start


def run():
    """Measure proofs, and print a table."""
    report = Report("Proofs over boxes of poses")
    robot, half = gough.load("demo-hexapod"), ([0.05] * 3, [np.radians(5)] * 3)
    zones = {f"legs[*].{key}": 50e-6 for key in ("base", "platform", "length_offset")}
    for aim, options in ((20, {}), (60, {"tolerances": zones})):
        proof, seconds = timed(partial(gough.prove, robot, *half, **options))
        words = f"{proof.verdict}, {len(proof.proved)} boxes, {len(proof.tolerances)} tolerances"
        report.at_most("demo-hexapod ± 50 mm, ± 5°, all limits", seconds, aim, "s", words)
    delta, states = gough.load("delta"), {"twist": 1.0, "acceleration": 98.1, "wrench": 10.0}
    proof, seconds = timed(partial(gough.prove, delta, [0.1, 0.1, 0.05], **states))
    words = f"{proof.verdict}, {len(proof.proved)} boxes"
    row = "delta ± 0.1 0.1 0.05 m, all limits, 1 m/s, 10 g, 10 N in every direction"
    report.at_most(row, seconds, 5, "s", words)
    built = {"legs[*].base": "0.1 mm", "legs[*].links[*].length": "50 um",
             "legs[*].links[*].mass": "1 g"}  # fmt: skip
    call = partial(gough.prove, delta, [0.1, 0.1, 0.05], **states, tolerances=built)
    proof, seconds = timed(call)
    words = f"{proof.verdict}, {len(proof.proved)} boxes, {len(proof.tolerances)} tolerances"
    report.fact("the same of all Deltas within tolerances", f"{seconds:.1f} s ({words})")
    walls, sharp = [], gough.kinematics.Limits(max_condition=4.0)
    for workers in (1, 2):
        with opened(workers) as executor:
            call = partial(gough.prove, robot, *half, limits=sharp, executor=executor)
            call()
            start = perf_counter()
            call()
            walls.append(perf_counter() - start)
    times = " s, ".join(f"{wall:.1f}" for wall in walls)
    report.fact("demo-hexapod, condition number ≤ 4, by one and by two workers", f"{times} s")
    found = counted()
    words = ", ".join(f"{found[key]} {key}" for key in sorted(found) if found[key])
    report.fact(f"{CASES} random boxes of random hexapods", words)
    report.at_most("those proved that a sample contradicts", found["contradicted"], 0, "")
    report.at_most("refuted ones that hold with 50 digits", found["not violated"], 0, "")
    report.show()
