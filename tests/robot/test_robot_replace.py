"""Robots keep how they were written: through `save`, and through `replace`."""

from pathlib import Path

import pytest

import gough
from gough.errors import RobotError

WRITTEN = """\
# the machine in the cellar
schema = "gough/1"
name = "cellar"

[platform]
mass = "330 lb"   # with its load
inertia = [11.5, 13.0, 17.5]
home = { position = [0, 0, "99 cm"] }

[symmetric]
layout = "circles"
base_radius = "75 cm"
base_angle = "24 deg"
platform_radius = "50 cm"
platform_angle = "24 deg"

[leg]
kind = "UPS"
stroke = ["700 mm", "1200 mm"]
"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "cellar.toml"
    path.write_text(WRITTEN)
    return gough.load(path)


def saved(robot, folder, name="again.toml", **how):
    gough.save(robot, folder / name, **how)
    return (folder / name).read_text()


def test_a_robot_that_was_loaded_is_saved_to_the_letter(robot, tmp_path):
    assert saved(robot, tmp_path) == WRITTEN


@pytest.mark.parametrize("name", gough.library_names())
def test_a_library_robot_is_saved_to_the_letter(name, tmp_path):
    file = Path(gough.__file__).parent / "robot" / "library" / f"{name}.toml"
    assert saved(gough.load(name), tmp_path) == file.read_text()


def test_another_language_keeps_units_and_tables(robot, tmp_path):
    assert '"base_radius": "75 cm"' in saved(robot, tmp_path, "again.json")
    assert gough.load(tmp_path / "again.json") == robot


def test_in_full_all_is_in_si_units(robot, tmp_path):
    text = saved(robot, tmp_path, in_full=True)
    assert "stroke = [0.7, 1.2]" in text
    assert "symmetric" not in text
    assert gough.load(tmp_path / "again.toml") == robot


def test_how_a_robot_was_written_does_not_matter_when_robots_are_compared(robot):
    full = gough.Robot.from_dict(robot.to_dict())
    assert full == robot
    assert hash(full) == hash(robot)
    assert full.written != robot.written


def test_a_robot_changed_as_a_record_is_not_saved_as_it_was(robot, tmp_path):
    heavier = robot.model_copy(update={"name": "attic"})
    assert 'name = "attic"' in saved(heavier, tmp_path)
    assert gough.load(tmp_path / "again.toml") == heavier


def test_a_replaced_value_leaves_the_rest_as_it_was_written(robot, tmp_path):
    wider = robot.replace({"symmetric.base_radius": "80 cm"}, name="wider")
    text = saved(wider, tmp_path)
    assert 'base_radius = "80 cm"' in text
    assert 'mass = "330 lb"' in text
    assert 'stroke = ["700 mm", "1200 mm"]' in text
    assert gough.load(tmp_path / "again.toml") == wider
    assert max(leg.base[0] ** 2 + leg.base[1] ** 2 for leg in wider.legs) == pytest.approx(0.64)
    assert robot.name == "cellar"


def test_what_a_robot_tells_of_its_file_may_be_changed_without_harm(robot):
    robot.written.data["platform"].clear()
    assert robot.written.data["platform"]["mass"] == "330 lb"


def test_a_place_of_a_list_and_a_new_key_can_be_replaced():
    robot = gough.load("kalani-2016").replace({"legs[2].base[0]": 0.5, "legs[2].max_force": "2 kN"})
    assert robot.legs[2].base[0] == 0.5
    assert [leg.max_force for leg in robot.legs] == [None, None, 2000.0, None, None, None]


def test_a_machine_of_another_kind_is_replaced_in_the_same_words():
    longer = gough.load("delta").replace({"leg.links[1].length": "1.3 m"})
    assert longer.written.data["leg"]["links"][1]["length"] == "1.3 m"
    assert longer.bodies != gough.load("delta").bodies


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"platform.mas": 3}, 'platform.mas: unknown key (did you mean "mass"?)'),
        ({"platform.mass": -3}, "platform.mass: out of range, got -3"),
        ({"plattform.mass": 3}, 'there is no "plattform" (did you mean platform?)'),
        ({"legs[9].base": [1, 2, 3]}, "there is no item [9], but a list of 6"),
        ({"legs..base": 1}, '"legs..base" is not a path to a parameter'),
        ({"platform.mass": object()}, "platform.mass: object is not a kind of value here"),
        ({"platform": {"mass": 3}}, "platform.inertia: missing"),
        ({3: 4}, "a key that is no text, got 3"),
        (["platform.mass"], "not a table, got ['platform.mass']"),
    ],
)
def test_what_cannot_be_replaced_is_named(changes, words):
    with pytest.raises(RobotError) as caught:
        gough.load("kalani-2016").replace(changes)
    assert words in str(caught.value)
