"""What is wrong with a file names the file, also when it is found later than by reading it."""

import pytest
import tomli_w

import gough as library

TURNED = """
schema = "gough-study/1"
name = "turned"
robot = "delta"
motion = { kind = "rotation", axis = [0, 0, 1], angle = "5 deg", duration = 1 }
"""


@pytest.fixture
def short_of_moves(tmp_path):
    """The file of a Delta that says two of its three moves."""
    data = library.load("delta").to_dict()
    data["platform"]["moves"] = ["x", "y"]
    path = tmp_path / "short.toml"
    path.write_text(tomli_w.dumps(data))
    return path


@pytest.mark.parametrize("command", ["check", "show", "pose ik"])
def test_a_machine_that_does_not_move_as_it_says_names_its_file(gough, short_of_moves, command):
    line = gough(command, short_of_moves).complaint()
    assert line.startswith(f"gough: {short_of_moves}: platform.moves: ")


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_study_of_such_a_machine_names_both_files(gough, short_of_moves, tmp_path, command):
    study = tmp_path / "study.toml"
    study.write_text(TURNED.replace('"delta"', '"short.toml"'))
    line = gough(command, study).complaint()
    assert line.startswith(f"gough: {study}: robot: {short_of_moves}: platform.moves: ")


def test_a_study_whose_machine_cannot_do_the_motion_is_refused_by_check(gough, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(TURNED)
    line = gough("check", study).complaint()
    assert line.startswith(f"gough: {study}: motion: at t = 1 s the motion asks for rz = 0.08727")


@pytest.mark.parametrize("name", ["delta", "demo-hexapod"])
def test_a_robot_file_without_a_version_is_told_which_there_are(gough, tmp_path, name):
    data = library.load(name).to_dict()
    del data["schema"]
    path = tmp_path / "mine.toml"
    path.write_text(tomli_w.dumps(data))
    versions = '"gough/1" of a hexapod, "gough/2" of any other machine'
    line = gough("check", path).complaint()
    assert line == f"gough: {path}: schema: missing; expected {versions}"


@pytest.mark.parametrize(
    ("command", "key", "version"),
    [("run", "robot", "gough-study/1"), ("design", "demands", "gough-design/1")],
)
def test_a_study_and_a_design_without_a_version_are_told_which(
    gough, tmp_path, command, key, version
):
    path = tmp_path / "mine.toml"
    path.write_text(f'name = "mine"\n{key} = []\n')
    done = gough(command, path)
    assert done.complaint()
    assert f'schema: missing; expected "{version}"' in done.err
