"""Actions a second of an environment, beside MuJoCo with the same machine, ball and steps.

MuJoCo has the legs' loops as soft constraints, the ball as a free body with contacts, Euler's steps
and position servos in its actuators; Gough exact loops and rolling, RK4 and computed torque. MJX is
not compared: it is not installed.
"""

from __future__ import annotations

import os
from functools import partial
from xml.etree import ElementTree

import mujoco
import mujoco.rollout
import numpy as np

from benchmarks.measure import Report, best_times
from gough.exchange import machine_export
from gough.learning import Episodes, LearningTask

COUNT, ACTIONS = 512, 20


class MujocoBall:
    """The hexapod of the task with its ball, in MuJoCo."""

    def __init__(self, task):
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
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(root, "unicode"))
        self.model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        self.model.opt.timestep = task.run.sampling.period
        self.steps = task.learning.steps
        kp, kd = 5e3, 100.0
        self.model.actuator_gaintype[:] = mujoco.mjtGain.mjGAIN_FIXED
        self.model.actuator_biastype[:] = mujoco.mjtBias.mjBIAS_AFFINE
        self.model.actuator_gainprm[:, 0] = kp
        self.model.actuator_biasprm[:, 1:3] = -kp, -kd
        threads = os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()
        self.data = [mujoco.MjData(self.model) for _ in range(threads)]
        mujoco.mj_forward(self.model, self.data[0])
        size = mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        state = np.empty(size)
        mujoco.mj_getState(self.model, self.data[0], state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self.state = np.tile(state, (COUNT, 1))
        lengths = self.data[0].actuator_length.copy()
        self.control = np.tile(lengths, (COUNT, ACTIONS * self.steps, 1))

    def run(self):
        """So many actions of all machines, by all processors; the ball's last heights."""
        with mujoco.rollout.Rollout(nthread=len(self.data)) as pool:
            states, _ = pool.rollout(self.model, self.data, self.state, self.control)
        return states[:, -1]


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

    theirs = MujocoBall(task)
    kept = np.isfinite(theirs.run()).all(axis=-1).mean()
    own, other = best_times(ours, partial(theirs.run), seconds=5.0)
    report = Report(f"ball-on-plate, {COUNT} environments, {task.learning.steps} steps an action")
    report.fact("Gough, actions/s", f"{COUNT * ACTIONS / own:,.0f}")
    report.fact("MuJoCo, rollout, actions/s", f"{COUNT * ACTIONS / other:,.0f}")
    report.fact("MuJoCo, runs that stay finite", f"{kept:.0%}")
    report.at_least("Gough against MuJoCo", other / own, 1)
    report.show()
