"""Commands about robots with meshes: what is shown, asked, and refused before anything is run."""

import json

import pytest
from mesh_files import binary_stl

import gough as library

STUDY = """
schema = "gough-study/1"
name = "study"
robot = "dressed.toml"
motion = { kind = "line", displacement = [0, 0, 0.1], duration = 1 }
"""


@pytest.fixture
def dressed(tmp_path, monkeypatch):
    """A robot whose platform is a cube of 1 m, with a study of it, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cube.stl").write_bytes(binary_stl())
    mesh = {"file": "cube.stl", "unit": "m"}
    robot = library.load("demo-hexapod").replace({"platform.mesh": mesh})
    library.save(robot, "dressed.toml")
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def test_meshes_are_shown(gough, dressed):
    shown = gough("show", "dressed.toml").out
    assert "Meshes, shown in pages" in shown
    assert ["platform", "cube.stl", "m"] in [line.split() for line in shown.splitlines()]
    assert "Meshes" not in gough("show", "demo-hexapod").out


def test_check_reads_meshes_and_asks_for_their_unit(gough, dressed):
    told = json.loads(gough("check", "dressed.toml", "--json").out)
    assert told["notes"] == []
    text = (dressed / "dressed.toml").read_text()
    (dressed / "small.toml").write_text(text.replace('unit = "m"', 'unit = "mm"'))
    told = json.loads(gough("check", "small.toml", "--json").out)
    (note,) = told["notes"]
    assert note.startswith("mesh of platform: 0.001 m large, in a machine of 0.754 m")
    (dressed / "cube.stl").write_bytes(binary_stl()[:-3])
    complaint = gough("check", "dressed.toml").complaint()
    assert "dressed.toml: mesh of platform: " in complaint
    assert "cut short: 681 bytes for 12 triangles" in complaint


def test_a_study_with_a_lost_mesh_is_not_run(gough, dressed):
    (dressed / "cube.stl").unlink()
    complaint = gough("run", "study.toml", "-o", "out").complaint()
    assert "mesh of platform" in complaint
    assert "no such file" in complaint
    assert not (dressed / "out" / "summary.json").exists()
    assert gough("run", "study.toml", "-o", "out", "--no-report").code == 0
