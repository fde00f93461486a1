"""URDF files with loops in Gepetto's form: the imported robot against Pinocchio on the file."""

from pathlib import Path

import numpy as np
import pytest
from oracles.pinocchio_urdf import PinocchioUrdf

import gough
from gough.exchange import imported

FILES = Path(__file__).parents[2] / "data" / "imports"


def linkage():
    loops = FILES / "linkage.yaml"
    return gough.import_robot(FILES / "linkage.urdf", loops=loops, platform="effector")


def test_efforts_are_those_of_pinocchio_on_the_file():
    robot = linkage()
    pairs = [("closedloop3D_1B", "closedloop3D_1A", 3)]
    oracle = PinocchioUrdf(
        FILES / "linkage.urdf", pairs, ["mot2", "mot1"], "effector", robot.gravity
    )
    model, rng = gough.Model(robot), np.random.default_rng(2)
    q, v, a = oracle.random_state(rng)
    wrench = rng.standard_normal(6)
    ours = model.inverse_dynamics(*oracle.platform_motion(q, v, a), wrench)
    theirs = oracle.efforts(q, v, a, wrench)
    assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()


def test_frames_that_meet_make_two_links_one(tmp_path):
    """The rods end in a hinge and a link that is fixed to the other rod by all six rows."""
    text = (FILES / "linkage.urdf").read_text()
    for old, new in (
        (
            '<joint name="closedloop3D_1B_frame" type="fixed">',
            '<joint name="tip" type="continuous">',
        ),
        ('xyz="0.25 0 0" rpy="0.1 0.2 0.3"', 'xyz="0.25 0 0" rpy="3.141592653589793 0 0"'),
        ('xyz="0.25 0 0" rpy="0 0.4 0"', 'xyz="0.25 0 0"'),
    ):
        assert old in text
        text = text.replace(old, new)
    file, loops = tmp_path / "linkage.urdf", tmp_path / "linkage.yaml"
    file.write_text(text)
    pair = ["closedloop3D_1B", "closedloop3D_1A"]
    loops.write_text(f"closed_loop: [{pair}]\nname_mot: [mot1, mot2]\n")  # 6d is not said
    robot = gough.import_robot(file, loops=loops, platform="effector")
    assert [joint.type for joint in robot.joints] == ["R"] * 5
    oracle = PinocchioUrdf(file, [(*pair, 6)], ["mot1", "mot2"], "effector", robot.gravity)
    rng = np.random.default_rng(5)
    state, wrench = oracle.random_state(rng), rng.standard_normal(6)
    ours = gough.Model(robot).inverse_dynamics(*oracle.platform_motion(*state), wrench)
    assert np.abs(ours - oracle.efforts(*state, wrench)).max() < 1e-9


def test_joints_of_urdf_become_universal_joints(tmp_path):
    loops = tmp_path / "loops.yaml"
    text = (FILES / "picker.yaml").read_text()
    loops.write_text(text.replace('"SPHERICAL"', '"UJOINT_YX"', 6))
    robot = gough.import_robot(FILES / "picker.urdf", loops=loops)
    elbows = [joint for joint in robot.joints if joint.name.startswith("elbow")]
    assert [joint.type for joint in elbows] == ["U"] * 6
    assert elbows[0].axes == ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    assert robot.platform.moves == ("x", "y", "z")


@pytest.mark.parametrize(("kind", "type_"), [("SPHERICAL", "S"), ("UJOINT_YX", "U")])
def test_balls_and_universal_joints_keep_their_friction(tmp_path, kind, type_):
    text = (FILES / "picker.urdf").read_text()
    before, after = text.split('<joint name="elbow1a"')
    told = '<limit effort="1" velocity="20" lower="-1" upper="1"/>'
    told += '<dynamics damping="0.5" friction="0.25"/>'
    after = after.replace('<limit effort="1" velocity="20"/>', told, 1)
    file, loops = tmp_path / "picker.urdf", tmp_path / "picker.yaml"
    file.write_text(f'{before}<joint name="elbow1a"{after}')
    loops.write_text((FILES / "picker.yaml").read_text().replace('"SPHERICAL"', f'"{kind}"', 1))
    found = imported(file, loops=loops)
    elbow = next(joint for joint in found.robot.joints if joint.name.startswith("elbow1a"))
    assert (elbow.type, elbow.damping, elbow.friction) == (type_, 0.5, 0.25)
    assert f"range of joint elbow1a, which is {kind}" in found.left_out


def test_an_end_of_a_range_that_is_not_said_is_zero(tmp_path):
    text = (FILES / "linkage.urdf").read_text().replace('lower="-1" upper="1"', 'lower="-1"')
    (tmp_path / "linkage.urdf").write_text(text)
    loops = FILES / "linkage.yaml"
    robot = gough.import_robot(tmp_path / "linkage.urdf", loops=loops, platform="effector")
    assert next(joint for joint in robot.joints if joint.name == "mot1").range == (-1.0, 0.0)


def test_loops_that_are_drawn_open_are_closed_near_by():
    robot = linkage()
    assert "0.0106 m or rad open" in robot.notes
    tip = next(joint for joint in robot.joints if joint.type == "S").at
    lengths = {"free1": 0.25, "free2": 0.25}
    for joint in robot.joints:
        if joint.name in lengths:
            assert abs(np.linalg.norm(np.subtract(joint.at, tip)) - 0.25) < 1e-13
    assert max(abs(joint.home) for joint in robot.joints if joint.type == "R") < 0.1


def test_one_delta_in_both_languages_is_one_machine():
    written = gough.import_robot(FILES / "picker.urdf", loops=FILES / "picker.yaml")
    other = gough.import_robot(FILES / "delta.xml")
    rng, twist = np.random.default_rng(3), np.zeros(6)
    twist[:3], acceleration = rng.standard_normal(3), rng.standard_normal(6)
    acceleration[3:] = 0.0
    pose = np.array(other.home) + [0.03, -0.05, 0.04, 0, 0, 0, 0]
    ours, theirs = (
        gough.Model(robot).inverse_dynamics(pose, twist, acceleration, np.zeros(6))
        for robot in (written, other)
    )
    assert np.abs(ours - theirs).max() < 1e-12
    assert [a.name for a in written.actuators] == [a.name for a in other.actuators]


@pytest.mark.parametrize(
    "name", ["2024-01-01", "on", "012", "1e3", "1_000", "1:30", ".inf", "null"]
)
def test_names_that_yaml_takes_for_something_else_are_names(tmp_path, name):
    file, loops = tmp_path / "linkage.urdf", tmp_path / "linkage.yaml"
    file.write_text((FILES / "linkage.urdf").read_text().replace('"mot1"', f'"{name}"'))
    written = (FILES / "linkage.yaml").read_text()
    loops.write_text(written.replace("'mot1'", name))
    robot = gough.import_robot(file, loops=loops, platform="effector")
    assert name in [actuator.name for actuator in robot.actuators]
