"""Benchmarks of multibody dynamics that others published, with all joints as coordinates.

A02 and A04 of the IFToMM library [González et al. 2006, Multibody System Dynamics 16]: two
four-bars side by side, which pass flat positions, and the overconstrained loop of Bricard;
10 s each. OpenSim 3.2 took 0.455 and 0.258 s on a Core i5-4570 (MBSbenchmarksInOpenSim).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import gough
from benchmarks.measure import Report, best_times
from gough.arrays import Array
from gough.motion import hold
from gough.simulation import open_loop, real_plant
from gough.simulation.paths import path_of
from gough.simulation.scenario import Run

DURATION = 10.0
OPENSIM = {"A02": 0.455, "A04": 0.258}
"""CPU time [s] of the same 10 s."""


def rod(name: str, start: Array, end: Array, width: float = 0.0) -> dict[str, Any]:
    """A uniform rod of 1 kg and 1 m, with a square section of a width [m]."""
    line = end - start
    along, across = width**2 / 6, (1 + width**2) / 12
    inertia = across * np.eye(3) + (along - across) * np.outer(line, line)
    center = (start + end) / 2
    return {
        "name": name,
        "mass": 1.0,
        "center_of_mass": center.tolist(),
        "inertia": inertia.tolist(),
    }


def machine(
    name: str, moves: list[str], bodies: list[dict[str, Any]], joints: list[Any]
) -> gough.Robot:
    """A mechanism of rods, of which the first is the platform, and hinges."""
    first, *others = bodies
    position = first.pop("center_of_mass")
    first.pop("name")
    platform = {**first, "home": {"position": position}, "moves": moves}
    names = ("name", "between", "at", "axis")
    hinges = [dict(zip(names, joint, strict=True)) | {"type": "R"} for joint in joints]
    hinges[0]["driven"] = True
    parts = {"platform": platform, "bodies": others, "joints": hinges}
    return gough.Robot.from_dict(
        {"schema": "gough/2", "name": name, "gravity": [0, -9.81, 0], **parts}
    )


def two_four_bars() -> gough.Robot:
    """A02: three rockers, upright at first, and two couplers."""
    feet = [np.array([float(k), 0.0, 0.0]) for k in range(3)]
    heads = [foot + [0.0, 1.0, 0.0] for foot in feet]
    up = [0, 0, 1]
    bodies = [rod("first", heads[0], heads[1]), rod("second", heads[1], heads[2])]
    bodies += [rod(f"rocker {k}", feet[k], heads[k]) for k in range(3)]
    joints = [(f"A{k}", ["base", f"rocker {k}"], feet[k].tolist(), up) for k in range(3)]
    joints += [
        ("B0", ["rocker 0", "platform"], heads[0].tolist(), up),
        ("B1", ["rocker 1", "platform"], heads[1].tolist(), up),
        ("C1", ["rocker 1", "second"], heads[1].tolist(), up),
        ("C2", ["rocker 2", "second"], heads[2].tolist(), up),
    ]
    return machine("A02", ["x"], bodies, joints)


def bricard() -> gough.Robot:
    """A04: five rods along the edges of a cube, whose sixth edge is the base."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    axes = [[0, 1, 0], [0, 0, 1], [1, 0, 0]] * 2
    names = ["platform", "rod 2", "rod 3", "rod 4", "rod 5"]
    bodies = [rod(name, corners[k], corners[k + 1], 0.1) for k, name in enumerate(names)]
    pairs = zip(["base", *names], [*names, "base"], strict=True)
    joints = [(f"J{k}", list(pair), corners[k].tolist(), axes[k]) for k, pair in enumerate(pairs)]
    return machine("A04", ["ry"], bodies, joints)


def scenarios() -> Iterator[gough.Scenario]:
    """Yield both cases, free of all forces but weights."""
    for robot, twist in ((two_four_bars(), [1.0, 0, 0, 0, 0, 0]), (bricard(), [0.0] * 6)):
        ideal = {"drives": False, "joint_friction": False, "stops": False}
        plant = real_plant(robot, coordinates="joints", **ideal)
        start, motion = (np.array(robot.home), np.array(twist)), hold(robot.home, DURATION)
        yield gough.Scenario(robot, open_loop(0.0), motion, plant=plant, start=start)


def run() -> None:
    """Print how well the energy is kept, and what it takes beside OpenSim."""
    report = Report("Published benchmarks of multibody dynamics, 10 s at 1 kHz")
    for scenario in scenarios():
        name, prepared = scenario.robot.name, Run.of(scenario)
        results = gough.simulate(scenario)  # compiled
        stored = results["stored_energy"]
        off = np.ptp(stored.sum(axis=-1)) / stored[:, 0].max()
        (integration,) = best_times(lambda run=prepared: path_of(run), seconds=0.5)
        (all_of_it,) = best_times(lambda given=scenario: gough.simulate(given), seconds=1.0)
        report.at_most(f"{name}: energy off, of the maximum kinetic energy", off, 1e-9, "")
        ratio = OPENSIM[name] / integration
        report.at_least(
            f"{name}: OpenSim's time over ours", ratio, 20, f"{1e3 * integration:.0f} ms"
        )
        report.fact(f"{name}: with all results", f"{1e3 * all_of_it:.0f} ms")
    report.show()
