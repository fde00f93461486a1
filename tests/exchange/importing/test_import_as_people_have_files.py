"""Files that say less, or more, than a robot file needs: each difficulty in a file of its own."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.errors import GoughError
from gough.exchange import export_kernels, imported, machine_export
from gough.exchange.importing.closing import assembled, free_motions
from gough.exchange.importing.file_machine import FileFreedom, FileJoint
from gough.exchange.importing.machine import machine_of
from gough.exchange.importing.platform import loose_springs
from gough.exchange.importing.rounding import machine_of_table
from gough.exchange.importing.urdf import urdf_machine
from gough.poses import rotation

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


def test_a_trunk_on_slides_without_motors_is_the_base_too(tmp_path):
    slides = '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide"/>'
    file = written(tmp_path, WALKER.replace("<freejoint/>", slides))
    found = imported(file, subtree="left-hip", platform="left-bar")
    assert "In the file trunk floats: here it is held still, as the base." in found.robot.notes
    assert found.robot.platform.moves == ("z",)
    driven = file.read_text().replace("<actuator>", '<actuator><motor joint="x"/>')
    assert "1 degree of freedom remains" in complaint(
        written(tmp_path, driven), platform="left-bar"
    )


def test_a_frame_called_effecteur_is_the_platform_and_a_rigid_loop_has_none(tmp_path):
    assert "several bodies could be the platform" in complaint(written(tmp_path, FIVE_BAR))
    foot = FIVE_BAR.replace('"gripper"', '"effecteur"')
    assert imported(written(tmp_path, foot)).platform == "effecteur"
    rigid = re.sub(r'<joint name="(tip|elbow_r|coupled)".*?/>', "", foot)
    assert "no body can move" in complaint(written(tmp_path, rigid))


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


def test_a_tendon_that_couples_is_not_left_out(tmp_path):
    tendon = """<tendon><fixed name="belt"><joint joint="shoulder_l" coef="1"/>
        <joint joint="shoulder_r" coef="2"/></fixed></tendon><equality><tendon tendon1="belt"/>"""
    found = imported(written(tmp_path, FIVE_BAR.replace("<equality>", tendon)), platform="gripper")
    assert [coupling.name for coupling in found.robot.couplings] == ["belt"]
    assert not any("belt" in line or "tendon" in line for line in found.left_out)


def test_motors_and_home_can_be_stated(tmp_path):
    bare = re.sub(r"<actuator>.*?</actuator>", "", FIVE_BAR, flags=re.DOTALL)
    file = written(tmp_path, bare)
    guessed = imported(file, platform="gripper")
    assert [joint.name for joint in guessed.robot.driven] == ["shoulder_l", "shoulder_r"]
    assert "The file has no motors: they are at shoulder_l, shoulder_r" in guessed.robot.notes
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


def test_joints_that_leave_the_platform_still_move_beside_it(tmp_path):
    """A finger on the gripper moves by itself, as a note says; it may be held."""
    finger = '<body name="finger"><joint name="finger" stiffness="5"/>{}</body>'
    finger = finger.format('<geom size="0.01 0.01 0.02"/>')
    text = FIVE_BAR.replace('<joint name="tip"/>', f'<joint name="tip"/>{finger}')
    found = imported(file := written(tmp_path, text), platform="gripper")
    (passive,) = (line for line in found.assumed if line.startswith("finger has a passive degree"))
    assert passive in found.robot.notes
    done = export_kernels(found.robot, tmp_path / "c", ["inverse_kinematics"])
    header = next(path for path in done.paths if path.suffix == ".h").read_text()
    assert passive in " ".join(re.sub(r"(?m)^ \*", "", header).split())
    assert len(found.robot.joints) == 6
    held = imported(file, platform="gripper", hold=["finger"])
    assert len(held.robot.joints) == 5
    assert not any("passive" in line for line in held.assumed)
    driven = text.replace("<actuator>", '<actuator><motor joint="finger"/>')
    said = complaint(written(tmp_path, driven), platform="gripper")
    assert "stands still: finger; expected another --plat" in said


def test_springs_that_no_motor_moves_are_held(tmp_path):
    """A crank with a leaf spring in it: the four-bar has a second degree of freedom, of that."""
    leaf = f"""<link name="leaf">{INERTIA}</link><joint name="bend" type="revolute">
        <parent link="crank"/><child link="leaf"/><origin xyz="0 0.05 0"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="5" velocity="3"/></joint>
        <joint name="pin" type="continuous"><parent link="leaf"/>"""
    old = '<joint name="pin" type="continuous"><parent link="crank"/>'
    file = four_bar(tmp_path, (old, leaf), ("0 0.1 0", "0 0.05 0"))
    assert "1 degree of freedom remains to " in complaint(file)
    assert "--motors with 2 joints, or --hold with 1 of bend, pin, " in complaint(file)
    machine = urdf_machine(ElementTree.parse(file).getroot(), file, None)
    sprung = machine.changed(lambda f: replace(f, stiffness=9.0 * (f.name == "bend")))
    assert loose_springs(machine_of(assembled(sprung))) == ["bend"]
    assert not loose_springs(machine_of(assembled(machine)))


LEAF = """<mujoco><default><geom type="capsule" size="0.01"/><joint axis="0 0 1"/></default>
    <worldbody><body name="left" pos="-0.1 0 0"><joint name="left"/>
      <geom fromto="0 0 0 -0.12 0.16 0"/><body name="hand" pos="-0.12 0.16 0">
        <joint name="elbow" stiffness="0.01"/><geom fromto="0 0 0 0.22 0.165 0"/></body></body>
    <body name="right" pos="0.1 0 0"><joint name="right"/><geom fromto="0 0 0 0.12 0.16 0"/>
      <body name="rod" pos="0.12 0.16 0"><joint name="pin"/><geom fromto="0 0 0 -0.11 0.0825 0"/>
        <body name="end" pos="-0.11 0.0825 0"><joint name="leaf" stiffness="900"/>
          <geom fromto="0 0 0 -0.11 0.0825 0"/></body></body></body></worldbody>
    <equality><connect body1="end" body2="hand" anchor="-0.11 0.0825 0"/></equality>
    <actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>"""


def test_of_several_springs_those_are_held_that_leave_all_motors_free(tmp_path):
    found = imported(written(tmp_path, LEAF))
    assert found.platform == "hand"
    assert len(found.robot.platform.moves) == 2
    held = "Springs are held that would move the platform while all motors are locked: leaf."
    assert held in found.robot.notes
    (elbow,) = (joint for joint in found.robot.joints if joint.name == "elbow")
    assert elbow.stiffness == 0.01


def test_a_machine_of_slides_alone_and_springs_that_are_no_motors(tmp_path):
    """A table on crossed slides in two orders; without motors, a sprung slide is none."""
    body = '<body name="{}" pos="0 0 {}"><joint type="slide" axis="{}"{}/><geom size="0.02"/>'
    text = f"""<mujoco><worldbody>
        {body.format("a", 0, "1 0 0", ' name="x"')}{body.format("table", 0.1, "0 1 0", "")}</body>
        </body>{body.format("b", 0.2, "0 1 0", ' name="y"')}{body.format("c", 0, "1 0 0", "")}
        </body></body></worldbody><equality><weld body1="table" body2="c"/></equality>
        <actuator><motor joint="x"/><motor joint="y"/></actuator></mujoco>"""
    found = imported(written(tmp_path, text))
    assert (found.platform, found.robot.platform.moves) == ("table", ("x", "y"))
    assert [joint.type for joint in found.robot.joints] == ["P"] * 4
    sprung = FIVE_BAR.replace('<joint name="shoulder_l"', '<joint stiffness="5" name="shoulder_l"')
    sprung = re.sub("(?s)<actuator>.*</actuator>", "", sprung)
    assert "stiffness" in sprung
    assert "no joint is driven; expected" in complaint(written(tmp_path, sprung))


INERTIA = """<inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>"""
FOUR_BAR = f"""<robot name="four-bar"><link name="base"/><link name="crank">{INERTIA}</link>
    <link name="coupler">{INERTIA}</link><link name="rocker">{INERTIA}</link>
    <link name="closing_x_1"/><link name="closing_x_2"/>
    <joint name="motor" type="revolute"><parent link="base"/><child link="crank"/>
      <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="3"/></joint>
    <joint name="pin" type="continuous"><parent link="crank"/><child link="coupler"/>
      <origin xyz="0 0.1 0"/><axis xyz="0 0 1"/></joint>
    <joint name="foot" type="continuous"><parent link="base"/><child link="rocker"/>
      <origin xyz="0.3 0 0"/><axis xyz="0 0 1"/></joint>
    <joint name="end" type="fixed"><parent link="coupler"/><child link="closing_x_1"/>
      <origin xyz="0.3 0.1 0"/></joint>
    <joint name="tip" type="fixed"><parent link="rocker"/><child link="closing_x_2"/>
      <origin xyz="0 0.2 0"/></joint>
    <transmission name="t"><joint name="motor"/></transmission></robot>"""
END = '<joint name="end" type="continuous"><axis xyz="0 0 1"/>'
COUPLED = f"""<link name="wheel">{INERTIA}</link><joint name="wheel" type="continuous">
    <parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/>
    <mimic joint="motor" multiplier="{{}}" offset="0.2"/></joint></robot>"""


def four_bar(folder, *changes):
    text = FOUR_BAR
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return written(folder, text, "four-bar.urdf")


def test_couplings_of_joints_that_are_held(tmp_path):
    """A wheel of ratio 0 stands still, and the motor that a held wheel holds is none."""
    still = four_bar(tmp_path, ("</robot>", COUPLED.format(0)))
    found = imported(still, platform="coupler")
    assert not found.robot.couplings
    geared = four_bar(tmp_path, ("</robot>", COUPLED.format(2)))
    (coupling,) = imported(geared, platform="coupler").robot.couplings
    assert coupling.weights == (1.0, -2.0)
    assert len(imported(geared, platform="coupler", subtree="crank").robot.couplings) == 1
    held = complaint(geared, platform="coupler", hold=["wheel"])
    assert "no joint is driven, and none could be" in held
    fixed = four_bar(tmp_path, ("</joint>\n    <tr", '<mimic joint="motor"/></joint>\n    <tr'))
    assert "<mimic> of tip" in imported(fixed, platform="coupler").left_out


def test_a_loop_of_urdf_has_limits_and_friction_as_a_joint_has(tmp_path):
    loop = """<loop name="hinge" type="revolute"><predecessor link="end_1"/>
        <successor link="end_2"/><axis xyz="0 0 2"/><limit lower="-0.5" upper="1"/>
        <dynamics damping="0.3"/><stop/></loop>"""
    file = four_bar(
        tmp_path, ("closing_x", "end"), ("</robot>", f"{loop}</robot>"),
        ('<link name="crank">', '<link name="crank"><contact/>'),
    )  # fmt: skip
    found = imported(file, platform="coupler")
    joint = found.robot.joints[-1]
    assert (joint.name, joint.range, joint.damping) == ("hinge", (-0.5, 1.0), 0.3)
    assert found.left_out == ("<contact> of crank", "<stop> of hinge")
    wrong = file.read_text().replace('"hinge" type="revolute"', '"hinge" type="screw"')
    said = "hinge: a loop of another type, got 'screw'; expected point, revolute"
    assert said in complaint(written(tmp_path, wrong, "four-bar.urdf"))


def test_what_a_four_bar_must_be_told(tmp_path):
    file = four_bar(tmp_path)
    assert imported(file).platform == "coupler"
    assert "subtree: does not move, got 'base'" in complaint(file, subtree="base")
    assert "home: not a number" in complaint(file, home="motor=nan")
    bare = four_bar(tmp_path, ('<transmission name="t"><joint name="motor"/></transmission>', ""))
    assert "no joint is driven; expected <actuator> of MJCF, " in (said := complaint(bare))
    assert "or --motors with 1 of motor, foot, pin" in said


def test_home_is_where_motors_are_inside_their_ranges(tmp_path):
    outside = four_bar(tmp_path, ('lower="-1"', 'lower="0.5"'))
    found = imported(outside, platform="coupler")
    assert found.robot.driven[0].home == pytest.approx(0.525, abs=1e-9)
    way = "Home is moved from where motors are outside their ranges: motor from 0 to 0.525 rad."
    assert way in found.assumed
    words = "motor: driven, but home, 0, is outside of 0.5 to 1; expected --home"
    assert words in complaint(outside, home="motor=0")
    found = imported(outside, platform="coupler", drop_limits=True)
    assert "range of motor: home, 0, is outside of 0.5 to 1" in found.left_out
    assert found.robot.driven[0].range is None
    limits = '<joint name="foot" type="revolute"><limit lower="3" upper="3.1"/>'
    rocks = ('t"><joint name="motor"', 't"><joint name="foot"')
    beyond = four_bar(tmp_path, ('<joint name="foot" type="continuous">', limits), rocks)
    assert "foot: driven, but home, 0, is outside of 3 to 3.1" in complaint(beyond)


def test_home_is_not_moved_where_loops_open_on_the_way(tmp_path):
    """The coupler reaches the rocker on both sides of the base, and not between them."""
    far = four_bar(
        tmp_path, ("0 0.1 0", "0.15 0.26 0"), ("0.3 0.1 0", "0.139 -0.056 0"),
        ('lower="-1" upper="1"', 'lower="-2" upper="-1.6"'),
    )  # fmt: skip
    assert "motor: driven, but home, " in complaint(far)
    assert imported(far, home="motor=-1.7, foot=-2.684, pin=2.102").robot.driven[0].home < -1.6


def test_home_of_a_large_machine_may_be_outside_by_rounding(tmp_path):
    """0.5 mm of a machine of 6 m, as any other length, count by its size."""
    text = """<mujoco><worldbody><body name="crank"><joint name="pinned" axis="0 1 0"/>
        <geom size="0.02"/><body name="rod" pos="0.9 0 1.2"><joint name="pin" axis="0 1 0"/>
        <joint name="cross" axis="0 0 1"/><geom size="0.03"/></body></body><body name="platform"
        pos="6 0 0"><joint name="slide" type="slide" axis="1 0 0" range="0.0005 2"/>
        <geom size="0.04"/></body></worldbody><actuator><motor joint="slide"/></actuator>
        <equality><connect body1="platform" body2="rod" anchor="0 0 0"/></equality></mujoco>"""
    found = imported(written(tmp_path, text))
    assert "that home is just outside the range of slide" in found.left_out
    assert found.robot.driven[0].home == 0.0


def test_the_older_form_of_loops_and_axes_parallel_to_their_digits(tmp_path):
    """Pairs by the beginnings of their names, motors by parts; the axes are off by 4e-6 rad."""
    file = four_bar(
        tmp_path, ("closing_x_1", "loop1_A"), ("closing_x_2", "loop1_B"),
        ('<child link="rocker"/>', '<child link="rocker"/><origin rpy="4e-6 0 0"/>'),
        ('<origin xyz="0.3 0 0"/>', ""), ('<joint name="end" type="fixed">', END),
        ('rpy="4e-6 0 0"', 'xyz="0.3 0 0" rpy="4e-6 0 0"'),
    )  # fmt: skip
    loops = 'name_mot: "oto"\nname_closedloop: "loop"\nclosed_loop_number: 1\ntype: "6D"\n'
    for same in (loops.replace("1", "-1"), loops.replace("closed_loop_number: 1\n", "")):
        written(tmp_path, same, "robot.yaml")
        beside = urdf_machine(ElementTree.parse(file).getroot(), file, tmp_path / "robot.yaml")
        assert [loop.name for loop in beside.loops] == ["loop1_A"]
    for old, new, words in (
        ('"6D"', '"planar"', "planar"),
        ('"6D"', "[6d, 3d]", "type: too few or too many, got 2"),
        ('"6D"', "6d\nclosed_loop: [[loop1_A, loop1_B]]", "two forms, or half of one"),
        ('name_closedloop: "loop"\n', "", "two forms, or half of one"),
    ):
        written(tmp_path, loops.replace(old, new), "robot.yaml")
        assert words in complaint(file)
    written(tmp_path, loops, "robot.yaml")
    ball = written(tmp_path, file.read_text().replace('"pin"', '"to_rotule"'), "ball.urdf")
    assert "to_rotule: a ball by its name alone" in complaint(ball)
    found = imported(file)
    assert [joint.name for joint in found.robot.driven] == ["motor"]
    assert "m and 2e-06 rad so that they close" in found.robot.notes
    np.testing.assert_allclose([j.axis for j in found.robot.joints], [[0, 0, 1]] * 4, atol=4e-6)
    written(tmp_path, loops.replace("1", "2"), "robot.yaml")
    assert "closed_loop[1]: no such frame" in complaint(file)


def test_motors_of_ros_are_joints_that_take_commands(tmp_path):
    control = """<ros2_control><joint name="motor"><command_interface name="position">
        <param name="min">-0.2</param></command_interface></joint>
        <joint name="foot"><state_interface name="position"/></joint></ros2_control>"""
    old = re.search("<transmission.*</transmission>", FOUR_BAR)[0]
    found = imported(four_bar(tmp_path, (old, control)), platform="coupler")
    assert [joint.name for joint in found.robot.driven] == ["motor"]
    assert "limits of commands of motor" in found.left_out


MASS = "<inertial><mass>1</mass></inertial>"
SDF = f"""<sdf version="1.9"><model name="m"><pose>0 0 0 3.141592653589793 0 0</pose>
    <link name="base"/><link name="crank">{MASS}</link>
    <link name="coupler"><pose>0 .1 0 0 0 0</pose>{MASS}</link>
    <link name="rocker"><pose>.3 0 0 0 0 0</pose>{MASS}</link>
    <joint name="ground" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="motor" type="revolute"><parent>base</parent><child>crank</child>
      <axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><velocity>3</velocity></limit>
      </axis></joint>
    <joint name="pin" type="revolute"><parent>crank</parent><child>coupler</child>
      <axis><xyz>0 0 1</xyz></axis></joint>
    <joint name="foot" type="revolute"><parent>base</parent><child>rocker</child>
      <axis><xyz>0 0 1</xyz><limit><lower>-0.5</lower></limit></axis></joint>
    <joint name="tip" type="ball"><pose>0 .2 0 0 0 0</pose><parent>coupler</parent>
      <child>rocker</child></joint>
    <plugin filename="joint-position-controller"><joint_name>motor</joint_name></plugin>
    <plugin filename="libgazebo_ros_joint_state_publisher.so"><joint_name>foot</joint_name></plugin>
    </model></sdf>"""
SDF_WHEEL = f"""<link name="wheel">{MASS}<gravity>false</gravity><sensor/></link>
    <joint name="geared" type="revolute"><parent>base</parent><child>wheel</child>
      <axis><xyz>0 0 1</xyz><mimic joint="motor"><multiplier>2</multiplier><offset>0.1</offset>
      <reference>0.2</reference></mimic></axis></joint><plugin"""


def test_an_sdf_model_stands_in_the_world(tmp_path):
    """It is turned upside down there; only one plugin drives, and ranges with one end are lost."""
    found = imported(written(tmp_path, SDF, "machine.sdf"), platform="coupler")
    (motor,) = found.robot.driven
    assert (motor.axis, motor.max_speed) == ((0.0, 0.0, -1.0), 3.0)
    assert found.robot.joints[1].at == (0.0, -0.1, 0.0)
    assert "range of foot, which has one end: -0.5 to inf" in found.left_out
    geared = SDF.replace("<plugin", SDF_WHEEL, 1)
    found = imported(written(tmp_path, geared, "machine.sdf"), platform="coupler")
    assert len(found.robot.couplings) == 1
    at = {joint.name: joint.home for joint in found.robot.joints}
    assert at["geared"] == pytest.approx(2 * (at["motor"] - 0.2) + 0.1, abs=1e-12)
    assert {"that gravity does not act on wheel", "<sensor> of wheel"} <= {*found.left_out}


def test_what_else_sdf_and_urdf_say_is_listed(tmp_path):
    more = "<mass>1</mass><fluid_added_mass><xx>3</xx></fluid_added_mass>"
    odd = SDF.replace("<mass>1</mass>", more, 1).replace("<link", "<static>true</static><link", 1)
    odd = odd.replace("</axis>", "<initial_position>1</initial_position></axis>", 1)
    odd = odd.replace("<plugin", '<plugin name="fan"/><plugin', 1)
    tool = '<link name="tool"/><joint name="flange" type="fixed"><parent>coupler</parent>'
    odd = odd.replace("<plugin", f"{tool}<child>tool</child></joint><plugin", 1)
    odd = odd.replace("<model", "<world><wind/><model").replace("</model>", "</model></world>")
    found = imported(written(tmp_path, odd, "machine.sdf"), platform="coupler")
    assert "Without <mass>, SDF takes 1 kg: tool." in found.assumed
    inertias = "Without <inertia>, SDF takes 1 kg m^2: crank, coupler, rocker, tool."
    assert inertias in found.assumed
    for words in ("<fluid_added_mass> of crank", "<initial_position> of motor.axis", "plugin fan",
                  "<wind> of the world",
                  "that the model is static, and nothing of it moves"):  # fmt: skip
        assert words in found.left_out
    text = (FILES / "linkage.urdf").read_text()
    bare = re.sub(r"<inertial>.*?</inertial>", "", text, flags=re.DOTALL)
    bare = re.sub(r'rpy="0 0 0"', 'quat_xyzw="0 0 0 2"', bare)
    found, given = (
        imported(written(tmp_path, x, "machine.urdf"), loops=FILES / "linkage.yaml",
                 platform="effector") for x in (bare, text)
    )  # fmt: skip
    np.testing.assert_allclose(found.robot.home, given.robot.home, atol=1e-9)
    assert any(line.startswith("The file gives no mass of") for line in found.assumed)
    back = re.sub(r'lower="[^"]*"', 'lower="9"', text)
    assert "its range is empty" in complaint(written(tmp_path, back, "machine.urdf"),
                                             loops=FILES / "linkage.yaml")  # fmt: skip


def test_joints_of_sdf_join_frames_too_and_continuous_ones_have_no_range(tmp_path):
    """One frame is fixed to a frame of a link, one to a joint's child, one to the model."""
    frames = """<frame name="middle" attached_to="coupler"/><frame name="own"/>
        <frame name="end" attached_to="middle"/>
        <frame name="foot-end" attached_to="foot"><pose>0 .2 0 0 0 0</pose></frame><plugin"""
    told = SDF.replace("<parent>coupler<", "<parent>end<").replace("<plugin", frames, 1)
    told = told.replace("<parent>base</parent><child>crank", "<parent>own</parent><child>crank")
    told = re.sub(r"<pose>0 .2.*?</pose>(<parent>end.*?)rocker", r"\1foot-end", told, flags=re.S)
    found, given = (
        imported(written(tmp_path, text, "machine.sdf"), platform="coupler") for text in (told, SDF)
    )
    assert found.robot == given.robot
    free = SDF.replace('"motor" type="revolute"', '"motor" type="continuous"')
    (motor,) = imported(written(tmp_path, free, "machine.sdf"), platform="coupler").robot.driven
    assert (motor.range, motor.max_speed) == (None, 3.0)
    round_about = '<frame name="f" attached_to="f"><pose relative_to="base"/></frame><plugin'
    circle = SDF.replace("<parent>base", "<parent>f").replace("<plugin", round_about, 1)
    assert "motor: no such link, got 'f'" in complaint(written(tmp_path, circle, "machine.sdf"))


def test_frames_without_a_name_in_sdf_are_those_that_are_meant_without_any(tmp_path):
    turned = '"pin" type="revolute"><pose>0 0 0 3.141592653589793 0 0</pose>'
    plain = SDF.replace('"pin" type="revolute">', turned)
    empty = plain.replace("<xyz>", '<xyz expressed_in="">')
    empty = empty.replace("<pose>", '<pose relative_to="">')
    found, given = (
        imported(written(tmp_path, text, "machine.sdf"), platform="coupler")
        for text in (empty, plain)
    )
    assert found == given


def test_axes_of_old_sdf_are_those_of_the_model(tmp_path):
    turned = "<pose>0 .1 0 1.5707963267948966 0 0</pose>"
    old = SDF.replace("<pose>0 .1 0 0 0 0</pose>", turned).replace("1.9", "1.4")
    found = imported(written(tmp_path, old, "machine.sdf"), platform="coupler")
    assert found.robot.joints[1].axis == (0.0, 0.0, -1.0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<inertial>", '<inertial auto="true">', "crank: its mass is that of its shapes"),
        ('name="crank"', 'name="coupler"', "a <link> with a name given twice, got 'coupler'"),
        ('name="crank"', "", "a <link> without a name"),
        ("<mass>1<", "<mass>1e400<", "crank.<inertial/mass>: not a finite number"),
        ("<pose>0 .1", "<pose>O .1", "coupler.<pose>: not a finite number"),
        ("<lower>-1", "<lower>x", "motor.<limit/lower>: not a finite number"),
        ("<xyz>0 0 1", "<xyz>0 1", "motor.<xyz>: not 3 numbers"),
        ("<plugin", '<model name="other"/><plugin', "model: models or files in a model"),
        ('"m"', '"m" canonical_link="m"', "canonical_link: no such link, got 'm'; expected"),
        ("<plugin", '<frame name="f"/>' * 1001 + "<plugin", "1,001 of <frame>; expected at most"),
    ],
)
def test_sdf_that_is_refused(tmp_path, old, new, words):
    text = SDF.replace("<parent>world<", "<parent>crank<") if "canonical" in new else SDF
    assert words in complaint(written(tmp_path, text.replace(old, new, 1), "machine.sdf"))


def test_a_table_of_few_digits_is_closed_within_them(tmp_path):
    """Axes of a spherical mechanism, each by a point and a direction of six digits."""
    turn = rotation(gough.pose([0, 0, 0], rpy=[0.3, 0.5, -0.7])).as_matrix()
    exact, data = gough.load("agile-eye"), gough.load("agile-eye").to_dict()
    centre = np.array(exact.joints[0].at)
    for joint in data["joints"]:
        axis = turn @ np.array(joint["axis"])
        joint["at"] = np.round(turn @ centre + 0.1 * axis, 6).tolist()
        joint["axis"] = np.round(axis, 6).tolist()
    file = written(tmp_path, json.dumps(data), "table.json")
    with pytest.raises(GoughError, match="the platform has 1 degrees of freedom and 3 moves"):
        print(gough.Model(gough.load(file)).structure)
    found = imported(file)
    (note,) = found.assumed
    assert note in found.robot.notes
    assert float(re.search(r"at most (\S+) m and", note)[1]) < 1e-6
    pairs = [*zip(data["joints"], found.robot.joints, strict=True)]
    for key in ("at", "axis"):
        change = [np.subtract(old[key], getattr(new, key)) for old, new in pairs]
        assert 1e-12 < np.abs(change).max() < 1e-6
    gough.save(found.robot, tmp_path / "closed.toml")
    structure = gough.Model(gough.load(tmp_path / "closed.toml")).structure
    assert (structure.mobility, structure.overconstrained) == (3, 6)
    for other, words in (
        ("agile-eye", "its loops agree as they are"),
        ("delta", "its loops agree as they are"),
        ("demo-hexapod", "a hexapod, which has no loops to close"),
    ):
        gough.save(gough.load(other), tmp_path / "plain.json")
        assert words in complaint(tmp_path / "plain.json")
    data = exact.to_dict()
    data["joints"][3]["at"] = [1e-6, 0.0, 0.0]  # all others are in the centre
    assert (
        "Its loops agree to "
        in imported(written(tmp_path, json.dumps(data), "near.json")).assumed[0]
    )
    assert "options beside a robot file" in complaint(file, platform="platform")


def test_couplings_of_a_table_hold_its_joints_too():
    robot = gough.load("belt-scara")
    home = assembled(machine_of_table(robot))
    joints = [{name.removesuffix("/0") for name in c.joints} for c in home.couplings]
    assert joints == [{*coupling.joints} for coupling in robot.couplings]
    assert free_motions(home).shape[1] == len(robot.driven)


def test_springs_and_armatures_hold_a_body_that_else_is_free():
    six = [
        FileFreedom(kind, kind, np.zeros(3), axis)
        for kind in ("slide", "hinge")
        for axis in np.eye(3)
    ]
    assert FileJoint("stage", ("base", "stage"), tuple(six)).is_free
    for held in ({"stiffness": 5.0}, {"armature": 3.0}, {"damping": 1.0}, {"motor": 0}):
        freedoms = (replace(six[0], **held), *six[1:])
        assert not FileJoint("stage", ("base", "stage"), freedoms).is_free


def test_a_spring_at_rest_is_at_rest_seen_from_the_other_body():
    spring = FileFreedom("x", "hinge", np.zeros(3), np.eye(3)[2], 0.5, stiffness=2.0, relaxed=0.5)
    assert not FileJoint("x", ("a", "b"), (spring,)).turned_round.freedoms[0].is_loaded
