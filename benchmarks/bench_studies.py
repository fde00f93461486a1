"""Studies: a million samples on one core, and a thousand variations on two."""

from __future__ import annotations

from time import perf_counter

from benchmarks.measure import Report
from gough.studies.grid import run_grid
from gough.studies.run import run_one
from gough.studies.study import Outputs, Study

MACHINING = {
    "schema": "gough-study/1",
    "name": "bench",
    "robot": "demo-hexapod",
    "motion": {
        "kind": "expression",
        "duration": 10,
        "x": "0.06*sin(0.7*t)",
        "y": "0.05*cos(1.1*t)",
        "z": "0.99 + 0.03*sin(2*t)",
        "roll": "0.05*sin(t)",
        "pitch": "0.06*cos(1.3*t)",
        "yaw": "0.04*sin(0.9*t)",
    },
    "tasks": [
        {"kind": "payload", "mass": 20, "center_of_mass": [0, 0, 0.2]},
        {"kind": "machining", "force": 300, "lever": 0.25},
    ],
}
ENOUGH = ("legs", "forces", "margins", "singularity")
VARIATIONS = [
    {"parameter": "motion.duration", "range": {"from": 5, "to": 14, "count": 10}},
    {"parameter": "tasks[0].mass", "range": {"from": 10, "to": 55, "count": 10}},
    {"parameter": "robot.platform.mass", "range": {"from": 100, "to": 190, "count": 10}},
]


def study(samples, quantities=("all",), variations=()):
    outputs = {"quantities": list(quantities)}
    data = {"samples": samples, "outputs": outputs, "variations": list(variations)}
    return Study.from_dict(MACHINING | data)


def seconds(call, repeats=3):
    call()  # compile, and touch memory
    best = float("inf")
    for _ in range(repeats):
        start = perf_counter()
        call()
        best = min(best, perf_counter() - start)
    return best


def run():
    report = Report("Studies")
    lean, full = study(1_000_000, ENOUGH), study(1_000_000)
    report.at_most(
        "a million samples, one core: legs, forces, power, energy, margins, condition",
        seconds(lambda: run_one(lean, threads=1)),
        2,
        "s",
    )
    report.at_most(
        "the same with all other quantities (the default)",
        seconds(lambda: run_one(full, threads=1)),
        2,
        "s",
    )
    for words, quantities in (("as above", ENOUGH), ("all quantities", Outputs().quantities)):
        grid = study(1000, quantities, VARIATIONS)
        report.at_most(
            f"1,000 variations of 1,000 samples, two cores ({words})",
            seconds(lambda: run_grid(grid, threads=2), 2),  # noqa: B023  (called at once)
            5,
            "s",
        )
    report.show()


if __name__ == "__main__":
    run()
