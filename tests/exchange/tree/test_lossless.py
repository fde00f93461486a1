"""What resists, turns behind gears or is coupled: all of it is in the files of other programs."""

import xml.etree.ElementTree as ET

import coupled_machines
import numpy as np
import pytest
from oracles.mujoco_file import MujocoFile

import gough
from gough.exchange import export_machine, imported, machine_export

RESISTING = {"damping": 0.3, "stiffness": 7.0}
DRIVE = {
    "resistance": 1.0, "torque_constant": 0.1, "back_emf": 0.1, "gear_ratio": 20.0,
    "rotor_inertia": 3e-5, "gear_inertia": 2e-3, "rotor_damping": 1e-4, "gear_damping": 2e-2,
}  # fmt: skip
INERTIA, DAMPING = 20.0**2 * 3e-5 + 2e-3, 20.0**2 * 1e-4 + 2e-2
"""As the joint feels them [kg m^2, N m s/rad]."""


def resisting(robot):
    """The machine with springs and dampers in passive joints, and motors behind the others."""
    data = robot.to_dict()
    for joint in data["joints"]:
        for key in ("friction", "drive", "stop", "max_torque", "range"):
            joint.pop(key, None)
        turns = joint["type"] in "RU"
        more = RESISTING if turns else {}
        joint.update({"drive": DRIVE} if joint.get("driven") else more)
    return gough.Robot.from_dict(data)


def differential(seed):
    """One whose yoke hangs by a joint of another name."""
    data = coupled_machines.differential(seed).to_dict()
    for part in (*data["joints"], *data["couplings"]):
        part["name"] = part["name"].replace("yoke", "tilt")
        if "between" not in part:
            part["joints"] = [name.replace("yoke", "tilt") for name in part["joints"]]
    return gough.Robot.from_dict(data)


def sprung(robot):
    """The machine with loaded springs between bodies and beside joints, and armatures."""
    data = resisting(robot).to_dict()
    ends = {"between": ["base", "platform"], "start": [0.1, -0.3, 0.2], "end": [0, 0.5, 0.05]}
    springs = [{"stiffness": 90.0, "force": 12.0}, {"stiffness": 50.0, "length": 0.2}, {}]
    data["springs"] = [
        {"name": f"spring-{k}", "damping": 2.0, **ends, **own} for k, own in enumerate(springs)
    ]
    for joint in data["joints"]:
        own = {"position": 0.3} if joint.get("driven") else {"torque": -1.5}
        joint["spring"] = {"stiffness": 4.0, **own}
        if not joint.get("driven"):
            joint["armature"] = 0.02
    return gough.Robot.from_dict(data)


SIMULATED = {
    "springs": lambda: sprung(gough.load("five-bar")),
    "five-bar": lambda: resisting(gough.load("five-bar")),
    "belt": lambda: resisting(coupled_machines.belt_scara(2)),
    "differential": lambda: resisting(differential(3)),
}


@pytest.mark.parametrize("name", SIMULATED)
def test_mujoco_finds_our_efforts_with_springs_rotors_and_couplings(name, tmp_path):
    robot = SIMULATED[name]()
    (path, *_) = export_machine(robot, tmp_path, "mjcf")
    file, model, rng = MujocoFile(path, "platform"), gough.Model(robot), np.random.default_rng(1)
    assert np.count_nonzero(file.model.dof_armature) >= len(robot.actuators)
    assert np.count_nonzero(file.model.jnt_stiffness) > 0
    still = np.zeros(6)
    held = model.actuator_force(np.array(robot.home), still, still, still)
    if name == "springs":
        np.testing.assert_allclose(file.model.key_ctrl[0], held, rtol=1e-12)
    for _ in range(3):
        state, wrench = file.random_state(rng), rng.normal(size=6)
        motion = state.pose, state.twist, state.platform_acceleration
        ours = model.actuator_force(*motion, wrench)
        ours = ours + INERTIA * state.acceleration[file.motors] + DAMPING * state.rates[file.motors]
        theirs = file.efforts(state, wrench, passive=True)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9 * np.abs(theirs).max())


def test_the_efforts_at_home_hold_what_mujoco_simulates(tmp_path):
    """Springs of constant torque or force are not simulated, and so no motor balances them."""
    data = gough.load("five-bar").to_dict() | {"gravity": [0.0, -9.81, 0.0]}
    plain = gough.Robot.from_dict(data)
    elbow = next(joint for joint in data["joints"] if not joint.get("driven"))
    elbow["spring"] = {"torque": 3.0}
    ends = {"between": ["base", "platform"], "start": [0.1, -0.3, 0.2], "end": [0, 0.5, 0.05]}
    data["springs"] = [{"name": "weight", "force": 12.0, **ends}]
    (path, *_) = export_machine(robot := gough.Robot.from_dict(data), tmp_path, "mjcf")
    still = np.array(robot.home), np.zeros(6), np.zeros(6), np.zeros(6)
    held = gough.Model(plain).inverse_dynamics(*still)
    np.testing.assert_allclose(MujocoFile(path, "platform").model.key_ctrl[0], held, rtol=1e-9)
    assert np.abs(gough.Model(robot).actuator_force(*still) - held).max() > 1.0


def test_a_joint_that_closes_a_loop_keeps_its_friction_and_range_and_no_mass_is_added(tmp_path):
    robot = gough.load("planar-3rrr")
    (path, *_) = export_machine(robot, tmp_path, "mjcf")
    file = MujocoFile(path, "platform")
    for joint in robot.listed_joints:
        np.testing.assert_allclose(file.model.joint(joint.name).range, joint.range)
    total = sum(body.mass for body in robot.listed_bodies) + robot.platform.mass
    np.testing.assert_allclose(file.model.body_mass.sum(), total, rtol=1e-14)
    rng, model = np.random.default_rng(2), gough.Model(robot)
    file.model.dof_armature[:] = 0.0
    state, wrench = file.random_state(rng), rng.normal(size=6)
    motion = state.pose, state.twist, state.platform_acceleration, wrench
    theirs = file.efforts(state, wrench)
    np.testing.assert_allclose(model.inverse_dynamics(*motion), theirs, atol=1e-9)


def test_sdf_has_springs_and_the_stiffness_of_stops():
    data = resisting(gough.load("five-bar")).to_dict()
    driven = next(joint for joint in data["joints"] if joint.get("driven"))
    driven |= {"range": [-9, 9], "stop": {"stiffness": 5e3, "restitution": 0.2}}
    export = machine_export(gough.Robot.from_dict(data), "sdf")
    root = ET.fromstring(export.text)
    assert {e.text for e in root.iter("spring_stiffness")} == {"7"}
    (stop,) = root.iter("stiffness")
    assert stop.text == "5000"
    assert "not simulated: restitution of end stops" in export.remarks
    assert "not simulated: rotors, gears and windings of motors" in export.remarks


def test_urdf_has_couplings_of_two_joints_in_which_passive_ones_follow():
    export = machine_export(coupled_machines.belt_scara(1, ratio=4.0), "urdf")
    joints = {joint.get("name"): joint for joint in ET.fromstring(export.text).iter("joint")}
    (mimic,) = joints["elbow"].findall("mimic")
    assert (mimic.get("joint"), mimic.get("multiplier")) == ("motor", "0.25")
    assert not any("coupling" in remark for remark in export.remarks)
    remarks = machine_export(differential(1), "urdf").remarks
    assert any("not simulated: couplings " in remark for remark in remarks)


@pytest.mark.parametrize("to", ["mjcf", "urdf", "sdf"])
def test_what_a_format_lacks_is_listed(to):
    remarks = machine_export(resisting(gough.load("five-bar")), to).remarks
    assert ("not simulated: springs of joints" in remarks) == (to == "urdf")


def test_who_does_not_know_that_gough_wrote_it_finds_springs_rotors_and_friction(tmp_path):
    """All but springs between bodies, which are left out and listed."""
    data = sprung(gough.load("five-bar")).to_dict()
    del data["springs"]
    robot = gough.Robot.from_dict(data)
    (path, *_) = export_machine(robot, tmp_path, "mjcf")
    path.write_text(path.read_text().replace("made by Gough", "by others"))
    found = imported(path).robot
    armatures = [INERTIA if joint.is_driven else 0.02 for joint in found.joints]
    np.testing.assert_allclose([joint.armature for joint in found.joints], armatures)
    model, again, rng = gough.Model(robot), gough.Model(found), np.random.default_rng(5)
    pose, still = np.array(robot.home), np.zeros(6)
    T = model.twist_basis(pose)
    u, a = (T @ rng.standard_normal(T.shape[1]) for _ in range(2))
    difference = again.actuator_force(pose, u, a) - model.actuator_force(pose, u, a)
    speed = model.joint_velocity(pose, u)
    rate = again.inverse_dynamics(pose, u, a) - model.inverse_dynamics(pose, u, a)
    np.testing.assert_allclose(difference, rate + DAMPING * speed, atol=1e-9)  # of the drives
    held = model.actuator_force(pose, still, still)
    np.testing.assert_allclose(again.actuator_force(pose, still, still), held, atol=1e-9)
