"""Files that say less, or more, than a robot file needs: each difficulty in a file of its own."""

import re
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.exchange import imported
from gough.exchange.tree.export import machine_export

FILES = Path(__file__).parents[2] / "data" / "imports"
FIVE_BAR = (FILES / "five_bar.xml").read_text()
LEG = """<body name="{0}-hip" pos="0 {1} 0"><joint name="{0}-hip" axis="0 1 0"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0.1 0 0"/>
    <body name="{0}-bar" pos="0.1 0 0"><joint name="{0}-bar" axis="0 1 0"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.2"/></body></body>
    <body name="{0}-rocker" pos="0 {1} -0.15"><joint name="{0}-knee" axis="0 1 0"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0.1 0 -0.05"/></body>"""
WALKER = f"""<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.1 0.1 0.1"/>{LEG.format("left", 0.1)}{LEG.format("right", -0.1)}
    </body></worldbody>
    <equality><connect body1="left-bar" body2="left-rocker" anchor="0 0 -0.2"/>
    <connect body1="right-bar" body2="right-rocker" anchor="0 0 -0.2"/></equality>
    <actuator><motor joint="left-hip"/><motor joint="right-hip"/></actuator></mujoco>"""


def written(folder, text, name="machine.xml"):
    file = folder / name
    file.write_text(text)
    return file


def complaint(file, **options):
    with pytest.raises(GoughError) as caught:
        imported(file, **options)
    return str(caught.value)


def stripped(text):
    """A file of Gough's without the comment that holds the robot."""
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def test_a_trunk_that_floats_is_the_base_and_one_of_its_legs_the_machine(tmp_path):
    file = written(tmp_path, WALKER)
    words = "2 machines on one base; expected one: --subtree with one of left-hip, right-hip"
    assert words in complaint(file)
    found = imported(file, subtree="right-hip", platform="right-bar")
    assert "In the file trunk floats: here it is held still, as the base." in found.robot.notes
    assert "all joints but those of right-hip and of what is tied to it" in found.left_out


def test_a_leg_with_two_roots_is_a_machine_once_the_other_leg_is_gone(tmp_path):
    half = WALKER.replace(LEG.format("left", 0.1), "").replace('<motor joint="left-hip"/>', "")
    half = half.replace('<connect body1="left-bar" body2="left-rocker" anchor="0 0 -0.2"/>', "")
    found = imported(written(tmp_path, half), platform="right-bar")
    assert found.robot.platform.moves == ("z",)
    names = [joint.name for joint in found.robot.joints]
    assert names == ["right-hip", "right-bar", "right-knee", "right-bar-right-rocker"]


def test_meshes_may_be_missing_where_inertia_is_stated(tmp_path):
    mesh = '<asset><mesh name="arm" file="arm.stl"/></asset><worldbody>'
    text = FIVE_BAR.replace("<worldbody>", mesh).replace('inertiafromgeom="true"', "")
    shaped = text.replace(
        '<joint name="tip"/>', '<joint name="tip"/><geom type="mesh" mesh="arm"/>'
    )
    assert shaped != text
    words = "stub: its mass is that of arm.stl, which is not there; expected the model's meshes"
    assert words in complaint(written(tmp_path, shaped), platform="gripper")
    inertia = '<inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>'
    stated = shaped.replace('<joint name="tip"/>', f'<joint name="tip"/>{inertia}')
    found = imported(written(tmp_path, stated), platform="gripper")
    assert "MuJoCo warns: meshes or textures are not there" in found.robot.notes


def test_equalities_of_joints_become_couplings(tmp_path):
    text = FIVE_BAR.replace('active="false"', "")
    assert text != FIVE_BAR
    found = imported(written(tmp_path, text), platform="gripper")
    (coupling,) = found.robot.couplings
    assert coupling.name == "coupled"
    assert len(found.robot.platform.moves) == 1
    bent = text.replace('<joint name="coupled"', '<joint name="coupled" polycoef="0 1 2 0 0"')
    assert "coupled: a coupling that is not linear" in complaint(written(tmp_path, bent))


def test_mimic_becomes_a_coupling(tmp_path):
    text = (FILES / "linkage.urdf").read_text()
    joint = re.search(r'<joint name="mot2".*?</joint>', text, re.DOTALL)[0]
    mimic = joint.replace(
        "</joint>", '<mimic joint="mot1" multiplier="-0.5" offset="0.01"/></joint>'
    )
    file = written(tmp_path, text.replace(joint, mimic), "machine.urdf")
    found = imported(file, loops=FILES / "linkage.yaml", platform="effector", motors=["mot1"])
    (coupling,) = found.robot.couplings
    assert (coupling.joints, coupling.weights) == (("mot2", "mot1"), (1.0, 0.5))
    at = {joint.name: joint.home for joint in found.robot.joints}
    assert at["mot2"] + 0.5 * at["mot1"] == pytest.approx(0.01, abs=1e-12)


def test_motors_and_home_can_be_stated(tmp_path):
    bare = re.sub(r"<actuator>.*?</actuator>", "", FIVE_BAR, flags=re.DOTALL)
    file = written(tmp_path, bare)
    assert "or --motors with 2 of shoulder_l, shoulder_r, " in complaint(file)
    options = {"platform": "gripper", "motors": ["shoulder_r", "shoulder_l"]}
    found = imported(file, home="shoulder_l=0.2, shoulder_r=-0.1", **options)
    assert [joint.name for joint in found.robot.driven] == ["shoulder_r", "shoulder_l"]
    assert abs(found.robot.driven[1].home - 0.2) < 0.15
    assert "home: no such joint" in complaint(file, home="shoulder=1", **options)
    assert "home: not a number" in complaint(file, home="shoulder_l=x", **options)
    assert 'no such joint (did you mean "shoulder_r"?)' in complaint(file, motors=["shoulder"])


def test_home_is_the_keyframe_in_which_all_joints_are_in_their_ranges(tmp_path):
    keys = '<keyframe><key name="drawn" qpos="0 0 0 0 0"/><key name="bent" qpos="{}"/></keyframe>'
    text = FIVE_BAR.replace('name="elbow_r"', 'name="elbow_r" range="0.05 1"')
    plain = imported(written(tmp_path, text), platform="gripper")
    assert any(line.startswith("range of elbow_r: home, 0, is out") for line in plain.left_out)
    text = text.replace("</mujoco>", keys.format("0 0 0 0.1 0") + "</mujoco>")
    found = imported(written(tmp_path, text), platform="gripper")
    assert "Home is near keyframe bent: as drawn, joints are outside their" in found.robot.notes


def test_frames_of_onshape_to_robot_close_loops(tmp_path):
    text = (FILES / "linkage.urdf").read_text()
    for old, new in (("closedloop3D_1A", "closing_tip_1"), ("closedloop3D_1B", "closing_tip_2")):
        assert old in text
        text = text.replace(old, new)
    found = imported(written(tmp_path, text, "machine.urdf"), motors=["mot2", "mot1"])
    assert found.platform == "effector"
    stated = imported(FILES / "linkage.urdf", loops=FILES / "linkage.yaml", platform="effector")
    assert found.robot.joints[0] == stated.robot.joints[0]
    np.testing.assert_allclose(found.robot.home, stated.robot.home, atol=1e-12)


@pytest.mark.parametrize("kind", ["sdf", "urdf+"])
def test_loops_of_sdf_and_of_urdf_itself_are_read(tmp_path, kind):
    robot = gough.load("planar-3rrr")
    export = (
        machine_export(robot, "urdf", loops=True)
        if kind == "urdf+"
        else machine_export(robot, "sdf")
    )
    file = written(tmp_path, stripped(export.text), f"machine.{kind[:4]}")
    motors = [joint.name for joint in robot.driven]
    found = imported(file, platform="platform", motors=motors)
    assert found.robot.platform.moves == robot.platform.moves
    pose, wrench = np.array(robot.home), np.arange(1.0, 7.0)
    theirs = gough.Model(robot).inverse_dynamics(pose, wrench=wrench)
    ours = gough.Model(found.robot).inverse_dynamics(np.array(found.robot.home), wrench=wrench)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_rounded_numbers_are_changed_within_their_digits(tmp_path):
    """A four-bar with four hinges moves if their axes are parallel: here they are to 1 µrad."""
    pins = '<site name="{0}" pos="{1}"/><site name="{0}2" pos="{2}"/>'
    text = f"""<mujoco><default><geom type="capsule" size="0.01"/></default><worldbody>
        <body name="crank"><joint name="motor" axis="0 1 {{0}}"/><geom fromto="0 0 0 0.1 0 0"/>
          <body name="bar" pos="0.1 0 0"><joint axis="-{{0}} 1 0"/><geom fromto="0 0 0 0 0 -0.2"/>
            {pins.format("end", "0 0 -0.2", "0 0.05 -0.2")}</body></body>
        <body name="rocker" pos="0 0 -0.15"><joint axis="0 1 0"/><geom fromto="0 0 0 0.1 0 -0.05"/>
          {pins.format("tip", "0.1 0 -0.05", "0.1 0.05000005 -0.05")}</body></worldbody>
        <equality><connect site1="end" site2="tip"/><connect site1="end2" site2="tip2"/></equality>
        <actuator><motor joint="motor"/></actuator></mujoco>"""
    found = imported(written(tmp_path, text.format("1e-6")), platform="bar")
    notes = re.search(r"changed by at most (\S+) m and (\S+) rad", found.robot.notes)
    assert 1e-8 < max(map(float, notes.groups())) < 1e-5
    assert [joint.type for joint in found.robot.joints] == ["R"] * 4
    assert found.robot.platform.moves == ("z",)
    said = complaint(written(tmp_path, text.format("0.03")), platform="bar")
    assert "the loop does not close" in said or "cannot move" in said


def test_joints_that_leave_the_platform_still_are_named(tmp_path):
    """A finger on the gripper moves by itself; its spring is named, and may be held."""
    finger = '<body name="finger"><joint name="finger" stiffness="5"/>{}</body>'
    finger = finger.format('<geom size="0.01 0.01 0.02"/>')
    text = FIVE_BAR.replace('<joint name="tip"/>', f'<joint name="tip"/>{finger}')
    file = written(tmp_path, text)
    words = "1 degree of freedom remains when"
    said = complaint(file, platform="gripper")
    assert words in said
    assert "such as the springs finger" in said
    assert len(imported(file, platform="gripper", hold=["finger"]).robot.joints) == 5
