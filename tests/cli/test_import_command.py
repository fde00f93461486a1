"""`gough import`: a robot file from another tool's file, and never over a user's file."""

from pathlib import Path

import pytest

import gough as library

FILES = Path(__file__).parents[1] / "data" / "imports"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_robot_file_is_written_and_what_is_left_out_is_told(gough, here):
    done = gough("import", str(FILES / "five_bar.xml"), "--platform", "gripper")
    assert (done.code, done.err) == (0, "")
    assert "wrote five_bar.toml: five-bar, a mechanism with 2 actuators" in done.out
    assert "left out: geometry of 7 geoms, and contacts between them" in done.out
    assert "left out: equality coupled, which is not active" in done.out
    robot = library.load(here / "five_bar.toml")
    assert robot == library.import_robot(FILES / "five_bar.xml", platform="gripper")


def test_urdf_takes_its_loops(gough, here):
    words = [
        str(FILES / "picker.urdf"),
        "--loop-closures",
        str(FILES / "picker.yaml"),
        "-o",
        "delta.json",
    ]
    assert "assumed: Gravity is 9.81 m/s^2 against z" in gough("import", *words).out
    assert library.load(here / "delta.json").name == "picker"


def test_a_file_that_is_there_stays_unless_it_may_be_written_over(gough, here):
    file, words = here / "mine.toml", ("import", str(FILES / "stewart.xml"), "-o", "mine.toml")
    file.write_text("my work")
    assert "mine.toml is there already" in gough(*words).complaint(1)
    assert file.read_text() == "my work"
    assert gough(*words, "--overwrite").code == 0
    assert library.load(file).name == "my-stewart"


def test_a_robot_file_of_an_unknown_kind_is_refused_before_anything_is_read(gough, here):
    done = gough("import", "there-is-no-such-file.xml", "-o", "robot.xml")
    assert "robot.xml: unknown kind of file; expected .toml, .json" in done.complaint(2)
    done = gough("import", "there-is-no-such-file.xml", "-o", "nowhere/robot.toml")
    assert "nowhere" in done.complaint(1)


def test_nothing_is_written_when_the_file_is_refused(gough, here):
    complaint = gough("import", str(FILES / "five_bar.xml")).complaint(1)
    assert "several bodies could be the platform" in complaint
    assert not [*here.iterdir()]
