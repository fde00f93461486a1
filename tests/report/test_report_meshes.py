"""Meshes in reports: along a motion they are where Python has the bodies; and their normals."""

import json

import numpy as np
from mesh_files import CORNERS, TRIANGLES, binary_stl
from report_samples import payload

import gough
from gough.kinematics.body_frames import body_poses
from gough.poses import transform
from gough.report import report_page

MOTION = {"kind": "line", "displacement": [0.1, 0.05, 0.08], "duration": 1}


def test_a_report_moves_meshes_with_their_bodies(js, opened, tmp_path):
    (tmp_path / "cube.stl").write_bytes(binary_stl())
    mesh = {"file": str(tmp_path / "cube.stl"), "unit": "cm"}
    robot = gough.load("demo-hexapod").replace({"leg.piston.mesh": mesh, "base_mesh": mesh})
    said = {"schema": "gough-study/1", "name": "meshes", "samples": 41, "motion": MOTION}
    results = gough.run({**said, "robot": robot.to_dict()})
    text = report_page(results)
    assert str(tmp_path) not in text  # names of folders stay here
    opened("", text)
    machine = payload(text)["machine"]
    assert [each["body"] for each in machine["meshes"][:2]] == ["base", "piston-1"]
    for time in (0.0, 0.4125, 1.0):  # also between frames
        state = js("machine.machineAt", f"=m.unpackMachine({json.dumps(machine)})", time)
        poses = body_poses(robot, np.array([state["pose"]]))[0]
        for row in range(1, 12, 2):
            frame = np.reshape(list(state["frames"][str(row)].values()), (4, 4)).T
            found = CORNERS @ frame[:3, :3].T + frame[:3, 3]
            np.testing.assert_allclose(found, transform(poses[row], CORNERS), atol=2e-5)


def numbers(kind, array):
    """An array as code for the browser."""
    return f"=new {kind}({np.ravel(array).tolist()})"


def test_normals_are_smooth_but_for_edges(js):
    given = numbers("Float32Array", CORNERS), numbers("Uint16Array", TRIANGLES)
    normals = np.reshape(list(js("meshes.creasedMesh", *given)["normals"].values()), (-1, 3, 3))
    a, b, c = np.moveaxis(CORNERS[TRIANGLES], 1, 0)
    flat = np.cross(b - a, c - a)[:, None]
    np.testing.assert_allclose(normals, flat.repeat(3, axis=1), atol=1e-6)
    around = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    low = np.stack([np.cos(around), np.sin(around), 0 * around], axis=1)
    points = np.concatenate([low, low + [0, 0, 1]])
    k = np.arange(24)
    n = (k + 1) % 24
    sides = np.concatenate([np.stack([k, n, n + 24], 1), np.stack([k, n + 24, k + 24], 1)])
    given = numbers("Float32Array", points), numbers("Uint32Array", sides)
    normals = np.reshape(list(js("meshes.creasedMesh", *given)["normals"].values()), (-1, 3))
    outwards = points[sides.ravel()] * [1, 1, 0]
    assert np.degrees(np.arccos((normals * outwards).sum(1))).max() < 3.0  # of 7.5 with flat sides
