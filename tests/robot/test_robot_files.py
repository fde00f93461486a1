"""Loading and saving: names, TOML, JSON, broken files, and nothing half-written."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given, settings
from robot_samples import edited, good_data, robots

from gough.errors import GoughError, RobotError
from gough.robot import Robot, library_names, load, save


def complaint(source: str | Path) -> RobotError:
    with pytest.raises(RobotError) as caught:
        load(source)
    return caught.value


@pytest.mark.parametrize("suffix", [".toml", ".json", ".TOML"])
@given(robot=robots())
@settings(max_examples=10, deadline=None)
def test_a_saved_robot_loads_as_an_equal_one(robot, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"machine{suffix}"
        save(robot, path)
        again = load(path)
        assert again == robot
        assert again.fingerprint == robot.fingerprint
        assert [entry.name for entry in Path(folder).iterdir()] == [path.name]


@pytest.mark.parametrize("name", library_names())
def test_library_robots_survive_saving(name, tmp_path):
    save(load(name), tmp_path / "machine.toml")
    save(load(tmp_path / "machine.toml"), str(tmp_path / "machine.json"))
    assert load(str(tmp_path / "machine.json")) == load(name)


def test_a_file_with_a_byte_order_mark_loads(tmp_path):
    path = tmp_path / "machine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + tomli_w.dumps(good_data()).encode())
    assert load(path) == Robot.from_dict(good_data())


def test_a_complaint_about_a_file_names_it_first(tmp_path):
    path = tmp_path / "machine.toml"
    path.write_text(tomli_w.dumps(edited("legs.2.base", [1, "3 kg", 0])))
    error = complaint(path)
    assert error.file == path
    assert str(error).startswith(f'{path}: legs[2].base[1] (leg 3): "3 kg" is a mass; expected')


def test_nan_and_infinity_in_json_are_refused(tmp_path):
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(edited("platform.mass", float("nan"))))
    assert "platform.mass: not finite" in str(complaint(path))


def test_an_unknown_name_gets_the_nearest_library_name():
    error = complaint("kalani-2015")
    assert "no such file, and no robot of this name in the library" in str(error)
    assert '"kalani-2016"' in error.expected


def test_a_file_that_does_not_exist(tmp_path):
    error = complaint(tmp_path / "demo_hexapod.toml")
    assert error.file == tmp_path / "demo_hexapod.toml"
    assert "no such file" in str(error)
    assert '"demo-hexapod"' in error.expected


def test_a_directory(tmp_path):
    error = complaint(tmp_path)
    assert str(error) == f"{tmp_path}: a directory; expected a robot file (.toml or .json)"


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file(tmp_path, suffix, text):
    path = tmp_path / f"machine{suffix}"
    path.write_text(text)
    assert str(complaint(path)).startswith(f"{path}: the file is empty; expected")


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("machine.toml", "this is no robot", "not valid TOML: "),
        ("machine.toml", '{"schema": "gough/1"}', "not valid TOML: "),
        ("machine.json", "schema = 1", "not valid JSON: "),
        ("machine.json", "[" * 100_000, "not valid JSON: "),
        ("machine.json", "9" * 5000, "not valid JSON: "),
        ("machine.json", "[1, 2]", "not a table of keys and values, got [1, 2]"),
        ("machine.yaml", "schema: gough/1", 'unknown kind of file ".yaml"'),
        ("machine", "schema", 'unknown kind of file ""'),
    ],
)
def test_a_file_in_another_language(tmp_path, name, text, problem):
    path = tmp_path / name
    path.write_text(text)
    error = complaint(path)
    assert error.file == path
    assert problem in str(error)


def test_a_file_that_is_not_text(tmp_path):
    path = tmp_path / "machine.toml"
    path.write_bytes(b"name = '\xff\xfe'")
    assert "not UTF-8 text: invalid start byte at byte 8" in str(complaint(path))


@pytest.mark.parametrize("name", ["a\0b.toml", "x" * 5000 + ".toml"])
def test_a_name_that_no_file_can_have(name):
    assert "cannot be read" in str(complaint(name))


def test_saving_to_an_unknown_kind_of_file_writes_nothing(tmp_path):
    with pytest.raises(RobotError) as refused:
        save(load("kalani-2016"), tmp_path / "machine.xml")
    assert refused.value.file == tmp_path / "machine.xml"
    assert refused.value.expected == "a .toml or .json file"
    assert not any(tmp_path.iterdir())


def test_saving_where_there_is_no_folder(tmp_path):
    with pytest.raises(GoughError, match=r"machine\.toml: cannot be written: No such file"):
        save(load("kalani-2016"), tmp_path / "nowhere" / "machine.toml")


def test_a_failure_while_saving_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "machine.toml"
    path.write_text("precious")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(GoughError, match=r"machine\.toml: cannot be written: No space left"):
        save(load("kalani-2016"), path)
    assert path.read_text() == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["machine.toml"]


def test_saving_replaces_an_older_file(tmp_path):
    path = tmp_path / "machine.json"
    save(load("kalani-2016"), path)
    save(load("bingul-2012"), path)
    assert load(path).name == "bingul-2012"
