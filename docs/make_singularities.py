"""Make the pictures and numbers of how-to/singularities.md: `python docs/make_singularities.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from make_figures import INK, PALE, PLATFORM, SETTINGS, arrow, plain
from make_reproductions import tidy
from matplotlib.figure import Figure

import gough
from gough.analysis import Results
from gough.motion import Motion, Quintic, motion_from_dict, rotation, with_profile
from gough.simulation import computed_torque, crossing_torque

FOLDER = Path(__file__).parent / "figures"
CROSSES, CANNOT = PLATFORM, "#c0392b"
GAINS = {"kp": 400.0, "kd": 40.0}
DOWN = {
    "kind": "line",
    "start": {"position": [0, 0.16, 0], "yaw": "-40 deg"},
    "displacement": [0, -0.12, 0],
    "duration": 0.25,
}


def save(figure: Figure, name: str) -> None:
    """Keep a picture as vectors."""
    with mpl.rc_context(SETTINGS):
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})


def five_bar_path(robot: gough.Robot) -> Motion:
    """Down through the pose in which both links lie in one line."""
    return motion_from_dict(DOWN, robot)


def hexapod_path(robot: gough.Robot) -> Motion:
    """A roll from 30 to 90 degrees: singular at 59.6."""
    ends = np.radians([30.0, 90.0])
    return rotation(robot.home, [1, 0, 0], robot.home[:3], ends, Quintic(0.5))


def bars(model: gough.Model, y: float) -> np.ndarray:
    """The joints of the five-bar with its tip at x = 0: base, elbow, tip, elbow, base."""
    pose = model.possible_pose(gough.pose([0, y, 0], rpy=[0, 0, -0.7])).pose
    left, right = model.inverse_kinematics(pose)
    bases = np.array([[-0.1, 0.0], [0.1, 0.0]])
    elbows = bases + 0.2 * np.array([[np.cos(a), np.sin(a)] for a in (left, right)])
    return np.array([bases[0], elbows[0], [0.0, y], elbows[1], bases[1]])


def draw_poses(axis: Any, model: gough.Model, middle: float) -> None:
    """The five-bar before, in and behind its singular pose, and what escapes there."""
    for y, colour, width in ((0.16, PALE, 2), (0.04, PALE, 2), (middle, INK, 3)):
        line = bars(model, y)
        axis.plot(*line.T, color=colour, lw=width, marker="o", markersize=4, zorder=width)
    for way in (-1, 1):
        arrow(axis, (0, middle), (0, middle + 0.05 * way), CANNOT, lw=2)
    axis.text(0.015, middle + 0.016, "escapes", color=CANNOT, va="center")
    plain(axis, "flat links: no motor feels y")


def forces_of_laws() -> None:
    """The five-bar: its poses, both laws, and the torques that they take."""
    robot = gough.load("five-bar")
    model, path = gough.Model(robot), five_bar_path(robot)
    found = gough.crossing_motion(robot, path, DOWN["duration"])
    figure = Figure(figsize=(10.5, 3.3), layout="constrained")
    drawn, ways, torques = figure.subplots(1, 3, width_ratios=(1, 1, 1.3))
    draw_poses(drawn, model, found.poses[0, 1])
    t = np.linspace(0, DOWN["duration"], 2001)
    for profile, colour, words in (
        (found.profile, CROSSES, "can cross"),
        (Quintic(DOWN["duration"]), CANNOT, "quintic, cannot"),
    ):
        motion = with_profile(found.motion, profile)
        ways.plot(t, motion(t).pose[:, 1], color=colour, label=words)
        force = model.actuator_force(*motion(t))
        peak = np.nanmax(np.abs(force))
        shown = np.where(np.abs(force[:, 0]) < 20, force[:, 0], np.nan)
        torques.plot(t, shown, color=colour, label=words)
        print(f"five-bar, {words}: {peak:.4g} N m at {len(t)} samples")
    ways.axhline(found.poses[0, 1], color="grey", linestyle=":")
    torques.set_ylim(-8, 8)
    tidy(ways, "time [s]", "height of the tip [m]")
    tidy(torques, "time [s]", "torque of the left motor [N m]")
    ways.legend(frameon=False, fontsize=8)
    save(figure, "crossing-laws")


def runs_of(robot: gough.Robot, path: Motion) -> dict[str, Results]:
    """A law that can cross under the law that crosses, and a quintic under computed torque."""
    found = gough.crossing_motion(robot, path, path.duration)
    other = with_profile(path, Quintic(path.duration))
    laws = {
        "can cross, crossing-torque": (found.motion, crossing_torque(**GAINS)),
        "cannot, crossing-torque": (other, crossing_torque(**GAINS)),
        "cannot, computed torque": (other, computed_torque(**GAINS, space="task")),
    }
    duration = path.duration + 0.1
    return {
        words: gough.simulate(
            gough.Scenario(robot, law, motion, saturated=False, duration=duration)
        )
        for words, (motion, law) in laws.items()
    }


def simulated() -> None:
    """Draw the maximum force over time of controlled runs, of the five-bar and of a hexapod."""
    figure = Figure(figsize=(10.5, 3.4), layout="constrained")
    panels = figure.subplots(1, 2)
    machines = (("five-bar", five_bar_path, "N m"), ("kalani-2016", hexapod_path, "N"))
    for axis, (name, path, unit) in zip(panels, machines, strict=True):
        robot = gough.load(name)
        for (words, run), colour in zip(
            runs_of(robot, path(robot)).items(), (CROSSES, "#e08e0b", CANNOT), strict=True
        ):
            size = np.abs(run["force"]).max(axis=1)
            axis.semilogy(run.time, size, color=colour, label=words)
            error = 1e3 * run.summary["peak_position_error"].value
            turn = 1e3 * run.summary["peak_orientation_error"].value
            off = f"off by {error:.3g} mm, {turn:.3g} mrad"
            print(f"{name}: {words}: {size.max():.4g} {unit}, {off}, until {run.time[-1]:.3g} s")
        tidy(axis, "time [s]", f"maximum force [{unit}]")
        axis.set_title(name, fontsize=10)
    panels[0].legend(frameon=False, fontsize=8)
    save(figure, "crossing-runs")


def carried() -> None:
    """Draw the wrench capacity of the five-bar's tip: force parallelograms along its path."""
    robot = gough.load("five-bar")
    model = gough.Model(robot)
    figure = Figure(figsize=(10.5, 3.2), layout="constrained")
    for axis, y in zip(figure.subplots(1, 3), (0.325, 0.13, np.sqrt(0.009375)), strict=True):
        pose = model.possible_pose(gough.pose([0, y, 0], rpy=[0, 0, -0.7 if y < 0.3 else 0])).pose
        J, weight = model.actuation_matrix(pose), model.gravity(pose)
        corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1], [1, 1]]) * 8.0
        force = weight - corners @ J
        axis.fill(*force.T, color=PALE, alpha=0.6)
        axis.plot(*force.T, color=INK, lw=1)
        capacity = model.wrench_capacity(pose)
        turn = np.linspace(0, 2 * np.pi, 100)
        axis.plot(*(max(capacity.sphere, 0) * np.array([np.cos(turn), np.sin(turn)])), CROSSES)
        axis.plot(0, 0, "k+")
        axis.set_xlim(-80, 80)
        axis.set_ylim(-80, 80)
        axis.set_aspect("equal")
        tidy(axis, "force along x [N]", "force along y [N]")
        axis.set_title(f"tip at y = {1e3 * y:.3g} mm: {float(capacity.sphere):.3g} N", fontsize=10)
        print(f"five-bar at y = {1e3 * y:.4g} mm: sphere {float(capacity.sphere):.4g} N")
    save(figure, "wrench-capacity")


if __name__ == "__main__":
    forces_of_laws()
    simulated()
    carried()
