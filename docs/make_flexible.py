"""Make the picture and the numbers of how-to/flexible-links.md: `python docs/make_flexible.py`.

The motors of a five-bar linkage turn and stop as commanded; its cranks bend in their plane.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from make_figures import INK, PLATFORM, SETTINGS
from make_reproductions import tidy
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

import gough

FOLDER = Path(__file__).parent / "figures"
TURN, DURATION, END = np.radians([-10.0, -10.0]), 0.03, 0.12
TIMES = np.linspace(0.0, END, 601)
TUBES = {20: "#c0392b", 30: PLATFORM}
"""Outer diameters [mm] of tubes of aluminium with a wall of 1 mm, and their colours."""


def machine(diameter: float | None = None) -> gough.FlexibleMachine:
    """The linkage with such cranks; without a diameter [m] rigid."""
    robot, beams = gough.load("five-bar"), {}
    if diameter is not None:
        tube = gough.BeamStiffness.tube(70e9, 27e9, diameter / 2, diameter / 2 - 1e-3)
        plane = gough.BeamStiffness((tube.planes[0], None), side=(1, 0, 0))
        beams = {"crank-left": plane, "crank-right": plane}
    return gough.FlexibleMachine(robot, beams, modes=1)


def accelerations(t: float) -> Any:
    """Return accelerations of the motors [rad/s^2]: one period of a sine, then rest."""
    w = 2 * np.pi / DURATION
    return TURN * w / DURATION * np.sin(w * t) if t < DURATION else np.zeros(2)


def tip(linkage: gough.FlexibleMachine) -> Any:
    """Where the tip is (t, 2) [m] at all times, from where its weight has bent it."""
    start = linkage.deflected().z
    n = len(start)

    def rate(t: float, x: Any) -> Any:
        _, second = linkage.inverse_dynamics(x[:n], x[n:], accelerations(t))
        return np.r_[x[n:], second]

    options = {"method": "DOP853", "rtol": 1e-8, "atol": 1e-10, "max_step": DURATION / 20}
    run = solve_ivp(rate, (0.0, END), np.r_[start, np.zeros(n)], t_eval=TIMES, **options)
    return np.array([linkage.pose(z)[:2] for z in run.y[:n].T])


def main() -> None:
    """Print how far the tips swing, and draw it."""
    rigid = tip(machine())
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(6.4, 2.6), layout="constrained")
        axis = figure.subplots()
        for diameter, colour in TUBES.items():
            linkage = machine(diameter / 1e3)
            away = 1e3 * (tip(linkage) - rigid)
            first = gough.natural_modes(linkage).frequencies[0]
            swing = np.ptp(away[TIMES > DURATION, 0])
            print(f"{diameter} mm: first frequency {first:.1f} Hz at home, swings {swing:.2f} mm")
            axis.plot(1e3 * TIMES, away[:, 0], color=colour, label=f"tubes of {diameter} mm")
        axis.axvline(1e3 * DURATION, color=INK, lw=0.8, ls=":")
        tidy(axis, "time [ms]", "tip beside the rigid\nmachine's, x [mm]")
        axis.legend(frameon=False)
        figure.savefig(FOLDER / "flexible-stop.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
