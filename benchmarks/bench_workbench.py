"""The workbench of every library robot: writing, opening and dragging it, in CPU time.

Of the browser the main thread of the page counts: equations, travel, scene and labels. What a
graphics card does is computed in another process here, and is left out.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import sync_playwright

import gough
from benchmarks.bench_waiting import cpu_seconds
from benchmarks.measure import Report
from gough.kinematics.workspace.charts import own_axes
from gough.poses import displace

FLAGS = (
    "--no-sandbox --use-gl=angle --use-angle=swiftshader --disable-gpu-compositing "
    "--disable-accelerated-2d-canvas"
).split()
FRAMES, CALLS = 20, 500
SWING = 0.02
"""How far from home the machine is dragged, either way: m, rad."""
KERNELS = """(calls) => {
  const { machine, history: { now } } = window.gough;
  for (let k = 0; k < calls; k += 1) machine.at(now.pose, now.load);
}"""
DRAGGING = """async (poses) => {
  for (const pose of poses) {
    window.gough.goTo(pose, true);
    await new Promise(requestAnimationFrame);
  }
}"""


class Opened:
    """A page with the CPU time that its main thread took so far."""

    def __init__(self, browser, path):
        self.tab = browser.new_page(viewport={"width": 1440, "height": 900})
        self.session = self.tab.context.new_cdp_session(self.tab)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.tab.goto(path.as_uri())
        while not self.tab.evaluate("() => Boolean(window.gough)"):
            self.tab.wait_for_timeout(20)

    def seconds(self):
        """The CPU time so far [s]."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in found if one["name"] == "TaskDuration")

    def took(self, script, given):
        """What a script takes [s], the second time."""
        self.tab.evaluate(script, given)
        before = self.seconds()
        self.tab.evaluate(script, given)
        return self.seconds() - before


def dragged(robot):
    """Poses while the machine is dragged to and fro along its first freedom."""
    _, steps = own_axes(robot)
    sway = SWING * np.sin(np.linspace(0, 2 * np.pi, FRAMES))
    return displace(np.array(robot.home), sway[:, None] * steps[0]).tolist()


def run():
    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if program is None:
        sys.exit("the benchmark of the workbench needs Chromium; none is installed")
    report = Report("The workbench in headless Chromium: CPU time")
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        for name in gough.library_names():
            path = Path(folder) / f"{name}.html"
            words = ("-m", "gough", "view", name, "--no-open", "--output", str(path))
            cpu_seconds(*words)  # compiles what is new
            report.at_most(f"{name}: gough view", cpu_seconds(*words), 3.0, "s")
            report.at_most(f"{name}: page", path.stat().st_size / 1e6, 1.0, "MB")
            page = Opened(browser, path)
            report.at_most(f"{name}: opening", page.seconds(), 1.0, "s")
            kernels = page.took(KERNELS, CALLS) / CALLS
            report.at_most(f"{name}: equations a frame", 1e3 * kernels, 1.0, "ms")
            frames = page.took(DRAGGING, dragged(gough.load(name))) / FRAMES
            report.at_most(f"{name}: a frame while dragging", 1e3 * frames, 1e3 / 60, "ms")
            page.tab.close()
        browser.close()
    report.show()
