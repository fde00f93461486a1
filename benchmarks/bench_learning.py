"""Actions a second of an environment, beside MuJoCo with the same machine, ball and steps.

MuJoCo has the legs' loops as soft constraints, the ball as a free body with contacts, Euler's steps
and position servos in its actuators; Gough exact loops and rolling, RK4 and computed torque. MJX,
where it is installed, has the same model in single precision, on processors.
"""

from __future__ import annotations

from functools import partial
from xml.etree import ElementTree

import mujoco
import numpy as np

from benchmarks.measure import Report, best_times
from benchmarks.mujoco_runs import MujocoRuns, mjx_run
from gough.exchange import machine_export
from gough.learning import Episodes, LearningTask

COUNT, ACTIONS = 512, 20
OF_MJX = 16, 2
"""Environments and actions of MJX, which takes far longer."""


def mujoco_ball(task):
    """The hexapod of the task with its ball, in MuJoCo."""
    table, robot = task.run.plant.transmission.table, task.study.robot
    root = ElementTree.fromstring(machine_export(robot, "mjcf").text)
    world = root.find("worldbody")
    platform = next(body for body in world.iter("body") if body.get("name") == "platform")
    size, top = f"{table.radius}", float(robot.home[2]) + table.height
    touches = {"contype": "2", "conaffinity": "2"}
    plate = {"type": "box", "size": "0.3 0.3 0.005", "mass": "0"} | touches
    ElementTree.SubElement(platform, "geom", plate | {"pos": f"0 0 {table.height - 0.005}"})
    ball = ElementTree.SubElement(world, "body", {"pos": f"0.05 0 {top + table.radius}"})
    ElementTree.SubElement(ball, "freejoint")
    round_one = {"type": "sphere", "size": size, "mass": f"{table.mass}"} | touches
    ElementTree.SubElement(ball, "geom", round_one)
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, "unicode"))
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.timestep = task.run.sampling.period
    return MujocoRuns(model, 5e3, 100.0, COUNT, ACTIONS * task.learning.steps)


def run():
    """Print both."""
    task = LearningTask.load("ball-on-plate")
    episodes = Episodes(task, COUNT)
    episodes.reset(np.arange(COUNT))
    still = np.zeros((COUNT, 2))

    def ours():
        for _ in range(ACTIONS):
            episodes.step(still)
        episodes.clock[:] = 0

    theirs = mujoco_ball(task)
    kept = np.isfinite(theirs.run()).all(axis=-1).mean()
    own, other = best_times(ours, partial(theirs.run), seconds=5.0)
    report = Report(f"ball-on-plate, {COUNT} environments, {task.learning.steps} steps an action")
    report.fact("Gough, actions/s", f"{COUNT * ACTIONS / own:,.0f}")
    report.fact("MuJoCo, rollout, actions/s", f"{COUNT * ACTIONS / other:,.0f}")
    report.fact("MuJoCo, runs that stay finite", f"{kept:.0%}")
    count, actions = OF_MJX
    if (in_mjx := mjx_run(theirs.model, count, actions * task.learning.steps)) is None:
        report.fact("MJX, actions/s", "it is not installed")
    else:
        finite = np.isfinite(in_mjx()).all(axis=-1).mean()
        (taken,) = best_times(in_mjx, seconds=5.0)
        report.fact("MJX, actions/s", f"{count * actions / taken:,.0f}, {finite:.0%} stay finite")
    report.at_least("Gough against MuJoCo", other / own, 1)
    report.show()
