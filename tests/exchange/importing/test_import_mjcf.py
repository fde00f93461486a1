"""MJCF files in other people's style: the imported robot against MuJoCo on the file itself."""

import re
import shutil
from pathlib import Path

import mujoco
import numpy as np
import pytest
from oracles.mujoco_file import MujocoFile

import gough
from benchmarks.imported_files import outcome
from gough.errors import GoughError
from gough.exchange import imported
from gough.exchange.importing.mjcf import mjcf_machine
from gough.exchange.importing.selection import at_home
from gough.robot import Hexapod

FILES = Path(__file__).parents[2] / "data" / "imports"
RODS = {f"rod{k}{side}": np.array([-0.41, 0.0, -0.52]) for k in (1, 2, 3) for side in "ab"}
NEARLY = 'name="elbow_l" stiffness="3" springref="8e-7"'
MACHINES = {
    "stewart": ("stewart.xml", "plate", None),
    "stewart, tool": ("stewart.xml", "tool", "tool"),
    "delta": ("delta.xml", "tcp", None),
    "delta, flange": ("delta.xml", "flange", "flange"),
    "five-bar": ("five_bar.xml", "gripper", "gripper"),
}


SPINNING = """<mujoco><default><geom type="capsule" size="0.01"/></default><worldbody>
    <body name="crank"><joint name="motor" axis="0 0 1"/><geom fromto="0 0 0 0.1 0 0" mass="0.2"/>
      <body name="rod" pos="0.1 0 0"><joint name="ball" type="ball"/>
        <geom fromto="0 0 0 0.15 0.1 0.2" mass="0.1"/>
        <geom type="sphere" pos="0.1 0 0.1" mass="0.05"/></body></body>
    <body name="rocker" pos="0.25 0.25 0.1"><joint name="foot" axis="1 0 0"/>
      <geom fromto="0 0 0 0 -0.15 0.1" mass="0.3"/>
      <body name="pen"><joint name="pin" axis="0 0.6 0.8"/>
        <geom type="box" size="0.03 0.01 0.02" pos="0.02 0 0"/></body></body></worldbody>
    <equality><connect body1="rod" body2="rocker" anchor="0.15 0.1 0.2"/></equality>
    <actuator><motor joint="motor"/></actuator></mujoco>"""


def test_what_moves_beside_the_platform_moves_as_in_mujoco(tmp_path):
    """A rod that is not symmetric about its line and a pen on a pin: no motor moves them."""
    (tmp_path / "machine.xml").write_text(SPINNING)
    said = outcome(tmp_path, {"path": "machine.xml"})
    error = re.fullmatch(r"imported, platform rocker; (\S+), with passive joints", said)
    assert float(error[1]) < 1e-12


@pytest.mark.parametrize("name", MACHINES)
def test_efforts_are_those_of_mujoco_on_the_file(name):
    file, seen, platform = MACHINES[name]
    oracle = MujocoFile(FILES / file, seen, RODS if "delta" in name else None)
    robot = gough.import_robot(FILES / file, platform=platform)
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
    """The five-bar's file with a keyframe `bent` elsewhere, in which a spring is without force."""
    text = (FILES / "five_bar.xml").read_text()
    file = folder / "five_bar.xml"
    file.write_text(text)
    oracle = MujocoFile(file, "gripper", None)
    state = oracle.random_state(np.random.default_rng(3))
    numbers = " ".join(f"{x:.8g}" for x in state.positions)  # rounded: its loop is open by that
    keys = f'<keyframe><key name="bent" qpos="{numbers}"/></keyframe></mujoco>'
    spring = f'name="elbow_r" stiffness="3" springref="{state.positions[3]}"'
    file.write_text(text.replace("</mujoco>", keys).replace('name="elbow_r"', spring))
    return state, gough.import_robot(file, platform="gripper", home=home)


def test_a_keyframe_is_home(tmp_path):
    state, robot = with_keyframe(tmp_path, "bent")
    np.testing.assert_allclose(robot.home, state.pose, atol=1e-7)
    assert "In the file, loops are " in robot.notes
    assert {joint.name: joint.stiffness for joint in robot.joints}["elbow_r"] == 3.0
    drawn = gough.import_robot(FILES / "five_bar.xml", platform="gripper")
    assert np.abs(np.subtract(robot.home, drawn.home)).max() > 1e-3
    one, other = (gough.Model(machine) for machine in (robot, drawn))
    np.testing.assert_allclose(one.gravity(robot.home), other.gravity(robot.home), atol=1e-9)
    q, at = one.inverse_kinematics(robot.home), other.inverse_kinematics(robot.home)
    np.testing.assert_allclose(q, at, atol=1e-9)


def test_steps_to_a_keyframe_lead_to_the_places_of_mujoco(tmp_path):
    """Of a free body in a drawn orientation, a ball, a hinge and a slide."""
    file = tmp_path / "tree.xml"
    qpos = np.random.default_rng(1).uniform(-1, 1, 13)
    file.write_text(f"""<mujoco><worldbody>
      <body pos="1 2 3" euler="20 30 40"><freejoint/><geom size="1"/>
        <body pos="1 0 2" euler="0 50 0"><joint name="wrist" type="ball" pos="0 1 0" stiffness="2"/>
          <geom size="1"/>
          <body><joint axis="1 2 0" pos="1 0 0"/><joint type="slide" axis="0 1 1"/>
            <geom size="1"/></body></body></body></worldbody>
      <keyframe><key name="far" qpos="{" ".join(map(str, qpos))}"/></keyframe></mujoco>""")
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_kinematics(model, data)
    machine = mjcf_machine(file)
    places = np.array([body.place for body in at_home(machine, "far").bodies.values()])
    np.testing.assert_allclose(places[:, :3, 3], data.xpos, atol=1e-12)
    np.testing.assert_allclose(places[:, :3, :3], data.xmat.reshape(-1, 3, 3), atol=1e-12)
    assert "springs of wrist" in machine.left_out


def test_a_keyframe_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(GoughError, match="home: no such keyframe, got 'folded'; expected bent"):
        with_keyframe(tmp_path, "folded")


@pytest.mark.parametrize("relaxed", [0.0, 0.2])
def test_springs_of_joints_are_imported(tmp_path, relaxed):
    plain = '<joint name="elbow_r"/>'
    sprung = plain.replace("/>", f' stiffness="3" springref="{relaxed}"/>')
    file = tmp_path / "five_bar.xml"
    file.write_text((FILES / "five_bar.xml").read_text().replace(plain, sprung))
    found = imported(file, platform="gripper")
    left_out = [line for line in found.left_out if line.startswith("spring")]
    (joint,) = [joint for joint in found.robot.joints if joint.name == "elbow_r"]
    spring = joint.spring.stiffness if relaxed else joint.stiffness
    assert (left_out, spring) == ([], 3.0)
    oracle, model = MujocoFile(file, "gripper"), gough.Model(found.robot)
    state = oracle.random_state(np.random.default_rng(2))
    oracle.efforts(state, np.zeros(6))
    N = oracle._moves()
    theirs = np.linalg.lstsq(N[oracle.motors].T, -N.T @ oracle.data.qfrc_spring, rcond=1e-12)[0]
    ours = model.actuator_force(state.pose) - model.inverse_dynamics(state.pose)
    assert np.abs(theirs).max() > 0.01
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


def test_springs_that_have_no_place_are_listed(tmp_path):
    """One that is 0.8 µrad from where it has no force is not among them, whatever the size."""
    text = (FILES / "five_bar.xml").read_text().replace('name="elbow_l"', NEARLY)
    for name, stiffness in (("elbow_r", "3 2 1"), ("tip", "-3"), ("shoulder_r", "3")):
        text = text.replace(f'name="{name}"', f'name="{name}" stiffness="{stiffness}"')
    file = tmp_path / "five_bar.xml"
    file.write_text(text)
    found = imported(file, platform="gripper")
    assert [line for line in found.left_out if line.startswith("spring")] == [
        "springs that are not linear of elbow_r",
        "springs of negative stiffness of tip",
    ]
    assert [joint.name for joint in found.robot.joints if joint.stiffness] == ["elbow_l"]


def test_rotors_and_losses_of_actuators_are_those_of_mujoco_and_gains_are_listed(tmp_path):
    text = (FILES / "five_bar.xml").read_text()
    motor = re.search(r"<motor[^>]*shoulder_l[^>]*/>", text)[0]
    more = re.sub(r'gear="[^"]*"', 'gear="5" armature="0.02" damping="0.3"', motor)
    servo = re.search(r"<motor[^>]*shoulder_r[^>]*/>", text)[0]
    text = text.replace(motor, more).replace(servo, '<position joint="shoulder_r" kp="9"/>')
    file = tmp_path / "five_bar.xml"
    file.write_text(text)
    found = imported(file, platform="gripper")
    model = mujoco.MjModel.from_xml_path(str(file))
    dof, data = model.joint("shoulder_l").dofadr[0], mujoco.MjData(model)
    data.qvel[dof] = 1.0
    mujoco.mj_forward(model, data)
    (joint,) = [joint for joint in found.robot.joints if joint.name == "shoulder_l"]
    assert joint.damping == pytest.approx(-data.qfrc_passive[dof])
    assert joint.armature - model.dof_armature[dof] == pytest.approx(5**2 * 0.02)
    assert any(line.startswith("gains of actuators") for line in found.left_out)


def test_actuators_may_have_several_controls_and_forces(tmp_path):
    """Gears are counted by forces, limits by controls; both of the last motor are its own."""
    text = (FILES / "five_bar.xml").read_text()
    lone = '<body pos="2 0 0"><joint name="lone" type="ball"/><geom size="1 1 1"/></body>'
    more = '<orientation joint="lone" kp="3"/><pid joint="shoulder_r" input="pos vel" kp="5"/>'
    text = text.replace("</worldbody>", f"{lone}</worldbody>").replace('joint="shoulder_r" ', "")
    text = re.sub(r'<motor gear="20"/>', "", text).replace("<actuator>", f"<actuator>{more}")
    file = tmp_path / "five_bar.xml"
    file.write_text(text)
    found = imported(file, platform="gripper")
    assert [joint.name for joint in found.robot.driven] == ["shoulder_r", "shoulder_l"]
    assert [joint.max_torque for joint in found.robot.driven] == [None, 20.0]


def test_controls_that_are_no_forces_are_no_limits_and_losses_are_listed(tmp_path):
    """An integrator's control is the rate of its force; a tendon limits another motor's."""
    text = (FILES / "five_bar.xml").read_text()
    for old, new in (
        ("<motor", '<general dyntype="integrator"'),
        ('joint="shoulder_r" gear="20"', 'tendon="belt" ctrlrange="-3 3"'),
        ('name="elbow_r"', 'name="elbow_r" stiffness="3" springyield="0.1"'),
        ("<actuator>", '<custom><numeric name="n" data="1"/></custom><tendon><fixed name="belt" '
         'actuatorfrcrange="-1 1"><joint joint="shoulder_r" coef="2"/></fixed></tendon><actuator>'),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new, 1)
    file = tmp_path / "five_bar.xml"
    file.write_text(text)
    found = imported(file, platform="gripper")
    assert [joint.max_torque for joint in found.robot.driven] == [None, 6.0]
    assert {"dynamics of actuators actuator-0", "tendons belt", "1 custom numbers",
            "springs with a maximum force of elbow_r"} < {*found.left_out}  # fmt: skip
    text = (FILES / "stewart.xml").read_text()
    shutil.copy(FILES / "stewart_defaults.xml", tmp_path)
    file.write_text(text.replace("<freejoint/>", '<joint type="free" damping="5"/>'))
    assert "friction of plate-free, which is free" in imported(file).left_out
