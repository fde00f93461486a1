"""MJCF files in other people's style: the imported robot against MuJoCo on the file itself."""

from pathlib import Path

import numpy as np
import pytest
from oracles.mujoco_file import MujocoFile

import gough
from gough.robot import Hexapod

FILES = Path(__file__).parents[2] / "data" / "imports"
RODS = {f"rod{k}{side}": np.array([-0.41, 0.0, -0.52]) for k in (1, 2, 3) for side in "ab"}
MACHINES = {
    "stewart": ("stewart.xml", "plate", None),
    "stewart, tool": ("stewart.xml", "tool", "tool"),
    "delta": ("delta.xml", "tcp", None),
    "delta, flange": ("delta.xml", "flange", "flange"),
    "five-bar": ("five_bar.xml", "gripper", "gripper"),
}


@pytest.mark.parametrize("name", MACHINES)
def test_efforts_are_those_of_mujoco_on_the_file(name):
    file, seen, platform = MACHINES[name]
    oracle = MujocoFile(FILES / file, seen, RODS if "delta" in name else None)
    robot = gough.from_mjcf(FILES / file, platform=platform)
    model = gough.Model(robot)
    rng = np.random.default_rng(1)
    for _ in range(2):
        state, wrench = oracle.random_state(rng), rng.standard_normal(6)
        ours = model.inverse_dynamics(state.pose, state.twist, state.platform_acceleration, wrench)
        theirs = oracle.efforts(state, wrench)
        assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()
        positions = model.inverse_kinematics(state.pose)
        if isinstance(robot, Hexapod):  # counts lengths of legs
            positions = positions - model.inverse_kinematics(np.array(robot.home))
        assert np.allclose(positions, oracle.driven(state), rtol=0, atol=1e-11)
