"""Make the figures of docs/how-to/vibration.md: `python docs/make_vibration.py`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from page_reader import blocks

import gough
from gough.elastic import (
    Cut,
    chatter_map,
    damped,
    frequency_map,
    frequency_response,
    plot_response,
    root_locus,
)
from gough.plots import LEG_COLOURS, save_plot

FOLDER = Path(__file__).parent / "figures"
PAGE = Path(__file__).parent / "how-to" / "vibration.md"
SETTINGS = {"svg.hashsalt": "gough", "svg.fonttype": "path", "font.size": 9}
PALE, INK, PLATFORM = "#c9ced6", "#333333", "#2f6fb3"


def shapes() -> Figure:
    """The six modes of the demonstration machine with rigid connectors, at home."""
    return gough.natural_modes(gough.load("demo-hexapod"), connectors="rigid").plot()[0].figure


def links() -> Figure:
    """The lowest modes of the page's Delta, whose arms bend."""
    tube = {"diameter": "40 mm", "bore": "36 mm", "modulus": "70 GPa"}
    springs = {"leg.links[0].beam": tube, "leg.motor.stiffness": "12 kN m/rad"}
    return gough.natural_modes(gough.load("delta").replace(springs)).plot()[0].figure


def transmissibility() -> Figure:
    """From base to platform of the demonstration machine, with and without its coupling stages."""
    robot, hertz = gough.load("demo-hexapod"), np.geomspace(1, 500, 1500)
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axis = figure.add_subplot()
    for connectors, colour in (("rigid", LEG_COLOURS[0]), ("low-frequency", LEG_COLOURS[1])):
        system = gough.elastic_state_space(robot, connectors=connectors, damping_ratio=0.01)
        shaken = frequency_response(system, hertz, "acceleration", "base")
        label = f'connectors="{connectors}"'
        axis.loglog(hertz, shaken.transmissibility, color=colour, label=label)
    axis.axhline(1, color=INK, lw=0.6, ls=":")
    axis.set(xlabel="frequency [Hz]", ylabel="transmissibility [1]", xlim=(1, 500))
    axis.grid(visible=True, linewidth=0.4, alpha=0.5)
    axis.legend(frameon=False)
    return figure


def active() -> Figure:
    """Integral force feedback around the legs of the page's cube."""
    text = next(block.code for block in blocks(PAGE) if block.title == "cube.toml")
    system = gough.elastic_state_space(gough.Robot.from_dict(tomllib.loads(text)))
    figure = Figure(figsize=(9, 4), layout="constrained")
    locus, response = figure.subplots(1, 2)
    gains = np.concatenate([[0], np.geomspace(1e-5, 1e-2, 240)])
    poles = root_locus(system, "integral force", gains) / (2 * np.pi)
    above = poles.imag > 1e-2
    locus.plot(poles.real[above], poles.imag[above], ".", color=PLATFORM, ms=2)
    locus.plot(poles.real[0], poles.imag[0], "x", color=INK, label="locked: gain 0")
    soft = root_locus(system, "integral force", [1e3])[0] / (2 * np.pi)
    near = soft[np.abs(soft) < 2 * np.abs(poles[0]).max()]
    locus.plot(near.real, near.imag, "o", mfc="none", color=INK, label="free: gain ∞")
    locus.set(xlabel="real part / 2π [Hz]", ylabel="imaginary part / 2π [Hz]",
              xlim=(-180, 8), ylim=(0, 230), aspect="equal")  # fmt: skip
    locus.legend(frameon=False, loc="upper left")
    hertz = np.geomspace(10, 400, 1200)
    for gain, colour in ((0.0, PALE), (5e-5, LEG_COLOURS[0]), (5e-4, LEG_COLOURS[1])):
        closed = damped(system, "integral force", gain)
        answer = frequency_response(closed, hertz, "displacement", "wrench")
        response.loglog(
            hertz, 1e6 * answer.gain[:, 0, 0], color=colour, label=f"gain {gain:g} m/(N s)"
        )
    response.set(xlabel="frequency [Hz]", ylabel="way along x by force along x [µm/N]")
    for axis in (locus, response):
        axis.grid(visible=True, linewidth=0.4, alpha=0.5)
    response.legend(frameon=False)
    return figure


def response(robot: gough.Robot) -> None:
    """Draw the result of the page's command `gough elastic vibration --response`."""
    options = {"connectors": "rigid", "damping_ratio": 0.01, "tool": [0, 0, 0.2]}
    system, hertz = gough.elastic_state_space(robot, **options), np.geomspace(5, 1500, 2000)
    shaken = frequency_response(system, hertz, "acceleration", "base")
    pushed = frequency_response(system, hertz, "displacement", "wrench")
    save_plot(plot_response(shaken, pushed, title=robot.name), FOLDER / "vibration-response.png")


def main() -> None:
    """Write all figures."""
    FOLDER.mkdir(exist_ok=True)
    robot = gough.load("demo-hexapod")
    drawn = frequency_map(robot, ("x", "z"), connectors="rigid")
    save_plot(drawn.plot(title=robot.name), FOLDER / "vibration-map.png")
    cut = Cut.down(0.5, teeth=4, specific_force=7e8)
    depths = chatter_map(robot, ("x", "z"), cut, damping_ratio=0.03, tool=[0, 0, 0.1])
    save_plot(depths.plot(title=robot.name), FOLDER / "vibration-chatter.png")
    response(robot)
    with mpl.rc_context(SETTINGS):
        for made in (shapes, links, transmissibility, active):
            path = FOLDER / f"vibration-{made.__name__}.svg"
            made().savefig(path, metadata={"Date": None})
            text = re.sub(r"[ \t]+$", "", path.read_text("utf-8"), flags=re.M)
            path.write_text(text, "utf-8")
            print(path)


if __name__ == "__main__":
    main()
