"""Starts and methods of forward kinematics, compared as in Kalani 2016, Table 1 and Fig. 6.

`python -m benchmarks.forward_table [ROBOT] [--samples N] [--seed N] [--plot FILE]` trains the
network of the robot first, if there is none yet (needs scikit-learn), and prints the tables.

The paper counts iterations until the largest change of any coordinate is below E_max. Its table is
for a path of 201 poses and E_max = 1e-12; its figure for 201 random poses and four accuracies. Here
the random poses come from the box that `samples` describes, and there may be more of them.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.forward_table_plot import save_study_plot
from gough.arrays import Array
from gough.cli.output import console, print_tables
from gough.display import Table
from gough.display.brief import brief
from gough.errors import GoughError
from gough.kinematics.forward.forward import ForwardKinematics, Method, forward_kinematics
from gough.kinematics.forward.neural import network
from gough.kinematics.model import Model
from gough.kinematics.samples import random_poses, within_strokes
from gough.kinematics.size import machine_size
from gough.model.kernels import Kernels
from gough.poses import distance, pose
from gough.poses.quaternions import of_euler, product
from gough.progress import progress_bar, shows_progress
from gough.robot import Robot, load

ACCURACIES = (1e-3, 1e-4, 1e-5, 1e-6)
"""E_max of Kalani's Fig. 6."""
TABLE_ACCURACY = 1e-12
"""E_max of Kalani's Table 1."""
POSES = 201
REPEATS = 5
AT_MOST = 50

# Kalani's 4 s path and his first guesses, as offsets from (0, 0, 1): machine sizes, and the angles
# about x, y, z [rad]. The first guess is printed with seven numbers, one 0.15 too many.
PATH = (0.1, 0.2, 0.2, 0.25, 0.15, 0.25)
GUESSES = (
    (0.06, 0.12, 0.12, 0.15, 0.11, 0.15),
    (0.0, 0.0, 0.0, 0.0, 0.15, 0.0),
    (0.09, 0.2, 0.2, 0.24, 0.034, 0.24),
)


@dataclass(frozen=True)
class Way:
    """A way to the pose: a name, where it starts and by which method it goes on."""

    name: str
    guess: Any
    method: Method


@dataclass(frozen=True)
class Measurement:
    """What one way took for one set of poses at one accuracy."""

    poses: str
    count: int
    way: str
    accuracy: float
    """E_max: the largest last step, in machine sizes and radians."""
    iterations: tuple[int, ...]
    """How many poses took 0, 1, 2, ... iterations."""
    right: float
    """Share of the poses that were found, to the accuracy."""
    time: float
    """Per pose, on one core, with the start and all Python around it [s]."""

    @property
    def mean_iterations(self) -> float:
        """N of the paper's table."""
        return float(np.average(np.arange(len(self.iterations)), weights=self.iterations))


@dataclass(frozen=True)
class ForwardStudy:
    """All measurements of a robot."""

    robot: str
    measurements: tuple[Measurement, ...]
    path_scale: float
    """The path's amplitude over the paper's: less than 1 if the strokes are too short for it."""

    __repr__ = brief

    def of(self, poses: str) -> list[Measurement]:
        """Those for one set of poses: "path", "random", "many"."""
        return [m for m in self.measurements if m.poses == poses]


@shows_progress
def forward_study(
    model: Kernels, *, samples: int = 100_000, seed: int = 0, progress: bool = False
) -> ForwardStudy:
    """Measure plain Newton, neural + Newton and neural + third order on the robot.

    Trains the robot's network if there is none yet. `progress` shows bars meanwhile.
    """
    if samples < 1:
        raise GoughError(f"samples is {samples}; expected at least 1")
    generator = np.random.default_rng(seed)
    random, many = (random_poses(model, n, generator) for n in (POSES, samples))
    path, scale = study_path(model)
    network(model.robot, progress=progress)
    hybrid = [
        Way("neural + Newton", "neural", "newton"),
        Way("neural + third order", "neural", "third-order"),
    ]
    guesses = [_offset_pose(model.robot, scale, guess) for guess in GUESSES]
    from_guesses = [Way(f"Newton, guess {k}", g, "newton") for k, g in enumerate(guesses, 1)]
    from_home = [Way("Newton", "home", "newton")]
    plan = [("path", path, way, TABLE_ACCURACY) for way in from_guesses + hybrid]
    for name, poses in (("random", random), ("many", many)):
        plan += [(name, poses, way, e) for e in ACCURACIES for way in from_home + hybrid]
    measured = []
    with progress_bar("measuring", len(plan)) as advance:
        for case in plan:
            measured.append(_measure(model, *case))
            advance(1)
    return ForwardStudy(model.robot.name, tuple(measured), scale)


def study_path(model: Kernels) -> tuple[Array, float]:
    """Kalani's path about the robot's home, (201, 7), and the share of it that fits the strokes."""
    phase = np.sin(2 * np.linspace(0, 4, POSES))[:, None]
    for scale in np.linspace(1, 0.05, 20):
        poses = _offset_pose(model.robot, float(scale), phase * PATH)
        if within_strokes(model, poses).all():
            return poses, float(scale)
    raise GoughError(
        f"{model.robot.name}: the strokes leave no room for the path about home; "
        "expected a home pose from which the platform can move"
    )


def _offset_pose(robot: Robot, scale: float, offset: Any) -> Array:
    """Home moved by an offset in machine sizes, and turned by angles about x, y, z [rad]."""
    moved, angles = scale * np.asarray(offset)[..., :3], scale * np.asarray(offset)[..., 3:]
    home = np.array(robot.home)
    turned = product(of_euler("XYZ", angles), home[3:])  # Kalani (1)
    return pose(home[:3] + machine_size(robot) * moved, quaternion=turned)


def _measure(model: Kernels, name: str, poses: Array, way: Way, accuracy: float) -> Measurement:
    q = model.inverse_kinematics(poses)

    def solve() -> ForwardKinematics:
        return forward_kinematics(
            model,
            q,
            way.guess,
            method=way.method,
            tolerance=accuracy,
            stride=np.inf,
            at_most=AT_MOST,
            threads=1,
        )

    found = solve()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        solve()
        times.append(time.perf_counter() - start)
    apart = distance(found.pose, poses, machine_size(model.robot))
    return Measurement(
        poses=name,
        count=len(poses),
        way=way.name,
        accuracy=accuracy,
        iterations=tuple(np.bincount(found.iterations).tolist()),
        right=float((apart <= accuracy).mean()),
        time=min(times) / len(poses),
    )


_COLUMNS = ("E_max", "start and method", "mean", "max", "iterations: %", "right %", "µs")


def show(study: ForwardStudy) -> None:
    """Print the tables."""
    scale = "" if study.path_scale == 1 else f", {study.path_scale:.2g} of its size"
    for poses, title in (
        ("path", f"The 4 s path of Kalani 2016{scale}: 201 poses (Table 1)"),
        ("random", "201 random poses (Fig. 6)"),
        ("many", f"{study.of('many')[0].count} random poses"),
    ):
        print_tables([Table.of(title, _COLUMNS, [_row(m) for m in study.of(poses)])])
    console.print("%: shares from 0.05 on; µs: per pose, on one core, with the start")


def _row(m: Measurement) -> tuple[object, ...]:
    shares = [100 * count / m.count for count in m.iterations]
    listed = "  ".join(f"{n}:{share:.1f}" for n, share in enumerate(shares) if share >= 0.05)
    return (
        f"{m.accuracy:.0e}",
        m.way,
        f"{m.mean_iterations:.2f}",
        str(len(m.iterations) - 1),
        listed,
        f"{100 * m.right:.6g}",
        f"{1e6 * m.time:.3f}",
    )


def main(arguments: list[str] | None = None) -> None:
    """Measure one robot and print."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.forward_table")
    asked.add_argument("robot", nargs="?", default="kalani-2016")
    asked.add_argument("--samples", type=int, default=100_000, help="random poses besides the 201")
    asked.add_argument("--seed", type=int, default=0, help="of the random poses")
    asked.add_argument("--plot", help="save the distributions (.png, .svg, .pdf)")
    found = asked.parse_args(arguments)
    model = Model(load(found.robot))
    study = forward_study(model, samples=found.samples, seed=found.seed, progress=True)
    show(study)
    if found.plot:
        save_study_plot(study, found.plot)


if __name__ == "__main__":
    main()
