"""Make the plots and numbers of the simulations in reproductions.md and simulation.md.

Run `python docs/make_simulations.py`; the numbers in the tables are printed.
"""

from __future__ import annotations

import sys
from itertools import cycle, product
from pathlib import Path
from time import perf_counter

import bingul_jacobians
import numpy as np
from make_reproductions import save, tidy
from matplotlib.figure import Figure

import gough
from gough.kinematics import Model
from gough.plots import LEG_COLOURS
from gough.poses import difference
from gough.simulation import Adaptive, Stepper, integrate, rigid_plant
from gough.studies import Comparison

STUDIES = Path(__file__).parents[1] / "studies" / "simulation"


def compared(name: str) -> Comparison:
    """The runs of a study with cases, its table printed."""
    found = gough.run(STUDIES / f"{name}.toml")
    assert isinstance(found, Comparison)
    print(f"\n{name}")
    for heading, cells in found.table.items():
        texts = (cell if isinstance(cell, str) else f"{cell:.4g}" for cell in cells)
        print(f"  {heading:28s}", *(f"{text:>28s}" for text in texts))
    return found


def bingul() -> None:
    """Figs. 11 to 13: lengths of two legs, wanted and reached."""
    figure = Figure(figsize=(12, 5.6), layout="constrained")
    panels = figure.subplots(2, 3, sharex=True)
    for k in range(3):
        found = compared(f"bingul-open-loop-{k + 1}")
        first = next(iter(found.runs.values()))
        middle = Model(first.robot).inverse_kinematics(first.robot.home)
        for axis, leg in zip(panels[:, k], (0, 3), strict=True):
            wanted = first["leg_length"] + first["leg_length_error"]
            axis.plot(first.time, 1e3 * (wanted - middle)[:, leg], "k--", label="reference")
            for (case, run), colour in zip(found.runs.items(), LEG_COLOURS, strict=False):
                length = 1e3 * (run["leg_length"] - middle)[:, leg]
                axis.plot(run.time, length, color=colour, label=case, linewidth=1.2)
            tidy(axis, "time [s]" if leg else "", f"leg {leg + 1} [mm]" if k == 0 else "")
        panels[0, k].set_title(f"experiment {k + 1} (Fig. {11 + k})", fontsize=10)
    panels[0, 2].legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "bingul-open-loop")


def kalani() -> None:
    """Case 2, inverse and then direct: errors of the pose."""
    found = compared("kalani-round-trip")
    figure = Figure(figsize=(7, 3.4), layout="constrained")
    axis = figure.subplots()
    for (case, run), colour in zip(found.runs.items(), LEG_COLOURS, strict=False):
        error = np.abs(run["pose_error"]).max(axis=1)
        axis.semilogy(run.time[1:], error[1:], color=colour, label=case)
        at = ", ".join(f"{error[100 * t]:.1g} after {t} s" for t in (3, 4))
        print(f"  {case}: {at}, {run.time[-1]:.4g} s long")
    tidy(axis, "time [s]", "maximum error of the pose [m, rad]")
    axis.legend(frameon=False)
    save(figure, "kalani-round-trip")


def over_time(name: str, quantity: str, scale: float, words: str) -> Comparison:
    """One quantity of all cases of a study: its size, where it has several numbers."""
    found = compared(name)
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    axis = figure.subplots()
    for (case, run), colour in zip(found.runs.items(), cycle(LEG_COLOURS), strict=False):
        values = run[quantity]
        size = values if values.ndim == 1 else np.linalg.norm(values[:, :3], axis=1)
        axis.plot(run.time, scale * size, color=colour, label=case, linewidth=1.3)
    tidy(axis, "time [s]", words)
    axis.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, name)
    return found


def active_damping() -> None:
    """Draw the oscillation of a platform after an impact, and its decay."""
    found = compared("demo-active-damping")
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    axis = figure.subplots()
    for (case, run), colour in zip(found.runs.items(), LEG_COLOURS, strict=False):
        way = 1e6 * (run["pose"][:, 0] - run["pose"][0, 0])
        axis.plot(run.time, way, color=colour, label=case, linewidth=1.3)
        late = np.abs(way[run.time > 0.4]).max()
        print(f"  {case}: x swings by {np.abs(way).max():.1f} um, after 0.4 s by {late:.2f} um")
    tidy(axis, "time [s]", "x of the platform [µm]")
    axis.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "demo-active-damping")


def joints() -> None:
    """Print errors and times of RK4 in the pose and in the driven joints, of a free motion."""
    robot = gough.load("kalani-2016").replace({"gravity": [0, 0, 9.81]})
    plant, force = rigid_plant(robot), Model(robot).inverse_dynamics(robot.home)
    twist, seconds = [0.05, -0.03, 0.02, 0.1, 0.2, -0.1], 10.0
    start, exactly = plant.start(robot.home, twist), Adaptive(rtol=1e-13, atol=1e-14)
    exact = integrate(plant, start, [0.0, seconds], force, integrator=exactly).pose[-1]
    for period, joint_space in product((1e-3, 1e-2), (False, True)):
        stepper, steps = Stepper(plant, period, joint_space=joint_space), round(seconds / period)
        stepper.reset(robot.home, twist)
        begin = perf_counter()
        for _ in range(steps):
            stepper.step(force)
        each = 1e6 * (perf_counter() - begin) / steps
        off = np.abs(difference(exact, stepper.state[:7])).reshape(2, 3).max(axis=1)
        space = "joints" if joint_space else "pose"
        print(f"{period:g} s, {space}: {off[0]:.1g} m, {off[1]:.1g} rad, {each:.0f} us a step")


def pressing() -> None:
    """Print how a mirror and a surface with a limit are pressed; draw the contact forces."""
    for name, least in (("demo-mirror-polishing", 1.5), ("demo-impact-limit", 3.0)):
        for case, run in over_time(name, "contact_force", 1.0, "contact force [N]").runs.items():
            force, touched = run["contact_force"], int(np.argmax(run["contact_force"] > 0))
            late = force[run.time > run.time[touched] + least]
            speed = 1e3 * run["twist"][touched, 2]
            print(f"  {case}: touches at {speed:.1f} mm/s, peak {force.max():.0f} N", end="")
            print(f", {least} s later {late.min():.1f} to {late.max():.1f} N")


def valves() -> None:
    """Print how a platform swings before and after valves change the mode of its legs."""
    run = gough.run(STUDIES / "demo-valves.toml")
    figure = Figure(figsize=(8.4, 3.0), layout="constrained")
    axis = figure.subplots()
    way = 1e6 * (run["pose"][:, 0] - run["pose"][0, 0])
    axis.plot(run.time, way, color=LEG_COLOURS[0], linewidth=1.1)
    axis.axvline(1.0, color="grey", linestyle=":")
    tidy(axis, "time [s]", "x of the platform [µm]")
    save(figure, "demo-valves")
    for start in (0.5, 1.5):
        part = (run.time >= start) & (run.time < start + 0.5)
        print(f"demo-valves from {start} s: x within {np.ptp(way[part]):.0f} um")


def main() -> None:
    """Everything, or `joints` alone."""
    if sys.argv[1:] == ["joints"]:
        joints()
        return
    bingul()
    bingul_jacobians.main()
    kalani()
    over_time("baiges-force-step", "pose_error", 1e3, "position error [mm]")
    compared("baiges-feed-forward")
    over_time("demo-wrong-payload", "pose_error", 1e3, "position error [mm]")
    over_time("delta-adept-cycle", "pose_error", 1e3, "position error [mm]")
    over_time("demo-implicit-force", "contact_force", 1.0, "contact force [N]")
    active_damping()
    joints()
    pressing()
    valves()


if __name__ == "__main__":
    main()
