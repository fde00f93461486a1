"""A01, A02 and A04 of the IFToMM library of multibody benchmarks, with all joints as coordinates.

[González et al. 2006, Multibody System Dynamics 16]: a pendulum, two four-bars side by side, which
pass flat positions, and the overconstrained loop of Bricard; 10 s each. OpenSim 3.2 "required"
0.637, 0.455 and 0.258 s on a Core i5-4570 (MBSbenchmarksInOpenSim): of what, and how exactly, is
not said there. The order and the step of Runge and Kutta's method are those that keep the energy to
1e-9 in the shortest time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import ellipj, ellipk

import gough
from benchmarks.published.comparison import Comparison, cpu_time
from gough.arrays import Array
from gough.motion import hold
from gough.simulation import Sampling, open_loop, real_plant
from gough.simulation.scenario import Run

DURATION = 10.0
OPENSIM = {"A01": 0.637, "A02": 0.455, "A04": 0.258}
"""Stated time [s] for the same 10 s."""
STEPS = {"A01": (4, 2e-3), "A02": (6, 6.25e-3), "A04": (6, 4e-3)}
"""Orders of the method, and steps [s]."""
SOURCE = "IFToMM library of benchmarks; times of OpenSim 3.2"


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


def pendulum() -> gough.Robot:
    """A01: a point of 1 kg on a bar of 1 m, level at first."""
    bob = {"mass": 1.0, "inertia": [0, 0, 0], "home": {"position": [-1, 0, 0]}, "moves": ["rz"]}
    hinge = {"name": "hinge", "type": "R", "between": ["base", "platform"], "driven": True}
    hinge |= {"at": [0, 0, 0], "axis": [0, 0, 1]}
    parts = {"platform": bob, "joints": [hinge]}
    return gough.Robot.from_dict(
        {"schema": "gough/2", "name": "A01", "gravity": [0, -9.81, 0], **parts}
    )


def swinging(time: float) -> Array:
    """Place (2) [m] of the pendulum's point by Jacobi's functions: sin(θ/2) = k sn(K - w t)."""
    m, w = 0.5, np.sqrt(9.81)  # k² = sin²(θ₀/2) with θ₀ = 90 degrees from the lowest place
    angle = 2 * np.arcsin(np.sqrt(m) * ellipj(ellipk(m) - w * time, m)[0])
    return np.array([-np.sin(angle), -np.cos(angle)])


def scenarios() -> Iterator[gough.Scenario]:
    """Yield the cases, free of all forces but weights."""
    pushed = [1.0, 0, 0, 0, 0, 0]
    for robot, twist in (
        (pendulum(), [0.0] * 6),
        (two_four_bars(), pushed),
        (bricard(), [0.0] * 6),
    ):
        ideal = {"drives": False, "joint_friction": False, "stops": False}
        plant = real_plant(robot, coordinates="joints", **ideal)
        order, step = STEPS[robot.name]
        start, motion = (np.array(robot.home), np.array(twist)), hold(robot.home, DURATION)
        yield gough.Scenario(
            robot, open_loop(0.0), motion, plant=plant, start=start,
            sampling=Sampling(period=step, order=order),
        )  # fmt: skip


def energy_off(results: gough.Results) -> float:
    """By how much the energy that is stored changes, as a share of the maximum kinetic energy."""
    stored = results["stored_energy"]
    return float(np.ptp(stored.sum(axis=-1)) / stored[:, 0].max())


def integration_time(scenario: gough.Scenario) -> float:
    """CPU time [s] of a scenario's integration, from a state that is assembled."""
    run = Run.of(scenario)
    loop = run.loop
    assert loop is not None
    start = loop.start(*run.initial)
    return cpu_time(lambda: loop.run(start, run.reference, wrench=run.acting))


def compared() -> Iterator[Comparison]:
    """Yield how well energy is kept, where the pendulum is, and the times beside OpenSim's."""
    for scenario in scenarios():
        name, results = scenario.robot.name, gough.simulate(scenario)
        off, spent = energy_off(results), integration_time(scenario)
        yield Comparison(name, "energy kept, of the maximum kinetic", SOURCE, 0.0, off, off, spent)
        if name == "A01":
            source = "Jacobi's elliptic functions"
            pairs = zip("xy", swinging(DURATION), results["pose"][-1, :2], strict=True)
            for axis, exact, ours in pairs:
                error = abs(ours - exact)
                yield Comparison(name, f"{axis} at 10 s [m]", source, exact, ours, error, spent)
        yield Comparison(name, "time for 10 s [s]", SOURCE, OPENSIM[name], spent, None, spent)
