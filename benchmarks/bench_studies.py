"""Studies: a million samples on one core, a thousand variations on two, and points together."""

from __future__ import annotations

from time import perf_counter, process_time

from benchmarks.measure import Report
from gough.compiler.native.threads import on_one_thread
from gough.studies import Outputs, Study
from gough.studies.grid import run_grid
from gough.studies.run import run_one

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
PAIRS = {
    "mass, base radius": ("robot.platform.mass", 100, 200, "robot.symmetric.base_radius", 0.7, 0.8),
    "both radii": (
        *("robot.symmetric.platform_radius", 0.47, 0.53),
        *("robot.symmetric.base_radius", 0.72, 0.78),
    ),
}
"""Two numbers of the robot, and between which values they are varied."""


def study(samples, quantities=("all",), variations=()):
    outputs = {"quantities": list(quantities)}
    data = {"samples": samples, "outputs": outputs, "variations": list(variations)}
    return Study.from_dict(MACHINING | data)


def seconds(call, repeats=3):
    """CPU time and time of a clock [s], the best of each; others may be at work on the machine."""
    call()  # compile, and touch memory
    found = []
    for _ in range(repeats):
        start = process_time(), perf_counter()
        call()
        found.append((process_time() - start[0], perf_counter() - start[1]))
    return tuple(map(min, zip(*found, strict=True)))


def pair_of_numbers(pair, quantities, shift):
    """A grid of 30 x 30 points of 201 samples; a shift makes its robots other ones."""
    first, *ends, second, least, greatest = pair
    axes = ((first, *ends), (second, least, greatest))
    variations = [
        {"parameter": path, "range": {"from": a * (1 + shift), "to": b * (1 + shift), "count": 30}}
        for path, a, b in axes
    ]
    return study(201, quantities, variations)


def points_together(report):
    """A point of a grid among others, and by itself, on one core in the same run."""
    for words, pair in PAIRS.items():
        for name, quantities in (("all quantities", ("all",)), ("as above", ENOUGH)):
            together, alone = [], []
            for repeat in range(4):  # the first compiles
                grid = pair_of_numbers(pair, quantities, 1e-4 * repeat)
                start = process_time()
                with on_one_thread():
                    run_grid(grid)
                together.append((process_time() - start) / 900)
                grid = pair_of_numbers(pair, quantities, -1e-4 * repeat)
                start = process_time()
                for index in range(0, 900, 31):
                    run_one(grid.variant(index), threads=1)
                alone.append((process_time() - start) / 30)
            one, many = min(alone[1:]), min(together[1:])
            what = f"a point of 30 x 30 ({words}), 201 samples, one core ({name})"
            report.at_least(what, one / many, 5, f"{1e3 * many:.2f} ms, by itself {1e3 * one:.2f}")


def large_grids(report):
    """A point of a large grid and one of a small grid, on one core in the same run."""
    taken = {4: [], 40: []}
    for repeat in range(3):  # with other robots each time
        for count, times in taken.items():
            masses = {"from": 100 + repeat, "to": 190 + repeat, "count": count}
            grid = study(1000, ENOUGH, [*VARIATIONS[:2], VARIATIONS[2] | {"range": masses}])
            start = process_time()
            with on_one_thread():
                run_grid(grid)
            times.append((process_time() - start) / (100 * count))
    small, large = (min(times) for times in taken.values())
    what = "a point of 4,000 of 1,000 samples, by one of 400, one core (as above)"
    report.at_most(what, large / small, 1.1, "x", f"{1e3 * large:.2f} ms")


def run():
    report = Report("Studies")
    lean, full = study(1_000_000, ENOUGH), study(1_000_000)
    what = "a million samples, one core: legs, forces, power, energy, margins, condition"
    report.at_most(what, seconds(lambda: run_one(lean, threads=1))[0], 1.5, "s of CPU time")
    what = "the same with all other quantities (the default)"
    report.at_most(what, seconds(lambda: run_one(full, threads=1))[0], 1.5, "s of CPU time")
    spent, waited = seconds(lambda: run_one(full, threads=2))
    report.at_most(f"{what}, two cores", waited, 1.5, "s", f"{spent:.2f} s of CPU time")
    for words, quantities in (("as above", ENOUGH), ("all quantities", Outputs().quantities)):
        grid = study(1000, quantities, VARIATIONS)
        report.at_most(
            f"1,000 variations of 1,000 samples, two cores ({words})",
            seconds(lambda: run_grid(grid), 2)[1],  # noqa: B023  (called at once)
            5,
            "s",
        )
    points_together(report)
    large_grids(report)
    report.show()


if __name__ == "__main__":
    run()
