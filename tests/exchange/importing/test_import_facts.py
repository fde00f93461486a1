"""What of a file becomes what of a robot, and what is told to be left out."""

import shutil
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import gough
from gough.exchange import imported
from gough.exchange.importing.file_machine import FileBody, FileFreedom, FileJoint, FileMachine
from gough.exchange.importing.machine import fused
from gough.exchange.importing.platform import PlatformFrame
from gough.exchange.importing.robot_file import machine_facts
from gough.robot import Hexapod, Mechanism

FILES = Path(__file__).parents[2] / "data" / "imports"


def test_a_stewart_platform_becomes_a_hexapod_with_all_its_numbers():
    robot = gough.import_robot(FILES / "stewart.xml")
    assert isinstance(robot, Hexapod)
    assert robot.gravity == (0.0, 0.0, -9.80665)
    assert robot.home == (0.0, 0.0, 0.8, 1.0, 0.0, 0.0, 0.0)
    first = robot.legs[0]
    assert (first.kind, first.base, first.platform) == (
        "UPS", (0.483, -0.1294, 0.05), (0.2121, -0.2121, -0.02),
    )  # fmt: skip
    assert (first.cylinder.mass, first.max_force) == (3.0, 500.0)
    assert first.joint_friction.base_damping == 0.02
    length = np.linalg.norm([-0.2709, -0.0827, 0.73])
    assert np.allclose(first.stroke, [length - 0.15, length + 0.2], rtol=0, atol=1e-14)
    capsule = mujoco.MjModel.from_xml_path(str(FILES / "stewart.xml")).body("rod1")
    assert abs(first.piston.mass - capsule.mass[0]) < 1e-15


def stewart(tmp_path, *changes):
    """The Stewart platform with some of its text changed."""
    text = (FILES / "stewart.xml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "stewart.xml").write_text(text)
    shutil.copy(FILES / "stewart_defaults.xml", tmp_path)
    return imported(tmp_path / "stewart.xml")


def test_legs_between_balls_may_be_askew_by_rounding(tmp_path):
    balls = [
        change
        for k in range(1, 7)
        for change in (
            (f'name="leg{k}_ux" class="universal" axis="1 0 0"', f'name="leg{k}" type="ball"'),
            (f'<joint name="leg{k}_uy" class="universal" axis="0 1 0"/>', ""),
        )
    ]
    rounded = ('zaxis="-0.2709 -0.0827 0.73"', 'zaxis="-0.271 -0.083 0.73"')
    exact, askew = stewart(tmp_path, *balls), stewart(tmp_path, *balls, rounded)
    assert [leg.kind for leg in askew.robot.legs] == ["SPS"] * 6
    told = "that slide leg1_slide is 0.00039 rad off the line of its leg"
    assert askew.left_out == (*exact.left_out, told)
    pose = np.array(exact.robot.home)
    efforts, others = (gough.Model(r.robot).inverse_dynamics(pose) for r in (exact, askew))
    assert np.allclose(efforts, others, rtol=1e-9, atol=0)


@pytest.mark.parametrize("kinds", ["slide slide slide hinge hinge hinge", "slide slide slide ball"])
def test_slides_and_hinges_that_leave_all_freedoms_are_a_free_joint(tmp_path, kinds):
    axes = ("1 0 0", "0 1 0", "0 0 1") * 2
    joints = "".join(
        f'<joint type="{k}" axis="{a}" damping="0"/>'
        for k, a in zip(kinds.split(), axes, strict=False)
    )
    found = stewart(tmp_path, ("<freejoint/>", joints)).robot
    assert found == gough.import_robot(FILES / "stewart.xml")


def test_joints_keep_their_limits_friction_and_zero():
    robot = gough.import_robot(FILES / "delta.xml")
    assert isinstance(robot, Mechanism)
    assert [joint.name for joint in robot.driven] == ["hip1", "hip3", "hip2"]
    hip = robot.driven[0]
    assert np.allclose(hip.range, np.radians([-50, 70]), rtol=0, atol=1e-15)
    assert np.isclose(hip.position_at_home, np.radians(10), rtol=0, atol=1e-15)
    assert (hip.damping, hip.friction, hip.max_torque) == (0.01, 0.02, 30.0)
    assert robot.platform.moves == ("x", "y", "z")


def test_what_a_flag_disables_counts_for_nothing(tmp_path):
    flags = '<flag gravity="disable" damper="disable" frictionloss="disable" limit="disable"/>'
    text = (FILES / "delta.xml").read_text()
    text = text.replace('<option gravity="0 0 -9.81"/>', f"<option>{flags}</option>")
    (tmp_path / "delta.xml").write_text(text)
    robot = gough.import_robot(tmp_path / "delta.xml")
    assert robot.gravity == (0.0, 0.0, 0.0)
    hip = robot.driven[0]
    assert (hip.damping, hip.friction, hip.range) == (None, None, None)


@pytest.mark.parametrize(
    ("option", "off"),
    [
        ('<flag actuation="disable"/>', ["hip1", "hip3", "hip2"]),
        ('<option actuatorgroupdisable="3"/>', ["hip3"]),
    ],
)
def test_actuators_that_are_disabled_are_no_motors(tmp_path, option, off):
    text = (FILES / "delta.xml").read_text()
    tag = '<option gravity="0 0 -9.81"'
    told = option.replace("<option", tag) if "group" in option else f"{tag}>{option}</option>"
    text = text.replace(f"{tag}/>", told).replace(' joint="hip3"', ' joint="hip3" group="3"')
    (tmp_path / "delta.xml").write_text(text)
    found = imported(tmp_path / "delta.xml", motors=["hip1", "hip2", "hip3"])
    efforts = {joint.name: joint.max_torque for joint in found.robot.driven}
    assert efforts == {n: None if n in off else 30.0 for n in ("hip1", "hip2", "hip3")}
    assert [said for said in found.left_out if "which is disabled" in said] == [
        f"actuator {name.replace('hip', 'servo')}, which is disabled" for name in off
    ]


def test_names_that_mean_two_things_there_mean_one_here(tmp_path):
    text = (FILES / "delta.xml").read_text()
    for old, new in (
        ('body name="arm1"', "body"),
        ('body name="arm2"', 'body name="body-1"'),
        ('joint name="elbow1a"', "joint"),
        ('"hip2"', '"joint-1"'),
        ('connect name="w1b"', 'connect name="hip1"'),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "delta.xml").write_text(text)
    robot, same = (
        gough.import_robot(tmp_path / "delta.xml"),
        gough.import_robot(FILES / "delta.xml"),
    )
    names = [joint.name for joint in robot.joints]
    assert names[:2] == ["hip1", "rod1a-ball"]
    assert "hip1-loop" in names
    assert {"body-1'", "body-1"} <= {body.name for body in robot.bodies}
    pose = np.array(robot.home)
    efforts = gough.Model(robot).inverse_dynamics(pose)
    assert np.allclose(efforts, gough.Model(same).inverse_dynamics(pose), rtol=1e-12, atol=0)


CRANK = """<mujoco><worldbody>
    <body name="{crank}"><joint name="motor" axis="0 1 0"/><geom size="0.02"/>
      <body name="{rod}" pos="{x} 0 {z}"><joint name="pin" axis="0 1 0"/>
        <joint name="cross" axis="0 0 1"/><geom size="0.03"/></body></body>
    <body name="platform" pos="0.4 0 0"><joint type="slide" axis="1 0 0"/><geom size="0.04"/></body>
    </worldbody>
    <equality><connect body1="platform" body2="{rod}" anchor="0 0 0"/></equality>
    <actuator><motor joint="motor"/></actuator></mujoco>"""


def slider_crank(tmp_path, crank="crank", rod="rod", x=0.06, z=0.08):
    file = tmp_path / "slider-crank.xml"
    file.write_text(CRANK.format(crank=crank, rod=rod, x=x, z=z))
    return gough.import_robot(file)


@pytest.mark.parametrize(
    ("crank", "rod"), [("base-body", "base"), ("rod.pin", "rod"), ("base-body", "base.pin")]
)
def test_no_body_takes_the_name_of_another(tmp_path, crank, rod):
    masses = {round(body.mass, 9) for body in slider_crank(tmp_path).bodies}
    other = slider_crank(tmp_path, crank, rod)
    assert {round(body.mass, 9) for body in other.bodies} == masses
    assert len({body.name for body in other.bodies}) == len(other.bodies)


def test_home_may_be_outside_a_range_by_rounding_and_no_more(tmp_path):
    """The rod is too long by 1e-6 m or 1 cm: the motor turns back from the end of its range."""
    file = tmp_path / "slider-crank.xml"
    text = CRANK.format(crank="crank", rod="rod", x=0.06, z=0.08)
    for old, new in (
        ('name="motor" axis="0 1 0"', 'name="motor" axis="0 1 0" range="0 60"'),
        ('<geom size="0.03"/>', '<geom size="0.03"/><site name="end" pos="{} 0 -0.08"/>'),
        ('<geom size="0.04"/>', '<geom size="0.04"/><site name="eye"/>'),
        ('body1="platform" body2="rod" anchor="0 0 0"', 'site1="end" site2="eye"'),
    ):
        assert old in text
        text = text.replace(old, new)
    file.write_text(text.format("0.340001"))
    found = imported(file)
    low, high = found.robot.driven[0].range
    assert low == found.robot.driven[0].home
    assert -1e-5 < low < 0.0
    assert high == np.radians(60)
    assert "that home is just outside the range of motor" in found.left_out
    file.write_text(text.format("0.35"))
    with pytest.raises(gough.GoughError, match=r"motor: driven, but home, -0.0.* expected --home"):
        imported(file, home="motor=0")
    assert 0.01 < imported(file).robot.driven[0].home < 0.1


def test_a_machine_that_is_drawn_in_a_dead_centre_is_refused(tmp_path):
    with pytest.raises(gough.GoughError, match="home: a dead centre: the platform has 1"):
        slider_crank(tmp_path, x=0.1, z=0.0)


def test_what_is_left_out_is_told_and_stays_in_the_notes():
    found = imported(FILES / "five_bar.xml", platform="gripper")
    assert found.left_out == (
        "geometry of 7 geoms, and contacts between them",
        "equality coupled, which is not active",
    )
    assert all(line in found.robot.notes for line in found.left_out)


def test_limits_that_are_not_the_same_both_ways_are_told_beside_others_that_are(tmp_path):
    text = (FILES / "five_bar.xml").read_text()
    file = tmp_path / "five_bar.xml"
    old = '<motor joint="shoulder_l"'
    assert old in text
    file.write_text(
        text.replace(old, f'{old} name="drive_l" forcerange="-5 0.1" forcelimited="true"')
    )
    found = imported(file, platform="gripper")
    assert "limits of actuator drive_l, which are not the same both ways" in found.left_out


def test_a_weld_makes_two_bodies_one():
    robot = gough.import_robot(FILES / "five_bar.xml", platform="gripper")
    assert abs(robot.platform.mass - (0.2 + 0.1 + 0.05)) < 1e-15
    assert {body.name for body in robot.bodies} == {"left", "right", "forearm_r"}
    assert [joint.type for joint in robot.joints] == ["R"] * 5
    assert robot.driven[0].max_torque == 20.0


LEG = """
    <body name="arm{k}" pos="{x} {y} 0" euler="0 0 {turn}">
      <joint name="hip{k}"/>
      <geom fromto="0 0 0 -0.1 0.2 0"/>
      <body name="rod{k}" pos="-0.1 0.2 0">
        <joint name="elbow{k}"/>
        <geom fromto="0 0 0 -0.15 -0.2 0"/>
        {end}
      </body>
    </body>"""
PLACES = {k: (0.4 * np.cos(t), 0.4 * np.sin(t), t) for k, t in enumerate((0.0, 2.1, 4.2), 1)}


def planar(tmp_path, end="", equality=""):
    """A 3-RRR, whose legs end at (0.15, 0, 0) in the arms' axes turned back to the plate."""
    legs = "".join(
        LEG.format(k=k, x=x, y=y, turn=t, end=end.format(k=k)) for k, (x, y, t) in PLACES.items()
    )
    closed = "".join(equality.format(k=k) for k in PLACES)
    motors = "".join(f'<motor name="motor{k}" joint="hip{k}"/>' for k in PLACES)
    file = tmp_path / "planar.xml"
    file.write_text(
        '<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><default>'
        '<joint axis="0 0 1"/><geom type="capsule" size="0.01" contype="0"/>'
        f'</default><worldbody>{legs}<body name="plate"><freejoint/>'
        '<geom type="cylinder" size="0.15 0.01"/></body></worldbody>'
        f"<equality>{closed}</equality><actuator>{motors}</actuator></mujoco>"
    )
    return file


CONNECT = '<connect name="{{k}}{side}" body1="rod{{k}}" body2="plate" anchor="-0.15 -0.2 {z}"/>'
BALL = CONNECT.format(side="", z="0")
HINGE = CONNECT.format(side="a", z="-0.1") + CONNECT.format(side="b", z="0.1")


@pytest.mark.parametrize(("equality", "type_"), [(BALL, "S"), (HINGE, "R")])
def test_one_held_point_is_a_ball_and_two_are_a_hinge(tmp_path, equality, type_):
    robot = gough.import_robot(planar(tmp_path, equality=equality))
    tips = [joint for joint in robot.joints if "platform" in joint.between]
    assert [joint.type for joint in tips] == [type_] * 3
    assert all(np.allclose(np.abs(joint.lines), [[0, 0, 1]] * len(joint.lines)) for joint in tips)
    assert robot.platform.moves == ("x", "y", "rz")


def test_three_held_points_make_two_bodies_one(tmp_path):
    stub = """<body name="stub{k}" pos="-0.15 -0.2 0"><joint name="tip{k}"/>
        <geom size="0.01" fromto="0 0 0 0.02 0 0"/></body>"""
    points = "".join(
        f'<connect name="{{k}}-{n}" body1="stub{{k}}" body2="plate" anchor="{at}"/>'
        for n, at in enumerate(("0 0 0", "0.1 0 0", "0 0.1 0"))
    )
    robot = gough.import_robot(planar(tmp_path, end=stub, equality=points))
    assert {body.name for body in robot.bodies} == {
        f"{p}{k}" for p in ("arm", "rod") for k in PLACES
    }
    alone = gough.import_robot(planar(tmp_path, equality=HINGE)).platform.mass
    assert robot.platform.mass > alone


def test_three_hinges_that_cross_are_a_ball_and_two_a_universal_joint(tmp_path):
    for hinges, type_ in (("1 0 0|0 1 0|0 0 1", "S"), ("0 0 1|1 0 0", "U")):
        joints = "".join(
            f'<joint name="{n}-{{k}}" axis="{axis}"/>' for n, axis in enumerate(hinges.split("|"))
        )
        cup = f"""<body name="cup{{k}}" pos="-0.15 -0.2 0">{joints}
            <geom size="0.01" fromto="0 0 0 0.02 0 0"/></body>"""
        weld = '<weld name="w{k}" body1="cup{k}" body2="plate"/>'
        robot = gough.import_robot(planar(tmp_path, end=cup, equality=weld))
        tips = [joint for joint in robot.joints if "platform" in joint.between]
        assert [joint.type for joint in tips] == [type_] * 3


def test_hinges_with_springs_that_have_a_force_at_home_stay_two(tmp_path):
    file = tmp_path / "slider-crank.xml"
    text = CRANK.format(crank="crank", rod="rod", x=0.06, z=0.08)
    for name in ("pin", "cross"):
        text = text.replace(f'"{name}"', f'"{name}" stiffness="3" springref="{{{name}}}"')
    for at, types in ((0.0, "RUPS"), (5.0, "RRRPS")):
        file.write_text(text.format(pin=at, cross=at))
        found = imported(file)
        assert "".join(joint.type for joint in found.robot.joints) == types
        own = [joint for joint in found.robot.joints if joint.type == "R" and joint.spring]
        assert [joint.spring.position for joint in own] == [np.radians(at)] * (len(types) - 4) * 2
        assert not any("spring" in line for line in found.left_out)
        assert not any("no mass" in line for line in found.assumed)  # that between them is no body


def test_a_slide_along_the_axis_of_a_hinge_makes_a_cylindrical_joint():
    at, axis = np.zeros(3), np.array([0.0, 0.0, 1.0])
    slide = FileFreedom("slide", "slide", at + 1.0, axis, travel=(0.1, 0.4), zero=0.2)
    hinge = FileFreedom("hinge", "hinge", at, -axis)
    heavy = FileBody(np.eye(4), 1.0, at, np.eye(3))
    bodies = {"base": heavy, "between": FileBody(), "arm": heavy}
    joints = (
        FileJoint("slide", ("base", "between"), (slide,)),
        FileJoint("hinge", ("between", "arm"), (hinge,)),
    )
    found = fused(FileMachine("", (), bodies, joints, {}))
    facts = machine_facts(found, PlatformFrame("arm", np.eye(4), "arm"))["joints"][0]
    assert facts["stroke"] == pytest.approx([-0.2, 0.1])  # along the axis of the hinge
    assert [(joint.type, joint.between) for joint in found.joints] == [("C", ("base", "arm"))]
    assert list(found.bodies) == ["base", "arm"]
    rough = replace(joints[0], freedoms=(replace(slide, friction=1.0),))
    assert len(fused(FileMachine("", (), bodies, (rough, joints[1]), {})).joints) == 2
