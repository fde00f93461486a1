"""Runs of machines by `mujoco.rollout` on all processors, under servos in its actuators."""

from __future__ import annotations

import os

import mujoco
import mujoco.rollout
import numpy as np


class MujocoRuns:
    """Runs of a model from its home, whose actuators are servos with a constant force beside."""

    def __init__(self, model, kp, kd, count, steps, force=0.0):
        model.actuator_gaintype[:] = mujoco.mjtGain.mjGAIN_FIXED
        model.actuator_biastype[:] = mujoco.mjtBias.mjBIAS_AFFINE
        model.actuator_gainprm[:, 0] = kp
        model.actuator_biasprm[:, 0] = force
        model.actuator_biasprm[:, 1:3] = -kp, -kd
        self.model = model
        threads = os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()
        self.data = [mujoco.MjData(model) for _ in range(threads)]
        mujoco.mj_forward(model, self.data[0])
        whole = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(mujoco.mj_stateSize(model, whole))
        mujoco.mj_getState(model, self.data[0], state, whole)
        self.state = np.tile(state, (count, 1))
        self.control = np.tile(self.data[0].actuator_length, (count, steps, 1))

    def run(self):
        """Take all steps of all runs; the last states (runs, n), time, positions and speeds."""
        with mujoco.rollout.Rollout(nthread=len(self.data)) as pool:
            states, _ = pool.rollout(self.model, self.data, self.state, self.control)
        return states[:, -1]

    def position(self, state):
        """Position of the platform [m] in a state."""
        mujoco.mj_setState(self.model, self.data[0], state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        mujoco.mj_kinematics(self.model, self.data[0])
        return self.data[0].body("platform").xpos.copy()
