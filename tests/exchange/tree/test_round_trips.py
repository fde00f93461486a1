"""Limits, friction and end stops of random machines: there and back, by us and by others."""

import numpy as np
import pytest
from oracles.mujoco_file import MujocoFile

import gough
from gough.errors import RobotError
from gough.exchange import export_machine, imported, joint_states, machine_export
from gough.exchange.tree.machine_tree import tree_of

FORMATS = ("mjcf", "urdf", "sdf", "usd")


def drawn(seed):
    """A five-bar with random limits, friction, stops and springs."""
    rng, data = np.random.default_rng(seed), gough.load("five-bar").to_dict()
    for joint in data["joints"]:
        at = joint.get("position_at_home", 0.0)
        joint.pop("drive", None)
        joint["range"] = [at - rng.uniform(0.5, 3), at + rng.uniform(0.5, 3)]
        joint["damping"], joint["friction"] = rng.uniform(0.1, 0.5, 2).tolist()
        if joint.get("driven"):
            joint["max_torque"], joint["max_speed"] = rng.uniform(2, 9, 2).tolist()
            stiffness, restitution = rng.uniform(1e3, 1e4), rng.uniform(0.1, 0.9)
            joint["stop"] = {"stiffness": stiffness, "restitution": restitution}
    return gough.Robot.from_dict(data)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_limits_friction_and_stops_are_in_the_file_whoever_reads_it(to, seed, tmp_path):
    robot = drawn(seed)
    path, *beside = export_machine(robot, tmp_path, to)
    assert imported(path).robot == robot  # as Gough wrote it, all of it comes back
    path.write_text(path.read_text().replace("made by Gough", "by others"))
    motors = [actuator.name for actuator in robot.actuators]
    loops = beside[0] if to == "urdf" else None
    found = imported(path, platform="platform", motors=motors, loops=loops)
    tolerance = 3e-7 if to == "usd" else 1e-12
    there = {joint.name: joint for joint in found.robot.joints}
    for joint in robot.joints:
        other = there[joint.name]
        shift = other.home - joint.home  # other formats may count from home
        np.testing.assert_allclose(np.subtract(other.range, shift), joint.range, rtol=tolerance)
        for key in ("damping", "friction", "max_torque", "max_speed"):
            own = getattr(joint, key, None)
            if own is not None and (key, to) != ("max_speed", "mjcf"):  # which has none
                np.testing.assert_allclose(getattr(other, key), own, rtol=tolerance)
        if getattr(joint, "stop", None) and to == "usd":
            for key in ("stiffness", "restitution"):
                expected = getattr(joint.stop, key)
                np.testing.assert_allclose(getattr(other.stop, key), expected, rtol=tolerance)


@pytest.mark.parametrize("to", FORMATS)
def test_what_of_stops_a_format_lacks_is_listed(to, tmp_path):
    export = machine_export(drawn(0), to)
    all_of_them = "stiffness and restitution of end stops"
    lost = {"usd": f"{all_of_them}, in articulations", "sdf": "restitution of end stops"}
    (remark,) = (r for r in export.remarks if "end stops" in r)
    assert remark == f"not simulated: {lost.get(to, all_of_them)}"
    if to == "sdf":
        (path,) = export_machine(drawn(0), tmp_path, to)
        path.write_text(path.read_text().replace("made by Gough", "by others"))
        found = imported(path, platform="platform", motors=["hip-left", "hip-right"])
        assert "stiffness of end stops of hip-left, hip-right" in found.left_out


def test_a_machine_in_another_branch_is_written_as_it_stands_there(tmp_path):
    """MuJoCo finds the efforts of that branch, and all joints are at zero at home."""
    robot = gough.Model(in_both_branches(), branch=[-1]).robot
    model, rng = gough.Model(robot), np.random.default_rng(3)
    path, *_ = export_machine(robot, tmp_path, "mjcf")
    file = MujocoFile(path, "platform")
    home = np.array(robot.home)
    q = model.inverse_kinematics(home)
    np.testing.assert_allclose(file.model.qpos0[file.motors], q, atol=1e-12)
    assert np.abs(q - gough.Model(gough.load("five-bar")).inverse_kinematics(home)).max() > 1
    file.model.dof_armature[:] = 0.0
    state, wrench = file.random_state(rng), rng.normal(size=6)
    motion = state.pose, state.twist, state.platform_acceleration, wrench
    theirs = file.efforts(state, wrench)
    np.testing.assert_allclose(model.inverse_dynamics(*motion), theirs, atol=1e-9)
    np.testing.assert_allclose(joint_states(robot, home).positions, 0.0, atol=1e-12)
    assert imported(path).robot == robot


def in_both_branches(**of_bodies):
    """A five-bar whose right leg has room to stand in either branch; what its bodies have."""
    data = gough.load("five-bar").to_dict()
    for joint, travel in enumerate([(-0.4, 3.0), (-4.0, 1.0), (-1.6, 1.5)], 2):
        data["joints"][joint]["range"] = travel
    data["bodies"] = [body | of_bodies for body in data["bodies"]]
    return gough.Robot.from_dict(data)


def test_a_passive_joint_is_in_its_range_by_whole_turns_or_the_branch_is_refused():
    robot = gough.Model(in_both_branches(), branch=[-1]).robot
    homes = {joint.name: joint.home for joint in tree_of(robot).home.joints}
    np.testing.assert_allclose(homes["elbow-right"], -np.pi)
    with pytest.raises(RobotError, match=r"tip-right in its range, -90 to 60 deg: .* at 72.05 deg"):
        machine_export(robot.replace({"joints[4].range": (-np.pi / 2, np.pi / 3)}), "mjcf")


def test_meshes_of_bodies_are_the_same_in_every_branch(tmp_path):
    (tmp_path / "part.obj").write_text("v 0.1 0 0\nv 0.2 0 0\nv 0.1 0.1 0\nf 1 2 3\n")
    robot = in_both_branches(mesh={"file": str(tmp_path / "part.obj"), "unit": "m"})
    one, other = (
        machine_export(gough.Model(robot, branch=[way]).robot, "mjcf").texts for way in (1, -1)
    )
    meshes = [name for name in one if name.endswith(".obj")]
    assert len(meshes) == 3
    for name in meshes:
        assert one[name] == other[name]


def test_a_branch_beside_springs_is_refused():
    data = gough.load("five-bar").to_dict() | {"branch": [-1]}
    data["joints"][1]["stiffness"] = 2.0
    with pytest.raises(RobotError, match=r"branch.*expected no springs beside it"):
        machine_export(gough.Robot.from_dict(data), "mjcf")
