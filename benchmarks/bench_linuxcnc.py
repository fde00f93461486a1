"""A hexapod's LinuxCNC component beside genhexkins: steps, errors and time of forward kinematics.

Needs LinuxCNC (halcompile, genhexkins.so), whose modules run here under a stub of its HAL.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import gough
from benchmarks.measure import best_times
from gough.exchange import export_machine

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "samples"))
from linuxcnc_kins import GENHEXKINS, HALCOMPILE, Kins, built

ROBOT = "kalani-2016"
MM, COUNT = 1000.0, 2000
TILTS = (0, 10, 30)  # deg
ANOTHER = 1e-3
"""An error [mm, deg] above this is another pose."""
STEPS = ((0.1, 0.01), (1, 0.1), (10, 1), (100, 10))
"""How far the last pose is from the one sought [mm, deg], along each axis."""


def both(folder: str) -> dict[str, Kins]:
    """The two, with the same geometry."""
    robot = gough.load(ROBOT)
    path, *_ = export_machine(robot, folder, "linuxcnc")
    module, _ = built(path)
    kins = {
        "Gough": Kins(module, path.stem.replace("_", "-"), folder),
        "genhexkins": Kins(GENHEXKINS, "genhexkins", folder),
    }
    ends = [
        MM * np.array([getattr(leg, end) for leg in robot.legs]) for end in ("base", "platform")
    ]
    for each in kins.values():
        each.set_joints(*ends)
        each.forward(np.zeros(16), np.zeros(6))  # the first call of genhexkins starts from zeros
    kins["genhexkins"].pin("max-error").value = 1e9  # 500 mm would refuse the farthest starts
    return kins


def measured(kins: Kins, world, joints, starts):
    """Steps of each search that found a pose, errors [mm, deg] of these, time [s] of a call."""
    steps, errors = list[int](), list[float]()
    for one, q, start in zip(world, joints, starts, strict=True):
        most = kins.pin("max-iterations", ctypes.c_uint32)
        most.value = 0  # last-iterations of genhexkins is that of a second search, for its page
        found, code = kins.forward(q, start)
        if code == 0:
            steps.append(most.value)
            errors.append(np.abs(found - one).max())

    def every_one():
        for q, start in zip(joints, starts, strict=True):
            kins.forward(q, start)

    (seconds,) = best_times(every_one, seconds=0.3)
    return steps, np.array(errors), seconds / len(world)


def run():
    if HALCOMPILE is None or not GENHEXKINS.exists():
        print("linuxcnc: needs LinuxCNC's halcompile and genhexkins.so, which are not here")
        return
    table = Table(
        title=f"Forward kinematics of {ROBOT}, {COUNT} poses a row: steps on average and at most, "
        "the largest\nerror \\[mm, deg], how many found another pose with the same joints, or none",
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    columns = "A B C up to,last pose off by,component,steps,most,largest error,another,none,a call"
    for column in columns.split(","):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        kins = both(folder)
        for tilt in TILTS:
            for way, angle in STEPS:
                rng = np.random.default_rng(0)
                reach = [150.0] * 3 + [tilt] * 3
                world = [0, 0, 1200, 0, 0, 0] + rng.uniform(-1, 1, (COUNT, 6)) * reach
                signs = rng.choice([-1.0, 1.0], (COUNT, 6))
                starts = world + signs * [way, way, way, angle, angle, angle]
                joints = [kins["Gough"].inverse(one) for one in world]
                for name, each in kins.items():
                    steps, errors, seconds = measured(each, world, joints, starts)
                    right = errors < ANOTHER
                    table.add_row(
                        f"{tilt} deg", f"{way:g} mm, {angle:g} deg", name,
                        f"{np.mean(steps):.2f}", f"{max(steps)}", f"{max(errors[right]):.0e}",
                        f"{(~right).sum()}", f"{COUNT - len(steps)}", f"{seconds * 1e6:.0f} us",
                    )  # fmt: skip
    Console(width=120).print(table)
