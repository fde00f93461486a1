"""Machines as files: what is written beside them, what is told, and what is refused."""

import json
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from drawings import changed
from drawn_machines import MACHINES
from mesh_files import binary_stl, glb
from telescopes import bent_hexapod

import gough
from gough.errors import GoughError
from gough.exchange import export_machine, machine_export
from gough.exchange.tree.urdf import urdf
from gough.exchange.tree.visuals import as_file_name


def gough_command(*words):
    call = [sys.executable, "-m", "gough", *map(str, words)]
    return subprocess.run(call, capture_output=True, text=True, check=False)


def test_meshes_go_along_in_the_frames_of_their_bodies(tmp_path):
    (tmp_path / "cube.glb").write_bytes(glb())
    (tmp_path / "cube.stl").write_bytes(binary_stl())
    arm = {"file": str(tmp_path / "cube.stl"), "unit": "cm", "position": [0.164, 0, 0]}
    platform = {"file": str(tmp_path / "cube.glb"), "position": [0, 0, 0.5], "mirrored": True}
    robot = gough.load("delta")
    bodies = tuple(
        body.model_copy(update={"mesh": gough.robot.Mesh(**arm)}) if body.name == "arm-1" else body
        for body in robot.bodies
    )
    seen = robot.platform.model_copy(update={"mesh": gough.robot.Mesh(**platform)})
    robot = robot.model_copy(update={"bodies": bodies, "platform": seen})
    paths = export_machine(robot, tmp_path / "models", "mjcf")
    assert sorted(p.name for p in paths) == ["delta-arm-1.obj", "delta-platform.obj", "delta.xml"]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "models" / "delta.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    corners = {
        model.body(model.geom_bodyid[k]).name: corners_of(model, data, k) for k in meshes(model)
    }
    np.testing.assert_allclose(corners["arm-1"], [[0.164, 0, 0], [0.174, 0.01, 0.01]], atol=1e-7)
    np.testing.assert_allclose(corners["platform"], [[0, -1, -0.6], [1, 0, 0.4]], atol=1e-6)
    assert 'filename="package://arms/delta-arm-1.obj"' in urdf(robot, meshes="package://arms/").text
    assert "<uri>delta-platform.obj</uri>" in machine_export(robot, "sdf").text


def test_files_have_names_that_all_systems_tell_apart(tmp_path):
    """Bodies whose names differ by case or by a sign alone, and a robot called as a device is."""
    (tmp_path / "cube.stl").write_bytes(binary_stl())
    text = json.dumps(gough.load("five-bar").to_dict() | {"name": "NUL"})
    for old, new in (("crank-left", "Rod"), ("crank-right", "rod"), ("forearm", "rod_2")):
        text = text.replace(f'"{old}"', f'"{new}"')
    data = json.loads(text)
    for body in data["bodies"]:
        body["mesh"] = {"file": str(tmp_path / "cube.stl"), "unit": "cm"}
    paths = export_machine(gough.Robot.from_dict(data), tmp_path / "models", "mjcf")
    names = [path.name for path in paths]
    assert "robot-NUL.xml" in names
    assert len({name.casefold() for name in names}) == len(names) == 1 + len(data["bodies"])
    assert {"NUL-Rod.obj", "NUL-rod_2.obj"} <= {*names}
    mujoco.MjModel.from_xml_path(str(paths[0]))
    for words, name in (("con", "robot-con"), ("Lpt1.x", "robot-Lpt1.x"), ("", "robot")):
        assert as_file_name(words) == name
    assert as_file_name("console / 2") == "console-2"


def meshes(model):
    return np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)


def corners_of(model, data, geom):
    """Least and greatest coordinates of a mesh, base frame."""
    mesh = model.geom_dataid[geom]
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    places = model.mesh_vert[first : first + count] @ data.geom_xmat[geom].reshape(3, 3).T
    places += data.geom_xpos[geom]
    return np.array([places.min(axis=0), places.max(axis=0)])


def test_the_command_writes_all_files_and_tells_what_is_lost(tmp_path):
    done = gough_command("export", "machine", "demo-hexapod", "--to", "urdf", "-o", tmp_path)
    assert done.stdout.startswith(f"wrote {tmp_path / 'demo-hexapod.urdf'}")
    assert "note not simulated: limits of balls" in done.stdout
    again = gough_command(
        "export", "machine", "demo-hexapod", "--to", "urdf", "-o", tmp_path, "--json"
    )
    told = json.loads(again.stdout)
    assert told["files"] == [str(tmp_path / f"demo-hexapod.{end}") for end in ("urdf", "yaml")]
    assert "not simulated: compliance of legs, links and drives" in told["remarks"]


def test_legs_that_bend_and_compliant_frames_are_told_as_lost():
    rigid = gough.load("kalani-2016")
    for robot in (bent_hexapod(legs=[5]), rigid.replace(flexibility={"base": [1e-8] * 6})):
        assert (
            "not simulated: compliance of legs, links and drives"
            in machine_export(robot, "urdf").remarks
        )
    assert (
        "not simulated: compliance of legs, links and drives"
        not in machine_export(rigid, "urdf").remarks
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["jacobian", "--to", "mjcf"], "unexpected extra argument"),
        (["--to", "sdf", "--close-loops"], "not for --to sdf; for urdf"),
        (["--to", "c"], "'c' is not one of"),
    ],
)
def test_what_a_format_does_not_take_is_refused(words, problem, tmp_path):
    done = gough_command("export", "machine", "delta", *words, "-o", tmp_path)
    assert done.returncode == 2
    assert problem in done.stderr
    assert not any(tmp_path.iterdir())


def test_names_that_other_programs_would_confuse_are_refused():
    machine = MACHINES["four-bar"](1)
    bodies = [changed(body, name=body.name.replace("crank", "motor")) for body in machine.bodies]
    joints = [
        changed(joint, between=tuple(name.replace("crank", "motor") for name in joint.between))
        for joint in machine.joints
    ]
    confusing = changed(machine, bodies=tuple(bodies), joints=tuple(joints))
    with pytest.raises(GoughError, match="a body and a joint called motor"):
        machine_export(confusing, "mjcf")


def test_a_loop_of_motors_alone_is_refused():
    machine = MACHINES["four-bar"](1)
    joints = tuple(changed(joint, driven=True) for joint in machine.joints)
    with pytest.raises(GoughError, match="the motors of rocker-foot close loops"):
        machine_export(changed(machine, joints=joints), "sdf")


def test_an_unknown_format_is_refused():
    with pytest.raises(
        GoughError, match="cannot export a machine to 'dae'; expected one of 'mjcf'"
    ):
        machine_export(gough.load("delta"), "dae")
    with pytest.raises(gough.GoughError, match="loops is for 'urdf', and not for 'mjcf'"):
        machine_export(gough.load("delta"), "mjcf", loops=True)
    with pytest.raises(gough.GoughError, match="float32 is for 'firmware', and not for 'urdf'"):
        machine_export(gough.load("delta"), "urdf", dtype="float32")


@pytest.mark.parametrize("to", ["mjcf", "urdf", "sdf", "ros2"])
def test_the_name_of_a_robot_is_no_robot(to):
    with pytest.raises(GoughError, match=r"robot is 'delta'; expected a gough\.robot\.Robot"):
        machine_export("delta", to)
