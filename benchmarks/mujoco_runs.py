"""Runs of machines by `mujoco.rollout` on all processors, under servos, and by MJX."""

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


def mjx_run(model, count, steps):
    """Return a function that takes steps of runs from home by MJX, in single precision, compiled.

    None where MJX is not installed.
    """
    try:
        import jax  # noqa: PLC0415
        from mujoco import mjx  # noqa: PLC0415
    except ImportError:
        return None
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    there, begin = mjx.put_model(model), mjx.put_data(model, data)

    def run(control):
        def step(now, _):
            return mjx.step(there, now), None

        return jax.lax.scan(step, begin.replace(ctrl=control), None, length=steps)[0].qpos

    controls = np.tile(data.actuator_length.astype(np.float32), (count, 1))
    compiled = jax.jit(jax.vmap(run)).lower(controls).compile()
    return lambda: np.asarray(compiled(controls))
