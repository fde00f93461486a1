"""MJCF files in other people's style: the imported robot against MuJoCo on the file itself."""

from pathlib import Path

import numpy as np
import pytest
from oracles.mujoco_file import MujocoFile

import gough
from gough.errors import GoughError
from gough.exchange import imported
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


@pytest.mark.parametrize("relaxed", [0.0, 0.2])
def test_springs_that_home_relaxes_are_imported_and_others_listed(tmp_path, relaxed):
    plain = '<joint name="elbow_r"/>'
    sprung = plain.replace("/>", f' stiffness="3" springref="{relaxed}"/>')
    file = tmp_path / "five_bar.xml"
    file.write_text((FILES / "five_bar.xml").read_text().replace(plain, sprung))
    found = imported(file, platform="gripper")
    left_out = [line for line in found.left_out if line.startswith("spring")]
    (joint,) = [joint for joint in found.robot.joints if joint.name == "elbow_r"]
    if relaxed:
        assert left_out == ["spring of elbow_r, without force 0.2 from home"]
        assert joint.stiffness is None
        return
    assert (left_out, joint.stiffness) == ([], 3.0)
    oracle, model = MujocoFile(file, "gripper"), gough.Model(found.robot)
    state = oracle.random_state(np.random.default_rng(2))
    oracle.efforts(state, np.zeros(6))
    N = oracle._moves()
    theirs = np.linalg.lstsq(N[oracle.motors].T, -N.T @ oracle.data.qfrc_spring, rcond=1e-12)[0]
    ours = model.actuator_force(state.pose) - model.inverse_dynamics(state.pose)
    assert np.abs(theirs).max() > 0.01
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)
