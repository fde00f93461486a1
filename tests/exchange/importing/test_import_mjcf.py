"""MJCF files in other people's style: the imported robot against MuJoCo on the file itself."""

from pathlib import Path

import numpy as np
import pytest
from oracles.mujoco_file import MujocoFile

import gough
from gough.errors import GoughError
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


def with_keyframe(folder, home):
    """The five-bar's file with a keyframe `bent` in which its driven joints are elsewhere."""
    text = (FILES / "five_bar.xml").read_text()
    file = folder / "five_bar.xml"
    file.write_text(text)
    oracle = MujocoFile(file, "gripper", None)
    state = oracle.random_state(np.random.default_rng(3))
    numbers = " ".join(f"{x:.6g}" for x in state.positions)  # rounded: its loop is open by that
    keys = f'<keyframe><key name="bent" qpos="{numbers}"/></keyframe></mujoco>'
    file.write_text(text.replace("</mujoco>", keys))
    return state, gough.from_mjcf(file, platform="gripper", home=home)


def test_a_keyframe_is_home(tmp_path):
    state, robot = with_keyframe(tmp_path, "bent")
    np.testing.assert_allclose(robot.home, state.pose, atol=1e-5)
    drawn = gough.from_mjcf(FILES / "five_bar.xml", platform="gripper")
    assert np.abs(np.subtract(robot.home, drawn.home)).max() > 1e-3
    one, other = (gough.Model(machine) for machine in (robot, drawn))
    np.testing.assert_allclose(one.gravity(robot.home), other.gravity(robot.home), atol=1e-9)
    q, at = one.inverse_kinematics(robot.home), other.inverse_kinematics(robot.home)
    np.testing.assert_allclose(q, at, atol=1e-9)


def test_a_keyframe_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(GoughError, match="home: no such keyframe, got 'folded'; expected bent"):
        with_keyframe(tmp_path, "folded")
