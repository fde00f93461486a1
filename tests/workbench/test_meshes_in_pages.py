"""Meshes in pages: drawn where Python has the bodies, or refused with a number."""

from base64 import b64decode

import numpy as np
import pytest
from mesh_files import CORNERS, TRIANGLES, binary_stl, glb, obj

import gough
from gough.errors import GoughError
from gough.kinematics.body_frames import body_poses
from gough.poses import transform
from gough.report import scene
from gough.workbench import workbench_page

DRAWN = """() => {
  const { data: { drawing }, now } = window.gough;
  return drawing.meshes.filter(({ row }) => row !== null).map(({ body, surface, row, place }) => ({
    body, place, frame: Array.from(now.frames[row]),
    vertices: drawing.surfaces[surface][0].vertices,
  }));
}"""
GREEN = """(canvas) => {
  const { width, height } = canvas, context = canvas.getContext("2d");
  const { data } = context.getImageData(0, 0, width, height);
  const most = (k) => data[k + 1] > data[k] + 60 && data[k + 1] > data[k + 2] + 60;
  return data.filter((_, k) => k % 4 === 0 && most(k)).length;
}"""


@pytest.fixture
def folder(tmp_path):
    """With a file of each format: a cube of 1, in three units."""
    (tmp_path / "cube.stl").write_bytes(binary_stl())
    (tmp_path / "cube.obj").write_bytes(obj())
    (tmp_path / "cube.glb").write_bytes(glb())
    return tmp_path


def saved(folder, robot, changes):
    file = folder / f"{robot}-dressed.json"
    changes = {key: {**mesh, "file": str(folder / mesh["file"])} for key, mesh in changes.items()}
    gough.save(gough.load(robot).replace(changes), file)
    return str(file)


def matrix(numbers):
    return np.reshape(numbers, (4, 4)).T


def drawn(opened):
    """By body, the corners of its mesh as the page draws them [m]."""
    found = {}
    for each in opened.do(DRAWN):
        points = np.frombuffer(b64decode(each["vertices"]), "<f4").reshape(-1, 3)
        whole = matrix(each["frame"]) @ matrix(each["place"])
        found[each["body"]] = points @ whole[:3, :3].T + whole[:3, 3]
    return found


def in_order(points):
    return points[np.lexsort(np.round(points, 4).T)]


def test_meshes_are_where_python_has_their_bodies(bench, folder):
    cylinder = {"file": "cube.stl", "unit": "cm", "position": [0.01, 0, 0.1], "rpy": [0.1, 0.2, 0]}
    file = saved(folder, "demo-hexapod", {
        "platform.mesh": {"file": "cube.glb", "position": [-0.5, -0.5, 0], "mirrored": True},
        "leg.cylinder.mesh": cylinder,
        "leg.piston.mesh": {"file": "cube.obj", "unit": "in"},
    })  # fmt: skip
    opened = bench(file)
    robot = opened.model.robot
    green = opened.element("#scene canvas").evaluate(GREEN)
    assert green > 5000  # of the platform's material
    for pose in (robot.home, gough.pose([0.08, -0.05, 1.03], rpy=[0.1, -0.08, 0.2])):
        opened.go_to(pose)
        found, poses = drawn(opened), body_poses(robot, np.array([pose]))[0]
        for k, leg in enumerate(robot.legs):
            turn = gough.pose(cylinder["position"], rpy=cylinder["rpy"])
            expected = transform(poses[2 * k], transform(turn, 0.01 * CORNERS))
            theirs = found[f"cylinder-{k + 1}"]
            np.testing.assert_allclose(in_order(theirs), in_order(expected), atol=1e-6)
            joint = transform(pose, leg.platform)  # the cube's corner at the piston's origin
            assert np.linalg.norm(found[f"piston-{k + 1}"] - joint, axis=1).min() < 1e-6
    assert opened.do("() => 'mesh' in window.gough.data.robot.platform") is False
    bars = opened.do(
        "() => window.gough.data.drawing.bars.map(({ hidden, bare }) => hidden && bare)"
    )
    assert all(bars)
    assert opened.do("() => window.gough.data.drawing.plates.platform") is None


def test_links_of_any_machine_have_meshes(bench, folder):
    file = saved(folder, "delta", {"leg.links[0].mesh": {"file": "cube.stl", "unit": "cm"}})
    opened = bench(file)
    robot = opened.model.robot
    pose = np.array(robot.home) + [0.1, 0.05, 0, 0, 0, 0, 0]
    opened.go_to(pose)
    hips = {joint.name: joint.at for joint in robot.joints}
    ways = []
    for k in (1, 2, 3):
        corners = drawn(opened)[f"arm-{k}"]
        nearest = np.linalg.norm(corners - hips[f"hip-{k}"], axis=1).argmin()
        np.testing.assert_allclose(corners[nearest], hips[f"hip-{k}"], atol=1e-6)
        ways.append(np.linalg.norm(corners - corners[nearest], axis=1).max())
    np.testing.assert_allclose(ways, 0.01 * np.sqrt(3), rtol=1e-5)


def test_a_mesh_that_is_lost_is_named(folder):
    robot = gough.load(saved(folder, "demo-hexapod", {"platform.mesh": {"file": "cube.glb"}}))
    (folder / "cube.glb").unlink()
    with pytest.raises(GoughError, match=r"mesh of platform: .*cube\.glb: no such file"):
        workbench_page(robot)


def test_too_many_triangles_are_counted(folder, monkeypatch):
    monkeypatch.setattr(scene, "MOST_TRIANGLES", 6 * len(TRIANGLES) - 1)
    mesh = {"file": "cube.stl", "unit": "mm"}
    robot = gough.load(saved(folder, "demo-hexapod", {"leg.piston.mesh": mesh}))
    with pytest.raises(GoughError) as caught:
        workbench_page(robot)
    assert "the meshes have 72 triangles; a page draws at most 71" in str(caught.value)
    assert "\n  cube.stl: 12 triangles, drawn 6 times" in str(caught.value)
    assert "coarser tolerance" in str(caught.value)
