"""Meshes in robot files: where they are looked for, which frames they are in, and what stays."""

import json
import pickle

import numpy as np
import pytest
from mesh_files import CORNERS

import gough
from gough.model.mechanism.reading import geometry_of
from gough.poses import transform
from gough.robot.appearance import placement

PLATE = {"file": "plate.stl", "unit": "mm"}


def hexapod(**meshes):
    """A hexapod with meshes at places of its file; names of keys with two underscores for dots."""
    return gough.load("demo-hexapod").replace({k.replace("__", "."): v for k, v in meshes.items()})


def placed(mesh, points=CORNERS):
    matrix = placement(mesh)
    return points @ matrix[:, :3].T + matrix[:, 3]


def test_a_robot_without_meshes_has_none():
    assert gough.load("demo-hexapod").meshes == ()
    assert "mesh" not in str(gough.load("delta").to_dict())


def test_what_legs_share_is_the_mesh_of_each():
    own = {"file": "own.glb", "position": [0, 0, "5 mm"]}
    robot = hexapod(base_mesh=PLATE, leg__cylinder__mesh=PLATE, leg__piston__mesh=own)
    names = [found.body for found in robot.meshes]
    assert names[:3] == ["base", "cylinder-1", "piston-1"]
    assert len(names) == 1 + 2 * len(robot.legs)
    assert [found.row for found in robot.meshes] == [None, *range(2 * len(robot.legs))]
    assert robot.legs[3].piston.mesh.position == (0.0, 0.0, 0.005)


def test_names_of_files_count_from_the_robot_file(tmp_path):
    gough.save(gough.load("demo-hexapod"), tmp_path / "plain.toml")
    text = (tmp_path / "plain.toml").read_text() + '\n[base_mesh]\nfile = "a/b.stl"\nunit = "in"\n'
    file = tmp_path / "here" / "robot.toml"
    file.parent.mkdir()
    file.write_text(text)
    robot = gough.load(file)
    assert robot.base_mesh.file == str(tmp_path / "here" / "a" / "b.stl")
    gough.save(robot, file.with_name("again.toml"))
    assert file.with_name("again.toml").read_text() == text  # to the letter
    gough.save(robot, tmp_path / "there.toml")  # names elsewhere are whole
    for saved in (file.with_name("again.toml"), tmp_path / "there.toml"):
        assert gough.load(saved) == robot
    gough.save(robot, tmp_path / "full.json", in_full=True)
    assert gough.load(tmp_path / "full.json") == robot
    assert robot.replace(name="other").base_mesh == robot.base_mesh
    assert pickle.loads(pickle.dumps(robot)).meshes == robot.meshes


def test_studies_find_the_meshes_of_their_robots(tmp_path):
    data = gough.load("demo-hexapod").to_dict()
    data["platform"]["mesh"] = PLATE
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines" / "robot.json").write_text(json.dumps(data))
    motion = {"kind": "line", "displacement": [0, 0, 0.1], "duration": 1}
    said = {"schema": "gough-study/1", "name": "study", "motion": motion}
    named = gough.Study.from_dict({**said, "robot": "machines/robot.json"}, folder=tmp_path)
    assert named.robot.platform.mesh.file == str(tmp_path / "machines" / "plate.stl")
    written = gough.Study.from_dict({**said, "robot": data}, folder=tmp_path)
    assert written.robot.platform.mesh.file == str(tmp_path / "plate.stl")


@pytest.mark.parametrize("name", ["demo-hexapod", "five-bar"])
def test_meshes_change_no_fingerprint_and_no_geometry(name):
    robot = gough.load(name)
    dressed = robot.replace({"base_mesh": PLATE, "platform.mesh": PLATE})
    assert dressed != robot
    assert dressed.fingerprint == robot.fingerprint
    machines = [gough.Model(each).machines for each in (robot, dressed)]
    assert machines[0].fingerprint == machines[1].fingerprint
    if name == "five-bar":
        assert geometry_of(dressed) == geometry_of(robot)


def test_kernels_of_a_robot_with_meshes_are_those_without(traced):
    robot = gough.load("demo-hexapod")
    gough.Model(robot).inverse_kinematics(robot.home)
    traced.clear()
    dressed = robot.replace({"platform.mesh": PLATE})
    gough.Model(dressed).inverse_kinematics(dressed.home)
    assert traced == []


def test_a_link_has_its_mesh_in_its_own_frame():
    robot = gough.load("delta").replace({"leg.links[0].mesh": {"file": "arm.glb"}})
    arms = {found.body: placed(found.mesh) for found in robot.meshes}
    joints = {joint.name: np.array(joint.at) for joint in robot.joints}
    for k in (1, 2, 3):
        hip, elbow = joints[f"hip-{k}"], (joints[f"elbow-{k}a"] + joints[f"elbow-{k}b"]) / 2
        at, along = arms[f"arm-{k}"][0], arms[f"arm-{k}"][1] - arms[f"arm-{k}"][0]  # 0 and z
        np.testing.assert_allclose(at, hip, atol=1e-12)
        np.testing.assert_allclose(along, (elbow - hip) / np.linalg.norm(elbow - hip), atol=1e-9)


def test_mirrored_legs_have_mirrored_meshes():
    """In the plane of the mirror, of which the file's normal is y."""
    mesh = {"file": "arm.glb", "position": [0.1, 0.2, 0.3], "rpy": [0.4, -0.2, 1.1]}
    robot = gough.load("hexa-6rus").replace({"leg.links[0].mesh": mesh})
    first, second = (found.mesh for found in robot.meshes[:2])
    assert (first.mirrored, second.mirrored) == (False, True)
    across = np.array(robot.written.data["pattern"]["mirror"], dtype=float)
    mirror = np.eye(3) - 2 * np.outer(across, across) / (across @ across)
    np.testing.assert_allclose(placed(second), placed(first) @ mirror, atol=1e-12)


def test_a_body_has_its_mesh_in_its_frame_or_in_the_base():
    mesh = {"file": "link.glb", "position": [0.1, 0, 0], "rpy": [0, "90 deg", 0]}
    data = gough.load("five-bar").to_dict()
    data["bodies"][0] |= {"mesh": mesh}
    in_base = gough.Robot.from_dict(data).bodies[0].mesh
    frame = {"position": [1.0, 2.0, 3.0], "rpy": [0.3, 0.2, 0.1]}
    data["bodies"][0] |= {"frame": frame}
    pose = gough.pose(frame["position"], rpy=frame["rpy"])
    in_frame = gough.Robot.from_dict(data).bodies[0].mesh
    np.testing.assert_allclose(placed(in_frame), transform(pose, placed(in_base)), atol=1e-12)


@pytest.mark.parametrize(
    ("mesh", "said"),
    [
        ({"file": "plate.step"}, 'platform.mesh.file: unknown kind of file ".step"'),
        ({"file": "plate.stl"}, "platform.mesh.unit: missing; expected the length unit"),
        ({"file": "plate.OBJ"}, "platform.mesh.unit: missing"),
        ({"file": "p.stl", "unit": "km"}, 'platform.mesh.unit: not known (did you mean "m"?)'),
        ({"file": "p.glb", "scale": 2}, "platform.mesh.scale: unknown key"),
        ({"unit": "mm"}, "platform.mesh.file: missing"),
        ("plate.stl", "platform.mesh: not a table"),
        ({"file": "p.glb", "rpy": [0, 0, "3 m"]}, "platform.mesh.rpy[2]"),
    ],
)
def test_a_mesh_that_cannot_be_is_refused(mesh, said):
    with pytest.raises(gough.RobotError) as caught:
        hexapod(platform__mesh=mesh)
    assert said in str(caught.value)
